//! Properties of the networks of a study, in addition to their results. Unknown ones are omitted.

use super::network::NetworkUnderTest;
use super::procurement::NetworkCost;
use crate::survey::{Effort, Survey, SurveyOptions};
use crate::topology::Topology;
use std::sync::Arc;

/// Properties of a network.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NetworkFacts {
    /// Number of switches.
    pub switches: Option<usize>,
    /// Number of cables between switches, and `true` if they are one-way.
    pub cables: Option<(usize, bool)>,
    /// Number of directions in which these cables carry data: a two-way cable counts twice.
    pub lanes: Option<usize>,
    /// Smallest and largest degree.
    pub degrees: Option<(usize, usize)>,
    /// Largest distance in hops.
    pub diameter: Option<usize>,
    /// Average distance in hops.
    pub aspl: Option<f64>,
    /// Digest of the cables.
    pub edge_sha256: Option<String>,
    /// Total length of cables in metres, if a floor plan is known.
    pub metres: Option<f64>,
    /// Price, if prices are known.
    pub dollars: Option<f64>,
    /// Total cost of ownership, if it is computed.
    pub total: Option<f64>,
    /// Power in watts, if known.
    pub watts: Option<f64>,
}

impl NetworkFacts {
    /// Returns the properties of a network in a study. Distances of very large networks are omitted.
    pub fn of(network: &NetworkUnderTest, cost: Option<NetworkCost>) -> Self {
        let surveyed = |(topology, floor): (Arc<Topology>, _)| {
            // Properties that take long to compute are left out.
            let options = SurveyOptions { effort: Effort::Least, floor, ..SurveyOptions::default() };
            let survey = Survey::of(&topology, &options).ok()?;
            Some((topology, survey))
        };
        let hosted = network.topology.as_ref().map(|topology| network.with_its_hosts(topology));
        let Some((topology, survey)) = hosted.and_then(surveyed) else { return Self::priced(cost) };
        let graph = &topology.graph;
        let cables = Some((graph.cables() - graph.cables_to_hosts(), graph.is_directed()));
        Self {
            switches: Some(survey.switches),
            cables,
            lanes: cables.map(|(count, one_way)| if one_way { count } else { 2 * count }),
            degrees: Some((survey.min_degree, survey.max_degree)),
            diameter: survey.diameter,
            aspl: survey.aspl,
            edge_sha256: Some(survey.edge_sha256),
            ..Self::priced(cost)
        }
    }

    fn priced(cost: Option<NetworkCost>) -> Self {
        let NetworkCost { dollars, total, watts, metres, .. } = cost.unwrap_or_default();
        Self { dollars, total, watts, metres, ..Self::default() }
    }
}
