//! Rows of numbers in the output of a program.

use super::series::{Flaw, MAX_ROWS};
use crate::excerpt::excerpt;
use std::ops::RangeInclusive;

/// Values that a program can have measured besides 0: microseconds, or millions of bytes per second.
const RANGE: RangeInclusive<f64> = 1e-9..=1e9;

/// Reads the rows from line `first` on to the next line that begins with `title`: numbers of which the first one is a size in
/// bytes. Lines that begin neither with a digit nor with another number are passed over, also between rows, where the other rank and launchers
/// print theirs. `columns` is the least number of values. Returns for each row its line and its numbers.
pub(super) fn rows(
    lines: &[&str],
    first: usize,
    title: &str,
    columns: usize,
) -> Result<Vec<(usize, u32, Vec<f64>)>, Flaw> {
    let mut rows: Vec<(usize, u32, Vec<f64>)> = Vec::new();
    for (at, line) in lines.iter().enumerate().skip(first) {
        if line.starts_with(title) {
            break;
        }
        let mut words = line.split_whitespace();
        let size = words.next().unwrap_or_default();
        // A size with a sign, or none at all, is that of a damaged row, and no line of a launcher.
        if !line.starts_with(|c: char| c.is_ascii_digit()) && size.parse::<f64>().is_err() {
            continue;
        }
        let size =
            size.parse().map_err(|_| (at, format!("`{}` is not a size of a message in bytes", excerpt(size))))?;
        let number = |word: &str| {
            let value = word.parse::<f64>().ok().filter(|value| *value == 0.0 || RANGE.contains(value));
            value.ok_or_else(|| {
                let (least, most) = (RANGE.start(), RANGE.end());
                (
                    at,
                    format!(
                        "`{}` is not a number that can be measured: 0, or from {least:e} to {most:e}",
                        excerpt(word)
                    ),
                )
            })
        };
        // The last column may judge the received data.
        let judged = line.split_whitespace().next_back();
        if judged == Some("Fail") {
            return Err((at, "the benchmark says that received data were wrong (`Fail`)".into()));
        }
        let values = words.filter(|word| *word != "Pass").map(number).collect::<Result<Vec<f64>, Flaw>>()?;
        if values.len() < columns {
            return Err((at, format!("{} values follow the size, where {columns} are expected", values.len())));
        }
        if rows.len() == MAX_ROWS {
            return Err((at, format!("the table has more than {MAX_ROWS} rows")));
        }
        rows.push((at, size, values));
    }
    Ok(rows)
}

/// Seconds of a message from a rate in bytes per second; messages without bytes have none.
pub(super) fn of_rate((at, size, rate): (usize, u32, f64)) -> Option<Result<(u32, f64), Flaw>> {
    if size == 0 {
        return None;
    }
    Some(if rate > 0.0 {
        Ok((size, f64::from(size) / rate))
    } else {
        Err((at, "a bandwidth of 0 would take for ever".into()))
    })
}

/// Seconds of a message from a measured time.
pub(super) fn of_time((at, size, seconds): (usize, u32, f64)) -> Result<(u32, f64), Flaw> {
    if seconds > 0.0 { Ok((size, seconds)) } else { Err((at, "a message cannot take 0 s".into())) }
}
