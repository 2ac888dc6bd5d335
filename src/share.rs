//! Shares in text.

/// Returns the share of a text such as `10%`, `0.5 %` or `0.1`; `None` if it is no number. Limits are those of the caller.
pub(crate) fn share(text: &str) -> Option<f64> {
    let text = text.trim();
    let (number, whole) = text.strip_suffix('%').map_or((text, 1.0), |percent| (percent.trim_end(), 100.0));
    number.parse::<f64>().ok().map(|number| number / whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_and_fractions_are_shares() {
        for (text, expected) in [("10%", 0.1), (" 0.5 % ", 0.005), ("0.1", 0.1), ("-1%", -0.01)] {
            assert_eq!(share(text), Some(expected), "{text}");
        }
        for text in ["", "%", "1%%", "1 % 2", "one"] {
            assert_eq!(share(text), None, "{text}");
        }
    }
}
