//! Host files: the hosts that ranks run on. Each line has one name; `name:k` and `name slots=k` are equivalent to k
//! lines; empty lines and what follows a `#` do not count. A name with numbers in brackets, such as `h[0-3,8]`, is one
//! for each number. These are the forms of MPICH, Open MPI and Slurm. A host may also be its number on the platform, from 0, and a
//! line of several numbers names several hosts, as in allocation files of CODES; a host that has such a name goes first.

use crate::excerpt::excerpt;
use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;

use super::error::PlatformError;
use super::{Platform, parameters::MAX_HOSTS};
use crate::ids::HostId;
use crate::topology::input::{Located, MAX_FILE_BYTES, read_text};

/// Reads a host file and returns the hosts in the order of its lines, without those that failed together with their
/// switches. Rank `r` runs on entry `r` modulo the number of entries.
///
/// # Errors
/// [`PlatformError::Read`], and [`PlatformError::File`] with the line of a name that the platform does not have, or if
/// all hosts of the file failed.
pub fn load(path: &Path, platform: &Platform) -> Result<Vec<HostId>, PlatformError> {
    parse(&path.to_string_lossy(), &read_text(path, MAX_FILE_BYTES)?, platform)
}

/// Parses the text of a host file; `file` is its name for messages.
///
/// # Errors
/// As [`load`].
pub fn parse(file: &str, text: &str, platform: &Platform) -> Result<Vec<HostId>, PlatformError> {
    let names = HostNames::of(platform);
    let mut hosts = Vec::new();
    let mut entries_read = 0;
    for (index, line) in text.lines().enumerate() {
        let wrong = |message: String, help: &str| {
            let column = line.len() - line.trim_start().len() + 1;
            Err(PlatformError::File(Located { file: file.into(), line: index + 1, column, message, help: help.into() }))
        };
        let line = line.split('#').next().unwrap_or("").trim();
        if line.is_empty() {
            continue;
        }
        let (named, count) = match entries(line, &names) {
            Ok(entries) => entries,
            Err(HostLineFault::Line(message)) => return wrong(message, NAME_HELP),
            Err(HostLineFault::Name(name)) => {
                return wrong(unknown(shown(&name, entries_read == 0), platform), NAME_HELP);
            }
            Err(HostLineFault::Number(number)) => {
                return wrong(unknown_number(&number, platform), NAME_HELP);
            }
        };
        if count.saturating_mul(named.len()) > MAX_HOSTS - entries_read {
            return wrong(format!("more than {MAX_HOSTS} entries"), "use fewer ranks");
        }
        entries_read += count * named.len();
        hosts.extend(named.into_iter().flatten().flat_map(|host| std::iter::repeat_n(host, count)));
    }
    if hosts.is_empty() {
        let message = if entries_read == 0 { "the file names no host" } else { "all hosts of the file failed" };
        return Err(PlatformError::File(Located {
            file: file.into(),
            line: 1,
            column: 1,
            message: message.into(),
            help: NAME_HELP.into(),
        }));
    }
    Ok(hosts)
}

const NAME_HELP: &str = "each line is the name of a host of the platform, `name:k` or `name slots=k` for k ranks on it, or `name[0-3]`; \
                         or numbers of hosts, from 0: `0 1 2`";

/// Reason why a line names no hosts.
enum HostLineFault {
    /// The line is none of a host file, in words.
    Line(String),
    /// There is no host of this name.
    Name(String),
    /// There is no host with this number.
    Number(String),
}

/// Returns the hosts of a line, `None` for one that failed, and the number of ranks on each.
fn entries(line: &str, names: &HostNames<'_>) -> Result<(Vec<Option<HostId>>, usize), HostLineFault> {
    // A name may contain a colon or brackets itself, so what is a name as it stands goes first.
    if let Some(host) = names.find(line) {
        return Ok((vec![host], 1));
    }
    if let Some(numbered) = names.of_numbers(line) {
        return Ok((numbered?, 1));
    }
    let (name, count) = counted(line).map_err(HostLineFault::Line)?;
    if let Some(host) = names.find(name) {
        return Ok((vec![host], count));
    }
    let mut hosts = Vec::new();
    each_name(name, MAX_HOSTS, |name| {
        hosts.push(names.find(name).ok_or_else(|| HostLineFault::Name(name.into()))?);
        Ok(())
    })?;
    Ok((hosts, count))
}

/// Returns the name of a line, and the number of ranks on the host.
fn counted(line: &str) -> Result<(&str, usize), String> {
    let number = |text: &str| match text.trim().parse::<usize>() {
        Ok(count) if count >= 1 => Ok(count),
        _ => Err(format!("`{}` is not a number of ranks: write 1 or more", excerpt(text.trim()))),
    };
    let mut words = line.split_whitespace();
    let name = words.next().unwrap_or("");
    let mut slots = None;
    for word in words {
        match word.split_once('=') {
            Some(("slots", count)) if slots.is_none() => slots = Some(number(count)?),
            // It limits what a scheduler may add, and there is none.
            Some(("max_slots" | "max-slots", count)) => drop(number(count)?),
            _ => return Err(format!("`{}` follows the name of a host, where only `slots=k` may be", excerpt(word))),
        }
    }
    if let Some(count) = slots {
        return match name.rsplit_once(':') {
            Some((_, ranks)) if ranks.parse::<usize>().is_ok() => {
                Err(format!("`{}` and `slots=` both say how many ranks a host has", excerpt(name)))
            }
            _ => Ok((name, count)),
        };
    }
    match name.rsplit_once(':') {
        Some((name, count)) => Ok((name, number(count)?)),
        None => Ok((name, 1)),
    }
}

/// Passes each name of a list such as `n[01-03,7],login` to `take`, in order, at most `most` of them.
///
/// A name is made when it is its turn: a list of a few bytes may stand for millions of names, and the first that is
/// unknown ends it.
fn each_name(
    text: &str,
    most: usize,
    mut take: impl FnMut(&str) -> Result<(), HostLineFault>,
) -> Result<(), HostLineFault> {
    let mut left = most as u64;
    let mut rest = text;
    loop {
        let (pattern, after) = HostNamePattern::read(rest).map_err(HostLineFault::Line)?;
        let count = pattern.count().filter(|&count| count <= left);
        let count = count.ok_or_else(|| HostLineFault::Line(format!("more than {most} entries")))?;
        left -= count;
        pattern.each(0, &mut String::new(), &mut take)?;
        match after {
            Some(after) => rest = after,
            None => return Ok(()),
        }
    }
}

/// Numbers from `low` to `high`, with zeros in front up to `width` digits.
struct NumberRange {
    low: u64,
    high: u64,
    width: usize,
}

impl NumberRange {
    fn count(&self) -> u64 {
        (self.high - self.low).saturating_add(1)
    }
}

/// A name in which numbers vary, such as `n[01-03,7]-ib`.
struct HostNamePattern<'a> {
    /// Each list of numbers, with the text in front of it.
    lists: Vec<(&'a str, Vec<NumberRange>)>,
    /// The text behind the last list.
    end: &'a str,
}

impl<'a> HostNamePattern<'a> {
    /// Reads the pattern at the front of `text`, and returns it with what follows the comma behind it.
    fn read(text: &'a str) -> Result<(Self, Option<&'a str>), String> {
        let mut lists = Vec::new();
        let mut rest = text;
        loop {
            let Some(at) = rest.find(['[', ',']) else { return Ok((Self { lists, end: rest }, None)) };
            let before = &rest[..at];
            if rest[at..].starts_with(',') {
                return Ok((Self { lists, end: before }, Some(&rest[at + 1..])));
            }
            let Some((list, after)) = rest[at + 1..].split_once(']') else { return Err(no_numbers(&rest[at..])) };
            if lists.len() == MAX_LISTS {
                return Err(format!("a name has more than {MAX_LISTS} lists of numbers"));
            }
            lists.push((before, list.split(',').map(numbers).collect::<Result<_, _>>()?));
            rest = after;
        }
    }

    /// Returns the number of names, or none if it is too large to count.
    fn count(&self) -> Option<u64> {
        self.lists.iter().try_fold(1_u64, |product, (_, list)| {
            let sum = list.iter().try_fold(0_u64, |sum, numbers| sum.checked_add(numbers.count()))?;
            product.checked_mul(sum)
        })
    }

    /// Passes each name that begins with `name` and goes on from list `from` to `take`; the last list varies first.
    fn each(
        &self,
        from: usize,
        name: &mut String,
        take: &mut dyn FnMut(&str) -> Result<(), HostLineFault>,
    ) -> Result<(), HostLineFault> {
        let begun = name.len();
        let Some((before, list)) = self.lists.get(from) else {
            name.push_str(self.end);
            let taken = take(name);
            name.truncate(begun);
            return taken;
        };
        name.push_str(before);
        let begins = name.len();
        for &NumberRange { low, high, width } in list {
            for number in low..=high {
                let _ = write!(name, "{number:0width$}");
                self.each(from + 1, name, take)?;
                name.truncate(begins);
            }
        }
        name.truncate(begun);
        Ok(())
    }
}

/// Lists of numbers in a name; Slurm has no more than a few.
const MAX_LISTS: usize = 16;

/// Reads a number or a range of numbers.
fn numbers(part: &str) -> Result<NumberRange, String> {
    let (first, last) = part.split_once('-').unwrap_or((part, part));
    let (first, last) = (first.trim(), last.trim());
    match (first.parse(), last.parse()) {
        // Numbers of 64 bits have 20 digits.
        (Ok(low), Ok(high)) if low <= high && first.len() <= 20 => Ok(NumberRange { low, high, width: first.len() }),
        _ => Err(no_numbers(part)),
    }
}

/// Returns the message that a text is not a list of numbers.
fn no_numbers(text: &str) -> String {
    format!("`{}` is not a list of numbers such as `[0-3,8]`", excerpt(text))
}

/// Index of the hosts of a platform by name; `None` for hosts that failed together with their switches.
pub(super) struct HostNames<'a> {
    by_name: HashMap<&'a str, Option<HostId>>,
    /// Number of hosts that did not fail.
    hosts: usize,
}

impl<'a> HostNames<'a> {
    /// Builds the index of a platform.
    pub(super) fn of(platform: &'a Platform) -> Self {
        let failed = platform.failed.iter().map(|host| (host.name.as_str(), None));
        let hosts = platform.hosts.iter().enumerate();
        let by_name = failed.chain(hosts.map(|(index, host)| (host.name.as_str(), Some(HostId::new(index))))).collect();
        Self { by_name, hosts: platform.hosts.len() }
    }

    /// Returns the host with this name or number, `Some(None)` if it failed together with its switch.
    pub(super) fn find_numbered(&self, word: &str) -> Option<Option<HostId>> {
        self.find(word).or_else(|| {
            let number = word.parse().ok().filter(|&number: &usize| is_number(word) && number < self.hosts)?;
            Some(Some(HostId::new(number)))
        })
    }

    /// Returns the hosts of a line that consists of numbers; `None` for any other line.
    fn of_numbers(&self, line: &str) -> Option<Result<Vec<Option<HostId>>, HostLineFault>> {
        if !line.split_whitespace().all(is_number) {
            return None;
        }
        let found = |word: &str| self.find_numbered(word).ok_or_else(|| HostLineFault::Number(word.to_owned()));
        Some(line.split_whitespace().map(found).collect())
    }

    /// Returns the host of that name, `Some(None)` if it failed together with its switch.
    pub(super) fn find(&self, name: &str) -> Option<Option<HostId>> {
        self.by_name.get(name).copied()
    }
}

pub(super) fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns an unknown name as it is shown in messages. A first line that cannot be the name of a host is from a file of
/// another kind, and is not shown.
fn shown(name: &str, is_first: bool) -> &str {
    let is_name = name.chars().count() <= 64 && name.chars().all(|c| c.is_alphanumeric() || "-_.[]".contains(c));
    if is_first && !is_name { "..." } else { name }
}

/// Returns the message that there is no such host, with the existing names.
pub(super) fn unknown(name: &str, platform: &Platform) -> String {
    let hosts = match platform.hosts.as_slice() {
        [] => "none".into(),
        [only] => format!("`{}`", only.name),
        [first, .., last] => format!("`{}` to `{}`", first.name, last.name),
    };
    format!("platform `{}` has no host `{}`; its hosts are {hosts}", platform.name, excerpt(name))
}

/// Returns the message that no host has this number.
pub(super) fn unknown_number(number: &str, platform: &Platform) -> String {
    let (name, hosts) = (&platform.name, platform.hosts.len());
    format!(
        "there is no host number {number}: the {hosts} hosts of platform `{name}` are 0 to {}",
        hosts.saturating_sub(1)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::PlatformParameters;

    fn read(text: &str) -> Result<Vec<u32>, String> {
        let ring = crate::topology::build("ring:4").unwrap();
        let parameters = PlatformParameters::default().check().unwrap();
        let platform = Platform::from_topology(&ring, &parameters, "bfs", 1).unwrap();
        match parse("hosts", text, &platform) {
            Ok(hosts) => Ok(hosts.iter().map(|host| host.0).collect()),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn lines_name_hosts() {
        assert_eq!(read("h3\n\n  h0:2 \r\nh1").unwrap(), [3, 0, 0, 1]);
    }

    /// The forms of Open MPI's host files, MPICH's, and Slurm's lists of nodes.
    #[test]
    fn forms_of_other_programs_are_read() {
        let text = "# hosts of the run\nh1 slots=2\nh0 slots=1 max_slots=4 # one core\nh[2-3]\nh[0,2-3]:2\nh1,h[0]";
        assert_eq!(read(text).unwrap(), [1, 1, 0, 2, 3, 0, 0, 2, 2, 3, 3, 1, 0]);
        assert_eq!(names("n[08-11]").unwrap(), ["n08", "n09", "n10", "n11"]);
        assert_eq!(names("r[0-1]n[1,3]s,login").unwrap(), ["r0n1s", "r0n3s", "r1n1s", "r1n3s", "login"]);
        let (zeros, lists) = ("0".repeat(70_000), "[1]".repeat(17));
        for wrong in ["n[1", "n[3-1]", "n[a]", "n[]", "n[0-99999999999]", "n[0-9]x[0-9]y[0-9]", "n[-1]"]
            .into_iter()
            .chain([&*format!("n[{zeros}1]"), &*lists, "n[0-18446744073709551615]", "n[0-50],n[0-50]"])
        {
            assert!(names(wrong).is_err(), "{wrong}");
        }
    }

    fn names(text: &str) -> Result<Vec<String>, String> {
        let mut names = Vec::new();
        let all = each_name(text, 100, |name| {
            names.push(name.to_owned());
            Ok(())
        });
        match all {
            Ok(()) => Ok(names),
            Err(HostLineFault::Line(text) | HostLineFault::Name(text) | HostLineFault::Number(text)) => Err(text),
        }
    }

    /// Sixteen million names of a line of 20 bytes, and long ones: none is made but the first, which is unknown.
    #[test]
    fn names_are_made_in_turn() {
        for text in ["x[1-16777216]".to_owned(), format!("{}[1-9999999]", "x".repeat(1 << 20))] {
            let mut made = 0;
            let ended = each_name(&text, MAX_HOSTS, |name| {
                made += 1;
                Err(HostLineFault::Name(name.into()))
            });
            assert!(ended.is_err());
            assert_eq!(made, 1);
        }
    }

    /// Files of CODES have a line of host numbers for each job.
    #[test]
    fn hosts_have_numbers_too() {
        assert_eq!(read("3 0\n 2\nh1").unwrap(), [3, 0, 2, 1]);
        let error = read("h0\n1 4").unwrap_err();
        assert!(
            error.contains("hosts:2:1: there is no host number 4: the 4 hosts of platform `ring:n=4` are 0 to 3"),
            "{error}"
        );
        // A name goes before a number.
        let platform = crate::platform::simgrid_xml::parse(
            "p.xml",
            "<platform version='4.1'><zone id='z' routing='None'><host id='1' speed='1f'/><host id='0' speed='1f'/></zone></platform>",
            crate::platform::Loopback::default(),
        );
        assert_eq!(parse("hosts", "0 1\n0", &platform.unwrap()).unwrap(), [HostId(1), HostId(0), HostId(1)]);
    }

    #[test]
    fn mistakes_have_a_line() {
        let error = read("h0\n h7\n").unwrap_err();
        assert!(
            error.starts_with("hosts:2:2: platform `ring:n=4` has no host `h7`; its hosts are `h0` to `h3`"),
            "{error}"
        );
        for (text, part) in [
            ("", "names no host"),
            ("h0:0", "write 1 or more"),
            ("h0:x", "`x` is not a number"),
            ("h9:2", "no host `h9`"),
            ("h0 slots=0", "write 1 or more"),
            ("h0 cores=2", "`cores=2` follows the name of a host"),
            ("h0 slots=1 slots=2", "`slots=2` follows"),
            ("h0:2 slots=3", "`h0:2` and `slots=` both say"),
            ("h[0-9]", "no host `h4`"),
            ("h[2-0]", "`2-0` is not a list"),
            ("h0:99999999999", "more than 16777216 entries"),
            ("h0:9999999\nh0:9999999", "hosts:2:1"),
        ] {
            assert!(read(text).unwrap_err().contains(part), "{text}");
        }
    }
}
