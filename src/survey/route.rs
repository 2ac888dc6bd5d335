//! Routes, with the reasons for their hops.

use super::{SurveyError, SurveyOptions};
use crate::floorplan::FloorPlan;
use crate::floorplan::latency::{arc_delays, ends};
use crate::ids::SwitchId;
use crate::routing::{self, RoutingSpec};
use crate::topology::Topology;
use serde::Serialize;

/// A route from switch to switch.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RouteSurvey {
    /// Specification of the routing.
    pub routing: String,
    /// Seed of a random routing.
    pub routing_seed: Option<u64>,
    /// Switches of the route, including the first and the last.
    pub path: Vec<u32>,
    /// Reason for each hop, in words.
    pub reasons: Vec<String>,
    /// Length of the cables, in metres.
    pub metres: f64,
    /// Latency of a message without load, in nanoseconds.
    pub latency_ns: f64,
}

impl RouteSurvey {
    pub(super) fn of(
        topology: &Topology,
        options: &SurveyOptions,
        (name, from, to): &(Option<String>, u32, u32),
    ) -> Result<Self, SurveyError> {
        let graph = &*topology.graph;
        for end in [from, to] {
            if *end as usize >= graph.switches() {
                let message = format!(
                    "there is no switch {end}: the switches of `{}` are 0 to {}",
                    topology.name(),
                    graph.switches() - 1
                );
                return Err(SurveyError::Route(message));
            }
        }
        let spec: RoutingSpec =
            name.as_deref().unwrap_or_else(|| routing::default_with(options.defaults, topology)).parse()?;
        let cables = FloorPlan::new(topology, &options.floor)?.cables(graph);
        let delays = arc_delays(graph, cables.lengths(), options.switch_delay, options.cable_delay);
        let seed = routing::seed_for(options.routing_seed, topology);
        let needs = routing::Options { seed, arc_delays: Some(&delays), ..routing::Options::default() };
        let routing = spec.build(topology, &needs)?;
        let (from, to, mut arcs) = (SwitchId(*from), SwitchId(*to), Vec::new());
        if !routing.route(from, to, &mut arcs) {
            let message = format!("there is no way from switch {from} to switch {to} in `{}`", topology.name());
            return Err(SurveyError::Route(message));
        }
        let delay: f64 = arcs.iter().map(|arc| delays[arc.index()]).sum();
        Ok(Self {
            routing: spec.to_string(),
            routing_seed: spec.kind.random.then_some(seed),
            path: std::iter::once(from.0).chain(arcs.iter().map(|&arc| graph.head(arc).0)).collect(),
            reasons: routing.reasons(from, to, &arcs),
            metres: arcs.iter().map(|&arc| cables.length(graph.cable(arc))).sum::<f64>() + 0.0,
            latency_ns: ((ends(graph, from, to, options.switch_delay) + delay) * 1e12).round() / 1e3,
        })
    }
}
