//! Background traffic: a pattern between hosts at a load, as a job that repeats until the others end.
//!
//! Each host sends messages of one size to destinations drawn from the pattern, at times drawn from a Poisson process,
//! as the synthetic workloads of CODES do (Mubarak, Carothers, Ross, Carns: Enabling Parallel Simulation of Large-Scale
//! HPC Network Systems, IEEE TPDS 28(1), 2017). A message is a put, which needs no receive and no computation. A host
//! draws a round of [`MESSAGES`] messages and repeats it; before each repetition it waits for its messages, so that a
//! network that cannot carry the load slows the sources down.

use super::{JobsError, Load, Traffic};
use crate::ids::HostId;
use crate::platform::Platform;
use crate::study::network::NetworkUnderTest;
use crate::trace::{Action, CommunicatorId, Datatype, Trace};
use crate::traffic::{self, PatternInput};
use crate::user_error::UserError;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Number of messages per round of a host.
const MESSAGES: usize = 64;

/// Returns the traffic of all hosts of a network: rank r is host r.
pub(super) fn trace(
    wanted: &Traffic,
    network: &NetworkUnderTest,
    collectives: &str,
    seed: u64,
) -> Result<Trace, JobsError> {
    let platform = &network.platform;
    let wrong =
        |text: String| JobsError::Traffic { job: wanted.name.clone(), network: network.info.name.clone(), text };
    let Some((topology, _)) = network.graph() else {
        return Err(wrong("a pattern of traffic needs a network with a graph of switches".into()));
    };
    let hosts = platform.hosts.iter().map(|host| host.switch.map(|switch| switch.0)).collect::<Option<Vec<u32>>>();
    let Some(host_switch) = hosts else { return Err(wrong("some of its hosts are on no switch".into())) };
    let seed = wanted.seed.unwrap_or(seed);
    let setting = PatternInput { host_switch: &host_switch, topology, seed, folder: &wanted.folder, collectives };
    let pattern =
        traffic::build(&wanted.pattern, &setting).map_err(|error| wrong(format!("{error}; {}", error.help())))?;
    let mut random = Pcg64::seed_from_u64(seed);
    let mut trace = Trace { name: wanted.name.clone(), ..Trace::default() };
    for source in 0..pattern.endpoints {
        trace.actions.push(round(wanted, &pattern, platform, source, &mut random).map_err(wrong)?.into());
    }
    Ok(trace)
}

/// Returns one round of a host's messages.
fn round(
    wanted: &Traffic,
    pattern: &traffic::Traffic,
    platform: &Platform,
    source: u32,
    random: &mut Pcg64,
) -> Result<Vec<Action>, String> {
    // Cumulated shares of the destinations; a pattern that is the same for all hosts needs no list.
    let mut upto: Vec<(f64, u32)> = Vec::new();
    let mut sum = 0.0;
    let evenly = pattern.flows.evenly();
    match evenly {
        Some(_) => sum = 1.0,
        None => pattern.flows.visit(source, &mut |to, share| {
            sum += share;
            upto.push((sum, to));
        }),
    }
    if sum <= 0.0 {
        return Ok(Vec::new());
    }
    let mut draw = || match evenly {
        Some(evenly) => loop {
            let to = random.random_range(0..evenly.endpoints);
            if to != source || evenly.with_self {
                break to;
            }
        },
        None => {
            let at = random.random::<f64>() * sum;
            upto[upto.partition_point(|(end, _)| *end <= at).min(upto.len() - 1)].1
        }
    };
    let destinations: Vec<u32> = (0..MESSAGES).map(|_| draw()).collect();
    let rate = match wanted.load {
        Load::Rate(rate) => rate,
        Load::Share(load) => load * injection(platform, source, &destinations)?,
    } * sum.min(1.0);
    let gaps: Vec<f64> = (0..MESSAGES).map(|_| -(1.0 - random.random::<f64>()).ln()).collect();
    // The drawn gaps are scaled to their mean, so that a round has the requested load.
    let total: f64 = gaps.iter().sum();
    let seconds = MESSAGES as f64 * f64::from(wanted.message) / rate;
    let mut actions = Vec::with_capacity(2 * MESSAGES);
    for (gap, to) in gaps.iter().zip(destinations) {
        actions.push(Action::Sleep { seconds: gap / total * seconds });
        let (window, datatype) = (CommunicatorId::WORLD, Datatype::BYTE);
        actions.push(Action::Put { to, window, count: wanted.message, datatype });
    }
    Ok(actions)
}

/// Returns the bandwidth at which a host injects, in bytes per second: that of the first link of its routes, and of its
/// further ports.
fn injection(platform: &Platform, source: u32, destinations: &[u32]) -> Result<f64, String> {
    let mut links = Vec::new();
    let Some(&other) = destinations.iter().find(|&&to| to != source) else {
        return platform
            .loopback
            .map(|link| platform.links[link.index()].bandwidth)
            .ok_or_else(|| "it has no loopback, and the pattern sends from a host to itself".to_owned());
    };
    platform.route(HostId(source), HostId(other), &mut links).map_err(|error| error.to_string())?;
    let ports = platform.routes.further_ports(HostId(source)).into_iter();
    let further: f64 = ports.filter_map(|(_, [up, _])| up).map(|link| platform.links[link.index()].bandwidth).sum();
    // Hosts on the same switch may have no link between them.
    links
        .first()
        .map(|link| platform.links[link.index()].bandwidth + further)
        .ok_or_else(|| format!("host {} has no link to host {}; give the rate instead of the load", source, other))
}
