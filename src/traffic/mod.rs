//! Synthetic traffic: the share of its messages that each host sends to each other host.
//!
//! Patterns are those of the cycle-accurate studies (bit complement, tornado, hot spots, ...), as BookSim defines them
//! (W. Dally and B. Towles, Principles and Practices of Interconnection Networks, section 3.2), a matrix from a file,
//! or the traffic of a trace. A pattern is never a table of all pairs: it names the destinations of one source at a
//! time, so a permutation of a million hosts takes no memory. A new pattern is one file and one line of [`PATTERNS`].

use crate::similar::nearest;
use crate::user_error::UserError;
use arguments::PatternArguments;
use std::path::Path;

mod arguments;
mod bits;
mod digits;
mod error;
mod few;
mod from_trace;
mod matching;
mod matrix;
mod next_group;
mod orders;
mod pattern;
mod uniform;
mod worst_case;

pub use error::TrafficError;
pub use from_trace::{Sent, sent};
pub use pattern::{Evenly, Flows, PatternInput, PatternKind, Traffic};

/// Default pattern.
pub const DEFAULT: &str = "uniform";

/// All patterns.
#[rustfmt::skip]
pub const PATTERNS: &[PatternKind] = &[
    PatternKind { name: "uniform", aliases: &["uniform_random"], parameters: &["exclude_self"], help: "to all hosts equally, the source included unless excluded", random: false, build: uniform::any },
    PatternKind { name: "all_to_all", aliases: &["alltoall"], parameters: &[], help: "to all other hosts equally", random: false, build: uniform::all_to_all },
    PatternKind { name: "bit_complement", aliases: &["complement", "bitcomp"], parameters: &[], help: "all bits inverted; 2^b hosts", random: false, build: bits::complement },
    PatternKind { name: "bit_reversal", aliases: &["reversal", "bitrev"], parameters: &[], help: "bits in reverse order; 2^b hosts", random: false, build: bits::reversal },
    PatternKind { name: "transpose", aliases: &["matrix_transpose_bits"], parameters: &[], help: "upper and lower half of the bits exchanged; 2^b hosts, b even", random: false, build: bits::transpose },
    PatternKind { name: "shuffle", aliases: &["perfect_shuffle"], parameters: &[], help: "bits rotated left; 2^b hosts", random: false, build: bits::shuffle },
    PatternKind { name: "bit_rotation", aliases: &["rotation", "bitrot"], parameters: &[], help: "bits rotated right; 2^b hosts", random: false, build: bits::rotation },
    PatternKind { name: "tornado", aliases: &[], parameters: &["k", "m"], help: "ceil(k/2)-1 further in each base-k digit; k^m hosts, m = 1 if both are left out", random: false, build: digits::tornado },
    PatternKind { name: "neighbour", aliases: &["neighbor"], parameters: &["k", "m"], help: "1 further in each base-k digit; k^m hosts, m = 1 if both are left out", random: false, build: digits::neighbour },
    PatternKind { name: "asymmetric", aliases: &[], parameters: &[], help: "s mod n/2, or n/2 more, with equal shares; n even", random: false, build: few::asymmetric },
    PatternKind { name: "diagonal", aliases: &[], parameters: &[], help: "one third to the next host, the rest to itself", random: false, build: few::diagonal },
    PatternKind { name: "hotspot", aliases: &["hot_spot"], parameters: &["nodes", "rates"], help: "to the listed hosts, in proportion to their rates", random: false, build: few::hotspot },
    PatternKind { name: "incast", aliases: &[], parameters: &["target", "sources"], help: "to one host, from all others or the next S (sources)", random: false, build: few::incast },
    PatternKind { name: "random_permutation", aliases: &["permutation", "randperm", "uniform_permutation"], parameters: &["seed"], help: "a random permutation, each equally likely", random: true, build: orders::random_permutation },
    PatternKind { name: "mirror", aliases: &["reverse"], parameters: &[], help: "n-1-s: bit complement for any number of hosts", random: false, build: orders::mirror },
    PatternKind { name: "matrix_transpose", aliases: &[], parameters: &["rows"], help: "hosts as a matrix, transposed; rows = largest divisor up to sqrt(n) if left out", random: false, build: orders::matrix_transpose },
    PatternKind { name: "worst_case", aliases: &["longest_matching"], parameters: &[], help: "the permutation with the largest sum of distances (longest matching)", random: false, build: worst_case::build },
    PatternKind { name: "next_group", aliases: &["bad_dragon", "dragonfly_worst"], parameters: &["hosts"], help: "to all hosts of the next group equally; hosts = hosts per group, for a dragonfly that of its groups", random: false, build: next_group::build },
    PatternKind { name: "matrix", aliases: &[], parameters: &["path"], help: "traffic matrix from a file", random: false, build: matrix::build },
    PatternKind { name: "trace", aliases: &[], parameters: &["path"], help: "what the ranks of a trace send; rank r is host r", random: false, build: from_trace::build },
];

/// Returns the pattern with this name or alias.
///
/// # Errors
/// [`TrafficError::Unknown`].
pub fn find(name: &str) -> Result<&'static PatternKind, TrafficError> {
    let wanted = name.trim().to_lowercase().replace('-', "_");
    PATTERNS.iter().find(|kind| kind.name == wanted || kind.aliases.contains(&wanted.as_str())).ok_or_else(|| {
        let names = PATTERNS.iter().flat_map(|kind| [kind.name].into_iter().chain(kind.aliases.iter().copied()));
        TrafficError::Unknown { name: name.into(), nearest: nearest(name, names).map(Into::into) }
    })
}

/// Reads the name and the parameters of a pattern.
fn read(text: &str) -> Result<(&'static PatternKind, PatternArguments<'_>), TrafficError> {
    let name = text.split_once(':').map_or(text, |(name, _)| name);
    let kind = find(name)?;
    Ok((kind, PatternArguments::of(text, kind)?))
}

/// Checks the name and the parameters' names of a pattern, without a network.
///
/// # Errors
/// [`TrafficError`].
pub fn check(text: &str) -> Result<(), TrafficError> {
    read(text).map(|_| ())
}

/// Returns the name of the file that a pattern is read from, if any, as written.
pub fn file_of(text: &str) -> Option<String> {
    read(text).ok().and_then(|(_, arguments)| arguments.text("path").map(str::to_owned))
}

/// Returns the pattern with the name of its file, if any, relative to `folder`.
pub fn found_from(text: &str, folder: &Path) -> String {
    match file_of(text).and_then(|path| Some((text.rfind(&path)?, path))) {
        Some((at, path)) => {
            format!("{}{}{}", &text[..at], folder.join(&path).display(), &text[at + path.len()..])
        }
        None => text.to_owned(),
    }
}

/// Builds a pattern from a text such as `uniform`, `tornado:k=8` or `hotspot:nodes=[0,5],rates=[3,1]`.
///
/// # Errors
/// [`TrafficError`].
pub fn build(text: &str, setting: &PatternInput<'_>) -> Result<Traffic, TrafficError> {
    let (kind, arguments) = read(text)?;
    if setting.host_switch.is_empty() {
        return Err(TrafficError::NoHosts);
    }
    let seed = match kind.random {
        true => Some(arguments.integer("seed")?.unwrap_or(setting.seed)),
        false => None,
    };
    let flows = (kind.build)(&arguments, setting)?;
    let mut name = arguments.canonical();
    if let (Some(seed), None) = (seed, arguments.text("seed")) {
        name = format!("{name}:seed={seed}");
    }
    Ok(Traffic { name, seed, endpoints: setting.endpoints(), flows })
}

impl UserError for TrafficError {
    fn help(&self) -> String {
        match self {
            Self::Unknown { .. } => {
                let names = PATTERNS.iter().map(|kind| kind.name).collect::<Vec<_>>().join(", ");
                format!("the patterns are {names}")
            }
            Self::Invalid { .. } => {
                "write a pattern as `name` or `name:parameter=value,...`, e.g. `tornado:k=8`; see --help".into()
            }
            Self::NotPowerOfTwo { .. } | Self::NotEvenPowerOfTwo { .. } => "set the number of hosts with \
                 --hosts-per-switch or --endpoints, or take `mirror` or `matrix_transpose`, which fit any number"
                .into(),
            Self::WrongHosts { .. } => "set the number of hosts with --hosts-per-switch or --endpoints".into(),
            Self::NoHosts => "give --hosts-per-switch a number of at least 1".into(),
            Self::Disconnected { .. } => {
                "add cables, or put hosts only on switches that reach each other in both directions".into()
            }
            Self::File(located) => located.help.clone(),
            Self::Read(error) => error.help(),
            Self::Trace(error) => error.help(),
            Self::Replay { .. } => "`mopsim replay` tells more about what is wrong with the trace".into(),
        }
    }

    fn is_io(&self) -> bool {
        match self {
            Self::Read(error) => error.is_io(),
            Self::Trace(error) => error.is_io(),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests;
