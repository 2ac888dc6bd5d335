//! The error of a choice.

use crate::network::sharing::Rule;
use crate::similar::nearest;
use crate::user_error::UserError;

/// Keys of `[model]` with values that can be wrong.
const KEYS: [&str; 26] = [
    "network_model",
    "collectives",
    "collective",
    "sharing",
    "timing_precision",
    "compat",
    "crosstraffic",
    "bandwidth_factor",
    "latency_factor",
    "rate_bound",
    "message_latency",
    "envelope",
    "packet_payload",
    "packet_overhead",
    "delivery",
    "rendezvous_trips",
    "weight_s",
    "tcp_gamma",
    "send_overhead",
    "isend_overhead",
    "recv_overhead",
    "loggops",
    "packet",
    "test_time",
    "probe_time",
    "probe_cpu_usage",
];

/// A choice that does not exist or is impossible.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{option}: `{value}` {rule}")]
pub struct ChoiceError {
    /// Name of the option.
    pub option: String,
    /// Value as given.
    pub value: String,
    /// Description of the error, and of valid values.
    pub rule: String,
    /// Kind of the error.
    pub fault: ChoiceFault,
}

/// Kind of a wrong choice, which decides the advice and the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChoiceFault {
    /// The value must be one of a list of names.
    Name,
    /// The operating system does not let a file be read.
    File,
    /// The value breaks a rule.
    Value,
}

impl ChoiceError {
    /// Returns the error for a value that is not in a list, with the nearest name.
    pub fn unknown(option: &str, value: &str, known: &[&str]) -> Self {
        let near = nearest(value, known.iter().copied());
        let hint = near.map_or(String::new(), |name| format!("; did you mean `{name}`?"));
        let rule = match known {
            [only] => format!("is not `{only}`, the only valid name"),
            known => format!("is not one of {}{hint}", known.join(", ")),
        };
        Self { option: option.to_owned(), value: value.to_owned(), rule, fault: ChoiceFault::Name }
    }

    /// Returns the error for a value that breaks a rule.
    pub(super) fn wrong(option: &str, value: impl ToString, rule: impl Into<String>) -> Self {
        Self { option: option.to_owned(), value: value.to_string(), rule: rule.into(), fault: ChoiceFault::Value }
    }

    /// Returns the error for a rule of sharing that does not exist, or a bound that it cannot have.
    pub(super) fn sharing(value: &str) -> Self {
        if !value.to_ascii_lowercase().starts_with("within") {
            return Self::unknown("sharing", value, &Rule::FORMS);
        }
        let rule = "is not `within:` and a bound from 0% to 10% in steps of 0.0001%, such as within:1%";
        Self::wrong("sharing", value, rule)
    }

    /// Returns the key of `[model]` with the wrong value; `None` if the option is not one of its keys.
    pub fn key(&self) -> Option<&'static str> {
        let option = self.option.replace('-', "_");
        // Constants of the packet model have a table of their own.
        let key = if option.starts_with("packet ") { "packet" } else { &option };
        KEYS.into_iter().find(|known| key == *known)
    }
}

impl UserError for ChoiceError {
    fn help(&self) -> String {
        let help = match (self.fault, self.option.as_str()) {
            (ChoiceFault::Name, "model" | "network_model") if self.value.contains(':') => {
                "choose one of the names; constants go into a file with the table [model], which --model FILE reads"
            }
            (ChoiceFault::Name, _) => "choose one of the names",
            (ChoiceFault::File, _) => "check the path and its permissions",
            (ChoiceFault::Value, "collectives") => {
                "name a rule file of Open MPI's tuned module, classic or JSON (docs/models.md)"
            }
            (ChoiceFault::Value, _) => "give a value that the rule above allows",
        };
        help.to_owned()
    }

    fn is_io(&self) -> bool {
        self.fault == ChoiceFault::File
    }
}
