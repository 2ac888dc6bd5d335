//! From a study file to a study: everything is read, checked and built here.

use super::choice::{ChoiceError, ModelChoice, ModelDescription};
use super::digest;
use super::error::StudyError;
use super::file::{StudyFile, WorkloadEntry};
use super::jobs;
use super::network::{NetworkChoice, NetworkError, NetworkUnderTest};
use super::perturb::Perturbation;
use super::placement::Placement;
use super::plan::{Column, Plan, Setting};
use super::procurement;
use super::run::{BuiltColumn, BuiltRun, Study, layouts, model_of};
use super::source::Source;
use super::toml_file::{self, Step, Step::Item, Step::Key};
use super::traffic::TrafficPlan;
use super::workload::{OpenError, Workload};
use crate::engine::Model;
use crate::mpi::mapping::Mapping;
use crate::routing::RoutingSpec;
use crate::topology::Topology;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Most repetitions of a study.
const MOST_REPETITIONS: u32 = 10_000;
/// Most replays of a study: their records have to fit into memory.
const MOST_CELLS: usize = 10_000_000;

/// The entry of `routings` for the rule that a network has without that list.
const DEFAULT_ROUTING: &str = "default";

/// What the command line adds to a study file: it comes before what the file says.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    /// Model choices.
    pub model: ModelChoice,
    /// Choices for all networks.
    pub network: NetworkChoice,
    /// Networks beside those of the file, with absolute file names.
    pub networks: Vec<NetworkChoice>,
    /// How ranks are placed.
    pub placement: Placement,
    /// Seed.
    pub seed: Option<u64>,
    /// Perturbations: their amplitude and number.
    pub perturb: Option<(f64, usize)>,
    /// Patterns of synthetic traffic, if there are any.
    pub patterns: Vec<String>,
}

/// What a study file says on the whole.
struct Axes {
    folder: PathBuf,
    common: NetworkChoice,
    /// One, perhaps none at all, without repetitions.
    seeds: Vec<Option<u64>>,
    /// Names and choices; a nameless one where the study has no such axis.
    platforms: Vec<(Option<String>, NetworkChoice)>,
    /// Routing rules; a nameless one where the study has no such axis.
    routings: Vec<Option<String>>,
    placements: Vec<Placement>,
    /// Folder that the placements' files are relative to.
    placement_folder: PathBuf,
    models: Vec<(Model, ModelDescription)>,
    choices: Vec<ModelChoice>,
}

impl Study {
    /// Reads a study file, and everything that it names.
    ///
    /// # Errors
    /// [`StudyError`].
    pub fn read(path: &Path, overrides: Overrides) -> Result<Self, StudyError> {
        let (mut file, text): (StudyFile, String) = toml_file::read_with_text(path)?;
        let source = Source { file: path, text: &text, networks: file.networks.len() };
        file.networks.extend_from_slice(&overrides.networks);
        if file.networks.is_empty() || (file.workloads.is_empty() && file.jobs.is_empty()) {
            let needs = "a study needs one of [[networks]], or --topology or --platform beside it, and one of \
                         [[workloads]] or [[jobs]]";
            return Err(StudyError::Contradiction(needs.to_owned()));
        }
        check_numbers(&source, &file)?;
        let axes = axes(&source, &file, &overrides)?;
        let traffic = TrafficPlan::read(file.throughput.clone(), &overrides.patterns, axes.seeds[0], &axes.folder)
            .map_err(|error| source.at(&[Key("throughput")], error))?;
        let mut workloads = read_workloads(&source, &file.workloads, &axes.folder)?;
        workloads.extend(jobs::read(&source, &file, &axes.folder)?);
        // Results name workloads, so that a name must not stand for two of them.
        if let Some((second, name)) = repeated(workloads.iter().map(|w| w.name.as_str())) {
            let message = format!("two workloads are called `{name}`; give them different names");
            return Err(source.wrong(&[Key("workloads"), Item(second), Key("name")], message));
        }
        let mut builder = Builder {
            source: &source,
            axes: &axes,
            overrides: &overrides,
            workloads: &workloads,
            networks: Vec::new(),
            models: axes.models.clone(),
            graphs: BTreeMap::new(),
        };
        let (columns, built): (Vec<Column>, Vec<BuiltColumn>) = builder.columns(&file)?.into_iter().unzip();
        let (networks, models) = (builder.networks, builder.models);
        let in_first = columns.iter().take_while(|c| c.setting == columns[0].setting).count();
        if let Some((second, name)) = repeated(columns[..in_first].iter().map(|c| c.network.as_str())) {
            let message = format!("two networks are called `{name}`; give them different names");
            return Err(source.in_network(second, &[Key("name")], &[], StudyError::Contradiction(message)));
        }
        let baseline = match &file.baseline {
            None => 0,
            Some(name) => columns[..in_first].iter().position(|c| c.network == *name).ok_or_else(|| {
                let names: Vec<&str> = columns[..in_first].iter().map(|c| c.network.as_str()).collect();
                source.at(&[Key("baseline")], ChoiceError::unknown("baseline", name, &names))
            })?,
        };
        let mut columns = columns;
        for (index, column) in columns.iter_mut().enumerate() {
            column.baseline = index / in_first * in_first + baseline;
            if file.budget.is_some() {
                column.cost = procurement::cost(&networks[built[index].runs[0].network]);
            }
        }
        let first = axes.placements[0].mapping(&networks[0], &axes.placement_folder, axes.seeds[0])?;
        let plan = Plan {
            title: file.title,
            baseline,
            mapping: joined(columns.iter().map(|c| c.setting.mapping.as_str())),
            model: ModelDescription {
                collectives: joined(columns.iter().map(|c| c.setting.collectives.as_str())),
                ..axes.models[0].1.clone()
            },
            columns,
            weights: {
                let own = file.workloads.iter().map(|w| w.weight.unwrap_or(1.0));
                own.chain((!file.jobs.is_empty()).then_some(1.0)).collect()
            },
            workloads: workloads.iter().map(Workload::info).collect(),
            perturbation: overrides
                .perturb
                .map(|(amplitude, samples)| Perturbation::new(amplitude, samples, axes.seeds[0].unwrap_or(1))),
            budget: file.budget,
        };
        if plan.cells() > MOST_CELLS {
            let message = format!("that makes {} replays, and {MOST_CELLS} is the most", plan.cells());
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
            text,
            traffic,
            models,
            columns: built,
            file_digests,
            places,
        })
    }
}

/// The first name that stands twice, and where it does so the second time.
fn repeated<'a>(names: impl Iterator<Item = &'a str>) -> Option<(usize, &'a str)> {
    let mut seen = std::collections::BTreeSet::new();
    names.enumerate().find(|&(_, name)| !seen.insert(name))
}

/// All different texts, in their order.
fn joined<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let mut seen: Vec<&str> = Vec::new();
    texts.for_each(|text| {
        if !seen.contains(&text) {
            seen.push(text);
        }
    });
    seen.join(", ")
}

/// Checks what has nothing to do with other files.
fn check_numbers(source: &Source, file: &StudyFile) -> Result<(), StudyError> {
    for (number, workload) in file.workloads.iter().enumerate() {
        if let Some(weight) = workload.weight
            && !(weight.is_finite() && weight > 0.0)
        {
            let message = format!("weight {weight} of workload `{}` is not positive", workload.label());
            return Err(source.wrong(&[Key("workloads"), Item(number), Key("weight")], message));
        }
    }
    for (name, limit) in file.budget.iter().flat_map(|budget| budget.limits()) {
        if let Some(limit) = limit
            && !(limit.is_finite() && limit >= 0.0)
        {
            let message = format!("budget: {name} = {limit} is not a number, zero or more");
            return Err(source.wrong(&[Key("budget"), Key(name)], message));
        }
    }
    let seeds = |message: String| Err(source.wrong(&[Key("seeds")], message));
    match &file.seeds {
        Some(_) if file.seed.is_some() || file.repetitions.is_some() => {
            return seeds("seeds says all seeds; seed and repetitions do not go with it".to_owned());
        }
        Some(list) if list.is_empty() => return seeds("seeds is an empty list".to_owned()),
        Some(list) => {
            if let Some((at, seed)) = list.iter().enumerate().find(|(i, seed)| list[..*i].contains(seed)) {
                return Err(source.wrong(&[Key("seeds"), Item(at)], format!("seed {seed} stands in seeds twice")));
            }
        }
        None => {}
    }
    match file.repetitions {
        Some(repetitions) if !(1..=MOST_REPETITIONS).contains(&repetitions) => {
            let message = format!("repetitions = {repetitions} is not from 1 to {MOST_REPETITIONS}");
            Err(source.wrong(&[Key("repetitions")], message))
        }
        _ => Ok(()),
    }
}

/// Checks the axes and brings them together with the command line.
fn axes(source: &Source, file: &StudyFile, overrides: &Overrides) -> Result<Axes, StudyError> {
    let wrong = |key: &str, message: &str| source.wrong(&[Key(key)], message.to_owned());
    let folder = source.file.parent().unwrap_or(Path::new("")).to_owned();
    let begin = overrides.seed.or(file.seed);
    let seeds = match (&file.seeds, file.repetitions) {
        (_, Some(repetitions)) => {
            let begin = begin.unwrap_or(1);
            (0..u64::from(repetitions)).map(|k| Some(begin.wrapping_add(k))).collect()
        }
        (Some(seeds), None) if overrides.seed.is_none() => seeds.iter().copied().map(Some).collect(),
        _ => vec![begin],
    };
    let platforms = match &file.platforms {
        None => vec![(None, NetworkChoice::default())],
        Some(entries) if entries.is_empty() => return Err(wrong("platforms", "platforms is an empty list")),
        Some(entries) => {
            if let Some((second, name)) = repeated(entries.iter().map(|entry| entry.name.as_str())) {
                let message = format!("two platforms are called `{name}`; give them different names");
                return Err(source.wrong(&[Key("platforms"), Item(second), Key("name")], message));
            }
            let choice = |parameters| NetworkChoice { parameters, ..NetworkChoice::default() };
            entries.iter().map(|entry| (Some(entry.name.clone()), choice(entry.parameters.clone()))).collect()
        }
    };
    let own =
        Placement { rule: file.mapping.clone(), hostfile: file.hostfile.clone(), rankfile: file.rankfile.clone() };
    if own.is_ambiguous() {
        let key = if own.hostfile.is_some() { "hostfile" } else { "rankfile" };
        return Err(wrong(key, "only one of mapping, hostfile and rankfile can say how ranks are placed"));
    }
    if file.mappings.is_some() && own.is_given() {
        let message = "mappings says how ranks are placed; mapping, hostfile and rankfile do not go with it";
        return Err(wrong("mappings", message));
    }
    let (placements, placement_folder) = match &file.mappings {
        _ if overrides.placement.is_given() => (vec![overrides.placement.clone()], PathBuf::new()),
        Some(rules) => {
            let placement = |rule: &String| Placement { rule: Some(rule.clone()), ..Placement::default() };
            (rules.iter().map(placement).collect(), folder.clone())
        }
        None => (vec![own], folder.clone()),
    };
    let tables: Vec<Option<String>> = match &file.collectives {
        Some(_) if file.model.collectives.is_some() => {
            let message = "only one of collectives and collectives in [model] can say which tables are used";
            return Err(wrong("collectives", message));
        }
        Some(tables) if overrides.model.collectives.is_none() => tables.iter().cloned().map(Some).collect(),
        _ => vec![None],
    };
    let routings = match &file.routings {
        Some(rules) if overrides.network.routing.is_none() => {
            let rule = |(at, rule): (usize, &String)| match rule.trim() {
                DEFAULT_ROUTING => Ok(Some(DEFAULT_ROUTING.to_owned())),
                rule => {
                    let spec = rule.parse::<RoutingSpec>().map(|spec| Some(spec.to_string()));
                    spec.map_err(|error| source.at(&[Key("routings"), Item(at)], error))
                }
            };
            rules.iter().enumerate().map(rule).collect::<Result<Vec<_>, StudyError>>()?
        }
        _ => vec![None],
    };
    // Two spellings of one rule are the same rule.
    let routing_names: Option<Vec<String>> =
        file.routings.as_ref().map(|_| routings.iter().flatten().cloned().collect());
    let routing_names = routing_names.filter(|_| overrides.network.routing.is_none());
    for (list, names) in
        [("routings", &routing_names), ("mappings", &file.mappings), ("collectives", &file.collectives)]
    {
        let Some(names) = names else { continue };
        if names.is_empty() {
            return Err(wrong(list, &format!("{list} is an empty list")));
        }
        if let Some((second, name)) = repeated(names.iter().map(String::as_str)) {
            return Err(source.wrong(&[Key(list), Item(second)], format!("`{name}` stands in {list} twice")));
        }
    }
    let base = ModelChoice {
        defaults: overrides.network.defaults.or(file.defaults),
        ..overrides.model.clone().over(&file.model)
    };
    let choice =
        |table: Option<String>| ModelChoice { collectives: table.or_else(|| base.collectives.clone()), ..base.clone() };
    let choices = tables.iter().cloned().map(choice).collect();
    let model = |(number, table): (usize, Option<String>)| {
        let listed = table.is_some();
        choice(table).build().map_err(|error| {
            // What the command line says was checked before.
            let key = error.option.replace('-', "_");
            let way = if listed && key == "collectives" {
                [Key("collectives"), Item(number)]
            } else {
                [Key("model"), Key(&key)]
            };
            source.at(&way, error)
        })
    };
    Ok(Axes {
        folder,
        common: NetworkChoice { defaults: file.network.defaults.or(file.defaults), ..file.network.clone() },
        seeds,
        platforms,
        routings,
        placements,
        placement_folder,
        choices,
        models: tables.into_iter().enumerate().map(model).collect::<Result<_, StudyError>>()?,
    })
}

fn read_workloads(source: &Source, entries: &[WorkloadEntry], folder: &Path) -> Result<Vec<Workload>, StudyError> {
    let read = |(number, entry): (usize, &WorkloadEntry)| {
        let (list, item) = (Key("workloads"), Item(number));
        let mut workload = Workload::open(entry, folder).map_err(|error| match error {
            OpenError::Trace(error) => source.at(&[list, item, Key("trace")], error),
            OpenError::Workload(error) => source.at(&[list, item, Key("workload")], error),
            OpenError::Contradiction(message) => source.wrong(&[list, item], message),
        })?;
        workload.name = entry.name.clone().unwrap_or(workload.name);
        Ok(workload)
    };
    entries.iter().enumerate().map(read).collect()
}

/// Digests of the platform files that networks are read from: their routes are nowhere else.
fn file_digests(choices: &[NetworkChoice], axes: &Axes) -> Result<Vec<String>, StudyError> {
    let mut digests = Vec::new();
    for choice in choices {
        let choice = choice.clone().over(&axes.common);
        let files = choice.platform_files(&axes.folder).map_err(|error| StudyError::Network {
            network: choice.name.clone().unwrap_or_default(),
            error: Box::new(error),
        })?;
        for file in files {
            // It was read a moment ago, so that a failure here is one of the file system.
            let bytes = std::fs::read(&file).map_err(|error| super::results::ResultsError::Io { file, error })?;
            digests.push(digest::of_bytes(&bytes));
        }
    }
    Ok(digests)
}

/// Builds networks and places ranks.
struct Builder<'a> {
    source: &'a Source<'a>,
    axes: &'a Axes,
    overrides: &'a Overrides,
    workloads: &'a [Workload],
    networks: Vec<NetworkUnderTest>,
    /// Those of the axes first.
    models: Vec<(Model, ModelDescription)>,
    /// What was built, by specification and seed: a graph that stands in the study with several parameters is built
    /// once.
    graphs: BTreeMap<(String, Option<u64>), Arc<Topology>>,
}

/// A network of the study on one platform, built for each seed.
struct Variants {
    name: String,
    /// Seed and index of the built network: one if nothing is random.
    built: Vec<(Option<u64>, usize)>,
    /// Seed for the mapping of a network that is not random, repetition by repetition.
    random: bool,
}

impl Builder<'_> {
    /// All columns, setting by setting: platform, routing, mapping, table of collectives.
    fn columns(&mut self, file: &StudyFile) -> Result<Vec<(Column, BuiltColumn)>, StudyError> {
        let axes = self.axes;
        let mut columns = Vec::new();
        for (entry, (platform, parameters)) in axes.platforms.iter().enumerate() {
            for (rule, routing) in axes.routings.iter().enumerate() {
                let mut variants = Vec::with_capacity(file.networks.len());
                for (number, choice) in file.networks.iter().enumerate() {
                    let rule = routing.as_deref().map(|routing| (rule, routing));
                    variants.push(self.variants(number, choice, (entry, parameters), rule)?);
                }
                self.place(file, (platform, routing), &variants, &mut columns)?;
            }
        }
        Ok(columns)
    }

    /// The columns of some networks, under each mapping and table of collectives.
    fn place(
        &mut self,
        file: &StudyFile,
        (platform, routing): (&Option<String>, &Option<String>),
        variants: &[Variants],
        columns: &mut Vec<(Column, BuiltColumn)>,
    ) -> Result<(), StudyError> {
        let axes = self.axes;
        for (number, placement) in axes.placements.iter().enumerate() {
            for (model, (_, description)) in axes.models.iter().enumerate() {
                for variant in variants {
                    let network = &self.networks[variant.built[0].1];
                    let (model, changes) = model_of(network, (model, &axes.choices[model]), &mut self.models)?;
                    let (mut column, runs) =
                        self.column(variant, placement, &self.models[model]).map_err(|error| match error {
                            // What the command line says was checked before.
                            StudyError::Choice(_) if file.mappings.is_some() => {
                                self.source.at(&[Key("mappings"), Item(number)], error)
                            }
                            StudyError::Choice(_) => self.source.at(&[Key("mapping")], error),
                            error if self.overrides.placement.is_given() => error,
                            StudyError::Network { .. } if placement.hostfile.is_some() => {
                                self.source.at(&[Key("hostfile")], error)
                            }
                            StudyError::Network { .. } if placement.rankfile.is_some() => {
                                self.source.at(&[Key("rankfile")], error)
                            }
                            error => error,
                        })?;
                    column.setting.platform.clone_from(platform);
                    column.setting.routing.clone_from(routing);
                    column.setting.collectives.clone_from(&description.collectives);
                    column.info.name = self.full_name(&column);
                    column.model_changes = changes;
                    columns.push((column, BuiltColumn { model, runs }));
                }
            }
        }
        Ok(())
    }

    /// The name of a network with all of its setting that is not the same for all columns.
    fn full_name(&self, column: &Column) -> String {
        let mut parts: Vec<&str> = column.setting.platform.as_deref().into_iter().collect();
        if self.axes.routings.len() > 1 {
            parts.extend(column.setting.routing.as_deref());
        }
        if self.axes.placements.len() > 1 {
            parts.push(&column.setting.mapping);
        }
        if self.axes.models.len() > 1 {
            parts.push(&column.setting.collectives);
        }
        if parts.is_empty() { column.network.clone() } else { format!("{} [{}]", column.network, parts.join(", ")) }
    }

    fn variants(
        &mut self,
        number: usize,
        choice: &NetworkChoice,
        (entry, parameters): (usize, &NetworkChoice),
        rule: Option<(usize, &str)>,
    ) -> Result<Variants, StudyError> {
        let axes = self.axes;
        let label = choice.name.clone().unwrap_or_else(|| format!("number {}", number + 1));
        let in_network = |error: NetworkError| {
            let way = match (&error.way()[..], rule) {
                ([Key("routing")], Some((at, rule))) if rule != DEFAULT_ROUTING => {
                    let error = StudyError::Network { network: label.clone(), error: Box::new(error) };
                    return self.source.at(&[Key("routings"), Item(at)], error);
                }
                // What the command line says is no mistake of the file.
                ([Key("routing")], _) if self.overrides.network.routing.is_some() => Vec::new(),
                ([_, Key(parameter)], _) if self.overrides.network.parameters.given().contains(parameter) => Vec::new(),
                (way, _) => way.to_vec(),
            };
            let behind: [&[Step]; 2] = [&[Key("platforms"), Item(entry)], &[Key("network")]];
            let error = StudyError::Network { network: label.clone(), error: Box::new(error) };
            self.source.in_network(number, &way, &behind, error)
        };
        let name = choice.name.clone();
        let choice = choice.clone().over(parameters).over(&axes.common);
        let mut choice = NetworkChoice { name, ..self.overrides.network.clone().over(&choice) };
        if let Some((_, rule)) = rule.filter(|(_, rule)| *rule != DEFAULT_ROUTING)
            && choice.takes_routing(&axes.folder).map_err(in_network)?
        {
            choice.routing = Some(rule.to_owned());
        }
        // A seed of the network's own is no matter of repetitions; one of the command line begins them.
        let own_seed = if self.overrides.seed.is_some() { None } else { choice.seed };
        let random =
            own_seed.is_none() && axes.seeds.len() > 1 && choice.takes_seed(&axes.folder).map_err(in_network)?;
        let seeds = if random { &axes.seeds[..] } else { &axes.seeds[..1] };
        let graphs = &self.graphs;
        let key = |seed: Option<u64>| Some((choice.topology.clone()?, own_seed.or(seed)));
        let build = |&seed: &Option<u64>| {
            let graph = key(seed).and_then(|key| graphs.get(&key).cloned());
            NetworkChoice { seed: own_seed.or(seed), ..choice.clone() }.build_on(graph, &axes.folder)
        };
        // Of several errors the first one is told, whoever finds his own first.
        let networks: Vec<_> = seeds.par_iter().map(build).collect();
        let mut built = Vec::with_capacity(seeds.len());
        for (&seed, network) in seeds.iter().zip(networks) {
            let network = network.map_err(in_network)?;
            if let (Some(key), Some(topology)) = (key(seed), &network.topology) {
                self.graphs.insert(key, Arc::clone(topology));
            }
            let seed = if random { seed } else { network.info.seed };
            built.push((seed, self.networks.len()));
            self.networks.push(network);
        }
        let info = &mut self.networks[built[0].1].info;
        if random && let Some(spec) = choice.topology {
            // The name of the first graph, with its seed, would be wrong for the others.
            if choice.name.is_none() {
                info.name.clone_from(&spec);
            }
            info.topology = spec;
        }
        Ok(Variants { name: info.name.clone(), built, random })
    }

    fn column(
        &self,
        variant: &Variants,
        placement: &Placement,
        model: &(Model, ModelDescription),
    ) -> Result<(Column, Vec<BuiltRun>), StudyError> {
        let axes = self.axes;
        let random_jobs =
            self.workloads.iter().filter_map(|workload| workload.jobs.as_ref()).any(|mix| mix.is_random());
        let random_mapping = axes.seeds.len() > 1 && (placement.rule.as_deref() == Some("random") || random_jobs);
        let repetitions = if variant.random || random_mapping { axes.seeds.len() } else { 1 };
        let (mut seeds, mut runs) = (Vec::new(), Vec::new());
        let mut mapping = Mapping::default();
        for k in 0..repetitions {
            let (network_seed, index) = variant.built[if variant.random { k } else { 0 }];
            let network = &self.networks[index];
            mapping = placement.mapping(network, &axes.placement_folder, axes.seeds[k])?;
            seeds.push(if random_mapping { axes.seeds[k] } else { network_seed });
            let layouts = layouts(self.workloads, network, &mapping, model, axes.seeds[k])?;
            runs.push(BuiltRun { network: index, layouts });
        }
        let first = &self.networks[variant.built[0].1];
        let setting = Setting {
            platform: None,
            routing: None,
            mapping: if random_mapping && !random_jobs { "random".to_owned() } else { mapping.describe() },
            collectives: String::new(),
        };
        let column = Column {
            info: first.info.clone(),
            network: variant.name.clone(),
            setting,
            baseline: 0,
            seeds,
            model_changes: None,
            cost: None,
        };
        Ok((column, runs))
    }
}
