//! The packet model against BookSim 2: logs packet by packet, rows within tolerances (`tests/data/packets.json.zst`).

use mopsim::packets::Setup;
use mopsim::packets::cycle::CycleEngine;
use mopsim::packets::destinations::Destinations;
use mopsim::packets::parameters::{HostPort, Parameters, Switching};
use mopsim::packets::run::{Mode, Outcome, PacketNetwork, Trial};
use mopsim::packets::source::{ListedPacket, PacketList, PacketSource, Process};
use mopsim::packets::statistics::{Logged, Window};
use mopsim::packets::{Wiring, routing};
use mopsim::platform::HostsPerSwitch;
use mopsim::topology::{ArcId, Graph, Topology};
use mopsim::traffic;
use rayon::prelude::*;
use serde_json::Value;
use std::sync::{Arc, LazyLock};

static GOLDEN: LazyLock<Value> = LazyLock::new(|| {
    let packed: &[u8] = include_bytes!("../../data/packets.json.zst");
    serde_json::from_slice(&zstd::decode_all(packed).expect("packed by zstd")).expect("JSON")
});

fn rows() -> &'static [Value] {
    GOLDEN["rows"].as_array().expect("rows")
}

fn id(row: &Value) -> &str {
    row["id"].as_str().expect("an id")
}

/// Topology of a row: the cables that the referee had.
fn topology(row: &Value) -> Topology {
    let written = &row["topology"];
    let Some(edges) = written["edges"].as_array() else {
        return match written["family"].as_str() {
            Some("dragonfly") => mopsim::topology::build("dragonfly:a=4,h=2,p=2").unwrap(),
            _ => mopsim::topology::build(written["mopsim"].as_str().expect("a specification")).unwrap(),
        };
    };
    let mut topology = mopsim::topology::build(written["mopsim"].as_str().expect("a specification")).unwrap();
    let pairs = edges.iter().map(|edge| (edge[0].as_u64().unwrap() as u32, edge[1].as_u64().unwrap() as u32)).collect();
    let switches = written["switches"].as_u64().unwrap() as usize;
    let graph = match written["directed"].as_bool() {
        Some(true) => Graph::directed(switches, pairs),
        _ => Graph::undirected(switches, pairs),
    };
    topology.graph = Arc::new(graph.unwrap());
    topology
}

fn parameters(row: &Value) -> Parameters {
    let config = &row["config"];
    let number = |key: &str| config[key].as_u64().unwrap_or(0) as u32;
    Parameters {
        vcs: number("num_vcs"),
        vc_buffer: number("vc_buf_size"),
        packet: number("packet_size"),
        switching: if number("vc_busy_when_full") == 1 { Switching::NotFull } else { Switching::Wormhole },
        wait_for_tail_credit: number("wait_for_tail_credit") == 1,
        hold_switch: number("hold_switch_for_packet") == 1,
        ..Parameters::default()
    }
}

fn network(row: &Value) -> PacketNetwork {
    let topology = topology(row);
    let parameters = parameters(row);
    let hosts = row["topology"]["hosts_per_switch"].as_u64().unwrap() as u32;
    let mut wiring = Wiring::new(Arc::new(topology), Some(HostsPerSwitch::Uniform(hosts)), HostPort::Own, 1).unwrap();
    let mut name = row["config"]["routing_function"].as_str().unwrap().to_owned();
    if let Some(cables) = row["topology"]["cables_and_cycles"].as_array() {
        let graph = wiring.topology.graph.clone();
        for arc in 0..graph.arcs() as u32 {
            let ends = [graph.tail(ArcId(arc)).0, graph.head(ArcId(arc)).0];
            let (low, high) = (u64::from(ends[0].min(ends[1])), u64::from(ends[0].max(ends[1])));
            let cable = cables.iter().find(|cable| (cable[0].as_u64(), cable[1].as_u64()) == (Some(low), Some(high)));
            wiring.latency[arc as usize] = cable.expect("the same cables")[2].as_u64().unwrap() as u32;
        }
        name = match name.as_str() {
            "min" => "dragonfly",
            _ => "dragonfly-ugal:booksim",
        }
        .into();
    }
    if name == "min_adapt" {
        name = "escape:booksim".into();
    }
    let wiring = Arc::new(wiring);
    let rule = Arc::from(routing::build(&name, &wiring, parameters.vcs, 1).unwrap());
    PacketNetwork { wiring, rule, parameters }
}

/// Logs: name, network, input packets, and their fate.
pub fn logs() -> impl Iterator<Item = (&'static str, PacketNetwork, PacketList, Vec<Logged>)> {
    rows().iter().filter(|row| row["result"]["packets"].is_object()).map(|row| {
        let network = network(row);
        let log = row["result"]["packets"]["rows"].as_array().unwrap();
        let number = |packet: &Value, column: usize| packet[column].as_u64().unwrap();
        let list = log.iter().map(|packet| ListedPacket {
            id: number(packet, 0),
            from: number(packet, 1) as u32,
            to: number(packet, 2) as u32,
            created: number(packet, 3) as u32,
            flits: network.parameters.packet,
        });
        let list = PacketList::new(list.collect(), network.wiring.hosts()).unwrap();
        let expected = log.iter().map(|packet| Logged {
            id: number(packet, 0),
            injected: number(packet, 4) as u32,
            head: number(packet, 5) as u32,
            tail: number(packet, 6) as u32,
            hops: number(packet, 7) as u32 - 1,
        });
        (id(row), network, list, expected.collect())
    })
}

/// Every logged packet: injection, arrival of head and of tail in the very cycle.
#[test]
fn logs_are_equal_packet_by_packet() {
    let (mut count, mut packets) = (0, 0);
    for (name, network, list, expected) in logs() {
        let mut engine = CycleEngine::new(
            Setup {
                wiring: network.wiring.clone(),
                rule: network.rule.clone(),
                parameters: network.parameters.clone(),
                packets: PacketSource::Listed(Arc::new(list)),
                seed: 1,
                window: Window { from: 0, until: 1 << 20 },
                log: true,
            },
            1,
        )
        .unwrap();
        engine.run_to(5000).unwrap();
        let found = engine.log();
        let differs = found.iter().zip(&expected).find(|(found, expected)| found != expected);
        assert!(differs.is_none() && found.len() == expected.len(), "{name}: {differs:?}");
        assert!(engine.is_clean(), "{name}: credits come back and channels are free at the end");
        packets += found.len();
        count += 1;
    }
    assert_eq!((count, packets), (12, 25_696));
}

fn pattern(row: &Value) -> String {
    let name = row["config"]["traffic"].as_str().unwrap();
    let k = row["config"]["k"].as_u64();
    match (name, k) {
        ("tornado" | "neighbor", Some(k)) => format!("{name}:k={k}"),
        _ => name.to_owned(),
    }
}

/// Runs a row with one of our seeds.
fn run_row(row: &Value, seed: u64) -> Outcome {
    let network = network(row);
    let setting = traffic::PatternInput::new(&network.wiring.topology, network.wiring.host_switches());
    let traffic = traffic::build(&pattern(row), &setting).unwrap();
    let period = row["config"]["sample_period"].as_u64().unwrap() as u32;
    let trial = Trial {
        to: Arc::new(Destinations::new(&traffic).unwrap()),
        process: Process::Bernoulli,
        load: row["offered_flits"].as_f64().unwrap(),
        seed,
        mode: if row["mode"] == "latency" { Mode::Latency } else { Mode::Throughput },
        warmup: period,
        measure: 3 * period,
        threads: 1,
    };
    network.run(&trial).unwrap()
}

/// Load that a row's network carries at full load, from the row that measured it.
fn carried(row: &Value) -> Option<f64> {
    let load = row["offered_flits"].as_f64()?;
    let begin = id(row).split(&format!("-{load}-")).next()?.to_owned();
    let full = rows().iter().find(|other| id(other).starts_with(&format!("{begin}-1.0-t-")))?;
    full["result"]["accepted_flits"].as_f64()
}

/// Rows of the same run with any seed.
fn siblings(row: &Value) -> impl Iterator<Item = &'static Value> + '_ {
    let name = |row: &Value| id(row).rsplit_once("-s").map(|(name, _)| name.to_owned());
    let own = name(row);
    rows().iter().filter(move |other| name(other) == own)
}

/// A row is met if its value is within the tolerance of the values of up to three seeds of ours: between the least and the
/// most of them, and the tolerance beyond; so may the values of the referee's seeds be, where it ran several. Tolerances:
/// accepted and hops 1 % where the network carries the load, accepted of packets of 33 flits three standard deviations of
/// their number more; latency 1.5 % up to 0.8 of the accepted traffic at full load, 5 % up to 0.9, none beyond, and 3 % for
/// packets of 33 flits; accepted at full load 3 %, 5 % with adaptive or random rules.
#[test]
fn rows_are_within_tolerances() {
    let rows: Vec<&Value> = rows()
        .iter()
        .filter(|row| row["config"]["vc_allocator"] != "islip" && row["result"]["packets"].is_null())
        .collect();
    assert_eq!(rows.len(), 107);
    let compared: Vec<(usize, Vec<String>)> = rows
        .par_iter()
        .map(|row| {
            // One seed is enough for most rows.
            let (mut found, mut count, mut wrong) = (Vec::new(), 0, vec![String::new()]);
            while !wrong.is_empty() && found.len() < 3 {
                found.push(run_row(row, 1 + found.len() as u64));
                (count, wrong) = compared_with(row, &found);
            }
            (count, wrong)
        })
        .collect();
    let wrong: Vec<&String> = compared.iter().flat_map(|row| &row.1).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(compared.iter().map(|row| row.0).sum::<usize>() > 150);
}

/// Compares runs with a row: number of comparisons, and those that fail.
fn compared_with(row: &Value, found: &[Outcome]) -> (usize, Vec<String>) {
    let (mut count, mut wrong) = (0, Vec::new());
    let mut compare = |key: &str, of: &dyn Fn(&Outcome) -> Option<f64>, tolerance: f64| {
        let Some(expected) = row["result"][key].as_f64() else { return };
        // Rows of the same run with other seeds: what the referee itself is sure of.
        let others: Vec<f64> = siblings(row).filter_map(|row| row["result"][key].as_f64()).collect();
        let lowest = others.iter().copied().fold(expected, f64::min);
        let highest = others.iter().copied().fold(expected, f64::max);
        let values: Vec<f64> = found.iter().filter_map(of).collect();
        count += 1;
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(0.0, f64::max);
        let within = least * (1.0 - tolerance) <= highest && lowest <= most * (1.0 + tolerance);
        if !within || values.len() < found.len() {
            wrong.push(format!("{} {key}: {values:?}, expected {expected} to {tolerance}", id(row)));
        }
    };
    let single = row["config"]["packet_size"] != 33;
    let rule = row["config"]["routing_function"].as_str().unwrap();
    if row["mode"] != "latency" {
        let is_static = ["dim_order", "dor", "hopvc", "min"].contains(&rule);
        compare("accepted_flits", &|o| Some(o.accepted), if is_static { 0.03 } else { 0.05 });
    } else if row["result"]["saturated"] == true {
        // The referee reports saturation at a latency of 500 cycles, we do if the network does not carry the load.
    } else {
        // Packets of 33 flits are few, and the referee draws others: it accepts 0.155 of an offered 0.15 in one row.
        let packets = row["result"]["measured_packets"].as_f64().unwrap();
        let noise = if single { 0.0 } else { 3.0 / packets.sqrt() };
        compare("accepted_flits", &|o| Some(o.accepted), 0.01 + noise);
        compare("switch_hops_mean", &|o| o.hops_mean, 0.01);
        let part = carried(row).map_or(0.0, |most| row["offered_flits"].as_f64().unwrap() / most);
        let tolerance = match part {
            _ if !single => Some(0.03),
            part if part <= 0.8 => Some(0.015),
            part if part <= 0.9 => Some(0.05),
            _ => None,
        };
        if let Some(tolerance) = tolerance {
            compare("latency_mean", &|o| o.latency_mean, tolerance);
        }
    }
    (count, wrong)
}
