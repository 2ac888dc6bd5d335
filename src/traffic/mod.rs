//! Synthetic traffic: the share of its messages that each host sends to each other host.
//!
//! Patterns are those of the cycle-accurate studies (bit complement, tornado, hot spots, ...), as BookSim defines them
//! (W. Dally and B. Towles, Principles and Practices of Interconnection Networks, section 3.2), a matrix from a file,
//! or the traffic of a trace. A pattern is never a table of all pairs: it names the destinations of one source at a
//! time, so a permutation of a million hosts takes no memory. A new pattern is one file and one line of [`PATTERNS`].

use crate::similar::nearest;
use crate::topology::Topology;
use arguments::Arguments;
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
mod uniform;
mod worst_case;

pub use error::TrafficError;
pub use from_trace::{Sent, sent};
pub use uniform::Evenly;

/// Default pattern.
pub const DEFAULT: &str = "uniform";

/// Destinations of each host. Hosts are numbered from 0, switch by switch.
pub trait Flows: Send + Sync {
    /// Calls `visit` with each destination of a source, and with its positive share of the source's traffic. A
    /// destination may occur twice. The shares of the busiest source add up to 1; a source without traffic has none.
    fn visit(&self, source: u32, visit: &mut dyn FnMut(u32, f64));

    /// Returns `Some` if every source sends to every host alike, so that pairs need not be visited.
    fn evenly(&self) -> Option<Evenly> {
        None
    }

    /// Returns a remark for readers of the result, as the end of a sentence.
    fn note(&self) -> Option<String> {
        None
    }
}

/// Pattern on a number of hosts.
pub struct Traffic {
    /// Pattern as requested, with everything needed to rebuild it.
    pub name: String,
    /// Seed, for patterns that are random.
    pub seed: Option<u64>,
    /// Number of hosts that take part: the first ones.
    pub endpoints: u32,
    /// Destinations of each host.
    pub flows: Box<dyn Flows>,
}

impl std::fmt::Debug for Traffic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Traffic").field("name", &self.name).field("endpoints", &self.endpoints).finish_non_exhaustive()
    }
}

/// Input of a pattern besides its parameters.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    /// Switch of each host that takes part.
    pub host_switch: &'a [u32],
    /// Switches and cables of the network.
    pub topology: &'a Topology,
    /// Seed of random patterns that have none of their own.
    pub seed: u64,
    /// Folder of relative file names.
    pub folder: &'a std::path::Path,
    /// Table of the algorithms of collectives, for traces.
    pub collectives: &'a str,
}

impl Setting<'_> {
    /// Returns the number of hosts that take part.
    pub fn endpoints(&self) -> u32 {
        self.host_switch.len() as u32
    }
}

/// Function that builds a pattern.
type Build = fn(&Arguments<'_>, &Setting<'_>) -> Result<Box<dyn Flows>, TrafficError>;

/// Entry of the table of patterns.
#[derive(Clone, Copy, Debug)]
pub struct PatternKind {
    /// Name on the command line.
    pub name: &'static str,
    /// Other names. In all names `-` and `_` are the same, and so are capital and small letters.
    pub aliases: &'static [&'static str],
    /// Parameters, in the order in which unnamed values fill them.
    pub parameters: &'static [&'static str],
    /// One line for `--help`.
    pub help: &'static str,
    /// `true` if it depends on a seed, which a report then has to state.
    pub random: bool,
    build: Build,
}

/// All patterns.
#[rustfmt::skip]
pub const PATTERNS: &[PatternKind] = &[
    PatternKind { name: "uniform", aliases: &["uniform_random"], parameters: &["exclude_self"], help: "any host alike, the source included unless excluded", random: false, build: uniform::any },
    PatternKind { name: "all_to_all", aliases: &["alltoall"], parameters: &[], help: "all other hosts alike", random: false, build: uniform::all_to_all },
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
    PatternKind { name: "incast", aliases: &[], parameters: &["target", "sources"], help: "to one host, from all others or the next so many", random: false, build: few::incast },
    PatternKind { name: "random_permutation", aliases: &["permutation", "randperm", "uniform_permutation"], parameters: &["seed"], help: "a permutation, all equally likely", random: true, build: orders::random_permutation },
    PatternKind { name: "mirror", aliases: &["reverse"], parameters: &[], help: "n-1-s: bit complement for any number of hosts", random: false, build: orders::mirror },
    PatternKind { name: "matrix_transpose", aliases: &[], parameters: &["rows"], help: "hosts as a matrix, transposed; rows = largest divisor up to sqrt(n) if left out", random: false, build: orders::matrix_transpose },
    PatternKind { name: "worst_case", aliases: &["longest_matching"], parameters: &[], help: "a permutation of the farthest pairs (longest matching)", random: false, build: worst_case::build },
    PatternKind { name: "next_group", aliases: &["bad_dragon", "dragonfly_worst"], parameters: &["hosts"], help: "all hosts of the next group alike; hosts = those of a group, for a dragonfly its own", random: false, build: next_group::build },
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

/// Checks the name and the parameters' names of a pattern, without a network.
///
/// # Errors
/// [`TrafficError`].
pub fn check(text: &str) -> Result<(), TrafficError> {
    Arguments::read(text).map(|_| ())
}

/// Returns the name of the file that a pattern is read from, if any, as written.
pub fn file_of(text: &str) -> Option<String> {
    Arguments::read(text).ok().and_then(|(_, arguments)| arguments.text("path").map(str::to_owned))
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
pub fn build(text: &str, setting: &Setting<'_>) -> Result<Traffic, TrafficError> {
    let (kind, arguments) = Arguments::read(text)?;
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

/// Permutation, or any other pattern in which a source has one destination.
struct Each<F>(F);

impl<F: Fn(u32) -> u32 + Send + Sync> Flows for Each<F> {
    fn visit(&self, source: u32, visit: &mut dyn FnMut(u32, f64)) {
        visit((self.0)(source), 1.0);
    }
}

#[cfg(test)]
mod tests;
