//! Study files: reading, checking and building of everything in them.

use super::assumptions::{Base, SensitivityChoice};
use super::axes::{Axes, axes, budget, check_numbers, check_placement, repeated};
use super::built::{BuiltColumn, Study};
use super::choice_error::ChoiceError;
use super::columns::ColumnBuilder;
use super::description::ModelDescription;
use super::error::StudyError;
use super::failure_choice::Failed;
use super::file::StudyFile;
use super::jobs;
use super::network::NetworkChoice;
use super::overrides::Overrides;
use super::perturb::Perturbation;
use super::plan::{Column, Plan, Setting};
use super::procurement;
use super::sample;
use super::source::Source;
use super::steady;
use super::sweep_plan::SweepPlan;
use super::toml_file::{PathStep::Item, PathStep::Key};
use super::traffic::{TrafficChoice, TrafficPlan};
use super::workload::{OpenError, Workload};
use super::workload_entry::WorkloadEntry;
use super::written::WrittenStudy;
use crate::engine::Model;
use crate::ledger::LedgerError;
use crate::ledger::sha256;
use crate::packets::PacketError;
use crate::packets::choice::SweepChoice;
use crate::steps::Steps;
use crate::topology::Spec;
use crate::topology::input::{MAX_FILE_BYTES, ReadError, read_bytes};
use crate::traffic::{self, TrafficError};
use std::collections::BTreeMap;
use std::path::Path;

/// Largest number of replays of a study: their records have to fit into memory.
const MOST_CELLS: usize = 10_000_000;

impl Study {
    /// Reads a study file, and all files that it names.
    ///
    /// # Errors
    /// [`StudyError`].
    pub fn read(path: &Path, overrides: Overrides) -> Result<Self, StudyError> {
        Self::build(WrittenStudy::read(path)?, overrides)
    }

    /// Checks a study, and reads all files that it names.
    ///
    /// # Errors
    /// [`StudyError`].
    pub fn build(written: WrittenStudy, overrides: Overrides) -> Result<Self, StudyError> {
        let WrittenStudy { path, mut file, text } = written;
        let source = Source { file: &path, text: &text, networks: file.networks.len() };
        let folder = path.parent().unwrap_or(Path::new(""));
        for (number, network) in file.networks.iter_mut().enumerate() {
            let model = std::mem::take(&mut network.model).with_file(folder);
            network.model =
                model.map_err(|error| source.at(&[Key("networks"), Item(number), Key("model")], Box::new(error)))?;
        }
        let model = std::mem::take(&mut file.model).with_file(folder);
        file.model = model.map_err(|error| source.at(&[Key("model"), Key("file")], Box::new(error)))?;
        file.networks.extend_from_slice(&overrides.networks);
        if overrides.only_as_stated {
            (file.sensitivity, file.check, file.throughput, file.packets) = (None, None, None, None);
        }
        if file.networks.is_empty() || (file.workloads.is_empty() && file.jobs.is_empty()) {
            let needs = "a study needs at least one [[networks]] (or --topology or --platform), and at least one \
                         [[workloads]] or [[jobs]]";
            return Err(StudyError::Contradiction(needs.to_owned()));
        }
        check_numbers(&source, &file)?;
        check_placement(&file, &overrides)?;
        let axes = axes(&source, &file, &overrides)?;
        let until_steady = until_steady(&source, &file, &overrides)?;
        let (budget, prices) = budget(&source, &file, &overrides, &axes)?;
        let own_prices = overrides.prices.is_some() || file.budget.as_ref().is_some_and(|own| own.prices.is_some());
        let has_site_prices = budget.is_some() && !own_prices && overrides.prices_of_site.is_some();
        let own = |written: Option<u64>| overrides.seed.or(written);
        let written = file.throughput.clone().map(|choice| TrafficChoice { seed: own(choice.seed), ..choice });
        let traffic = TrafficPlan::read(written, &overrides.patterns, axes.seeds[0], &axes.folder)
            .map_err(|error| source.at(&[Key("throughput")], Box::new(error)))?;
        let sweep = sweep(&source, &file, &axes, &overrides)?;
        let built = file.networks.len() * axes.platforms.len() * axes.routings.len() * axes.states.len();
        overrides.steps.expect((file.workloads.len() + built) as u64);
        let mut workloads = read_workloads(&source, &file.workloads, &axes.folder, &overrides.steps)?;
        workloads.extend(jobs::read(&source, &file, &axes.folder)?);
        // Results refer to workloads by name, so a name must identify only one.
        if let Some((second, name)) = repeated(workloads.iter().map(|w| w.name.as_str())) {
            let message = format!("two workloads are called `{name}`; give them different names");
            return Err(source.wrong(&[Key("workloads"), Item(second), Key("name")], message));
        }
        let mut builder = ColumnBuilder {
            source: &source,
            axes: &axes,
            overrides: &overrides,
            workloads: &workloads,
            networks: Vec::new(),
            models: axes.models.listed.iter().map(|listed| listed.built.clone()).collect(),
            graphs: BTreeMap::new(),
            not_modelled: axes.models.not_modelled.clone(),
            intact: BTreeMap::new(),
            left: BTreeMap::new(),
        };
        let (columns, built): (Vec<Column>, Vec<BuiltColumn>) = builder.columns(&file)?.into_iter().unzip();
        let (mut networks, mut models) = (builder.networks, builder.models);
        let mut not_modelled = builder.not_modelled;
        if columns.is_empty() {
            return Err(StudyError::Contradiction(format!("no network is modelled: {}", not_modelled.join("; "))));
        }
        let in_first = columns.iter().take_while(|c| c.setting == columns[0].setting).count();
        if let Some((second, name)) = repeated(columns[..in_first].iter().map(|c| c.network.as_str())) {
            let message = format!("two networks are called `{name}`; give them different names");
            return Err(source.in_network(second, &[Key("name")], &[], StudyError::Contradiction(message)));
        }
        let baseline = match &file.baseline {
            None => 0,
            Some(name) => position_of(&columns[..in_first], name).ok_or_else(|| {
                if let Some(reason) = not_modelled.iter().find(|note| note.starts_with(&format!("{name} ["))) {
                    let message = format!("the baseline is not modelled: {reason}");
                    return source.wrong(&[Key("baseline")], message);
                }
                let names: Vec<&str> = columns[..in_first].iter().map(|c| c.network.as_str()).collect();
                source.at(&[Key("baseline")], ChoiceError::unknown("baseline", name, &names))
            })?,
        };
        let mut columns = columns;
        let names: Vec<String> = columns[..in_first].iter().map(|column| column.network.clone()).collect();
        let baselines: Vec<Option<usize>> = columns
            .iter()
            .map(|own| {
                let same = |c: &Column| c.setting == own.setting && c.network == names[baseline];
                columns.iter().position(same)
            })
            .collect();
        // Networks with failures cost as much as the intact ones.
        let intact: Vec<usize> = (0..columns.len())
            .map(|own| {
                let wanted = columns[own].setting.failures.as_ref().map(|_| Failed::Intact);
                let setting = Setting { failures: wanted, ..columns[own].setting.clone() };
                let same = |c: &Column| c.setting == setting && c.network == columns[own].network;
                columns.iter().position(same).unwrap_or(own)
            })
            .collect();
        for (index, column) in columns.iter_mut().enumerate() {
            column.baseline = baselines[index].ok_or_else(|| {
                let message = format!(
                    "the baseline `{}` is not modelled in the setting of `{}`: {}",
                    names[baseline],
                    column.info.name,
                    not_modelled.join("; ")
                );
                source.wrong(&[Key("models")], message)
            })?;
            if budget.is_some() {
                let network = &networks[built[intact[index]].runs[0].network];
                column.cost = procurement::cost(network, column.setting.platform.as_deref(), &prices);
            }
        }
        let first = axes.placements[0].mapping(&networks[0], &axes.placement_folder, axes.seeds[0])?;
        let sensitivity = file.sensitivity.clone().or(overrides.sensitivity.then(SensitivityChoice::default));
        let mut base = Base {
            columns: &columns[..in_first],
            built: &built[..in_first],
            choice: &axes.models.first().choice,
            workloads: &workloads,
            folder: &axes.placement_folder,
            seed: axes.seeds[0],
            networks: &mut networks,
            models: &mut models,
        };
        let varied =
            sensitivity.map(|choice| choice.build(&mut base).map_err(|error| source.at(&[Key("sensitivity")], error)));
        let (sensitivity, mut variations) = match varied.transpose()? {
            Some((variations, built)) => (Some(variations), built),
            None => (None, Vec::new()),
        };
        let (mut check, mut samples) = (None, Vec::new());
        if let Some((keep, packets)) = &axes.models.sample {
            let built = sample::build(&mut base, *keep, packets, baseline);
            let built = built.map_err(|error| source.at(&[Key("check")], error))?;
            not_modelled.extend(built.not_modelled);
            variations.extend(built.passes);
            (check, samples) = (Some(built.check), built.samples);
        }
        let plan = Plan {
            title: file.title,
            baseline,
            mapping: joined(columns.iter().map(|c| c.setting.mapping.as_str())),
            model: ModelDescription {
                collectives: joined(columns.iter().map(|c| c.setting.collectives.as_str())),
                network_model: match &file.models {
                    Some(_) => joined(axes.models.listed.iter().map(|listed| listed.built.1.network_model.as_str())),
                    None => axes.models.first().built.1.network_model.clone(),
                },
                ..axes.models.first().built.1.clone()
            },
            columns,
            weights: {
                let own = file.workloads.iter().map(|w| w.weight.unwrap_or(1.0));
                own.chain((!file.jobs.is_empty()).then_some(1.0)).collect()
            },
            workloads: workloads.iter().map(Workload::info).collect(),
            perturbation: overrides
                .perturb
                .map(|(amplitudes, samples)| Perturbation::new(amplitudes, samples, axes.seeds[0].unwrap_or(1))),
            sensitivity,
            check,
            budget,
            prices,
            not_modelled,
        };
        if overrides.perturb.is_some_and(|(amplitudes, _)| amplitudes.message > 0.0) {
            let cannot =
                |(model, _): &(Model, ModelDescription)| model.sharing.is_simgrid() || model.network.loggops.is_some();
            if let Some((_, description)) = models.iter().find(|model| cannot(model)) {
                let message = format!(
                    "messages cannot be varied under the model {} with {} sharing; choose exact sharing, and not loggops",
                    description.network_model, description.sharing
                );
                return Err(StudyError::Contradiction(message));
            }
        }
        if plan.cells() > MOST_CELLS {
            let message = format!("that makes {} replays, and at most {MOST_CELLS} are allowed", plan.cells());
            return Err(StudyError::Contradiction(message));
        }
        let places = plan.all_places();
        let file_digests = file_digests(&file.networks, &axes)?;
        Ok(Self {
            plan,
            networks,
            workloads,
            mapping: first,
            explain: false,
            until_steady,
            text,
            traffic,
            sweep,
            samples,
            models,
            columns: built,
            variations,
            file_digests,
            places,
            has_site_prices,
        })
    }
}

/// Returns the place of the network with a name, or with its specification in another spelling.
fn position_of(columns: &[Column], name: &str) -> Option<usize> {
    let place = |name: &str| columns.iter().position(|column| column.network == name);
    place(name).or_else(|| place(&name.parse::<Spec>().ok()?.to_string()))
}

/// Returns the sweep of the table `[packets]`, if there is one.
fn sweep(
    source: &Source,
    file: &StudyFile,
    axes: &Axes,
    overrides: &Overrides,
) -> Result<Option<SweepPlan>, StudyError> {
    let Some(written) = &file.packets else { return Ok(None) };
    let choice = SweepChoice { seed: overrides.seed.or(written.seed), ..written.clone() };
    let checked = choice.build(axes.seeds[0].unwrap_or(1)).and_then(|settings| settings.check().map(|()| settings));
    let settings = checked.map_err(|error| {
        let key = match &error {
            PacketError::Invalid { parameter, .. } => parameter.replace('-', "_"),
            PacketError::UnknownRouting { .. } => "routing".to_owned(),
            _ => "patterns".to_owned(),
        };
        source.at(&[Key("packets"), Key(&key)], Box::new(error))
    })?;
    for (number, pattern) in settings.patterns.iter().enumerate() {
        let Some(path) = traffic::file_of(pattern).map(|name| axes.folder.join(name)) else { continue };
        if let Err(error) = std::fs::metadata(&path) {
            let error = TrafficError::from(ReadError::Io { path, source: error });
            let place = [Key("packets"), Key("patterns"), Item(number)];
            return Err(source.at(&place, Box::new(PacketError::from(error))));
        }
    }
    Ok(Some(SweepPlan { settings, folder: axes.folder.clone() }))
}

/// Returns the relative half width at which replays end early, if they do: that of the command line, or of the study.
fn until_steady(source: &Source, file: &StudyFile, overrides: &Overrides) -> Result<Option<f64>, StudyError> {
    let of_file = file.until_steady.as_ref().map(|text| {
        steady::within(text)
            .map_err(|rule| source.wrong(&[Key("until_steady")], format!("until_steady `{text}` {rule}")))
    });
    Ok(overrides.until_steady.or(of_file.transpose()?))
}

/// Returns all distinct texts, in their order.
fn joined<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let mut seen: Vec<&str> = Vec::new();
    texts.for_each(|text| {
        if !seen.contains(&text) {
            seen.push(text);
        }
    });
    seen.join(", ")
}

fn read_workloads(
    source: &Source,
    entries: &[WorkloadEntry],
    folder: &Path,
    steps: &Steps,
) -> Result<Vec<Workload>, StudyError> {
    let read = |(number, entry): (usize, &WorkloadEntry)| {
        let (list, item) = (Key("workloads"), Item(number));
        if entry.name.as_deref().is_some_and(|name| name.trim().is_empty()) {
            let message = "name is empty; leave it out for the name of the trace".to_owned();
            return Err(source.wrong(&[list, item, Key("name")], message));
        }
        let mut workload = Workload::open(entry, folder).map_err(|error| match error {
            OpenError::Trace(error) => source.at(&[list, item, Key("trace")], error),
            OpenError::Workload(error) => source.at(&[list, item, Key("workload")], error),
            OpenError::Contradiction(message) => source.wrong(&[list, item], message),
        })?;
        workload.name = entry.name.clone().unwrap_or(workload.name);
        steps.did(1);
        Ok(workload)
    };
    entries.iter().enumerate().map(read).collect()
}

/// Returns digests of the platform files from which networks are read: their routes are nowhere else.
fn file_digests(choices: &[NetworkChoice], axes: &Axes) -> Result<Vec<String>, StudyError> {
    let mut digests = Vec::new();
    for choice in choices {
        let choice = choice.clone().over(&axes.common);
        let files = choice.platform_files(&axes.folder).map_err(|error| StudyError::Network {
            network: choice.name.clone().unwrap_or_default(),
            error: Box::new(error),
        })?;
        for file in files {
            // The file was just read, so a failure here is one of the file system.
            let bytes = read_bytes(&file, MAX_FILE_BYTES).map_err(|error| {
                let error = std::io::Error::other(error.to_string());
                super::results::ResultsError::from(LedgerError::Io { file, error })
            })?;
            digests.push(sha256::of_bytes(&bytes));
        }
    }
    Ok(digests)
}
