//! Rank files: the host of each rank, by number.
//!
//! A line is `RANK HOST`, or `rank RANK=HOST` with or without `slot=...` as in files of Open MPI; slots are ignored,
//! since all cores of a host are equal. A host is its name, or else its number on the platform, from 0. `#` begins a comment, empty lines do not count. Every rank from 0 has exactly
//! one line, in any order.

use crate::excerpt::excerpt;
use std::path::Path;

use super::error::PlatformError;
use super::hostfile::{HostNames, is_number, unknown, unknown_number};
use super::{Platform, parameters::MAX_HOSTS};
use crate::ids::HostId;
use crate::topology::input::{Located, MAX_FILE_BYTES, read_text};

/// Reads a rank file and returns the host of each rank, from rank 0.
///
/// # Errors
/// [`PlatformError::Read`], and [`PlatformError::File`] with the line of an unknown or failed host, of a rank with two
/// lines or none, or of anything that is not a rank and a host.
pub fn load(path: &Path, platform: &Platform) -> Result<Vec<HostId>, PlatformError> {
    parse(&path.to_string_lossy(), &read_text(path, MAX_FILE_BYTES)?, platform)
}

const LINE_HELP: &str =
    "each line is `RANK HOST`, or `rank RANK=HOST slot=N` as for Open MPI; a host is its name or its number, from 0";

/// Splits a line into its rank and its host, as text.
fn split(line: &str) -> Option<(&str, &str)> {
    let keyword = line.get(..4).filter(|word| word.eq_ignore_ascii_case("rank"));
    let after = keyword.map(|_| &line[4..]).filter(|rest| rest.starts_with(char::is_whitespace));
    let Some(rest) = after else { return line.split_once(char::is_whitespace).map(|(rank, host)| (rank, host.trim())) };
    let (rank, rest) = rest.split_once('=')?;
    let mut words = rest.split_whitespace();
    let host = words.next()?;
    match (words.next(), words.next()) {
        (None, _) => Some((rank.trim(), host)),
        (Some(slot), None) if is_slot(slot) => Some((rank.trim(), host)),
        _ => None,
    }
}

/// Returns `true` for the slots of Open MPI: `slot=3`, `slot=0:1-2`, `slot=1,4`, `slot=*`.
fn is_slot(text: &str) -> bool {
    let list = text.strip_prefix("slot=").or_else(|| text.strip_prefix("slots="));
    list.is_some_and(|list| !list.is_empty() && list.chars().all(|c| c.is_ascii_digit() || ":,-*".contains(c)))
}

/// Parses the text of a rank file; `file` is its name for messages.
///
/// # Errors
/// As [`load`].
pub fn parse(file: &str, text: &str, platform: &Platform) -> Result<Vec<HostId>, PlatformError> {
    let names = HostNames::of(platform);
    let wrong = |line: usize, column: usize, message: String, help: &str| {
        Err(PlatformError::File(Located { file: file.into(), line, column, message, help: help.into() }))
    };
    // Host and line number of each rank.
    let mut places: Vec<Option<(HostId, usize)>> = Vec::new();
    for (number, whole) in (1..).zip(text.lines()) {
        let line = whole.split('#').next().unwrap_or_default().trim();
        let column = whole.len() - whole.trim_start().len() + 1;
        if line.is_empty() {
            continue;
        }
        let Some((rank, host)) = split(line) else {
            // A file that does not begin with a valid entry may be anything, and its text is not shown.
            let what = if places.is_empty() { "the line".to_owned() } else { format!("`{}`", excerpt(line)) };
            return wrong(number, column, format!("{what} does not give a rank its host"), LINE_HELP);
        };
        let rank = match rank.parse::<usize>() {
            Ok(rank) if rank < MAX_HOSTS => rank,
            _ => {
                return wrong(
                    number,
                    column,
                    format!("`{}` is not a rank from 0 to {}", excerpt(rank), MAX_HOSTS - 1),
                    LINE_HELP,
                );
            }
        };
        let Some(found) = names.find_numbered(host) else {
            let message = if is_number(host) { unknown_number(host, platform) } else { unknown(host, platform) };
            return wrong(number, column, message, LINE_HELP);
        };
        let Some(host) = found else {
            let message = format!("host `{host}` failed together with its switch");
            return wrong(number, column, message, "place the rank on a host that is left, or use a host file");
        };
        if places.len() <= rank {
            places.resize(rank + 1, None);
        }
        if let Some((_, before)) = places[rank] {
            let message = format!("rank {rank} has a host already, in line {before}");
            return wrong(number, column, message, "give each rank one line");
        }
        places[rank] = Some((host, number));
    }
    if places.is_empty() {
        return wrong(1, 1, "the file names no rank".into(), LINE_HELP);
    }
    let ranks = places.len();
    match places.iter().position(Option::is_none) {
        None => Ok(places.into_iter().flatten().map(|(host, _)| host).collect()),
        Some(missing) => {
            let last = places.last().copied().flatten().map_or(0, |(_, line)| line);
            let message = format!("rank {} is placed, but rank {missing} is not", ranks - 1);
            wrong(last, 1, message, &format!("add a line for rank {missing}: every rank from 0 has one"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::PlatformParameters;

    fn read(text: &str) -> Result<Vec<u32>, String> {
        let ring = crate::topology::build("ring:4").unwrap();
        let parameters = PlatformParameters::default().check().unwrap();
        let platform = Platform::from_topology(&ring, &parameters, "bfs", 1).unwrap();
        match parse("ranks", text, &platform) {
            Ok(hosts) => Ok(hosts.iter().map(|host| host.0).collect()),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn both_spellings_and_any_order() {
        assert_eq!(read("# a remark\n1 h0\n\n 0   h3 # here\r\n").unwrap(), [3, 0]);
        assert_eq!(read("rank 0=h2 slot=1\nrank 1 = h2 slot=0:1\nRank 2=h1\n").unwrap(), [2, 2, 1]);
        assert_eq!(read("0 3\nrank 1=0 slot=1\n").unwrap(), [3, 0]);
    }

    #[test]
    fn a_failed_host_is_named() {
        let ring = crate::topology::build("damaged:base=ring:4,without=2").unwrap();
        let parameters = PlatformParameters::default().check().unwrap();
        let platform = Platform::from_topology(&ring, &parameters, "bfs", 1).unwrap();
        assert_eq!(parse("ranks", "0 h3", &platform).unwrap(), [HostId(2)], "the third of three");
        let error = parse("ranks", "0 h0\n1 h2", &platform).unwrap_err().to_string();
        assert!(error.contains("ranks:2:1: host `h2` failed together with its switch"), "{error}");
    }

    #[test]
    fn mistakes_have_a_line() {
        for (text, expected) in [
            ("0 h0\n2 h1\n", "ranks:2:1: rank 2 is placed, but rank 1 is not"),
            ("0 h0\n 0 h1\n", "ranks:2:2: rank 0 has a host already, in line 1"),
            ("0 h9\n", "ranks:1:1: platform `ring:n=4` has no host `h9`; its hosts are `h0` to `h3`"),
            ("0 4\n", "ranks:1:1: there is no host number 4"),
            ("h0 0\n", "ranks:1:1: `h0` is not a rank from 0"),
            ("-1 h0\n", "ranks:1:1: `-1` is not a rank"),
            ("99999999999 h0\n", "ranks:1:1: `99999999999` is not a rank"),
            ("0\n", "ranks:1:1: the line does not give"),
            ("0 h0\n1\n", "ranks:2:1: `1` does not give"),
            ("rank 0 h0\n", "ranks:1:1: the line does not give"),
            ("rank 1=h1\nrank 0=h0 cores=2\n", "ranks:2:1: `rank 0=h0 c...` does not give"),
            ("# nothing\n", "ranks:1:1: the file names no rank"),
        ] {
            assert!(read(text).unwrap_err().starts_with(expected), "{text}: {}", read(text).unwrap_err());
        }
    }
}
