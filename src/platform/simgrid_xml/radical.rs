//! Lists of numbers in the notation of clusters: `0-3,7`.

use super::builder::MAX_HOSTS;
use crate::memory;

/// Expands a list of numbers and ranges; the length is limited to the largest number of hosts of a platform.
///
/// # Errors
/// Description of the error, as a sentence.
pub(super) fn expand(text: &str) -> Result<Vec<u32>, String> {
    let number = |part: &str| {
        let trimmed = part.trim();
        trimmed
            .parse::<u32>()
            .ok()
            .filter(|&n| n <= i32::MAX as u32)
            .ok_or_else(|| format!("`{trimmed}` in `radical` is not a number from 0 to {}", i32::MAX))
    };
    let mut ranges = Vec::new();
    let mut total = 0;
    for part in text.split(',') {
        let (first, last) = match part.split_once('-') {
            Some((first, last)) => (number(first)?, number(last)?),
            None => (number(part)?, number(part)?),
        };
        if first > last {
            return Err(format!("`{}` in `radical` ends before it begins", part.trim()));
        }
        total += u64::from(last - first) + 1;
        if total > MAX_HOSTS as u64 {
            return Err(format!("`radical` names more than {MAX_HOSTS} hosts"));
        }
        ranges.push(first..=last);
    }
    if let Some(rule) = memory::refuse_platform(total.into(), total.into()) {
        return Err(format!("`radical` names {total} hosts, but {rule}"));
    }
    Ok(ranges.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_ranges() {
        assert_eq!(expand("0-3,7").unwrap(), [0, 1, 2, 3, 7]);
        assert_eq!(expand(" 5 , 2-2").unwrap(), [5, 2]);
        for (text, part) in [
            ("", "`` in `radical` is not"),
            ("3-1", "ends before it begins"),
            ("1-2-3", "`2-3` in `radical`"),
            ("0-4000000000", "`4000000000` in"),
            ("0-2000000000", "more than 1048576 hosts"),
            ("-1", "is not a number"),
        ] {
            let error = expand(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
