//! Files that the program writes: there whole or not at all.

use super::failure::Failure;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Writes a file beside its place and then renames it, so that a stop at any time leaves the old file or the new one.
pub fn replace<T>(file: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<T>) -> Result<T, Failure> {
    replace_with(file, |out| write(out).map_err(|error| Failure::file("write", file, &error)))
}

/// The same for what can fail otherwise than in writing, too.
pub fn replace_with<T>(
    file: &Path,
    write: impl FnOnce(&mut (dyn Write + Send)) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let fail = |error: io::Error| Failure::file("write", file, &error);
    // A link stays one: the file that it leads to is replaced.
    let target = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    if fs::metadata(&target).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        // A device or a pipe takes what it is given, and has nothing to lose; a file in its place would be harm.
        let mut out = BufWriter::new(File::options().write(true).open(&target).map_err(fail)?);
        let value = write(&mut out)?;
        out.flush().map_err(fail)?;
        return Ok(value);
    }
    let name = target.file_name().ok_or_else(|| {
        Failure::input(format!("{}: not the name of a file", file.display()), "name a file, for example report.html")
    })?;
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}.part", std::process::id()));
    let part: PathBuf = target.with_file_name(hidden);
    let mut out = BufWriter::new(File::create_new(&part).map_err(fail)?);
    let result = write(&mut out).and_then(|value| {
        out.flush().and_then(|()| fs::rename(&part, &target)).map_err(fail)?;
        Ok(value)
    });
    if result.is_err() {
        // What is left is of no use; that it cannot be removed is no worse than why it is here.
        let _ = fs::remove_file(&part);
    }
    result
}

/// Refuses to replace a file, unless that is what the user wants.
pub fn check_free(file: &Path, force: bool) -> Result<(), Failure> {
    if !force && fs::symlink_metadata(file).is_ok() {
        let message = format!("{}: there is a file of that name", file.display());
        return Err(Failure::input(message, "choose another name, or say --force to replace it"));
    }
    Ok(())
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
