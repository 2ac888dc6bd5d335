//! OSU micro-benchmarks (The Ohio State University, MVAPICH project): `osu_latency`, `osu_bw`, `osu_bibw`.
//!
//! A title such as `# OSU MPI Latency Test v7.4` is followed by a heading and rows of a size and a value, in microseconds or MB/s
//! (10^6 bytes); options add columns behind them. `osu_bibw` adds up both directions.

use super::series::{Flaw, Readings, SeriesKind};
use super::table::{of_rate, of_time, rows};

pub(super) fn read(lines: &[&str]) -> Result<Readings, Flaw> {
    let mut series = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(title) = line.strip_prefix('#').map(str::trim).filter(|title| title.starts_with("OSU MPI")) else {
            continue;
        };
        // `OSU MPI-CUDA Latency Test v5.6.2`: the kind of buffer follows the name. `OSU MPI_Put Latency Test` is another
        // test, of one-sided messages.
        let rest = &title["OSU MPI".len()..];
        let test = rest.trim_start_matches(|c: char| !c.is_whitespace()).trim_start();
        let test = if rest.starts_with('_') { rest } else { test };
        let kinds = [
            ("Latency Test", SeriesKind::PingPong),
            ("Bandwidth Test", SeriesKind::Stream),
            ("Bi-Directional Bandwidth Test", SeriesKind::BothWays),
        ];
        let Some((_, kind)) = kinds.into_iter().find(|(name, _)| test.starts_with(name)) else {
            let known = "those are the two-sided Latency, Bandwidth and Bi-Directional Bandwidth tests";
            return Err((
                at,
                format!("`{}` is not a test that is used; {known}", title.chars().take(60).collect::<String>()),
            ));
        };
        let table = rows(lines, at + 1, "# OSU MPI", 1)?;
        let points = table.into_iter().filter_map(|(at, size, values)| match kind {
            SeriesKind::PingPong => Some(of_time((at, size, values[0] * 1e-6))),
            SeriesKind::Stream => of_rate((at, size, values[0] * 1e6)),
            SeriesKind::BothWays => of_rate((at, size, values[0] * 1e6 / 2.0)),
        });
        let points = points.collect::<Result<Vec<_>, Flaw>>()?;
        if points.is_empty() {
            return Err((at, format!("no measurements follow `{title}`")));
        }
        series.push((kind, title.to_owned(), points));
    }
    Ok(series)
}
