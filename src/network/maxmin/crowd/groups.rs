//! Per-link state of a crowd: the group of flows that the link limits, and the load of its other flows.

use super::super::rounding::TOLERANCE;
use crate::network::sharing::Member;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Link last reported for a flow when none has been reported.
pub(super) const NONE: u32 = u32::MAX - 1;

/// Integers are read from the bits of this plus a float: the last digit of the sum is worth 1 if the float is at least
/// 0 and below this. That takes one addition, where a conversion takes several instructions.
const WHOLE: f64 = (1u64 << 52) as f64;

/// Returns the load of a flow on a link at a level, in units. `share`: its consumption times its weight, in units. The
/// result depends on the arguments alone, so a load that was added can be subtracted exactly. Capped at two to four
/// times the capacity, beyond which exact values do not matter.
#[inline]
pub(super) fn units(share: f64, level: f64) -> i64 {
    ((share * level).min(WHOLE - 1.0) + WHOLE).to_bits() as i64 - WHOLE.to_bits() as i64
}

/// A flow adds less than 2^52 units, so a load that is checked after each addition is caught here before it overflows.
const FLOOD: i64 = i64::MAX - (1 << 53);

/// Average number of visits to each link in a repair before filling takes over.
pub(super) const PATIENCE: usize = 16;

/// Per-link values that are needed whenever a flow on it changes its rate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gauge {
    /// Level of the flows that it limits; infinite if there are none.
    pub(super) level: f64,
    /// Load of the flows that it does not limit, in units.
    pub(super) load: i64,
    /// Upper bound on the levels of the flows that it does not limit.
    pub(super) highest: f64,
    /// `true` if it is in the queue of links to visit.
    pub(super) queued: bool,
}

impl Gauge {
    /// Moves a flow that it does not limit from one level to another. Returns `true` if the load is close to overflow.
    #[inline]
    pub(super) fn carry(&mut self, share: f64, from: f64, to: f64) -> bool {
        self.load = self.load.wrapping_add(units(share, to) - units(share, from));
        self.load > FLOOD
    }
}

/// Capacity of a link in units.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    /// Units per unit of rate, a power of two, so that products with it are exact.
    pub(super) units: f64,
    pub(super) capacity: i64,
    /// Largest load it can carry: its capacity plus the rounding errors of flows that just fill it.
    pub(super) brim: i64,
}

impl Scale {
    /// Scales the capacity to 2^50 to 2^51 units.
    pub(super) fn new(capacity: f64) -> Self {
        let exponent = (capacity.to_bits() >> 52) as i32 - 1023;
        let units = 2f64.powi((50 - exponent).clamp(-1000, 1000));
        let brim = (capacity * (1.0 + TOLERANCE) * units) as i64;
        Self { units, capacity: (capacity * units) as i64, brim }
    }
}

/// Flows that a link limits.
#[derive(Default, Debug)]
pub(super) struct Group {
    pub(super) members: Vec<Member>,
    /// `true` if members were added or removed, so that the fields below are out of date.
    pub(super) stale: bool,
    /// Sum of consumption * weight.
    pub(super) demand: f64,
    /// Lowest level at which one of them runs at its own bound.
    pub(super) ceiling: f64,
    /// Other links of its members, flow after flow.
    pub(super) others: Vec<Other>,
    /// Last solution that reported its level.
    pub(super) told: u64,
}

/// Another link of a flow, with the flow's consumption there times its weight, in units.
#[derive(Clone, Copy, Debug)]
pub(super) struct Other {
    pub(super) link: u32,
    pub(super) share: f64,
}

/// Demand of the open flows of a link.
#[derive(Clone, Copy, Default, Debug)]
pub(in super::super) struct Opening {
    /// Sum of consumption * weight.
    pub(super) demand: f64,
    /// Demand when it was last summed afresh.
    pub(super) formed: f64,
}

/// State of a crowd.
#[derive(Default, Debug)]
pub(in super::super) struct Crowd {
    /// `true` if there is a crowd; otherwise the fields below are out of date.
    pub(in super::super) active: bool,
    /// `true` if there is a crowd, or one is to form at the next solution.
    pub(in super::super) wanted: bool,
    /// Relative bound within which the crowd is fair; 0: it is exact.
    pub(in super::super) bound: f64,
    /// `true` if a crowd has dissolved whose rates were not exact; read only where a crowd was wanted.
    pub(in super::super) loose: bool,
    /// Incidences (flow on link) visited for large sets since there was no crowd.
    pub(super) effort: usize,
    /// `true` if the load of a link has come close to overflow during a repair: thousands of flows that rise together
    /// before any of them is brought down again. Filling from zero does not need the loads.
    pub(super) flooded: bool,
    pub(super) gauges: Vec<Gauge>,
    pub(super) scales: Vec<Scale>,
    pub(super) groups: Vec<Group>,
    /// Links to visit: the bits of their level (non-negative floats sort like their bits), the link.
    pub(super) queue: BinaryHeap<Reverse<(u64, u32)>>,
    /// Number of links that a repair may still visit before filling takes over.
    pub(super) patience: usize,
    /// Demand of open flows, while filling from zero.
    pub(super) openings: Vec<Opening>,
    /// Link that each flow was last reported to follow.
    pub(super) followed: Vec<u32>,
    /// Links whose level changed in this solution.
    pub(in super::super) shifted: Vec<u32>,
    /// Flows that come down to a link's level, with their own levels, highest first.
    pub(super) higher: Vec<(f64, Member)>,
}

impl Gauge {
    /// Queues its link, unless it is queued or its load does not matter.
    #[inline]
    fn enqueue(&mut self, queue: &mut BinaryHeap<Reverse<(u64, u32)>>, scales: &[Scale], link: u32) {
        if !self.queued && (self.level < f64::INFINITY || self.load > scales[link as usize].brim) {
            self.queued = true;
            queue.push(Reverse((self.level.min(self.highest).to_bits(), link)));
        }
    }
}

impl Crowd {
    /// Returns the level of the flows that a link limits.
    #[inline]
    pub(in super::super) fn level(&self, link: u32) -> f64 {
        self.gauges[link as usize].level
    }

    /// Returns the level below which another link stops a flow that runs at `level`.
    #[inline]
    pub(super) fn floor(&self, level: f64) -> f64 {
        level * (1.0 - TOLERANCE - self.bound)
    }

    /// Queues a link whose load has changed, unless that does not matter.
    #[inline]
    pub(super) fn queue(&mut self, link: u32) {
        self.gauges[link as usize].enqueue(&mut self.queue, &self.scales, link);
    }

    /// Returns the load of a flow on a link at a level of 1, in units.
    #[inline]
    pub(super) fn share(&self, link: u32, consumption: f64, weight: f64) -> f64 {
        consumption * weight * self.scales[link as usize].units
    }

    /// Moves a flow from one level to another on a link that does not limit it.
    #[inline]
    pub(super) fn pass(&mut self, link: u32, share: f64, from: f64, to: f64) {
        let gauge = &mut self.gauges[link as usize];
        self.flooded |= gauge.carry(share, from, to);
        if to > gauge.highest {
            gauge.highest = to;
        }
    }

    /// Changes the level of a group, and with it the load of its flows on their other links. Returns `true` if a flow
    /// is stopped first, which only happens while rising.
    pub(super) fn shift<const RISING: bool>(&mut self, link: u32, level: f64) -> bool {
        let (floor, own_floor) = (self.floor(level), level * (1.0 - TOLERANCE));
        let Self { gauges, groups, queue, scales, .. } = self;
        let from = std::mem::replace(&mut gauges[link as usize].level, level);
        let group = &groups[link as usize];
        let mut stopped = RISING && group.ceiling < own_floor;
        let mut flooded = false;
        // Innermost loop of the solver.
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
