//! Platforms without contention: for studies of traffic, and for the least time that a network can take.

use super::{Host, Link, LinkKind, Platform, RouteTable, SharingPolicy};
use crate::ids::{HostId, LinkId};
use compact_str::format_compact;
use std::sync::Arc;

/// Routes that all take one wide link.
struct Anywhere;

impl RouteTable for Anywhere {
    fn route(&self, from: HostId, to: HostId, links: &mut Vec<LinkId>) -> bool {
        if from != to {
            links.push(LinkId(0));
        }
        from != to
    }
}

/// Returns a platform of `hosts` hosts with 100 Gflop/s each, where every pair has 5 GB/s and 100 ns, independent of
/// other traffic.
pub fn uncontended(hosts: usize) -> Platform {
    let host = |number| Host { name: format_compact!("h{number}"), switch: None, speed: 100e9, cores: 1 };
    uncontended_between((0..hosts).map(host).collect(), (5e9, 1e-7), None)
}

/// Returns a platform of these hosts where every pair has this bandwidth, in bytes per second, and this latency, in seconds,
/// independent of other traffic. Messages within a host take the loopback, or such a link if there is none.
pub fn uncontended_between(
    hosts: Vec<Host>,
    (bandwidth, latency): (f64, f64),
    loopback: Option<(f64, f64)>,
) -> Platform {
    let link = |name: &str, (bandwidth, latency): (f64, f64)| Link {
        name: name.into(),
        bandwidth,
        latency,
        policy: SharingPolicy::FatPipe,
        kind: LinkKind::Declared,
    };
    let any = (bandwidth, latency);
    Platform {
        name: "no contention".into(),
        hosts,
        failed: Vec::new(),
        links: vec![link("any", any), link("loopback", loopback.unwrap_or(any))],
        loopback: Some(LinkId(1)),
        routes: Arc::new(Anywhere),
    }
}
