//! Available memory, and the limit for one network.
//!
//! Sizes are estimated from specifications, before anything is built: a legal specification of a few bytes can require
//! more than any machine has. The limit applies to the whole process, because memory does; programs that use this
//! library may set it.

use crate::printable::grouped;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Limit in bytes; 0 for the default.
static LIMIT: AtomicU64 = AtomicU64::new(0);

/// Largest number of arcs of a network that was estimated and permitted since the last [`expect_network`].
static PERMITTED: AtomicU64 = AtomicU64::new(0);

/// Bytes per arc and per vertex of a graph while it is built, measured on meshes, tori and hypercubes.
const GRAPH: (u64, u64) = (70, 60);
/// Bytes per arc of a platform with its links and routes, and per host with its two links, while a replay runs.
const PLATFORM: (u64, u64) = (160, 450);
/// Bytes per variable of a linear program, at least: measured on tori of 64 and 144 switches with one source each. The
/// factors of larger programs take more.
const VARIABLE: u64 = 1300;
/// Seconds per arc to build a graph, on a slow core.
const SECONDS: f64 = 3e-7;

/// Returns the bytes of memory available to this process: those of the machine, or of its control group if that has
/// fewer; `None` if the system does not report them.
pub fn available() -> Option<u64> {
    machine().into_iter().chain(control_group(Path::new("/sys/fs/cgroup"))).min()
}

fn machine() -> Option<u64> {
    bytes_in("/proc/meminfo", "MemTotal:")
}

/// Returns the bytes of this process that are in memory; `None` if the system does not report them.
pub(crate) fn resident() -> Option<u64> {
    bytes_in("/proc/self/status", "VmRSS:")
}

/// Returns the value of a line in a file of Linux that has sizes in kB.
fn bytes_in(file: &str, name: &str) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    let kibibytes = text.lines().find_map(|line| line.strip_prefix(name)?.trim().strip_suffix("kB"))?;
    kibibytes.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// Returns the smallest limit of the control groups that contain the process, of both versions.
fn control_group(root: &Path) -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let limits = groups.lines().filter_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next()?, fields.next()?);
        let (folder, file) = match controllers {
            "" => (root.to_owned(), "memory.max"),
            _ if controllers.split(',').any(|name| name == "memory") => (root.join("memory"), "memory.limit_in_bytes"),
            _ => return None,
        };
        // In a container the path may be that of the machine, whose limit is then in the root folder.
        let own = folder.join(path.trim_start_matches('/'));
        let above = own.ancestors().take_while(|group| group.starts_with(&folder));
        above.filter_map(|group| fs::read_to_string(group.join(file)).ok()?.trim().parse::<u64>().ok()).min()
    });
    limits.min()
}

/// Returns the bytes that a network may take: the limit that was set, or half of the available memory. Without either
/// there is no limit.
pub fn limit() -> u64 {
    // It is asked for often, and read from several files.
    static DEFAULT: LazyLock<u64> = LazyLock::new(|| available().map_or(u64::MAX, |bytes| bytes / 2));
    match LIMIT.load(Ordering::Relaxed) {
        0 => *DEFAULT,
        set => set,
    }
}

/// Sets the limit in bytes; 0 for the default.
pub fn set_limit(bytes: u64) {
    LIMIT.store(bytes, Ordering::Relaxed);
}

/// Begins to note the estimates of networks, for [`estimated_seconds`].
pub fn expect_network() {
    PERMITTED.store(0, Ordering::Relaxed);
}

/// Returns the estimated seconds to build the largest network since [`expect_network`], on a slow core; `None` for less
/// than a second, or if the size of none is known yet. Distances, routes and floor plans are not in it.
pub fn estimated_seconds() -> Option<f64> {
    let seconds = PERMITTED.load(Ordering::Relaxed) as f64 * SECONDS;
    (seconds >= 1.0).then_some(seconds)
}

/// Returns a number of bytes as text, with a unit.
pub fn text(bytes: u128) -> String {
    match bytes {
        ..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

/// Returns the reason to refuse a graph of `vertices` vertices and `arcs` arcs if its memory would exceed the limit.
pub(crate) fn refuse_graph(vertices: u128, arcs: u128) -> Option<String> {
    refuse(arcs, arcs * u128::from(GRAPH.0) + vertices * u128::from(GRAPH.1))
}

/// Returns the reason to refuse a platform of `arcs` arcs and `hosts` hosts if its memory would exceed the limit.
pub(crate) fn refuse_platform(arcs: u128, hosts: u128) -> Option<String> {
    refuse(arcs + 2 * hosts, arcs * u128::from(PLATFORM.0) + hosts * u128::from(PLATFORM.1))
}

/// Returns the reason not to solve a linear program of `variables` variables if its memory would exceed the limit.
pub(crate) fn refuse_program(variables: usize) -> Option<String> {
    let name = || format!("its {} variables", grouped(variables as u64));
    refuse_values(variables as u128 * u128::from(VARIABLE), name)
}

/// Returns the reason to refuse lists of `counts` counts of collectives if their memory would exceed the limit.
pub(crate) fn refuse_counts(counts: usize) -> Option<String> {
    refuse_values(counts as u128 * size_of::<u32>() as u128, || "the lists of counts of collectives".to_owned())
}

fn refuse_values(bytes: u128, name: impl FnOnce() -> String) -> Option<String> {
    let limit = u128::from(limit());
    (bytes > limit).then(|| {
        format!("{} take {} of memory or more, and the limit is {} (--memory)", name(), text(bytes), text(limit))
    })
}

fn refuse(parts: u128, bytes: u128) -> Option<String> {
    let limit = u128::from(limit());
    if bytes <= limit {
        PERMITTED.fetch_max(u64::try_from(parts).unwrap_or(u64::MAX), Ordering::Relaxed);
        return None;
    }
    Some(format!(
        "that takes about {} of memory and {:.0} s to build, and the limit is {} (--memory)",
        text(bytes),
        (parts as f64 * SECONDS).max(1.0),
        text(limit)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_permitted_network_is_estimated() {
        // Other tests of this process build small networks at the same time.
        assert_eq!(refuse(100_000_000, 1), None);
        assert!(estimated_seconds().is_some_and(|seconds| seconds >= 30.0), "{:?}", estimated_seconds());
    }

    #[test]
    fn the_smallest_limit_counts() {
        let available = available();
        assert!(available.is_none_or(|bytes| bytes > 1 << 20), "{available:?}");
        assert!(machine().zip(available).is_none_or(|(machine, available)| available <= machine));
        assert_eq!(text(3_900_000_000), "3.9 GB");
        assert_eq!(text(70), "0.1 kB");
        assert_eq!(refuse_program(1), None);
        let refusal = refuse_program(usize::MAX >> 8).unwrap();
        assert!(refusal.contains("variables take 93674872"), "{refusal}");
    }
}
