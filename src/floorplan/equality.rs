//! Floor plan of the paper on Equality: switches and compute nodes together in cabinets of 42 units.
//!
//! Switch 0, its compute nodes, switch 1, ... take one unit each, in this order; 42 units make a cabinet. Within a
//! cabinet switches are placed first, from the top, then compute nodes. Cabinets are 1 m by 1 m without aisles; a
//! cable leaves through a port at mid-height (0.5 m at each end), runs along the side of the cabinet, and between
//! cabinets 1 m above them.

use super::FloorPlan;
use crate::ids::SwitchId;

/// Number of units per cabinet.
pub const UNITS: usize = 42;
/// Height of a unit, in metres.
pub const UNIT: f64 = 0.04445;

/// Returns the length of a cable between two slots, counted from the top, in metres.
pub fn length(same_cabinet: bool, rows: f64, columns: f64, slot: usize, other: usize) -> f64 {
    if same_cabinet {
        2.0 * 0.5 + slot.abs_diff(other) as f64 * UNIT
    } else {
        2.0 * 0.5 + rows + columns + 2.0 + (slot + other + 1) as f64 * UNIT
    }
}

/// Assigns a cabinet and a slot to every switch, and to every host that is a vertex; `home` is the switch of each such
/// host.
pub(super) fn place(plan: &mut FloorPlan, order: &[u32], home: &[u32]) {
    let mut at_home = vec![Vec::new(); if home.is_empty() { 0 } else { plan.cabinet.len() }];
    for (host, &switch) in (0_u32..).zip(home) {
        at_home[switch as usize].push(host);
    }
    let hosts_with =
        |plan: &FloorPlan, switch: usize| plan.hosts_on[switch] as usize + at_home.get(switch).map_or(0, Vec::len);
    let (mut unit, mut taken) = (0, Vec::new());
    for &switch in order {
        let switch = switch as usize;
        let cabinet = unit / UNITS;
        taken.resize(taken.len().max(cabinet + 1), 0);
        (plan.cabinet[switch], plan.slot[switch]) = (cabinet as u32, taken[cabinet]);
        taken[cabinet] += 1;
        unit += 1 + hosts_with(plan, switch);
    }
    plan.cabinets = unit.div_ceil(UNITS);
    taken.resize(plan.cabinets, 0);
    // Hosts follow the switches of their cabinet in the order of their units.
    unit = 0;
    for &switch in order {
        let switch = switch as usize;
        let (on, hosts) = (plan.hosts_on[switch] as usize, at_home.get(switch).map_or(&[][..], Vec::as_slice));
        for (place, &host) in hosts.iter().enumerate() {
            let cabinet = (unit + 1 + on + place) / UNITS;
            (plan.cabinet[host as usize], plan.slot[host as usize]) = (cabinet as u32, taken[cabinet]);
            taken[cabinet] += 1;
        }
        unit += 1 + on + hosts.len();
    }
}

/// Returns the lengths of the cables between switches and the hosts on them, switch by switch.
pub(super) fn endpoint_lengths(plan: &FloorPlan) -> Vec<f64> {
    // Switches in each cabinet; hosts follow them in the order of their units.
    let mut taken = vec![0; plan.cabinets];
    plan.cabinet.iter().for_each(|&cabinet| taken[cabinet as usize] += 1);
    let mut lengths = Vec::new();
    // The order of the units is that of the placement, which is the order of the switches only by default.
    let mut order: Vec<SwitchId> = plan.switches().collect();
    order.sort_by_key(|&switch| (plan.cabinet(switch), plan.slot(switch)));
    let mut unit = 0;
    for switch in order {
        let hosts = plan.hosts_on(switch) as usize;
        for host in 0..hosts {
            let cabinet = (unit + 1 + host) / UNITS;
            let slot = taken[cabinet];
            taken[cabinet] += 1;
            let (rows, columns) = plan.steps(plan.cabinet(switch), cabinet);
            lengths.push(length(cabinet == plan.cabinet(switch), rows, columns, plan.slot(switch), slot));
        }
        unit += 1 + hosts;
    }
    lengths
}
