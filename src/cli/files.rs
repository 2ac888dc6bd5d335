//! Output files, which are either complete or absent.

use super::failure::Failure;
use super::part::TemporaryFile;
use mopsim::printable::{Printable, one_line};
use mopsim::report::mark::{self, ReportKind};
use mopsim::topology::input::open_to_write;
use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// Writes a temporary file in the same folder and renames it, so that a stop at any time leaves the old file or the new
/// one.
pub fn replace<T>(file: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<T>) -> Result<T, Failure> {
    replace_with(file, |out| write(out).map_err(|error| Failure::file("write", file, &error)))
}

/// Writes a report, in which nothing can control a reader's terminal.
pub fn report<T>(file: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<T>) -> Result<T, Failure> {
    replace(file, |out| write(&mut Printable::new(out)))
}

/// Replaces a file like [`replace`], with a `write` that can also fail for other reasons than writing.
pub fn replace_with<T>(
    file: &Path,
    write: impl FnOnce(&mut (dyn Write + Send)) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let fail = |error: io::Error| Failure::file("write", file, &error);
    if is_standard_output(file) {
        if super::closed::standard_output() {
            return Err(fail(io::Error::other("it is closed")));
        }
        let mut out = BufWriter::with_capacity(1 << 20, StandardOutput::default());
        return match write(&mut out) {
            Ok(value) if out.flush().is_ok() => Ok(value),
            result => {
                // Unwritten data is useless; dropping the buffer would write it.
                let (out, _) = out.into_parts();
                match (result, out.failure) {
                    (_, Some(error)) if error.kind() == io::ErrorKind::BrokenPipe => Err(Failure::closed()),
                    (Err(failure), _) => Err(failure),
                    (Ok(_), error) => Err(fail(error.unwrap_or_else(|| io::ErrorKind::WriteZero.into()))),
                }
            }
        };
    }
    // A symbolic link is kept: its target is replaced.
    let target = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    if is_device(&target) {
        // A device or a pipe is written directly: it has no content to lose, and must not be replaced by a file.
        let mut out = BufWriter::new(open_to_write(&target).map_err(fail)?);
        let value = write(&mut out)?;
        out.flush().map_err(fail)?;
        return Ok(value);
    }
    if target.file_name().is_none() {
        let message = format!("{}: not the name of a file", file.display());
        return Err(Failure::input(message, "name a file, for example report.html"));
    }
    let (part, written) = TemporaryFile::create(target).map_err(fail)?;
    let mut out = BufWriter::new(written);
    let value = write(&mut out)?;
    let written = out.into_inner().map_err(|error| fail(error.into_error()))?;
    part.rename(&written).map_err(fail)?;
    Ok(value)
}

/// Returns `true` if the name is `-`, which means standard output here, and standard input elsewhere.
pub fn is_standard_output(file: &Path) -> bool {
    file.as_os_str() == "-"
}

/// Returns the name of a file for messages.
pub fn name(file: &Path) -> Cow<'_, str> {
    if is_standard_output(file) { "standard output".into() } else { one_line(file.to_string_lossy()) }
}

/// Standard output that remembers its error: a reader that has closed it is not an error, but ends the work.
#[derive(Default)]
struct StandardOutput {
    failure: Option<io::Error>,
}

impl StandardOutput {
    fn noted<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        if let Err(error) = &result
            && error.kind() != io::ErrorKind::Interrupted
        {
            let code = error.raw_os_error();
            self.failure = Some(code.map_or_else(|| error.kind().into(), io::Error::from_raw_os_error));
        }
        result
    }
}

impl Write for StandardOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let result = io::stdout().write(bytes);
        self.noted(result)
    }

    fn flush(&mut self) -> io::Result<()> {
        let result = io::stdout().flush();
        self.noted(result)
    }
}

/// Files that a verb writes, which must not replace each other or files that the verb reads.
///
/// All of them are known before the work begins, so that neither files nor time are lost.
#[derive(Debug, Default)]
pub struct Outputs<'a> {
    outputs: Vec<Output<'a>>,
}

#[derive(Debug)]
struct Output<'a> {
    /// Name of the option for the file.
    option: &'static str,
    file: Cow<'a, Path>,
    over: Over,
}

/// Files that an output may replace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Over {
    /// No file.
    Nothing,
    /// Empty files, and reports of this program.
    Ours,
    /// Any file.
    All,
}

impl<'a> Outputs<'a> {
    /// Adds an optional report: it replaces an earlier report, and other files only by force.
    pub fn report(self, option: &'static str, file: Option<&'a Path>, force: bool) -> Self {
        self.with(option, file, if force { Over::All } else { Over::Ours })
    }

    /// Adds an optional file to which is appended; its writer checks whether it is the right one.
    pub fn continuing(self, option: &'static str, file: Option<&'a Path>) -> Self {
        self.with(option, file, Over::All)
    }

    /// Adds an output that replaces an existing file only by force.
    pub fn creating(self, option: &'static str, file: Option<&'a Path>, force: bool) -> Self {
        self.with(option, file, if force { Over::All } else { Over::Nothing })
    }

    fn with(mut self, option: &'static str, file: Option<&'a Path>, over: Over) -> Self {
        self.outputs.extend(file.map(|file| Output { option, file: Cow::Borrowed(file), over }));
        self
    }

    /// Adds an output whose name is derived from that of another one; it replaces an existing file.
    pub fn beside(mut self, option: &'static str, file: Option<PathBuf>) -> Self {
        self.outputs.extend(file.map(|file| Output { option, file: Cow::Owned(file), over: Over::All }));
        self
    }

    /// Refuses files that would be lost, and places where no file can be. The input files are requested only if
    /// something is written, because finding them requires reading studies and lists.
    ///
    /// # Errors
    /// Bad input for a folder, for a file that is read or written under another option, and for an existing file that
    /// must not be replaced; a file error for a missing folder.
    pub fn check<I: IntoIterator<Item = PathBuf>>(&self, inputs: impl FnOnce() -> I) -> Result<(), Failure> {
        if self.outputs.is_empty() {
            return Ok(());
        }
        // Missing files cannot be lost.
        let there = inputs().into_iter().filter(|file| file.exists());
        let inputs: Vec<(FileIdentity, PathBuf)> =
            there.filter_map(|file| Some((FileIdentity::of(&file)?, file))).collect();
        let mut seen: Vec<(FileIdentity, &Output)> = Vec::new();
        for output in &self.outputs {
            // With side files, standard output has the result of the verb.
            if output.option != "--output" {
                refuse_standard_output(output.option, &output.file)?;
            }
            if is_standard_output(&output.file) {
                continue;
            }
            check_place(output.option, &output.file)?;
            let Some(identity) = FileIdentity::of(&output.file) else { continue };
            let (option, file) = (output.option, output.file.display());
            if let Some((_, input)) = inputs.iter().find(|(input, _)| *input == identity) {
                let same =
                    if input.as_path() == &*output.file { String::new() } else { format!(" as {}", input.display()) };
                let message = format!("{option} {file}: this file is read{same}, and would be lost");
                return Err(Failure::input(message, "give what is written a name of its own"));
            }
            if let Some((_, other)) = seen.iter().find(|(other, _)| *other == identity) {
                let message = format!("{option} {file}: {} writes this file, too", other.option);
                return Err(Failure::input(message, "give each of them a name of its own"));
            }
            match output.over {
                Over::Nothing => check_free(&output.file, false)?,
                Over::Ours if !is_ours(&output.file, kind_of(output.option)) => {
                    let message =
                        format!("{option} {file}: a file of that name exists, and is not a mopsim report of this kind");
                    return Err(Failure::input(message, "choose another name, or pass --force to replace it"));
                }
                Over::Ours | Over::All => {}
            }
            seen.push((identity, output));
        }
        Ok(())
    }
}

/// Identity of a file under different names. Devices and pipes have none: they have no content to lose, and can take
/// the output of two options.
#[derive(Debug, PartialEq, Eq)]
enum FileIdentity {
    /// Device and number of an existing file, which are equal for symbolic and hard links.
    #[cfg(unix)]
    Number(u64, u64),
    /// Path without symbolic links.
    Path(PathBuf),
}

impl FileIdentity {
    fn of(file: &Path) -> Option<Self> {
        match fs::metadata(file) {
            Ok(found) if !found.is_file() => None,
            #[cfg(unix)]
            Ok(found) => {
                use std::os::unix::fs::MetadataExt;
                Some(Self::Number(found.dev(), found.ino()))
            }
            _ => {
                let whole = fs::canonicalize(file).ok();
                let in_folder = || Some(fs::canonicalize(folder_of(file)).ok()?.join(file.file_name()?));
                whole.or_else(in_folder).map(Self::Path)
            }
        }
    }
}

/// Returns `true` if the file is a device or a pipe.
fn is_device(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// Returns the kind of report that an option writes; `None` if an option can write several.
fn kind_of(option: &str) -> Option<ReportKind> {
    match option {
        "--html" => Some(ReportKind::Html),
        "--svg" | "--floor-svg" => Some(ReportKind::Svg),
        "--json" | "--timeline" => Some(ReportKind::Json),
        "--csv" => Some(ReportKind::Csv),
        _ => None,
    }
}

/// Returns `true` if replacing the file loses at most an earlier report: it is missing, empty, or marked as one of ours of
/// that kind. A link to nothing is a file of the user, and is not replaced by ours.
fn is_ours(file: &Path, wanted: Option<ReportKind>) -> bool {
    if is_device(file) {
        return true;
    }
    let mut head = Vec::new();
    match File::open(file).and_then(|file| file.take(mark::HEAD as u64).read_to_end(&mut head)) {
        Ok(_) => head.is_empty() || mark::kind(&head).is_some_and(|kind| wanted.is_none_or(|wanted| kind == wanted)),
        Err(error) => error.kind() == io::ErrorKind::NotFound && fs::symlink_metadata(file).is_err(),
    }
}

/// Copies the files of a folder that has no subfolders.
pub fn copy_folder(from: &Path, to: &Path) -> Result<(), Failure> {
    let fail = |error: std::io::Error| Failure::file("write", to, &error);
    fs::create_dir_all(to).map_err(fail)?;
    for entry in fs::read_dir(from).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        fs::copy(&path, to.join(path.file_name().unwrap_or_default())).map_err(fail)?;
    }
    Ok(())
}

/// Refuses to replace a file without `force`.
pub fn check_free(file: &Path, force: bool) -> Result<(), Failure> {
    if !force && !is_device(file) && fs::symlink_metadata(file).is_ok() {
        let message = format!("{}: a file of that name already exists", file.display());
        return Err(Failure::input(message, "choose another name, or pass --force to replace it"));
    }
    Ok(())
}

/// Refuses `-` for side files.
pub fn refuse_standard_output(option: &str, file: &Path) -> Result<(), Failure> {
    if !is_standard_output(file) {
        return Ok(());
    }
    let message = format!("{option} -: on standard output is the result, in the form that --format says");
    Err(Failure::input(message, "name a file; ./- is one of that name"))
}

/// Refuses a place where no file can be, before the work is done.
fn check_place(option: &str, file: &Path) -> Result<(), Failure> {
    if file.is_dir() || file.file_name().is_none() {
        let message = format!("{option} {}: a folder, not a file", file.display());
        return Err(Failure::input(message, "name a file"));
    }
    let folder = folder_of(file);
    match fs::metadata(folder) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(Failure::file("write into", folder, &io::Error::from(io::ErrorKind::NotADirectory))),
        Err(error) => Err(Failure::file("write into", folder, &error)),
    }
}

/// Returns the folder of a file.
pub fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
