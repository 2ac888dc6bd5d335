//! NetPIPE (Snell, Mikler, Gustafson: NetPIPE: A Network Protocol Independent Performance Evaluator, 1996): its output file
//! `np.out`, or what it prints.
//!
//! The file has rows of bytes, Mbps and seconds. What is printed has lines such as
//! `  3:       4 bytes   3012 times -->      2.35 Mbps in      12.96 usec`. Rates are left out, since versions differ in what a
//! megabit is.

use super::series::{Flaw, MAX_ROWS, Readings, SeriesKind};

pub(super) fn read(lines: &[&str]) -> Result<Readings, Flaw> {
    let mut points = Vec::new();
    let printed = lines.iter().any(|line| line.contains("times -->"));
    for (at, line) in lines.iter().enumerate() {
        let point = if printed { of_printed(line) } else { of_file(line) };
        match point {
            Some(point) if points.len() < MAX_ROWS => points.push(point),
            Some(_) => return Err((at, format!("there are more than {MAX_ROWS} rows"))),
            None if printed && line.contains("times -->") => {
                return Err((at, "the line is cut, or has no time in microseconds".into()));
            }
            // A launcher prints lines of its own, but a file has nothing but rows.
            None if printed || line.is_empty() => {}
            None if points.is_empty() => return Ok(Vec::new()),
            None => return Err((at, "this is not a row of bytes, Mbps and seconds".into())),
        }
    }
    let series = (SeriesKind::PingPong, "NetPIPE".to_owned(), points);
    Ok(if series.2.is_empty() { Vec::new() } else { vec![series] })
}

/// `  3:       4 bytes   3012 times -->      2.35 Mbps in      12.96 usec`.
fn of_printed(line: &str) -> Option<(u32, f64)> {
    let (before, after) = line.split_once("times -->")?;
    let size = before.split_once(':')?.1.split_whitespace().next()?.parse().ok()?;
    let time = after.split_once(" in ")?.1;
    let mut words = time.split_whitespace();
    let value: f64 = words.next()?.parse().ok().filter(|value: &f64| value.is_finite() && *value > 0.0)?;
    words.next()?.starts_with("usec").then_some((size, value * 1e-6))
}

/// `4 2.35 0.00001296`: a size, a rate, and a time that goes with both.
fn of_file(line: &str) -> Option<(u32, f64)> {
    let words: Vec<f64> = line.split_whitespace().map(|word| word.parse().ok()).collect::<Option<_>>()?;
    let [bytes, mbps, seconds] = words[..] else { return None };
    let rate = bytes * 8.0 / seconds / 1e6;
    let goes = seconds > 0.0 && mbps > 0.0 && (0.9..1.1).contains(&(rate / mbps));
    let is_size = bytes.fract() == 0.0 && (1.0..=f64::from(u32::MAX)).contains(&bytes);
    (goes && is_size).then_some((bytes as u32, seconds))
}
