//! Job scripts for clusters: a shard per task of an array, and the merge.
//!
//! A task is a shard instead of a replay: a scheduler takes longer to start a task than many replays take, and every
//! task has to read the study and its traces. A restarted task continues at the end of its results file.

use super::args::Output;
use super::failure::Failure;
use super::shell::word;
use super::{files, say, site};
use std::ffi::OsString;
use std::fs;
use std::path::Path;

/// Flags that the scripts set themselves, and whether a value follows.
const OWN: [(&str, bool); 7] = [
    ("--slurm", true),
    ("--shards", true),
    ("--threads", true),
    ("--format", true),
    ("--force", false),
    ("--quiet", false),
    ("-q", false),
];

/// Beginning of the last line of a script, followed by a checksum of all preceding text. A script that was edited, as
/// recommended by docs/guide/clusters.md, has another checksum, and is not replaced without `--force`.
const SEAL: &str = "# written by mopsim; unchanged while the checksum is ";

/// Length in bytes that no script of ours reaches.
const LONGEST: u64 = 1 << 20;

/// Work of the tasks.
pub struct ArrayWork {
    /// Verb that has `--shard`, `--results` and `--resume`.
    pub verb: &'static str,
    /// Its work in words.
    pub what: String,
    /// Number of pieces into which it can be divided.
    pub pieces: usize,
    /// Flags of its report, and whether a value follows: for `merge`, and not for tasks, which write no report.
    pub of_report: &'static [(&'static str, bool)],
    /// `true` if `merge` needs all other arguments as well; `false` if they are in the results files.
    pub merges_study: bool,
}

/// Writes the scripts.
pub fn write(folder: &Path, shards: u32, work: &ArrayWork, force: bool, output: &Output) -> Result<(), Failure> {
    // More tasks than pieces would have nothing to do.
    let shards = (shards as usize).min(work.pieces);
    if files::is_standard_output(folder) {
        let message = "--slurm -: the scripts are written into a folder, which standard output is not";
        return Err(Failure::input(message, "name a folder"));
    }
    let failed = |error| Failure::file("write", folder, &error);
    // In a line that begins with `#`, quotes cannot keep text after a line end from being a command. The current folder and
    // the target of a link are parts of the path as well.
    let check = |path: &Path| match path.to_string_lossy().contains(char::is_control) {
        false => Ok(()),
        true => {
            let message = format!("--slurm {}: a job script cannot contain control characters", path.display());
            Err(Failure::input(message, "use another folder"))
        }
    };
    let here = std::env::current_dir().map_err(failed)?;
    check(folder)?;
    check(&here)?;
    fs::create_dir_all(folder).map_err(failed)?;
    let folder = folder.canonicalize().map_err(failed)?;
    check(&folder)?;
    let program = match &super::invocation().program {
        Some(program) => program.clone(),
        None => std::env::current_exe().map_err(failed)?,
    };
    let text = |path: &Path| {
        path.to_str().map(str::to_owned).ok_or_else(|| {
            let message = format!("`{}` is not UTF-8 text, which a script cannot contain", path.display());
            Failure::input(message, "use another folder")
        })
    };
    let arguments = arguments(super::invocation().arguments.iter().cloned(), work.verb)?;
    let (of_report, of_work) = divided(&arguments, work.of_report);
    let job = Job {
        here: word(&text(&here)?),
        program: word(&text(&program)?),
        verb: work.verb,
        merged: if work.merges_study { quoted(&arguments) } else { quoted(&of_report) },
        arguments: quoted(&of_work),
        folder: text(&folder)?,
        shards,
        exports: exports()?,
    };
    let scripts = [("array.slurm", job.slurm()), ("array.hq.sh", job.hyperqueue()), ("merge.sh", job.merge())];
    // All of them are written, or none.
    for (name, _) in scripts.iter().filter(|_| !force) {
        let file = folder.join(name);
        let is_script = || fs::metadata(&file).is_ok_and(|found| found.is_file() && found.len() < LONGEST);
        let is_ours = || is_script() && fs::read_to_string(&file).is_ok_and(|text| is_sealed(&text));
        if fs::symlink_metadata(&file).is_ok() && !is_ours() {
            let message =
                format!("{}: this script was edited, or is none of mopsim, and would be lost", file.display());
            return Err(Failure::input(message, "name another folder, or pass --force to replace it"));
        }
    }
    for (name, content) in scripts {
        let file = folder.join(name);
        files::replace(&file, |out| out.write_all(sealed(content).as_bytes()))?;
    }
    if !output.quiet {
        let folder = word(&job.folder);
        say(&format!(
            "{} in {shards} tasks. Submit one of\n  sbatch {folder}/array.slurm\n  hq submit {folder}/array.hq.sh\n\
             and when all tasks are done\n  sh {folder}/merge.sh",
            work.what
        ));
    }
    Ok(())
}

/// Returns a script with its last line.
fn sealed(content: String) -> String {
    let check = crc32fast::hash(content.as_bytes());
    content + SEAL + &format!("{check:08x}\n")
}

/// Returns `true` if a script has not been edited.
fn is_sealed(text: &str) -> bool {
    text.rfind(SEAL).is_some_and(|at| sealed(text[..at].to_owned()) == text)
}

/// Parts of the scripts; texts are already quoted for the shell.
struct Job {
    here: String,
    program: String,
    verb: &'static str,
    arguments: String,
    /// Arguments of the merge.
    merged: String,
    folder: String,
    shards: usize,
    /// Lines that set the site's defaults as they are now.
    exports: String,
}

/// Returns lines that set the variables on which results depend: tasks run in other environments.
fn exports() -> Result<String, Failure> {
    let mut lines = String::new();
    for (name, value) in site::variables() {
        let Some(value) = value.to_str().filter(|value| !value.contains(char::is_control)) else {
            let message = format!("a script cannot contain the value of {name}");
            return Err(Failure::input(message, "put it into a config file, or pass the flag"));
        };
        lines += &format!("export {name}={}\n", word(value));
    }
    Ok(lines)
}

impl Job {
    fn slurm(&self) -> String {
        let Self { folder, shards, .. } = self;
        // Slurm parses its comments like the shell: quotes keep a path with blanks together.
        let log = word(&format!("{folder}/task-%a.log"));
        format!(
            "#!/bin/sh\n#SBATCH --job-name=mopsim\n#SBATCH --array=1-{shards}\n#SBATCH --ntasks=1\n#SBATCH --cpus-per-task=2\n\
             #SBATCH --requeue\n#SBATCH --open-mode=append\n#SBATCH --output={log}\n# Add --time, --mem and --partition as your \
             cluster wants them. A task that ran out of time goes\n# on where it was when it is submitted again.\n{}",
            self.task("SLURM_ARRAY_TASK_ID", "SLURM_CPUS_PER_TASK")
        )
    }

    fn hyperqueue(&self) -> String {
        let Self { folder, shards, .. } = self;
        let log = word(&format!("{folder}/task-%{{TASK_ID}}.log"));
        format!(
            "#!/bin/sh\n#HQ --name mopsim\n#HQ --array 1-{shards}\n#HQ --cpus 2\n#HQ --stdout {log}\n#HQ --stderr {log}\n{}",
            self.task("HQ_TASK_ID", "MOPSIM_THREADS")
        )
    }

    fn task(&self, task: &str, threads: &str) -> String {
        let Self { here, program, verb, arguments, shards, exports, .. } = self;
        let folder = word(&self.folder);
        format!(
            "set -eu\ncd {here}\n{exports}exec {program} {verb} {arguments} \\\n    --shard \"${task}/{shards}\" --results \
             {folder}/\"shard-${task}.jsonl\" --resume \\\n    --threads \"${{{threads}:-2}}\"\n"
        )
    }

    fn merge(&self) -> String {
        let Self { here, program, merged, shards, exports, .. } = self;
        let folder = word(&self.folder);
        let merged = if merged.is_empty() { String::new() } else { format!("{merged} ") };
        format!(
            "#!/bin/sh\n# Prints the report; takes --format json and the like.\nset -eu\ncd {here}\n{exports}set -- \"$@\" --\n\
             for task in $(seq 1 {shards}); do set -- \"$@\" {folder}/\"shard-$task.jsonl\"; done\n\
             exec {program} merge {merged}\"$@\"\n"
        )
    }
}

/// Returns the arguments of the work, as given: all but the verb and the flags that the scripts set.
fn arguments(given: impl Iterator<Item = OsString>, verb: &str) -> Result<Vec<String>, Failure> {
    let mut kept: Vec<String> = Vec::new();
    let mut verb_seen = false;
    let mut skip = false;
    for argument in given {
        let argument = argument.into_string().map_err(|argument| {
            let message = format!("`{}` is not UTF-8 text, which a script cannot contain", argument.display());
            Failure::input(message, "use other file names")
        })?;
        if std::mem::take(&mut skip) {
            continue;
        }
        if !verb_seen && argument == verb {
            verb_seen = true;
            continue;
        }
        match flag_of(&argument, &OWN) {
            Some((flag, value)) => skip = value && argument == flag,
            None => kept.push(argument),
        }
    }
    Ok(kept)
}

/// Divides arguments into these flags with their values, and the others.
fn divided(arguments: &[String], flags: &[(&'static str, bool)]) -> (Vec<String>, Vec<String>) {
    let (mut found, mut others) = (Vec::new(), Vec::new());
    let mut all = arguments.iter();
    while let Some(argument) = all.next() {
        match flag_of(argument, flags) {
            Some((flag, value)) => {
                found.push(argument.clone());
                if value && argument == flag {
                    found.extend(all.next().cloned());
                }
            }
            None => others.push(argument.clone()),
        }
    }
    (found, others)
}

fn flag_of(argument: &str, flags: &[(&'static str, bool)]) -> Option<(&'static str, bool)> {
    let is_it = |flag: &str| argument == flag || argument.strip_prefix(flag).is_some_and(|rest| rest.starts_with('='));
    flags.iter().find(|(flag, _)| is_it(flag)).copied()
}

/// Returns arguments as words of the shell.
fn quoted(arguments: &[String]) -> String {
    arguments.iter().map(|argument| word(argument)).collect::<Vec<_>>().join(" ")
}
