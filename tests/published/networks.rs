//! Tables of networks that papers compare.

use super::figures::{laid_out, latency, max_degree, neighbours, network};
use mopsim::floorplan::latency::PathChoice;
use mopsim::floorplan::{FloorModel, FloorOptions, FloorPlan};
use mopsim::topology::metrics::bisection::{self, Counting};
use mopsim::topology::metrics::distances;
use mopsim::topology::{Graph, build};

/// Returns the hops from a switch to all others.
fn hops(graph: &Graph, from: u32) -> Vec<usize> {
    let mut hops = vec![usize::MAX; graph.switches()];
    let mut queue = std::collections::VecDeque::from([from]);
    hops[from as usize] = 0;
    while let Some(at) = queue.pop_front() {
        for next in neighbours(graph, at) {
            if hops[next as usize] == usize::MAX {
                hops[next as usize] = hops[at as usize] + 1;
                queue.push_back(next);
            }
        }
    }
    hops
}

/// Returns the length of the longest path from switch 0 whose first hop is the best of those that are on no shortest
/// path.
pub fn longest_sub_shortest(graph: &Graph) -> usize {
    let own = hops(graph, 0);
    let others: Vec<Vec<usize>> = neighbours(graph, 0).into_iter().map(|first| hops(graph, first)).collect();
    let way = |to: usize| others.iter().map(|from| from[to] + 1).filter(|&way| way > own[to]).min();
    (1..graph.switches()).filter_map(way).max().expect("there are detours")
}

/// Returns the table of the networks of 2,048 switches in the paper on Skywalk: their cables, and latencies at 60 ns.
pub fn skywalk_networks() -> String {
    let mut lines = vec![
        "| network | degree | cable, km | latency, max, ns | mean, ns | max, Dragonfly = 1 | mean, Dragonfly = 1 |"
            .to_owned(),
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |".to_owned(),
    ];
    let dragonfly = latency(network("Dragonfly"), 60e-9, PathChoice::Fastest);
    for name in
        ["Torus", "Hypercube", "Random(2048,11)", "HyperX", "Dragonfly", "Skywalk(8,256,7,4)", "Skywalk(8,256,7,12)"]
    {
        let spec = network(name);
        let (graph, cables) = laid_out(spec);
        let found = latency(spec, 60e-9, PathChoice::Fastest);
        lines.push(format!(
            "| `{spec}` | {} | {:.1} | {:.1} | {:.1} | {:.3} | {:.3} |",
            max_degree(&graph),
            cables.total / 1000.0,
            found.max * 1e9,
            found.mean * 1e9,
            found.max / dragonfly.max,
            found.mean / dragonfly.mean
        ));
    }
    lines.join("\n")
}

/// Returns the table of the example network of the paper on Equality.
pub fn equality_network() -> String {
    let spec = "equality:n=14,sa=[-1,1,3,9],sb=[4]";
    let topology = build(spec).unwrap();
    let distances = distances(&topology.graph).unwrap();
    let options = FloorOptions { model: FloorModel::Equality, ..FloorOptions::default() };
    let plan = FloorPlan::new(&topology, &options).unwrap();
    let cables = plan.cables(&topology.graph);
    let cut = bisection::exact(&topology.graph, Counting::Merged).unwrap().cut;
    let arcs = bisection::semicircle(&topology.graph, Counting::Merged).cut;
    let rows = [
        ("switches", topology.graph.switches().to_string()),
        ("cables", topology.graph.cables().to_string()),
        ("diameter", distances.diameter().to_string()),
        ("ASPL", format!("{:.4}", distances.aspl)),
        ("bisection, exact", cut.to_string()),
        ("smallest cut into two half circles", arcs.to_string()),
        ("longest sub-shortest path", longest_sub_shortest(&topology.graph).to_string()),
        ("cabinets", plan.cabinets.to_string()),
        ("total length of cable, m", format!("{:.2}", cables.total)),
        ("longest cable, m", format!("{:.3}", cables.longest)),
    ];
    let lines = rows.map(|(name, value)| format!("| {name} | {value} |"));
    format!("| `{}` | |\n| --- | ---: |\n{}", spec, lines.join("\n"))
}
