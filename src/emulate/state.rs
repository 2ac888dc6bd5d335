//! The record of an emulated network: what was built, and under which name.

use super::{Choice, EmulateError};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Folder of the records, which a restart of the machine empties, as it does away with the networks.
pub const FOLDER: &str = "/run/mopsim";

/// First part of the names of all namespaces of a network.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Prefix(String);

impl Prefix {
    /// Checks a prefix.
    ///
    /// # Errors
    /// [`EmulateError::Prefix`].
    pub fn new(text: &str) -> Result<Self, EmulateError> {
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        let begins = text.starts_with(|c: char| c.is_ascii_lowercase());
        match begins && text.len() <= 12 && text.chars().all(is_plain) {
            true => Ok(Self(text.to_owned())),
            false => Err(EmulateError::Prefix(text.to_owned())),
        }
    }

    /// Returns the prefix as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Name of the namespace of a switch or host: `mopsim-s3`.
    pub fn space(&self, name: &str) -> String {
        format!("{}-{name}", self.0)
    }

    /// Name of the namespace that programs are started in.
    pub fn control(&self) -> String {
        self.space("control")
    }

    /// `true` if the name of a namespace is one of this prefix.
    pub fn is_of(&self, name: &str) -> bool {
        let Some(rest) = name.strip_prefix(&self.0).and_then(|rest| rest.strip_prefix('-')) else { return false };
        let number = rest.strip_prefix(['s', 'h']);
        rest == "control" || number.is_some_and(|n| !n.is_empty() && n.bytes().all(|byte| byte.is_ascii_digit()))
    }

    /// Folder of the record and of the files that programs need.
    pub fn folder(&self) -> PathBuf {
        Path::new(FOLDER).join(&self.0)
    }
}

/// A direction of a cable.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LinkPlace {
    /// Name of the link, as in reports: `3->17`.
    pub link: String,
    /// Namespace that it leaves from.
    pub space: String,
    /// Device there.
    pub device: String,
    /// `true` if the cable has no link in the other direction.
    pub one_way: bool,
}

/// The record of a network.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct State {
    /// Version of this record.
    pub schema: String,
    /// All namespaces, by name.
    pub spaces: Vec<String>,
    /// `true` once everything is set up.
    pub complete: bool,
    /// `true` if the network ends with the process that built it.
    pub temporary: bool,
    /// Description of the topology.
    pub topology: String,
    /// Flags that built it, for replays on the same network.
    pub choice: Choice,
    /// Namespace of each host.
    pub hosts: Vec<String>,
    /// Links in the order of the platform.
    pub links: Vec<LinkPlace>,
    /// Bytes that each link had carried when the last program began.
    pub before: Vec<u64>,
    /// Folder of libraries and files of programs, to be removed with the network.
    pub scratch: Option<PathBuf>,
}

/// Prefixes that have a record.
pub fn prefixes() -> Vec<Prefix> {
    let Ok(entries) = fs::read_dir(FOLDER) else { return Vec::new() };
    let names = entries.flatten().filter_map(|entry| Prefix::new(entry.file_name().to_str()?).ok());
    let mut names: Vec<Prefix> = names.collect();
    names.sort_by(|a, b| a.0.cmp(&b.0));
    names
}

/// Version of [`State`].
pub const SCHEMA: &str = "mopsim.emulated/1";

/// The part of a record that all versions have.
#[derive(Deserialize)]
struct Versioned {
    schema: String,
}

/// The folder of a network while a process works on it. No other process does until it is dropped, or the process ends.
#[derive(Debug)]
pub struct Record {
    folder: PathBuf,
    name: String,
    // Its lock ends with the process, even with kill -9.
    _lock: File,
}

impl Record {
    /// Takes the folder of a prefix, and creates it if there is none.
    ///
    /// # Errors
    /// [`EmulateError::Busy`] if another process has it, [`EmulateError::File`].
    pub fn take(prefix: &Prefix) -> Result<Self, EmulateError> {
        let folder = prefix.folder();
        fs::create_dir_all(&folder).map_err(|error| EmulateError::File { file: folder.clone(), error })?;
        let file = folder.join("lock");
        let lock = OpenOptions::new().create(true).write(true).truncate(false).open(&file);
        let lock = lock.map_err(|error| EmulateError::File { file: file.clone(), error })?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { folder, name: prefix.as_str().to_owned(), _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(EmulateError::Busy(prefix.as_str().to_owned())),
            Err(TryLockError::Error(error)) => Err(EmulateError::File { file, error }),
        }
    }

    /// Returns the folder of the record.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn file(&self) -> PathBuf {
        self.folder.join("network.json")
    }

    /// Reads the record; none if there is none.
    ///
    /// # Errors
    /// [`EmulateError::File`] if it cannot be read, [`EmulateError::Unreadable`] if it is no record of this version.
    pub fn read(&self) -> Result<Option<State>, EmulateError> {
        let file = self.file();
        let text = match fs::read(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(EmulateError::File { file, error }),
        };
        let schema = serde_json::from_slice::<Versioned>(&text).ok().map(|versioned| versioned.schema);
        let of_another = schema.is_some_and(|schema| schema != SCHEMA);
        match serde_json::from_slice(&text) {
            Ok(state) if !of_another => Ok(Some(state)),
            _ => Err(EmulateError::Unreadable { prefix: self.name.clone(), file, of_another }),
        }
    }

    /// Reads the record of a network that is up.
    ///
    /// # Errors
    /// [`EmulateError::NotUp`], [`EmulateError::Incomplete`], and those of [`Self::read`].
    pub fn up(&self) -> Result<State, EmulateError> {
        match self.read()? {
            None => {
                // Nothing is left of a folder that was created for this question.
                self.forget();
                Err(EmulateError::NotUp(self.name.clone()))
            }
            Some(state) if !state.complete => Err(EmulateError::Incomplete(self.name.clone())),
            Some(state) => Ok(state),
        }
    }

    /// Writes the record; the file is there in full or not at all.
    ///
    /// # Errors
    /// [`EmulateError::File`].
    pub fn write(&self, state: &State) -> Result<(), EmulateError> {
        let (file, part) = (self.file(), self.folder.join("network.part"));
        let text = serde_json::to_vec(state).unwrap_or_else(|error| unreachable!("{error}"));
        let written =
            File::create(&part).and_then(|mut out| out.write_all(&text)).and_then(|()| fs::rename(&part, &file));
        written.map_err(|error| EmulateError::File { file, error })
    }

    /// Removes the folder with the record.
    pub fn forget(&self) {
        let _ = fs::remove_dir_all(&self.folder);
        // This fails if it has records of other networks.
        let _ = fs::remove_dir(FOLDER);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_names_namespaces_that_nothing_else_has() {
        let prefix = Prefix::new("net1").unwrap();
        for name in ["net1-s0", "net1-h12", "net1-control"] {
            assert!(prefix.is_of(name), "{name}");
        }
        for name in ["net1", "net1-s", "net1-sx", "net12-s0", "net1-s0-s1", "net-s1", "1-s0", "net1-controls"] {
            assert!(!prefix.is_of(name), "{name}");
        }
        for bad in ["", "1net", "Net", "net-1", "net 1", "../x", "abcdefghijklm", "größe"] {
            assert!(Prefix::new(bad).is_err(), "{bad}");
        }
    }
}
