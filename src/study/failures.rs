//! Failures of cables and switches in studies: networks that are intact, damaged by several seeds, or made smaller
//! evenly.
//!
//! A study contains each network three times for each level of failures. *Intact* is the network as it is. *Failed* is
//! the network of family `damaged`, once for each seed; its routes are made for the damaged network, or only repaired.
//! *Even* is the intact network in which all cables between switches have lost the same share of their bandwidth, such
//! that the total loss equals the mean loss by failures: a smaller network of the same kind. The slowdown by failures
//! in excess of that by the even loss is the effect of losing single cables.

use super::error::StudyError;
use super::failure_choice::{Failed, FailureChoice};
use super::file::StudyFile;
use super::network::NetworkChoice;
use super::source::Source;
use super::toml_file::{PathStep, PathStep::Item, PathStep::Key};
use super::toml_words::in_words;
use crate::routing::{self, RoutingSpec};
use crate::topology::damage::{Amount, Damage, RULE};

/// Largest number of seeds of failures.
const MOST_SEEDS: u32 = 10_000;
/// Largest number of levels of failures.
const MOST_LEVELS: usize = 100;

/// Level of failures, checked.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FailureLevel {
    /// Description, such as `without 1% of cables`.
    name: String,
    damage: Damage,
    repaired: bool,
    seeds: u32,
}

/// A state of the networks: number of the level, if any, and the description in the setting.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FailureState {
    pub level: Option<(usize, FailureLevel)>,
    pub failed: Option<Failed>,
}

/// Reads `failures` and `degraded`; returns one state without a name if the study has neither.
pub(super) fn states(source: &Source, file: &StudyFile) -> Result<Vec<FailureState>, StudyError> {
    let levels = levels(source, file)?;
    if levels.is_empty() {
        return Ok(vec![FailureState { level: None, failed: None }]);
    }
    let intact = FailureState { level: None, failed: Some(Failed::Intact) };
    let of_level = levels.into_iter().enumerate().flat_map(|(number, level)| {
        let name = || level.name.clone();
        [Failed::Damaged(name()), Failed::Even(name())]
            .map(|failed| FailureState { level: Some((number, level.clone())), failed: Some(failed) })
    });
    Ok([intact].into_iter().chain(of_level).collect())
}

fn levels(source: &Source, file: &StudyFile) -> Result<Vec<FailureLevel>, StudyError> {
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
    let entries: Vec<(FailureChoice, Vec<PathStep<'_>>)> = match (&file.failures, &file.degraded) {
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
            let read = |(value, way): (toml::Value, Vec<PathStep<'static>>)| {
                if !value.is_table() {
                    let rule = "failures is a table such as { cables = \"1 %\" }, or a list of tables";
                    return Err(source.wrong(&way, rule.to_owned()));
                }
                match value.try_into::<FailureChoice>() {
                    Ok(choice) => Ok((choice, way)),
                    Err(error) => Err(source.wrong(&way, format!("failures: {}", in_words(error.message())))),
                }
            };
            list.into_iter().map(read).collect::<Result<_, StudyError>>()?
        }
    };
    let mut levels: Vec<FailureLevel> = Vec::with_capacity(entries.len());
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
    way: &[PathStep<'_>],
) -> Result<FailureLevel, StudyError> {
    let wrong = |key: &'static str, rule: String| {
        let way: Vec<PathStep<'_>> = way.iter().copied().chain([Key(key)]).collect();
        Err(source.wrong(&way, format!("failures: {rule}")))
    };
    let read = |key: &'static str, value: &Option<toml::Value>| {
        let way: Vec<PathStep<'_>> = way.iter().copied().chain([Key(key)]).collect();
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
    Ok(FailureLevel { name, damage, repaired, seeds: seeds.max(repetitions) })
}

fn amount(source: &Source, way: &[PathStep<'_>], value: &toml::Value) -> Result<Amount, StudyError> {
    let amount = match value {
        toml::Value::Integer(count) => u64::try_from(*count).map(Amount::Count).map_err(|_| RULE),
        toml::Value::String(text) => text.parse(),
        _ => Err(RULE),
    };
    amount.map_err(|rule| source.wrong(way, format!("`{value}`: {rule}")))
}

impl FailureLevel {
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
            (false, Some(rule)) if rule.kind.needs_whole_network() && !self.is_degraded_only() => None,
            (false, _) => choice.routing.clone(),
        };
        Ok(NetworkChoice { damage, routing, ..choice.clone() })
    }
}
