//! Jobs on a network.

use super::allocation::{self, HostRequest, RequestedHosts};
use super::background;
use super::mix::{Job, JobPlacement, JobsError, Load, Mix, Placed, Traffic};
use crate::ids::HostId;
use crate::mpi::rank_map::RankMap;
use crate::platform::hostfile;
use crate::routing::DEFAULT_SEED;
use crate::study::network::NetworkUnderTest;
use std::sync::Arc;

impl Mix {
    /// Returns the placement of each job and the parameters of each background traffic, in words.
    fn descriptions(&self, seed: u64) -> Vec<String> {
        let of_job = |job: &Job| match &job.placement {
            JobPlacement::Rule(rule) if rule.is_random() => format!("{rule} (seed {seed})"),
            other => other.describe(),
        };
        let of_traffic = |traffic: &Traffic| {
            let load = match traffic.load {
                Load::Share(share) => format!("load {share}"),
                Load::Rate(rate) => format!("{rate} bytes per second"),
            };
            let seed = traffic.seed.unwrap_or(seed);
            format!("{}, {load}, messages of {} bytes (seed {seed})", traffic.pattern, traffic.message)
        };
        self.jobs.iter().map(of_job).chain(self.traffic.iter().map(of_traffic)).collect()
    }

    /// Assigns hosts to the ranks of all jobs, and generates the background traffic.
    ///
    /// # Errors
    /// [`JobsError`].
    pub fn place(&self, network: &NetworkUnderTest, collectives: &str, seed: Option<u64>) -> Result<Placed, JobsError> {
        let platform = &network.platform;
        let seed = seed.unwrap_or(DEFAULT_SEED);
        let request = |job: &'_ Job| -> Result<RequestedHosts, JobsError> {
            match &job.placement {
                JobPlacement::Rule(rule) => Ok(RequestedHosts::ByRule(*rule)),
                JobPlacement::HostFile { file, first } => {
                    let list = hostfile::load(file, platform);
                    let list =
                        list.map_err(|error| JobsError::Hosts { job: job.name.clone(), error: Box::new(error) })?;
                    Ok(RequestedHosts::Listed(
                        (0..job.trace.ranks()).map(|rank| list[(first + rank) % list.len()]).collect(),
                    ))
                }
                JobPlacement::From(first) => {
                    let hosts = platform.hosts.len();
                    let first = first % platform.intact_hosts();
                    // Hosts that failed are left out.
                    let first = first - platform.failed.partition_point(|host| (host.number as usize) < first);
                    Ok(RequestedHosts::Listed(
                        (0..job.trace.ranks()).map(|rank| HostId::new((first + rank) % hosts)).collect(),
                    ))
                }
                JobPlacement::Numbers { hosts: numbers, by_name } => {
                    if !by_name && numbers.len() > job.trace.ranks() {
                        let text = format!("{} hosts are named for {} ranks", numbers.len(), job.trace.ranks());
                        return Err(JobsError::Contradiction { job: job.name.clone(), text });
                    }
                    let hosts = platform.intact_hosts();
                    if let Some(number) = numbers.iter().find(|&&number| number as usize >= hosts) {
                        let text = format!("there is no host number {number}; there are {hosts}");
                        return Err(JobsError::Contradiction { job: job.name.clone(), text });
                    }
                    let mut order: Vec<_> = (0..hosts as u32).map(|number| platform.host_of_number(number)).collect();
                    if *by_name {
                        order.sort_by_key(|&host| match host {
                            Ok(host) => platform.hosts[host.index()].name.as_str(),
                            Err(failed) => failed.name.as_str(),
                        });
                    }
                    let host = |&number: &u32| {
                        order[number as usize].map_err(|failed| {
                            let text =
                                format!("host number {number} (`{}`) failed together with its switch", failed.name);
                            JobsError::Contradiction { job: job.name.clone(), text }
                        })
                    };
                    Ok(RequestedHosts::Listed(numbers.iter().map(host).collect::<Result<_, _>>()?))
                }
            }
        };
        let requests = self
            .jobs
            .iter()
            .map(|job| Ok(HostRequest { job: &job.name, ranks: job.trace.ranks(), hosts: request(job)? }));
        let requests: Vec<HostRequest<'_>> = requests.collect::<Result<_, JobsError>>()?;
        let places = allocation::allocate(&requests, network, seed, self.share_hosts)?;
        let traffic =
            self.traffic.iter().map(|wanted| background::trace(wanted, network, collectives, seed).map(Arc::new));
        Ok(Placed {
            rank_map: RankMap::new(places.concat()),
            traffic: traffic.collect::<Result<_, _>>()?,
            descriptions: self.descriptions(seed),
        })
    }
}
