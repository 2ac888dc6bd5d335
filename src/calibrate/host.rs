//! Speed of a host, as a file, and the `--host-speed` that follows from it: by default, computations of a recording take
//! the time that they took on the recorded machine.

use super::error::CalibrateError;
use crate::excerpt::excerpts;
use crate::topology::input::{place, read_text};
use crate::trace::DEFAULT_RECORDED_SPEED;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::Path;
use toml::Spanned;

/// Source text of the program that measures; compiled with `-pthread`.
pub const HOST_PROGRAM: &str = include_str!("host.c");

/// Name of its file.
pub const HOST_PROGRAM_NAME: &str = "mopsim-host.c";

/// First line of written files, which distinguishes them from other files.
pub const HOST_MARK: &str = "# Speed of a host, measured by mopsim calibrate --host";

/// Largest file of a host in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// A measured rate: the median of the repetitions, the smallest and the largest.
pub type Rate = [f64; 3];

/// Measured speeds of a host. With several cores busy, rates are the mean of a core.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostSpeed {
    /// Name of the host.
    pub host: String,
    /// Name of the processor.
    pub processor: String,
    /// Cores that the measurement could use.
    pub cores: u32,
    /// Flops per second of a core in a matrix product in cache, with one core busy.
    pub product_one_core: Rate,
    /// Flops per second of a core in the product, with all cores busy.
    pub product_all_cores: Rate,
    /// Bytes per second of a core in a triad over memory, with one core busy.
    pub triad_one_core: Rate,
    /// Bytes per second of a core in the triad, with all cores busy.
    pub triad_all_cores: Rate,
}

/// Numbers of a file with their places in it.
#[derive(Deserialize)]
struct Places {
    cores: Spanned<u32>,
    product_one_core: [Spanned<f64>; 3],
    product_all_cores: [Spanned<f64>; 3],
    triad_one_core: [Spanned<f64>; 3],
    triad_all_cores: [Spanned<f64>; 3],
}

/// A kernel on two hosts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Compared {
    /// Rate here over the rate of the recorded host.
    pub ratio: f64,
    /// Least and largest ratio that the repetitions permit.
    pub range: [f64; 2],
}

impl Compared {
    /// Speed of a host in flops per second with which computations of a recording take as much longer or shorter.
    pub fn host_speed(self) -> f64 {
        self.ratio * DEFAULT_RECORDED_SPEED
    }
}

impl HostSpeed {
    /// Makes a description from what the program printed. `cpuinfo` is the text of `/proc/cpuinfo`.
    ///
    /// # Errors
    /// The reason, if lines are missing or not as the program writes them.
    pub fn of_output(text: &str, host: &str, cpuinfo: &str) -> Result<Self, String> {
        let rate = |kernel: &str, all: bool| -> Result<(u32, Rate), String> {
            let mut lines = text.lines().filter(|line| line.starts_with(kernel));
            let line = if all { lines.next_back() } else { lines.next() }.ok_or(format!("it printed no {kernel}"))?;
            let numbers: Vec<f64> = line.split_whitespace().skip(1).filter_map(|word| word.parse().ok()).collect();
            match numbers[..] {
                [threads, median, least, most] if least > 0.0 && most.is_finite() => {
                    Ok((threads as u32, [median, least, most]))
                }
                _ => Err(format!("it printed `{line}`")),
            }
        };
        let (cores, product_all_cores) = rate("product", true)?;
        Ok(Self {
            host: host.to_owned(),
            processor: processor(cpuinfo).unwrap_or_else(|| "unknown".to_owned()),
            cores,
            product_one_core: rate("product", false)?.1,
            product_all_cores,
            triad_one_core: rate("triad", false)?.1,
            triad_all_cores: rate("triad", true)?.1,
        })
    }

    /// Reads a file that [`HostSpeed::toml`] wrote.
    ///
    /// # Errors
    /// [`CalibrateError`].
    pub fn read(file: &Path) -> Result<Self, CalibrateError> {
        let text = read_text(file, MAX_BYTES)?;
        Self::parse(&text).map_err(|(start, message)| {
            let (line, column) = place(&text, start);
            CalibrateError::Host { file: file.to_owned(), line, column, message }
        })
    }

    /// Parses the text of a file. Errors have the offset of their place.
    fn parse(text: &str) -> Result<Self, (usize, String)> {
        let malformed = |error: toml::de::Error| (error.span().map_or(0, |span| span.start), excerpts(error.message()));
        let speed: Self = toml::from_str(text).map_err(malformed)?;
        let places: Places = toml::from_str(text).map_err(malformed)?;
        let too_small = |name: &str, span: Range<usize>| {
            Err((span.start, format!("{name}: {} is not a number above 0", &text[span])))
        };
        if speed.cores == 0 {
            return too_small("cores", places.cores.span());
        }
        for (name, rate) in [
            ("product_one_core", places.product_one_core),
            ("product_all_cores", places.product_all_cores),
            ("triad_one_core", places.triad_one_core),
            ("triad_all_cores", places.triad_all_cores),
        ] {
            if let Some(bad) = rate.iter().find(|rate| !(rate.get_ref().is_finite() && *rate.get_ref() > 0.0)) {
                return too_small(name, bad.span());
            }
            let [median, least, most] = &rate;
            if !(least.get_ref() <= median.get_ref() && median.get_ref() <= most.get_ref()) {
                let [median_text, least_text, most_text] = [median, least, most].map(|rate| &text[rate.span()]);
                let message = format!(
                    "{name}: the median {median_text} is not between the smallest {least_text} and the largest {most_text}"
                );
                return Err((median.span().start, message));
            }
        }
        Ok(speed)
    }

    /// Returns the file.
    ///
    /// # Panics
    /// Never: all values have a form in TOML.
    pub fn toml(&self) -> String {
        let body = toml::to_string(self).expect("numbers and texts");
        let meaning = "# Rates of a core: median, smallest and largest of five repetitions. Product: flop/s of a matrix product \
                       in cache.\n# Triad: bytes/s of a vector triad over memory.";
        format!("{HOST_MARK} {}.\n{meaning}\n\n{body}", env!("CARGO_PKG_VERSION"))
    }

    /// Returns the rates with their names: kernel, cores that were busy, and rate.
    pub fn rates(&self) -> [(&'static str, &'static str, Rate); 4] {
        [
            ("matrix product", "one", self.product_one_core),
            ("matrix product", "all", self.product_all_cores),
            ("triad", "one", self.triad_one_core),
            ("triad", "all", self.triad_all_cores),
        ]
    }

    /// Compares all rates with those of the recorded host.
    pub fn relative_to(&self, recorded: &Self) -> [Compared; 4] {
        let (here, there) = (self.rates(), recorded.rates());
        std::array::from_fn(|i| {
            let ([median, least, most], [other, other_least, other_most]) = (here[i].2, there[i].2);
            Compared { ratio: median / other, range: [least / other_most, most / other_least] }
        })
    }
}

/// Returns the name of the processor in the text of `/proc/cpuinfo`: x86 and POWER have one, Arm has numbers.
pub fn processor(cpuinfo: &str) -> Option<String> {
    let field = |name: &str| {
        cpuinfo.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
            (key.trim() == name && !value.is_empty()).then_some(value)
        })
    };
    let arm = || Some(format!("Arm implementer {}, part {}", field("CPU implementer")?, field("CPU part")?));
    field("model name").or_else(|| field("cpu")).or_else(arm)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "product 1 8e9 6e9 9e9\ntriad 1 4e9 3e9 5e9\nproduct 2 7e9 7e9 7e9\ntriad 2 2e9 1e9 2e9\n";

    #[test]
    fn output_becomes_a_file_and_back() {
        let speed = HostSpeed::of_output(OUTPUT, "n1", "processor\t: 0\nmodel name\t: A  B 7\n").unwrap();
        assert_eq!((speed.cores, speed.processor.as_str()), (2, "A B 7"));
        assert_eq!((speed.product_one_core, speed.triad_all_cores), ([8e9, 6e9, 9e9], [2e9, 1e9, 2e9]));
        assert_eq!(toml::from_str::<HostSpeed>(&speed.toml()).unwrap(), speed);
        assert!(HostSpeed::of_output("product 1 8e9 6e9 9e9\n", "n1", "").unwrap_err().contains("no triad"));
        assert!(HostSpeed::of_output(&OUTPUT.replace("3e9", "nan"), "n1", "").is_err());
    }

    #[test]
    fn files_are_refused_where_they_are_wrong() {
        let whole = HostSpeed::of_output(OUTPUT, "n1", "").unwrap().toml();
        let refused = |from: &str, to: &str| {
            assert!(whole.contains(from), "{whole}");
            let text = whole.replace(from, to);
            let (start, message) = HostSpeed::parse(&text).unwrap_err();
            (text[start..].chars().take(4).collect::<String>(), message)
        };
        assert!(HostSpeed::parse(&whole).is_ok());
        assert_eq!(refused("cores = 2", "cores = 0"), ("0\npr".into(), "cores: 0 is not a number above 0".into()));
        for bad in ["-8e9", "0.0", "nan", "inf"] {
            let (place, message) = refused("[8000000000.0,", &format!("[{bad},"));
            assert!(bad.starts_with(place.trim_end_matches([',', ' '])), "{bad}: {place}");
            assert_eq!(message, format!("product_one_core: {bad} is not a number above 0"));
        }
        let (place, message) = refused("[4000000000.0,", "[9e9,");
        assert_eq!(place, "9e9,");
        assert!(message.starts_with("triad_one_core: the median 9e9 is not between the smallest 3"), "{message}");
        let (place, message) = refused("cores = 2", "speed = 3\ncores = 2");
        assert!(place == "spee" && message.contains("unknown field `speed`"), "{place}: {message}");
    }

    #[test]
    fn a_host_that_is_twice_as_fast_takes_half_the_time() {
        let slow = HostSpeed::of_output(OUTPUT, "n1", "").unwrap();
        let fast = HostSpeed { product_all_cores: [14e9, 13e9, 15e9], ..slow.clone() };
        let [_, product, _, triad] = fast.relative_to(&slow);
        assert_eq!((product.ratio, product.host_speed()), (2.0, 2.0 * DEFAULT_RECORDED_SPEED));
        assert_eq!(product.range, [13.0 / 7.0, 15.0 / 7.0]);
        assert_eq!(triad.range, [0.5, 2.0]);
    }

    #[test]
    fn processors_have_names_on_each_architecture() {
        assert_eq!(processor("processor : 0\ncpu : POWER9, altivec supported\n").unwrap(), "POWER9, altivec supported");
        let arm = "processor : 0\nCPU implementer : 0x41\nCPU part : 0xd4f\n";
        assert_eq!(processor(arm).unwrap(), "Arm implementer 0x41, part 0xd4f");
        assert_eq!(processor(""), None);
    }
}
