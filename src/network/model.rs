//! Network models: how a message size and a route become a delay, a weight, a bound and a rate.
//!
//! The models are those of SimGrid (Velho, Schnorr, Casanova, Legrand: On the Validity of Flow-level TCP Network
//! Models for Grid and Cloud Simulations, ACM TOMACS 23(4), 2013), with the constants of release 3.32, and an ideal
//! one for closed forms.

use crate::piecewise::Factors;

/// The constants of a network model.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkModel {
    /// Name, as `--model` takes it.
    pub name: &'static str,
    /// Factor of the latency, by the size of the flow.
    pub latency_factor: Factors,
    /// Factor of the rate, by the size of the flow. It acts on the share that a flow gets, not on the links.
    pub bandwidth_factor: Factors,
    /// Bytes that are added to every message.
    pub envelope: u64,
    /// Weight S of the inverse bandwidths in a flow's penalty, in bytes; `None`: all flows have the same weight.
    pub weight_s: Option<f64>,
    /// Largest TCP window in bytes: a flow of latency L gets at most this over 2 L; `None`: no such bound.
    pub tcp_gamma: Option<f64>,
    /// Share of its rate that a flow also takes on the links of the reverse route (acknowledgements).
    pub cross_traffic: Option<f64>,
    /// Constants of the LogGOPS model, which has no links and none of the above; `None` for all other models.
    pub loggops: Option<LogGops>,
}

/// Constants of the LogGOPS model, in seconds and bytes; the defaults are those of LogGOPSim.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogGops {
    /// L: latency of a message.
    pub latency: f64,
    /// o: time of a processor for a message, at each end.
    pub o: f64,
    /// g: time of a network card for a message, at each end.
    pub g: f64,
    /// G: the same for each byte behind the first one.
    pub gap_per_byte: f64,
    /// O: time of a processor for each byte behind the first one.
    pub overhead_per_byte: f64,
    /// S: largest message that does not wait for its receive.
    pub eager_up_to: u64,
}

impl Default for LogGops {
    fn default() -> Self {
        Self { latency: 2.5e-6, o: 1.5e-6, g: 1e-6, gap_per_byte: 6e-9, overhead_per_byte: 0.0, eager_up_to: 65_535 }
    }
}

/// What the acknowledgements of a flow take on the way back (SimGrid's `network/crosstraffic`).
pub const CROSS_TRAFFIC: f64 = 0.05;

const SMPI_BANDWIDTH: &str = "65472:0.940694;15424:0.697866;9376:0.58729;5776:1.08739;3484:0.77493;1426:0.608902;\
                              732:0.341987;257:0.338112;0:0.812084";
const SMPI_LATENCY: &str = "65472:11.6436;15424:3.48845;9376:2.59299;5776:2.18796;3484:1.88101;1426:1.61075;\
                            732:1.9503;257:1.95341;0:2.01467";

impl NetworkModel {
    /// The names that [`by_name`](Self::by_name) knows.
    pub const NAMES: [&'static str; 5] = ["smpi", "lv08", "cm02", "ideal", "loggops"];

    /// A model by its name, in any case.
    pub fn by_name(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "smpi" => Some(Self::smpi()),
            "lv08" => Some(Self::lv08()),
            "cm02" => Some(Self::cm02()),
            "ideal" => Some(Self::ideal()),
            "loggops" => Some(Self::loggops()),
            _ => None,
        }
    }

    /// SMPI: piecewise factors fitted to MPI over TCP on a Gigabit cluster. The default.
    pub fn smpi() -> Self {
        Self {
            name: "smpi",
            latency_factor: SMPI_LATENCY.parse().expect("the table is well formed"),
            bandwidth_factor: SMPI_BANDWIDTH.parse().expect("the table is well formed"),
            weight_s: Some(8775.0),
            ..Self::cm02()
        }
    }

    /// LV08: constant factors, fitted to long TCP flows.
    pub fn lv08() -> Self {
        Self {
            name: "lv08",
            latency_factor: Factors::constant(13.01),
            bandwidth_factor: Factors::constant(0.97),
            weight_s: Some(20537.0),
            ..Self::cm02()
        }
    }

    /// CM02: no factors; the share of a flow is inversely proportional to its latency.
    pub fn cm02() -> Self {
        Self {
            name: "cm02",
            latency_factor: Factors::constant(1.0),
            bandwidth_factor: Factors::constant(1.0),
            envelope: 16,
            weight_s: Some(0.0),
            tcp_gamma: Some(4_194_304.0),
            cross_traffic: Some(CROSS_TRAFFIC),
            loggops: None,
        }
    }

    /// Ideal: a message of n bytes alone on its route takes latency + n / bandwidth; flows share links equally.
    pub fn ideal() -> Self {
        Self { name: "ideal", envelope: 0, weight_s: None, tcp_gamma: None, cross_traffic: None, ..Self::cm02() }
    }
}

impl NetworkModel {
    /// LogGOPS: processors and network cards without links, as LogGOPSim has them; it replays graphs of operations.
    pub fn loggops() -> Self {
        Self { name: "loggops", loggops: Some(LogGops::default()), ..Self::ideal() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smpi_classes_begin_after_their_threshold() {
        // Payload 241 is a flow of 257 bytes and still in the first class, payload 242 is not.
        let smpi = NetworkModel::smpi();
        let factors = [241u64, 242].map(|n| smpi.bandwidth_factor.at(n + smpi.envelope));
        assert_eq!(factors, [0.812084, 0.338112]);
        assert_eq!(smpi.latency_factor.at(65457 + 16), 11.6436);
    }

    #[test]
    fn every_name_gives_its_model() {
        for name in NetworkModel::NAMES {
            assert_eq!(NetworkModel::by_name(&name.to_uppercase()).map(|m| m.name), Some(name));
        }
        assert_eq!(NetworkModel::by_name("tcp"), None);
    }
}
