//! The form of Open MPI 6: JSON, in which the first rule that fits applies.

use super::algorithms;
use super::operations::{OPERATIONS, operation};
use super::rules::{Parameters, RankRule, RuleFile, RuleFileError, SizeRule, Spread};
use crate::excerpt::{excerpt, excerpts_of_json};
use crate::similar::nearest;
use crate::trace::CollectiveKind;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenRules<'a> {
    #[serde(rename = "$schema", default)]
    _schema: Option<&'a RawValue>,
    #[serde(borrow)]
    rule_file_version: Option<&'a RawValue>,
    #[serde(borrow)]
    module: Option<&'a RawValue>,
    #[serde(borrow)]
    collectives: BTreeMap<String, &'a RawValue>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfRanks<'a> {
    #[serde(borrow)]
    comm_size_min: Option<&'a RawValue>,
    #[serde(borrow)]
    comm_size_max: Option<&'a RawValue>,
    #[serde(borrow)]
    comm_rank_distribution: Option<&'a RawValue>,
    #[serde(borrow)]
    rules: Vec<OfSize<'a>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfSize<'a> {
    #[serde(borrow)]
    msg_size_min: Option<&'a RawValue>,
    #[serde(borrow)]
    msg_size_max: Option<&'a RawValue>,
    #[serde(borrow)]
    alg: &'a RawValue,
    #[serde(borrow)]
    faninout: Option<&'a RawValue>,
    #[serde(borrow)]
    seg_size: Option<&'a RawValue>,
    #[serde(borrow)]
    reqs: Option<&'a RawValue>,
}

/// Text of a file, for the places of values in it.
#[derive(Clone, Copy)]
struct JsonText<'a>(&'a str);

impl<'a> JsonText<'a> {
    /// Returns the line and column of a value, or of a place in it.
    fn place(self, value: &'a RawValue) -> (usize, usize) {
        let offset = (value.get().as_ptr() as usize).saturating_sub(self.0.as_ptr() as usize).min(self.0.len());
        let before = &self.0.as_bytes()[..offset];
        let line = before.iter().filter(|&&byte| byte == b'\n').count();
        let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        (line + 1, offset - start + 1)
    }

    fn wrong(self, value: &'a RawValue, message: String) -> RuleFileError {
        let (line, column) = self.place(value);
        RuleFileError { line, column, message }
    }

    /// Parses a part of the file; places in errors are those of the file.
    fn parse<T: Deserialize<'a>>(self, value: &'a RawValue) -> Result<T, RuleFileError> {
        serde_json::from_str(value.get()).map_err(|error| {
            let (line, column) = self.place(value);
            let column = if error.line() == 1 { column + error.column().saturating_sub(1) } else { error.column() };
            RuleFileError { line: line + error.line().saturating_sub(1), column, message: excerpts_of_json(&error) }
        })
    }

    /// Returns a whole number, or the largest one for `inf`.
    fn number(self, value: Option<&'a RawValue>, missing: u64, key: &str) -> Result<u64, RuleFileError> {
        let Some(value) = value else { return Ok(missing) };
        let text = value.get();
        if ["\"inf\"", "\"Inf\"", "\"INF\""].contains(&text) {
            return Ok(u64::MAX);
        }
        text.parse().map_err(|_| {
            self.wrong(value, format!("{key} is {}, neither a whole number from 0 on nor \"inf\"", excerpt(text)))
        })
    }
}

/// Reads the text of a file.
pub(super) fn parse(text: &str) -> Result<RuleFile, RuleFileError> {
    let source = JsonText(text);
    let written: WrittenRules<'_> = serde_json::from_str(text).map_err(|error| RuleFileError {
        line: error.line().max(1),
        column: error.column().max(1),
        message: excerpts_of_json(&error),
    })?;
    if let Some(version) = written.rule_file_version.filter(|version| version.get() != "3") {
        return Err(source
            .wrong(version, format!("rule_file_version is {}; 3 is the only one in JSON", excerpt(version.get()))));
    }
    if let Some(module) = written.module.filter(|module| module.get() != "\"tuned\"") {
        return Err(
            source.wrong(module, format!("the rules are for the module {}, not \"tuned\"", excerpt(module.get())))
        );
    }
    let mut file = RuleFile::empty();
    for (name, value) in &written.collectives {
        let Some(kind) = operation(name) else {
            let near = nearest(name, OPERATIONS.iter().map(|known| known.0));
            let hint = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
            return Err(source.wrong(value, format!("there is no collective `{}`{hint}", excerpt(name))));
        };
        let sets: Vec<OfRanks<'_>> = source.parse(value)?;
        let Some(kind) = kind else { continue };
        file.operations[kind as usize] =
            sets.iter().map(|set| of_ranks(source, kind, set)).collect::<Result<_, RuleFileError>>()?;
    }
    Ok(file)
}

fn of_ranks<'a>(source: JsonText<'a>, kind: CollectiveKind, set: &OfRanks<'a>) -> Result<RankRule, RuleFileError> {
    let spread = match set.comm_rank_distribution.map(|value| (value.get(), value)) {
        None | Some(("\"any\"", _)) => Spread::Any,
        Some(("\"one-per-node\"", _)) => Spread::OnePerHost,
        Some(("\"single-node\"", _)) => Spread::OneHost,
        Some((text, value)) => {
            let names = "\"any\", \"one-per-node\" and \"single-node\"";
            return Err(source.wrong(value, format!("comm_rank_distribution is {}; values are {names}", excerpt(text))));
        }
    };
    let ranks = (
        source.number(set.comm_size_min, 0, "comm_size_min")?,
        source.number(set.comm_size_max, u64::MAX, "comm_size_max")?,
    );
    let sizes = set.rules.iter().map(|rule| of_size(source, kind, rule)).collect::<Result<_, _>>()?;
    Ok(RankRule { ranks, spread, sizes })
}

fn of_size<'a>(source: JsonText<'a>, kind: CollectiveKind, rule: &OfSize<'a>) -> Result<SizeRule, RuleFileError> {
    let known = algorithms::of(kind);
    let run = match serde_json::from_str::<String>(rule.alg.get()) {
        Ok(name) => algorithms::by_name(kind, &name),
        Err(_) => rule.alg.get().parse::<usize>().ok().and_then(|id| known.get(id)).map(|known| known.1),
    };
    let run = run.ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|known| known.0).collect();
        let text = excerpt(rule.alg.get());
        let range = format!("0 to {}, or {}", known.len() - 1, names.join(", "));
        source.wrong(rule.alg, format!("{} has no algorithm {text}; algorithms are {range}", kind.name()))
    })?;
    let parameters = Parameters {
        fan_out: source.number(rule.faninout, 0, "faninout")?,
        segment: source.number(rule.seg_size, 0, "seg_size")?,
        requests: source.number(rule.reqs, 0, "reqs")?,
    };
    let bytes = (
        source.number(rule.msg_size_min, 0, "msg_size_min")?,
        source.number(rule.msg_size_max, u64::MAX, "msg_size_max")?,
    );
    let run = run.with_fan_out(parameters.fan_out);
    Ok(SizeRule { bytes, run, tuning: parameters.tuning(run) })
}
