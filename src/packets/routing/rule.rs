//! Rule of a routing of packets: the head that it routes, the outputs that it returns, and the network it is built for.

use crate::packets::PacketError;
use crate::packets::random::mixed;
use crate::packets::wiring::Wiring;
use std::sync::Arc;

/// Output, and a range of its virtual channels, that a packet may request.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Candidate {
    /// Output port.
    pub output: u16,
    /// Lowest virtual channel.
    pub lowest: u8,
    /// Highest virtual channel.
    pub highest: u8,
    /// Candidates with a higher priority are taken first.
    pub priority: u8,
}

/// Packet whose head is to be routed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Head {
    /// Destination host.
    pub to: u32,
    /// Switch of that host.
    pub target: u32,
    /// Cables passed so far, up to 255.
    pub hops: u32,
    /// Cycle of creation.
    pub created: u32,
    /// 24 bits that the rule keeps with the packet.
    pub note: u32,
    /// Five bits that the rule keeps with the packet; 0 when it enters the network. Bit 0 is [`Head::DETOUR`].
    pub phase: u32,
}

impl Head {
    /// Phase bit of packets on their way to an intermediate switch: they pass through the switch of their destination.
    pub const DETOUR: u32 = 1;
}

/// Position of a head, and the state that it sees.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    /// Switch that the head is at.
    pub switch: u32,
    /// Cable that it arrived by, among those into the switch; `None` if it came from a host.
    pub cable: Option<u32>,
    /// Virtual channel of the input; the input port, if it came from a host.
    pub vc: u32,
    /// Load of each output in flits: sent and not credited; with `count_routed` also those routed and not sent.
    pub loads: &'a [u32],
    /// Seed of random choices.
    pub seed: u64,
}

impl At<'_> {
    /// Returns random bits for this packet at this switch; equal calls return equal bits.
    #[inline]
    pub fn random(&self, head: &Head) -> u64 {
        let place = u64::from(self.switch) << 32 | u64::from(self.cable.map_or(self.vc | 1 << 31, |cable| cable));
        let packet = u64::from(head.created) << 32 | u64::from(head.to);
        mixed(mixed(self.seed ^ place).wrapping_add(packet))
    }
}

/// Routing rule on a network.
pub trait Rule: Send + Sync {
    /// Returns the candidate of a head, and adds further ones to `more`. May change the note and the phase of the
    /// packet.
    ///
    /// It is not called at the switch of the destination, unless [`Rule::delivers`] or the packet is on a detour.
    fn route(&self, at: &At<'_>, head: &mut Head, more: &mut Vec<Candidate>) -> Candidate;

    /// Prefetches what [`Rule::route`] will probably read for a packet at a switch, from tables that may be larger than caches.
    /// The packet is for the host `to` of the switch `target`; one that `is_new` comes from a host.
    fn prefetch(&self, _from: u32, _target: u32, _to: u32, _is_new: bool) {}

    /// `true` if [`Rule::route`] reads tables with an entry for each pair of switches, or for most pairs, so that prefetching
    /// pays on a network with many.
    fn reads_pairs(&self) -> bool {
        false
    }

    /// Calls `visit` with each candidate that [`Rule::route`] may return, whatever the loads and random choices are,
    /// and with the packet as it would move on. For the check of channel dependencies.
    fn possible(&self, at: &At<'_>, head: &Head, visit: &mut dyn FnMut(Candidate, Head)) {
        let (mut head, mut more) = (*head, Vec::new());
        let first = self.route(at, &mut head, &mut more);
        visit(first, head);
        more.into_iter().for_each(|candidate| visit(candidate, head));
    }

    /// `true` if the rule uses the loads of outputs.
    fn reads_loads(&self) -> bool {
        true
    }

    /// `true` if the rule also chooses the channel to the destination host, at its switch.
    fn delivers(&self) -> bool {
        false
    }

    /// Returns the number of virtual channels that the rule needs on this network.
    fn vcs_needed(&self) -> u32;

    /// Sets the number of virtual channels, if it was not known when the rule was built.
    fn set_vcs(&mut self, _vcs: u32) {}

    /// Returns the largest number of candidates that [`Rule::route`] returns in one call.
    fn candidates(&self) -> usize {
        1
    }

    /// `true` if every hop takes a higher virtual channel than the one before, which excludes cycles.
    fn ascending(&self) -> bool {
        false
    }

    /// Returns the number of virtual channels that a packet may choose from at each hop, if it does not depend on how many
    /// the network has.
    fn channels_of_a_hop(&self) -> Option<u32> {
        self.ascending().then_some(1)
    }

    /// Returns a proof that no cycle exists on networks of any size, if there is one.
    fn proof(&self) -> Option<&'static str> {
        None
    }

    /// `true` if packets are never stuck as long as those on this virtual channel are not. True for all channels of
    /// rules without an escape.
    fn is_escape(&self, _vc: u32) -> bool {
        true
    }

    /// Returns remarks for reports.
    fn note(&self) -> Option<String> {
        None
    }
}

/// Network, number of virtual channels and argument for which a rule is built.
pub struct Request<'a> {
    /// Name of the rule as requested.
    pub name: &'static str,
    /// Text after the colon.
    pub argument: Option<&'a str>,
    /// Switches, cables and hosts.
    pub wiring: &'a Arc<Wiring>,
    /// Number of virtual channels.
    pub vcs: u32,
    /// Seed of random static routes.
    pub seed: u64,
}

impl Request<'_> {
    /// Returns the error for a network that the rule is not for.
    pub(super) fn unsuitable(&self, reason: &str, instead: &str) -> PacketError {
        PacketError::Unsuitable {
            routing: self.name.into(),
            topology: self.wiring.topology.name(),
            reason: reason.into(),
            instead: instead.into(),
        }
    }

    /// Refuses an argument.
    pub(super) fn no_argument(&self) -> Result<(), PacketError> {
        match self.argument {
            None => Ok(()),
            Some(text) => {
                Err(PacketError::invalid("routing", format!("`{}:{text}`", self.name), "this rule takes no argument"))
            }
        }
    }

    /// Returns the argument as a number.
    pub(super) fn number_or(&self, default: u32) -> Result<u32, PacketError> {
        let Some(text) = self.argument else { return Ok(default) };
        text.parse().map_err(|_| {
            PacketError::invalid("routing", format!("`{}:{text}`", self.name), "a number must follow the colon")
        })
    }
}

/// Returns the ranges of virtual channels below and above a dateline. An odd channel belongs to the lower range.
pub(super) fn halves(vcs: u32) -> [(u8, u8); 2] {
    let upper = vcs / 2;
    [(0, (vcs - upper).max(1) as u8 - 1), ((vcs - upper).min(vcs - 1) as u8, vcs as u8 - 1)]
}
