//! The command of the user, with the recorder in its processes.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use super::RecordError;

/// Programs that start the ranks of others.
const LAUNCHERS: [&str; 9] = ["mpirun", "mpiexec", "orterun", "prterun", "prun", "srun", "aprun", "jsrun", "flux"];

/// Preloaded library, and its options.
#[derive(Clone, Debug)]
pub struct Recorder {
    /// Path of the library.
    pub library: PathBuf,
    /// The folder that the ranks write into, an absolute path.
    pub folder: PathBuf,
    /// `true` to count instructions as well.
    pub instructions: bool,
    /// `true` to use the processor time of each thread as the clock.
    pub cpu_time: bool,
}

fn base(word: &OsStr) -> String {
    Path::new(word).file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn is_launcher(word: &OsStr) -> bool {
    let name = base(word);
    let name = name.split('.').next().unwrap_or_default();
    LAUNCHERS.contains(&name)
}

/// Returns the word of a command that starts its ranks.
pub fn launcher_of(command: &[OsString]) -> Option<&OsStr> {
    command.iter().map(OsString::as_os_str).find(|word| is_launcher(word))
}

/// Guesses the name of the program that a command runs: the first word after the launcher that is a file.
pub fn program_of(command: &[OsString]) -> Option<String> {
    let behind = command.iter().position(|word| is_launcher(word)).map_or(0, |at| at + 1);
    // The value of an option may be a file as well.
    let takes_file = |word: &OsStr| {
        matches!(
            word.to_str().unwrap_or_default(),
            "-hostfile" | "--hostfile" | "-machinefile" | "--machinefile" | "-f" | "-rf" | "--rankfile" | "-configfile"
        )
    };
    let words = &command[behind..];
    let found = (0..words.len()).find(|&i| (i == 0 || !takes_file(&words[i - 1])) && Path::new(&words[i]).is_file());
    found.map(|i| base(&words[i])).filter(|name| !name.is_empty())
}

/// Runs a command with the recorder in its processes and waits for its end.
///
/// # Errors
/// [`RecordError::Command`] if it cannot be started.
pub fn run(command: &[OsString], recorder: &Recorder) -> Result<ExitStatus, RecordError> {
    let (program, arguments) = command.split_first().unwrap_or_else(|| unreachable!("a command has a first word"));
    let mut process = Command::new(program);
    process.args(arguments);
    let mut names = vec!["LD_PRELOAD", "MOPSIM_RECORD_DIR"];
    let mut preload = recorder.library.clone().into_os_string();
    if let Some(before) = std::env::var_os("LD_PRELOAD").filter(|before| !before.is_empty()) {
        preload.push(":");
        preload.push(before);
    }
    process.env("LD_PRELOAD", preload).env("MOPSIM_RECORD_DIR", &recorder.folder);
    for (name, wanted) in
        [("MOPSIM_RECORD_INSTRUCTIONS", recorder.instructions), ("MOPSIM_RECORD_CPU_TIME", recorder.cpu_time)]
    {
        process.env_remove(name);
        if wanted {
            process.env(name, "1");
            names.push(name);
        }
    }
    // MPICH's launcher and srun pass the environment to ranks on other hosts. Open MPI's passes only variables named by
    // -x, or by this variable, which it rejects together with -x.
    const LIST: &str = "OMPI_MCA_mca_base_env_list";
    if std::env::var_os(LIST).is_none() && !command.iter().any(|word| word == "-x") {
        process.env(LIST, names.join(";"));
    }
    wait_for(process).map_err(|error| RecordError::Command { command: program.to_string_lossy().into_owned(), error })
}

/// Runs a command to its end. A batch system that ends a job sends SIGTERM to the process that it started: it is
/// forwarded to the command, so that this process survives to store the recording.
#[cfg(unix)]
fn wait_for(mut process: Command) -> std::io::Result<ExitStatus> {
    use rustix::process::{Pid, Signal, kill_process};
    use signal_hook::{consts::SIGTERM, iterator::Signals};
    let mut signals = Signals::new([SIGTERM])?;
    let handle = signals.handle();
    let mut child = process.spawn()?;
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let passing_on = std::thread::spawn(move || {
        for _ in signals.forever() {
            // It may have ended meanwhile.
            let _ = pid.map(|pid| kill_process(pid, Signal::TERM));
        }
    });
    let status = child.wait();
    handle.close();
    let _ = passing_on.join();
    status
}

#[cfg(not(unix))]
fn wait_for(mut process: Command) -> std::io::Result<ExitStatus> {
    process.status()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn the_launcher_is_found_behind_others() {
        let launcher = |text: &str| launcher_of(&words(text)).map(base);
        assert_eq!(launcher("nice mpirun.mpich -n 2 ./a"), Some("mpirun.mpich".to_owned()));
        assert_eq!(launcher("/opt/mpi/bin/mpiexec.hydra -n 2 ./a"), Some("mpiexec.hydra".to_owned()));
        assert_eq!(launcher("./a mpi"), None);
    }

    #[test]
    fn the_program_gives_the_recording_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, "").unwrap();
            path.display().to_string()
        };
        let (program, hosts) = (file("halo"), file("hosts"));
        let name = |text: &str| program_of(&words(text));
        assert_eq!(name(&format!("mpirun -n 4 {program} 10")), Some("halo".to_owned()));
        assert_eq!(name(&format!("mpirun --hostfile {hosts} -n 4 {program}")), Some("halo".to_owned()));
        assert_eq!(name(&program), Some("halo".to_owned()));
        assert_eq!(name("mpirun -n 4 not-there"), None);
    }
}
