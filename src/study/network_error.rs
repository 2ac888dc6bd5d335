//! Reasons why a network cannot be built.

use super::choice_error::ChoiceError;
use super::model_file::ModelFileError;
use super::network_parts::QUOTES;
use super::toml_file::{self, PathStep, PathStep::Key, Place, TomlError};
use crate::packets::PacketError;
use crate::platform::PlatformError;
use crate::topology::TopologyError;
use crate::user_error::UserError;
use std::path::{Path, PathBuf};

/// Reason why a network cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// There is neither a topology nor a platform file, or both.
    #[error("a network needs either a topology or a platform file, and {}", if *.both { "both are given" } else { "neither is given" })]
    Ambiguous {
        /// `true` if both are specified.
        both: bool,
    },
    /// Planes and a topology contradict each other.
    #[error("{problem}")]
    Planes {
        /// The key to change.
        key: &'static str,
        /// What is wrong, as a sentence.
        problem: String,
        /// One line on how to fix it.
        help: &'static str,
    },
    /// An option is not possible for a platform file with its own links and routes.
    #[error("`{option}` does not go with platform file `{}`, which lists its own links and routes", .file.display())]
    NotForFile {
        /// Name of the option.
        option: &'static str,
        /// Path of the file.
        file: PathBuf,
    },
    /// Routes of a damaged network cannot be repaired.
    #[error("{0}")]
    NotRepaired(String),
    /// A platform file that lists its own links has no graph of switches.
    #[error("platform file `{}` lists links and routes, and has no graph of switches", .file.display())]
    NoGraph {
        /// Path of the file.
        file: PathBuf,
    },
    /// A platform file in TOML cannot be used.
    #[error(transparent)]
    Toml(#[from] TomlError),
    /// A platform file in TOML names another one.
    #[error("a platform file in TOML names another one")]
    Nested,
    /// The contents of a platform file in TOML cannot be built.
    #[error("{}: {error}", in_file(.file, *.place))]
    InToml {
        /// Path of the file.
        file: PathBuf,
        /// Place of the error; `None` if something is missing.
        place: Option<Place>,
        /// Cause of the error.
        error: Box<NetworkError>,
    },
    /// The topology cannot be built.
    #[error(transparent)]
    Topology(#[from] TopologyError),
    /// A quoted price or power is not a valid number.
    #[error("{key} = {value} is neither 0 nor an amount from {:e} to {:e}", QUOTES.start(), QUOTES.end())]
    Quoted {
        /// Name of the key.
        key: &'static str,
        /// Value as written.
        value: f64,
    },
    /// The network's own model is invalid.
    #[error("model: {0}")]
    Model(#[from] ChoiceError),
    /// The file of the network's own model cannot be used.
    #[error(transparent)]
    ModelFile(#[from] ModelFileError),
    /// The packet model does not support the network.
    #[error(transparent)]
    Packets(#[from] Box<PacketError>),
    /// The platform cannot be built.
    #[error(transparent)]
    Platform(#[from] PlatformError),
}

impl NetworkError {
    /// Returns the path to the error in the table that describes the network; empty for the table as a whole.
    pub fn way(&self) -> Vec<PathStep<'static>> {
        match self {
            Self::Ambiguous { both: false } => Vec::new(),
            Self::Ambiguous { both: true }
            | Self::NoGraph { .. }
            | Self::Toml(_)
            | Self::Nested
            | Self::InToml { .. }
            | Self::Platform(PlatformError::File(_) | PlatformError::Unsupported(_) | PlatformError::Read(_)) => {
                vec![Key("platform")]
            }
            Self::Topology(_)
            | Self::Platform(
                PlatformError::Topology(_) | PlatformError::Disconnected { .. } | PlatformError::TooLarge { .. },
            ) => {
                vec![Key("topology")]
            }
            Self::Model(error) => ["model"].into_iter().chain(error.key()).map(Key).collect(),
            Self::ModelFile(_) => vec![Key("model")],
            Self::Packets(_) | Self::NotRepaired(_) => Vec::new(),
            Self::Quoted { key, .. } => vec![Key(key)],
            Self::Planes { key, .. } => vec![Key(key)],
            Self::NotForFile { option: option @ ("without" | "planes" | "host_ports" | "host_ports_at"), .. } => {
                vec![Key(option)]
            }
            Self::NotForFile { option: "routing", .. } | Self::Platform(PlatformError::Routing(_)) => {
                vec![Key("routing")]
            }
            Self::NotForFile { option: parameter, .. }
            | Self::Platform(PlatformError::InvalidParameter { parameter, .. }) => {
                vec![Key("parameters"), Key(parameter)]
            }
        }
    }

    /// Converts the error to one of the platform file in TOML that caused it.
    pub(super) fn in_toml(self, file: &Path, text: &str) -> Self {
        let place = toml_file::place_of(text, &self.way());
        Self::InToml { file: file.to_owned(), place, error: Box::new(self) }
    }

    /// Returns `true` if packets have no counterpart of the network, or their routing is for others.
    pub fn is_not_modelled(&self) -> bool {
        let Self::Packets(error) = self else { return false };
        matches!(**error, PacketError::NotModelled { .. } | PacketError::Unsuitable { .. })
    }
}

impl UserError for NetworkError {
    fn help(&self) -> String {
        match self {
            Self::Ambiguous { .. } => "give --topology SPEC or --platform FILE (in a study: one of these keys)".into(),
            Self::Planes { help, .. } => (*help).into(),
            Self::NotForFile { .. } => "leave the option out, or describe the network by a topology".into(),
            Self::NotRepaired(_) => "leave out `routes`, or use a static rule without options, such as `balanced`".into(),
            Self::NoGraph { .. } => "use --to simgrid, or describe the network by a topology".into(),
            Self::Toml(TomlError::Read(error)) => error.help(),
            Self::Toml(_) => {
                "the keys are name, topology, platform, routing, defaults, seed, without, planes, host_ports, host_ports_at, price, watts and the table [parameters]".into()
            }
            Self::Nested => "put the keys of that file here instead".into(),
            Self::InToml { error, .. } if matches!(**error, Self::Ambiguous { .. }) => {
                "write one of the keys topology and platform into it".into()
            }
            Self::InToml { error, .. } => error.help(),
            Self::Topology(error) => error.help(),
            Self::Quoted { .. } => "give the amount, in the currency of the price list".into(),
            Self::Model(error) => error.help(),
            Self::ModelFile(error) => error.help(),
            Self::Packets(error) => error.help(),
            Self::Platform(error) => error.help(),
        }
    }

    fn is_io(&self) -> bool {
        match self {
            Self::Toml(error) => error.is_io(),
            Self::ModelFile(error) => error.is_io(),
            Self::Topology(error) => error.is_io(),
            Self::Platform(error) => error.is_io(),
            Self::InToml { error, .. } => error.is_io(),
            _ => false,
        }
    }
}

/// Returns a file, with the place in it if there is one, for the beginning of a message.
fn in_file(file: &Path, place: Option<Place>) -> String {
    match place {
        Some(place) => format!("{}:{place}", file.display()),
        None => format!("platform file `{}`", file.display()),
    }
}
