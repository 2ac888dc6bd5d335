//! What links keep of a crowd: the group of flows that each limits, and what the others take.

use super::super::{Member, TOLERANCE};
use super::fill::Opening;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The link of which a flow has been told, if it was told of none.
pub(super) const NONE: u32 = u32::MAX - 1;

/// Whole numbers are told from the bits of this plus a float: its last digit is worth 1, and so is that of the sum, if
/// the float is at least 0 and below it. That takes one addition, where a conversion takes a handful of instructions.
const WHOLE: f64 = (1u64 << 52) as f64;

/// What a flow takes of a link at a level, in units. `share`: its consumption times its weight, in units. The number is
/// the same whenever it is asked for, so what has been added can be taken away. More than twice what the link has need
/// not be told apart.
#[inline]
pub(super) fn units(share: f64, level: f64) -> i64 {
    ((share * level).min(WHOLE - 1.0) + WHOLE).to_bits() as i64 - WHOLE.to_bits() as i64
}

/// A flow adds less than 2^52 units, so a load that is looked at after each addition is met here before it is too large
/// for its integer.
const FLOOD: i64 = i64::MAX - (1 << 53);

/// So often may each link be looked at in a repair, on average.
pub(super) const PATIENCE: usize = 16;

/// How a link stands: what is needed whenever a flow on it changes its rate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gauge {
    /// Level of the flows that it limits; infinite if there are none.
    pub(super) level: f64,
    /// What the flows take that it does not limit, in units.
    pub(super) load: i64,
    /// No flow that it does not limit stands higher.
    pub(super) highest: f64,
    /// Whether it waits to be looked at.
    pub(super) queued: bool,
}

impl Gauge {
    /// A flow that it does not limit goes from one level to another. Gives whether the load is hardly countable any
    /// more.
    #[inline]
    pub(super) fn carry(&mut self, share: f64, from: f64, to: f64) -> bool {
        self.load = self.load.wrapping_add(units(share, to) - units(share, from));
        self.load > FLOOD
    }
}

/// The capacity of a link.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    /// Units of an amount of 1, a power of two, so that products with it are exact.
    pub(super) units: f64,
    pub(super) capacity: i64,
    /// More than this it cannot carry: its capacity and the rounding errors of flows that just fill it.
    pub(super) brim: i64,
}

impl Scale {
    /// The capacity makes 2^50 to 2^51 units.
    pub(super) fn new(capacity: f64) -> Self {
        let exponent = (capacity.to_bits() >> 52) as i32 - 1023;
        let units = 2f64.powi((50 - exponent).clamp(-1000, 1000));
        let brim = (capacity * (1.0 + TOLERANCE) * units) as i64;
        Self { units, capacity: (capacity * units) as i64, brim }
    }
}

/// The flows that a link limits.
#[derive(Default, Debug)]
pub(super) struct Group {
    pub(super) members: Vec<Member>,
    /// Whether members came or went, so that what follows has to be formed again.
    pub(super) stale: bool,
    /// Sum of consumption * weight.
    pub(super) demand: f64,
    /// The lowest level at which one of them runs at its own bound.
    pub(super) ceiling: f64,
    /// Their other links, flow after flow.
    pub(super) others: Vec<Other>,
    /// The solution in which its level was last told.
    pub(super) told: u64,
}

/// Another link of a flow, with the flow's consumption there times its weight, in units.
#[derive(Clone, Copy, Debug)]
pub(super) struct Other {
    pub(super) link: u32,
    pub(super) share: f64,
}

/// What is kept of a crowd.
#[derive(Default, Debug)]
pub(in super::super) struct Crowd {
    /// Whether there is one; if not, what follows is out of date.
    pub(in super::super) active: bool,
    /// Whether there is one, or is to be one from the next solution on.
    pub(in super::super) wanted: bool,
    /// Ways that were looked at for large sets since there was none.
    pub(super) effort: usize,
    /// Whether the flows of a link have taken, on the way, so many times what it has that its load cannot be told any
    /// more: thousands that rise together, before their turn comes to come down again. Filling from zero does not need
    /// to know.
    pub(super) flooded: bool,
    pub(super) gauges: Vec<Gauge>,
    pub(super) scales: Vec<Scale>,
    pub(super) groups: Vec<Group>,
    /// Links to look at: the bits of their level (floats that are not negative have the order of their bits), the link.
    pub(super) queue: BinaryHeap<Reverse<(u64, u32)>>,
    /// So many links may be looked at in a repair before filling takes over.
    pub(super) patience: usize,
    /// What open flows ask for, while all is filled from zero.
    pub(super) openings: Vec<Opening>,
    /// The link that each flow was last said to follow.
    pub(super) followed: Vec<u32>,
    /// Links whose level has moved in this solution.
    pub(in super::super) shifted: Vec<u32>,
    /// Flows that come down to a link's level, with their own, highest first.
    pub(super) higher: Vec<(f64, Member)>,
}

impl Gauge {
    /// Has its link looked at, unless it is waiting for that, or its load does not matter.
    #[inline]
    fn enqueue(&mut self, queue: &mut BinaryHeap<Reverse<(u64, u32)>>, scales: &[Scale], link: u32) {
        if !self.queued && (self.level < f64::INFINITY || self.load > scales[link as usize].brim) {
            self.queued = true;
            queue.push(Reverse((self.level.min(self.highest).to_bits(), link)));
        }
    }
}

impl Crowd {
    /// The level of the flows that a link limits.
    #[inline]
    pub(in super::super) fn level(&self, link: u32) -> f64 {
        self.gauges[link as usize].level
    }

    /// Has a link looked at whose load has changed, unless that does not matter.
    #[inline]
    pub(super) fn queue(&mut self, link: u32) {
        self.gauges[link as usize].enqueue(&mut self.queue, &self.scales, link);
    }

    /// What a flow takes on a link at a level of 1, in units.
    #[inline]
    pub(super) fn share(&self, link: u32, consumption: f64, weight: f64) -> f64 {
        consumption * weight * self.scales[link as usize].units
    }

    /// A flow goes from one level to another, as seen by a link that does not limit it.
    #[inline]
    pub(super) fn pass(&mut self, link: u32, share: f64, from: f64, to: f64) {
        let gauge = &mut self.gauges[link as usize];
        self.flooded |= gauge.carry(share, from, to);
        if to > gauge.highest {
            gauge.highest = to;
        }
    }

    /// The level of a group changes: its flows take more, or less, of their other links. Gives whether a flow is
    /// stopped before, which only happens on the way up.
    pub(super) fn shift<const RISING: bool>(&mut self, link: u32, level: f64) -> bool {
        let Self { gauges, groups, queue, scales, .. } = self;
        let from = std::mem::replace(&mut gauges[link as usize].level, level);
        let floor = level * (1.0 - TOLERANCE);
        let group = &groups[link as usize];
        let mut stopped = RISING && group.ceiling < floor;
        let mut flooded = false;
        // The innermost loop of all.
        for &Other { link, share } in &group.others {
            let gauge = &mut gauges[link as usize];
            let flood = gauge.carry(share, from, level);
            if RISING {
                flooded |= flood;
                stopped |= gauge.level < floor;
                gauge.highest = if level > gauge.highest { level } else { gauge.highest };
            }
            gauge.enqueue(queue, scales, link);
        }
        self.flooded |= flooded;
        stopped
    }
}
