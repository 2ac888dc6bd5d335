//! Intel MPI Benchmarks: `IMB-MPI1` with PingPong, Uniband and Biband.
//!
//! `# Benchmarking PingPong` is followed by a heading and rows. PingPong has a size, repetitions, microseconds and MB/s;
//! Uniband and Biband have no time (MB/s and messages a second), and Biband adds up both directions. Other benchmarks of the
//! same file are collectives or mixtures, of which no constant follows.

use super::series::{Flaw, Readings, SeriesKind};
use super::table::{of_rate, of_time, rows};

pub(super) fn read(lines: &[&str]) -> Result<Readings, Flaw> {
    let version = lines.iter().find_map(|line| {
        let words = line.strip_prefix('#')?.trim();
        words.starts_with("Intel").then(|| words.split(',').next().unwrap_or(words).to_owned())
    });
    let mut series = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(name) = line.strip_prefix("# Benchmarking ").map(str::trim) else { continue };
        let kind = match name {
            "PingPong" => SeriesKind::PingPong,
            "Uniband" => SeriesKind::Stream,
            "Biband" => SeriesKind::BothWays,
            _ => continue,
        };
        let table = rows(lines, at + 1, "# Benchmarking ", 3)?;
        let points = table.into_iter().filter_map(|(at, size, values)| match kind {
            SeriesKind::PingPong => Some(of_time((at, size, values[1] * 1e-6))),
            SeriesKind::Stream => of_rate((at, size, values[1] * 1e6)),
            SeriesKind::BothWays => of_rate((at, size, values[1] * 1e6 / 2.0)),
        });
        let points = points.collect::<Result<Vec<_>, Flaw>>()?;
        if points.is_empty() {
            return Err((at, format!("no measurements follow `{name}`")));
        }
        let program = version.as_deref().unwrap_or("Intel MPI Benchmarks");
        series.push((kind, format!("{program}, {name}"), points));
    }
    Ok(series)
}
