//! A platform without contention: for studies of traffic, not of times.

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
    let link = |name: &str| Link {
        name: name.into(),
        bandwidth: 5e9,
        latency: 1e-7,
        policy: SharingPolicy::FatPipe,
        kind: LinkKind::Declared,
    };
    Platform {
        name: "no contention".into(),
        hosts: (0..hosts).map(host).collect(),
        links: vec![link("any"), link("loopback")],
        loopback: Some(LinkId(1)),
        routes: Arc::new(Anywhere),
    }
}
