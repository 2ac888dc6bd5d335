//! The network models of a study, each with its tables of collectives: the lists `models` and `collectives`, `[model]`, the
//! command line and a check against packets combined.

use super::axes::check_list;
use super::choice::{CollectiveTable, ModelChoice};
use super::description::ModelDescription;
use super::error::StudyError;
use super::file::StudyFile;
use super::model_file;
use super::overrides::Overrides;
use super::packet_choice::{PACKET, has_packets};
use super::packet_refusals;
use super::source::Source;
use super::toml_file::PathStep::{Item, Key};
use crate::engine::Model;
use std::path::Path;

/// All models of a study, model by model and then table by table.
pub(super) struct ModelList {
    pub listed: Vec<ListedModel>,
    /// `true` if the models differ in their tables of collectives.
    pub several_tables: bool,
    /// Number of iterations of a check, and its model with packets.
    pub sample: Option<(usize, ModelChoice)>,
    /// Models that are omitted, and the reasons.
    pub not_modelled: Vec<String>,
}

/// A model with a table of collectives.
pub(super) struct ListedModel {
    /// Name of the network model, if the study has a list of them.
    pub name: Option<String>,
    pub choice: ModelChoice,
    pub built: (Model, ModelDescription),
}

impl ListedModel {
    /// `true` if its messages are packets.
    pub fn has_packets(&self) -> bool {
        self.built.0.network.packet_level.is_some()
    }
}

/// An entry of the list `models`.
struct ModelEntry {
    /// Name in the list; `None` for the model of a study without a list.
    name: Option<String>,
    /// Its constants, if it is a file.
    of_file: Option<ModelChoice>,
}

impl ModelEntry {
    fn named(name: String) -> Self {
        Self { name: Some(name), of_file: None }
    }

    /// `true` for a packet model, named in the list or in a file.
    fn has_packets(&self) -> bool {
        match &self.of_file {
            Some(own) => own.has_packets(),
            None => self.name.as_deref().is_some_and(has_packets),
        }
    }
}

/// A network model and a table of collectives, each with its place in the study's list.
#[derive(Clone, Copy)]
struct Pair<'a> {
    entry: (usize, &'a ModelEntry),
    table: Option<(usize, &'a str)>,
}

/// Inputs for the choice of each model.
struct Choices<'a> {
    file: &'a StudyFile,
    /// Model of the command line and of `[model]`.
    base: ModelChoice,
    /// `true` if a check has added the model with packets.
    added: bool,
    /// `true` if a check repeats iterations with packets.
    sampled: bool,
}

impl ModelList {
    /// Combines the lists of a study with the command line. Names of files are relative to `folder`.
    ///
    /// # Errors
    /// [`StudyError`] for an unknown name, a list that is empty or has an entry twice, and settings that contradict each other.
    pub fn new(source: &Source, file: &StudyFile, overrides: &Overrides, folder: &Path) -> Result<Self, StudyError> {
        let tables = tables(source, file, overrides, folder)?;
        let base = ModelChoice {
            defaults: overrides.network.defaults.or(file.defaults),
            ..overrides.model.clone().over(&file.model)
        };
        let entries = entries(source, file, overrides, folder)?;
        let (entries, added) = match checks_whole_replays(file, overrides) {
            true => with_packets(&base, entries),
            false => (entries, false),
        };
        let keep = iterations(file, overrides);
        if keep.is_some() && (base.has_packets() || entries.iter().any(ModelEntry::has_packets)) {
            let message = "a check of some iterations repeats them with packets; leave packets out of the models";
            return Err(source.wrong(&[Key("check")], message.to_owned()));
        }
        let choices = Choices { file, base, added, sampled: keep.is_some() };
        let mut pairs = Vec::new();
        for entry in entries.iter().enumerate() {
            for (at, table) in tables.iter().enumerate() {
                pairs.push(Pair { entry, table: table.as_deref().map(|name| (at, name)) });
            }
        }
        // Among several models, an impossible one is omitted.
        let mut not_modelled = Vec::new();
        let mut is_possible = |pair: &Pair<'_>| {
            let (_, entry) = pair.entry;
            let Some(name) = entry.name.as_ref().filter(|_| entry.has_packets() && entries.len() > 1) else {
                return true;
            };
            let refused = packet_refusals::refuse_factors(&choices.of(pair));
            not_modelled.extend(refused.as_ref().err().map(|error| format!("{name}: not modelled: {error}")));
            refused.is_ok()
        };
        let possible: Vec<Pair<'_>> = pairs.iter().copied().filter(|pair| is_possible(pair)).collect();
        let pairs = if possible.is_empty() { pairs } else { possible };
        let sample = keep.map(|keep| {
            let flows = choices.of(&pairs[0]);
            let packets = ModelChoice {
                network_model: Some(PACKET.to_owned()),
                packet: choices.base.packet.clone(),
                ..packet_refusals::without_factors(&flows)
            };
            (keep, packets)
        });
        let listed = |pair: &Pair<'_>| {
            let choice = choices.of(pair);
            let built = choice.build().map_err(|error| {
                // Command-line values have already been checked.
                let key = error.option.replace('-', "_");
                let (at, entry) = pair.entry;
                match pair.table {
                    Some((number, _)) if key == "collectives" => source.at(&[Key("collectives"), Item(number)], error),
                    _ if entry.name.is_some() && (key == "network_model" || error.key() == Some("packet")) => {
                        source.at(&[Key("models"), Item(at)], error)
                    }
                    _ => source.at(&[Key("model"), Key(error.key().unwrap_or(&key))], error),
                }
            })?;
            Ok(ListedModel { name: pair.entry.1.name.clone(), choice, built })
        };
        Ok(Self {
            listed: pairs.iter().map(listed).collect::<Result<_, StudyError>>()?,
            several_tables: tables.len() > 1,
            sample,
            not_modelled,
        })
    }

    /// Returns the model of the first setting.
    pub fn first(&self) -> &ListedModel {
        &self.listed[0]
    }
}

impl Choices<'_> {
    /// Returns the choice of an entry with a table.
    fn of(&self, pair: &Pair<'_>) -> ModelChoice {
        let (_, entry) = pair.entry;
        let named = match &entry.of_file {
            Some(own) => own.network_model.clone(),
            None => entry.name.clone().or_else(|| self.base.network_model.clone()),
        };
        // A model of the site comes with its constants, where a check alone names it.
        let of_site = self.base.site.as_ref().and_then(|site| site.network_model.as_ref());
        let is_of_site = self.base.network_model.is_none() && self.file.models.is_none() && named.as_ref() == of_site;
        // Constants of packets apply only to the models of the list that have packets.
        let has_packets = match entry.name {
            Some(_) => entry.has_packets(),
            None => !self.sampled,
        };
        let base = entry.of_file.as_ref().map_or_else(|| self.base.clone(), |own| own.clone().over(&self.base));
        // Constants that the study sets for another model do not apply to the model that a check adds.
        let base = match self.added && has_packets && entry.name.is_some() {
            true => packet_refusals::without_factors(&base),
            false => base,
        };
        ModelChoice {
            network_model: named.filter(|_| !is_of_site),
            collectives: pair.table.map(|(_, name)| name.to_owned()).or_else(|| base.collectives.clone()),
            packet: base.packet.clone().filter(|_| has_packets),
            ..base
        }
    }
}

/// Returns the tables of collectives; one entry without a name if the study has no list of them.
fn tables(
    source: &Source,
    file: &StudyFile,
    overrides: &Overrides,
    folder: &Path,
) -> Result<Vec<Option<String>>, StudyError> {
    if file.collectives.is_some() && file.model.collectives.is_some() {
        let message = "only one of collectives and collectives in [model] can say which tables are used";
        return Err(source.wrong(&[Key("collectives")], message.to_owned()));
    }
    check_list(source, "collectives", file.collectives.as_deref())?;
    Ok(match file.collectives.as_ref().filter(|_| overrides.model.collectives.is_none()) {
        Some(tables) => tables.iter().map(|name| Some(CollectiveTable::in_folder(name.clone(), folder))).collect(),
        None => vec![None],
    })
}

/// Returns the entries of the list of models, with the files that they name.
fn entries(
    source: &Source,
    file: &StudyFile,
    overrides: &Overrides,
    folder: &Path,
) -> Result<Vec<ModelEntry>, StudyError> {
    if file.models.is_some() && file.model.network_model.is_some() {
        let message = "only one of models and network_model in [model] can say which models are used";
        return Err(source.wrong(&[Key("models")], message.to_owned()));
    }
    check_list(source, "models", file.models.as_deref())?;
    let Some(names) = file.models.as_ref().filter(|_| overrides.model.network_model.is_none()) else {
        return Ok(vec![ModelEntry { name: None, of_file: None }]);
    };
    let entry = |(at, name): (usize, &String)| {
        let of_file = match model_file::is_file_name(name) {
            true => model_file::read(&folder.join(name)).map(Some),
            false => Ok(None),
        };
        let of_file = of_file.map_err(|error| source.at(&[Key("models"), Item(at)], Box::new(error)))?;
        Ok(ModelEntry { name: Some(name.clone()), of_file })
    };
    names.iter().enumerate().map(entry).collect()
}

/// Returns the number of iterations that a check repeats with packets; `None` if there is no check, or one of whole
/// runs.
fn iterations(file: &StudyFile, overrides: &Overrides) -> Option<usize> {
    overrides
        .check_iterations
        .or(file.check.filter(|check| check.packets != Some(false)).and_then(|check| check.iterations))
}

/// Returns whether a check repeats whole replays with packets.
fn checks_whole_replays(file: &StudyFile, overrides: &Overrides) -> bool {
    (overrides.cross_check || file.check.is_some_and(|check| check.packets == Some(true)))
        && iterations(file, overrides).is_none()
}

/// Adds packets to the network models if they are not among them, and flows if packets are all that there is; `true` if it
/// has added packets. `choice` has the model of a study without a list of them.
fn with_packets(choice: &ModelChoice, mut entries: Vec<ModelEntry>) -> (Vec<ModelEntry>, bool) {
    let default = || choice.default_network_model().to_owned();
    if entries.iter().all(|entry| entry.name.is_none()) {
        let of_site = choice.site.as_ref().and_then(|site| site.network_model.clone());
        let of_site = of_site.filter(|_| !choice.reproduces_simgrid());
        entries = vec![ModelEntry::named(choice.network_model.clone().or(of_site).unwrap_or_else(default))];
    }
    let count = entries.iter().filter(|entry| entry.has_packets()).count();
    if count == entries.len() {
        // Packets alone have nothing to be compared with.
        entries.insert(0, ModelEntry::named(default()));
    }
    if count == 0 {
        entries.push(ModelEntry::named(PACKET.to_owned()));
    }
    (entries, count == 0)
}
