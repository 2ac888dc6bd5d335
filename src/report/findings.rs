//! Findings on results, in sentences that all formats share.

use super::number::{bandwidth, brief_seconds, counted, flops, percent, seconds};
use crate::platform::speeds::{HostPorts, PlatformSpeeds, Resolved, Values};
use crate::result::critical::CriticalPath;
use crate::result::explain::{Explanation, Shares};
use crate::study::comparison::Comparison;
use crate::study::network::NetworkInfo;

/// Precision of every comparison.
pub(super) const CHAOS: &str = "Under heavy contention results are chaotic: differences of a few parts per thousand are noise from \
                                the method, not differences between networks.";

/// Groups items by their keys, in the order of the first occurrence of each key.
pub(super) fn grouped<K: PartialEq, V>(items: impl IntoIterator<Item = (K, V)>) -> Vec<(K, Vec<V>)> {
    let mut groups: Vec<(K, Vec<V>)> = Vec::new();
    for (key, item) in items {
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, items)) => items.push(item),
            None => groups.push((key, vec![item])),
        }
    }
    groups
}

/// Returns the speeds of hosts and links, once for all networks with the same speeds: `Platform` or
/// `Platform of A, C`, with the speeds.
pub(super) fn platforms(networks: &[NetworkInfo], names: &[String]) -> Vec<String> {
    let groups = grouped(networks.iter().zip(names).map(|(network, name)| {
        let words = match &network.parameters {
            Some(parameters) => resolved(parameters),
            None => speeds(&network.speeds),
        };
        (words, name.clone())
    }));
    let alike = groups.len() == 1;
    let of = |letters: &[String]| if alike { String::new() } else { format!(" of {}", letters.join(", ")) };
    groups.iter().map(|(words, letters)| format!("Platform{}: {words}.", of(letters))).collect()
}

/// Describes all parameters of a platform that was built from a topology.
fn resolved(p: &Resolved) -> String {
    let cabinet = p.switches_per_cabinet.map_or_else(String::new, |count| format!(", {count} switches per cabinet"));
    let order = if p.placement == "vertex" { String::new() } else { format!(", placement {}", p.placement) };
    let cables = match p.cable_delay {
        delay if delay > 0.0 => {
            format!("cables {} per metre (floor plan {}{cabinet}{order})", brief_seconds(delay), p.floor_plan)
        }
        _ => "cables 0 s per metre".to_owned(),
    };
    let cores = counted(p.cores.into(), "core");
    let ports = p.rails.as_ref().map_or_else(String::new, |rails| format!(", {}", host_ports(rails)));
    [
        format!("links {}, {}", bandwidth(p.link_bandwidth), brief_seconds(p.link_latency)),
        format!("switches {}", brief_seconds(p.switch_delay)),
        cables,
        format!("host links {}{ports}", host_links(p)),
        format!("within a host {}, {}", bandwidth(p.loopback_bandwidth), brief_seconds(p.loopback_latency)),
        format!("{cores} per host, {} per core", flops(p.core_flops)),
        format!("defaults {}", p.defaults),
    ]
    .join("; ")
}

/// Describes the links of hosts, or their absence.
pub(super) fn host_links(p: &Resolved) -> String {
    match (p.host_link_bandwidth, p.host_link_latency) {
        (Some(speed), latency) => format!("{}, {}", bandwidth(speed), brief_seconds(latency.unwrap_or(0.0))),
        (None, _) if p.hosts_are_vertices => "none (hosts have cables of their own)".to_owned(),
        (None, _) => "none (hosts on one switch communicate as within a host)".to_owned(),
    }
}

/// Describes the ports of hosts that have several.
pub(super) fn host_ports(ports: &HostPorts) -> String {
    let planes = if ports.planes == 1 { String::new() } else { format!(" in {} planes", ports.planes) };
    format!(
        "{} per host{planes}, rail by {}",
        counted(ports.host_ports as u64, "port"),
        match ports.rail {
            "striped" => "striping",
            other => other,
        }
    )
}

fn speeds(speeds: &PlatformSpeeds) -> String {
    let links = |bandwidths: Option<Values>, latencies: Option<Values>| {
        bandwidths.zip(latencies).map(|(b, l)| format!("{}, {}", b.text(bandwidth), l.text(brief_seconds)))
    };
    let cores = speeds.cores.filter(|cores| cores.least != 1.0 || cores.greatest != 1.0);
    let cores = cores.map(|cores| format!("{} cores per host", cores.text(|count| count.to_string())));
    [
        links(speeds.link_bandwidth, speeds.link_latency).map(|text| format!("links {text}")),
        links(speeds.host_link_bandwidth, speeds.host_link_latency).map(|text| format!("host links {text}")),
        cores,
        speeds.core_flops.map(|v| format!("{} per core", v.text(flops))),
    ]
    .into_iter()
    .flatten()
    .collect::<Vec<_>>()
    .join("; ")
}

/// Formats a list: `A`, `A and B`, `A, B and C`.
pub(super) fn list(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [some @ .., last] => format!("{} and {last}", some.join(", ")),
    }
}

/// Returns the reasons for missing Mop/s, if any are missing.
pub(super) fn unknown_operations(c: &Comparison) -> Vec<String> {
    let has_jobs = |&workload: &usize| c.any_run(workload, |record| record.jobs.is_some());
    let unknown = (0..c.workloads.len()).filter(|&workload| c.workloads[workload].operations.is_none());
    let (jobs, alone): (Vec<usize>, Vec<usize>) = unknown.partition(has_jobs);
    let mut reasons = Vec::new();
    if !alone.is_empty() {
        reasons
            .push("Mop/s unknown: no side file gives the number of operations; ratios are those of times.".to_owned());
    }
    if !jobs.is_empty() {
        let names: Vec<String> = jobs.iter().map(|&workload| c.workloads[workload].name.clone()).collect();
        reasons.push(format!(
            "Mop/s unknown for {}: it is several jobs, and ends with the last of them; the times of each job are in the table of \
             jobs.",
            list(&names)
        ));
    }
    reasons
}

/// Relative difference below which times are called equal.
pub const EQUAL: f64 = 0.01;

/// Share of the time from which on a part is the only stated reason.
const DOMINATES: f64 = 0.9;

/// Smallest share of the communication for which a limiting link is reported as the reason.
const MUCH: f64 = 0.5;

/// A workload that takes the same time on several networks.
#[derive(Debug, Clone, PartialEq)]
pub struct Equal {
    /// Index of the workload.
    pub workload: usize,
    /// Indices of the networks, in the order of the study; two or more.
    pub networks: Vec<usize>,
    /// Reason why they are equal.
    pub reason: String,
}

/// Returns the workloads that take the same time within one per cent on several networks of one setting, and the
/// reasons.
///
/// All networks of a group are within one per cent of its fastest one, so groups do not overlap; with repetitions, the
/// lower end of the interval of the fastest is compared with the upper ends of the others.
pub fn equal_networks(c: &Comparison) -> Vec<Equal> {
    let settings = c.of_settings();
    let all = (0..c.workloads.len()).flat_map(|workload| settings.iter().map(move |networks| (workload, networks)));
    all.flat_map(|(workload, networks)| equal_among(c, workload, networks.clone())).collect()
}

fn equal_among(c: &Comparison, workload: usize, mut order: Vec<usize>) -> Vec<Equal> {
    let mut found = Vec::new();
    let time = |n: usize| &c.cell(workload, n).time;
    order.sort_by(|&a, &b| time(a).mean.total_cmp(&time(b).mean).then(a.cmp(&b)));
    while let Some(&fastest) = order.first() {
        let limit = time(fastest).ends()[0] * (1.0 + EQUAL);
        let size = order.iter().take_while(|&&n| time(n).ends()[1] <= limit).count().max(1);
        let mut networks: Vec<usize> = order.drain(..size).collect();
        if networks.len() > 1 {
            networks.sort_unstable();
            let cells: Vec<&Explanation> = networks.iter().map(|&n| &c.cell(workload, n).explanation).collect();
            found.push(Equal { workload, networks, reason: reason(&cells) });
        }
    }
    found
}

/// Formats a range of shares: `97.0 %`, or `95.1 to 97.0 %`.
pub(super) fn range(values: impl Iterator<Item = f64> + Clone) -> String {
    let least = values.clone().fold(f64::INFINITY, f64::min);
    let most = values.fold(0.0, f64::max);
    let (from, to) = (percent(least), percent(most));
    if from == to { to } else { format!("{} to {to}", from.trim_end_matches(" %")) }
}

/// Returns the share of the run that the host links limit, if the busiest links are all of hosts and limit much of the
/// communication.
///
/// A flow limited by the link of its host does not benefit from the network behind it. That a host link is busiest is not
/// enough: it may limit a few per cent of the run, and the network the rest.
fn limited_by_hosts(e: &Explanation) -> Option<f64> {
    let links = &e.busiest_links;
    let most = links.iter().filter_map(|link| link.limiting).reduce(f64::max)?;
    let communication = 1.0 - e.time_shares.compute;
    (links.iter().all(|link| link.of_host) && most > 0.0 && most >= MUCH * communication).then_some(most)
}

/// Returns the reason why a workload takes the same time on networks with these explanations.
fn reason(cells: &[&Explanation]) -> String {
    let least = |share: fn(&Shares) -> f64| cells.iter().map(|e| share(&e.time_shares)).fold(1.0, f64::min);
    let shares = |share: fn(&Shares) -> f64| range(cells.iter().map(|e| share(&e.time_shares)));
    if least(|s| s.compute) >= DOMINATES {
        return format!("computation takes {} of the time", shares(|s| s.compute));
    }
    let on_path: Option<Vec<f64>> = cells
        .iter()
        .map(|e| e.critical_path.as_ref().filter(|p| p.seconds() > 0.0).map(|p| p.compute_seconds / p.seconds()))
        .collect();
    if let Some(shares) = on_path
        && shares.iter().all(|&s| s >= DOMINATES)
    {
        return format!("computation is {} of the critical path", range(shares.iter().copied()));
    }
    if let Some(shares) = cells.iter().map(|e| limited_by_hosts(e)).collect::<Option<Vec<f64>>>() {
        return format!(
            "the busiest links are all host links, and one of them limits {} of the run, so the network behind them matters little",
            range(shares.into_iter())
        );
    }
    let largest = [
        ("waiting for partners", least(|s| s.waiting), shares(|s| s.waiting)),
        ("the latency of messages", least(|s| s.latency), shares(|s| s.latency)),
        ("bandwidth", least(|s| s.bandwidth), shares(|s| s.bandwidth)),
        ("computation", least(|s| s.compute), shares(|s| s.compute)),
    ];
    let Some((what, _, share)) = largest.into_iter().reduce(|a, b| if b.1 > a.1 { b } else { a }) else {
        return String::new();
    };
    if cells.iter().all(|e| e.time_shares == Shares::default()) {
        return "nothing in it takes time".to_owned();
    }
    let mut text = format!("on each, {what} takes {share} of the time");
    let hops: Option<Vec<f64>> = cells.iter().map(|e| e.average_hops).collect();
    if let Some(hops) = hops {
        let (a, b) = hops.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), &h| (a.min(h), b.max(h)));
        text += &if b - a < 0.005 {
            format!(", and a message crosses {b:.2} links on average")
        } else {
            format!(", while a message crosses {a:.2} to {b:.2} links on average")
        };
    }
    text
}

/// Describes the parts of a critical path:
/// `compute 60.0 %, latency 30.0 %, bandwidth 10.0 % of 3.000 ms, over 12 messages ...`.
pub fn critical_path(path: &CriticalPath) -> String {
    let all = path.seconds();
    let share = |part: f64| percent(if all > 0.0 { part / all } else { 0.0 });
    let through = path
        .ranks
        .map_or_else(String::new, |ranks| format!(" through {ranks} {}", if ranks == 1 { "rank" } else { "ranks" }));
    format!(
        "compute {}, latency {}, bandwidth {} of {}; {} {}{through}, ending with rank {}",
        share(path.compute_seconds),
        share(path.latency_seconds),
        share(path.bandwidth_seconds),
        seconds(all),
        path.messages,
        if path.messages == 1 { "message" } else { "messages" },
        path.last_rank,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::explain::BusyLink;

    #[test]
    fn a_busy_host_link_is_a_reason_only_where_it_limits_much_of_the_communication() {
        let link = |of_host, limiting| BusyLink {
            link: "h0 -> s0".to_owned(),
            of_host,
            messages: 1,
            bytes: 1,
            utilisation: 0.09,
            saturated: limiting,
            limiting,
        };
        let of = |links| Explanation {
            time_shares: Shares { compute: 0.6, bandwidth: 0.4, ..Shares::default() },
            busiest_links: links,
            ..Explanation::default()
        };
        let shares = [
            limited_by_hosts(&of(vec![link(true, Some(0.04)), link(true, Some(0.03))])),
            limited_by_hosts(&of(vec![link(true, Some(0.1)), link(true, Some(0.2))])),
            limited_by_hosts(&of(vec![link(true, Some(0.3)), link(false, Some(0.1))])),
            limited_by_hosts(&of(vec![link(true, None)])),
            limited_by_hosts(&of(Vec::new())),
        ];
        assert_eq!(shares, [None, Some(0.2), None, None, None]);
    }
}
