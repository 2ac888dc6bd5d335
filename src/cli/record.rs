//! `mopsim record`: records the calls of a real MPI program as a trace.

use super::args::{Output, Record};
use super::failure::Failure;
use super::shell::word;
use super::supervised::exit_code;
use super::{files, say};
use mopsim::calibrate::processor;
use mopsim::record::{self, RecordError, Recorder};
use mopsim::report::number::{counted, grouped};
use mopsim::report::{Rows, trace_info};
use mopsim::topology::input::read_text;
use mopsim::trace::recording::{self, RecordedRank, Summary};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

/// Contents of `recording.toml`, next to the files of the ranks.
#[derive(Serialize)]
struct About<'a> {
    command: Vec<String>,
    exit_code: u8,
    library: &'a str,
    ranks: u32,
    recorded_ranks: usize,
    complete_ranks: usize,
    calls: u64,
    bytes: u64,
    seconds: f64,
    hosts: Vec<HostRanks>,
}

/// Host on which ranks were recorded.
#[derive(Serialize, Deserialize)]
struct HostRanks {
    name: String,
    /// Name of the processor, where the kernel has one.
    processor: Option<String>,
    processors: u32,
    ranks: u32,
}

const ABOUT: &str = "recording.toml";

/// Largest description of a recording in bytes: a hundred thousand hosts.
const MOST_ABOUT: u64 = 16 << 20;

/// Folder of the library and its source while the program runs.
const LIBRARY: &str = "library";

pub fn run(arguments: &Record, output: &Output) -> Result<(), Failure> {
    if !cfg!(target_os = "linux") {
        return Err(RecordError::NotLinux.into());
    }
    let folder = match &arguments.output {
        Some(folder) => folder.clone(),
        None => {
            let name = record::program_of(&arguments.command).unwrap_or_else(|| "recording".to_owned());
            PathBuf::from(format!("{name}.mrec"))
        }
    };
    check_free(&folder, arguments.force)?;
    let compiler = record::find_compiler(arguments.mpicc.as_deref(), &arguments.command)?;
    let part = TemporaryFolder::new(&folder)?;
    // A path with a blank or a colon cannot be preloaded.
    let inside = part.path.join(LIBRARY);
    let is_plain = inside.to_str().is_some_and(|path| !path.contains([' ', ':', ';', '\t']));
    let elsewhere = std::env::temp_dir().join(format!("mopsim-record-{}", std::process::id()));
    let work = if is_plain { inside.clone() } else { elsewhere };
    fs::create_dir(&work).map_err(|error| Failure::file("make", &work, &error))?;
    let result = record::compile(&compiler, &work).and_then(|library| {
        // The program and the launcher get Ctrl-C as well; data recorded so far is kept.
        let _ = ctrlc::set_handler(|| {});
        let recorder = Recorder {
            library,
            folder: part.path.clone(),
            instructions: arguments.instructions,
            cpu_time: arguments.cpu_time,
        };
        record::run(&arguments.command, &recorder)
    });
    let kept = if arguments.keep_library { Some(part.path.join(LIBRARY)) } else { None };
    if work != inside {
        if let Some(kept) = &kept {
            files::copy_folder(&work, kept)?;
        }
        let _ = fs::remove_dir_all(&work);
    } else if kept.is_none() {
        let _ = fs::remove_dir_all(&work);
    }
    let status = match result {
        Ok(status) => status,
        Err(error) => {
            if let Some(kept) = kept.filter(|_| matches!(error, RecordError::Compiler { .. })) {
                let aside = folder.with_extension("source");
                if fs::rename(&kept, &aside).is_ok() {
                    say(&format!("the source of the recorder is in {}", aside.display()));
                }
            }
            return Err(error.into());
        }
    };
    finish(arguments, output, &folder, part, status)
}

/// Inspects the recording, and renames it to its final name.
fn finish(
    arguments: &Record,
    output: &Output,
    folder: &Path,
    part: TemporaryFolder,
    status: ExitStatus,
) -> Result<(), Failure> {
    let code = exit_code(status);
    let summary = recording::summary(&part.path)?;
    if summary.recorded.is_empty() && summary.damaged.is_empty() {
        let how = if code == 0 { String::new() } else { format!(", and the command ended with {code}") };
        let message = format!("nothing was recorded{how}");
        let help = "no process of the command called MPI_Init with the recorder loaded: it may not be an MPI program, may be linked \
                    statically, may run as another user, or may not get the environment (Open MPI on other hosts: add -x LD_PRELOAD -x \
                    MOPSIM_RECORD_DIR)";
        return Err(if code == 0 { Failure::input(message, help) } else { Failure::command(code, message, help) });
    }
    let is_second = part.path.join("second").exists();
    let _ = fs::remove_file(part.path.join("begun"));
    let _ = fs::remove_file(part.path.join("second"));
    let about = about(arguments, &summary, code, hosts(&part.path, &summary));
    let text = toml::to_string(&about).map_err(|error| Failure::input(error, "report this as a bug"))?;
    let file = part.path.join(ABOUT);
    fs::write(&file, text).map_err(|error| Failure::file("write", &file, &error))?;
    part.rename(folder)?;
    if !output.quiet {
        tell(folder, &summary, &about, is_second);
    }
    let lost = incomplete(folder, &summary);
    match lost {
        None if code == 0 => Ok(()),
        Some((what, help)) if code == 0 => {
            Err(Failure::unreadable(format!("{} is incomplete: {what}", folder.display()), help))
        }
        _ => {
            let lost = lost.map_or(String::new(), |(what, _)| format!(": {what}"));
            let message =
                format!("the command ended with {code}; what it did until then is in {}{lost}", folder.display());
            Err(Failure::command(code, message, ""))
        }
    }
}

/// Describes the missing part of the program, if any, with a remedy.
fn incomplete(folder: &Path, summary: &Summary) -> Option<(String, &'static str)> {
    let (ranks, there) = (summary.ranks, summary.recorded.len());
    let missing = (ranks as usize).saturating_sub(there);
    let count = |which: fn(&RecordedRank) -> bool| summary.recorded.iter().filter(|rank| which(rank)).count();
    let (early, no_room) = (count(|rank| !rank.is_whole), count(|rank| rank.had_no_room));
    if let Some(first) = summary.damaged.first() {
        let files = summary.damaged.len();
        let what = format!(
            "{files} of {ranks} ranks have a file that is damaged; the first: {}",
            folder.join(first).display()
        );
        let help = "what the other ranks did is kept, for `mopsim trace info` and `mopsim trace cut --ranks`; look for what writes \
                    into these files or closes descriptors that it did not open, and record it again";
        Some((what, help))
    } else if no_room > 0 {
        let what = format!("for {no_room} of {ranks} ranks no more could be written");
        let help =
            "make room on the disk, raise `ulimit -f`, or name a folder on another disk with -o; then record it again";
        Some((what, help))
    } else if missing > 0 {
        let what = format!("{missing} of {ranks} ranks have no file");
        let help = "name a folder with -o that all hosts see and can write to, and pass on the environment (docs/guide/recording.md)";
        Some((what, help))
    } else if early > 0 {
        let what = format!("{early} of {ranks} ranks ended without MPI_Finalize");
        let help = "it is replayed up to there; a program that calls MPI_Finalize is recorded to its end";
        Some((what, help))
    } else {
        None
    }
}

fn about<'a>(arguments: &Record, summary: &'a Summary, code: u8, hosts: Vec<HostRanks>) -> About<'a> {
    About {
        command: arguments.command.iter().map(|word| word.to_string_lossy().into_owned()).collect(),
        exit_code: code,
        library: &summary.library,
        ranks: summary.ranks,
        recorded_ranks: summary.recorded.len(),
        complete_ranks: summary.recorded.iter().filter(|rank| rank.is_whole).count(),
        calls: summary.recorded.iter().map(|rank| rank.calls).sum(),
        bytes: summary.recorded.iter().map(|rank| rank.bytes).sum(),
        seconds: summary.recorded.iter().map(|rank| rank.seconds).fold(0.0, f64::max),
        hosts,
    }
}

/// Returns the hosts of a recording. The recorder keeps the kernels' descriptions of processors in files of its own,
/// which are removed.
fn hosts(folder: &Path, summary: &Summary) -> Vec<HostRanks> {
    let of = |(name, host): (&String, &recording::RecordedHost)| {
        let file = folder.join(format!("host-{}.cpuinfo", name.replace('/', "")));
        let processor = fs::read_to_string(&file).ok().and_then(|text| processor(&text));
        HostRanks { name: name.clone(), processor, processors: host.processors, ranks: host.ranks }
    };
    let hosts = summary.hosts.iter().map(of).collect();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.path().extension().is_some_and(|extension| extension == "cpuinfo") {
            let _ = fs::remove_file(entry.path());
        }
    }
    hosts
}

/// Describes hosts by their processors: `2 hosts with 64 processors (AMD EPYC 7763 64-Core Processor)`.
fn in_words(hosts: &[HostRanks]) -> String {
    let mut kinds: BTreeMap<(u32, Option<&str>), usize> = BTreeMap::new();
    for host in hosts {
        *kinds.entry((host.processors, host.processor.as_deref())).or_default() += 1;
    }
    let kind = |(&(processors, name), &count): (&(u32, Option<&str>), &usize)| {
        let name = name.map_or(String::new(), |name| format!(" ({name})"));
        format!("{} with {}{name}", counted(count as u64, "host"), counted(processors.into(), "processor"))
    };
    kinds.iter().map(kind).collect::<Vec<_>>().join(", ")
}

/// Returns the hosts on which a trace was recorded, in words and as a table, if it is a recording that has them.
pub fn recorded_on(trace: &Path) -> Option<(String, Rows)> {
    #[derive(Deserialize)]
    struct Hosts {
        #[serde(default)]
        hosts: Vec<HostRanks>,
    }
    let folder = if trace.is_dir() { trace } else { trace.parent()? };
    let is_recording = trace.is_dir() || trace.extension().is_some_and(|extension| extension == "mrec");
    let text = read_text(&folder.join(ABOUT), MOST_ABOUT).ok().filter(|_| is_recording)?;
    let hosts = toml::from_str::<Hosts>(&text).ok()?.hosts;
    let row = |host: &HostRanks| trace_info::host(&host.name, host.processor.as_deref(), host.processors, host.ranks);
    (!hosts.is_empty()).then(|| (in_words(&hosts), trace_info::hosts(hosts.iter().map(row).collect())))
}

/// Describes the recording, its omissions, and the next step.
fn tell(folder: &Path, summary: &Summary, about: &About<'_>, is_second: bool) {
    let name = folder.display();
    say(&format!(
        "recorded {} ranks in {name}: {} calls, {} bytes, {:.3} s",
        about.recorded_ranks,
        grouped(about.calls),
        grouped(about.bytes),
        about.seconds
    ));
    // Some libraries also report their builder.
    say(&format!("with {}", about.library.split(',').next().unwrap_or_default()));
    if !about.hosts.is_empty() {
        say(&format!("on {}", in_words(&about.hosts)));
    }
    let missing = (about.ranks as usize).saturating_sub(about.recorded_ranks + summary.damaged.len());
    if missing > 0 {
        say(&format!(
            "warning: {missing} of {} ranks have no file here; ranks on other hosts need a folder\n  that all hosts see (-o), and the \
             environment (docs/guide/recording.md)",
            about.ranks
        ));
    }
    let early = about.recorded_ranks - about.complete_ranks;
    if early > 0 {
        say(&format!(
            "warning: {early} ranks ended without MPI_Finalize, or with no room for more; they are replayed\n  up to there"
        ));
    }
    let overlapped: u64 = summary.recorded.iter().map(|rank| rank.overlapped).sum();
    if overlapped > 0 {
        say(&format!(
            "note: {} calls began while another thread was in one; the threads of a rank are\n  replayed as one (docs/guide/recording.md)",
            grouped(overlapped)
        ));
    }
    for (call, (count, rank)) in &summary.not_recorded {
        say(&not_recorded(call, *count, *rank));
    }
    if is_second {
        say("warning: the command has started several MPI programs; only the first is recorded");
    }
    let mut name = word(&name.to_string());
    say(&format!("next: mopsim trace info {name}"));
    // A replay needs all ranks.
    if missing > 0 || !summary.damaged.is_empty() {
        let ranks = ranges(&summary.recorded);
        if !ranks.is_empty() {
            say(&format!("      mopsim trace cut {name} --ranks {ranks} -o part.mtrace"));
        }
        return;
    }
    // A replay sleeps for the duration of file operations, and refuses the others.
    if summary.not_recorded.keys().any(|call| !recording::is_slept(call)) {
        say(&format!("      mopsim trace convert --leave-out {name} -o without.mtrace"));
        name = "without.mtrace".into();
    }
    let rows = (f64::from(about.ranks).sqrt().ceil() as u32).max(2);
    let columns = about.ranks.div_ceil(rows).max(2);
    say(&format!("      mopsim replay {name} --topology torus:{rows}x{columns}"));
}

/// Returns ranks in ascending order as a list of ranges: `0-3,7`.
fn ranges(ranks: &[RecordedRank]) -> String {
    let range = |run: &[RecordedRank]| match run {
        [only] => only.rank.to_string(),
        _ => format!("{}-{}", run[0].rank, run[run.len() - 1].rank),
    };
    ranks.chunk_by(|a, b| a.rank + 1 == b.rank).map(range).collect::<Vec<_>>().join(",")
}

/// Describes the replay of calls for which only the name, or the duration, was recorded.
fn not_recorded(call: &str, count: u64, rank: u32) -> String {
    let how = if recording::is_slept(call) { "replayed as sleeps" } else { "not recorded" };
    format!("{how}: {} of {call}, first on rank {rank}", counted(count, "call"))
}

/// A temporary folder, which is removed unless it is renamed.
struct TemporaryFolder {
    path: PathBuf,
    is_done: bool,
}

impl TemporaryFolder {
    fn new(folder: &Path) -> Result<Self, Failure> {
        let parent = files::folder_of(folder);
        let parent = fs::canonicalize(parent).map_err(|error| Failure::file("write into", parent, &error))?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let path = parent.join(format!(".{name}.{}.part", std::process::id()));
        fs::create_dir(&path).map_err(|error| Failure::file("make", &path, &error))?;
        Ok(Self { path, is_done: false })
    }

    /// Renames the folder to its final name; an existing one is removed only after that.
    fn rename(mut self, folder: &Path) -> Result<(), Failure> {
        let old = self.path.with_extension("old");
        let replaces = fs::symlink_metadata(folder).is_ok();
        if replaces {
            fs::rename(folder, &old).map_err(|error| Failure::file("replace", folder, &error))?;
        }
        if let Err(error) = fs::rename(&self.path, folder) {
            if replaces {
                let _ = fs::rename(&old, folder);
            }
            return Err(Failure::file("make", folder, &error));
        }
        self.is_done = true;
        if replaces {
            // Another process may have added files meanwhile.
            refuse_others(&old, "the new recording is in its place; what was there is here, and may be removed")?;
            fs::remove_dir_all(&old).map_err(|error| Failure::file("remove", &old, &error))?;
        }
        Ok(())
    }
}

/// Refuses to remove a folder with files that no recording has.
fn refuse_others(folder: &Path, way_out: &str) -> Result<(), Failure> {
    let fail = |error: std::io::Error| Failure::file("read", folder, &error);
    for entry in fs::read_dir(folder).map_err(fail)? {
        let name = entry.map_err(fail)?.file_name();
        let text = name.to_string_lossy();
        let is_library = text == LIBRARY && is_library(&folder.join(LIBRARY));
        if !recording::is_file_of_rank(&text) && text != ABOUT && !is_library {
            let message = format!("{}: `{text}` in it is no part of a recording", folder.display());
            return Err(Failure::input(message, way_out));
        }
    }
    Ok(())
}

/// Returns `true` if a folder is a library that `--keep-library` kept, with files of the recorder only.
fn is_library(folder: &Path) -> bool {
    let is_known = |entry: fs::DirEntry| {
        entry.file_type().is_ok_and(|kind| kind.is_file())
            && record::is_file_of_library(&entry.file_name().to_string_lossy())
    };
    let is_folder = fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir());
    is_folder && fs::read_dir(folder).is_ok_and(|mut entries| entries.all(|entry| entry.is_ok_and(is_known)))
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        if !self.is_done {
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

/// Refuses to replace anything, or with `--force`, anything but a recording.
fn check_free(folder: &Path, force: bool) -> Result<(), Failure> {
    if files::is_standard_output(folder) {
        let message = "--output -: a recording is a folder, which standard output cannot take";
        return Err(Failure::input(message, "name a new folder, for example -o app.mrec"));
    }
    if folder.file_name().is_none() {
        let message = format!("{}: not the name of a folder", folder.display());
        return Err(Failure::input(message, "name a new folder, for example -o app.mrec"));
    }
    if fs::symlink_metadata(folder).is_err() {
        return Ok(());
    }
    if !force {
        let message = format!("{}: it already exists", folder.display());
        return Err(Failure::input(message, "name another folder with -o, or pass --force to replace a recording"));
    }
    let is_recording = folder.join(ABOUT).is_file() && recording::file_of(folder, 0).is_file();
    if !folder.is_dir() || folder.is_symlink() || !is_recording {
        let message = format!("{}: it is not the folder of a recording", folder.display());
        return Err(Failure::input(message, "--force replaces recordings only; name another folder with -o"));
    }
    refuse_others(folder, "move it away, since --force removes the whole folder; or name another folder with -o")
}
