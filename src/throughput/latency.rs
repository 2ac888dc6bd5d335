//! Latency of a packet: without load, and an estimate of the queueing delay.
//!
//! **Without load** the latency is that of the paper on Skywalk: 300 ns at the ends, the delay of each switch on the
//! path, and that of the cables, whose lengths are those of the floor plan. It is also reported without cables.
//!
//! **Under load** every link is modelled as a queue of packets of one size S with random arrivals (M/D/1): at
//! utilisation r a packet waits r / (2 (1 - r)) times its transmission time S / c on the link (the Pollaczek-Khinchine
//! formula for constant service; L. Kleinrock, Queueing Systems, volume 1, section 5.6). A packet waits at every link
//! on its path, those of the hosts included, and takes S / c itself. This is an estimate: arrivals behind a queue are
//! smoother than random ones, buffers are unlimited here, and packets of one flow do not wait for each other's credits.

use super::carried::Carried;
use super::load::Loads;
use super::{Demand, Network};
use crate::floorplan::latency::ends;
use crate::ids::SwitchId;
use serde::Serialize;

/// Parts of the saturation injection at the points of the curve.
pub const POINTS: [f64; 11] = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95];

/// Description of the estimate.
pub const FORMULA: &str =
    "estimate: zero load + packet / bandwidth + sum over links of r/(2(1-r)) * packet / bandwidth (M/D/1 queues)";

/// Latency without load, over all flows by demand.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct ZeroLoad {
    /// Mean number of links between switches.
    pub mean_hops: f64,
    /// Largest number of links between switches.
    pub max_hops: u32,
    /// Mean without the delay of cables, in seconds.
    pub bare_mean: f64,
    /// Largest without the delay of cables.
    pub bare_max: f64,
    /// Mean with cables on the floor plan.
    pub mean: f64,
    /// Largest with cables on the floor plan.
    pub max: f64,
}

/// Point of the curve.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct LoadPoint {
    /// Traffic of a source, in units of a link's bandwidth.
    pub injection: f64,
    /// Estimated mean latency in seconds.
    pub latency: f64,
}

/// Returns the latency without load.
pub fn zero_load(network: &Network, demand: &Demand, carried: &Carried) -> ZeroLoad {
    let total = demand.total.max(f64::MIN_POSITIVE);
    let weighed =
        |delays: &[f64]| carried.arcs.iter().zip(delays).map(|(load, delay)| load * delay).sum::<f64>() / total;
    let ends = demand.classes.first().map_or(0.0, |class| {
        ends(&network.topology.graph, SwitchId(class.from), SwitchId(class.to), network.speeds.switch_delay)
    });
    ZeroLoad {
        // The sum of no values is -0.
        mean_hops: carried.arcs.iter().sum::<f64>() / total + 0.0,
        max_hops: carried.max_hops,
        bare_mean: ends + weighed(&network.bare_delays),
        bare_max: ends + carried.max_delay.1,
        mean: ends + weighed(&network.delays),
        max: ends + carried.max_delay.0,
    }
}

/// Returns the estimated latency up to near saturation; empty if nothing saturates.
pub fn curve(network: &Network, demand: &Demand, loads: &Loads, zero: &ZeroLoad) -> Vec<LoadPoint> {
    if !loads.saturation.is_finite() {
        return Vec::new();
    }
    let service = network.speeds.packet / network.speeds.link;
    // Mean wait of a packet at a link, times the traffic on the link.
    let waiting = |load: f64, capacity: f64, injection: f64| {
        let utilisation = load * injection / capacity;
        load * utilisation / (2.0 * (1.0 - utilisation)) * service / capacity
    };
    let at = |part: f64| {
        let injection = part * loads.saturation;
        let mut waited: f64 = loads.links.iter().map(|&load| waiting(load, 1.0, injection)).sum();
        if let Some(capacity) = network.host_capacity() {
            waited +=
                demand.sent.iter().chain(&demand.received).map(|&load| waiting(load, capacity, injection)).sum::<f64>();
        }
        LoadPoint { injection, latency: zero.mean + service + waited / demand.total }
    };
    POINTS.map(at).to_vec()
}
