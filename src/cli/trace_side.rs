//! Side files of traces that are written, so that replays of these traces know their operations and measured time.

use super::failure::Failure;
use super::files;
use mopsim::printable::{printable, toml_string};
use mopsim::trace::SideFile;
use std::fs;
use std::path::{Path, PathBuf};

/// Side file of a trace that will be written.
pub struct TraceSide<'a> {
    file: PathBuf,
    side: &'a SideFile,
    text: String,
    /// `false` for standard output, devices and pipes, which have no side files.
    wanted: bool,
}

impl<'a> TraceSide<'a> {
    /// Returns the side file of a trace file.
    pub fn of(side: &'a SideFile, trace: &Path) -> Result<Self, Failure> {
        let unfit = |error: toml::ser::Error| {
            Failure::input(format!("the facts about the trace do not fit a side file: {error}"), "write them shorter")
        };
        let mut text = toml::to_string(side).map_err(unfit)?;
        // A raw title could disguise the text in a terminal.
        if printable(&text) != text {
            text.clear();
            for (key, value) in toml::Table::try_from(side).map_err(unfit)? {
                let value = value.as_str().map_or_else(|| value.to_string(), toml_string);
                text.push_str(&format!("{key} = {value}\n"));
            }
        }
        Ok(Self { file: SideFile::beside(trace), side, text, wanted: is_file(trace) })
    }

    /// `true` if an equal side file exists: a trace in several formats shares it.
    fn is_there(&self) -> bool {
        SideFile::read(&self.file).is_ok_and(|found| found.as_ref() == Some(self.side))
    }

    /// Refuses to replace a different side file.
    pub fn check_free(&self, force: bool) -> Result<(), Failure> {
        if !self.wanted || self.is_there() {
            return Ok(());
        }
        // The user has named the trace: a study of that name is not what was meant to be replaced.
        if force && self.file.is_file() && SideFile::read(&self.file).is_err() {
            return Err(Failure::input(
                format!("{} would become the side file of the trace, and is something else", files::name(&self.file)),
                "give the trace another name, or remove that file",
            ));
        }
        files::check_free(&self.file, force)
    }

    /// Writes the side file, unless an equal one exists.
    pub fn write(&self) -> Result<(), Failure> {
        if !self.wanted || self.is_there() {
            return Ok(());
        }
        files::replace(&self.file, |out| out.write_all(self.text.as_bytes()))
    }
}

/// Returns `true` for the name of a file, `false` for standard output, a device or a pipe.
pub fn is_file(file: &Path) -> bool {
    !files::is_standard_output(file) && (fs::metadata(file).is_ok_and(|found| found.is_file()) || !file.exists())
}
