//! Host files: the hosts that ranks run on. Each line has one name; `name:k` is equivalent to k lines; empty lines do
//! not count.

use std::collections::HashMap;
use std::path::Path;

use super::error::PlatformError;
use super::{Platform, parameters::MAX_HOSTS};
use crate::ids::HostId;
use crate::topology::input::{Located, MAX_FILE_BYTES, read_text};

/// Reads a host file and returns the hosts in the order of its lines. Rank `r` runs on entry `r` modulo the number of
/// entries.
///
/// # Errors
/// [`PlatformError::Read`], and [`PlatformError::File`] with the line of a name that the platform does not have.
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
    for (index, line) in text.lines().enumerate() {
        let wrong = |message: String, help: &str| {
            let column = line.len() - line.trim_start().len() + 1;
            Err(PlatformError::File(Located { file: file.into(), line: index + 1, column, message, help: help.into() }))
        };
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        // A name may contain a colon itself, so the whole line is tried first.
        let (host, count) = match (names.find(line), line.rsplit_once(':')) {
            (Some(host), _) => (host, 1),
            (None, Some((name, count))) => {
                let Some(host) = names.find(name.trim_end()) else {
                    return wrong(unknown(shown(name.trim_end(), hosts.is_empty()), platform), NAME_HELP);
                };
                match count.trim().parse::<usize>() {
                    Ok(count) if count >= 1 => (host, count),
                    _ => return wrong(format!("`{count}` is not a number of ranks, at least 1"), NAME_HELP),
                }
            }
            (None, None) => return wrong(unknown(shown(line, hosts.is_empty()), platform), NAME_HELP),
        };
        if count > MAX_HOSTS - hosts.len() {
            return wrong(format!("more than {MAX_HOSTS} entries"), "use fewer ranks");
        }
        hosts.extend(std::iter::repeat_n(host, count));
    }
    if hosts.is_empty() {
        return Err(PlatformError::File(Located {
            file: file.into(),
            line: 1,
            column: 1,
            message: "the file names no host".into(),
            help: NAME_HELP.into(),
        }));
    }
    Ok(hosts)
}

const NAME_HELP: &str = "each line is the name of a host of the platform, or `name:k` for k ranks on it";

/// Index of the hosts of a platform by name.
pub(super) struct HostNames<'a>(HashMap<&'a str, HostId>);

impl<'a> HostNames<'a> {
    /// Builds the index of a platform.
    pub(super) fn of(platform: &'a Platform) -> Self {
        let hosts = platform.hosts.iter().enumerate();
        Self(hosts.map(|(index, host)| (host.name.as_str(), HostId::new(index))).collect())
    }

    /// Returns the host of that name.
    pub(super) fn find(&self, name: &str) -> Option<HostId> {
        self.0.get(name).copied()
    }
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
    format!("platform `{}` has no host `{name}`; its hosts are {hosts}", platform.name)
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

    #[test]
    fn mistakes_have_a_line() {
        let error = read("h0\n h7\n").unwrap_err();
        assert!(
            error.starts_with("hosts:2:2: platform `ring:n=4` has no host `h7`; its hosts are `h0` to `h3`"),
            "{error}"
        );
        for (text, part) in [
            ("", "names no host"),
            ("h0:0", "at least 1"),
            ("h0:x", "`x` is not a number"),
            ("h9:2", "no host `h9`"),
            ("h0:99999999999", "more than 16777216 entries"),
            ("h0:9999999\nh0:9999999", "hosts:2:1"),
        ] {
            assert!(read(text).unwrap_err().contains(part), "{text}");
        }
    }
}
