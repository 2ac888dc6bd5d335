//! Flits and credits that cannot be put into their slot at once: they go to another shard, or are due beyond the rows.

use super::state::{Cold, Packet};

/// Items for another shard.
#[derive(Default)]
pub(super) struct Post {
    pub mail: Vec<Mail>,
    /// Additional data of the heads among them, in their order, if the run keeps any.
    pub cold: Vec<Cold>,
}

impl Post {
    /// Removes all items.
    pub fn clear(&mut self) {
        self.mail.clear();
        self.cold.clear();
    }
}

/// Flit or credit for another shard, or for a cycle beyond the rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mail {
    pub time: u32,
    /// Any switch of the batch that it goes to.
    pub switch: u32,
    /// Port within that batch; for a credit of a host, the host port.
    pub port: u16,
    pub what: Item,
}

/// Item under way.
#[derive(Clone, Copy, Debug)]
pub(super) enum Item {
    /// A word of a flit, within the shard.
    Flit(u32),
    /// A head with its packet, to another shard.
    Head(u8, Packet),
    /// A body flit, to another shard.
    Body(u8),
    /// A credit of a virtual channel.
    Credit(u8),
    /// A credit to a host port.
    HostCredit(u8),
}

/// Mail ordered by due time for the heap.
#[derive(Debug)]
pub(super) struct Due(pub Mail);

impl Due {
    fn key(&self) -> (u32, u32, u16) {
        (self.0.time, self.0.switch, self.0.port)
    }
}
impl PartialEq for Due {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}
impl Eq for Due {}
impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Due {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}
