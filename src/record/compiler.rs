//! The compiler of the MPI library, and its products.

use crate::executable::in_path;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{LIBRARY, RecordError, SOURCES, launcher_of};

/// Lines of the compiler's message that are shown.
const SHOWN: usize = 15;

/// Returns the compiler of the MPI library of a command: the one named by `given` or by the variable `MPICC`; the one
/// next to the command's launcher (`mpicc.mpich` next to `mpirun.mpich`); or `mpicc`.
///
/// # Errors
/// [`RecordError::NoCompiler`] if there is none.
pub fn find_compiler(given: Option<&Path>, command: &[OsString]) -> Result<PathBuf, RecordError> {
    let named = given.map(Path::to_path_buf).or_else(|| std::env::var_os("MPICC").map(PathBuf::from));
    if let Some(named) = named.filter(|named| !named.as_os_str().is_empty()) {
        return in_path(&named, &[]).ok_or(RecordError::NoCompiler(named));
    }
    let beside = launcher_of(command).and_then(|launcher| {
        let found = in_path(Path::new(launcher), &[])?;
        let name = found.file_name()?.to_str()?;
        let variant = ["mpirun", "mpiexec"].iter().find_map(|prefix| name.strip_prefix(prefix))?;
        // MPICH's launcher is also called by the name of its process manager.
        let variant = variant.strip_prefix(".hydra").unwrap_or(variant);
        Some(found.with_file_name(format!("mpicc{variant}"))).filter(|compiler| compiler.is_file())
    });
    beside.or_else(|| in_path(Path::new("mpicc"), &[])).ok_or_else(|| RecordError::NoCompiler("mpicc".into()))
}

/// Writes the source of the recorder into a folder and compiles it there; returns the library.
///
/// # Errors
/// [`RecordError`] with the message of the compiler.
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
    // With -O2 calls are not faster, and compiling takes twice as long.
    let mut command = Command::new(compiler);
    command.args(["-shared", "-fPIC", "-O1", "-o"]).arg(library).arg(source).args(libraries);
    compiled(&mut command, library)
}

/// Compiles a program of one file in a folder with some options; returns the program.
///
/// # Errors
/// [`RecordError`] with the message of the compiler.
pub fn compile_program(
    compiler: &Path,
    folder: &Path,
    name: &str,
    source: &str,
    options: &[&str],
) -> Result<PathBuf, RecordError> {
    let file = folder.join(name);
    fs::write(&file, source).map_err(|error| RecordError::File { file: file.clone(), error })?;
    let program = file.with_extension("");
    compiled(Command::new(compiler).args(options).arg("-o").arg(&program).arg(&file), &program)
        .map_err(|message| RecordError::Compiler { compiler: compiler.to_path_buf(), message })?;
    Ok(program)
}

/// Runs a compiler; `made` is the file that it must create.
///
/// # Errors
/// The first lines of its message.
fn compiled(command: &mut Command, made: &Path) -> Result<(), String> {
    let output = command.output().map_err(|error| error.to_string())?;
    if output.status.success() && made.is_file() {
        return Ok(());
    }
    let message = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = message.lines().collect();
    let mut shown = lines[..lines.len().min(SHOWN)].join("\n");
    if lines.len() > SHOWN {
        shown.push_str(&format!("\n... and {} more lines", lines.len() - SHOWN));
    }
    Err(shown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::user_error::UserError;

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
