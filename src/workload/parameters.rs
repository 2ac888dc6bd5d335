//! Parameters of workloads: declared in the program, set by the user, and checked here.

use super::error::WorkloadError;
use serde::Deserialize;
use serde_json::Value as Json;

/// Type of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A whole number.
    Int,
    /// A number, whole or not.
    Float,
    /// Text.
    String,
    /// `true` or `false`.
    Bool,
}

impl Kind {
    /// Returns the name of the type, as written in programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Int => "int",
            Self::Float => "float",
            Self::String => "string",
            Self::Bool => "bool",
        }
    }
}

/// A parameter as declared by a program.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Name in specifications.
    pub name: String,
    /// Type of its value.
    pub kind: Kind,
    /// Default value; null if the program computes one itself.
    pub default: Json,
    /// Description for lists.
    pub help: String,
    /// Valid values; any if empty.
    pub choices: Vec<Json>,
    /// Least valid value.
    pub min: Option<f64>,
    /// Largest valid value.
    pub max: Option<f64>,
}

/// A parameter as created by the built-in function `parameter`.
#[derive(Deserialize)]
struct WrittenParameter {
    name: String,
    default: Json,
    help: String,
    r#type: Option<Kind>,
    choices: Option<Vec<Json>>,
    min: Option<f64>,
    max: Option<f64>,
}

impl Parameter {
    /// Reads the parameters from the value of `PARAMETERS`.
    pub(super) fn list(written: Json) -> Result<Vec<Self>, String> {
        let written: Vec<WrittenParameter> = serde_json::from_value(written)
            .map_err(|error| format!("PARAMETERS is a list of parameter(NAME, default = ...): {error}"))?;
        let mut list: Vec<Self> = Vec::with_capacity(written.len());
        for w in written {
            if list.iter().any(|p| p.name == w.name) {
                return Err(format!("the parameter `{}` is declared twice", w.name));
            }
            let by_default = match &w.default {
                Json::Bool(_) => Some(Kind::Bool),
                Json::Number(n) if n.is_f64() => Some(Kind::Float),
                Json::Number(_) => Some(Kind::Int),
                Json::String(_) => Some(Kind::String),
                _ => None,
            };
            let Some(kind) = w.r#type.or(by_default) else {
                return Err(format!("the parameter `{}` has no default: say its type, e.g. type = \"int\"", w.name));
            };
            let choices = w.choices.unwrap_or_default();
            let p = Self { name: w.name, kind, default: w.default, help: w.help, choices, min: w.min, max: w.max };
            if !p.default.is_null() {
                p.check(&p.default).map_err(|reason| format!("the default of `{}`: {reason}", p.name))?;
            }
            list.push(p);
        }
        Ok(list)
    }

    /// Returns the valid values, in words.
    pub fn allowed(&self) -> String {
        if !self.choices.is_empty() {
            return self.choices.iter().map(text).collect::<Vec<_>>().join(", ");
        }
        match (self.kind, self.min, self.max) {
            (Kind::Bool, ..) => "true, false".to_owned(),
            (_, Some(min), Some(max)) => format!("{min} to {max}"),
            (_, Some(min), None) => format!("{min} or more"),
            (_, None, Some(max)) => format!("up to {max}"),
            _ => String::new(),
        }
    }

    /// Returns the default in words.
    pub fn default_text(&self) -> String {
        if self.default.is_null() { "-".to_owned() } else { text(&self.default) }
    }

    fn check(&self, value: &Json) -> Result<(), String> {
        if !self.choices.is_empty() && !self.choices.contains(value) {
            return Err(format!("it must be one of {}", self.allowed()));
        }
        if let Some(number) = value.as_f64()
            && (self.min.is_some_and(|min| number < min) || self.max.is_some_and(|max| number > max))
        {
            return Err(format!("it must be {}", self.allowed()));
        }
        Ok(())
    }

    /// Parses a value from a text.
    pub(super) fn value(&self, written: &str) -> Result<Json, WorkloadError> {
        let value = match self.kind {
            Kind::Int => written.parse::<i64>().map(Json::from).map_err(|_| "it must be a whole number"),
            Kind::Float => match written.parse::<f64>() {
                Ok(number) if number.is_finite() => Ok(Json::from(number)),
                _ => Err("it must be a finite number, such as 1e9"),
            },
            Kind::String => Ok(Json::from(written)),
            Kind::Bool => written.parse::<bool>().map(Json::from).map_err(|_| "it must be true or false"),
        };
        value.map_err(str::to_owned).and_then(|value| self.check(&value).map(|()| value)).map_err(|reason| {
            let allowed = self.allowed();
            let range = if allowed.is_empty() { String::new() } else { format!(" ({allowed})") };
            WorkloadError::Parameter {
                name: self.name.clone(),
                value: written.to_owned(),
                reason,
                help: format!(
                    "{} is of type {}{range}{}{}",
                    self.name,
                    self.kind.name(),
                    if self.help.is_empty() { "" } else { ": " },
                    self.help
                ),
            }
        })
    }
}

fn text(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
