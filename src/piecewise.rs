//! Step functions of the message size, in the notation of the model's options.

use std::str::FromStr;

/// Reason why a step function cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{part}` in `{text}` is not {expected}; write sections as `{form}`, with a semicolon between them")]
pub struct PiecewiseError {
    text: String,
    part: String,
    expected: &'static str,
    form: &'static str,
}

/// Largest factor, and largest number of seconds: products with all other constants stay within the range of floats.
pub const MOST: f64 = 1e12;

fn sections<const N: usize>(text: &str, form: &'static str) -> Result<Vec<(u64, [f64; N])>, PiecewiseError> {
    let error = |part: &str, expected| PiecewiseError { text: text.to_owned(), part: part.to_owned(), expected, form };
    let mut out = Vec::new();
    for section in text.split(';').map(str::trim).filter(|s| !s.is_empty()) {
        let mut parts = section.split(':').map(str::trim);
        let first = parts.next().unwrap_or_default();
        let threshold = first.parse::<u64>().map_err(|_| error(first, "a size in bytes"))?;
        let mut values = [0.0; N];
        for value in &mut values {
            let part = parts.next().unwrap_or_default();
            *value = part
                .parse()
                .ok()
                .filter(|v: &f64| (0.0..=MOST).contains(v))
                .ok_or_else(|| error(if part.is_empty() { section } else { part }, "a number from 0 to 1e12"))?;
        }
        if parts.next().is_some() {
            return Err(error(section, "a section of this form"));
        }
        out.push((threshold, values));
    }
    if out.is_empty() {
        return Err(error(text, "a list with at least one section"));
    }
    out.sort_by_key(|s| s.0);
    if let Some(twice) = out.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(error(&twice[0].0.to_string(), "a size of one section only"));
    }
    Ok(out)
}

/// A factor that depends on the size: `threshold:factor;...`.
///
/// The factor of a threshold holds for sizes *above* it, up to and including the next one; sizes up to the first
/// threshold have the factor 1 (SimGrid's rule, which its documentation states one byte off).
#[derive(Debug, Clone, PartialEq)]
pub struct Factors(Vec<(u64, [f64; 1])>);

impl Factors {
    /// Returns a factor that is the same for every size.
    pub fn constant(factor: f64) -> Self {
        Self(if factor == 1.0 { Vec::new() } else { vec![(0, [factor])] })
    }

    /// Returns the smallest factor.
    pub fn least(&self) -> f64 {
        self.0.iter().fold(f64::INFINITY, |least, section| least.min(section.1[0]))
    }

    /// Returns these factors, each limited to `most`.
    pub fn capped(mut self, most: f64) -> Self {
        self.0.iter_mut().for_each(|section| section.1[0] = section.1[0].min(most));
        self
    }

    /// Returns the factor for a size in bytes.
    #[inline]
    pub fn at(&self, size: u64) -> f64 {
        // All thresholds are compared: with sizes that change from message to message, a branch to stop early would be
        // unpredictable.
        let below = self.0.iter().filter(|(threshold, _)| *threshold < size).count();
        below.checked_sub(1).map_or(1.0, |at| self.0[at].1[0])
    }
}

impl FromStr for Factors {
    type Err = PiecewiseError;

    fn from_str(text: &str) -> Result<Self, PiecewiseError> {
        sections(text, "BYTES:FACTOR").map(Self)
    }
}

/// Time that a call costs its rank, piecewise linear in the size: `threshold:a:b;...` is `a + b * size` seconds.
///
/// A section holds for sizes above its threshold; sizes up to the first threshold use the first section.
#[derive(Debug, Clone, PartialEq)]
pub struct Overhead(Vec<(u64, [f64; 2])>);

impl Overhead {
    /// No cost at all.
    pub const NONE: Overhead = Overhead(Vec::new());

    /// Returns the seconds for a payload of `size` bytes.
    #[inline]
    pub fn at(&self, size: u64) -> f64 {
        let Some(&(_, [mut a, mut b])) = self.0.first() else { return 0.0 };
        for (threshold, section) in &self.0 {
            if size <= *threshold {
                break;
            }
            [a, b] = *section;
        }
        a + b * size as f64
    }

    /// Returns `true` if the cost is 0 for every size.
    pub fn is_none(&self) -> bool {
        self.0.iter().all(|s| s.1 == [0.0, 0.0])
    }
}

impl FromStr for Overhead {
    type Err = PiecewiseError;

    fn from_str(text: &str) -> Result<Self, PiecewiseError> {
        sections(text, "BYTES:SECONDS:SECONDS_PER_BYTE").map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_holds_above_its_threshold_up_to_the_next() {
        let factors: Factors = "1000:3; 0:2".parse().expect("two sections");
        let at = [0, 1, 1000, 1001].map(|n| factors.at(n));
        assert_eq!(at, [1.0, 2.0, 2.0, 3.0]);
        assert_eq!([0, 1, 1000, 1001].map(|n| factors.clone().capped(2.5).at(n)), [1.0, 2.0, 2.0, 2.5]);
        assert_eq!(Factors::constant(0.97).at(5), 0.97);
        assert_eq!(Factors::constant(1.0).at(5), 1.0);
    }

    #[test]
    fn an_overhead_uses_its_first_section_below_the_first_threshold() {
        let overhead: Overhead = "100:1:0.5;1000:2:0".parse().expect("two sections");
        assert_eq!([50, 100, 200, 1000, 2000].map(|n| overhead.at(n)), [26.0, 51.0, 101.0, 501.0, 2.0]);
        assert_eq!(Overhead::NONE.at(7), 0.0);
    }

    #[test]
    fn malformed_sections_are_named() {
        for (text, named) in
            [("", "``"), ("5", "`5`"), ("a:1", "`a`"), ("1:x", "`x`"), ("1:-1", "`-1`"), ("1:2:3", "`1:2:3`")]
        {
            let error = text.parse::<Factors>().expect_err(text).to_string();
            assert!(error.starts_with(named), "{error}");
        }
        assert!("0:1e-6".parse::<Overhead>().is_err());
    }
}
