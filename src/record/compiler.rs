//! The compiler of the MPI library, and what it makes.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{LIBRARY, RecordError, SOURCES, launcher_of};

/// Lines of the compiler's message that are shown.
const SHOWN: usize = 15;

/// The compiler of the MPI library that runs a command: the one that was named, by `given` or by the variable `MPICC`;
/// the one beside the command's launcher (`mpicc.mpich` beside `mpirun.mpich`); or `mpicc`.
///
/// # Errors
/// [`RecordError::NoCompiler`] if there is none.
pub fn find_compiler(given: Option<&Path>, command: &[OsString]) -> Result<PathBuf, RecordError> {
    let named = given.map(Path::to_path_buf).or_else(|| std::env::var_os("MPICC").map(PathBuf::from));
    if let Some(named) = named.filter(|named| !named.as_os_str().is_empty()) {
        return in_path(named.as_os_str()).ok_or(RecordError::NoCompiler(named));
    }
    let beside = launcher_of(command).and_then(|launcher| {
        let found = in_path(launcher)?;
        let name = found.file_name()?.to_str()?;
        let variant = ["mpirun", "mpiexec"].iter().find_map(|prefix| name.strip_prefix(prefix))?;
        // The launcher of MPICH is called by the name of its process manager, too.
        let variant = variant.strip_prefix(".hydra").unwrap_or(variant);
        Some(found.with_file_name(format!("mpicc{variant}"))).filter(|compiler| compiler.is_file())
    });
    beside.or_else(|| in_path(OsStr::new("mpicc"))).ok_or_else(|| RecordError::NoCompiler("mpicc".into()))
}

/// The file that a name of a command stands for.
fn in_path(name: &OsStr) -> Option<PathBuf> {
    let name = Path::new(name);
    if name.components().count() > 1 {
        return name.is_file().then(|| name.to_path_buf());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// Writes the source of the recorder into a folder and compiles it there; gives the library.
///
/// # Errors
/// [`RecordError`] with what the compiler says.
pub fn compile(compiler: &Path, folder: &Path) -> Result<PathBuf, RecordError> {
    let write = |name: &str, text: &str| {
        let file = folder.join(name);
        fs::write(&file, text).map_err(|error| RecordError::File { file, error })
    };
    SOURCES.iter().try_for_each(|(name, text)| write(name, text))?;
    let library = folder.join(LIBRARY);
    compile_file(compiler, &folder.join(SOURCES[0].0), &library, &["-lpthread", "-ldl"])
        .map_err(|message| RecordError::Compiler { compiler: compiler.to_path_buf(), message })?;
    Ok(library)
}

/// Compiles a file of C to a library that can be preloaded.
///
/// # Errors
/// The first lines of the compiler's message.
pub(crate) fn compile_file(compiler: &Path, source: &Path, library: &Path, libraries: &[&str]) -> Result<(), String> {
    let output = Command::new(compiler)
        // With -O2 a call costs as much, and compiling takes twice as long.
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .arg(library)
        .arg(source)
        .args(libraries)
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() || !library.is_file() {
        let message = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
        let lines: Vec<&str> = message.lines().collect();
        let mut shown = lines[..lines.len().min(SHOWN)].join("\n");
        if lines.len() > SHOWN {
            shown.push_str(&format!("\n... and {} more lines", lines.len() - SHOWN));
        }
        return Err(shown);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compiler_that_is_not_there_is_named() {
        let error = find_compiler(Some(Path::new("no-such-mpicc")), &[]).unwrap_err();
        assert!(error.to_string().contains("no-such-mpicc"), "{error}");
        assert!(error.help().contains("--mpicc"));
    }

    #[test]
    fn what_the_compiler_says_is_shown() {
        let folder = tempfile::tempdir().unwrap();
        let error = compile(Path::new("/bin/false"), folder.path()).unwrap_err();
        assert!(matches!(error, RecordError::Compiler { .. }), "{error}");
    }

    #[test]
    fn every_file_that_is_included_is_there() {
        for (name, text) in SOURCES {
            for line in text.lines().filter_map(|line| line.trim().strip_prefix("#include \"")) {
                let included = line.trim_end_matches('"');
                assert!(SOURCES.iter().any(|(name, _)| *name == included), "{name} includes {included}");
            }
        }
    }
}
