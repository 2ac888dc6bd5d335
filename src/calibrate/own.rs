//! The benchmark that comes with this program: a small MPI program in C, which `mopsim calibrate --run` compiles and starts.
//!
//! It prints `# mopsim hosts` with a line for the host of each rank, and for each kind `# mopsim calibrate KIND` and rows of a
//! size and microseconds.

use super::series::{BOTH_RANKS_ON, Flaw, Readings, SeriesKind};
use super::table::{of_time, rows};
use crate::excerpt::excerpt;

/// Source of the benchmark in C.
pub const PROGRAM: &str = include_str!("benchmark.c");

/// Name of its source file.
pub const PROGRAM_NAME: &str = "mopsim-benchmark.c";

pub(super) fn read(lines: &[&str]) -> Result<Readings, Flaw> {
    let hosts = lines.iter().position(|line| *line == "# mopsim hosts").and_then(|at| lines.get(at + 1..at + 3));
    let together = match hosts {
        Some([first, second]) if first == second => format!("{BOTH_RANKS_ON}{}", first.trim_start_matches(['#', ' '])),
        _ => String::new(),
    };
    let mut series = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(name) = line.strip_prefix("# mopsim calibrate ").map(str::trim) else { continue };
        let kind = SeriesKind::ALL.into_iter().find(|kind| kind.name() == name);
        let kind = kind.ok_or_else(|| (at, format!("`{}` is not ping-pong, stream or both ways", excerpt(name))))?;
        let points: Vec<(u32, f64)> = rows(lines, at + 1, "# mopsim calibrate ", 1)?
            .into_iter()
            .map(|(at, size, values)| of_time((at, size, values[0] * 1e-6)))
            .collect::<Result<_, _>>()?;
        if points.is_empty() {
            return Err((at, format!("no measurements follow `{name}`")));
        }
        series.push((kind, format!("mopsim's benchmark, {name}{together}"), points));
    }
    Ok(series)
}
