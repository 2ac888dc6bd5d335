//! The model that turns a trace into times.

use crate::mpi::MpiOptions;
use crate::mpi::collective::Selector;
use crate::network::model::NetworkModel;
use crate::network::noise::Noise;
use crate::network::sharing::Rule;
use crate::network::{Medium, Precision};
use std::sync::Arc;

/// Events closer to each other than this many seconds happen together. It only absorbs rounding.
pub const TIMING_PRECISION: f64 = 1e-12;

/// Model that turns a trace into times.
#[derive(Debug, Clone)]
pub struct Model {
    /// Network model.
    pub network: NetworkModel,
    /// Point-to-point layer.
    pub mpi: MpiOptions,
    /// Chooses the algorithm of each collective.
    pub collectives: Selector,
    /// Rule by which flows share links.
    pub sharing: Rule,
    /// Precision below which events are merged into one instant.
    pub precision: Precision,
    /// The network as packets see it, where they are the model ([`NetworkModel::packet_level`]); it belongs to one platform
    /// and to those with its links and routes.
    pub medium: Option<Arc<dyn Medium>>,
    /// Random delays of messages; `None`: messages take the time of the model. SimGrid's rules of sharing have none.
    pub noise: Option<Noise>,
}

impl Model {
    /// Returns the default model: messages of a pair in order, exact sharing, and no merging of events beyond rounding.
    pub fn exact(collectives: Selector) -> Self {
        Self::with_network(NetworkModel::ordered(), collectives)
    }

    /// Returns the default model with another network model.
    pub fn with_network(network: NetworkModel, collectives: Selector) -> Self {
        let mut mpi = MpiOptions::default();
        if network.sends_eagerly() {
            mpi.async_below = mpi.detached_below;
        }
        Self {
            network,
            mpi,
            collectives,
            sharing: Rule::Exact,
            precision: Precision { transfers: 0.0, others: TIMING_PRECISION },
            medium: None,
            noise: None,
        }
    }
}
