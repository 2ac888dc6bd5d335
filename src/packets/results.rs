//! Results files of sweeps: ledgers of which the first line identifies the sweep and the shard, and each other one is a
//! run. A sweep that is continued with more loads or seeds adds a line like the first one, which holds from then on.
//!
//! The first line has all settings and describes each series, so that a report needs no network. Settings are compared
//! one by one: a message names the first that differs. Networks and patterns are compared by digests of what was built,
//! whatever files they were read from.

use super::destinations::Destinations;
use super::error::PacketError;
use super::outline::{Outline, difference};
use super::parameters::Switching;
use super::points::{Names, Origin, PointRecord, Points, RunId};
use super::runs::Runs;
use super::series::Series;
use super::wiring::Wiring;
use super::work::Work;
use crate::defaults::Version;
use crate::excerpt::excerpt;
use crate::ids::SwitchId;
use crate::ledger::sha256::Hasher;
use crate::ledger::{self, LedgerError, LedgerFile, Lines, Shard, checked_line, parsed, unfinished};
use crate::topology::ArcId;
use crate::traffic::Evenly;
use crate::user_error::UserError;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Name and version of the format.
const SCHEMA: &str = "mopsim.packet-results/1";
/// Version of the program.
const PROGRAM: &str = env!("CARGO_PKG_VERSION");
/// Beginning of the lines that identify a sweep.
const HEADER: &[u8] = b"{\"schema\":";
/// Number of missing runs that are named.
const NAMED: usize = 5;

/// Ports of a host in files that do not state them.
fn one_port() -> u32 {
    1
}

/// Traffic of a host over that of its port in files that do not state it.
fn one_to_one() -> f64 {
    1.0
}

/// Description of a series, without results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Described {
    network: String,
    family: String,
    switches: usize,
    hosts: u32,
    #[serde(default = "one_port")]
    ports: u32,
    #[serde(default = "one_to_one")]
    busiest_host: f64,
    routing: String,
    pattern: String,
    vcs: u32,
    switching: Option<Switching>,
    freedom_from_deadlock: String,
    notes: Vec<String>,
    /// SHA-256 of switches, cables with their latencies, and hosts.
    network_sha256: String,
    /// SHA-256 of the destinations of all packets.
    pattern_sha256: String,
}

impl Described {
    fn names(&self) -> Names {
        Names { network: self.network.clone(), routing: self.routing.clone(), pattern: self.pattern.clone() }
    }

    fn series(&self) -> Series {
        let Self {
            network, family, switches, hosts, ports, busiest_host, routing, pattern, vcs, switching, notes, ..
        } = self.clone();
        Series {
            topology: network,
            family,
            switches,
            hosts,
            ports,
            busiest_host,
            routing,
            pattern,
            vcs,
            switching,
            freedom: self.freedom_from_deadlock.clone(),
            saturation: None,
            accepted_at_full_load: None,
            points: Vec::new(),
            notes,
        }
    }
}

/// First line of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SweepHeader {
    schema: String,
    /// Version of the program.
    program: String,
    shard: Shard,
    /// Nanoseconds of a cycle.
    cycle_ns: f64,
    /// Version of the defaults.
    defaults: Version,
    sweep: Outline,
    series: Vec<Described>,
}

/// Identity of a sweep for results files.
#[derive(Debug, Clone)]
pub struct Identity(SweepHeader);

/// Reason why results of packets cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PointsError {
    /// The file cannot be used, whatever sweep it is of.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The results are those of another sweep.
    #[error("{}:{line}: these are results of another sweep: {difference}", .file.display())]
    Foreign {
        /// Path of the file.
        file: PathBuf,
        /// Line, from 1.
        line: usize,
        /// First setting that differs, in words.
        difference: String,
    },
    /// Runs are missing.
    #[error("{missing} of {runs} runs are missing: {whose}; the first are {first}")]
    Missing {
        /// Number of missing runs, as text.
        missing: String,
        /// Number of all runs, as text.
        runs: usize,
        /// Shards to which the missing runs belong.
        whose: String,
        /// Descriptions of the first missing runs.
        first: String,
    },
    /// A run has failed.
    #[error(transparent)]
    Run(#[from] Box<PacketError>),
}

impl UserError for PointsError {
    fn help(&self) -> String {
        match self {
            Self::Ledger(error) => error.help(),
            Self::Foreign { .. } => {
                "use the options and the version of that file, or give another file; loads and seeds may be added to those of \
                 the file, and none may be left out"
                    .to_owned()
            }
            Self::Missing { .. } => {
                "give the files of all shards; finish one with the command that wrote it and --resume".to_owned()
            }
            Self::Run(error) => error.help(),
        }
    }

    fn is_io(&self) -> bool {
        matches!(self, Self::Ledger(error) if error.is_io())
    }

    fn exit_code(&self) -> u8 {
        match self {
            Self::Run(error) => error.exit_code(),
            other => crate::user_error::code_of_input(other.is_io()),
        }
    }
}

/// Contents of a file.
struct Contents {
    header: SweepHeader,
    records: Vec<(RunId, PointRecord, usize)>,
    /// Line of the header.
    header_line: usize,
    /// Length in bytes up to the end of the last complete line.
    length: usize,
}

/// Results of a sweep from files.
#[derive(Debug, Clone, PartialEq)]
pub struct Merged {
    /// Settings.
    pub outline: Outline,
    /// Nanoseconds of a cycle.
    pub cycle_ns: f64,
    /// Version of the defaults.
    pub defaults: Version,
    /// All series.
    pub series: Vec<Series>,
}

impl Identity {
    /// Creates the identity of a sweep whose networks are built. Computes digests of networks and patterns.
    pub fn of(work: &Work, cycle_ns: f64, defaults: Version) -> Self {
        let mut series = Vec::new();
        let mut digests: Vec<(*const Wiring, String)> = Vec::new();
        let mut of_patterns: Vec<(*const Destinations, String)> = Vec::new();
        for (own, (wiring, to)) in work.series().zip(work.networks()) {
            let network_sha256 = once(&mut digests, wiring, of_wiring);
            let pattern_sha256 = once(&mut of_patterns, to, of_destinations);
            series.push(Described {
                network: own.topology.clone(),
                family: own.family.clone(),
                switches: own.switches,
                hosts: own.hosts,
                ports: own.ports,
                busiest_host: own.busiest_host,
                routing: own.routing.clone(),
                pattern: own.pattern.clone(),
                vcs: own.vcs,
                switching: own.switching,
                freedom_from_deadlock: own.freedom.clone(),
                notes: own.notes.clone(),
                network_sha256,
                pattern_sha256,
            });
        }
        let (schema, program, shard) = (SCHEMA.to_owned(), PROGRAM.to_owned(), Shard::WHOLE);
        Self(SweepHeader { schema, program, shard, cycle_ns, defaults, sweep: work.outline(), series })
    }
}

/// Returns the digest of a value, computed once for each of them.
fn once<T>(known: &mut Vec<(*const T, String)>, value: &Arc<T>, digest: fn(&T) -> String) -> String {
    let address = Arc::as_ptr(value);
    if let Some((_, found)) = known.iter().find(|(other, _)| *other == address) {
        return found.clone();
    }
    known.push((address, digest(value)));
    known[known.len() - 1].1.clone()
}

fn of_wiring(wiring: &Wiring) -> String {
    let (mut hasher, graph) = (Hasher::new(), &wiring.topology.graph);
    hasher.text(&format!("{:?} {}", wiring.host_port, wiring.hosts_last));
    wiring.host_first.iter().for_each(|&first| hasher.number(first.into()));
    for (arc, &latency) in (0..).map(ArcId).zip(&wiring.latency) {
        let (SwitchId(tail), SwitchId(head)) = (graph.tail(arc), graph.head(arc));
        hasher.number(u64::from(tail) << 32 | u64::from(head));
        hasher.number(latency.into());
    }
    hasher.finish()
}

fn of_destinations(to: &Destinations) -> String {
    let mut hasher = Hasher::new();
    add_destinations(&mut hasher, to);
    hasher.finish()
}

fn add_destinations(hasher: &mut Hasher, to: &Destinations) {
    match to {
        Destinations::Evenly(Evenly { endpoints, with_self }) => {
            hasher.text(&format!("evenly {endpoints} {with_self}"))
        }
        Destinations::One { to } => to.iter().for_each(|&to| hasher.number(to.into())),
        Destinations::Several { first, pairs } => {
            first.iter().for_each(|&first| hasher.number(first.into()));
            for &(to, sum) in pairs {
                hasher.number(to.into());
                hasher.float(sum);
            }
        }
        Destinations::OnPorts { of_hosts, ports } => {
            add_destinations(hasher, of_hosts);
            hasher.text(&format!("on {} ports each", ports.count()));
            for host in 0..ports.hosts() {
                (0..ports.count()).for_each(|rail| hasher.number(ports.port(host, rail).into()));
            }
        }
    }
}

/// Returns `true` if the file begins as results files of this program do, of sweeps or of studies; text files such as
/// studies do not.
pub fn is_results(path: &Path) -> bool {
    use std::io::Read;
    let mut first = [0];
    let is_file = std::fs::metadata(path).is_ok_and(|found| found.is_file());
    is_file && std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut first)).is_ok() && first == *b"{"
}

impl SweepHeader {
    fn line(&self) -> String {
        checked_line::write(self)
    }

    /// Returns the first setting that differs from `other` of the same version, other than the shard.
    fn difference(&self, other: &Self) -> Option<String> {
        if let Some(found) = difference(&other.sweep, &self.sweep) {
            return Some(found);
        }
        for (number, (there, here)) in (1..).zip(other.series.iter().zip(&self.series)) {
            let name = format!("series {number} ({}, {}, {})", here.network, here.routing, here.pattern);
            if there.network_sha256 != here.network_sha256 {
                return Some(format!("{name} has other switches, cables or hosts there"));
            }
            if there.pattern_sha256 != here.pattern_sha256 {
                return Some(format!("{name} has other destinations there"));
            }
        }
        difference(other, &Self { shard: other.shard, ..self.clone() })
    }

    /// Reads the lines of a file, which has to be of the sweep that is expected.
    fn read(expected: Option<&Self>, path: &Path, lines: Lines<'_>) -> Result<Contents, PointsError> {
        let malformed = |line, message: String| PointsError::from(LedgerError::malformed(path, line, message));
        let foreign = |difference| PointsError::Foreign { file: path.to_owned(), line: 1, difference };
        let mut numbered = lines.numbered();
        let first = numbered.next().unwrap_or((1, b""));
        let schema: Schema = parsed(path, first, false, "the first line is not the header of a results file")?;
        if schema.schema != SCHEMA {
            let help = if schema.schema.starts_with("mopsim.results/") { ": give the study first" } else { "" };
            return Err(malformed(
                1,
                format!("schema `{}`, where `{SCHEMA}` should be{help}", excerpt(&schema.schema)),
            ));
        }
        // Another version may have other settings.
        if let Some(there) = schema.program.filter(|program| program != PROGRAM) {
            return Err(foreign(format!("the version of the program ({there} there, {PROGRAM} here)")));
        }
        let mut header: Self = parsed(path, first, false, "the first line is not a header of this version")?;
        if let Some(flaw) = header.flaw() {
            return Err(malformed(1, flaw.to_owned()));
        }
        let mut header_line = 1;
        let (mut runs, names) = (header.sweep.runs(), header.names());
        let mut records = Vec::new();
        for line in numbered {
            if line.1.starts_with(HEADER) {
                let extended: Self = parsed(path, line, false, "the line is no header of this version")?;
                if extended.flaw().is_some() || !extended.extends(&header) {
                    let flaw = "it does not extend the sweep of the lines before it by loads or seeds";
                    return Err(malformed(line.0, flaw.to_owned()));
                }
                (runs, header_line, header) = (extended.sweep.runs(), line.0, extended);
                continue;
            }
            let record: PointRecord = parsed(path, line, false, "the line is no run")?;
            let id = located(&record, &runs, &names, 0, header.shard).map_err(|flaw| malformed(line.0, flaw))?;
            records.push((id, record, line.0));
        }
        let other = expected.filter(|expected| !expected.extends(&header));
        if let Some(difference) = other.and_then(|expected| expected.difference(&header)) {
            return Err(PointsError::Foreign { file: path.to_owned(), line: header_line, difference });
        }
        Ok(Contents { header, records, header_line, length: lines.length() })
    }

    /// Returns `true` if this sweep has all runs of another one, perhaps with more loads or seeds, and differs from it in
    /// nothing else. Shards divide the runs of a sweep by their number, so a part of a sweep cannot be extended.
    fn extends(&self, other: &Self) -> bool {
        let (here, there) = (&self.sweep, &other.sweep);
        let has_all = there.loads.iter().all(|load| here.loads.contains(load))
            && there.seeds.iter().all(|seed| here.seeds.contains(seed))
            && (here.saturation || !there.saturation);
        let (loads, seeds, saturation) = (here.loads.clone(), here.seeds.clone(), here.saturation);
        let sweep = Outline { loads, seeds, saturation, ..there.clone() };
        has_all
            && [self.shard, other.shard] == [Shard::WHOLE; 2]
            && self.difference(&Self { sweep, ..other.clone() }).is_none()
    }

    /// Returns the reason why no sweep has this line, on which reports rely: `None` if one could have it.
    fn flaw(&self) -> Option<&'static str> {
        let series = self.sweep.networks.len() * self.sweep.series_of_network();
        let rest = [
            (self.series.len() != series, "`series` are not those of all networks, routings and patterns"),
            (!(self.cycle_ns.is_finite() && self.cycle_ns > 0.0), "`cycle_ns` is not above 0"),
        ];
        let rest = || rest.into_iter().find_map(|(is_broken, flaw)| is_broken.then_some(flaw));
        self.sweep.flaw().or_else(rest)
    }

    fn names(&self) -> Vec<Names> {
        self.series.iter().map(Described::names).collect()
    }
}

/// Beginning of a first line, of any version.
#[derive(Deserialize)]
struct Schema {
    schema: String,
    program: Option<String>,
}

/// Returns the identity of a record's run, if it is one of the sweep and of a shard.
///
/// # Errors
/// Description of the error.
pub fn located(
    record: &PointRecord,
    runs: &Runs,
    names: &[Names],
    first_piece: usize,
    shard: Shard,
) -> Result<RunId, String> {
    let id = record.id().filter(|id| names.get(id.series).is_some_and(|names| record.is_of(names)));
    let found = id.and_then(|id| Some((id, runs.piece(names.len(), &id)?)));
    let Some((id, piece)) = found else {
        return Err(format!("the sweep has no such run of series {} at load {}", record.series, record.load));
    };
    if !shard.has(first_piece + piece) {
        return Err(format!("{} is not of shard {shard}", names[id.series].describe(&id)));
    }
    Ok(id)
}

/// A results file that is open for writing.
#[derive(Debug)]
pub struct PointsFile {
    file: LedgerFile,
    /// The line of the extended sweep, which goes before its first new run.
    header: Mutex<Option<SweepHeader>>,
}

impl PointsFile {
    /// Opens a file for a shard, and returns its existing results. With `resume` there may be some; otherwise the file
    /// must be new or empty.
    ///
    /// # Errors
    /// [`PointsError`].
    pub fn open(path: &Path, identity: &Identity, shard: Shard, resume: bool) -> Result<(Self, Points), PointsError> {
        let (file, bytes) = LedgerFile::open(path, resume)?;
        let header = SweepHeader { shard, ..identity.0.clone() };
        let (mut points, mut extended) = (Points::default(), None);
        let first = header.line();
        match Lines::continued(path, &bytes, &first)? {
            Some(lines) => {
                let Contents { header: found, records, header_line, length } =
                    SweepHeader::read(Some(&header), path, lines)?;
                if found.shard != shard {
                    let there = found.shard;
                    return Err(LedgerError::OtherShard { file: path.to_owned(), there, here: shard }.into());
                }
                collect(&mut points, (&found.sweep.runs(), &found.names()), records, &[path.to_owned()], &[shard])?;
                if length < bytes.len() {
                    file.cut(length)?;
                }
                extended = (found.sweep != header.sweep).then_some(header);
                let latest = if extended.is_some() { usize::MAX } else { header_line };
                points.accept_searches_before(Origin { file: 0, line: latest });
            }
            None => file.begin(&first)?,
        }
        Ok((Self { file, header: Mutex::new(extended) }, points))
    }

    /// Appends a record, which is on the disk when this returns.
    ///
    /// # Errors
    /// [`LedgerError::Io`] if it cannot be written; nothing can be appended after that.
    pub fn append(&self, record: &PointRecord) -> Result<(), LedgerError> {
        let mut header = self.header.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(header) = header.take() {
            self.file.append(&header)?;
        }
        self.file.append(record)
    }
}

/// Adds the records of the last of some files, with their lines, to the results of a sweep with series of these names.
///
/// # Errors
/// [`LedgerError::Malformed`] for a value that no run has, or a run that is twice in the file; [`LedgerError::Overlap`].
pub fn collect(
    points: &mut Points,
    (runs, names): (&Runs, &[Names]),
    records: Vec<(RunId, PointRecord, usize)>,
    files: &[PathBuf],
    shards: &[Shard],
) -> Result<(), LedgerError> {
    let file = files.len() - 1;
    let path = &files[file];
    for (id, record, line) in records {
        let item = || names[id.series].describe(&id);
        let malformed = |flaw: String| LedgerError::malformed(path, line, format!("{}{flaw}", item()));
        let result = record.result(runs).map_err(|flaw| malformed(format!(": {flaw}")))?;
        match points.add(id, result, Some(Origin { file, line })) {
            Ok(()) => {}
            Err(Some(other)) if other.file != file => {
                return Err(LedgerError::Overlap {
                    first: files[other.file].clone(),
                    first_shard: shards[other.file],
                    second: path.clone(),
                    second_shard: shards[file],
                    item: item(),
                });
            }
            Err(other) => {
                let line = other.map_or(line, |other| other.line);
                return Err(malformed(format!(" is also in line {line}")));
            }
        }
    }
    Ok(())
}

/// Merges the results of several files, in the order of the sweep.
///
/// # Errors
/// [`PointsError`]; also if runs are missing or duplicate, or if one has failed.
pub fn merge(files: &[PathBuf]) -> Result<Merged, PointsError> {
    let mut first: Option<SweepHeader> = None;
    let (mut points, mut shards) = (Points::default(), Vec::new());
    for (index, path) in files.iter().enumerate() {
        let bytes = ledger::read(path)?;
        let mut contents = SweepHeader::read(None, path, Lines::of(path, &bytes)?)?;
        let header = first.get_or_insert_with(|| contents.header.clone());
        if let Some(difference) = header.difference(&contents.header) {
            let difference = format!("{difference} ({} is here)", files[0].display());
            return Err(PointsError::Foreign { file: path.clone(), line: 1, difference });
        }
        shards.push(contents.header.shard);
        // Threads finish in any order, but messages about the file should not depend on it.
        contents.records.sort_by_key(|(id, ..)| *id);
        collect(&mut points, (&header.sweep.runs(), &header.names()), contents.records, &files[..=index], &shards)?;
        points.accept_searches_before(Origin { file: index, line: contents.header_line });
    }
    let header = first.expect("there is a file");
    let (runs, names) = (header.sweep.runs(), header.names());
    let mut series: Vec<Series> = header.series.iter().map(Described::series).collect();
    let missing = runs.assemble_all(series.iter_mut().enumerate(), &points).map_err(Box::new)?;
    if !missing.is_empty() {
        return Err(lacking(&missing, &points, &names, &runs, (files, &shards)));
    }
    let of_series = |(number, series)| runs.superfluous(number, series, &points);
    if let Some((id, Some(origin))) = series.iter().enumerate().find_map(of_series) {
        return Err(superfluous(&files[origin.file], origin.line, &names[id.series], &id).into());
    }
    Ok(Merged { outline: header.sweep, cycle_ns: header.cycle_ns, defaults: header.defaults, series })
}

/// Returns the series of a sweep whose runs are all known, some of them perhaps from a file.
///
/// # Errors
/// [`PointsError`] if a run has failed, or if the file has a run of a search that the search does not come to.
///
/// # Panics
/// If runs are missing.
pub fn finished(work: &Work, points: &Points, file: Option<&Path>) -> Result<Vec<Series>, PointsError> {
    let (series, missing) = work.assembled(points).map_err(Box::new)?;
    assert!(missing.is_empty(), "all runs are known");
    let names: Vec<&Names> = work.names().collect();
    match work.superfluous(&series, points).zip(file) {
        Some(((id, origin), file)) => Err(superfluous(file, origin.line, names[id.series], &id).into()),
        None => Ok(series),
    }
}

/// Returns the error for a run of a search that the search does not come to.
pub fn superfluous(file: &Path, line: usize, names: &Names, id: &RunId) -> LedgerError {
    LedgerError::malformed(file, line, format!("{}: the sweep has no such run", names.describe(id)))
}

fn lacking(
    missing: &[RunId],
    points: &Points,
    names: &[Names],
    runs: &Runs,
    (files, shards): (&[PathBuf], &[Shard]),
) -> PointsError {
    let pieces: Vec<usize> = missing.iter().filter_map(|id| runs.piece(names.len(), id)).collect();
    PointsError::Missing {
        missing: at_least(missing, runs),
        runs: points.len() + missing.len(),
        whose: unfinished(&pieces, files, shards),
        first: in_words(missing, names),
    }
}

/// Describes the first of some runs.
pub fn in_words(missing: &[RunId], names: &[Names]) -> String {
    let named: Vec<String> = missing.iter().take(NAMED).map(|id| names[id.series].describe(id)).collect();
    match missing.len().saturating_sub(NAMED) {
        0 => named.join("; "),
        more => format!("{}; and {more} more", named.join("; ")),
    }
}

/// Returns the number of missing runs. Those of a search follow from each other, so only the next one is known.
pub fn at_least(missing: &[RunId], runs: &Runs) -> String {
    let at_least = if runs.saturation { "at least " } else { "" };
    format!("{at_least}{}", missing.len())
}
