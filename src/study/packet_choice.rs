//! The packet model as written.

use super::choice_error::ChoiceError;
use super::model_constants::{constants, is_model};
use crate::network::model::{Injection, PacketLevel};
use crate::packets::replay::out_of_range;
use crate::printable::counted;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Name of the packet model at the beginning of a setting's model.
pub const PACKET: &str = "packet";

/// Returns `true` if a setting's model has packets.
pub fn has_packets(model: &str) -> bool {
    is_model(model, PACKET)
}

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

impl PacketChoice {
    /// Parses the text after `packet:` in the name of a model, e.g. `routing=amin,vcs=6`.
    ///
    /// # Errors
    /// [`ChoiceError`] for an unknown key or a value that is not a number.
    pub fn parse(text: &str) -> Result<Self, ChoiceError> {
        let mut choice = Self::default();
        for constant in constants(PACKET, text, &KEYS) {
            let constant = constant?;
            let number = || constant.value.parse().map(Some).map_err(|_| constant.wrong("is not a whole number"));
            match constant.key {
                "mtu" => choice.mtu = number()?,
                "header" => choice.header = number()?,
                "vcs" => choice.vcs = number()?,
                "buffer" => choice.buffer = number()?,
                "window" => choice.window = number()?,
                "routing" => choice.routing = Some(constant.value.to_owned()),
                _ => choice.injection = Some(constant.value.to_owned()),
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
            return Err(ChoiceError::wrong(&format!("packet {name}"), value, rule));
        }
        if let Some(routing) = &level.routing {
            let name = routing.split([':', '*']).next().unwrap_or_default();
            crate::packets::routing::find_buffered(name)
                .map_err(|error| ChoiceError::wrong("packet routing", routing, format!("is not possible: {error}")))?;
        }
        said.insert("mtu", format!("{} bytes", level.mtu));
        said.insert("header", format!("{} bytes", level.header));
        said.insert("injection", injection.name().to_owned());
        if let Some(window) = level.window {
            said.insert("window", counted(window.into(), "packet"));
        }
        if let Some(routing) = &level.routing {
            said.insert("packet-routing", routing.clone());
        }
        if let Some(vcs) = level.vcs {
            said.insert("vcs", vcs.to_string());
        }
        if let Some(buffer) = level.vc_buffer {
            said.insert("vc-buffer", counted(buffer.into(), "packet"));
        }
        Ok(level)
    }
}
