//! Constants of the LogGOPS model as a study, a model file or the name of the model sets them.

use super::choice_error::ChoiceError;
use super::model_constants::{constants, is_model};
use crate::network::model::LogGops;
use crate::platform::units::Seconds;
use serde::Deserialize;

/// Name of the model at the beginning of a setting's model.
const NAME: &str = "loggops";

/// Letters of the constants.
const KEYS: [&str; 6] = ["L", "o", "g", "G", "O", "S"];

/// Returns `true` if a setting's model is this one, with or without constants.
pub fn is_loggops(model: &str) -> bool {
    is_model(model, NAME)
}

/// Constants of the LogGOPS model as written, by their letters; the defaults are those of LogGOPSim.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(non_snake_case)] // The model uses both small and capital letters.
pub struct LogGopsChoice {
    /// Latency.
    pub L: Option<Seconds>,
    /// Overhead of a message.
    pub o: Option<Seconds>,
    /// Gap between messages.
    pub g: Option<Seconds>,
    /// Gap per byte.
    pub G: Option<Seconds>,
    /// Overhead per byte.
    pub O: Option<Seconds>,
    /// Largest message that does not wait for its receive, in bytes.
    pub S: Option<u64>,
}

impl LogGopsChoice {
    /// Parses the text after `loggops:` in the name of a model, e.g. `L=1us,G=0.1ns,S=8192`.
    ///
    /// # Errors
    /// [`ChoiceError`] for an unknown letter, one that is set twice, or a value that is no time or size.
    pub fn parse(text: &str) -> Result<Self, ChoiceError> {
        let mut choice = Self::default();
        for constant in constants(NAME, text, &KEYS) {
            let constant = constant?;
            if constant.key == "S" {
                let bytes = constant.value.parse::<u64>();
                choice.S = Some(bytes.map_err(|_| constant.wrong("is not a whole number of bytes"))?);
                continue;
            }
            let time = constant.value.parse::<Seconds>();
            let time = time.map_err(|error| constant.wrong(format!("is no time: {}", error.rule)))?;
            *match constant.key {
                "L" => &mut choice.L,
                "o" => &mut choice.o,
                "g" => &mut choice.g,
                "G" => &mut choice.G,
                _ => &mut choice.O,
            } = Some(time);
        }
        Ok(choice)
    }

    /// Returns these choices, with missing ones from `base`.
    pub fn over(self, base: &Self) -> Self {
        Self {
            L: self.L.or(base.L),
            o: self.o.or(base.o),
            g: self.g.or(base.g),
            G: self.G.or(base.G),
            O: self.O.or(base.O),
            S: self.S.or(base.S),
        }
    }

    /// Returns the constants, with the defaults for those that are not set.
    pub(super) fn build(&self) -> LogGops {
        let default = LogGops::default();
        let or = |chosen: Option<Seconds>, default: f64| chosen.map_or(default, Seconds::value);
        LogGops {
            latency: or(self.L, default.latency),
            o: or(self.o, default.o),
            g: or(self.g, default.g),
            gap_per_byte: or(self.G, default.gap_per_byte),
            overhead_per_byte: or(self.O, default.overhead_per_byte),
            eager_up_to: self.S.unwrap_or(default.eager_up_to),
        }
    }
}
