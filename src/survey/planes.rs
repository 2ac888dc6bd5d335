//! Networks whose hosts have several ports: metrics of the planes, and sizes, floor and prices of all of them.
//!
//! Messages stay in a plane and use all planes alike, so mean distances are means over the planes and largest distances
//! are those of the worst plane. Cables, cabinets and prices are those of the whole network. Bisections add up where all
//! planes are equal, since the same halves of the hosts divide all of them.

use super::topology::{QUICK_SEARCHES, cost, crossed, floor};
use super::{PlaneSurvey, Survey, SurveyError, SurveyOptions};
use crate::floorplan::FloorPlan;
use crate::topology::families::damaged;
use crate::topology::metrics::{degrees, edge_sha256};
use crate::topology::rails::Places;
use crate::topology::{GENERATOR, Rails, Topology};
use std::collections::BTreeMap;

/// Returns the mean of the values, if all are known.
fn mean(values: impl ExactSizeIterator<Item = Option<f64>>) -> Option<f64> {
    let count = values.len();
    let sum: Option<f64> = values.sum();
    sum.map(|sum| sum / count as f64)
}

/// Returns the largest of the values, if all are known.
fn most<T: Ord>(values: impl Iterator<Item = Option<T>>) -> Option<T> {
    values.collect::<Option<Vec<T>>>()?.into_iter().max()
}

/// Measures a network whose hosts have several ports.
///
/// # Errors
/// As [`Survey::of`].
pub(super) fn report(topology: &Topology, rails: &Rails, options: &SurveyOptions) -> Result<Survey, SurveyError> {
    if options.route.is_some() {
        return Err(SurveyError::SeveralPorts(topology.name()));
    }
    let plan = FloorPlan::new(topology, &options.floor)?;
    let mut known: BTreeMap<String, Survey> = BTreeMap::new();
    let mut planes = Vec::with_capacity(rails.planes.len());
    for plane in &rails.planes {
        let name = plane.topology.name();
        // Planes with failures have equal names and differ.
        let same = known.get(&name).filter(|_| plane.topology.spec.family().name != "damaged");
        let report = same.cloned().map_or_else(|| Survey::of(&plane.topology, options), Ok)?;
        known.insert(name, report.clone());
        planes.push(report);
    }
    let all = || planes.iter();
    let count = |of: fn(&Survey) -> usize| all().map(of).sum::<usize>();
    // Trees count hosts as vertices. Their hops are one at each end more than those of other planes, so a mixture has no
    // mean.
    let with_hosts = |plane: &Survey| plane.n > plane.switches;
    let (vertices, alike) = (all().any(with_hosts), all().all(with_hosts) || !all().any(with_hosts));
    let (hosts, of_hosts) = (plan.endpoints(), plan.endpoints() as usize * rails.count());
    let (cables, n) = match (topology.graph.cables(), topology.graph.switches()) {
        (cables, switches) if vertices => (cables + of_hosts, switches + hosts as usize),
        plain => plain,
    };
    let equal = all().all(|plane| *plane == planes[0]);
    // Halves of the hosts are not halves of the ports, if neighbouring switches share hosts.
    let halves = equal && rails.ports == 1;
    let sums = |of: fn(&Survey) -> Option<u64>| all().map(of).sum::<Option<u64>>().filter(|_| halves);
    let histograms: Option<Vec<_>> = all().map(|plane| plane.distance_histogram.as_ref()).collect();
    let histogram = histograms.map(|histograms| {
        let longest = histograms.iter().map(|h| h.len()).max().unwrap_or(0);
        (0..longest).map(|hop| histograms.iter().map(|h| h.get(hop).copied().unwrap_or(0)).sum()).collect()
    });
    let connected = all().all(|plane| plane.connected);
    let cost = cost(topology, damaged::intact(&topology.spec).as_ref(), &plan, options);
    let (most_crossed, mean_crossed) = between_hosts(rails, options, &planes).unzip();
    let (min_degree, max_degree) = if vertices {
        let degree = |switch| topology.graph.out_degree(switch) + plan.hosts_on(switch) as usize;
        let of_switches = || plan.switches().map(degree);
        (of_switches().min().unwrap_or(0).min(rails.count()), of_switches().max().unwrap_or(0))
    } else {
        // A switch that failed has no degree.
        let left = damaged::remaining(topology)?;
        let degrees = degrees(left.as_ref().map_or(&topology.graph, |left| &left.graph));
        (degrees.min_out.min(degrees.min_in), degrees.max_out.max(degrees.max_in))
    };
    let links_per_host = |of: fn(&Survey) -> Option<f64>| all().map(of).sum::<Option<f64>>();
    let mut whole = floor(topology, &plan, options, false)?;
    whole.max_latency_ns = all().map(|plane| plane.floor.max_latency_ns).reduce(greater).flatten();
    whole.mean_latency_ns = mean(all().map(|plane| plane.floor.mean_latency_ns));
    whole.nearest_max_latency_ns = all().map(|plane| plane.floor.nearest_max_latency_ns).reduce(greater).flatten();
    whole.nearest_mean_latency_ns = mean(all().map(|plane| plane.floor.nearest_mean_latency_ns));
    let first = planes[0].clone();
    Ok(Survey {
        topology: topology.name(),
        spec: topology.name(),
        network: topology.name(),
        family: topology.spec.family().name,
        seed: topology.seed(),
        generator: topology.seed().map(|_| GENERATOR),
        n,
        switches: count(|plane| plane.switches),
        hosts,
        host_ports: Some(rails.count()),
        planes: Some(
            all()
                .map(|plane| PlaneSurvey {
                    topology: plane.topology.clone(),
                    switches: plane.switches,
                    cables: plane.edges.or(plane.arcs).unwrap_or(0),
                    diameter: plane.diameter,
                    aspl: plane.aspl,
                })
                .collect(),
        ),
        edges: first.edges.map(|_| cables),
        arcs: first.arcs.map(|_| cables),
        min_degree,
        max_degree,
        diameter: most(all().map(|plane| plane.diameter)).filter(|_| alike),
        aspl: mean(all().map(|plane| plane.aspl)).filter(|_| alike),
        distance_sum: all().map(|plane| plane.distance_sum).sum::<Option<u64>>().filter(|_| alike),
        host_diameter_links: None,
        host_aspl_links: None,
        host_diameter_switches: most_crossed,
        host_aspl_switches: mean_crossed,
        edge_sha256: edge_sha256(&topology.graph),
        connected,
        distance_histogram: histogram.filter(|_| alike),
        aspl_error: all().map(|plane| plane.aspl_error).reduce(greater).flatten(),
        diameter_at_least: all().filter_map(|plane| plane.diameter_at_least).max(),
        aspl_lower_bound: first.aspl_lower_bound.filter(|_| equal),
        moore_bound: first.moore_bound.filter(|_| equal),
        moore_share: first.moore_share.filter(|_| equal),
        edge_connectivity: first.edge_connectivity.filter(|_| equal),
        path_diversity: mean(all().map(|plane| plane.path_diversity)),
        bisection: sums(|plane| plane.bisection),
        bisection_merged: sums(|plane| plane.bisection_merged),
        bisection_method: first.bisection_method.clone().filter(|_| halves),
        semicircle_cut: sums(|plane| plane.semicircle_cut),
        random_halves_cut: sums(|plane| plane.random_halves_cut),
        random_halves_mean: first.random_halves_mean.filter(|_| halves).map(|mean| mean * planes.len() as f64),
        bisection_share_of_links: first.bisection_share_of_links.filter(|_| halves),
        bisection_share_of_all: first.bisection_share_of_all.filter(|_| halves),
        links_per_host: links_per_host(|plane| plane.links_per_host),
        links_per_host_and_hop: links_per_host(|plane| plane.links_per_host_and_hop),
        nonblocking: None,
        floor: whole,
        cost,
        duplicates_merged: None,
        route: None,
        ..first
    })
}

/// Returns the greater of two values, if both are known.
fn greater(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    a.zip(b).map(|(a, b)| a.max(b))
}

/// Returns the largest number of switches that a message between hosts crosses, and the mean over all rails.
fn between_hosts(rails: &Rails, options: &SurveyOptions, planes: &[Survey]) -> Option<(usize, f64)> {
    if rails.ports == 1 {
        let largest = most(planes.iter().map(|plane| plane.host_diameter_switches))?;
        return Some((largest, mean(planes.iter().map(|plane| plane.host_aspl_switches))?));
    }
    let places = rails.places(&rails.homes_with(options.floor.endpoints_per_switch)).ok()?;
    let of_rail = |rail: &Places| {
        let graph = &*rails.planes[rail.plane].topology.graph;
        let mut counts = vec![0; graph.switches()];
        rail.switches.iter().for_each(|switch| counts[switch.index()] += 1);
        let searches = graph.switches().saturating_mul(graph.arcs());
        crossed(graph, &counts, None, options.effort.suffices(searches, QUICK_SEARCHES))
    };
    let of_rails: Vec<(usize, f64)> = places.iter().map(of_rail).collect::<Option<_>>()?;
    let largest = of_rails.iter().map(|(largest, _)| *largest).max()?;
    Some((largest, mean(of_rails.iter().map(|(_, mean)| Some(*mean)))?))
}
