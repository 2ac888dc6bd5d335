//! Families that can join N hosts with radix-R switches, and their comparison.
//!
//! For each family the parameters are those with the fewest switches that still carry uniform traffic: cables, counted
//! in both directions, over hosts times average distance is the balance K/(p a) of *Performance evaluation of
//! multi-exaflops machines using Equality network topology*, and it should reach 1. Families that are balanced by
//! convention (Dragonfly with `a = 2p = 2h`, Slim Fly with half the degree as hosts, fat trees) follow it. Families
//! that cannot reach 1 are listed as well, with their balance. One-way cables out of a switch and into it share a port.

use super::{DesignError, invalid};
use crate::cost::{Bill, Prices};
use crate::floorplan::{FloorOptions, FloorPlan};
use crate::ids::SwitchId;
use crate::topology::metrics::{distances, edge_sha256};
use crate::topology::{Graph, Hosts, Topology, TopologyError, build};
use candidates::candidates;

pub(super) mod candidates;

/// Largest number of hosts to look for.
pub const MAX_HOSTS: u64 = 1 << 18;

/// Largest product of switches and arcs for which distances are measured here.
const MAX_WORK: u128 = 1 << 34;

/// Requirements of a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wanted {
    /// Number of hosts, at least 2.
    pub hosts: u64,
    /// Ports of a switch, at least 3.
    pub radix: u64,
}

/// Network that fits.
#[derive(Clone, PartialEq, Debug)]
pub struct Fit {
    /// Specification.
    pub topology: String,
    /// Hosts on each switch that has hosts attached.
    pub hosts_per_switch: u32,
    /// Number of hosts that it has room for.
    pub hosts: u64,
    /// Number of switches.
    pub switches: usize,
    /// Number of cables between switches.
    pub cables: usize,
    /// `true` if they are one-way.
    pub directed: bool,
    /// Ports in use on the fullest switch.
    pub ports: u64,
    /// Largest distance between switches with hosts; `None` if it is too much work.
    pub diameter: Option<usize>,
    /// Average distance between switches with hosts.
    pub aspl: Option<f64>,
    /// Arcs over hosts times average distance: 1 carries uniform traffic at full speed.
    pub balance: Option<f64>,
    /// Metres of cable between switches on the default floor plan.
    pub metres: f64,
    /// Prices on that floor plan.
    pub bill: Bill,
}

impl Fit {
    /// Returns the name of the family.
    pub fn family(&self) -> &str {
        self.topology.split(':').next().unwrap_or_default()
    }
}

impl std::str::FromStr for Wanted {
    type Err = DesignError;

    fn from_str(text: &str) -> Result<Self, DesignError> {
        let (mut hosts, mut radix) = (None, None);
        for item in text.split(',') {
            let (name, value) = item.split_once('=').unwrap_or((item, ""));
            let target = match name.trim() {
                "hosts" => &mut hosts,
                "radix" => &mut radix,
                _ => return invalid("--fit", format!("`{text}`"), "write for example `hosts=4096,radix=36`"),
            };
            let Ok(number) = value.trim().parse::<u64>() else {
                return invalid("--fit", format!("`{item}`"), "it must be a number");
            };
            if target.replace(number).is_some() {
                return invalid("--fit", format!("`{text}`"), format!("`{}` is given twice", name.trim()));
            }
        }
        let (Some(hosts), Some(radix)) = (hosts, radix) else {
            return invalid("--fit", format!("`{text}`"), "both `hosts` and `radix` must be given");
        };
        Self::new(hosts, radix, ["--fit hosts", "--fit radix"])
    }
}

impl Wanted {
    /// Checks the requirements; `names` are those of the two numbers in messages.
    ///
    /// # Errors
    /// [`DesignError::InvalidParameter`] if one of them is out of range.
    pub fn new(hosts: u64, radix: u64, names: [&'static str; 2]) -> Result<Self, DesignError> {
        if !(2..=MAX_HOSTS).contains(&hosts) {
            return invalid(names[0], hosts, format!("it must be from 2 to {MAX_HOSTS}"));
        }
        if !(3..=1024).contains(&radix) {
            return invalid(names[1], radix, "it must be from 3 to 1024");
        }
        Ok(Self { hosts, radix })
    }
}

/// Returns the networks that fit: balanced ones first, then by the number of switches and of cables.
///
/// # Errors
/// [`DesignError::Topology`] if a network that should fit cannot be built.
pub fn fits(wanted: Wanted, prices: &Prices) -> Result<Vec<Fit>, DesignError> {
    let mut fits: Vec<(Cabling, Fit)> = Vec::new();
    for (spec, hosts) in candidates(wanted, 1.0) {
        let topology = match build(&spec) {
            Ok(topology) => topology,
            // A random network may be disconnected, a large one may be too large: then the family does not fit.
            Err(TopologyError::Unbuildable { .. } | TopologyError::InvalidParameter { .. }) => continue,
            Err(error) => return Err(error.into()),
        };
        let fit = measure(&topology, hosts, prices)?;
        if fit.ports <= wanted.radix && fit.hosts >= wanted.hosts {
            fits.push((cabling(&topology, &fit), fit));
        }
    }
    // Of several spellings of one network, such as 1x4x4 and 4x4, the shortest is kept.
    fits.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| spelling(&a.1).cmp(&spelling(&b.1))));
    fits.dedup_by(|a, b| a.0 == b.0);
    let mut fits: Vec<Fit> = fits.into_iter().map(|(_, fit)| fit).collect();
    // A random network may miss full balance by a few per cent; that is no reason to list it with the tori.
    let unbalanced = |fit: &Fit| fit.balance.is_some_and(|balance| balance < 0.9);
    fits.sort_by(|a, b| {
        let key = |fit: &Fit| (unbalanced(fit), fit.switches, fit.cables);
        key(a).cmp(&key(b)).then_with(|| a.topology.cmp(&b.topology))
    });
    Ok(fits)
}

fn spelling(fit: &Fit) -> (usize, &str) {
    (fit.topology.len(), &fit.topology)
}

/// What networks have in common that differ in nothing but their name.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Cabling {
    hosts_per_switch: u32,
    millimetres: u64,
    is_directed: bool,
    /// `true` for each switch that has hosts.
    has_hosts: Vec<bool>,
    edge_sha256: String,
}

/// Returns the cabling of a network that was measured.
pub(super) fn cabling(topology: &Topology, fit: &Fit) -> Cabling {
    let graph = &topology.graph;
    Cabling {
        hosts_per_switch: fit.hosts_per_switch,
        millimetres: (fit.metres * 1e3).round() as u64,
        is_directed: graph.is_directed(),
        has_hosts: graph.default_hosts().iter().map(|&count| count > 0).collect(),
        edge_sha256: edge_sha256(graph),
    }
}

pub(super) fn measure(topology: &Topology, hosts_per_switch: u32, prices: &Prices) -> Result<Fit, DesignError> {
    let graph = &topology.graph;
    let counts: Vec<u32> =
        graph.default_hosts().iter().map(|&count| if count > 0 { hosts_per_switch } else { 0 }).collect();
    let hosts: u64 = counts.iter().map(|&count| u64::from(count)).sum();
    let ports = |switch: u32| {
        let switch = SwitchId(switch);
        graph.out_degree(switch).max(graph.in_degree(switch)) as u64 + u64::from(counts[switch.index()])
    };
    let (diameter, aspl) = match between_hosts(graph)? {
        Some((diameter, aspl)) => (Some(diameter), Some(aspl)),
        None => (None, None),
    };
    let balance = aspl.filter(|aspl| *aspl > 0.0).map(|aspl| graph.arcs() as f64 / (hosts as f64 * aspl));
    let floor = FloorOptions { endpoints_per_switch: Some(hosts_per_switch), ..FloorOptions::default() }.on(graph);
    let plan = FloorPlan::new(topology, &floor).expect("the default floor plan takes every topology");
    let lengths = plan.cables(graph);
    let mut bill = Bill::new(graph, &plan, &lengths, prices);
    bill.add_hosts(bill.endpoints, graph, (&plan, &lengths), prices);
    Ok(Fit {
        topology: topology.name(),
        hosts_per_switch,
        hosts,
        switches: graph.switches(),
        cables: graph.cables(),
        directed: graph.is_directed(),
        ports: (0..graph.switches() as u32).map(ports).max().unwrap_or(0),
        diameter,
        aspl,
        balance,
        metres: lengths.total,
        bill,
    })
}

/// Returns the largest and average distance of the switches that have hosts attached.
fn between_hosts(graph: &Graph) -> Result<Option<(usize, f64)>, TopologyError> {
    if graph.switches() as u128 * graph.arcs() as u128 > MAX_WORK {
        return Ok(None);
    }
    let Hosts::OnSwitches(counts) = graph.hosts() else {
        let distances = distances::distances(graph)?;
        return Ok(Some((distances.diameter(), distances.aspl)));
    };
    // Each switch with hosts counts once, whatever its number of hosts.
    let bearing: Vec<u32> = counts.iter().map(|&count| u32::from(count > 0)).collect();
    if bearing.iter().sum::<u32>() < 2 {
        return Ok(Some((0, 0.0)));
    }
    Ok(distances::between_hosts(graph, &bearing).map(|between| between.hops()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_has_the_ports_and_the_hosts() {
        for text in ["hosts=100,radix=12", "hosts=1000,radix=36", "hosts=2,radix=3", "hosts=17,radix=64"] {
            let wanted: Wanted = text.parse().unwrap();
            let fits = fits(wanted, &Prices::default()).unwrap();
            assert!(fits.len() >= 3, "{text}: {fits:?}");
            assert!(fits.iter().all(|fit| fit.ports <= wanted.radix && fit.hosts >= wanted.hosts), "{text}");
        }
    }

    #[test]
    fn a_smaller_slim_fly_has_more_hosts_than_balance() {
        let fits = fits("hosts=256,radix=16".parse().unwrap(), &Prices::default()).unwrap();
        let found = |spec: &str| fits.iter().find(|fit| fit.topology == spec).unwrap_or_else(|| panic!("{fits:?}"));
        let small = found("slimfly:q=5,p=6");
        assert_eq!((small.switches, small.hosts, small.ports), (50, 300, 13));
        assert!(small.balance.unwrap() < 0.9);
        assert!(fits.iter().filter(|fit| fit.topology.starts_with("slimfly")).count() <= 2);
    }

    #[test]
    fn a_fat_tree_is_balanced() {
        let fits = fits("hosts=128,radix=8".parse().unwrap(), &Prices::default()).unwrap();
        let tree = fits.iter().find(|fit| fit.topology == "fat_tree3:k=8").unwrap();
        assert_eq!((tree.switches, tree.hosts, tree.ports, tree.diameter), (80, 128, 8, Some(4)));
        let routers = Prices::default().router_dollars(8);
        let bill = &tree.bill;
        assert_eq!((bill.router_dollars, bill.metres), (80.0 * routers, tree.metres));
        // 512 arcs; 3 of 31 other leaves are two hops away, the others four.
        assert!((tree.balance.unwrap() - 512.0 / (128.0 * (6.0 + 112.0) / 31.0)).abs() < 1e-12);
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        for text in ["", "hosts=3", "hosts=x,radix=3", "hosts=4,hosts=4", "hosts=1,radix=9", "hosts=9,radix=2", "n=4"] {
            assert!(text.parse::<Wanted>().is_err(), "{text}");
        }
    }
}
