//! Usual values of options whose values have a syntax of their own, for completions.
//!
//! The values are checked where they are used: messages there name the nearest one, and files or names with options
//! (`ugal:k=4`) are legal as well. So nothing is refused here.

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command, Error};
use mopsim::defaults::Version;
use mopsim::mpi::collective::select::Table;
use mopsim::mpi::mapping::Mapping;
use mopsim::network::model::NetworkModel;
use mopsim::network::sharing::Rule;
use mopsim::platform::RailPolicy;
use mopsim::throughput::bounds::Wanted;
use mopsim::topology::presets::PRESETS;
use mopsim::topology::registry::FAMILIES;
use mopsim::workload::catalogue;
use mopsim::{floorplan, packets, routing, traffic};
use std::ffi::OsStr;
use std::sync::OnceLock;

/// A text, and the values that completions offer.
#[derive(Clone)]
pub struct Known(pub fn() -> Vec<&'static str>);

impl TypedValueParser for Known {
    type Value = String;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<String, Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.0)().into_iter().map(PossibleValue::new)))
    }
}

pub fn bounds() -> Vec<&'static str> {
    Wanted::NAMES.iter().map(|(name, _)| *name).collect()
}

pub fn duplexes() -> Vec<&'static str> {
    vec!["full", "shared"]
}

pub fn floor_plans() -> Vec<&'static str> {
    floorplan::FloorModel::NAMES.iter().map(|(name, _)| *name).collect()
}

/// Beginnings of specifications: families and presets, with the colon that their parameters follow.
pub fn families() -> Vec<&'static str> {
    static BEGINNINGS: OnceLock<Vec<String>> = OnceLock::new();
    let names = || FAMILIES.iter().chain(PRESETS.iter().map(|preset| &preset.family)).map(|family| family.name);
    BEGINNINGS.get_or_init(|| names().map(|name| format!("{name}:")).collect()).iter().map(String::as_str).collect()
}

pub fn rails() -> Vec<&'static str> {
    RailPolicy::NAMES.iter().map(|(name, _)| *name).collect()
}

pub fn orders() -> Vec<&'static str> {
    floorplan::Placement::NAMES.iter().map(|(name, _)| *name).collect()
}

pub fn mappings() -> Vec<&'static str> {
    Mapping::NAMES.to_vec()
}

pub fn models() -> Vec<&'static str> {
    NetworkModel::NAMES.to_vec()
}

pub fn packet_routings() -> Vec<&'static str> {
    packets::routing::ROUTINGS.iter().map(|routing| routing.name).collect()
}

pub fn patterns() -> Vec<&'static str> {
    traffic::PATTERNS.iter().map(|pattern| pattern.name).collect()
}

pub fn presets() -> Vec<&'static str> {
    packets::parameters::PRESETS.iter().map(|preset| preset.name).collect()
}

pub fn routings() -> Vec<&'static str> {
    routing::ROUTINGS.iter().map(|routing| routing.name).collect()
}

pub fn sharings() -> Vec<&'static str> {
    Rule::FORMS.to_vec()
}

pub fn tables() -> Vec<&'static str> {
    Table::ALL.iter().map(|table| table.name()).collect()
}

pub fn workloads() -> Vec<&'static str> {
    catalogue::ALL.iter().map(|program| program.name).collect()
}

pub fn versions() -> Vec<&'static str> {
    Version::ALL.iter().map(|version| version.name()).collect()
}
