//! Jobs as checked: what runs, and where.

use super::rule::AllocationRule;
use crate::engine::{Repeats, ReplayError, Span};
use crate::mpi::mapping::by_failures;
use crate::mpi::rank_map::RankMap;
use crate::platform::PlatformError;
use crate::trace::Trace;
use crate::trace::transform::MergeError;
use crate::user_error::UserError;
use std::path::PathBuf;
use std::sync::Arc;

/// Reason why jobs cannot run together.
#[derive(Debug, thiserror::Error)]
pub enum JobsError {
    /// An allocation rule does not exist.
    #[error("`{text}` is no allocation: write one of {}, or random-groups:N or striped:N for groups of N hosts", AllocationRule::NAMES.join(", "))]
    Allocation {
        /// Text as written.
        text: String,
    },
    /// A job needs more hosts than are free.
    #[error("job `{job}` has {ranks} ranks, and {}{}", room_for(*.room, *.free, *.hosts), by_failures(*.lost))]
    NoRoom {
        /// Name of the job.
        job: String,
        /// Number of its ranks.
        ranks: usize,
        /// Number of ranks that fit.
        room: usize,
        /// Number of hosts that no other job has.
        free: usize,
        /// Number of all hosts.
        hosts: usize,
        /// Number of switches that failed together with their hosts.
        lost: usize,
        /// `true` if jobs may share hosts.
        share_hosts: bool,
    },
    /// The ranks of two jobs on a host exceed its cores.
    #[error("jobs `{one}` and `{other}` overlap: host `{host}` has {ranks} ranks and {cores} core{}", if *.cores == 1 { "" } else { "s" })]
    Overlap {
        /// Name of the first job.
        one: String,
        /// Name of the second job.
        other: String,
        /// Name of the host.
        host: String,
        /// Number of ranks of all jobs on it.
        ranks: usize,
        /// Number of cores of the host.
        cores: u32,
    },
    /// A rule needs groups of hosts that the platform does not have.
    #[error("{rule} needs groups of hosts, and network `{network}` has no floor plan")]
    NoGroups {
        /// Name of the rule.
        rule: String,
        /// Name of the network.
        network: String,
    },
    /// Background traffic cannot be generated.
    #[error("job `{job}` on network `{network}`: {text}")]
    Traffic {
        /// Name of the job.
        job: String,
        /// Name of the network.
        network: String,
        /// Reason, in words.
        text: String,
    },
    /// The entry of a job contradicts itself.
    #[error("job `{job}`: {text}")]
    Contradiction {
        /// Name of the job.
        job: String,
        /// Description of the error.
        text: String,
    },
    /// Two jobs have the same name.
    #[error("two jobs are called `{name}`")]
    SameName {
        /// Name of both jobs.
        name: String,
    },
    /// No job ends.
    #[error("every job repeats, so that there is none whose end could be waited for")]
    NoneEnds,
    /// The host file of a job cannot be used.
    #[error("job `{job}`: {error}")]
    Hosts {
        /// Name of the job.
        job: String,
        /// Cause of the error.
        error: Box<PlatformError>,
    },
    /// The traces of the jobs cannot be merged.
    #[error(transparent)]
    Merge(#[from] MergeError),
}

/// Returns what a job finds on a network of `hosts` hosts, `free` of which no other job has.
fn room_for(room: usize, free: usize, hosts: usize) -> String {
    match hosts - free {
        0 => format!("there is room for {room} on {hosts} hosts"),
        taken if free == 0 => format!("other jobs have all {taken} hosts"),
        taken => format!("other jobs have {taken} of {hosts} hosts; the other {free} have room for {room}"),
    }
}

impl UserError for JobsError {
    fn help(&self) -> String {
        match self {
            Self::Allocation { .. } => "docs/guide/jobs.md says which hosts each rule takes".into(),
            Self::NoRoom { share_hosts, free, hosts, .. } => match (free < hosts, share_hosts) {
                (false, _) => "give the platform more hosts or cores, or name the hosts in a host file".into(),
                (true, false) => {
                    "give the platform more hosts or cores; or share hosts: name those of each job (`hosts=0+1`, \
                                  `hostfile=FILE`) and add --share-hosts or `share_hosts = true`"
                        .into()
                }
                (true, true) => {
                    "only jobs whose hosts are named share them: give each job `hosts=0+1+2` or `hostfile=FILE`; \
                                 a rule takes hosts that no other job has"
                        .into()
                }
            },
            Self::Overlap { .. } => {
                "give the jobs other hosts, the hosts more cores, or share the hosts on purpose (--share-hosts, \
                 `share_hosts = true`)"
                    .into()
            }
            Self::NoGroups { .. } => "give the number of hosts of a group, e.g. random-groups:16".into(),
            Self::Traffic { .. } => "docs/guide/jobs.md describes background traffic".into(),
            Self::Contradiction { .. } => "docs/guide/jobs.md has the keys of a job".into(),
            Self::SameName { .. } => "give each job a name of its own: `name = ...`".into(),
            Self::NoneEnds => "add a job that does not repeat".into(),
            Self::Hosts { error, .. } => error.help(),
            Self::Merge(_) => "replay fewer jobs together".into(),
        }
    }

    fn is_io(&self) -> bool {
        matches!(self, Self::Hosts { error, .. } if error.is_io())
    }
}

/// A job that replays a trace.
#[derive(Debug, Clone)]
pub struct Job {
    /// Name for reports.
    pub name: String,
    /// Actions of its ranks.
    pub trace: Arc<Trace>,
    /// Placement of its ranks.
    pub placement: JobPlacement,
    /// Start time in seconds.
    pub start: f64,
    /// `true` if the job restarts until the other jobs end.
    pub repeats: bool,
}

/// Placement of the ranks of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobPlacement {
    /// On hosts that a rule selects.
    Rule(AllocationRule),
    /// On the hosts of a host file in order, starting from a given entry and wrapping around.
    HostFile {
        /// Path of the file.
        file: PathBuf,
        /// Index of the entry for the first rank.
        first: usize,
    },
    /// On the hosts of the platform in order, starting from the one of this number and wrapping around.
    From(usize),
    /// On hosts by number.
    Numbers {
        /// Number of each rank's host, starting again from the first if there are more ranks.
        hosts: Vec<u32>,
        /// `true` if hosts are numbered in the order of their names, as in SimGrid's workload files, instead of the
        /// order of the platform.
        by_name: bool,
    },
}

impl JobPlacement {
    /// Returns the placement in words, for results.
    pub fn describe(&self) -> String {
        match self {
            Self::Rule(rule) => rule.to_string(),
            Self::From(_) => "hosts in order".to_owned(),
            Self::HostFile { .. } => "host file".to_owned(),
            Self::Numbers { .. } => "listed hosts".to_owned(),
        }
    }
}

/// Amount of background traffic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Load {
    /// Share of the bandwidth at which a host injects.
    Share(f64),
    /// Bytes per second of the busiest host.
    Rate(f64),
}

/// A job of background traffic.
#[derive(Debug, Clone, PartialEq)]
pub struct Traffic {
    /// Name for reports.
    pub name: String,
    /// Pattern, e.g. `uniform`.
    pub pattern: String,
    /// Folder to which the file of a pattern is relative.
    pub folder: PathBuf,
    /// Bytes per message.
    pub message: u32,
    /// Amount of traffic.
    pub load: Load,
    /// Seed; `None` for that of the study.
    pub seed: Option<u64>,
}

/// Jobs that run simultaneously.
#[derive(Debug, Clone)]
pub struct Mix {
    /// Jobs that replay traces; their ranks are numbered consecutively.
    pub jobs: Vec<Job>,
    /// Background traffic.
    pub traffic: Vec<Traffic>,
    /// `true` if the ranks of several jobs on a host may exceed its cores.
    pub share_hosts: bool,
    /// `true` if each pair of jobs is also replayed.
    pub pairs: bool,
}

/// A mix on a network.
#[derive(Debug, Clone)]
pub struct Placed {
    /// Places of the ranks of all jobs; ranks of background traffic, which are on all hosts, are not included.
    pub rank_map: RankMap,
    /// Background traffic of the hosts.
    pub traffic: Vec<Arc<Trace>>,
    /// Placement of each job, and parameters of each background traffic, in words.
    pub descriptions: Vec<String>,
}

/// Failed replay of a mix.
#[derive(Debug)]
pub struct MixError {
    /// Index of the job that fails even alone; `None` if the jobs only fail together.
    pub job: Option<usize>,
    /// Cause of the failure.
    pub error: ReplayError,
}

impl Mix {
    /// Checks everything that does not depend on a network.
    ///
    /// # Errors
    /// [`JobsError`].
    pub fn check(&self) -> Result<(), JobsError> {
        let names: Vec<&str> = self.names().collect();
        if let Some(name) = names.iter().enumerate().find(|(at, name)| names[..*at].contains(name)) {
            return Err(JobsError::SameName { name: (*name.1).to_owned() });
        }
        if self.jobs.iter().all(|job| job.repeats) {
            return Err(JobsError::NoneEnds);
        }
        for job in &self.jobs {
            if job.repeats && job.trace.schedule.is_some() {
                let text = "a schedule that is a graph cannot repeat; convert it to a list with `mopsim trace convert`";
                return Err(JobsError::Contradiction { job: job.name.clone(), text: text.into() });
            }
        }
        Ok(())
    }

    /// Returns the names of all jobs, background traffic last.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.jobs.iter().map(|job| job.name.as_str()).chain(self.traffic.iter().map(|traffic| traffic.name.as_str()))
    }

    /// Returns `true` if the hosts or the traffic of any job depend on a seed.
    pub fn is_random(&self) -> bool {
        let random = |job: &Job| matches!(job.placement, JobPlacement::Rule(rule) if rule.is_random());
        self.jobs.iter().any(random) || self.traffic.iter().any(|traffic| traffic.seed.is_none())
    }

    /// Returns the rule of each job in words, for results.
    pub fn describe(&self) -> String {
        let mut rules: Vec<String> = self.jobs.iter().map(|job| job.placement.describe()).collect();
        rules.dedup();
        rules.join(", ")
    }

    /// Returns the ranks of a job as the engine sees them.
    pub(super) fn span(&self, job: usize, placed: &Placed) -> Span {
        match self.jobs.get(job) {
            Some(job) => Span {
                ranks: job.trace.ranks() as u32,
                start: job.start,
                repeats: if job.repeats { Repeats::Together } else { Repeats::Never },
            },
            None => Span {
                ranks: placed.traffic[job - self.jobs.len()].ranks() as u32,
                start: 0.0,
                repeats: Repeats::EachRank,
            },
        }
    }
}
