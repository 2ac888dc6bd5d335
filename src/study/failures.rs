//! Failures of cables and switches in studies: networks that are intact, damaged by several seeds, or made smaller
//! evenly.
//!
//! A study contains each network three times for each level of failures. *Intact* is the network as it is. *Failed* is
//! the network of family `damaged`, once for each seed; its routes are made for the damaged network, or only repaired.
//! *Even* is the intact network in which all cables between switches have lost the same share of their bandwidth, such
//! that the total loss equals the mean loss by failures: a smaller network of the same kind. The slowdown by failures
//! in excess of that by the even loss is the effect of losing single cables.

use super::comparison::Comparison;
use super::error::StudyError;
use super::file::StudyFile;
use super::mean;
use super::network::NetworkChoice;
use super::plan::Setting;
use super::source::Source;
use super::statistics::Statistic;
use super::toml_file::{Step, Step::Item, Step::Key};
use crate::routing::{self, RoutingSpec};
use crate::topology::damage::{Amount, Damage, RULE};
use serde::Deserialize;

/// Largest number of seeds of failures.
const MOST_SEEDS: u32 = 10_000;
/// Largest number of levels of failures.
const MOST_LEVELS: usize = 100;

/// Cables and switches that fail, as written in a study: one entry of `failures`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FailureChoice {
    /// Cables: a number, or a share such as `1 %`.
    cables: Option<toml::Value>,
    /// Switches, with their cables and hosts.
    switches: Option<toml::Value>,
    /// Number of seeds, from that of the study on; default: 10.
    seeds: Option<u32>,
    /// `remade` (default) or `repaired`.
    routes: Option<String>,
}

/// Cables that become slower, as written in a study.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DegradedChoice {
    /// Cables: a number, or a share such as `2 %`.
    cables: toml::Value,
    /// Remaining share of their bandwidth, such as `50 %`.
    bandwidth: toml::Value,
    /// Number of seeds, if the study has no `failures`; default: 10.
    seeds: Option<u32>,
    /// `remade` (default) or `repaired`, if the study has no `failures`.
    routes: Option<String>,
}

/// Level of failures, checked.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Level {
    /// Description, such as `without 1% of cables`.
    name: String,
    damage: Damage,
    repaired: bool,
    seeds: u32,
}

/// State of a network in a setting of a study with failures.
#[derive(Debug, Clone, PartialEq)]
pub enum Failed {
    /// The network without failures.
    Intact,
    /// The network with failures, which are described in words.
    Damaged(String),
    /// The network with all cables slower by the same loss; the failures of the damaged network are described in words.
    Even(String),
}

impl Failed {
    /// Returns the name for reports.
    pub fn name(&self) -> String {
        match self {
            Self::Intact => "intact".to_owned(),
            Self::Damaged(level) => level.clone(),
            Self::Even(level) => format!("evenly {level}"),
        }
    }
}

/// A state of the networks: number of the level, if any, and the description in the setting.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct State {
    pub level: Option<(usize, Level)>,
    pub failed: Option<Failed>,
}

/// Reads `failures` and `degraded`; returns one state without a name if the study has neither.
pub(super) fn states(source: &Source, file: &StudyFile) -> Result<Vec<State>, StudyError> {
    let levels = levels(source, file)?;
    if levels.is_empty() {
        return Ok(vec![State { level: None, failed: None }]);
    }
    let intact = State { level: None, failed: Some(Failed::Intact) };
    let of_level = levels.into_iter().enumerate().flat_map(|(number, level)| {
        let name = || level.name.clone();
        [Failed::Damaged(name()), Failed::Even(name())]
            .map(|failed| State { level: Some((number, level.clone())), failed: Some(failed) })
    });
    Ok([intact].into_iter().chain(of_level).collect())
}

fn levels(source: &Source, file: &StudyFile) -> Result<Vec<Level>, StudyError> {
    let degraded = match &file.degraded {
        None => None,
        Some(choice) => {
            let way = |key| [Key("degraded"), Key(key)];
            let cables = amount(source, &way("cables"), &choice.cables)?;
            let bandwidth = amount(source, &way("bandwidth"), &choice.bandwidth)?;
            if !matches!(bandwidth, Amount::Share(share) if share > 0.0 && share < 1.0) {
                let rule = "degraded: bandwidth is the share that is left, such as `50 %`";
                return Err(source.wrong(&way("bandwidth"), rule.to_owned()));
            }
            if cables.is_zero() {
                return Err(source.wrong(&way("cables"), "degraded: no cable becomes slower".to_owned()));
            }
            Some((cables, bandwidth))
        }
    };
    let entries: Vec<(FailureChoice, Vec<Step<'_>>)> = match (&file.failures, &file.degraded) {
        (None, None) => return Ok(Vec::new()),
        (None, Some(choice)) => {
            let own = FailureChoice { seeds: choice.seeds, routes: choice.routes.clone(), ..FailureChoice::default() };
            vec![(own, vec![Key("degraded")])]
        }
        (Some(_), Some(choice)) if choice.seeds.is_some() || choice.routes.is_some() => {
            let rule = "degraded: seeds and routes are those of failures, where the study has both";
            return Err(source.wrong(&[Key("degraded")], rule.to_owned()));
        }
        (Some(value), _) => {
            let list = match value {
                toml::Value::Array(list) => {
                    list.iter().cloned().enumerate().map(|(i, v)| (v, vec![Key("failures"), Item(i)])).collect()
                }
                one => vec![(one.clone(), vec![Key("failures")])],
            };
            if list.is_empty() || list.len() > MOST_LEVELS {
                let rule = format!("failures has {} entries, and may have 1 to {MOST_LEVELS}", list.len());
                return Err(source.wrong(&[Key("failures")], rule));
            }
            let read = |(value, way): (toml::Value, Vec<Step<'static>>)| {
                if !value.is_table() {
                    let rule = "failures is a table such as { cables = \"1 %\" }, or a list of tables";
                    return Err(source.wrong(&way, rule.to_owned()));
                }
                match value.try_into::<FailureChoice>() {
                    Ok(choice) => Ok((choice, way)),
                    Err(error) => Err(source.wrong(&way, format!("failures: {}", error.message()))),
                }
            };
            list.into_iter().map(read).collect::<Result<_, StudyError>>()?
        }
    };
    let mut levels: Vec<Level> = Vec::with_capacity(entries.len());
    for (choice, way) in entries {
        let level = level(source, &choice, degraded, file, &way)?;
        if levels.iter().any(|known| known.name == level.name) {
            return Err(source.wrong(&way, format!("failures: `{}` is given twice", level.name)));
        }
        levels.push(level);
    }
    Ok(levels)
}

fn level(
    source: &Source,
    choice: &FailureChoice,
    degraded: Option<(Amount, Amount)>,
    file: &StudyFile,
    way: &[Step<'_>],
) -> Result<Level, StudyError> {
    let wrong = |key: &'static str, rule: String| {
        let way: Vec<Step<'_>> = way.iter().copied().chain([Key(key)]).collect();
        Err(source.wrong(&way, format!("failures: {rule}")))
    };
    let read = |key: &'static str, value: &Option<toml::Value>| {
        let way: Vec<Step<'_>> = way.iter().copied().chain([Key(key)]).collect();
        let amount = value.as_ref().map(|value| amount(source, &way, value)).transpose()?;
        Ok::<_, StudyError>(amount.filter(|amount| !amount.is_zero()))
    };
    let (cables, switches) = (read("cables", &choice.cables)?, read("switches", &choice.switches)?);
    let damage = Damage { cables, switches, degraded, ..Damage::default() };
    if damage.is_none() {
        return Err(source.wrong(way, "failures: nothing fails; give cables or switches".to_owned()));
    }
    let seeds = choice.seeds.unwrap_or(10);
    if !(1..=MOST_SEEDS).contains(&seeds) {
        return wrong("seeds", format!("seeds = {seeds} is not from 1 to {MOST_SEEDS}"));
    }
    // Each repetition of a random network has its own failures.
    let repetitions = file.repetitions.unwrap_or(file.seeds.as_ref().map_or(1, |seeds| seeds.len() as u32));
    let repaired = match choice.routes.as_deref() {
        None | Some("remade") => false,
        Some("repaired") => true,
        Some(other) => return wrong("routes", format!("routes = `{other}` is neither `remade` nor `repaired`")),
    };
    let of = |amount: Amount, what: &str| match amount {
        Amount::Count(1) => format!("1 {what}"),
        Amount::Count(count) => format!("{count} {what}{}", if what.ends_with("ch") { "es" } else { "s" }),
        share => format!("{share} of {what}{}", if what.ends_with("ch") { "es" } else { "s" }),
    };
    let parts = [cables.map(|amount| of(amount, "cable")), switches.map(|amount| of(amount, "switch"))];
    let failed = parts.into_iter().flatten().collect::<Vec<_>>().join(" and ");
    let failed = (!failed.is_empty()).then(|| format!("without {failed}"));
    let slower = degraded.map(|(cables, left)| format!("with {} at {left} of their bandwidth", of(cables, "cable")));
    let mut name = failed.into_iter().chain(slower).collect::<Vec<_>>().join(" and ");
    if repaired {
        name.push_str(" (routes repaired)");
    }
    Ok(Level { name, damage, repaired, seeds: seeds.max(repetitions) })
}

fn amount(source: &Source, way: &[Step<'_>], value: &toml::Value) -> Result<Amount, StudyError> {
    let amount = match value {
        toml::Value::Integer(count) => u64::try_from(*count).map(Amount::Count).map_err(|_| RULE),
        toml::Value::String(text) => text.parse(),
        _ => Err(RULE),
    };
    amount.map_err(|rule| source.wrong(way, format!("`{value}`: {rule}")))
}

impl Level {
    /// Returns `true` if no cable and no switch fails.
    pub(super) fn is_degraded_only(&self) -> bool {
        self.damage.cables.is_none() && self.damage.switches.is_none()
    }

    /// Returns the seeds of the failures.
    pub(super) fn seeds(&self, first: Option<u64>) -> Vec<u64> {
        (0..u64::from(self.seeds)).map(|k| first.unwrap_or(1).wrapping_add(k)).collect()
    }

    /// Returns a network with failures.
    ///
    /// # Errors
    /// A sentence, if its routes cannot be repaired.
    pub(super) fn applied(&self, choice: &NetworkChoice, seed: u64) -> Result<NetworkChoice, String> {
        let damage = Some(Damage { seed: Some(seed), ..self.damage.clone() });
        // Planes may have rules of their own.
        let rules = choice.routing.iter().flat_map(|rules| rules.split(';'));
        let rules: Vec<RoutingSpec> = rules.filter_map(|rule| rule.parse().ok()).collect();
        if self.repaired && rules.len() > 1 {
            return Err(format!(
                "routes by `{}` cannot be repaired: planes have rules of their own",
                RoutingSpec::text_of(&rules)
            ));
        }
        let rule = rules.iter().find(|rule| rule.kind.needs_whole_network()).or(rules.first()).copied();
        let routing = match (self.repaired, rule) {
            (true, None) => Some("repaired".to_owned()),
            (true, Some(rule)) if routing::can_repair(&rule.to_string()) => {
                Some(format!("repaired:of={}", rule.kind.name))
            }
            (true, Some(rule)) => {
                return Err(format!(
                    "routes by `{rule}` cannot be repaired: they are no list of static routes without options"
                ));
            }
            // Rules based on numbers and coordinates need all cables.
            (false, Some(rule)) if rule.kind.needs_whole_network() => None,
            (false, _) => choice.routing.clone(),
        };
        Ok(NetworkChoice { damage, routing, ..choice.clone() })
    }
}

/// Effect of a level of failures with one platform, routing, mapping, table and model.
#[derive(Debug, Clone, PartialEq)]
pub struct FailureEffect {
    /// Setting of the intact networks.
    pub setting: Setting,
    /// Description of the failures.
    pub level: String,
    /// Number of seeds.
    pub seeds: usize,
    /// Networks, in the order of the study.
    pub networks: Vec<NetworkEffect>,
}

/// Effect of a level of failures on a network.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkEffect {
    /// Columns of the intact network, of the one with failures, and of the evenly smaller one.
    pub columns: [usize; 3],
    /// Slowdown of each workload: its time with failures over its time on the intact network.
    pub slowdown: Vec<Statistic>,
    /// Even slowdown of each workload: its time on the evenly smaller network over its time on the intact network.
    pub even: Vec<f64>,
    /// Weighted geometric mean of the slowdowns over the workloads.
    pub geometric: Statistic,
    /// Weighted geometric mean of the even slowdowns.
    pub geometric_even: f64,
}

/// Returns the effects of all levels; empty if a study has no failures.
pub fn effects(c: &Comparison) -> Vec<FailureEffect> {
    let settings = c.of_settings();
    let plain = |columns: &[usize]| Setting { failures: None, ..c.settings[columns[0]].clone() };
    let failed = |columns: &[usize]| c.settings[columns[0]].failures.clone();
    let mut effects = Vec::new();
    for columns in &settings {
        let Some(Failed::Damaged(level)) = failed(columns) else { continue };
        let find = |wanted: &Failed| {
            settings.iter().find(|other| plain(other) == plain(columns) && failed(other).as_ref() == Some(wanted))
        };
        let (Some(intact), Some(even)) = (find(&Failed::Intact), find(&Failed::Even(level.clone()))) else {
            continue;
        };
        let networks = columns.iter().filter_map(|&column| {
            let same = |of: &Vec<usize>| of.iter().copied().find(|&c2| c.plain_names[c2] == c.plain_names[column]);
            Some(network(c, [same(intact)?, column, same(even)?]))
        });
        effects.push(FailureEffect {
            setting: plain(columns),
            level,
            seeds: columns.iter().map(|&column| c.seeds[column].len()).max().unwrap_or(1),
            networks: networks.collect(),
        });
    }
    effects
}

fn network(c: &Comparison, columns: [usize; 3]) -> NetworkEffect {
    let times = |workload: usize, column: usize| -> Vec<f64> {
        let own = c.runs.iter().filter(|run| run.workload == workload && run.network == column);
        own.map(|run| run.record.simulated_seconds).collect()
    };
    // Repetition k with failures has the same graph as repetition k of the intact network, starting again from the
    // first if the latter has fewer.
    let ratios = |workload: usize, column: usize| -> Vec<f64> {
        let (intact, own) = (times(workload, columns[0]), times(workload, column));
        own.iter().enumerate().map(|(k, &time)| super::matrix::ratio(time, intact[k % intact.len()])).collect()
    };
    let workloads = 0..c.workloads.len();
    let of = |column: usize| -> Vec<Vec<f64>> { workloads.clone().map(|workload| ratios(workload, column)).collect() };
    let (failed, even) = (of(columns[1]), of(columns[2]));
    let over_workloads = |ratios: &[Vec<f64>]| -> Statistic {
        let repetitions = ratios.iter().map(Vec::len).min().unwrap_or(0);
        let mean =
            |k: usize| mean::geometric(&ratios.iter().map(|of| of[k]).collect::<Vec<_>>(), &c.weights).unwrap_or(1.0);
        Statistic::of(&(0..repetitions).map(mean).collect::<Vec<_>>())
    };
    NetworkEffect {
        columns,
        geometric: over_workloads(&failed),
        geometric_even: over_workloads(&even).mean,
        slowdown: failed.iter().map(|ratios| Statistic::of(ratios)).collect(),
        even: even.iter().map(|ratios| Statistic::of(ratios).mean).collect(),
    }
}
