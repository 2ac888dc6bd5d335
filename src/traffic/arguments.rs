//! Patterns as text: `name`, `name:value,...` or `name:parameter=value,...`.

use super::error::TrafficError;
use super::pattern::PatternKind;
use crate::similar::{did_you_mean, nearest};

/// Boolean parameters: one without a value is `true`.
const FLAGS: &[&str] = &["exclude_self"];

/// Other names of parameters.
const ALIASES: &[(&str, &str)] = &[("list", "nodes")];

/// Parameters of a pattern as given.
pub(super) struct PatternArguments<'a> {
    whole: &'a str,
    kind: &'static PatternKind,
    given: Vec<(&'static str, &'a str)>,
}

impl<'a> PatternArguments<'a> {
    /// Reads the parameters of a pattern, which follow its name.
    pub fn of(text: &'a str, kind: &'static PatternKind) -> Result<Self, TrafficError> {
        let rest = text.split_once(':').map_or("", |(_, rest)| rest);
        let mut arguments = Self { whole: text, kind, given: Vec::new() };
        // A file name may contain any character.
        let items = if kind.parameters == ["path"] && !rest.is_empty() { vec![rest] } else { split(rest) };
        for (position, item) in items.into_iter().enumerate() {
            let named = item
                .split_once('=')
                .filter(|(name, _)| kind.parameters != ["path"] || name.trim().eq_ignore_ascii_case("path"));
            let flag = arguments.parameter(item).ok().filter(|name| FLAGS.contains(name));
            let (parameter, value) = match (named, flag) {
                (Some((name, value)), _) => (arguments.parameter(name)?, value.trim()),
                (None, Some(flag)) => (flag, "true"),
                (None, None) => match kind.parameters.get(position) {
                    Some(parameter) => (*parameter, item.trim()),
                    None => return Err(arguments.invalid(format!("`{item}` is one value too many{}", known(kind)))),
                },
            };
            if value.is_empty() {
                return Err(arguments.invalid(format!("`{parameter}` has no value")));
            }
            if arguments.text(parameter).is_some() {
                return Err(arguments.invalid(format!("`{parameter}` is given twice")));
            }
            arguments.given.push((parameter, value));
        }
        Ok(arguments)
    }

    fn parameter(&self, name: &str) -> Result<&'static str, TrafficError> {
        let wanted = name.trim().to_lowercase().replace('-', "_");
        let names = self.kind.parameters;
        let alias = ALIASES.iter().find(|(alias, _)| *alias == wanted).map(|(_, name)| *name);
        names.iter().copied().find(|name| *name == wanted || Some(*name) == alias).ok_or_else(|| {
            let near = did_you_mean(nearest(name, names.iter().copied()));
            self.invalid(format!("there is no parameter `{}`{near}{}", name.trim(), known(self.kind)))
        })
    }

    /// Returns the pattern with its own name and parameters in their order.
    pub fn canonical(&self) -> String {
        let values = self.kind.parameters.iter().filter_map(|name| Some(format!("{name}={}", self.text(name)?)));
        let values = values.collect::<Vec<_>>().join(",");
        if values.is_empty() { self.kind.name.to_owned() } else { format!("{}:{values}", self.kind.name) }
    }

    /// Returns an error about these arguments.
    pub fn invalid(&self, reason: impl Into<String>) -> TrafficError {
        TrafficError::Invalid { pattern: self.whole.into(), reason: reason.into() }
    }

    /// Returns a value as written.
    pub fn text(&self, parameter: &str) -> Option<&'a str> {
        self.given.iter().find(|(name, _)| *name == parameter).map(|(_, value)| *value)
    }

    /// Parses a whole number.
    pub fn integer(&self, parameter: &str) -> Result<Option<u64>, TrafficError> {
        let number = |text: &str| {
            text.parse().map_err(|_| self.invalid(format!("`{parameter}` is `{text}`, and must be a whole number")))
        };
        self.text(parameter).map(number).transpose()
    }

    /// Parses a flag; `false` if it is not given.
    pub fn flag(&self, parameter: &str) -> Result<bool, TrafficError> {
        match self.text(parameter) {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(other) => Err(self.invalid(format!("`{parameter}` is `{other}`, and must be true or false"))),
        }
    }

    /// Parses numbers in brackets, or one without them.
    pub fn list<T: std::str::FromStr>(&self, parameter: &str, what: &str) -> Result<Option<Vec<T>>, TrafficError> {
        let Some(text) = self.text(parameter) else { return Ok(None) };
        let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
        let item = |item: &str| {
            let item = item.trim();
            item.parse().map_err(|_| self.invalid(format!("`{parameter}` has `{item}`, which is not {what}")))
        };
        inner.split(',').map(item).collect::<Result<_, _>>().map(Some)
    }
}

fn known(kind: &PatternKind) -> String {
    match kind.parameters {
        [] => format!("; `{}` has no parameters", kind.name),
        names => format!("; it has {}", names.join(", ")),
    }
}

/// Splits at commas that are not in brackets.
fn split(text: &str) -> Vec<&str> {
    let (mut items, mut depth, mut start) = (Vec::new(), 0_i32, 0);
    for (at, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            ',' if depth <= 0 => {
                items.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    if start < text.len() || !items.is_empty() {
        items.push(&text[start..]);
    }
    items
}
