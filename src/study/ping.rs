//! Messages between two hosts, for the times of a network model.

use crate::engine::{Model, ReplayError, replay};
use crate::ids::HostId;
use crate::mpi::rank_map::RankMap;
use crate::packets::PacketError;
use crate::packets::replay::{Fabric, Ground};
use crate::platform::units::{HostLinkBandwidth, Seconds};
use crate::platform::{Duplex, Platform, PlatformError, PlatformParameters};
use crate::topology::{Topology, build};
use crate::trace::schedule::{Graph, OperationKind, Schedule};
use crate::trace::{Action, Datatype, Trace};
use std::sync::Arc;

/// Returns two hosts joined by a link in each direction. Switches, cables and host links take no time, so that times
/// are those of the model.
///
/// # Errors
/// [`PlatformError`] if the parameters do not fit together.
pub fn two_hosts(parameters: &PlatformParameters) -> Result<Platform, PlatformError> {
    let topology: Topology = build("full_mesh:n=2").expect("two switches are a topology");
    let nothing = Seconds::new(0.0).ok();
    let link_alone = PlatformParameters {
        switch_delay: nothing,
        cable_delay: nothing,
        host_link_bandwidth: Some(HostLinkBandwidth::None),
        ..parameters.clone()
    };
    Platform::from_topology(&topology, &link_alone.check()?, "bfs", 1)
}

/// Adds to a model with packets the network between the two hosts of [`two_hosts`].
///
/// # Errors
/// [`PacketError`] if constants of the packet model are incompatible.
pub fn with_medium(model: Model, platform: &Platform) -> Result<Model, PacketError> {
    let Some(level) = &model.network.packet_level else { return Ok(model) };
    let topology = Arc::new(build("full_mesh:n=2").expect("two switches are a topology"));
    let routings = ["bfs".parse().expect("a routing")];
    let ground = Ground { topology: &topology, platform, duplex: Duplex::Full, routings: &routings, seed: 1 };
    let fabric = Fabric::new(&ground, level)?;
    Ok(Model { medium: Some(Arc::new(fabric)), ..model })
}

/// Returns the seconds until a message of `bytes` bytes from the first host is received by the second one, which waits
/// for it.
///
/// # Errors
/// [`ReplayError`] if the platform has no route.
pub fn one_way(platform: &Platform, model: &Model, bytes: u32) -> Result<f64, ReplayError> {
    let message = (0, bytes, Datatype::BYTE);
    let send = Action::Send { to: 1, tag: message.0, count: message.1, datatype: message.2 };
    let receive = Action::Recv { from: 0, tag: message.0, count: message.1, datatype: message.2 };
    let mut trace = Trace { actions: vec![vec![send].into(), vec![receive].into()], ..Trace::default() };
    if model.network.loggops.is_some() {
        let graph = |kind, peer| {
            let mut graph = Graph::default();
            graph.push((kind, 0, 0), (bytes.into(), peer, 0), []);
            graph
        };
        let ranks = vec![graph(OperationKind::Send, 1), graph(OperationKind::Receive, 0)];
        trace.schedule = Some(Arc::new(Schedule { ranks, flops_per_nanosecond: 1.0 }));
    }
    let outcome = replay(&trace, platform, &RankMap::new(vec![HostId(0), HostId(1)]), model, &mut ())?;
    Ok(outcome.ranks[1].end)
}

/// Number of messages in a stream: `window_size` of `osu_bw`, and that of IMB-MPI1 Uniband.
pub(crate) const WINDOW: usize = 64;

/// Returns the seconds per message of `bytes` bytes in a stream of 64 from the first host to the second, with `both`
/// simultaneously with an equal stream in the other direction. The second host answers when it has received all, as in
/// benchmarks.
///
/// # Errors
/// [`ReplayError`] if the platform has no route.
pub fn stream(platform: &Platform, model: &Model, bytes: u32, both: bool) -> Result<f64, ReplayError> {
    let rank = |own: u32| {
        let (other, datatype) = (1 - own, Datatype::BYTE);
        let mut actions = Vec::new();
        if own == 1 || both {
            actions.extend([Action::Irecv { from: other, tag: 0, count: bytes, datatype }; WINDOW]);
        }
        if own == 0 || both {
            actions.extend([Action::Isend { to: other, tag: 0, count: bytes, datatype }; WINDOW]);
        }
        actions.push(Action::WaitAll);
        actions.push(match own {
            0 => Action::Recv { from: other, tag: 1, count: 0, datatype },
            _ => Action::Send { to: other, tag: 1, count: 0, datatype },
        });
        actions
    };
    let trace = Trace { actions: vec![rank(0).into(), rank(1).into()], ..Trace::default() };
    let outcome = replay(&trace, platform, &RankMap::new(vec![HostId(0), HostId(1)]), model, &mut ())?;
    Ok(outcome.ranks[0].end / WINDOW as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mpi::collective::select::{Selector, Table};
    use crate::network::model::NetworkModel;
    use crate::platform::units::Bandwidth;

    #[test]
    fn a_message_takes_what_the_model_says() {
        let parameters = PlatformParameters {
            link_bandwidth: Some(Bandwidth::new(1e9).unwrap()),
            link_latency: Some(Seconds::new(1e-6).unwrap()),
            ..PlatformParameters::default()
        };
        let platform = two_hosts(&parameters).unwrap();
        let model = |network| Model::with_network(network, Selector::new(Table::Mvapich2, false));
        let ideal = one_way(&platform, &model(NetworkModel::ideal()), 1000).unwrap();
        assert!((ideal - 2e-6).abs() < 1e-15, "{ideal}");
        // 1016 bytes: 1.9503 latencies, and 0.341987 of the bandwidth.
        let smpi = one_way(&platform, &model(NetworkModel::smpi()), 1000).unwrap();
        assert!((smpi - (1.9503e-6 + 1016.0 / (1e9 * 0.341987))).abs() < 1e-15, "{smpi}");
        // Two packets with 64 additional bytes each.
        let packets = with_medium(model(NetworkModel::packet()), &platform).unwrap();
        let packet = one_way(&platform, &packets, 5000).unwrap();
        assert!((packet - (1e-6 + 5128.0 / 1e9)).abs() < 2e-12, "{packet}");
    }
}
