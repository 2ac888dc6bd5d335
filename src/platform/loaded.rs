//! A platform with the other data of its file, and options for values that the file may omit.

use super::Platform;
use super::parameters::Loopback;
use crate::topology::input::Located;

/// Options for values that a file may omit.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct LoadOptions {
    /// Link from a host to itself, if a file in explicit JSON or SimGrid XML does not specify it; a description in TOML
    /// has it among its parameters.
    pub loopback: Loopback,
}

/// A platform, and other data from its file.
#[derive(Debug)]
pub struct Loaded {
    /// The platform itself.
    pub platform: Platform,
    /// Settings of the model, in the order of the file.
    pub settings: Vec<Setting>,
    /// Parts of the file that a replay does not use, for messages.
    pub remarks: Vec<String>,
    /// Price of the network, if specified in the file.
    pub price: Option<f64>,
    /// Power of the network in watts, if specified in the file.
    pub watts: Option<f64>,
}

impl From<Platform> for Loaded {
    fn from(platform: Platform) -> Self {
        Self { platform, settings: Vec::new(), remarks: Vec::new(), price: None, watts: None }
    }
}

/// A setting of the model in a platform file: a property of SimGrid's `config`.
#[derive(Clone, PartialEq, Debug)]
pub struct Setting {
    /// Name, such as `smpi/os`.
    pub key: String,
    /// Value as text.
    pub value: String,
    /// Position in the file; its message and help are empty.
    pub place: Located,
}
