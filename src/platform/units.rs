//! Quantities in human-readable notation: `40 Gbit/s`, `5 GB/s`, `100 ns`, `100 Gflop/s`, or plain numbers in B/s,
//! s, flop/s.
//!
//! The units of SimGrid's platform files (`1.25GBps`, `10Gbps`, `1us`, `1Gf`) are included, so there is one reader. The
//! value of a quantity is the nearest float: `100 ns` is 1e-7. Only in SimGrid's own files it is the product of number
//! and unit, as in SimGrid 3.32: there, `10us` is 10 * 1e-6, just below 1e-5. The last bit matters if the distance of
//! two events is about the tolerance for merging events: it decides whether they are simultaneous.

use serde::de::{Deserialize, Deserializer, Error, Expected, MapAccess, Unexpected, Visitor};
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// Reason why a text is not a quantity.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not {what}: {rule}")]
pub struct UnitError {
    /// Text as given.
    pub text: String,
    /// Expected quantity.
    pub what: &'static str,
    /// The broken rule.
    pub rule: String,
}

const DECIMAL: [&str; 9] = ["", "k", "M", "G", "T", "P", "E", "Z", "Y"];
const BINARY: [&str; 8] = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "Zi", "Yi"];

/// Returns the factor of a prefix: a power of 1000 or, with an `i`, of 1024.
fn prefix(text: &str) -> Option<f64> {
    if let Some(exponent) = DECIMAL.iter().position(|name| *name == text) {
        return Some(1000_f64.powi(exponent as i32));
    }
    let exponent = BINARY.iter().position(|name| *name == text)?;
    Some(1024_f64.powi(exponent as i32 + 1))
}

fn with_base(text: &str, bases: &[(&str, f64)]) -> Option<f64> {
    bases.iter().find_map(|&(base, factor)| Some(factor * prefix(text.strip_suffix(base)?)?))
}

fn bandwidth(unit: &str) -> Option<f64> {
    with_base(unit, &[("B/s", 1.0), ("Bps", 1.0), ("bit/s", 0.125), ("b/s", 0.125), ("bps", 0.125)])
}

fn speed(unit: &str) -> Option<f64> {
    with_base(unit, &[("flop/s", 1.0), ("Flop/s", 1.0), ("flops", 1.0), ("Flops", 1.0), ("f", 1.0)])
}

fn size(unit: &str) -> Option<f64> {
    with_base(unit, &[("B", 1.0)])
}

fn time(unit: &str) -> Option<f64> {
    Some(match unit {
        "ps" => 1e-12,
        "ns" => 1e-9,
        "us" | "µs" | "μs" => 1e-6,
        "ms" => 1e-3,
        "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        "d" => 86_400.0,
        "w" => 604_800.0,
        _ => return None,
    })
}

/// Splits `text` into a number and a unit. An `E` without a digit after it begins the unit: `1000EBps` is exabytes.
fn split(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let sign = |at: usize| usize::from(matches!(bytes.get(at), Some(b'+' | b'-')));
    let start = sign(0);
    let whole = digits(start);
    let mut end = start + whole;
    let mut fraction = 0;
    if bytes.get(end) == Some(&b'.') {
        fraction = digits(end + 1);
        end += 1 + fraction;
    }
    if whole + fraction == 0 {
        return None;
    }
    if let Some(b'e' | b'E') = bytes.get(end) {
        let after = end + 1 + sign(end + 1);
        let exponent = digits(after);
        if exponent > 0 {
            end = after + exponent;
        }
    }
    Some((&text[..end], text[end..].trim()))
}

/// Quantities in the interpretation of SimGrid 3.32.
pub trait FromSimGrid: Sized {
    /// Reads a number with an optional unit; the value is their product.
    ///
    /// # Errors
    /// [`UnitError`] if the text is not such a quantity, or is out of range.
    fn from_simgrid(text: &str) -> Result<Self, UnitError>;
}

/// Returns the float nearest to number times unit. A power of ten below 1 is not a float, so it is added to the decimal
/// exponent.
fn nearest(number: &str, unit: f64) -> Option<f64> {
    if unit >= 1.0 || unit == 0.125 {
        return Some(number.parse::<f64>().ok()? * unit);
    }
    let power = unit.log10().round() as i32;
    let (mantissa, exponent) = match number.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (number, 0),
    };
    format!("{mantissa}e{}", exponent.checked_add(power)?).parse().ok()
}

/// Returns number times unit, as floats.
fn product(number: &str, unit: f64) -> Option<f64> {
    Some(number.parse::<f64>().ok()? * unit)
}

macro_rules! quantity {
    ($(#[$doc:meta])* $name:ident, $what:literal, $units:literal, $scale:path, $rule:literal, $holds:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
        pub struct $name(f64);

        impl $name {
            /// Converts a plain number.
            ///
            /// # Errors
            /// [`UnitError`] if it is out of range.
            pub fn new(value: f64) -> Result<Self, UnitError> {
                Self::checked(value, &format!("{value:?}"))
            }

            /// Returns the plain number.
            pub fn value(self) -> f64 {
                self.0
            }

            fn checked(value: f64, text: &str) -> Result<Self, UnitError> {
                let holds: fn(f64) -> bool = $holds;
                if value.is_finite() && holds(value) {
                    return Ok(Self(value));
                }
                Err(UnitError { text: text.into(), what: $what, rule: $rule.into() })
            }
        }

        impl FromStr for $name {
            type Err = UnitError;

            fn from_str(text: &str) -> Result<Self, UnitError> {
                Self::read(text, nearest)
            }
        }

        impl FromSimGrid for $name {
            fn from_simgrid(text: &str) -> Result<Self, UnitError> {
                Self::read(text, product)
            }
        }

        impl $name {
            fn read(text: &str, join: fn(&str, f64) -> Option<f64>) -> Result<Self, UnitError> {
                let wrong = |rule: String| UnitError { text: text.into(), what: $what, rule };
                let (number, unit) = split(text).ok_or_else(|| wrong(concat!("it must be a number and a unit, e.g. ", $units).into()))?;
                let scale = if unit.is_empty() { Some(1.0) } else { $scale(unit) };
                let scale = scale.ok_or_else(|| wrong(format!(concat!("there is no unit `{}`; write it like ", $units), unit)))?;
                let value = join(number, scale).ok_or_else(|| wrong($rule.into()))?;
                Self::checked(value, text)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct QuantityVisitor;
                impl<'de> Visitor<'de> for QuantityVisitor {
                    type Value = $name;

                    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                        f.write_str(concat!($what, ": a number, or text like ", $units))
                    }

                    fn visit_str<E: Error>(self, text: &str) -> Result<$name, E> {
                        text.parse().map_err(E::custom)
                    }

                    fn visit_f64<E: Error>(self, value: f64) -> Result<$name, E> {
                        $name::new(value).map_err(E::custom)
                    }

                    fn visit_u64<E: Error>(self, value: u64) -> Result<$name, E> {
                        self.visit_f64(value as f64)
                    }

                    fn visit_i64<E: Error>(self, value: i64) -> Result<$name, E> {
                        self.visit_f64(value as f64)
                    }

                    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<$name, A::Error> {
                        let number = number_in_disguise(map, &self)?;
                        self.visit_f64(number)
                    }
                }
                deserializer.deserialize_any(QuantityVisitor)
            }
        }
    };
}

/// Range of plausible rates, with a wide margin; beyond it, sums of times would leave the range of floats.
const RATES: RangeInclusive<f64> = 1e-6..=1e30;

impl Bandwidth {
    /// Largest rate, in bytes per second.
    pub const LARGEST: f64 = *RATES.end();
}

/// Longest time in seconds, for the same reason: thirty thousand years.
const LONGEST: f64 = 1e12;

/// Key under which serde_json passes on the digits of a number if any crate of the program enables its feature
/// `arbitrary_precision`: a visitor that accepts any type then sees JSON numbers as maps.
const NUMBER: &str = "$serde_json::private::Number";

fn number_in_disguise<'de, A: MapAccess<'de>>(mut map: A, expected: &dyn Expected) -> Result<f64, A::Error> {
    let no_number = || A::Error::invalid_type(Unexpected::Map, expected);
    match map.next_entry::<String, String>() {
        Ok(Some((key, digits))) if key == NUMBER => digits.parse().map_err(|_| no_number()),
        _ => Err(no_number()),
    }
}

quantity!(
    /// Bytes per second; between 1e-6 and 1e30.
    Bandwidth,
    "a bandwidth",
    "`40 Gbit/s`, `5 GB/s` or `5e9`",
    bandwidth,
    "it must be between 1e-6 and 1e30 bytes a second",
    |value| RATES.contains(&value)
);
quantity!(
    /// Seconds; zero or more, at most 1e12.
    Seconds,
    "a time",
    "`100 ns`, `1.5 us` or `1e-7`",
    time,
    "it must be zero or more, and at most 1e12 seconds",
    |value| (0.0..=LONGEST).contains(&value)
);
quantity!(
    /// Floating-point operations per second; between 1e-6 and 1e30.
    Speed,
    "a speed",
    "`100 Gflop/s`, `1Gf` or `1e11`",
    speed,
    "it must be between 1e-6 and 1e30 flop/s",
    |value| RATES.contains(&value)
);
quantity!(
    /// Whole bytes; zero or more, at most 2^53.
    Bytes,
    "a size",
    "`64 KiB`, `1 MB` or `65536`",
    size,
    "it must be a whole number of bytes, 0 or more and at most 2^53",
    |value| value.fract() == 0.0 && (0.0..=MOST_BYTES).contains(&value)
);

/// Largest size: floats have every whole number up to it.
const MOST_BYTES: f64 = (1_u64 << 53) as f64;

impl TryFrom<Bytes> for u32 {
    /// Size above the largest `u32`.
    type Error = ();

    fn try_from(bytes: Bytes) -> Result<Self, ()> {
        Self::try_from(bytes.value() as u64).map_err(|_| ())
    }
}

/// Bandwidth of the link between a host and its switch, or `none` for no such link.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum HostLinkBandwidth {
    /// Hosts have no links of their own.
    None,
    /// A link with this bandwidth.
    Of(Bandwidth),
}

impl FromStr for HostLinkBandwidth {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        match text.trim() {
            "none" => Ok(Self::None),
            text => text
                .parse()
                .map(Self::Of)
                .map_err(|error: UnitError| UnitError { rule: format!("{}, or `none`", error.rule), ..error }),
        }
    }
}

impl<'de> Deserialize<'de> for HostLinkBandwidth {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        #[serde(untagged)]
        enum Written {
            Number(f64),
            Text(String),
        }
        let wanted = "a bandwidth: a number, or text like `40 Gbit/s`, `5 GB/s`, or `none`";
        match Written::deserialize(deserializer).map_err(|_| D::Error::custom(format!("this is not {wanted}")))? {
            Written::Number(value) => Bandwidth::new(value).map(Self::Of).map_err(D::Error::custom),
            Written::Text(text) => text.parse().map_err(D::Error::custom),
        }
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp)] // The reader promises exactly one float, so the tests compare for equality.
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn people_and_simgrid_write_the_same_quantities() {
        let bandwidth = |text: &str| text.parse::<Bandwidth>().unwrap().value();
        for text in
            ["40 Gbit/s", "40Gbps", "40 Gb/s", "5 GB/s", "5GBps", "5e9", "5000000000Bps", " 5e3 MB/s ", "+5 GB/s"]
        {
            assert_eq!(bandwidth(text), 5e9, "{text}");
        }
        assert_eq!((bandwidth("1KiBps"), bandwidth("2 Mibit/s")), (1024.0, 262_144.0));
        // An exponent has digits; without them the letter is a prefix.
        assert_eq!((bandwidth("1000EBps"), bandwidth("1e3EB/s"), bandwidth("2 EiB/s")), (1e21, 1e21, 2_f64.powi(61)));
        let time = |text: &str| text.parse::<Seconds>().unwrap().value();
        assert_eq!((time("1e-07s"), time("0.1us"), time("1µs"), time("1 ns")), (1e-7, 1e-7, 1e-6, 1e-9));
        assert_eq!((time("0us"), time("2 min"), time("1w"), time("500ns")), (0.0, 120.0, 604_800.0, 5e-7));
        let simgrid = |text: &str| Seconds::from_simgrid(text).unwrap().value();
        assert_eq!((simgrid("10us"), time("10us")), (10.0 * 1e-6, 1e-5));
        assert!(simgrid("10us") < time("10us"));
        let speed = |text: &str| text.parse::<Speed>().unwrap().value();
        assert_eq!(
            (speed("100 Gflop/s"), speed("1Gf"), speed("100000000000f"), speed("2 Tflops")),
            (1e11, 1e9, 1e11, 2e12)
        );
    }

    #[test]
    fn sizes_are_whole_bytes() {
        let size = |text: &str| text.parse::<Bytes>().map(|bytes| bytes.value() as u64);
        assert_eq!(
            (size("64 KiB"), size("1MB"), size("1.5KiB"), size("4096"), size("0 B")),
            (Ok(65_536), Ok(1_000_000), Ok(1536), Ok(4096), Ok(0))
        );
        let error = size("64 KB").unwrap_err().to_string();
        assert_eq!(error, "`64 KB` is not a size: there is no unit `KB`; write it like `64 KiB`, `1 MB` or `65536`");
        for text in ["1.5", "-1", "1e17", "", "KiB"] {
            assert!(size(text).is_err(), "{text}");
        }
        assert_eq!(
            (u32::try_from(Bytes(4_294_967_295.0)), u32::try_from(Bytes(4_294_967_296.0))),
            (Ok(u32::MAX), Err(()))
        );
    }

    #[test]
    fn in_simgrid_files_a_quantity_is_number_times_unit() {
        let time = |text: &str| Seconds::from_simgrid(text).unwrap().value();
        assert_eq!((time("10us"), time("1e-05s"), time("1e-05")), (1e-5_f64.next_down(), 1e-5, 1e-5));
        assert_eq!((time("100 ns"), time("1e-07s")), (1e-7_f64.next_up(), 1e-7));
    }

    #[test]
    fn mistakes_are_explained() {
        let error = "40 Gbyte".parse::<Bandwidth>().unwrap_err();
        let text =
            "`40 Gbyte` is not a bandwidth: there is no unit `Gbyte`; write it like `40 Gbit/s`, `5 GB/s` or `5e9`";
        assert_eq!(error.to_string(), text);
        for text in [
            "",
            "GB/s",
            "-5 GB/s",
            "0",
            "0 GB/s",
            "inf",
            "nan",
            "1e999",
            "1e99999999999 B/s",
            "5 GB/s extra",
            "5 KB/s",
            "1Gf, 2Gf",
            "1e308 GB/s",
            "1e31",
            "1e-7",
        ] {
            assert!(text.parse::<Bandwidth>().is_err(), "{text}");
        }
        assert!("-1 ns".parse::<Seconds>().is_err() && "1e13".parse::<Seconds>().is_err());
        assert!(Bandwidth::new(f64::NAN).is_err());
    }

    #[test]
    fn files_may_have_numbers_or_text() {
        assert_eq!(
            serde_json::from_str::<Vec<Bandwidth>>(r#"[5000000000, 5e9, "40 Gbit/s"]"#).unwrap(),
            [Bandwidth(5e9); 3]
        );
        assert!(serde_json::from_str::<Bandwidth>("-1").unwrap_err().to_string().contains("must be between"));
        assert!(serde_json::from_str::<Seconds>("true").unwrap_err().to_string().contains("a time: a number"));
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[0-9eE.+-]{0,12} ?[a-zA-Zµ/]{0,6}") {
            let _ = text.parse::<Bandwidth>();
            let _ = text.parse::<Seconds>();
            let _ = text.parse::<Speed>();
        }

        #[test]
        fn plain_numbers_read_back(value in 1e-6..1e30_f64) {
            prop_assert_eq!(format!("{value:e}").parse::<Bandwidth>().unwrap().value(), value);
        }
    }
}
