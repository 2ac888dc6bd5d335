//! Bills of networks.

use super::Prices;
use crate::floorplan::{Cables, FloorPlan};
use crate::topology::{Graph, Hosts};
use std::collections::BTreeMap;

/// Cost and power of a network.
#[derive(Clone, PartialEq, Debug)]
pub struct Bill {
    /// Number of hosts.
    pub endpoints: u64,
    /// Ports of the largest router. Each has as many as it needs for its cables and hosts.
    pub ports: u64,
    /// Number of copper cables, including those to compute nodes if the floor plan places them.
    pub copper_cables: u64,
    /// Number of fibre cables.
    pub fibre_cables: u64,
    /// Length of all these cables, in metres.
    pub metres: f64,
    /// Length of the longest of these cables, in metres.
    pub longest: f64,
    /// Dollars for cables. A one-way cable costs half as much as a two-way cable.
    pub cable_dollars: f64,
    /// Dollars for routers.
    pub router_dollars: f64,
    /// Dollars for adapters of hosts, and for cables between hosts and switches that the floor plan does not place.
    pub host_dollars: f64,
    /// Watts of all routers and adapters.
    pub watts: f64,
}

impl Bill {
    /// Returns the bill of all routers and cables. Two one-way links share a port, which has an input and an output.
    /// A router with fewer ports than any in the price list costs, and draws, as much as the smallest one there.
    pub fn new(graph: &Graph, plan: &FloorPlan, cables: &Cables, prices: &Prices) -> Self {
        let ports_of =
            |switch| graph.out_degree(switch).max(graph.in_degree(switch)) as u64 + u64::from(plan.hosts_on(switch));
        let least = prices.router.least_ports;
        // Routers of each size, in ascending order, so that the sums do not depend on the numbers of switches.
        let mut routers: BTreeMap<u64, u64> = BTreeMap::new();
        for ports in plan.switches().map(ports_of) {
            *routers.entry(ports.max(least)).or_default() += 1;
        }
        let ports = plan.switches().map(ports_of).max().unwrap_or(0);
        let all = |of_one: &dyn Fn(u64) -> f64| -> f64 {
            routers.iter().map(|(&ports, &count)| count as f64 * of_one(ports)).sum()
        };
        let mut bill = Self {
            endpoints: plan.endpoints(),
            ports,
            copper_cables: 0,
            fibre_cables: 0,
            metres: 0.0,
            longest: 0.0,
            cable_dollars: 0.0,
            router_dollars: all(&|ports| prices.router_dollars(ports)),
            host_dollars: 0.0,
            watts: all(&|ports| prices.router_watts(ports)),
        };
        let share = if graph.is_directed() { 0.5 } else { 1.0 };
        bill.add(cables.between_switches(), share, prices);
        bill.add(cables.to_hosts(), share, prices);
        bill.add(&plan.endpoint_lengths(), 1.0, prices);
        bill
    }

    /// Adds adapters for `ports` ports of hosts at the prices of their own link rate, and their cables, unless the floor
    /// plan places these. Changes nothing if the list has no prices for hosts.
    pub fn add_hosts(&mut self, ports: u64, graph: &Graph, (plan, cables): (&FloorPlan, &Cables), prices: &Prices) {
        let Some(host) = &prices.host else { return };
        let are_placed = !cables.to_hosts().is_empty() || !plan.endpoint_lengths().is_empty();
        let cable = if are_placed { 0.0 } else { prices.cable_dollars(host.cable_metres).0 };
        self.host_dollars += match graph.hosts() {
            Hosts::Vertices(_) => {
                // Hosts may have several cables. A pair of one-way cables costs as much as one two-way cable.
                let cables = graph.cables_to_hosts() as f64 * if graph.is_directed() { 0.5 } else { 1.0 };
                ports as f64 * host.adapter_dollars + cables * cable
            }
            _ => ports as f64 * (host.adapter_dollars + cable),
        };
        self.watts += ports as f64 * host.adapter_watts;
    }

    fn add(&mut self, lengths: &[f64], share: f64, prices: &Prices) {
        for &length in lengths {
            let (dollars, fibre) = prices.cable_dollars(length);
            self.cable_dollars += share * dollars;
            *(if fibre { &mut self.fibre_cables } else { &mut self.copper_cables }) += 1;
            self.metres += length;
            self.longest = self.longest.max(length);
        }
    }

    /// Returns the total in dollars.
    pub fn dollars(&self) -> f64 {
        self.cable_dollars + self.router_dollars + self.host_dollars
    }

    /// Returns the dollars per compute node, if there is one.
    pub fn dollars_per_endpoint(&self) -> Option<f64> {
        (self.endpoints > 0).then(|| self.dollars() / self.endpoints as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::HostPrices;
    use crate::floorplan::FloorOptions;
    use crate::topology::build;

    #[test]
    fn two_one_way_cables_cost_as_much_as_one_two_way_cable() {
        let bill = |spec: &str| {
            let topology = build(spec).unwrap();
            let options = FloorOptions { endpoints_per_switch: Some(2), ..FloorOptions::default() };
            let plan = FloorPlan::new(&topology, &options).unwrap();
            Bill::new(&topology.graph, &plan, &plan.cables(&topology.graph), &Prices::default())
        };
        let two_way = bill("full_mesh:4");
        let one_way = bill("random_directed:n=4,d=3");
        assert_eq!((two_way.copper_cables, one_way.copper_cables), (6, 12));
        assert!((two_way.cable_dollars - one_way.cable_dollars).abs() < 1e-9);
        assert!((two_way.metres * 2.0 - one_way.metres).abs() < 1e-9);
        assert_eq!((two_way.endpoints, two_way.ports), (8, 5));
    }

    #[test]
    fn hosts_are_no_routers() {
        let bill = |spec: &str| {
            let topology = build(spec).unwrap();
            let plan = FloorPlan::new(&topology, &FloorOptions::default()).unwrap();
            let bill = Bill::new(&topology.graph, &plan, &plan.cables(&topology.graph), &Prices::default());
            (bill.router_dollars.round(), bill.ports, bill.endpoints, bill.copper_cables + bill.fibre_cables)
        };
        let price = |count: f64, ports| count * Prices::default().router_dollars(ports);
        // 8 leaves and 4 spines of 8 ports; 20 switches of 4 ports.
        assert_eq!(bill("fat_tree2:8"), (price(12.0, 8).round(), 8, 32, 32));
        assert_eq!(bill("fat_tree3:4"), (price(20.0, 4).round(), 4, 16, 32));
        // Two inputs, four outputs to the middle: four ports; in the middle three.
        assert_eq!(bill("clos:m=4,n=2,r=3"), ((price(6.0, 4) + price(4.0, 3)).round(), 4, 6, 24));
        assert_eq!(bill("slimfly:q=5,p=4"), (price(50.0, 11).round(), 11, 200, 175));
    }

    /// Hosts that are vertices have a cable for each edge, the others one for each port.
    #[test]
    fn hosts_pay_for_their_cables() {
        let host = HostPrices { adapter_dollars: 700.0, adapter_watts: 15.0, cable_metres: 2.0 };
        let prices = Prices { host: Some(host), ..Prices::default() };
        let cable = prices.cable_dollars(2.0).0;
        for (spec, hosts, cables) in [
            ("fat_tree2:4", 8.0, 8.0),
            // Two hosts, each on both of two switches.
            ("xgft:m=[2],w=[2]", 2.0, 4.0),
            // A one-way cable into the network and one out of it: together as much as a two-way one.
            ("clos:m=4,n=2,r=3", 6.0, 6.0),
        ] {
            let topology = build(spec).unwrap();
            let plan = FloorPlan::new(&topology, &FloorOptions::default()).unwrap();
            let lengths = plan.cables(&topology.graph);
            let mut bill = Bill::new(&topology.graph, &plan, &lengths, &prices);
            bill.add_hosts(bill.endpoints, &topology.graph, (&plan, &lengths), &prices);
            assert!((bill.host_dollars - hosts * 700.0 - cables * cable).abs() < 1e-9, "{spec}: {}", bill.host_dollars);
        }
    }

    #[test]
    fn each_router_is_as_large_as_it_has_to_be() {
        let bill = |spec: &str| {
            let topology = build(spec).unwrap();
            let plan = FloorPlan::new(&topology, &FloorOptions::default()).unwrap();
            Bill::new(&topology.graph, &plan, &plan.cables(&topology.graph), &Prices::default())
        };
        let price = |ports| Prices::default().router_dollars(ports);
        let watts = |ports| Prices::default().router_watts(ports);
        // 8 leaves with 8 hosts and 4 cables up, 4 spines with 8 cables down.
        let tree = bill("xgft:m=[8,8],w=[1,4]");
        assert_eq!(tree.ports, 12);
        assert!((tree.router_dollars - 8.0 * price(12) - 4.0 * price(8)).abs() < 1e-6, "{}", tree.router_dollars);
        assert!((tree.watts - 8.0 * watts(12) - 4.0 * watts(8)).abs() < 1e-9);
        // The outer switches of a star have two ports, and the smallest router of the list has three.
        let star = bill("star:9");
        assert!((star.router_dollars - price(9) - 8.0 * price(3)).abs() < 1e-6, "{}", star.router_dollars);
    }

    #[test]
    fn small_routers_cost_as_much_as_the_smallest_on_offer() {
        let ring = build("ring:3").unwrap();
        let alone = FloorOptions { endpoints_per_switch: Some(0), ..FloorOptions::default() };
        let plan = FloorPlan::new(&ring, &alone).unwrap();
        let mut prices = Prices::default();
        prices.router.least_ports = 64;
        let bill = Bill::new(&ring.graph, &plan, &plan.cables(&ring.graph), &prices);
        assert_eq!((bill.ports, bill.router_dollars), (2, 3.0 * prices.router_dollars(64)));
        assert_eq!(bill.watts, 3.0 * prices.router_watts(64));
    }
}
