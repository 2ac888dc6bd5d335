//! The paper on Skywalk, figure 11: 256 switches of 60 ns with eight hosts each, cables by their lengths.

use super::{Command, Point, Results, Run, holds, table, unless_saturated};
use crate::pages::Page;

const TORUS: &str = "torus:dims=4x8x8";
const HYPERCUBE: &str = "hypercube:d=8";
const DRAGONFLY: &str = "dragonfly_fc:z=8,c=32";
const HYPERX: &str = "hyperx:dims=4x8x8";
/// Random networks of degrees 6, 8 and 11.
const RANDOM: [&str; 3] =
    ["random_regular:n=256,d=6,seed=1", "random_regular:n=256,d=8,seed=1", "random_regular:n=256,d=11,seed=1"];
/// Skywalk of the same degrees.
const SKYWALK: [&str; 3] = [
    "skywalk:z=8,c=32,di=3,do=3,r=1,seed=1",
    "skywalk:z=8,c=32,di=4,do=4,r=1,seed=1",
    "skywalk:z=8,c=32,di=7,do=4,r=1,seed=1",
];
const NETWORKS: [&str; 10] =
    [TORUS, HYPERCUBE, RANDOM[0], RANDOM[1], RANDOM[2], SKYWALK[0], SKYWALK[1], SKYWALK[2], DRAGONFLY, HYPERX];
const NAMES: [(&str, u32); 10] = [
    ("torus 4x8x8", 6),
    ("hypercube", 8),
    ("random", 6),
    ("random", 8),
    ("random", 11),
    ("Skywalk", 6),
    ("Skywalk", 8),
    ("Skywalk", 11),
    ("Dragonfly", 11),
    ("HyperX 4x8x8", 17),
];
const LOWEST: f64 = 0.01;
const TWO: [&str; 2] = ["uniform", "bit_reversal"];
/// Rate of a link in Gbit/s, of which eight hosts share one.
const RATE: f64 = 96.0;
const MOST: f64 = RATE / 8.0;

pub const RUN: Run = Run {
    data: "flits-skywalk",
    patterns: "uniform,bit_reversal",
    options: &[
        "--hosts-per-switch",
        "8",
        "--preset",
        "skywalk",
        "--cable-delay",
        "5 ns",
        "--switches-per-cabinet",
        "8",
        "--warmup",
        "3000",
        "--measure",
        "9000",
    ],
    commands: &[Command {
        networks: &NETWORKS,
        routings: &["escape"],
        loads: "0.01,0.02,0.04,0.06,0.08,0.1,0.12",
        options: &[],
    }],
    repeated: true,
};

pub fn put(page: &Page) {
    let all = Results::read(RUN.data);
    page.put("skywalk statements", &statements(&all));
    for pattern in TWO {
        page.put(&format!("skywalk {}", pattern.replace('_', " ")), &curves(&all, pattern));
    }
}

fn at<'a>(all: &'a Results, network: &str, pattern: &str, load: f64) -> &'a Point {
    let series = all.series(network, "escape", pattern, "shared");
    series.into_iter().find(|point| point.load == load).expect("a point at this load")
}

/// Returns the latency at the lowest load.
fn latency(all: &Results, network: &str, pattern: &str) -> f64 {
    at(all, network, pattern, LOWEST).latency.expect("carried")
}

/// Returns the Gbit/s of a host that a network carries.
fn carried(all: &Results, network: &str, pattern: &str) -> f64 {
    all.carried(network, "escape", pattern, "shared")[0] * RATE
}

/// Latencies by load, and traffic.
fn curves(all: &Results, pattern: &str) -> String {
    let row = |(network, (name, degree)): (&str, (&str, u32))| {
        let mut row = vec![name.to_owned(), degree.to_string()];
        let first = at(all, network, pattern, LOWEST);
        row.push(unless_saturated(first, first.hops, 2));
        for load in [LOWEST, 0.04, 0.08, 0.1] {
            let point = at(all, network, pattern, load);
            row.push(unless_saturated(point, point.latency, 0));
        }
        let [carried, full] = all.carried(network, "escape", pattern, "shared");
        row.extend([carried, full].map(|load| format!("{:.1}", load * RATE)));
        row
    };
    let rows = NETWORKS.into_iter().zip(NAMES).map(row).collect();
    let heading = ["network", "degree", "hops", "latency at 0.01", "0.04", "0.08", "0.1", "carried", "at 1.0"];
    table(&heading, &format!("| --- |{}", " ---: |".repeat(8)), rows)
}

fn statements(all: &Results) -> String {
    let mut rows = Vec::new();
    let mut row = |pattern: &str, statement: &str, found: String, verdict: &str| {
        let pattern = pattern.replace('_', " ");
        rows.push(vec![pattern, statement.to_owned(), found, verdict.to_owned()]);
    };
    for pattern in TWO {
        let hyperx = carried(all, HYPERX, pattern);
        let statement = "HyperX carries close to the maximum rate of a host (12 Gbit/s; within 10 %)";
        row(pattern, statement, format!("{hyperx:.1}"), holds(hyperx >= 0.9 * MOST));
    }
    for pattern in TWO {
        let of = |network| latency(all, network, pattern);
        let [dragonfly, hyperx, torus, hypercube] = [DRAGONFLY, HYPERX, TORUS, HYPERCUBE].map(of);
        let [skywalk, random] = [SKYWALK[2], RANDOM[2]].map(of);
        row(
            pattern,
            "latency: torus, hypercube > random > Skywalk > Dragonfly, HyperX (degree 11)",
            format!("{torus:.0}, {hypercube:.0} > {random:.0} > {skywalk:.0} > {dragonfly:.0}, {hyperx:.0}"),
            holds(torus.min(hypercube) > random && random > skywalk && skywalk > dragonfly.max(hyperx)),
        );
    }
    for (degree, place) in [(6, 0), (8, 1)] {
        let ratio = latency(all, SKYWALK[place], "bit_reversal") / latency(all, RANDOM[place], "bit_reversal");
        let traffic = carried(all, SKYWALK[place], "bit_reversal") / carried(all, RANDOM[place], "bit_reversal");
        row(
            "bit_reversal",
            &format!("Skywalk carries about half of random at low degree ({degree})"),
            format!("{traffic:.2} of random's traffic, with {ratio:.2} of its latency"),
            holds((0.4..=0.6).contains(&traffic)),
        );
    }
    for pattern in TWO {
        let torus = carried(all, TORUS, pattern);
        let least = |lowest: u32| {
            let others = NETWORKS.into_iter().zip(NAMES).skip(1).filter(|(_, (_, degree))| *degree >= lowest);
            others.map(|(network, _)| carried(all, network, pattern)).fold(f64::INFINITY, f64::min)
        };
        let [all_others, larger] = [least(0), least(8)];
        row(
            pattern,
            "the torus accepts least",
            format!("{torus:.1}; lowest of the others {all_others:.1}, lowest at degree 8 or more {larger:.1}"),
            match (torus < all_others, torus < larger) {
                (true, _) => "true",
                (false, true) => "true against degree 8 or more",
                (false, false) => "not here",
            },
        );
    }
    table(&["pattern", "statement", "found", "verdict"], "| --- | --- | --- | --- |", rows)
}
