//! Least time of a workload on a network, found without replaying it there, and an estimate of its time.
//!
//! Three bounds hold whatever the order of events, and the largest one is the least time:
//!
//! - **Links.** A link carries at most its bandwidth, so a run takes at least as long as the link needs for all its messages.
//!   Of a static route, all links are known; of an adaptive one, the links of hosts, and all cables together: each message
//!   takes at least as many of them as the distance (the bound by path length of [`crate::throughput::bounds`]).
//! - **Dependencies.** A replay in which every message has the lowest latency and the highest bandwidth of the network to
//!   itself. Times of a fixed program are sums and maxima of durations, so no duration that grows makes an end earlier.
//!   One such replay serves all networks with equal hosts and host links.
//! - **Routes.** Such a replay with the latencies and bandwidths of the network's own routes, if these are static ([`by_routes`]).
//!   It takes as long as a replay among few hosts, or longer, so it is done only where it is likely to save one.
//!
//! A program is fixed if no rank polls, probes, accesses memory of others or leaves a receive open. Programs that are not
//! fixed, jobs that run together, packets, graphs and SimGrid's rules of sharing have no least time here, only an estimate
//! at most.

use super::super::built::Study;
use super::super::cell::CellRankMap;
use super::super::network::NetworkUnderTest;
use crate::engine::{Counter, Model, Observer, TIMING_PRECISION, replay};
use crate::ids::{HostId, LinkId, Rank, SwitchId};
use crate::mpi::messages::Envelope;
use crate::mpi::rank_map::RankMap;
use crate::network::model::NetworkModel;
use crate::platform::{Link, LinkKind, Platform, SharingPolicy, uncontended_between};
use crate::routing::Chosen;
use crate::steps::Steps;
use crate::topology::hops::{FAR, distances};
use crate::trace::{Action, Trace};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Share by which least times are lowered: many times the error of merged events and of rounding.
const SLACK: f64 = 1e-6;

/// Time of a workload on a network, before it is replayed there.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Expected {
    /// Least time in seconds; 0 if none is known.
    pub least: f64,
    /// Estimate in seconds; `None` if there is none.
    pub estimate: Option<f64>,
}

/// Messages between two nodes, in one direction.
#[derive(Clone, Copy, Default)]
struct Sent {
    messages: u64,
    /// Bytes with envelopes, divided by the factor of their bandwidth: the capacity that they take of each link.
    load: f64,
}

/// Messages of a workload, and the end of its run without contention.
struct Messages {
    /// By source and destination node, in rising order.
    pairs: Vec<((u32, u32), Sent)>,
    seconds: f64,
    /// `true` if that end is a least time.
    is_least: bool,
}

/// All that messages and the end without contention depend on.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    workload: usize,
    model: usize,
    /// Node of each rank.
    nodes: Vec<u32>,
    /// Speed and cores of each node's host.
    hosts: Vec<(u64, u32)>,
    /// Bandwidth and latency of all messages between nodes.
    between: [u64; 2],
    /// Bandwidth and latency of the loopback.
    loopback: Option<[u64; 2]>,
}

/// Progress of bounds, and their stop from outside.
#[derive(Clone, Debug, Default)]
pub struct Effort {
    /// Replays without contention and networks with messages on them.
    pub steps: Steps,
    /// Once `true`, what is missing is left out.
    pub stop: Arc<AtomicBool>,
}

impl Effort {
    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn counter(&self) -> Counter {
        Counter::stopped_by(&self.stop)
    }
}

/// Adds up the messages of a replay.
struct MessageCounter<'a> {
    model: &'a NetworkModel,
    rank_map: &'a RankMap,
    sent: FxHashMap<(u32, u32), Sent>,
    counter: Counter,
}

impl Observer for MessageCounter<'_> {
    fn counter(&self) -> Option<Counter> {
        Some(self.counter.clone())
    }

    fn message_started(&mut self, _: u32, _: u32, envelope: Envelope, bytes: u64, _: f64) {
        let pair = (self.rank_map.node(envelope.source), self.rank_map.node(envelope.destination));
        if pair.0 != pair.1 {
            let size = bytes + self.model.envelope;
            let sent = self.sent.entry(pair).or_default();
            sent.messages += 1;
            sent.load += size as f64 / self.model.bandwidth_factor.at(size);
        }
    }
}

/// A replay whose expected time is looked for: column, repetition, workload.
type Cell = (usize, usize, usize);

/// Returns the expected times of some columns of a study, by column, repetition and workload.
pub(super) fn expected(study: &Study, columns: &[usize], effort: &Effort) -> BTreeMap<Cell, Expected> {
    let cells: Vec<Cell> = columns
        .iter()
        .flat_map(|&c| (0..study.columns[c].runs.len()).map(move |k| (c, k)))
        .flat_map(|(c, k)| (0..study.workloads.len()).map(move |w| (c, k, w)))
        .collect();
    let keyed: Vec<(Cell, Key)> = cells.into_par_iter().filter_map(|cell| Some((cell, key(study, cell)?))).collect();
    let distinct: BTreeMap<&Key, Cell> = keyed.iter().rev().map(|(cell, key)| (key, *cell)).collect();
    effort.steps.expect((distinct.len() + keyed.len()) as u64);
    let messages: BTreeMap<&Key, Messages> = distinct
        .into_par_iter()
        .filter_map(|(key, cell)| {
            let messages = messages(study, cell, key, effort.counter());
            effort.steps.did(1);
            Some((key, messages?))
        })
        .collect::<Vec<_>>()
        .into_iter()
        .collect();
    let of_cell = |(cell, key): &(Cell, Key)| {
        if effort.is_stopped() {
            return None;
        }
        let expected = messages.get(key).map(|messages| on_network(study, *cell, messages));
        effort.steps.did(1);
        Some((*cell, expected?))
    };
    keyed.par_iter().filter_map(of_cell).collect::<Vec<_>>().into_iter().collect()
}

/// Returns the place of the ranks of a cell, if they run alone.
fn rank_map_of(study: &Study, (column, repetition, workload): Cell) -> Option<&RankMap> {
    match &study.columns[column].runs[repetition].rank_maps[workload] {
        CellRankMap::Alone(rank_map) => Some(rank_map),
        CellRankMap::Graph(..) | CellRankMap::Jobs(_) => None,
    }
}

/// Returns the network of a cell.
fn network_of(study: &Study, (column, repetition, _): Cell) -> &NetworkUnderTest {
    &study.networks[study.columns[column].runs[repetition].network]
}

/// Returns the least times of columns with static routes when every message has its own route to itself, by column, repetition
/// and workload. Of cells without a least time there is none.
pub(super) fn by_routes(
    study: &Study,
    columns: &[usize],
    expected: &BTreeMap<Cell, Expected>,
    effort: &Effort,
) -> Vec<(Cell, f64)> {
    let cells: Vec<Cell> = expected
        .iter()
        .filter(|((column, ..), expected)| expected.least > 0.0 && columns.contains(column))
        .map(|(cell, _)| *cell)
        .collect();
    let least = |cell: Cell| {
        let (rank_map, platform) = (rank_map_of(study, cell)?, &network_of(study, cell).platform);
        let host = |node: &Vec<u32>| rank_map.host(Rank(node[0]));
        let is_static =
            |from: HostId, to: HostId| matches!(platform.routes.chosen(from, to), Chosen::Once | Chosen::Split);
        let hosts: Vec<HostId> = rank_map.nodes().iter().map(host).collect();
        if !hosts.iter().all(|&from| hosts.iter().all(|&to| from == to || is_static(from, to))) {
            return None;
        }
        let links = platform.links.iter().map(|link| Link { policy: SharingPolicy::FatPipe, ..link.clone() });
        let alone = Platform {
            name: platform.name.clone(),
            hosts: platform.hosts.clone(),
            failed: Vec::new(),
            links: links.collect(),
            loopback: platform.loopback,
            routes: Arc::clone(&platform.routes),
        };
        let model = &study.models[study.columns[cell.0].model].0;
        let outcome = replay(&study.workloads[cell.2].trace, &alone, rank_map, model, &mut effort.counter()).ok()?;
        Some((cell, outcome.simulated_seconds * (1.0 - SLACK)))
    };
    let counted = |cell: Cell| {
        let least = least(cell);
        effort.steps.did(1);
        least
    };
    effort.steps.expect(cells.len() as u64);
    cells.into_par_iter().with_max_len(1).filter_map(counted).collect()
}

fn key(study: &Study, cell: Cell) -> Option<Key> {
    let (rank_map, network) = (rank_map_of(study, cell)?, network_of(study, cell));
    let model = study.columns[cell.0].model;
    let schedule = study.workloads[cell.2].trace.schedule.is_some();
    // Hosts with several ports have more than the bandwidth of one; they are no candidates.
    let of_one_port = network.topology.as_ref().is_some_and(|topology| topology.rails.is_none());
    if schedule || study.models[model].0.network.loggops.is_some() || !of_one_port {
        return None;
    }
    let platform = &network.platform;
    let (bandwidth, latency) = best_route(platform, rank_map)?;
    let host = |node: &Vec<u32>| &platform.hosts[rank_map.host(Rank(node[0])).index()];
    let loopback = platform.loopback.map(|link| &platform.links[link.index()]);
    Some(Key {
        workload: cell.2,
        model,
        nodes: (0..rank_map.ranks()).map(|rank| rank_map.node(rank)).collect(),
        hosts: rank_map.nodes().iter().map(|node| (host(node).speed.to_bits(), host(node).cores)).collect(),
        between: [bandwidth.to_bits(), latency.to_bits()],
        loopback: loopback.map(|link| [link.bandwidth.to_bits(), link.latency.to_bits()]),
    })
}

/// Returns a bandwidth that no message between two hosts exceeds, and a latency that none undercuts.
fn best_route(platform: &Platform, rank_map: &RankMap) -> Option<(f64, f64)> {
    let of_kind = |kind: LinkKind| platform.links.iter().filter(move |link| link.kind == kind);
    let highest = |kind| of_kind(kind).map(|link| link.bandwidth).fold(0.0, f64::max);
    let lowest = |kind| of_kind(kind).map(|link| link.latency).fold(f64::INFINITY, f64::min);
    let have_links = (0..rank_map.ranks()).all(|rank| {
        let links = platform.routes.host_links(rank_map.host(Rank(rank)));
        links.iter().all(Option::is_some)
    });
    let (bandwidth, latency) = if have_links {
        (highest(LinkKind::OfHost), 2.0 * lowest(LinkKind::OfHost))
    } else {
        // A message over several paths may use several cables at a time.
        let all: f64 = of_kind(LinkKind::Cable).map(|link| link.bandwidth).sum();
        let is_split = platform.hosts.len() > 1 && platform.routes.chosen(HostId(0), HostId(1)) == Chosen::Split;
        (if is_split { all } else { highest(LinkKind::Cable) }, lowest(LinkKind::Cable))
    };
    (bandwidth > 0.0 && bandwidth.is_finite() && latency.is_finite()).then_some((bandwidth, latency))
}

/// Replays a workload without contention. `None` if it cannot be replayed, which its own replay reports.
fn messages(study: &Study, cell: Cell, key: &Key, counter: Counter) -> Option<Messages> {
    let (trace, own) = (&study.workloads[cell.2].trace, &study.models[key.model].0);
    let with_packets = own.network.packet_level.is_some();
    // Packets have no replay without a network of their own: flows send the same messages.
    let network = if with_packets { NetworkModel::ordered() } else { own.network.clone() };
    let model = Model { network, medium: None, noise: None, ..own.clone() };
    let (rank_map, platform) = (rank_map_of(study, cell)?, &network_of(study, cell).platform);
    let hosts = rank_map.nodes().iter().map(|node| platform.hosts[rank_map.host(Rank(node[0])).index()].clone());
    let of = |pair: [u64; 2]| (f64::from_bits(pair[0]), f64::from_bits(pair[1]));
    let ideal = uncontended_between(hosts.collect(), of(key.between), key.loopback.map(of));
    let nodes = RankMap::new(key.nodes.iter().map(|&node| HostId(node)).collect());
    let mut sent = MessageCounter { model: &model.network, rank_map: &nodes, sent: FxHashMap::default(), counter };
    let outcome = replay(trace, &ideal, &nodes, &model, &mut sent).ok()?;
    let mut pairs: Vec<_> = sent.sent.into_iter().collect();
    pairs.sort_unstable_by_key(|(pair, _)| *pair);
    let alone =
        rank_map.nodes().iter().zip(&key.hosts).all(|(node, (_, cores))| node.len() as u64 <= u64::from(*cores));
    let is_least = !with_packets
        && study.until_steady.is_none()
        && !own.sharing.is_simgrid()
        && own.precision.transfers <= TIMING_PRECISION
        && own.precision.others <= TIMING_PRECISION
        && outcome.unmatched_sends.is_empty()
        && alone
        && is_fixed(trace);
    Some(Messages { pairs, seconds: outcome.simulated_seconds, is_least })
}

/// Returns `true` if the order of events changes nothing but times, and every message arrives before the run ends.
fn is_fixed(trace: &Trace) -> bool {
    !trace.polls()
        && trace.actions.iter().zip(0..).all(|(actions, rank)| {
            // Open receives by source and tag.
            let mut open: FxHashMap<(u32, i32), u64> = FxHashMap::default();
            for action in actions {
                match action {
                    Action::Irecv { from, tag, .. } => *open.entry((from, tag)).or_default() += 1,
                    Action::Wait { source, destination, tag } if destination == rank => {
                        if let Some(count) = open.get_mut(&(source, tag)) {
                            *count = count.saturating_sub(1);
                        }
                    }
                    Action::WaitAll => open.clear(),
                    Action::Init
                    | Action::Finalize
                    | Action::NoOperation
                    | Action::Compute { .. }
                    | Action::Sleep { .. }
                    | Action::Send { .. }
                    | Action::Isend { .. }
                    | Action::Recv { .. }
                    | Action::SendRecv { .. }
                    | Action::Wait { .. }
                    | Action::Collective { .. } => {}
                    _ => return false,
                }
            }
            open.values().all(|&count| count == 0)
        })
}

/// Returns the expected time on the network of a cell.
fn on_network(study: &Study, cell: Cell, messages: &Messages) -> Expected {
    let (Some(rank_map), network) = (rank_map_of(study, cell), network_of(study, cell)) else {
        return Expected::default();
    };
    let (platform, model) = (&network.platform, &study.models[study.columns[cell.0].model].0.network);
    let mut loads = vec![0.0; platform.links.len()];
    let (mut links, mut parts) = (Vec::new(), Vec::new());
    let (mut adaptive, mut latency) = (Vec::new(), 0.0);
    for &((from, to), sent) in &messages.pairs {
        let [from, to] = [from, to].map(|node| rank_map.host(Rank(rank_map.nodes()[node as usize][0])));
        links.clear();
        parts.clear();
        match platform.routes.chosen(from, to) {
            Chosen::Split => {
                platform.routes.parts(from, to, &mut parts);
            }
            Chosen::Once => {
                platform.routes.route(from, to, &mut links);
                parts.extend(links.iter().map(|&link| (link, 1.0)));
            }
            Chosen::PerMessage | Chosen::ByLoad => {
                platform.routes.route(from, to, &mut links);
                let is_known = |link: &LinkId| platform.links[link.index()].kind == LinkKind::OfHost;
                parts.extend(links.iter().filter(|link| is_known(link)).map(|&link| (link, 1.0)));
                let switch = |host: HostId| platform.hosts[host.index()].switch;
                adaptive.extend(switch(to).zip(switch(from)).map(|(to, from)| (to, from, sent.load)));
            }
        }
        for &(link, part) in &parts {
            loads[link.index()] += sent.load * part;
        }
        // A first route stands for all those that an adaptive rule may choose.
        let of_route: f64 = match links.is_empty() {
            true => parts.iter().map(|&(link, part)| platform.links[link.index()].latency * part).sum(),
            false => links.iter().map(|link| platform.links[link.index()].latency).sum(),
        };
        latency += sent.messages as f64 * of_route;
    }
    let share = model.payload_share();
    let busiest = loads
        .iter()
        .zip(&platform.links)
        .filter(|(_, link)| link.policy == SharingPolicy::Shared)
        .map(|(load, link)| load / (link.bandwidth * share))
        .fold(0.0, f64::max);
    let links = busiest.max(by_path_length(network, adaptive) / share);
    let least = if messages.is_least { links.max(messages.seconds) * (1.0 - SLACK) } else { 0.0 };
    let of_ranks = latency / f64::from(rank_map.ranks().max(1)) * model.latency_factor.at(0);
    Expected { least, estimate: Some(links + messages.seconds + of_ranks) }
}

/// Returns the seconds that all cables together need for messages between switches (destination, source, load), each over a
/// shortest path.
fn by_path_length(network: &NetworkUnderTest, mut messages: Vec<(SwitchId, SwitchId, f64)>) -> f64 {
    let Some(topology) = network.topology.as_ref().filter(|_| !messages.is_empty()) else { return 0.0 };
    messages.sort_unstable_by_key(|&(to, from, _)| (to, from));
    let mut hops = 0.0;
    for of_one in messages.chunk_by(|a, b| a.0 == b.0) {
        let (distance, _) = distances(&topology.graph, of_one[0].0);
        let known = of_one.iter().filter(|(_, from, _)| distance[from.index()] != FAR);
        hops += known.map(|(_, from, load)| load * f64::from(distance[from.index()])).sum::<f64>();
    }
    let cables = network.platform.links.iter().filter(|link| link.kind == LinkKind::Cable);
    hops / cables.map(|link| link.bandwidth).sum::<f64>()
}
