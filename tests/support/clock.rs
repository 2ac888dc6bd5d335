//! Processor time, for tests that must not take long. The time of other programs does not count, so that a busy machine
//! fails no test.

use std::sync::LazyLock;
use std::time::Instant;

/// Processor time of a process or a thread in seconds, from its `stat` file in `/proc`; elsewhere than on Linux, seconds
/// that have passed. Only differences have a meaning.
pub fn processor_seconds(stat: &str) -> f64 {
    static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
    // The name of the program is in brackets, and may contain blanks and brackets.
    let ticks = std::fs::read_to_string(stat).ok().and_then(|text| {
        let mut fields = text.rsplit_once(')')?.1.split_whitespace().skip(11).map(|field| field.parse::<u64>().ok());
        Some(fields.next()?? + fields.next()??)
    });
    // Ticks are hundredths of a second on every Linux.
    ticks.map_or_else(|| BEGIN.elapsed().as_secs_f64(), |ticks| ticks as f64 / 100.0)
}
