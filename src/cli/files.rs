//! Files that the program writes: there whole or not at all.

use super::failure::Failure;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Writes a file beside its place and then renames it, so that a stop at any time leaves the old file or the new one.
pub fn replace<T>(file: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<T>) -> Result<T, Failure> {
    let fail = |error: io::Error| Failure::file("write", file, &error);
    let name = file.file_name().ok_or_else(|| {
        Failure::input(format!("{}: not the name of a file", file.display()), "name a file, for example report.html")
    })?;
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}.part", std::process::id()));
    let part: PathBuf = file.with_file_name(hidden);
    let mut out = BufWriter::new(File::create_new(&part).map_err(fail)?);
    let result = write(&mut out).and_then(|value| {
        out.flush()?;
        fs::rename(&part, file)?;
        Ok(value)
    });
    if result.is_err() {
        // What is left is of no use; that it cannot be removed is no worse than why it is here.
        let _ = fs::remove_file(&part);
    }
    result.map_err(fail)
}

/// Refuses a place where no file can be, before the work that it would waste.
pub fn check(file: Option<&Path>) -> Result<(), Failure> {
    let Some(file) = file else { return Ok(()) };
    let folder = file.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if file.is_dir() || file.file_name().is_none() {
        return Err(Failure::input(format!("{}: a folder, not a file", file.display()), "name a file"));
    }
    match fs::metadata(folder) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(Failure::file("write into", folder, &io::Error::from(io::ErrorKind::NotADirectory))),
        Err(error) => Err(Failure::file("write into", folder, &error)),
    }
}
