//! Files that the program writes: there whole or not at all.

use super::failure::Failure;
use super::part::Part;
use mopsim::printable::Printable;
use mopsim::report::mark;
use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// Writes a file beside its place and then renames it, so that a stop at any time leaves the old file or the new one.
pub fn replace<T>(file: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<T>) -> Result<T, Failure> {
    replace_with(file, |out| write(out).map_err(|error| Failure::file("write", file, &error)))
}

/// Writes a report, in which nothing acts on who reads it in a terminal.
pub fn report<T>(file: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<T>) -> Result<T, Failure> {
    replace(file, |out| write(&mut Printable::new(out)))
}

/// The same for what can fail otherwise than in writing, too.
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
                // What was not written yet is of no use; dropping would write it.
                let (out, _) = out.into_parts();
                match (result, out.failure) {
                    (_, Some(error)) if error.kind() == io::ErrorKind::BrokenPipe => Err(Failure::closed()),
                    (Err(failure), _) => Err(failure),
                    (Ok(_), error) => Err(fail(error.unwrap_or_else(|| io::ErrorKind::WriteZero.into()))),
                }
            }
        };
    }
    // A link stays one: the file that it leads to is replaced.
    let target = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    if is_device(&target) {
        // A device or a pipe takes what it is given, and has nothing to lose; a file in its place would be harm.
        let mut out = BufWriter::new(File::options().write(true).open(&target).map_err(fail)?);
        let value = write(&mut out)?;
        out.flush().map_err(fail)?;
        return Ok(value);
    }
    if target.file_name().is_none() {
        let message = format!("{}: not the name of a file", file.display());
        return Err(Failure::input(message, "name a file, for example report.html"));
    }
    let (part, written) = Part::create(target).map_err(fail)?;
    let mut out = BufWriter::new(written);
    let value = write(&mut out)?;
    let written = out.into_inner().map_err(|error| fail(error.into_error()))?;
    part.rename(&written).map_err(fail)?;
    Ok(value)
}

/// Whether the name is `-`, which stands for standard output as it stands for standard input elsewhere.
pub fn is_standard_output(file: &Path) -> bool {
    file.as_os_str() == "-"
}

/// How a file is called in messages.
pub fn name(file: &Path) -> Cow<'_, str> {
    if is_standard_output(file) { "standard output".into() } else { file.to_string_lossy() }
}

/// Standard output, which remembers why it took no more: a reader that went away is no error, but ends the work.
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

/// The files that a verb writes, and those that it reads: none may take the place of another.
///
/// All of them are known before the work begins, so that nothing is lost, neither files nor time.
#[derive(Debug, Default)]
pub struct Outputs<'a> {
    outputs: Vec<Output<'a>>,
}

#[derive(Debug)]
struct Output<'a> {
    /// The option that names it.
    option: &'static str,
    file: Cow<'a, Path>,
    over: Over,
}

/// Which files an output may replace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Over {
    /// None.
    Nothing,
    /// Empty ones, and reports of this program.
    Ours,
    /// Any.
    All,
}

impl<'a> Outputs<'a> {
    /// A report, if it is wanted at all: it takes the place of an earlier one, and of anything else only by force.
    pub fn report(self, option: &'static str, file: Option<&'a Path>, force: bool) -> Self {
        self.with(option, file, if force { Over::All } else { Over::Ours })
    }

    /// A file that goes on where it ends, if it is wanted at all; who writes it finds out whether it is the right one.
    pub fn continuing(self, option: &'static str, file: Option<&'a Path>) -> Self {
        self.with(option, file, Over::All)
    }

    /// An output that takes the place of a file of that name only by force.
    pub fn creating(self, option: &'static str, file: Option<&'a Path>, force: bool) -> Self {
        self.with(option, file, if force { Over::All } else { Over::Nothing })
    }

    fn with(mut self, option: &'static str, file: Option<&'a Path>, over: Over) -> Self {
        self.outputs.extend(file.map(|file| Output { option, file: Cow::Borrowed(file), over }));
        self
    }

    /// An output whose name is made from that of another one; it takes the place of a file.
    pub fn beside(mut self, option: &'static str, file: Option<PathBuf>) -> Self {
        self.outputs.extend(file.map(|file| Output { option, file: Cow::Owned(file), over: Over::All }));
        self
    }

    /// Refuses files that would be lost and places where no file can be. What the verb reads is only asked for where
    /// something is written: to find it out means to read studies and lists.
    ///
    /// # Errors
    /// Bad input for a folder, for a file that is read or written under another option, and for one that is there and
    /// must not be replaced; trouble with files for a folder that is not there.
    pub fn check<I: IntoIterator<Item = PathBuf>>(&self, inputs: impl FnOnce() -> I) -> Result<(), Failure> {
        if self.outputs.is_empty() {
            return Ok(());
        }
        // What is not there cannot be lost.
        let there = inputs().into_iter().filter(|file| file.exists());
        let inputs: Vec<(Identity, PathBuf)> = there.filter_map(|file| Some((Identity::of(&file)?, file))).collect();
        let mut seen: Vec<(Identity, &Output)> = Vec::new();
        for output in &self.outputs {
            // Beside the other files, the result of the verb is there.
            if output.option != "--output" {
                refuse_standard_output(output.option, &output.file)?;
            }
            if is_standard_output(&output.file) {
                continue;
            }
            check_place(output.option, &output.file)?;
            let Some(identity) = Identity::of(&output.file) else { continue };
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
                Over::Ours if !is_ours(&output.file) => {
                    let message = format!("{option} {file}: there is a file of that name that is no report of mopsim");
                    return Err(Failure::input(message, "choose another name, or say --force to replace it"));
                }
                Over::Ours | Over::All => {}
            }
            seen.push((identity, output));
        }
        Ok(())
    }
}

/// What makes two names the same file. Devices and pipes have none: they lose nothing, and take what two options write.
#[derive(Debug, PartialEq, Eq)]
enum Identity {
    /// A file that is there, by its device and number: also through links of both kinds.
    #[cfg(unix)]
    Number(u64, u64),
    /// Its path without links.
    Path(PathBuf),
}

impl Identity {
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

/// Whether it is a device or a pipe.
fn is_device(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// Whether nothing is lost with the file but an earlier report: it is not there, it is empty, or it says that it is ours.
fn is_ours(file: &Path) -> bool {
    if is_device(file) {
        return true;
    }
    let mut head = Vec::new();
    match File::open(file).and_then(|file| file.take(mark::HEAD as u64).read_to_end(&mut head)) {
        Ok(_) => head.is_empty() || mark::is_ours(&head),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

/// Copies the files of a folder, which has no folders in it.
pub fn copy_folder(from: &Path, to: &Path) -> Result<(), Failure> {
    let fail = |error: std::io::Error| Failure::file("write", to, &error);
    fs::create_dir_all(to).map_err(fail)?;
    for entry in fs::read_dir(from).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        fs::copy(&path, to.join(path.file_name().unwrap_or_default())).map_err(fail)?;
    }
    Ok(())
}

/// Refuses to replace a file, unless that is what the user wants.
pub fn check_free(file: &Path, force: bool) -> Result<(), Failure> {
    if !force && !is_device(file) && fs::symlink_metadata(file).is_ok() {
        let message = format!("{}: there is a file of that name", file.display());
        return Err(Failure::input(message, "choose another name, or say --force to replace it"));
    }
    Ok(())
}

/// Refuses `-` for what is written beside a result.
pub fn refuse_standard_output(option: &str, file: &Path) -> Result<(), Failure> {
    if !is_standard_output(file) {
        return Ok(());
    }
    let message = format!("{option} -: on standard output is the result, in the form that --format says");
    Err(Failure::input(message, "name a file; ./- is one of that name"))
}

/// Refuses a place where no file can be, before the work that it would waste.
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

/// The folder that a file is in.
pub fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
