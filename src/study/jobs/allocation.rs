//! Assignment of hosts to jobs: by name, or by the rule of a batch system.

use super::JobsError;
use super::rule::AllocationRule;
use crate::floorplan::FloorPlan;
use crate::ids::{HostId, SwitchId};
use crate::study::network::NetworkUnderTest;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;

/// Request of a job for hosts.
#[derive(Debug, Clone)]
pub(super) struct HostRequest<'a> {
    /// Name of the job.
    pub job: &'a str,
    /// Number of ranks.
    pub ranks: usize,
    pub hosts: RequestedHosts,
}

/// Hosts that a job requests.
#[derive(Debug, Clone)]
pub(super) enum RequestedHosts {
    /// Hosts of the ranks, starting again from the first if there are more ranks.
    Listed(Vec<HostId>),
    /// Free hosts, by a rule.
    ByRule(AllocationRule),
}

/// Returns the host of each rank of each job. Jobs with specified hosts are placed first, the others in their order.
pub(super) fn allocate(
    requests: &[HostRequest<'_>],
    network: &NetworkUnderTest,
    seed: u64,
    share_hosts: bool,
) -> Result<Vec<Vec<HostId>>, JobsError> {
    let hosts = &network.platform.hosts;
    let mut random = Pcg64::seed_from_u64(seed);
    let mut taken = vec![false; hosts.len()];
    let mut places: Vec<Vec<HostId>> = Vec::with_capacity(requests.len());
    for request in requests {
        let own = match &request.hosts {
            RequestedHosts::Listed(list) => (0..request.ranks).map(|rank| list[rank % list.len()]).collect(),
            RequestedHosts::ByRule(_) => Vec::new(),
        };
        own.iter().for_each(|host: &HostId| taken[host.index()] = true);
        places.push(own);
    }
    for (place, request) in places.iter_mut().zip(requests) {
        let RequestedHosts::ByRule(rule) = &request.hosts else { continue };
        let free: Vec<HostId> = (0..hosts.len()).map(HostId::new).filter(|host| !taken[host.index()]).collect();
        let available = free.len();
        for host in order(*rule, free, network, &mut random)? {
            if place.len() == request.ranks {
                break;
            }
            taken[host.index()] = true;
            let cores = hosts[host.index()].cores as usize;
            place.extend(std::iter::repeat_n(host, cores.min(request.ranks - place.len())));
        }
        if place.len() < request.ranks {
            return Err(JobsError::NoRoom {
                job: request.job.to_owned(),
                ranks: request.ranks,
                room: place.len(),
                free: available,
                hosts: hosts.len(),
                lost: network.lost_switches(),
                share_hosts,
            });
        }
    }
    if !share_hosts {
        check_cores(&places, requests, network)?;
    }
    Ok(places)
}

/// Returns free hosts in the order in which a job occupies them.
fn order(
    rule: AllocationRule,
    mut free: Vec<HostId>,
    network: &NetworkUnderTest,
    random: &mut Pcg64,
) -> Result<Vec<HostId>, JobsError> {
    let size = match rule {
        AllocationRule::Contiguous => return Ok(free),
        AllocationRule::Random => {
            free.shuffle(random);
            return Ok(free);
        }
        AllocationRule::RandomGroups(size) | AllocationRule::Striped(size) => size,
    };
    let mut groups: Vec<Vec<HostId>> = Vec::new();
    let mut numbers: Vec<u32> = Vec::new();
    let group_of = groups_of(network, size, rule)?;
    for host in free {
        let number = group_of[host.index()];
        let at = numbers.iter().rposition(|&known| known == number).unwrap_or_else(|| {
            numbers.push(number);
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[at].push(host);
    }
    if matches!(rule, AllocationRule::RandomGroups(_)) {
        groups.shuffle(random);
        return Ok(groups.concat());
    }
    let longest = groups.iter().map(Vec::len).max().unwrap_or(0);
    Ok((0..longest).flat_map(|nth| groups.iter().filter_map(move |group| group.get(nth).copied())).collect())
}

/// Returns the number of the group of each host.
fn groups_of(network: &NetworkUnderTest, size: Option<u32>, rule: AllocationRule) -> Result<Vec<u32>, JobsError> {
    let hosts = &network.platform.hosts;
    if let Some(size) = size {
        return Ok(network.platform.numbers().map(|number| number / size).collect());
    }
    let group_of_switch = network.topology.as_ref().and_then(|topology| -> Option<Box<dyn Fn(SwitchId) -> u32>> {
        if let Some(switches) = topology.spec.group() {
            return Some(Box::new(move |switch| switch.0 / switches));
        }
        let plan = FloorPlan::new(topology, &network.floor).ok()?;
        Some(Box::new(move |switch| plan.cabinet(switch) as u32))
    });
    let groups = group_of_switch
        .and_then(|group_of| hosts.iter().map(|host| host.switch.map(&group_of)).collect::<Option<Vec<u32>>>());
    groups.ok_or_else(|| JobsError::NoGroups { rule: rule.to_string(), network: network.info.name.clone() })
}

/// Refuses hosts on which the ranks of several jobs exceed the cores.
fn check_cores(
    places: &[Vec<HostId>],
    requests: &[HostRequest<'_>],
    network: &NetworkUnderTest,
) -> Result<(), JobsError> {
    let hosts = &network.platform.hosts;
    let mut ranks = vec![0_usize; hosts.len()];
    let mut last: Vec<Option<usize>> = vec![None; hosts.len()];
    let mut both: Vec<Option<(usize, usize)>> = vec![None; hosts.len()];
    for (job, place) in places.iter().enumerate() {
        for host in place {
            let host = host.index();
            ranks[host] += 1;
            match last[host] {
                Some(other) if other != job => both[host] = both[host].or(Some((other, job))),
                _ => last[host] = Some(job),
            }
        }
    }
    let mut overlaps = hosts.iter().zip(&both).zip(&ranks).filter_map(|((host, pair), &ranks)| {
        let pair = pair.filter(|_| ranks > host.cores as usize)?;
        Some(((host, ranks), pair))
    });
    if let Some((host, pair)) = overlaps.next() {
        let [one, other] = [pair.0, pair.1].map(|job| requests[job].job.to_owned());
        return Err(JobsError::Overlap {
            one,
            other,
            host: host.0.name.to_string(),
            ranks: host.1,
            cores: host.0.cores,
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::network::NetworkChoice;
    use std::path::Path;

    fn network(topology: &str) -> NetworkUnderTest {
        let choice = NetworkChoice { topology: Some(topology.to_owned()), ..NetworkChoice::default() };
        choice.build(Path::new("")).expect("a network")
    }

    /// Returns the hosts of jobs of these sizes under one rule.
    fn hosts(rule: &str, topology: &str, sizes: &[usize], seed: u64) -> Vec<Vec<u32>> {
        let rule: AllocationRule = rule.parse().expect("a rule");
        let request = |&ranks: &usize| HostRequest { job: "j", ranks, hosts: RequestedHosts::ByRule(rule) };
        let requests: Vec<HostRequest<'_>> = sizes.iter().map(request).collect();
        let places = allocate(&requests, &network(topology), seed, false).expect("room");
        places.into_iter().map(|place| place.into_iter().map(|host| host.0).collect()).collect()
    }

    #[test]
    fn rules_take_the_hosts_that_they_say() {
        assert_eq!(hosts("contiguous", "ring:8", &[3, 2], 1), [vec![0, 1, 2], vec![3, 4]]);
        assert_eq!(hosts("striped:4", "ring:8", &[3, 2], 1), [vec![0, 4, 1], vec![2, 5]]);
        // Hosts of one group or the other.
        let random = hosts("random-groups:4", "ring:8", &[3, 2], 1);
        assert!(random[0] == [0, 1, 2] || random[0] == [4, 5, 6], "{random:?}");
        let seeds: Vec<_> = (1..9).map(|seed| hosts("random", "ring:8", &[4, 4], seed)).collect();
        assert!(seeds.iter().any(|places| *places != seeds[0]));
        assert_eq!(seeds[0], hosts("random", "ring:8", &[4, 4], 1));
        for places in seeds {
            let mut all = places.concat();
            all.sort_unstable();
            assert_eq!(all, [0, 1, 2, 3, 4, 5, 6, 7]);
        }
    }

    #[test]
    fn a_group_is_that_of_a_dragonfly_or_a_cabinet() {
        // Three groups of two switches; and cabinets of 16 switches, with a host on each.
        assert_eq!(hosts("striped", "dragonfly:a=2,h=1", &[3, 2], 1), [vec![0, 2, 4], vec![1, 3]]);
        assert_eq!(hosts("striped", "ring:40", &[4], 1), [[0, 16, 32, 1]]);
    }
}
