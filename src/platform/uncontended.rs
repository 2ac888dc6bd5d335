//! A platform on which nothing contends: for who sends how much to whom, not for when.

use super::{Host, Link, LinkKind, Platform, RouteTable, SharingPolicy};
use crate::ids::{HostId, LinkId};
use compact_str::format_compact;
use std::sync::Arc;

/// One wide link for all.
struct Anywhere;

impl RouteTable for Anywhere {
    fn route(&self, from: HostId, to: HostId, links: &mut Vec<LinkId>) -> bool {
        if from != to {
            links.push(LinkId(0));
        }
        from != to
    }
}

/// So many hosts of 100 Gflop/s, of which any two have 5 GB/s and 100 ns between them, whatever the others do.
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
