//! The parts of a study file other than networks and workloads, checked and combined with the command line.

use super::choice::{CollectiveTable, ModelChoice};
use super::description::ModelDescription;
use super::error::StudyError;
use super::failures::{self, FailureState};
use super::file::StudyFile;
use super::model_file;
use super::network::NetworkChoice;
use super::overrides::Overrides;
use super::packet_choice::{PACKET, has_packets};
use super::packet_refusals;
use super::placement::Placement;
use super::procurement::{self, Budget, BudgetChoice};
use super::source::Source;
use super::toml_file::PathStep::{Item, Key};
use crate::cost::PriceList;
use crate::engine::Model;
use crate::printable;
use crate::routing::RoutingSpec;
use std::path::{Path, PathBuf};

/// Entry of `routings` for the rule that a network has without that list.
pub(super) const DEFAULT_ROUTING: &str = "default";

/// Largest number of repetitions of a study.
const MOST_REPETITIONS: u32 = 10_000;

/// Settings of a study as a whole.
pub(super) struct Axes {
    pub folder: PathBuf,
    pub common: NetworkChoice,
    /// Seeds of the repetitions; without repetitions one entry, which may be `None`.
    pub seeds: Vec<Option<u64>>,
    /// Names and choices; one entry without a name if the study has no such axis.
    pub platforms: Vec<(Option<String>, NetworkChoice)>,
    /// Routing rules; one entry without a name if the study has no such axis.
    pub routings: Vec<Option<String>>,
    /// The intact state, and one for each level of failures; one state without a name if the study has no failures.
    pub states: Vec<FailureState>,
    pub placements: Vec<Placement>,
    /// Folder to which the files of placements are relative.
    pub placement_folder: PathBuf,
    pub models: Vec<(Model, ModelDescription)>,
    /// Name of each network model, if the study has a list of them.
    pub model_names: Vec<Option<String>>,
    /// `true` if the models differ in their tables of collectives.
    pub several_tables: bool,
    pub choices: Vec<ModelChoice>,
    /// Number of iterations of a check, and its model with packets.
    pub sample: Option<(usize, ModelChoice)>,
    /// Models that are omitted, and the reasons.
    pub not_modelled: Vec<String>,
}

/// Weights of workloads; beyond them, sums would leave the range of floats.
const WEIGHTS: std::ops::RangeInclusive<f64> = 1e-9..=1e9;

/// The way in which jobs get their hosts.
const PLACED: &str = "`hosts` of a job and `allocation` place them";

/// Checks that a placement of the command line has ranks to place.
pub(super) fn check_placement(file: &StudyFile, overrides: &Overrides) -> Result<(), StudyError> {
    if overrides.placement.is_given() && file.workloads.is_empty() && !file.jobs.is_empty() {
        let text = format!(
            "--mapping, --hostfile and --rankfile are for [[workloads]], and the study has [[jobs]] only: {PLACED}"
        );
        return Err(StudyError::Contradiction(text));
    }
    Ok(())
}

/// Checks values that do not depend on other files.
pub(super) fn check_numbers(source: &Source, file: &StudyFile) -> Result<(), StudyError> {
    for (number, workload) in file.workloads.iter().enumerate() {
        if let Some(weight) = workload.weight
            && !WEIGHTS.contains(&weight)
        {
            let message = format!(
                "weight {} of workload `{}` is not from 1e-9 to 1e9",
                printable::number(weight),
                workload.label()
            );
            return Err(source.wrong(&[Key("workloads"), Item(number), Key("weight")], message));
        }
    }
    for (name, limit) in file.budget.iter().flat_map(BudgetChoice::numbers) {
        if let Some(limit) = limit
            && !(limit.is_finite() && limit >= 0.0)
        {
            let message = format!("budget: {name} = {limit} is not a number, zero or more");
            return Err(source.wrong(&[Key("budget"), Key(name)], message));
        }
    }
    if file.jobs.is_empty() {
        let given = [("allocation", file.allocation.is_some()), ("share_hosts", file.share_hosts)];
        if let Some((key, _)) = given.into_iter().find(|(_, given)| *given) {
            return Err(source.wrong(&[Key(key)], format!("{key} is for [[jobs]], and the study has none")));
        }
    } else if file.workloads.is_empty() {
        let given = [
            ("mapping", file.mapping.is_some()),
            ("mappings", file.mappings.is_some()),
            ("hostfile", file.hostfile.is_some()),
            ("rankfile", file.rankfile.is_some()),
        ];
        if let Some((key, _)) = given.into_iter().find(|(_, given)| *given) {
            return Err(source
                .wrong(&[Key(key)], format!("{key} is for [[workloads]], and the study has [[jobs]] only: {PLACED}")));
        }
    }
    if let Some((name, value, rule)) = file.budget.as_ref().and_then(BudgetChoice::out_of_range) {
        return Err(source.wrong(&[Key("budget"), Key(name)], format!("budget: {name} = {value} is not {rule}")));
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

/// Reads the price list and checks quoted prices. There is a budget, possibly without limits, if the study or the
/// command line has any prices.
pub(super) fn budget(
    source: &Source,
    file: &StudyFile,
    overrides: &Overrides,
    axes: &Axes,
) -> Result<(Option<Budget>, PriceList), StudyError> {
    let choice = file.budget.clone().unwrap_or_default();
    if choice.dollars.is_some() && choice.price.is_some() {
        let rule = "price and dollars are the same limit; give one of them";
        return Err(source.wrong(&[Key("budget"), Key("price")], rule.to_owned()));
    }
    let mut prices = match (&overrides.prices, &choice.prices) {
        (Some(prices), _) => prices.clone(),
        (None, Some(list)) => procurement::read_prices(&axes.folder.join(list))
            .map_err(|error| source.at(&[Key("budget"), Key("prices")], Box::new(error)))?,
        (None, None) => overrides.prices_of_site.clone().unwrap_or_default(),
    };
    prices.ownership =
        choice.ownership(prices.ownership).map_err(|rule| source.wrong(&[Key("budget")], rule.to_owned()))?;
    for (number, network) in file.networks.iter().enumerate() {
        for (key, quoted) in [("price", &network.price), ("watts", &network.watts)] {
            let known = |name: &&str| axes.platforms.iter().any(|(platform, _)| platform.as_deref() == Some(*name));
            if let Some(name) = quoted.iter().flat_map(|quoted| quoted.platforms()).find(|name| !known(name)) {
                let message = format!("{key}: the study has no platform `{name}`");
                let way = [Key(key), Key(name)];
                return Err(source.in_network(number, &way, &[], StudyError::Contradiction(message)));
            }
            let each = quoted.iter().filter(|quoted| quoted.platforms().next().is_some());
            let lacks = |name: &&&str| each.clone().any(|quoted| quoted.on(Some(**name)).is_none());
            let names: Vec<&str> = axes.platforms.iter().filter_map(|(platform, _)| platform.as_deref()).collect();
            if let Some(name) = names.iter().find(lacks) {
                let message = format!(
                    "{key}: platform `{name}` has none; quote all platforms, or leave {key} to the price list for all"
                );
                return Err(source.in_network(number, &[Key(key)], &[], StudyError::Contradiction(message)));
            }
        }
    }
    let quoted = file.networks.iter().any(|network| network.price.is_some() || network.watts.is_some());
    let wanted = file.budget.is_some() || overrides.prices.is_some() || quoted;
    Ok((wanted.then(|| choice.limits()), prices))
}

/// A network model and a table of collectives, each with its place in the study's list.
type Pair<'a> = (Option<(usize, &'a String)>, Option<(usize, &'a String)>);

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
fn with_packets(choice: &ModelChoice, mut models: Vec<Option<String>>) -> (Vec<Option<String>>, bool) {
    let default = || choice.default_network_model().to_owned();
    if models == [None] {
        let of_site = choice.site.as_ref().and_then(|site| site.network_model.clone());
        let of_site = of_site.filter(|_| !choice.reproduces_simgrid());
        models = vec![Some(choice.network_model.clone().or(of_site).unwrap_or_else(default))];
    }
    let count = models.iter().flatten().filter(|name| has_packets(name)).count();
    if count == models.len() {
        // Packets alone have nothing to be compared with.
        models.insert(0, Some(default()));
    }
    if count == 0 {
        models.push(Some(PACKET.to_owned()));
    }
    (models, count == 0)
}

/// Checks the axes and combines them with the command line.
pub(super) fn axes(source: &Source, file: &StudyFile, overrides: &Overrides) -> Result<Axes, StudyError> {
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
        Some(tables) if overrides.model.collectives.is_none() => {
            tables.iter().map(|name| Some(CollectiveTable::in_folder(name.clone(), &folder))).collect()
        }
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
    let networks: Vec<Option<String>> = match &file.models {
        Some(_) if file.model.network_model.is_some() => {
            let message = "only one of models and network_model in [model] can say which models are used";
            return Err(wrong("models", message));
        }
        Some(names) if overrides.model.network_model.is_none() => names.iter().cloned().map(Some).collect(),
        _ => vec![None],
    };
    let base = ModelChoice {
        defaults: overrides.network.defaults.or(file.defaults),
        ..overrides.model.clone().over(&file.model)
    };
    let (networks, added) = match checks_whole_replays(file, overrides) {
        true => with_packets(&base, networks),
        false => (networks, false),
    };
    let sample = iterations(file, overrides);
    if sample.is_some() && networks.iter().flatten().chain(&base.network_model).any(|name| has_packets(name)) {
        let message = "a check of some iterations repeats them with packets; leave packets out of the models";
        return Err(wrong("check", message));
    }
    for (list, names) in [
        ("routings", &routing_names),
        ("mappings", &file.mappings),
        ("collectives", &file.collectives),
        ("models", &file.models),
    ] {
        let Some(names) = names else { continue };
        if names.is_empty() {
            return Err(wrong(list, &format!("{list} is an empty list")));
        }
        if let Some((second, name)) = repeated(names.iter().map(String::as_str)) {
            return Err(source.wrong(&[Key(list), Item(second)], format!("`{name}` stands in {list} twice")));
        }
    }
    // Models of files come with their constants.
    let read = |(at, name): (usize, &Option<String>)| {
        let Some(name) = name.as_deref().filter(|name| model_file::is_file_name(name)) else { return Ok(None) };
        let own = model_file::read(&folder.join(name));
        own.map(Some).map_err(|error| source.at(&[Key("models"), Item(at)], Box::new(error)))
    };
    let of_files: Vec<Option<ModelChoice>> =
        networks.iter().enumerate().map(read).collect::<Result<_, StudyError>>()?;
    // Model by model, and the tables of each.
    let pairs: Vec<Pair<'_>> = networks
        .iter()
        .enumerate()
        .flat_map(|(m, network)| {
            let network = network.as_ref().map(|name| (m, name));
            tables.iter().enumerate().map(move |(t, table)| (network, table.as_ref().map(|name| (t, name))))
        })
        .collect();
    let choice = |(network, table): &Pair<'_>| {
        let of_file = network.and_then(|(at, _)| of_files[at].as_ref());
        let named = match of_file {
            Some(own) => own.network_model.clone(),
            None => network.map(|(_, name)| name.clone()).or_else(|| base.network_model.clone()),
        };
        // A model of the site comes with its constants, where a check alone names it.
        let of_site = base.site.as_ref().and_then(|site| site.network_model.as_ref());
        let is_of_site = base.network_model.is_none() && file.models.is_none() && named.as_ref() == of_site;
        let network_model = named.filter(|_| !is_of_site);
        // Constants of packets apply only to the models of the list that have packets.
        let has_packets = network.map_or(sample.is_none(), |(_, name)| has_packets(name));
        let base = &of_file.map_or_else(|| base.clone(), |own| own.clone().over(&base));
        // Constants that the study sets for another model do not apply to the model that a check adds.
        let base =
            if added && has_packets && network.is_some() { &packet_refusals::without_factors(base) } else { base };
        ModelChoice {
            network_model,
            collectives: table.map(|(_, name)| name.clone()).or_else(|| base.collectives.clone()),
            packet: base.packet.clone().filter(|_| has_packets),
            ..base.clone()
        }
    };
    // Among several models, an impossible one is omitted.
    let mut not_modelled = Vec::new();
    let mut is_possible = |pair: &Pair<'_>| {
        let Some((_, name)) = pair.0.filter(|(_, name)| has_packets(name) && networks.len() > 1) else { return true };
        let refused = packet_refusals::refuse_factors(&choice(pair));
        not_modelled.extend(refused.as_ref().err().map(|error| format!("{name}: not modelled: {error}")));
        refused.is_ok()
    };
    let possible: Vec<Pair<'_>> = pairs.iter().copied().filter(|pair| is_possible(pair)).collect();
    let pairs = if possible.is_empty() { pairs } else { possible };
    let model = |pair: &Pair<'_>| {
        choice(pair).build().map_err(|error| {
            // Command-line values have already been checked.
            let key = error.option.replace('-', "_");
            match *pair {
                (_, Some((number, _))) if key == "collectives" => source.at(&[Key("collectives"), Item(number)], error),
                (Some((number, _)), _) if key == "network_model" || error.key() == Some("packet") => {
                    source.at(&[Key("models"), Item(number)], error)
                }
                _ => source.at(&[Key("model"), Key(error.key().unwrap_or(&key))], error),
            }
        })
    };
    Ok(Axes {
        folder,
        common: NetworkChoice { defaults: file.network.defaults.or(file.defaults), ..file.network.clone() },
        seeds,
        platforms,
        routings,
        states: failures::states(source, file)?,
        placements,
        placement_folder,
        choices: pairs.iter().map(choice).collect(),
        model_names: pairs.iter().map(|(network, _)| network.map(|(_, name)| name.clone())).collect(),
        several_tables: tables.len() > 1,
        sample: sample.map(|keep| {
            let flows = choice(&pairs[0]);
            let packet = base.packet.clone();
            (
                keep,
                ModelChoice {
                    network_model: Some(PACKET.to_owned()),
                    packet,
                    ..packet_refusals::without_factors(&flows)
                },
            )
        }),
        not_modelled,
        models: pairs.iter().map(model).collect::<Result<_, StudyError>>()?,
    })
}

/// Returns the first name that occurs twice, and the index of its second occurrence.
pub(super) fn repeated<'a>(names: impl Iterator<Item = &'a str>) -> Option<(usize, &'a str)> {
    let mut seen = std::collections::BTreeSet::new();
    names.enumerate().find(|&(_, name)| !seen.insert(name))
}
