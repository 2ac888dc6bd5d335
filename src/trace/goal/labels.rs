//! Labels of a rank, which identify operations.
//!
//! Programs number them: `l1`, `l2` and so on. Labels that count up with the operations take no memory of their own, so
//! that memory does not grow with the rank.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

/// Labels, and the operations that they name.
#[derive(Default)]
pub(super) struct Labels {
    /// By prefix: runs of consecutive numbers, with the first number, its operation and the length of the run.
    numbered: FxHashMap<Vec<u8>, BTreeMap<u64, (u32, u32)>>,
    others: FxHashMap<Vec<u8>, u32>,
}

impl Labels {
    /// Assigns a label to an operation; `false` if another one has it.
    pub fn insert(&mut self, label: &[u8], operation: u32) -> bool {
        let Some((name, number)) = split(label) else {
            return self.others.insert(label.to_vec(), operation).is_none();
        };
        let runs = match self.numbered.get_mut(name) {
            Some(runs) => runs,
            None => self.numbered.entry(name.to_vec()).or_default(),
        };
        if let Some((&from, (first, count))) = runs.range_mut(..=number).next_back() {
            let nth = number - from;
            if nth < u64::from(*count) {
                return false;
            }
            if nth == u64::from(*count) && operation == *first + *count {
                *count += 1;
                return true;
            }
        }
        runs.insert(number, (operation, 1));
        true
    }

    /// Returns the operation with a label.
    pub fn get(&self, label: &[u8]) -> Option<u32> {
        let Some((name, number)) = split(label) else { return self.others.get(label).copied() };
        let (&from, &(first, count)) = self.numbered.get(name)?.range(..=number).next_back()?;
        let nth = number - from;
        (nth < u64::from(count)).then(|| first + nth as u32)
    }

    /// Removes all labels.
    pub fn clear(&mut self) {
        self.numbered.clear();
        self.others.clear();
    }
}

/// Splits a label that ends in a number: the prefix, and the number. A label with leading zeros is different from one
/// without.
fn split(label: &[u8]) -> Option<(&[u8], u64)> {
    let digits = label.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (name, number) = label.split_at(label.len() - digits);
    if digits == 0 || number.len() > 1 && number[0] == b'0' {
        return None;
    }
    Some((name, std::str::from_utf8(number).ok()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_what_they_say() {
        let all: &[&[u8]] = &[
            b"l1",
            b"l2",
            b"l3",
            b"l01",
            b"l",
            b"",
            b"7",
            b"07",
            b"x9",
            b"l5",
            b"l4",
            b"x8",
            b"l99999999999999999999",
            b"\xff3",
        ];
        let mut labels = Labels::default();
        for (operation, label) in (0..).zip(all) {
            assert!(labels.get(label).is_none(), "{label:?}");
            assert!(labels.insert(label, operation), "{label:?}");
        }
        for (operation, label) in (0..).zip(all) {
            assert_eq!(labels.get(label), Some(operation), "{label:?}");
            assert!(!labels.insert(label, 77) && labels.get(b"l6").is_none(), "{label:?}");
        }
        labels.clear();
        assert!(all.iter().all(|label| labels.get(label).is_none()));
    }

    /// A million labels that count up are one run.
    #[test]
    fn those_that_count_up_take_no_memory() {
        let mut labels = Labels::default();
        assert!((0..1_000_000).all(|i| labels.insert(format!("l{}", i + 1).as_bytes(), i)));
        assert_eq!(labels.numbered[&b"l"[..]].len(), 1);
        assert_eq!(labels.get(b"l654321"), Some(654_320));
    }
}
