//! SimGrid's own files of jobs, for its examples `replay_multiple` and `replay_multiple_manual_deploy`.
//!
//! The first has lines `INSTANCE TRACE RANKS [FLOPS]`: the ranks of all instances together take the hosts of the
//! platform in order, starting again from the first, and each rank computes the flops of the delay before its first
//! action. The second has lines `NAME TRACE RANKS SECONDS HOST,HOST,...`, with hosts numbered in the order of their
//! names. Both may share hosts. As in SimGrid, a line whose third word is not a number is a comment.

use super::entry::{JobEntry, JobsFile};
use crate::platform::units::Seconds;
use crate::study::toml_file::{Place, TomlError};
use std::path::{Path, PathBuf};

/// Reads a text in one of both forms; `None` if it has neither form and is therefore TOML.
pub(super) fn read(file: &Path, text: &str) -> Option<Result<JobsFile, TomlError>> {
    let lines =
        || text.lines().zip(1..).map(|(line, number)| (line.trim(), number)).filter(|(line, _)| !line.is_empty());
    let (first, _) = lines().next()?;
    if first.starts_with(['#', '[']) || first.contains('=') {
        return None;
    }
    let wrong = |line: usize, message: String| TomlError::Wrong {
        file: file.to_owned(),
        place: Place { line, column: 1 },
        message,
    };
    let mut jobs = Vec::new();
    let mut ranks_before = 0;
    for (line, number) in lines() {
        let fields: Vec<&str> = line.split_whitespace().collect();
        if fields.get(2).is_none_or(|ranks| ranks.parse::<i64>().is_err()) {
            continue;
        }
        let job = job(&fields, ranks_before).map_err(|message| wrong(number, message));
        match job {
            Ok(job) => {
                ranks_before += job.ranks.unwrap_or(0);
                jobs.push(job);
            }
            Err(error) => return Some(Err(error)),
        }
    }
    if jobs.is_empty() {
        return Some(Err(wrong(1, "no line describes a job".to_owned())));
    }
    Some(Ok(JobsFile { share_hosts: true, jobs }))
}

fn job(fields: &[&str], ranks_before: usize) -> Result<JobEntry, String> {
    let form = "a line is `INSTANCE TRACE RANKS [FLOPS]` or `NAME TRACE RANKS SECONDS HOST,HOST,...`";
    let (&[name, trace, ranks], rest) = fields.split_first_chunk::<3>().ok_or_else(|| form.to_owned())?;
    let ranks: usize = ranks
        .parse()
        .ok()
        .filter(|&ranks| ranks > 0)
        .ok_or_else(|| format!("`{ranks}` is not a number of ranks: write 1 or more"))?;
    let mut entry = JobEntry {
        name: Some(name.to_owned()),
        trace: Some(PathBuf::from(trace)),
        ranks: Some(ranks),
        ..JobEntry::default()
    };
    match rest {
        [] => entry.first_place = Some(ranks_before),
        [flops] => {
            entry.first_place = Some(ranks_before);
            entry.delay_flops = Some(flops.parse().map_err(|_| format!("`{flops}` is not a number of flops"))?);
        }
        [start, hosts] => {
            entry.start = Some(start.parse::<Seconds>().map_err(|error| error.to_string())?);
            let numbers = hosts.split(',').filter(|host| !host.is_empty());
            let numbers = numbers.map(|host| host.parse().map_err(|_| format!("`{host}` is not the number of a host")));
            let hosts: Vec<u32> = numbers.collect::<Result<_, _>>()?;
            if hosts.len() != ranks {
                return Err(format!("{ranks} ranks, but {} hosts", hosts.len()));
            }
            entry.hosts = Some(hosts);
            entry.hosts_by_name = true;
        }
        _ => return Err(form.to_owned()),
    }
    Ok(entry)
}
