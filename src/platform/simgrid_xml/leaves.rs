//! Links that belong to each host of a cluster.

use crate::ids::LinkId;

/// Links that belong to each host of a cluster, in this order: loopback, limiter, cables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Leaves {
    pub(super) first: u32,
    pub(super) stride: u32,
    pub(super) loopback: bool,
    pub(super) limiter: bool,
    pub(super) split: bool,
}

impl Leaves {
    /// Returns the link of a host to itself.
    pub(super) fn loopback(&self, host: u32) -> Option<LinkId> {
        self.loopback.then_some(LinkId(self.first + host * self.stride))
    }

    /// Returns the link that all messages of a host share.
    pub(super) fn limiter(&self, host: u32) -> Option<LinkId> {
        self.limiter.then_some(LinkId(self.first + host * self.stride + u32::from(self.loopback)))
    }

    /// Returns the link of a host's cable in one direction.
    pub(super) fn cable(&self, host: u32, number: u32, up: bool) -> LinkId {
        let before = u32::from(self.loopback) + u32::from(self.limiter) + number * (1 + u32::from(self.split));
        LinkId(self.first + host * self.stride + before + u32::from(self.split && !up))
    }
}
