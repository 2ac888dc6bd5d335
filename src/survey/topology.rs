//! Measures a topology.

use super::{CostSurvey, Effort, FloorSurvey, RouteSurvey, Survey, SurveyError, SurveyOptions, planes};
use crate::cost::Bill;
use crate::floorplan::FloorPlan;
use crate::floorplan::latency::{self, Latency, PathChoice};
use crate::printable::{counted, number};
use crate::topology::families::clos::nonblocking;
use crate::topology::families::damaged;
use crate::topology::metrics::bisection::{self, Counting, Method};
use crate::topology::metrics::distances::{self, Distances};
use crate::topology::metrics::{Metrics, bounds, connectivity, degrees, edge_sha256, symmetry};
use crate::topology::{CableId, GENERATOR, Graph, Hosts, Topology, TopologyError};

/// Largest number of arcs of a graph whose bisection is searched by default.
const QUICK_ARCS: usize = 1 << 20;
/// Largest product of switches and arcs for which a search from every switch is made by default.
pub(super) const QUICK_SEARCHES: usize = 1 << 28;
/// Largest product of switches, degree and arcs for which the edge connectivity is computed by default.
const QUICK_FLOWS: usize = 1 << 31;
/// Default number of seeds for METIS.
const SEEDS: usize = 5;

impl Survey {
    /// Measures a topology.
    ///
    /// # Errors
    /// [`SurveyError`] if it is too large for exact distances, or does not fit the floor plan or the routing.
    pub fn of(topology: &Topology, options: &SurveyOptions) -> Result<Self, SurveyError> {
        if let Some(rails) = &topology.rails {
            return planes::report(topology, rails, options);
        }
        // A failed switch cannot be reached: metrics are those of the remaining switches.
        let left = damaged::remaining(topology)?;
        let measured = left.as_ref().unwrap_or(topology);
        let resized = match (options.floor.endpoints_per_switch, measured.graph.hosts()) {
            (Some(count), Hosts::OnSwitches(_)) => Some(measured.graph.with_hosts_per_switch(count)),
            _ => None,
        };
        let switches = resized.as_ref().unwrap_or(&measured.graph);
        // Trees are measured with the hosts, as in their sources.
        let whole = switches.with_host_vertices()?;
        let graph = whole.as_ref().map_or(switches, |(graph, _)| &**graph);
        let alike = symmetry::vertex_transitive(&topology.spec);
        let (metrics, sampled) = match options.aspl_samples {
            // If all switches are equivalent, the exact distances are cheaper than any sample.
            Some(samples) if !alike => {
                let sampled = match distances::sampled(graph, samples, options.seed, &options.steps) {
                    Err(TopologyError::Disconnected { .. }) => None,
                    other => Some(other?),
                };
                (Metrics::without_distances(graph), sampled)
            }
            _ if whole.is_some() => (Metrics::watched(graph, &options.steps)?, None),
            _ => (Metrics::of_topology(measured, &options.steps)?, None),
        };
        let between_hosts = match &whole {
            Some((graph, hosts)) if options.aspl_samples.is_none() && options.effort != Effort::Least => {
                let on_each: Vec<u32> = (0..graph.switches()).map(|vertex| u32::from(vertex < *hosts)).collect();
                distances::between_hosts(graph, &on_each).map(|between| between.hops())
            }
            _ => None,
        };
        let plan = FloorPlan::new(topology, &options.floor)?;
        let quick = |work, limit| options.effort.suffices(work, limit);
        let searches = switches.switches().saturating_mul(switches.arcs());
        let crossed = match &whole {
            // The number of cables between hosts is one more than that of switches.
            Some(_) => between_hosts.map(|(largest, mean)| (largest - 1, mean - 1.0)),
            None => {
                let plan = FloorPlan::new(measured, &options.floor)?;
                let on: Vec<u32> = plan.switches().map(|switch| plan.hosts_on(switch)).collect();
                crossed(switches, &on, metrics.distances.as_ref(), quick(searches, QUICK_SEARCHES))
            }
        };
        let all_degrees = metrics.degrees;
        let (n, directed, max_degree) =
            (metrics.switches, metrics.directed, all_degrees.max_out.max(all_degrees.max_in));
        let shown = metrics.distances.as_ref().or(sampled.as_ref().map(|sampled| &sampled.distances));
        let diameter = metrics.distances.as_ref().map(|distances| distances.diameter());
        let moore = diameter.and_then(|k| bounds::moore(max_degree as u64, k as u32, directed));
        let intact = damaged::intact(&topology.spec);
        let cost = cost(topology, intact.as_ref(), &plan, options);
        let mut report = Self {
            topology: topology.name(),
            spec: topology.name(),
            network: topology.name(),
            family: topology.spec.family().name,
            seed: topology.seed(),
            generator: topology.seed().map(|_| GENERATOR),
            n,
            switches: switches.switch_vertices(),
            hosts: plan.endpoints(),
            host_diameter_links: between_hosts.map(|(largest, _)| largest),
            host_aspl_links: between_hosts.map(|(_, mean)| mean),
            host_diameter_switches: crossed.map(|(largest, _)| largest),
            host_aspl_switches: crossed.map(|(_, mean)| mean),
            host_ports: None,
            planes: None,
            directed,
            edges: (!directed).then_some(metrics.cables),
            arcs: directed.then_some(metrics.cables),
            min_degree: all_degrees.min_out.min(all_degrees.min_in),
            max_degree,
            diameter,
            aspl: shown.map(|distances| distances.aspl),
            distance_sum: metrics.distances.as_ref().and_then(|distances| u64::try_from(distances.sum).ok()),
            edge_sha256: if left.is_some() { edge_sha256(&topology.graph) } else { metrics.edge_sha256.clone() },
            connected: shown.is_some(),
            distance_histogram: shown.map(|distances| distances.histogram.clone()),
            aspl_samples: sampled.as_ref().map(|sampled| sampled.samples),
            aspl_error: sampled.as_ref().map(|sampled| sampled.error),
            diameter_at_least: sampled.as_ref().map(|sampled| sampled.distances.diameter()),
            aspl_lower_bound: bounds::aspl(n as u64, max_degree as u64, directed),
            moore_bound: moore.and_then(|bound| u64::try_from(bound).ok()),
            moore_share: moore.map(|bound| n as f64 / bound as f64),
            edge_connectivity: None,
            path_diversity: None,
            bisection: None,
            bisection_merged: None,
            bisection_method: None,
            semicircle_cut: None,
            random_halves_cut: None,
            random_halves_mean: None,
            bisection_share_of_links: None,
            bisection_share_of_all: None,
            links_per_host: None,
            links_per_host_and_hop: None,
            nonblocking: nonblocking(&topology.spec),
            floor: floor(topology, &plan, options, shown.is_some() && quick(searches, QUICK_SEARCHES))?,
            cost,
            // Families may generate a cable twice, which is not an error of the user.
            duplicates_merged: Some(switches.duplicates_merged()).filter(|&count| topology.spec.is_file() && count > 0),
            remarks: switches
                .remarks()
                .iter()
                .cloned()
                .chain(degraded(switches))
                .chain(intact.and_then(|intact| priced_instead(&intact, topology)))
                .collect(),
            route: options.route.as_ref().map(|route| RouteSurvey::of(topology, options, route)).transpose()?,
        };
        // Connectivity of the switches; hosts that are vertices of the graph would count as paths.
        if !matches!(switches.hosts(), Hosts::Vertices(_)) {
            let degrees = degrees(switches);
            // In a tree, neither the mean degree nor the distances are those of a switch with hosts.
            if whole.is_none() {
                report.balance(switches);
            }
            // For a tree only the diameter with its hosts is known; it is only relevant whether it exists, and exceeds
            // 2.
            let diameter = diameter.map(|diameter| if whole.is_some() { diameter.max(3) } else { diameter });
            let is_degree = matches!(diameter, Some(..=2)) && !switches.has_parallel_cables();
            let easy = alike || diameter.is_none() || is_degree;
            let flows = if easy { 0 } else { searches.saturating_mul(degrees.min_out.min(degrees.min_in)) };
            if sampled.is_none() && quick(flows, QUICK_FLOWS) {
                report.edge_connectivity = connectivity::edge_connectivity(switches, diameter, alike).ok();
            }
            if shown.is_some() && quick(searches, QUICK_SEARCHES) {
                report.path_diversity = connectivity::path_diversity(switches);
            }
        }
        let seeds = options.bisection_seeds.unwrap_or(if quick(graph.arcs(), QUICK_ARCS) { SEEDS } else { 0 });
        if seeds > 0 {
            report.bisect(graph, switches, seeds);
        }
        Ok(report)
    }

    /// Computes the links available per host; nothing without hosts or links.
    fn balance(&mut self, switches: &Graph) {
        if self.hosts == 0 || switches.arcs() == 0 {
            return;
        }
        let of_a_switch = |count: f64| count / switches.switches() as f64;
        // A link has two directions, so an arc is half a link.
        let (degree, endpoints) = (of_a_switch(switches.arcs() as f64), of_a_switch(self.hosts as f64));
        self.links_per_host = Some(degree / endpoints);
        self.links_per_host_and_hop = self.aspl.map(|aspl| bounds::links_per_host_and_hop(degree, endpoints, aspl));
    }

    /// Computes the bisection of `graph`, which includes the hosts of a tree as vertices; `switches` does not.
    fn bisect(&mut self, graph: &Graph, switches: &Graph, seeds: usize) {
        let found = bisection::best(graph, Counting::Arcs, seeds);
        self.bisection_method = Some(match found.method {
            Method::Metis { seeds } => format!("metis, best of {seeds} seeds"),
            _ => "exact".into(),
        });
        self.bisection = Some(found.cut);
        self.bisection_merged = graph.is_directed().then(|| bisection::best(graph, Counting::Merged, seeds).cut);
        self.semicircle_cut = Some(bisection::semicircle(graph, Counting::Arcs).cut);
        let (halves, mean) = bisection::random_halves(graph, Counting::Arcs, 20, 1);
        (self.random_halves_cut, self.random_halves_mean) = (Some(halves.cut), Some(mean));
        // A link has two directions, so an arc is half a link. Cables to hosts are not links between switches.
        let (vertices, hosts) = (switches.switch_vertices(), self.hosts as f64);
        let between = (switches.cables() - switches.cables_to_hosts()) as f64;
        let (links, cut) = match switches.is_directed() {
            true => (between / 2.0, found.cut as f64 / 2.0),
            false => (between, found.cut as f64),
        };
        let degree = 2.0 * links / vertices as f64;
        if links > 0.0 {
            self.bisection_share_of_links = Some(bounds::bisection_share_of_links(cut, vertices, degree));
        }
        // A single switch has no links: its hosts are divided, with half of them on each side.
        let cut = if links == 0.0 && vertices == 1 { hosts / 2.0 } else { cut };
        if links > 0.0 || cut > 0.0 {
            let share = bounds::bisection_share_of_all(cut, vertices, degree, hosts / vertices as f64);
            self.bisection_share_of_all = Some(share);
        }
    }
}

pub(super) fn floor(
    topology: &Topology,
    plan: &FloorPlan,
    options: &SurveyOptions,
    with_latency: bool,
) -> Result<FloorSurvey, SurveyError> {
    let cables = plan.cables(&topology.graph);
    let (switch, cable) = (options.switch_delay, options.cable_delay);
    let latency = |choice| {
        let latency = || latency::latencies(&topology.graph, cables.lengths(), switch, cable, choice, &options.steps);
        with_latency.then(latency).transpose()
    };
    let (fastest, nearest): (Option<Latency>, _) = (latency(PathChoice::Fastest)?, latency(PathChoice::Nearest)?);
    // Latencies are sums of picoseconds; further digits are rounding errors.
    let nanoseconds = |seconds: f64| (seconds * 1e15).round() / 1e6;
    Ok(FloorSurvey {
        plan: plan.model.name(),
        cabinets: plan.cabinets,
        rows: plan.rows,
        columns: plan.columns,
        cables_within_cabinets: cables.within_cabinets,
        cable_metres: cables.total + 0.0,
        average_cable_metres: cables.average(),
        longest_cable_metres: cables.longest,
        cables_by_5_metres: cables.histogram(5.0),
        defaults: options.defaults.name(),
        switch_delay_ns: nanoseconds(switch),
        cable_delay_ns_per_metre: nanoseconds(cable),
        max_latency_ns: fastest.map(|latency| nanoseconds(latency.max)),
        mean_latency_ns: fastest.map(|latency| nanoseconds(latency.mean)),
        nearest_max_latency_ns: nearest.map(|latency| nanoseconds(latency.max)),
        nearest_mean_latency_ns: nearest.map(|latency| nanoseconds(latency.mean)),
    })
}

/// Returns the largest and mean number of switches that a message between hosts crosses. If all switches have the same
/// number of hosts attached, known distances suffice; otherwise this needs a search from each switch, which is made
/// only if it is `quick`.
pub(super) fn crossed(
    switches: &Graph,
    hosts: &[u32],
    distances: Option<&Distances>,
    quick: bool,
) -> Option<(usize, f64)> {
    let between = match distances {
        Some(distances) if hosts.iter().all(|&count| count == hosts[0]) => {
            distances.between_hosts_everywhere(hosts.len(), hosts[0])
        }
        _ if quick => distances::between_hosts(switches, hosts),
        _ => None,
    };
    between.map(|between| between.switches())
}

/// Returns a remark on the price of a network of which cables or switches failed: that of the intact one.
fn priced_instead(intact: &Topology, topology: &Topology) -> Option<String> {
    let (before, after) = (&intact.graph, &topology.graph);
    let is_whole = before.arcs() == after.arcs() && before.default_hosts() == after.default_hosts();
    let hosts: u64 = before.default_hosts().iter().map(|&count| u64::from(count)).sum();
    (!is_whole).then(|| {
        format!(
            "cables and switches failed after they were bought: prices and power are those of the intact network with {} by \
             default",
            counted(hosts, "host")
        )
    })
}

/// Returns a remark on cables that have become slower, which no figure of a survey shows.
fn degraded(graph: &Graph) -> Option<String> {
    let share = graph.slowest_share();
    let is_slower = |cable: &u32| graph.bandwidth_share(CableId(*cable)) < 1.0;
    (share < 1.0).then(|| {
        let (all, per_cent) = (graph.cables(), number(100.0 * share));
        let count = (0..all as u32).filter(is_slower).count();
        format!("{count} of the {all} cables have {per_cent} % of their bandwidth, which only replays and loads show")
    })
}

/// Returns the cost of a topology, or of its `intact` form if parts of it failed.
pub(super) fn cost(
    topology: &Topology,
    intact: Option<&Topology>,
    plan: &FloorPlan,
    options: &SurveyOptions,
) -> CostSurvey {
    // What failed was bought as well.
    if let Some(intact) = intact
        && let Ok(plan) = FloorPlan::new(intact, &options.floor)
    {
        return cost(intact, None, &plan, options);
    }
    let switches = &*topology.graph;
    let cables = plan.cables(switches);
    let mut bill = Bill::new(switches, plan, &cables, &options.prices);
    // An adapter and a cable for each port.
    let ports = topology.rails.as_ref().map_or(1, |rails| rails.count()) as u64;
    bill.add_hosts(bill.endpoints * ports, switches, (plan, &cables), &options.prices);
    CostSurvey::of(&bill, options)
}

impl CostSurvey {
    fn of(bill: &Bill, options: &SurveyOptions) -> Self {
        Self {
            prices: options.prices.name.clone(),
            currency: options.prices.currency.clone(),
            prices_note: options.prices_note.clone(),
            link_rate_gbps: options.prices.link_rate_gbps,
            scaled_from_gbps: options.prices.scaled_from_gbps,
            endpoints: bill.endpoints,
            ports: bill.ports,
            copper_cables: bill.copper_cables,
            fibre_cables: bill.fibre_cables,
            cable_dollars: bill.cable_dollars,
            router_dollars: bill.router_dollars,
            host_dollars: options.prices.host.as_ref().map(|_| bill.host_dollars),
            dollars: bill.dollars(),
            price: bill.dollars(),
            dollars_per_endpoint: bill.dollars_per_endpoint(),
            watts: bill.watts,
            watts_per_endpoint: (bill.endpoints > 0).then(|| bill.watts / bill.endpoints as f64),
        }
    }
}
