//! Files that verbs read: those of the command line, and those named in these.
//!
//! Unreadable files name no other files here; the error is reported when they are actually read. Pipes, which can be
//! read only once, are skipped as well.

use mopsim::study::WrittenStudy;
use mopsim::study::jobs::JobEntry;
use mopsim::study::network::NetworkChoice;
use mopsim::study::toml_file;
use mopsim::throughput::study::StudyFile as ThroughputFile;
use mopsim::topology::Spec;
use mopsim::trace::SideFile;
use mopsim::traffic;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// Returns a trace, its side file, and the files that it names if it is a list of files.
pub fn trace(file: &Path) -> Vec<PathBuf> {
    let mut files = vec![file.to_owned(), SideFile::beside(file)];
    if may_be_read(file)
        && let Ok(opened) = File::open(file)
    {
        for line in BufReader::new(opened).lines().map_while(Result::ok) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            // As for readers of lists: relative to the current folder, otherwise to that of the list. The first line of
            // a trace is not a file, so no trace is read to its end.
            let beside = folder(file).join(line);
            match [PathBuf::from(line), beside].into_iter().find(|path| path.is_file()) {
                Some(path) => files.push(path),
                None => break,
            }
        }
    }
    files
}

/// Returns the file of a topology, if it is read from one.
pub fn topology(spec: &str, base: &Path) -> Vec<PathBuf> {
    let spec: Option<Spec> = spec.parse().ok();
    if let Some(damaged) = spec.as_ref().filter(|spec| spec.family().name == "damaged") {
        return topology(damaged.arguments().text("base"), base);
    }
    if let Some(rails) = spec.as_ref().filter(|spec| spec.family().name == "rails") {
        return rails.arguments().text("base").split(';').flat_map(|plane| topology(plane.trim(), base)).collect();
    }
    let spec = spec.filter(Spec::is_file);
    spec.map(|spec| base.join(spec.arguments().text("path"))).into_iter().collect()
}

/// Returns the files of the topologies of a network.
fn of_topology(choice: &NetworkChoice, base: &Path) -> Vec<PathBuf> {
    let folded = choice.folded().ok().flatten();
    folded.as_ref().unwrap_or(choice).topology.iter().flat_map(|spec| topology(spec, base)).collect()
}

/// Returns the files of a network: of its topology, or of its platform.
pub fn network(choice: &NetworkChoice, base: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = of_topology(choice, base);
    let Some(platform) = choice.platform.as_ref().map(|file| base.join(file)) else { return files };
    let named = if may_be_read(&platform) { choice.platform_files(base).unwrap_or_default() } else { Vec::new() };
    for file in named {
        let written = may_be_read(&file).then(|| toml_file::read::<NetworkChoice>(&file).ok());
        if let Some(written) = written.flatten() {
            files.extend(of_topology(&written, folder(&file)));
        }
        files.push(file);
    }
    files.push(platform);
    files
}

/// Returns the files of a job.
pub fn job(entry: &JobEntry, base: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = entry.trace.iter().flat_map(|path| trace(&base.join(path))).collect();
    files.extend(entry.workload.iter().map(|name| base.join(name)));
    files.extend(entry.hostfile.iter().map(|file| base.join(file)));
    files.extend(entry.traffic.iter().flat_map(|text| pattern(text, base)));
    files
}

/// Returns a study, and the traces, programs, platforms, topologies and placements that it names.
pub fn study(written: &WrittenStudy) -> Vec<PathBuf> {
    let mut files = vec![written.path.clone()];
    let (study, base) = (&written.file, written.folder());
    let join = |path: &PathBuf| base.join(path);
    for workload in &study.workloads {
        files.extend(workload.trace.iter().flat_map(|path| trace(&join(path))));
        files.extend(workload.workload.iter().map(|name| base.join(name)));
    }
    files.extend(study.jobs.iter().flat_map(|entry| job(entry, base)));
    files.extend([&study.network].into_iter().chain(&study.networks).flat_map(|choice| network(choice, base)));
    files.extend([&study.hostfile, &study.rankfile].into_iter().flatten().map(join));
    files.extend(study.budget.iter().filter_map(|budget| budget.prices.as_ref()).map(join));
    let of_traffic = study.throughput.iter().filter_map(|table| table.patterns.as_ref());
    let of_packets = study.packets.iter().filter_map(|table| table.patterns.as_ref());
    files.extend(of_traffic.chain(of_packets).flatten().flat_map(|text| pattern(text, base)));
    files
}

/// Returns a study of throughput, and the files that it names.
pub fn throughput_study(file: &Path, study: &ThroughputFile) -> Vec<PathBuf> {
    let mut files = vec![file.to_owned()];
    let base = folder(file);
    files.extend(study.networks.iter().flat_map(|network| topology(&network.topology, base)));
    files.extend(study.patterns.iter().flatten().flat_map(|text| pattern(text, base)));
    files
}

/// Returns the file of a pattern of traffic, if it is read from one: a matrix, or a trace.
pub fn pattern(text: &str, base: &Path) -> Vec<PathBuf> {
    traffic::file_of(text).map(|path| trace(&base.join(path))).unwrap_or_default()
}

/// Returns `true` if a file can be read here, and again later.
fn may_be_read(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|found| found.is_file())
}

/// Returns the folder to which the names in a file are relative.
fn folder(file: &Path) -> &Path {
    file.parent().unwrap_or(Path::new(""))
}
