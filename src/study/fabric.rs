//! Networks on which the packet model runs.

use super::description::ModelDescription;
use super::network::NetworkUnderTest;
use crate::engine::Model;
use crate::packets::PacketError;
use crate::packets::replay::{Fabric, Ground};
use std::sync::Arc;

/// Returns the network for the packets of a model; `None` if the model has no packets.
///
/// # Errors
/// [`PacketError`] if the network has no switches, or has properties without a counterpart in the packet model.
pub fn fabric(network: &NetworkUnderTest, model: &Model) -> Result<Option<Arc<Fabric>>, PacketError> {
    let Some(level) = &model.network.packet_level else { return Ok(None) };
    let Some((topology, making)) = network.graph() else {
        return Err(PacketError::NotModelled {
            network: network.info.name.clone(),
            what: "platforms that list their links, which have no switches".into(),
            instead: "describe the network by a topology, or choose another model",
        });
    };
    let ground = Ground {
        topology,
        platform: &network.platform,
        duplex: making.parameters.duplex,
        routings: &making.routings,
        seed: making.routing_seed,
    };
    Fabric::new(&ground, level).map(|fabric| Some(Arc::new(fabric)))
}

/// Returns the description of a model, extended by the properties of a fabric.
pub(super) fn described(model: &ModelDescription, fabric: &Fabric) -> ModelDescription {
    let mut description = model.clone();
    let said = &mut description.parameters;
    said.insert("packet-routing", fabric.routing());
    said.insert("vcs", fabric.vcs());
    said.insert("vc-buffer", format!("{} packets", fabric.vc_buffer()));
    description
}
