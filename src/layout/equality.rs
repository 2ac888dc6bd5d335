//! The floor plan of the paper on Equality: switches and compute nodes together in cabinets of 42 units.
//!
//! Switch 0, its compute nodes, switch 1, ... take one unit each, in this order; 42 units make a cabinet. Within a cabinet
//! switches come first from the top, then compute nodes. Cabinets are 1 m by 1 m without aisles; a cable leaves through a port at
//! mid-height (0.5 m at each end), goes along the side of the cabinet, and between cabinets 1 m above them.

use super::FloorPlan;
use crate::ids::SwitchId;

/// Units of a cabinet.
pub const UNITS: usize = 42;
/// Height of a unit, in metres.
pub const UNIT: f64 = 0.04445;

/// Length of a cable between two slots, counted from the top, in metres.
pub fn length(same_cabinet: bool, rows: f64, columns: f64, slot: usize, other: usize) -> f64 {
    if same_cabinet {
        2.0 * 0.5 + slot.abs_diff(other) as f64 * UNIT
    } else {
        2.0 * 0.5 + rows + columns + 2.0 + (slot + other + 1) as f64 * UNIT
    }
}

/// Number of cabinets for `n` switches with `p` compute nodes each.
pub(super) fn cabinets(n: usize, p: u32) -> usize {
    (n * (p as usize + 1)).div_ceil(UNITS)
}

/// Cabinet and slot of every switch.
pub(super) fn places(n: usize, p: u32) -> impl Iterator<Item = (u32, u32)> {
    let step = p as usize + 1;
    (0..n).map(move |switch| {
        let cabinet = switch * step / UNITS;
        let first = (cabinet * UNITS).div_ceil(step);
        (cabinet as u32, (switch - first) as u32)
    })
}

/// Lengths of the cables between switches and their compute nodes, switch by switch.
pub(super) fn endpoint_lengths(plan: &FloorPlan) -> Vec<f64> {
    let (n, p) = (plan.cabinet.len(), plan.endpoints_per_switch as usize);
    // Switches in each cabinet; compute nodes follow them in the order of their units.
    let mut taken = vec![0; plan.cabinets];
    plan.cabinet.iter().for_each(|&cabinet| taken[cabinet as usize] += 1);
    let mut lengths = Vec::with_capacity(n * p);
    // The order of the units is that of the places, which is that of the switches only without another placement.
    let mut order: Vec<u32> = (0..n as u32).collect();
    order.sort_by_key(|&switch| (plan.cabinet[switch as usize], plan.slot[switch as usize]));
    for (place, &switch) in order.iter().enumerate() {
        let switch = SwitchId(switch);
        for node in 0..p {
            let cabinet = (place * (p + 1) + 1 + node) / UNITS;
            let slot = taken[cabinet];
            taken[cabinet] += 1;
            let (rows, columns) = plan.steps(plan.cabinet(switch), cabinet);
            lengths.push(length(cabinet == plan.cabinet(switch), rows, columns, plan.slot(switch), slot));
        }
    }
    lengths
}
