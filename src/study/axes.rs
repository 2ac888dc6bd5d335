//! The parts of a study file other than networks and workloads, checked and combined with the command line.

use super::error::StudyError;
use super::failures::{self, FailureState};
use super::file::StudyFile;
use super::model_list::ModelList;
use super::network::NetworkChoice;
use super::overrides::Overrides;
use super::placement::Placement;
use super::procurement::{self, Budget, BudgetChoice};
use super::source::Source;
use super::toml_file::PathStep::{Item, Key};
use crate::cost::PriceList;
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
    pub models: ModelList,
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
                return Err(source.wrong(&[Key("seeds"), Item(at)], format!("seed {seed} is in seeds twice")));
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

/// Checks the axes and combines them with the command line.
pub(super) fn axes(source: &Source, file: &StudyFile, overrides: &Overrides) -> Result<Axes, StudyError> {
    let folder = source.file.parent().unwrap_or(Path::new("")).to_owned();
    let (placements, placement_folder) = placements(source, file, overrides, &folder)?;
    let routings = routings(source, file, overrides)?;
    check_list(source, "mappings", file.mappings.as_deref())?;
    Ok(Axes {
        common: NetworkChoice { defaults: file.network.defaults.or(file.defaults), ..file.network.clone() },
        seeds: seeds(file, overrides),
        platforms: platforms(source, file)?,
        routings,
        states: failures::states(source, file)?,
        placements,
        placement_folder,
        models: ModelList::new(source, file, overrides, &folder)?,
        folder,
    })
}

/// Returns the seeds of the repetitions.
fn seeds(file: &StudyFile, overrides: &Overrides) -> Vec<Option<u64>> {
    let begin = overrides.seed.or(file.seed);
    match (&file.seeds, file.repetitions) {
        (_, Some(repetitions)) => {
            let begin = begin.unwrap_or(1);
            (0..u64::from(repetitions)).map(|k| Some(begin.wrapping_add(k))).collect()
        }
        (Some(seeds), None) if overrides.seed.is_none() => seeds.iter().copied().map(Some).collect(),
        _ => vec![begin],
    }
}

fn platforms(source: &Source, file: &StudyFile) -> Result<Vec<(Option<String>, NetworkChoice)>, StudyError> {
    let Some(entries) = &file.platforms else { return Ok(vec![(None, NetworkChoice::default())]) };
    if entries.is_empty() {
        return Err(source.wrong(&[Key("platforms")], "platforms is an empty list".to_owned()));
    }
    if let Some((second, name)) = repeated(entries.iter().map(|entry| entry.name.as_str())) {
        let message = format!("two platforms are called `{name}`; give them different names");
        return Err(source.wrong(&[Key("platforms"), Item(second), Key("name")], message));
    }
    let choice = |parameters| NetworkChoice { parameters, ..NetworkChoice::default() };
    Ok(entries.iter().map(|entry| (Some(entry.name.clone()), choice(entry.parameters.clone()))).collect())
}

/// Returns the placements, and the folder to which their files are relative.
fn placements(
    source: &Source,
    file: &StudyFile,
    overrides: &Overrides,
    folder: &Path,
) -> Result<(Vec<Placement>, PathBuf), StudyError> {
    let wrong = |key: &str, message: &str| Err(source.wrong(&[Key(key)], message.to_owned()));
    let own =
        Placement { rule: file.mapping.clone(), hostfile: file.hostfile.clone(), rankfile: file.rankfile.clone() };
    if own.is_ambiguous() {
        let key = if own.hostfile.is_some() { "hostfile" } else { "rankfile" };
        return wrong(key, "only one of mapping, hostfile and rankfile can say how ranks are placed");
    }
    if file.mappings.is_some() && own.is_given() {
        let message = "mappings says how ranks are placed; mapping, hostfile and rankfile do not go with it";
        return wrong("mappings", message);
    }
    Ok(match &file.mappings {
        _ if overrides.placement.is_given() => (vec![overrides.placement.clone()], PathBuf::new()),
        Some(rules) => {
            let placement = |rule: &String| Placement { rule: Some(rule.clone()), ..Placement::default() };
            (rules.iter().map(placement).collect(), folder.to_owned())
        }
        None => (vec![own], folder.to_owned()),
    })
}

/// Returns the routing rules. Two spellings of one rule are the same rule.
fn routings(source: &Source, file: &StudyFile, overrides: &Overrides) -> Result<Vec<Option<String>>, StudyError> {
    let Some(rules) = file.routings.as_ref().filter(|_| overrides.network.routing.is_none()) else {
        return Ok(vec![None]);
    };
    let rule = |(at, rule): (usize, &String)| match rule.trim() {
        DEFAULT_ROUTING => Ok(DEFAULT_ROUTING.to_owned()),
        rule => {
            let spec = rule.parse::<RoutingSpec>().map(|spec| spec.to_string());
            spec.map_err(|error| source.at(&[Key("routings"), Item(at)], error))
        }
    };
    let rules = rules.iter().enumerate().map(rule).collect::<Result<Vec<_>, StudyError>>()?;
    check_list(source, "routings", Some(&rules))?;
    Ok(rules.into_iter().map(Some).collect())
}

/// Checks that a list of names, if there is one, has entries, none of them twice.
pub(super) fn check_list(source: &Source, key: &str, names: Option<&[String]>) -> Result<(), StudyError> {
    let Some(names) = names else { return Ok(()) };
    if names.is_empty() {
        return Err(source.wrong(&[Key(key)], format!("{key} is an empty list")));
    }
    match repeated(names.iter().map(String::as_str)) {
        Some((second, name)) => Err(source.wrong(&[Key(key), Item(second)], format!("`{name}` is in {key} twice"))),
        None => Ok(()),
    }
}

/// Returns the first name that occurs twice, and the index of its second occurrence.
pub(super) fn repeated<'a>(names: impl Iterator<Item = &'a str>) -> Option<(usize, &'a str)> {
    let mut seen = std::collections::BTreeSet::new();
    names.enumerate().find(|&(_, name)| !seen.insert(name))
}
