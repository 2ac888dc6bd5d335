//! Constants of the LogGOPS model as a study or model file sets them.

use crate::network::model::LogGops;
use crate::platform::units::Seconds;
use serde::Deserialize;

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
