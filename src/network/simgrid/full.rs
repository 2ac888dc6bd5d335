//! SimGrid's full sharing (`network/optim:Full`): all links are solved again after every change.
//!
//! The rates are those of [`MaxMin`](crate::network::maxmin::MaxMin), but for rounding: sums are formed in SimGrid's
//! order, which is that in which links came into use. Time passes in steps (`steps.rs`).

use super::system::System;
use crate::ids::LinkId;
use crate::network::sharing::{FlowId, PathId, Sharing};
use crate::platform::SharingPolicy;
use std::collections::BTreeMap;

/// System of links and flows, solved as a whole.
#[derive(Debug)]
pub struct Full {
    system: System,
    /// Links in use, by the number of the use that was their first.
    used: BTreeMap<u64, u32>,
    uses: Vec<Uses>,
    first_uses: u64,
    stale: bool,
}

/// Transfers whose path a link is on, those in their latency phase included.
#[derive(Clone, Copy, Default, Debug)]
struct Uses {
    transfers: u32,
    since: u64,
}

impl Sharing for Full {
    const LITERAL: bool = true;
    const STEPWISE: bool = true;

    fn new(links: impl IntoIterator<Item = (f64, SharingPolicy)>) -> Self {
        let system = System::new(links);
        let uses = vec![Uses::default(); system.links()];
        Self { system, used: BTreeMap::new(), uses, first_uses: 0, stale: false }
    }

    fn add_path(&mut self, elements: &[(LinkId, f64)]) -> PathId {
        self.system.add_path(elements)
    }

    fn announce(&mut self, path: PathId) {
        for element in self.system.path(path) {
            let link = self.system.link(element);
            let uses = &mut self.uses[link as usize];
            if uses.transfers == 0 {
                uses.since = self.first_uses;
                self.used.insert(uses.since, link);
                self.first_uses += 1;
            }
            uses.transfers += 1;
        }
    }

    fn start(&mut self, path: PathId, penalty: f64, bound: f64) -> FlowId {
        self.stale = true;
        self.system.enter(path, penalty, bound)
    }

    fn stop(&mut self, flow: FlowId) {
        for element in self.system.path(self.system.path_of(flow)) {
            let uses = &mut self.uses[self.system.link(element) as usize];
            uses.transfers -= 1;
            if uses.transfers == 0 {
                self.used.remove(&uses.since);
            }
        }
        self.system.leave(flow);
        self.stale = true;
    }

    fn is_stale(&self) -> bool {
        self.stale
    }

    fn solve(&mut self) {
        self.system.share_out(self.used.values().copied());
        self.stale = false;
    }

    fn changed(&self) -> &[FlowId] {
        self.system.changed()
    }

    fn value(&self, flow: FlowId) -> f64 {
        self.system.value(flow)
    }

    fn load(&self, link: LinkId) -> f64 {
        self.system.load(link)
    }
}
