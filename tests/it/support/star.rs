//! Hosts around one point, for tests that need no topology, and the model with which they are replayed.

use mopsim::engine::Model;
use mopsim::ids::{HostId, LinkId};
use mopsim::mpi::collective::{Selector, select::Table};
use mopsim::network::model::NetworkModel;
use mopsim::platform::{Host, Link, LinkKind, Platform, RouteTable, SharingPolicy};
use std::sync::Arc;

/// Bytes per second of a link, its latency in seconds, and flop/s of a core.
pub const BANDWIDTH: f64 = 1e9;
pub const LATENCY: f64 = 1e-6;
pub const SPEED: f64 = 1e9;

/// A link up and a link down for each host.
pub struct Star;

impl RouteTable for Star {
    fn route(&self, from: HostId, to: HostId, links: &mut Vec<LinkId>) -> bool {
        links.extend([LinkId(2 * from.0), LinkId(2 * to.0 + 1)]);
        from != to
    }
}

/// Returns `hosts` hosts, two cores each, around one point.
pub fn star(hosts: u32) -> Platform {
    platform(hosts, 2 * hosts, 2, Arc::new(Star))
}

/// Returns equal hosts, equal links, and a loopback.
pub fn platform(hosts: u32, links: u32, cores: u32, routes: Arc<dyn RouteTable>) -> Platform {
    let link =
        |name: &str, bandwidth, latency, policy, kind| Link { name: name.into(), bandwidth, latency, policy, kind };
    let host = |h| Host { name: format!("h{h}").into(), switch: None, speed: SPEED, cores };
    let cable = |i| link(&format!("l{i}"), BANDWIDTH, LATENCY, SharingPolicy::Shared, LinkKind::Declared);
    let mut all: Vec<Link> = (0..links).map(cable).collect();
    all.push(link("loopback", 10e9, 0.0, SharingPolicy::FatPipe, LinkKind::Loopback));
    let loopback = Some(LinkId(links));
    let hosts = (0..hosts).map(host).collect();
    Platform { name: "test".into(), hosts, failed: Vec::new(), links: all, loopback, routes }
}

/// SMPI's network with exact sharing, and a table of collectives.
pub fn model(table: Table) -> Model {
    Model::with_network(NetworkModel::smpi(), Selector::new(table, true))
}
