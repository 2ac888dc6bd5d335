//! Traffic matrices: from files, and as sparse rows.
//!
//! A file is text; `#` begins a comment, values are separated by blanks or commas. Either it has a row of n numbers for
//! each of n sources, or it begins with the line `source destination weight` and then has such a line for each pair.
//! Weights are in any unit: the busiest source is assumed to send at full rate, the others in proportion.

use super::arguments::PatternArguments;
use super::{Flows, PatternInput, TrafficError};
use crate::excerpt::excerpt;
use crate::topology::input::{Located, read_text};

/// Largest file that is read, in bytes.
const MAX_BYTES: u64 = 1 << 30;
const HELP: &str = "give a row of numbers for each source, or a line `source destination weight` and then such lines";

/// Rows of a sparse matrix.
pub(super) struct Sparse {
    first: Vec<usize>,
    entries: Vec<(u32, f64)>,
    note: Option<String>,
}

impl Sparse {
    /// Creates a matrix from triples of source, destination and weight; those of equal pairs are added up. `None` if
    /// there is no weight.
    pub fn new(hosts: u32, mut triples: Vec<(u32, u32, f64)>, note: Option<String>) -> Option<Self> {
        triples.retain(|triple| triple.2 > 0.0);
        triples.sort_by_key(|&(from, to, _)| (from, to));
        triples.dedup_by(|next, kept| {
            let same = (next.0, next.1) == (kept.0, kept.1);
            if same {
                kept.2 += next.2;
            }
            same
        });
        let mut first = vec![0; hosts as usize + 1];
        triples.iter().for_each(|triple| first[triple.0 as usize + 1] += 1);
        for host in 0..hosts as usize {
            first[host + 1] += first[host];
        }
        let sum = |row: &[(u32, u32, f64)]| row.iter().map(|triple| triple.2).sum::<f64>();
        let most = triples.chunk_by(|a, b| a.0 == b.0).map(sum).fold(0.0, f64::max);
        if !(most > 0.0 && most.is_finite()) {
            return None;
        }
        let entries = triples.into_iter().map(|(_, to, weight)| (to, weight / most)).collect();
        Some(Self { first, entries, note })
    }
}

impl Flows for Sparse {
    fn visit(&self, source: u32, visit: &mut dyn FnMut(u32, f64)) {
        let row = self.first[source as usize]..self.first[source as usize + 1];
        // A weight may be too small a part of the largest to count.
        self.entries[row].iter().filter(|entry| entry.1 > 0.0).for_each(|&(to, share)| visit(to, share));
    }

    fn note(&self) -> Option<String> {
        self.note.clone()
    }
}

pub(super) fn build(
    arguments: &PatternArguments<'_>,
    setting: &PatternInput<'_>,
) -> Result<Box<dyn Flows>, TrafficError> {
    let Some(path) = arguments.text("path") else {
        return Err(arguments.invalid("the name of the file is missing, e.g. matrix:traffic.csv"));
    };
    let text = read_text(&setting.folder.join(path), MAX_BYTES)?;
    let triples = parse(path, &text, setting.endpoints())?;
    let note = "the busiest row of the matrix is a host that sends all it can".to_owned();
    match Sparse::new(setting.endpoints(), triples, Some(note)) {
        Some(matrix) => Ok(Box::new(matrix)),
        None => Err(wrong(path, 1, 1, "there is no weight above 0, or their sum is not finite".into())),
    }
}

fn wrong(file: &str, line: usize, column: usize, message: String) -> TrafficError {
    TrafficError::File(Located { file: file.into(), line, column, message, help: HELP.into() })
}

/// Value and its column, from 1.
type Word<'a> = (usize, &'a str);

fn words(line: &str) -> Vec<Word<'_>> {
    let line = line.split_once('#').map_or(line, |(values, _)| values);
    let separate = |c: char| c.is_whitespace() || c == ',';
    let place = |word: &str| line[..word.as_ptr() as usize - line.as_ptr() as usize].chars().count() + 1;
    line.split(separate).filter(|word| !word.is_empty()).map(|word| (place(word), word)).collect()
}

fn parse(file: &str, text: &str, hosts: u32) -> Result<Vec<(u32, u32, f64)>, TrafficError> {
    let mut lines =
        text.lines().enumerate().map(|(index, line)| (index + 1, words(line))).filter(|line| !line.1.is_empty());
    let mut triples = Vec::new();
    let Some((mut line, mut values)) = lines.next() else {
        return Err(wrong(file, 1, 1, "the file has no values".into()));
    };
    let heading = values.iter().map(|word| word.1.to_lowercase()).collect::<Vec<_>>();
    if heading == ["source", "destination", "weight"] {
        for (line, values) in lines {
            let [from, to, value] = values[..] else {
                let (column, count) = (values[0].0, values.len());
                return Err(wrong(file, line, column, format!("{count} values, and a pair takes three")));
            };
            triples.push((host(file, line, from, hosts)?, host(file, line, to, hosts)?, weight(file, line, value)?));
        }
        return Ok(triples);
    }
    for source in 0..hosts {
        if values.len() != hosts as usize {
            let column = values.get(hosts as usize).unwrap_or(&values[values.len() - 1]).0;
            let message = format!("row {source} has {} values, and there are {hosts} hosts", values.len());
            return Err(wrong(file, line, column, message));
        }
        for (to, value) in (0..).zip(&values) {
            let weight = weight(file, line, *value)?;
            if weight > 0.0 {
                triples.push((source, to, weight));
            }
        }
        match lines.next() {
            Some(next) if source + 1 < hosts => (line, values) = next,
            Some((line, values)) => {
                return Err(wrong(file, line, values[0].0, format!("a row too many: there are {hosts} hosts")));
            }
            None if source + 1 < hosts => {
                return Err(wrong(
                    file,
                    line + 1,
                    1,
                    format!("the file ends after {} rows, and there are {hosts} hosts", source + 1),
                ));
            }
            None => {}
        }
    }
    Ok(triples)
}

fn host(file: &str, line: usize, (column, text): Word<'_>, hosts: u32) -> Result<u32, TrafficError> {
    match text.parse::<u32>() {
        Ok(host) if host < hosts => Ok(host),
        Ok(host) => Err(wrong(file, line, column, format!("host {host}, but the hosts are 0 to {}", hosts - 1))),
        Err(_) => Err(wrong(file, line, column, format!("`{}` is not the number of a host", excerpt(text)))),
    }
}

fn weight(file: &str, line: usize, (column, text): Word<'_>) -> Result<f64, TrafficError> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok(value),
        _ => Err(wrong(file, line, column, format!("`{}` is not a weight: a finite number, 0 or more", excerpt(text)))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        parse("m.csv", text, 3).expect_err(text).to_string()
    }

    #[test]
    fn rows_and_pairs_say_the_same() {
        let rows = parse("m", "# traffic\n0, 2, 0\n0 0 0.5\n\n4,0,0\n", 3).unwrap();
        let pairs = parse("m", "source,destination,weight\n0,1,2\n1,2,0.5\n2 0 4 # much\n", 3).unwrap();
        assert_eq!(rows, pairs);
        let matrix = Sparse::new(3, rows, None).unwrap();
        let mut seen = Vec::new();
        (0..3).for_each(|source| matrix.visit(source, &mut |to, share| seen.push((source, to, share))));
        assert_eq!(seen, [(0, 1, 0.5), (1, 2, 0.125), (2, 0, 1.0)]);
    }

    #[test]
    fn mistakes_have_a_place() {
        assert!(refused("0 1 x\n").starts_with("m.csv:1:5: `x` is not a weight"), "{}", refused("0 1 x\n"));
        assert!(refused("0 1 2 3\n").starts_with("m.csv:1:7: row 0 has 4 values"));
        assert!(refused("0 1 2\n0 1\n").starts_with("m.csv:2:3: row 1 has 2 values"));
        assert!(refused("0 1 2\n0 1 2\n").starts_with("m.csv:3:1: the file ends after 2 rows"));
        assert!(refused("0 1 2\n0 1 2\n0 0 0\n\n 1 1 1\n").starts_with("m.csv:5:2: a row too many"));
        assert!(
            refused("source destination weight\n0 3 1\n").starts_with("m.csv:2:3: host 3, but the hosts are 0 to 2")
        );
        assert!(refused("source destination weight\n0 1\n").starts_with("m.csv:2:1: 2 values"));
        assert!(refused("source destination weight\n0 1 -1\n").starts_with("m.csv:2:5: `-1` is not a weight"));
        assert!(refused("source destination weight\n0 1 inf\n").contains("`inf` is not a weight"));
        assert!(refused("# nothing\n").starts_with("m.csv:1:1: the file has no values"));
        assert!(Sparse::new(3, vec![(0, 1, 0.0)], None).is_none());
    }
}
