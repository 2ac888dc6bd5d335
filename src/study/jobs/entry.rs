//! Jobs as written: entries of `[[jobs]]` in a study or a file of jobs, or arguments of the command line.

use super::simgrid;
use super::{Job, JobPlacement, JobsError, Load, Mix, Traffic};
use crate::platform::units::{Bandwidth, Bytes, Seconds};
use crate::printable::number;
use crate::share::{self, share};
use crate::similar::{is_slip, nearest};
use crate::study::toml_file::{self, TomlError};
use crate::study::workload::{OpenError, Workload};
use crate::study::workload_entry::WorkloadEntry;
use crate::trace::{Action, Actions, Trace};
use crate::traffic;
use crate::user_error::UserError;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Default size of a message of background traffic, in bytes.
const MESSAGE: u32 = 65_536;

/// A job as written.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct JobEntry {
    /// Name for reports; default: that of the trace or of the pattern.
    pub name: Option<String>,
    /// Trace: a file, or a list of files.
    pub trace: Option<PathBuf>,
    /// Name of a built-in program, or a file that ends in `.star`; instead of a trace.
    pub workload: Option<String>,
    /// Number of ranks; default: that of the trace.
    pub ranks: Option<usize>,
    /// Class of a generated workload.
    pub class: Option<String>,
    /// Iterations of a generated workload.
    pub iterations: Option<u64>,
    /// Other parameters of a generated workload.
    pub parameters: BTreeMap<String, toml::Value>,
    /// Hosts of the ranks, in order.
    pub hostfile: Option<PathBuf>,
    /// Numbers of the hosts of the ranks, instead of `hostfile`.
    pub hosts: Option<Vec<u32>>,
    /// Rule that selects free hosts, instead of both: `contiguous`, `random`, `random-groups[:N]`, `striped[:N]`.
    pub allocation: Option<String>,
    /// `true` if `hosts` numbers hosts in the order of their names.
    #[serde(skip)]
    pub hosts_by_name: bool,
    /// Index of the first rank's host on the platform; ranks take the hosts in order, starting again from the first.
    #[serde(skip)]
    pub first_place: Option<usize>,
    /// Start time; default: 0.
    pub start: Option<Seconds>,
    /// Flops that each rank computes before its first action: SimGrid's start delay.
    pub delay_flops: Option<f64>,
    /// `true` if the job restarts until the other jobs end.
    pub repeat: bool,
    /// Pattern of background traffic, e.g. `uniform`; instead of a trace or program.
    pub traffic: Option<String>,
    /// Load of the traffic, as a share of the bandwidth of a host.
    #[serde(deserialize_with = "share::written")]
    pub load: Option<f64>,
    /// Load in bytes per second, instead of `load`.
    pub rate: Option<Bandwidth>,
    /// Bytes per message of the traffic; default: 64 KiB.
    #[serde(deserialize_with = "message_bytes")]
    pub message: Option<u32>,
    /// Seed of the traffic; default: that of the study.
    pub seed: Option<u64>,
}

/// Reads the bytes of a message: a number, or text with a unit.
fn message_bytes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    Option::<Bytes>::deserialize(deserializer)?.map(of_message).transpose().map_err(D::Error::custom)
}

/// Returns the size of a message.
fn of_message(bytes: Bytes) -> Result<u32, String> {
    bytes.try_into().map_err(|()| format!("a message has at most {} bytes", u32::MAX))
}

/// A file of jobs as written.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobsFile {
    /// `true` if the ranks of several jobs on a host may exceed its cores.
    #[serde(default)]
    pub share_hosts: bool,
    /// Jobs of the file.
    pub jobs: Vec<JobEntry>,
}

impl JobsFile {
    /// Reads a file of jobs: TOML, or SimGrid's description of instances or of a workload.
    ///
    /// # Errors
    /// [`TomlError`].
    pub fn read(file: &Path) -> Result<Self, TomlError> {
        Self::parse(file, &toml_file::read_plain(file)?)
    }

    /// Parses the text of such a file; `file` is its name for messages.
    ///
    /// # Errors
    /// [`TomlError::Wrong`].
    pub fn parse(file: &Path, text: &str) -> Result<Self, TomlError> {
        simgrid::read(file, text).unwrap_or_else(|| toml_file::parse(file, text))
    }
}

/// Reason why an entry cannot become a job.
#[derive(Debug, thiserror::Error)]
pub enum EntryError {
    /// The trace or program cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The entry is invalid.
    #[error(transparent)]
    Jobs(#[from] JobsError),
}

impl EntryError {
    /// Returns the key with the wrong value, if it is known.
    pub fn key(&self) -> Option<&'static str> {
        match self {
            Self::Open(OpenError::Trace(_)) => Some("trace"),
            Self::Open(OpenError::Workload(_)) => Some("workload"),
            Self::Jobs(JobsError::Allocation { .. }) => Some("allocation"),
            Self::Open(OpenError::Contradiction(_)) | Self::Jobs(_) => None,
        }
    }
}

impl JobEntry {
    /// Returns the name for messages before the job is opened.
    pub fn label(&self) -> String {
        self.name.clone().or(self.traffic.clone()).unwrap_or_else(|| self.source().label())
    }

    fn source(&self) -> WorkloadEntry {
        WorkloadEntry {
            name: self.name.clone(),
            trace: self.trace.clone(),
            workload: self.workload.clone(),
            ranks: self.ranks,
            weight: None,
            class: self.class.clone(),
            iterations: self.iterations,
            parameters: self.parameters.clone(),
        }
    }

    fn wrong(&self, text: &str) -> JobsError {
        JobsError::Contradiction { job: self.label(), text: text.to_owned() }
    }

    /// Checks and opens the job, and appends it to a mix. File names are relative to `folder`; `otherwise` is the
    /// placement of jobs that have none.
    ///
    /// # Errors
    /// [`EntryError`].
    pub fn open(&self, folder: &Path, otherwise: &JobPlacement, mix: &mut Mix) -> Result<(), EntryError> {
        if self.name.as_deref().is_some_and(|name| name.trim().is_empty()) {
            return Err(Self { name: None, ..self.clone() }.wrong("name is empty").into());
        }
        if self.ranks == Some(0) {
            return Err(self.wrong("ranks = 0: a job has at least one rank").into());
        }
        if self.traffic.is_some() {
            mix.traffic.push(self.background(folder)?);
            return Ok(());
        }
        if self.load.is_some() || self.rate.is_some() || self.message.is_some() || self.seed.is_some() {
            return Err(self.wrong("load, rate, message and seed are for `traffic = PATTERN`").into());
        }
        let placement = match (&self.hostfile, &self.hosts, &self.allocation) {
            (Some(file), None, None) => JobPlacement::HostFile { file: folder.join(file), first: 0 },
            (None, Some(hosts), None) if hosts.is_empty() => return Err(self.wrong("hosts is an empty list").into()),
            (None, Some(hosts), None) => JobPlacement::Numbers { hosts: hosts.clone(), by_name: self.hosts_by_name },
            (None, None, Some(rule)) => JobPlacement::Rule(rule.parse()?),
            (None, None, None) => match (otherwise, self.first_place) {
                (JobPlacement::HostFile { file, .. }, first) => {
                    // The jobs take consecutive lines of the file.
                    let before = |job: &Job| match &job.placement {
                        JobPlacement::HostFile { file: other, .. } if other == file => job.trace.ranks(),
                        _ => 0,
                    };
                    let first = first.unwrap_or_else(|| mix.jobs.iter().map(before).sum());
                    JobPlacement::HostFile { file: file.clone(), first }
                }
                (_, Some(first)) => JobPlacement::From(first),
                (otherwise, None) => otherwise.clone(),
            },
            _ => return Err(self.wrong("only one of hostfile, hosts and allocation can place its ranks").into()),
        };
        let mut workload = Workload::open(&self.source(), folder)?;
        if let Some(flops) = self.delay_flops {
            workload.trace = Arc::new(self.delayed(&workload.trace, flops)?);
        }
        mix.jobs.push(Job {
            name: self.name.clone().unwrap_or(workload.name),
            trace: workload.trace,
            placement,
            start: self.start.map_or(0.0, Seconds::value),
            repeats: self.repeat,
        });
        Ok(())
    }

    /// Returns the trace with a computation before the actions of each rank.
    fn delayed(&self, trace: &Trace, flops: f64) -> Result<Trace, JobsError> {
        if !(flops.is_finite() && flops >= 0.0) {
            return Err(self.wrong(&format!("delay_flops = {} is not a finite number, zero or more", number(flops))));
        }
        if trace.schedule.is_some() {
            return Err(self.wrong("a schedule that is a graph takes `start`, not delay_flops"));
        }
        let mut delayed = Trace { origin: Default::default(), ..trace.clone() };
        for (actions, own) in delayed.actions.iter_mut().zip(&trace.actions) {
            let mut longer = Actions::default();
            longer.push(Action::Compute { flops });
            longer.extend(own);
            *actions = longer;
        }
        Ok(delayed)
    }

    fn background(&self, folder: &Path) -> Result<Traffic, JobsError> {
        let pattern = self.traffic.clone().unwrap_or_default();
        let other = self.source() != WorkloadEntry { name: self.name.clone(), ..WorkloadEntry::default() };
        let placed = self.hostfile.is_some() || self.hosts.is_some() || self.allocation.is_some();
        if other || placed || self.start.is_some() || self.delay_flops.is_some() || self.repeat {
            return Err(self
                .wrong("traffic takes name, load or rate, message and seed only: it runs on all hosts, all the time"));
        }
        traffic::check(&pattern).map_err(|error| self.wrong(&format!("traffic: {error}; {}", error.help())))?;
        let load = match (self.load, self.rate) {
            (Some(load), None) if load > 0.0 && load <= 1.0 => Load::Share(load),
            (Some(load), None) => {
                return Err(self.wrong(&format!("load = {} is not above 0 and at most 1", number(load))));
            }
            (None, Some(rate)) => Load::Rate(rate.value()),
            _ => return Err(self.wrong("traffic needs either `load = SHARE` or `rate = BANDWIDTH`")),
        };
        let message = self.message.unwrap_or(MESSAGE);
        if message == 0 {
            return Err(self.wrong("message = 0 carries nothing; give the bytes of a message"));
        }
        let name = self.name.clone().unwrap_or_else(|| pattern.clone());
        Ok(Traffic { name, pattern, folder: folder.to_owned(), message, load, seed: self.seed })
    }
}

/// Keys of a job on the command line.
const KEYS: [&str; 17] = [
    "name",
    "trace",
    "workload",
    "class",
    "iterations",
    "ranks",
    "hostfile",
    "hosts",
    "allocation",
    "start",
    "delay_flops",
    "repeat",
    "load",
    "rate",
    "message",
    "seed",
    "traffic",
];

/// Returns the key of `key=value`, known or not.
fn key_of(piece: &str) -> Option<&str> {
    let key = piece.split_once('=')?.0.trim();
    let is_word = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    is_word.then_some(key)
}

/// Returns `true` if a piece begins the value of a known key.
fn is_known(piece: &str) -> bool {
    piece.trim() == "repeat" || key_of(piece).is_some_and(|key| KEYS.contains(&key))
}

/// Checks that a piece without a known key belongs to the value before it.
fn check_continuation(value: &str, piece: &str) -> Result<(), String> {
    // Parameters of a pattern are checked with the pattern.
    let has_parameters = key_of(value) == Some("traffic") && value.contains(':');
    match key_of(piece) {
        Some(key) if !has_parameters => Err(unknown_key(key)),
        None if is_slip(piece.trim(), "repeat") => Err(unknown_key(piece.trim())),
        _ => Ok(()),
    }
}

fn unknown_key(key: &str) -> String {
    if key == "parameters" {
        return "only a file of --jobs takes `parameters`".to_owned();
    }
    match nearest(key, KEYS) {
        Some(near) => format!("there is no key `{key}`; did you mean `{near}`?"),
        None => format!("there is no key `{key}`; a job has {}", KEYS.join(", ")),
    }
}

/// Reads `TRACE,key=value,...`, `workload=NAME,key=value,...` or `traffic=PATTERN,key=value,...`, with the keys of
/// `[[jobs]]`. Lists of hosts are separated by blanks or plus signs.
impl std::str::FromStr for JobEntry {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // A comma that is not followed by a key belongs to the previous value, as in `traffic=tornado:k=4,m=2`.
        let mut parts: Vec<String> = Vec::new();
        for piece in text.split(',') {
            match parts.last_mut() {
                Some(last) if !is_known(piece) => {
                    check_continuation(last, piece)?;
                    last.push(',');
                    last.push_str(piece);
                }
                _ => parts.push(piece.to_owned()),
            }
        }
        let mut entry = JobEntry::default();
        let mut seen = Vec::new();
        for part in &parts {
            let pair = part.split_once('=').map(|(key, value)| (key.trim(), value.trim()));
            let (key, value) = match pair {
                Some((key, value)) if KEYS.contains(&key) => (key, value),
                _ if part.trim() == "repeat" => ("repeat", "true"),
                Some((key, _)) if ["trace", "workload", "traffic"].iter().any(|known| is_slip(key, known)) => {
                    return Err(unknown_key(key));
                }
                _ => ("trace", part.as_str()),
            };
            if seen.contains(&key) {
                return Err(format!("{key} is there twice"));
            }
            seen.push(key);
            entry.set(key, value).map_err(|rule| format!("{key}=`{value}`: {rule}"))?;
        }
        if entry.trace.is_none() && entry.workload.is_none() && entry.traffic.is_none() {
            return Err("it names neither a trace nor `workload=NAME` nor `traffic=PATTERN`".to_owned());
        }
        Ok(entry)
    }
}

impl JobEntry {
    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        fn whole<T: std::str::FromStr>(value: &str) -> Result<T, String> {
            value.parse().map_err(|_| "write a whole number, 0 or more".to_owned())
        }
        fn read<T: std::str::FromStr>(value: &str) -> Result<Option<T>, String>
        where
            T::Err: std::fmt::Display,
        {
            value.parse().map(Some).map_err(|error: T::Err| error.to_string())
        }
        match key {
            "name" => self.name = Some(value.to_owned()),
            "trace" => self.trace = Some(PathBuf::from(value)),
            "workload" => self.workload = Some(value.to_owned()),
            "class" => self.class = Some(value.to_owned()),
            "iterations" => self.iterations = Some(whole(value)?),
            "ranks" => self.ranks = Some(whole(value)?),
            "hostfile" => self.hostfile = Some(PathBuf::from(value)),
            "hosts" => {
                let numbers = value.split(' ').filter(|part| !part.is_empty()).flat_map(|part| part.split('+'));
                self.hosts = Some(
                    numbers
                        .map(|number| number.parse().map_err(|_| "give numbers of hosts, as in 0+1+2".to_owned()))
                        .collect::<Result<_, _>>()?,
                );
            }
            "allocation" => self.allocation = Some(value.to_owned()),
            "start" => self.start = read(value)?,
            "delay_flops" => {
                self.delay_flops = Some(value.parse().map_err(|_| "write a number of flops, such as 1e9".to_owned())?)
            }
            "repeat" => self.repeat = value.parse().map_err(|_| "write true or false".to_owned())?,
            "load" => self.load = Some(share(value).ok_or("write a share, such as 0.3 or 30%")?),
            "rate" => self.rate = read(value)?,
            "message" => self.message = read::<Bytes>(value)?.map(of_message).transpose()?,
            "seed" => self.seed = Some(whole(value)?),
            _ => self.traffic = Some(value.to_owned()),
        }
        Ok(())
    }
}
