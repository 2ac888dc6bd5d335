//! Choices of the packet model, and the networks on which it runs.

use super::choice::{ChoiceError, ModelChoice, ModelDescription};
use super::network::NetworkUnderTest;
use crate::engine::Model;
use crate::network::model::{Injection, PacketLevel};
use crate::packets::PacketError;
use crate::packets::replay::{Fabric, Ground, out_of_range};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Constants of the packet model as written; missing ones have defaults.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PacketChoice {
    /// Largest payload of a packet in bytes.
    pub mtu: Option<u32>,
    /// Bytes of a packet in addition to its payload.
    pub header: Option<u32>,
    /// Packet routing, e.g. `amin`; default: that of the network.
    pub routing: Option<String>,
    /// Number of virtual channels per link.
    pub vcs: Option<u32>,
    /// Capacity of each virtual channel of an input, in full packets.
    pub buffer: Option<u32>,
    /// Order of injection, `turns` or `first-come`.
    pub injection: Option<String>,
    /// Largest number of packets of a message in flight.
    pub window: Option<u32>,
}

/// Keys of [`PacketChoice`].
const KEYS: [&str; 7] = ["mtu", "header", "routing", "vcs", "buffer", "injection", "window"];

fn wrong(option: &str, value: impl ToString, rule: impl Into<String>) -> ChoiceError {
    ChoiceError { option: option.to_owned(), value: value.to_string(), rule: rule.into(), named: false }
}

impl PacketChoice {
    /// Parses the text after `packet:` in the name of a model, e.g. `routing=amin,vcs=6`.
    ///
    /// # Errors
    /// [`ChoiceError`] for an unknown key or a value that is not a number.
    pub fn parse(text: &str) -> Result<Self, ChoiceError> {
        let mut choice = Self::default();
        for item in text.split(',') {
            let (key, value) = item.split_once('=').unwrap_or((item, ""));
            let (key, value) = (key.trim(), value.trim());
            if !KEYS.contains(&key) {
                return Err(ChoiceError::unknown("packet", key, &KEYS));
            }
            let number = || {
                let rule = "is not a whole number";
                value.parse::<u32>().map(Some).map_err(|_| wrong("packet", item.trim(), rule))
            };
            match key {
                "mtu" => choice.mtu = number()?,
                "header" => choice.header = number()?,
                "vcs" => choice.vcs = number()?,
                "buffer" => choice.buffer = number()?,
                "window" => choice.window = number()?,
                "routing" => choice.routing = Some(value.to_owned()),
                _ => choice.injection = Some(value.to_owned()),
            }
        }
        Ok(choice)
    }

    /// Returns these choices, with missing ones from `base`.
    pub fn over(self, base: &Self) -> Self {
        Self {
            mtu: self.mtu.or(base.mtu),
            header: self.header.or(base.header),
            routing: self.routing.or_else(|| base.routing.clone()),
            vcs: self.vcs.or(base.vcs),
            buffer: self.buffer.or(base.buffer),
            injection: self.injection.or_else(|| base.injection.clone()),
            window: self.window.or(base.window),
        }
    }

    /// Checks the choices, fills in the defaults, and adds the constants that hold for every network to the description
    /// of the model.
    ///
    /// # Errors
    /// [`ChoiceError`].
    pub fn build(&self, said: &mut BTreeMap<&'static str, String>) -> Result<PacketLevel, ChoiceError> {
        let default = PacketLevel::default();
        let injection = match self.injection.as_deref() {
            None => default.injection,
            Some(name) => Injection::ALL
                .into_iter()
                .find(|injection| injection.name() == name)
                .ok_or_else(|| ChoiceError::unknown("packet injection", name, &Injection::ALL.map(Injection::name)))?,
        };
        let level = PacketLevel {
            mtu: self.mtu.unwrap_or(default.mtu),
            header: self.header.unwrap_or(default.header),
            routing: self.routing.clone(),
            vcs: self.vcs,
            vc_buffer: self.buffer,
            injection,
            window: self.window,
        };
        if let Some((name, value, rule)) = out_of_range(&level) {
            return Err(wrong(&format!("packet {name}"), value, rule));
        }
        if let Some(routing) = &level.routing {
            let name = routing.split(':').next().unwrap_or_default();
            crate::packets::routing::find_buffered(name)
                .map_err(|error| wrong("packet routing", routing, format!("cannot be: {error}")))?;
        }
        said.insert("mtu", format!("{} bytes", level.mtu));
        said.insert("header", format!("{} bytes", level.header));
        said.insert("injection", injection.name().to_owned());
        if let Some(window) = level.window {
            said.insert("window", format!("{window} packets"));
        }
        if let Some(routing) = &level.routing {
            said.insert("packet-routing", routing.clone());
        }
        if let Some(vcs) = level.vcs {
            said.insert("vcs", vcs.to_string());
        }
        if let Some(buffer) = level.vc_buffer {
            said.insert("vc-buffer", format!("{buffer} packets"));
        }
        Ok(level)
    }
}

/// Refuses choices that have no counterpart in the packet model.
///
/// # Errors
/// [`ChoiceError`] names the first of them.
pub(super) fn refuse_factors(choice: &ModelChoice) -> Result<(), ChoiceError> {
    let stands_for = |what: &str| format!("is not possible with the model packet: {what}");
    let protocol = "it stands for protocols and headers, which packets show themselves; leave it out";
    let shares = "packets share links by turns; leave it out";
    let text = |value: &Option<String>| value.clone();
    let number = |value: Option<f64>| value.map(|value| value.to_string());
    let given = [
        ("bandwidth-factor", text(&choice.bandwidth_factor), protocol),
        ("latency-factor", text(&choice.latency_factor), protocol),
        ("cap-factors", choice.cap_factors.map(|on| on.to_string()), protocol),
        ("message-latency", choice.message_latency.map(|time| format!("{:e}", time.value())), protocol),
        ("packet-payload", choice.packet_payload.map(|bytes| bytes.to_string()), "it has an mtu; set that in packet"),
        (
            "packet-overhead",
            choice.packet_overhead.map(|bytes| bytes.to_string()),
            "it has a header; set that in packet",
        ),
        ("delivery", text(&choice.delivery), "each packet takes its own way; leave it out"),
        ("weight-s", number(choice.weight_s), shares),
        ("tcp-gamma", number(choice.tcp_gamma), "a window of packets is set in packet; leave it out"),
        ("crosstraffic", choice.crosstraffic.map(|traffic| traffic.to_string()), "acknowledgements are not modelled"),
        ("sharing", text(&choice.sharing).filter(|name| name != "exact"), shares),
        ("compat", text(&choice.compat), shares),
    ];
    match given.into_iter().find_map(|(option, value, why)| Some((option, value?, why))) {
        Some((option, value, why)) => Err(wrong(option, value, stands_for(why))),
        None => Ok(()),
    }
}

/// Returns the choices without those that [`refuse_factors`] refuses.
pub(super) fn without_factors(choice: &ModelChoice) -> ModelChoice {
    ModelChoice {
        bandwidth_factor: None,
        latency_factor: None,
        cap_factors: None,
        message_latency: None,
        packet_payload: None,
        packet_overhead: None,
        delivery: None,
        weight_s: None,
        tcp_gamma: None,
        crosstraffic: None,
        sharing: None,
        compat: None,
        loggops: None,
        ..choice.clone()
    }
}

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
        routing: &making.routing,
        seed: making.routing_seed,
    };
    Fabric::new(&ground, level).map(|fabric| Some(Arc::new(fabric)))
}

/// Returns the description of a model, extended by the properties of a fabric.
pub(super) fn described(model: &ModelDescription, fabric: &Fabric) -> ModelDescription {
    let mut description = model.clone();
    let said = &mut description.parameters;
    said.insert("packet-routing", fabric.routing.clone());
    said.insert("vcs", fabric.vcs.to_string());
    said.insert("vc-buffer", format!("{} packets", fabric.vc_buffer));
    description
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_refused_is_left_out() {
        let each = [
            "bandwidth_factor = '0:1'",
            "latency_factor = '0:1'",
            "cap_factors = true",
            "message_latency = '1 us'",
            "packet_payload = 1448",
            "packet_overhead = 66",
            "delivery = 'in-order'",
            "weight_s = 1.0",
            "tcp_gamma = 1.0",
            "crosstraffic = true",
            "sharing = 'simgrid-full'",
            "compat = 'simgrid'",
        ];
        for line in each {
            let choice: ModelChoice = toml::from_str(line).expect(line);
            assert!(refuse_factors(&choice).is_err(), "{line}");
            assert_eq!(without_factors(&choice), ModelChoice::default(), "{line}");
        }
    }
}
