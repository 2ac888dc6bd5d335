//! Starts MPI programs on an emulated network.
//!
//! mpirun itself runs in a namespace that reaches all others over a bridge without limits. It starts a daemon in the
//! namespace of each host; the ranks of these talk over the cables, because Open MPI's TCP transport is held to the subnet
//! of the hosts.

use super::EmulateError;
use super::build::{EmulatedNetwork, find};
use super::commands::{CONTROL_NET, HOST_NET};
use crate::record;
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Source of the library that lets polling ranks sleep.
const IDLE: &str = include_str!("c/idle.c");

/// Source of the library that measures a program.
const TIMER: &str = include_str!("c/timer.c");

/// Milliseconds that a poll of an idle rank may wait.
const IDLE_MS: &str = "3";

/// Options of mpirun that place ranks or choose hosts, which are those of the network.
const PLACING: [&str; 12] = [
    "-hostfile",
    "--hostfile",
    "-machinefile",
    "--machinefile",
    "-H",
    "-host",
    "--host",
    "-rf",
    "--rankfile",
    "--map-by",
    "-map-by",
    "--bynode",
];

/// Algorithms of collectives that a program is held to, and the same ones by the names of this project: parameters of Open
/// MPI's component `tuned`.
pub const PINNED: [(&str, u32, &str); 11] = [
    ("allreduce", 3, "rdb"),
    ("alltoall", 2, "ring"),
    ("bcast", 7, "binomial"),
    ("allgather", 4, "ntslr"),
    ("allgatherv", 3, "ring"),
    ("alltoallv", 1, "linear"),
    ("reduce", 5, "binomial"),
    ("barrier", 3, "pair"),
    ("gather", 2, "binomial"),
    ("scatter", 2, "binomial"),
    ("reduce_scatter", 3, "ring"),
];

/// Operations whose pinned algorithm would cut messages into segments.
const SEGMENTED: [&str; 3] = ["bcast", "reduce", "alltoall"];

/// Bytes up to which Open MPI's TCP transport sends messages without asking the receiver, its headers included.
pub const EAGER_LIMIT: u64 = 65_536;

/// The launch of a program.
#[derive(Clone, Debug, Default)]
pub struct Launch {
    /// Libraries that are preloaded into the ranks.
    pub preload: Vec<PathBuf>,
    /// Environment of the ranks.
    pub environment: Vec<(String, OsString)>,
    /// Eager limit; none leaves the library's own.
    pub eager_limit: Option<u64>,
    /// `true` if collectives use the algorithms of [`PINNED`].
    pub pinned: bool,
    /// `true` if ranks get a higher priority than other processes of the machine.
    pub urgent: bool,
}

/// Checks that a command starts its ranks with Open MPI 4, and returns the position of the launcher in it.
///
/// # Errors
/// [`EmulateError::Launcher`], [`EmulateError::Option`].
pub fn check_command(command: &[OsString]) -> Result<usize, EmulateError> {
    let launcher =
        record::launcher_of(command).and_then(|launcher| command.iter().position(|word| word == launcher)).ok_or_else(
            || EmulateError::Launcher("the command starts no ranks: there is no mpirun in it".to_owned()),
        )?;
    let word = command[launcher].to_string_lossy().into_owned();
    if let Some(option) = command[launcher..].iter().find(|word| PLACING.iter().any(|name| *word == name)) {
        return Err(EmulateError::Option(option.to_string_lossy().into_owned()));
    }
    let program = if word.contains('/') { PathBuf::from(&word) } else { find(&word)? };
    let failed = |error: std::io::Error| EmulateError::Launcher(format!("`{word}` cannot be started: {error}"));
    let output = Command::new(program).arg("--version").output().map_err(failed)?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let first = text.lines().next().unwrap_or_default();
    let version = first.split("(Open MPI) ").nth(1).and_then(|version| version.split('.').next());
    match version.and_then(|version| version.parse::<u32>().ok()) {
        Some(4) => Ok(launcher),
        Some(version) => Err(EmulateError::Launcher(format!(
            "`{word}` is of Open MPI {version}; programs are started with the options of version 4"
        ))),
        None => Err(EmulateError::Launcher(format!("`{word}` is not Open MPI's launcher: it calls itself `{first}`"))),
    }
}

/// Compiles the library that lets polling ranks sleep, or the one that measures.
fn compile(compiler: &Path, folder: &Path, name: &str, source: &str) -> Result<PathBuf, EmulateError> {
    let (source_file, library) = (folder.join(format!("{name}.c")), folder.join(format!("libmopsim-{name}.so")));
    fs::write(&source_file, source).map_err(|error| EmulateError::File { file: source_file.clone(), error })?;
    record::compile_file(compiler, &source_file, &library, &["-ldl"])
        .map_err(|message| EmulateError::Compiler { compiler: compiler.to_path_buf(), message })?;
    Ok(library)
}

/// Compiles the library that lets polling ranks sleep.
///
/// # Errors
/// [`EmulateError::Compiler`], [`EmulateError::File`].
pub fn compile_idle(compiler: &Path, folder: &Path) -> Result<PathBuf, EmulateError> {
    compile(compiler, folder, "idle", IDLE)
}

/// Compiles the library that measures a program.
///
/// # Errors
/// [`EmulateError::Compiler`], [`EmulateError::File`].
pub fn compile_timer(compiler: &Path, folder: &Path) -> Result<PathBuf, EmulateError> {
    compile(compiler, folder, "timer", TIMER)
}

/// The script that mpirun starts daemons with, instead of a remote shell.
const AGENT: &str = r#"#!/bin/sh
# Starts a daemon of mpirun in the namespace of a host. Every host has a name of its own, by which mpirun tells them apart.
while [ "${1#-}" != "$1" ]; do shift; done
host=$1
shift
exec ip netns exec "$host" unshare --uts sh -c 'echo "$0" >/proc/sys/kernel/hostname; exec sh -c "$*"' "$host" "$@"
"#;

impl EmulatedNetwork {
    /// A folder for libraries and files of programs, which the record names, so that it is removed in any case.
    ///
    /// # Errors
    /// [`EmulateError::File`].
    pub fn scratch(&mut self) -> Result<PathBuf, EmulateError> {
        if let Some(folder) = self.state.scratch.clone().filter(|folder| folder.is_dir()) {
            return Ok(folder);
        }
        let parent = std::env::temp_dir();
        // Libraries whose path has a blank or a colon cannot be preloaded.
        let is_plain = parent.to_str().is_some_and(|path| !path.contains([' ', ':', ';', '\t', ',']));
        let parent = if is_plain { parent } else { PathBuf::from("/tmp") };
        let folder = tempfile::Builder::new().prefix("mopsim-emulate-").tempdir_in(&parent);
        let folder = folder.map_err(|error| EmulateError::File { file: parent, error })?;
        let path = folder.path().to_path_buf();
        self.state.scratch = Some(path.clone());
        self.record.write(&self.state)?;
        let _ = folder.keep();
        let fail = |file: &Path| {
            let file = file.to_path_buf();
            move |error| EmulateError::File { file, error }
        };
        let agent = path.join("agent");
        fs::write(&agent, AGENT).map_err(fail(&agent))?;
        fs::set_permissions(&agent, fs::Permissions::from_mode(0o755)).map_err(fail(&agent))?;
        let mut hosts = String::new();
        for host in &self.state.hosts {
            let _ = writeln!(hosts, "{host} slots=1");
        }
        let file = path.join("hosts");
        fs::write(&file, hosts).map_err(fail(&file))?;
        Ok(path)
    }

    /// Removes that folder.
    ///
    /// # Errors
    /// [`EmulateError::File`].
    pub fn remove_scratch(&mut self) -> Result<(), EmulateError> {
        if let Some(folder) = self.state.scratch.take() {
            let _ = fs::remove_dir_all(folder);
            self.record.write(&self.state)?;
        }
        Ok(())
    }

    /// The command that runs a user's command on this network.
    ///
    /// # Errors
    /// [`EmulateError::NoProgram`], [`EmulateError::File`].
    pub fn command(&mut self, command: &[OsString], launcher: usize, launch: &Launch) -> Result<Command, EmulateError> {
        let scratch = self.scratch()?;
        let mut words: Vec<OsString> = Vec::new();
        let mut add = |text: &[&str]| words.extend(text.iter().map(OsString::from));
        if launch.urgent {
            add(&["nice", "-n", "-10"]);
        }
        // mpirun ends, and its ranks with it, when this process is killed.
        add(&["setpriv", "--pdeathsig", "TERM", "ip", "netns", "exec", &self.prefix.control()]);
        words.extend(command[..=launcher].iter().cloned());
        let hosts = scratch.join("hosts");
        let mut add = |text: &[&OsStr]| words.extend(text.iter().map(|word| word.to_os_string()));
        let plain = ["--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "--map-by", "node", "--hostfile"];
        plain.iter().for_each(|word| add(&[OsStr::new(word)]));
        add(&[hosts.as_os_str()]);
        let mut mca = |name: &str, value: &OsStr| add(&[OsStr::new("--mca"), OsStr::new(name), value]);
        mca("plm", OsStr::new("rsh"));
        mca("plm_rsh_agent", scratch.join("agent").as_os_str());
        for (name, value) in [
            ("plm_rsh_no_tree_spawn", "1"),
            ("plm_rsh_num_concurrent", "64"),
            ("oob_tcp_if_include", CONTROL_NET),
            ("pml", "ob1"),
            ("btl", "tcp,self"),
            ("btl_tcp_if_include", HOST_NET),
        ] {
            mca(name, OsStr::new(value));
        }
        if let Some(bytes) = launch.eager_limit {
            // A fragment may be no larger than the eager limit, or messages are cut below it.
            let bytes = bytes.to_string();
            for name in ["btl_tcp_eager_limit", "btl_tcp_rndv_eager_limit", "btl_tcp_max_send_size"] {
                mca(name, OsStr::new(&bytes));
            }
        }
        if launch.pinned {
            mca("coll_tuned_use_dynamic_rules", OsStr::new("1"));
            for (operation, number, _) in PINNED {
                mca(&format!("coll_tuned_{operation}_algorithm"), OsStr::new(&number.to_string()));
            }
            for operation in SEGMENTED {
                mca(&format!("coll_tuned_{operation}_algorithm_segmentsize"), OsStr::new("0"));
            }
            // The tree whose ranks have the parent without their lowest bit. That of algorithm 6 has other parents.
            mca("coll_tuned_bcast_algorithm_knomial_radix", OsStr::new("2"));
        }
        let mut preload = OsString::new();
        let before = std::env::var_os("LD_PRELOAD").filter(|before| !before.is_empty());
        for (index, library) in launch.preload.iter().map(|path| path.as_os_str()).chain(before.as_deref()).enumerate()
        {
            if index > 0 {
                preload.push(":");
            }
            preload.push(library);
        }
        let environment = [("LD_PRELOAD".to_owned(), preload), ("MOPSIM_IDLE_MS".to_owned(), IDLE_MS.into())];
        for (name, value) in environment.iter().chain(&launch.environment) {
            let mut word = OsString::from(name);
            word.push("=");
            word.push(value);
            add(&[OsStr::new("-x"), &word]);
        }
        words.extend(command[launcher + 1..].iter().cloned());
        let mut process = Command::new(find(&words[0].to_string_lossy())?);
        process.args(&words[1..]);
        Ok(process)
    }
}

/// Reads the times that ranks wrote, and returns the longest.
///
/// # Errors
/// The rank that wrote none, in words.
pub fn measured_seconds(folder: &Path, ranks: usize) -> Result<f64, String> {
    let mut longest = 0.0_f64;
    for rank in 0..ranks {
        let text = fs::read_to_string(folder.join(format!("rank.{rank}")))
            .map_err(|_| format!("rank {rank} of {ranks} did not get from MPI_Init to MPI_Finalize"))?;
        let seconds: f64 =
            text.trim().parse().map_err(|_| format!("rank {rank} wrote no time, but `{}`", text.trim()))?;
        longest = longest.max(seconds);
    }
    Ok(longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pinned_algorithms_are_those_of_the_project() {
        let choice = crate::study::choice::ModelChoice {
            collective: PINNED.map(|(kind, _, name)| (kind.replace("_", ""), name.to_owned())).into(),
            ..crate::study::choice::ModelChoice::default()
        };
        choice.build().unwrap();
    }

    #[test]
    fn the_longest_rank_counts_and_all_have_to_be_there() {
        let folder = tempfile::tempdir().unwrap();
        for (rank, text) in [(0, "1.5\n"), (1, "2.25\n")] {
            fs::write(folder.path().join(format!("rank.{rank}")), text).unwrap();
        }
        assert_eq!(measured_seconds(folder.path(), 2), Ok(2.25));
        assert!(measured_seconds(folder.path(), 3).unwrap_err().contains("rank 2 of 3"));
        fs::write(folder.path().join("rank.2"), "never").unwrap();
        assert!(measured_seconds(folder.path(), 3).unwrap_err().contains("never"));
    }
}
