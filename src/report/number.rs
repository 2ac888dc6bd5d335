//! Human-readable numbers.

pub use crate::printable::{counted, grouped};

/// Formats seconds with the unit that leaves one to three digits before the point: `4.651857 ms`.
pub fn seconds(seconds: f64) -> String {
    if seconds.abs() >= 1e9 {
        return format!("{seconds:.3e} s");
    }
    let (factor, unit) = match seconds.abs() {
        s if s == 0.0 || s >= 1.0 => (1.0, "s"),
        s if s >= 1e-3 => (1e3, "ms"),
        s if s >= 1e-6 => (1e6, "us"),
        _ => (1e9, "ns"),
    };
    format!("{:.3} {unit}", seconds * factor)
}

/// Formats bytes with a decimal unit: `1.50 GB`.
pub fn bytes(bytes: u64) -> String {
    let units = ["kB", "MB", "GB", "TB", "PB", "EB"];
    let mut value = bytes as f64;
    let mut unit = "B";
    for next in units {
        if value < 1000.0 {
            break;
        }
        value /= 1000.0;
        unit = next;
    }
    if unit == "B" { format!("{bytes} B") } else { format!("{value:.2} {unit}") }
}

/// Formats a bandwidth in bytes per second as Gbit/s.
pub fn bandwidth(value: f64) -> String {
    format!("{} Gbit/s", (value * 8.0 / 1e9 * 1e6).round() / 1e6)
}

/// Formats the speed of a core in Gflop/s.
pub fn flops(value: f64) -> String {
    format!("{} Gflop/s", (value / 1e9 * 1e6).round() / 1e6)
}

/// Formats seconds like [`seconds`], without trailing zeros: `100 ns`.
pub fn brief_seconds(value: f64) -> String {
    let text = seconds(value);
    match text.split_once(' ') {
        Some((number, unit)) if number.contains('.') && !number.contains('e') => {
            format!("{} {unit}", number.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => text,
    }
}

/// Formats Mop/s: with commas, and with decimals only for small numbers.
pub fn mops(mops: f64) -> String {
    match mops {
        1e15.. => format!("{mops:.3e}"),
        1000.0.. => grouped(mops.round() as u64),
        _ => format!("{mops:.2}"),
    }
}

/// Formats a fraction as a percentage.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(seconds(0.004651857), "4.652 ms");
        assert_eq!(seconds(1.5e-7), "150.000 ns");
        assert_eq!(seconds(0.0), "0.000 s");
        assert_eq!(seconds(1e300), "1.000e300 s");
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bytes(1_500_000_000), "1.50 GB");
        assert_eq!(grouped(2_870_809), "2,870,809");
        assert_eq!(grouped(12), "12");
        assert_eq!(mops(12.345), "12.35");
        assert_eq!(mops(123_456.7), "123,457");
        assert_eq!(percent(0.1234), "12.3 %");
    }
}
