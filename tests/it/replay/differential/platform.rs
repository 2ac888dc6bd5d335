//! Random platforms as SimGrid XML.

use super::options::pick;
use rand::{Rng, RngExt};
use std::collections::VecDeque;
use std::fmt::Write;

pub struct RandomPlatform {
    pub kind: &'static str,
    pub xml: String,
    pub hosts: Vec<String>,
}

const SPEEDS: [&str; 4] = ["1Gf", "2.5Gf", "100Gf", "300Mf"];
const BANDWIDTHS: [&str; 5] = ["1.25GBps", "125MBps", "5e9Bps", "40Gbps", "97MiBps"];
const LATENCIES: [&str; 6] = ["1us", "10us", "100ns", "50us", "0.3ms", "1e-7"];

impl RandomPlatform {
    pub fn new(rng: &mut impl Rng) -> Self {
        match rng.random_range(0..10) {
            0 => Self::cluster(rng),
            1 => Self::torus(rng),
            2 => Self::fat_tree(rng),
            3 => Self::between_routers(rng, "Floyd"),
            4 => Self::between_routers(rng, "Dijkstra"),
            _ => Self::full(rng),
        }
    }

    fn document(kind: &'static str, body: &str, hosts: Vec<String>) -> Self {
        let xml = format!(
            "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n\
             <platform version=\"4.1\">\n{body}</platform>\n"
        );
        Self { kind, xml, hosts }
    }

    /// Hosts on a random graph of switches, all routes written out.
    fn full(rng: &mut impl Rng) -> Self {
        let switches = rng.random_range(1..6usize);
        let hosts = rng.random_range(2..8usize);
        let place: Vec<usize> = (0..hosts).map(|_| rng.random_range(0..switches)).collect();
        let mut cables: Vec<(usize, usize)> = (1..switches).map(|s| (rng.random_range(0..s), s)).collect();
        for _ in 0..rng.random_range(0..switches) {
            let (a, b) = (rng.random_range(0..switches), rng.random_range(0..switches));
            if a < b && !cables.contains(&(a, b)) {
                cables.push((a, b));
            }
        }
        let mut body = String::from("<zone id=\"z\" routing=\"Full\">\n");
        for h in 0..hosts {
            writeln!(
                body,
                "<host id=\"h{h}\" speed=\"{}\" core=\"{}\"/>",
                pick(rng, &SPEEDS),
                pick(rng, &[1, 1, 2, 4])
            )
            .expect("text");
        }
        // A cable: one shared link, two one-way links, a split one, or a pipe; and the text for each direction.
        let cable = |body: &mut String, id: &str, rng: &mut dyn Rng| -> (String, String) {
            let kind = rng.random_range(0..8);
            let mut link = |id: &str, policy: &str| {
                let (bandwidth, latency) = (pick(rng, &BANDWIDTHS), pick(rng, &LATENCIES));
                writeln!(body, "<link id=\"{id}\" bandwidth=\"{bandwidth}\" latency=\"{latency}\"{policy}/>")
                    .expect("text");
            };
            let plain = |id: &str| format!("<link_ctn id=\"{id}\"/>");
            match kind {
                0..3 => {
                    link(id, "");
                    (plain(id), plain(id))
                }
                3..5 => {
                    let (there, back) = (format!("{id}t"), format!("{id}b"));
                    link(&there, "");
                    link(&back, "");
                    (plain(&there), plain(&back))
                }
                5..7 => {
                    link(id, " sharing_policy=\"SPLITDUPLEX\"");
                    let half = |direction: &str| format!("<link_ctn id=\"{id}\" direction=\"{direction}\"/>");
                    (half("UP"), half("DOWN"))
                }
                _ => {
                    link(id, " sharing_policy=\"FATPIPE\"");
                    (plain(id), plain(id))
                }
            }
        };
        let up: Vec<(String, String)> = (0..hosts).map(|h| cable(&mut body, &format!("n{h}"), rng)).collect();
        let between: Vec<(String, String)> =
            (0..cables.len()).map(|c| cable(&mut body, &format!("c{c}"), rng)).collect();
        for from in 0..hosts {
            for to in 0..hosts {
                if from == to {
                    continue;
                }
                writeln!(body, "<route src=\"h{from}\" dst=\"h{to}\" symmetrical=\"NO\">{}", up[from].0).expect("text");
                for (cable, forward) in way(&cables, switches, place[from], place[to]) {
                    body += if forward { &between[cable].0 } else { &between[cable].1 };
                }
                writeln!(body, "{}</route>", up[to].1).expect("text");
            }
        }
        body += "</zone>\n";
        Self::document("full", &body, (0..hosts).map(|h| format!("h{h}")).collect())
    }

    fn attributes(rng: &mut impl Rng, hosts: usize) -> (String, Vec<String>) {
        let mut text = format!(
            "id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-{}\" speed=\"{}\" core=\"{}\" bw=\"{}\" lat=\"{}\" \
             loopback_bw=\"{}\" loopback_lat=\"{}\"",
            hosts - 1,
            pick(rng, &SPEEDS),
            pick(rng, &[1, 2]),
            pick(rng, &BANDWIDTHS),
            pick(rng, &LATENCIES),
            pick(rng, &BANDWIDTHS),
            pick(rng, &LATENCIES),
        );
        if rng.random_bool(0.4) {
            text += " sharing_policy=\"SHARED\"";
        }
        (text, (0..hosts).map(|h| format!("n{h}")).collect())
    }

    fn cluster(rng: &mut impl Rng) -> Self {
        let hosts = rng.random_range(2..10);
        let (mut text, names) = Self::attributes(rng, hosts);
        if rng.random_bool(0.5) {
            write!(text, " bb_bw=\"{}\" bb_lat=\"{}\"", pick(rng, &BANDWIDTHS), pick(rng, &LATENCIES)).expect("text");
        }
        if rng.random_bool(0.3) {
            write!(text, " limiter_link=\"{}\"", pick(rng, &BANDWIDTHS)).expect("text");
        }
        Self::document("cluster", &format!("<cluster {text}/>\n"), names)
    }

    fn torus(rng: &mut impl Rng) -> Self {
        let (a, b) = (rng.random_range(2..5), rng.random_range(1..4));
        let (text, names) = Self::attributes(rng, a * b);
        let body = format!("<cluster {text} topology=\"TORUS\" topo_parameters=\"{a},{b}\"/>\n");
        Self::document("torus", &body, names)
    }

    fn fat_tree(rng: &mut impl Rng) -> Self {
        let (parameters, hosts) =
            pick(rng, &[("2;4,4;1,2;1,2", 16), ("2;2,3;1,2;1,1", 6), ("3;2,2,2;1,2,2;1,1,1", 8), ("1;6;1;2", 6)]);
        let (text, names) = Self::attributes(rng, hosts);
        let body = format!("<cluster {text} topology=\"FAT_TREE\" topo_parameters=\"{parameters}\"/>\n");
        Self::document("fat tree", &body, names)
    }

    /// Hosts and routers in a zone that computes its routes itself, ties included.
    fn between_routers(rng: &mut impl Rng, routing: &'static str) -> Self {
        let (hosts, routers) = (rng.random_range(2..7usize), rng.random_range(2..6usize));
        let mut body = format!("<zone id=\"z\" routing=\"{routing}\">\n");
        for h in 0..hosts {
            writeln!(body, "<host id=\"h{h}\" speed=\"{}\"/>", pick(rng, &SPEEDS)).expect("text");
        }
        for r in 0..routers {
            writeln!(body, "<router id=\"r{r}\"/>").expect("text");
        }
        let mut pairs: Vec<(String, String)> =
            (0..hosts).map(|h| (format!("h{h}"), format!("r{}", rng.random_range(0..routers)))).collect();
        for r in 0..routers {
            // A ring has ties in its even half.
            let next = (r + 1) % routers;
            if r != next && !(routers == 2 && r == 1) {
                pairs.push((format!("r{r}"), format!("r{next}")));
            }
        }
        for i in 0..pairs.len() {
            let (bandwidth, latency) = (pick(rng, &BANDWIDTHS), pick(rng, &LATENCIES));
            writeln!(body, "<link id=\"l{i}\" bandwidth=\"{bandwidth}\" latency=\"{latency}\"/>").expect("text");
        }
        for (i, (a, b)) in pairs.iter().enumerate() {
            writeln!(body, "<route src=\"{a}\" dst=\"{b}\"><link_ctn id=\"l{i}\"/></route>").expect("text");
        }
        body += "</zone>\n";
        Self::document(routing, &body, (0..hosts).map(|h| format!("h{h}")).collect())
    }
}

/// The cables of a shortest path, with their directions.
fn way(cables: &[(usize, usize)], switches: usize, from: usize, to: usize) -> Vec<(usize, bool)> {
    let mut came: Vec<Option<(usize, usize, bool)>> = vec![None; switches];
    let mut queue = VecDeque::from([from]);
    while let Some(here) = queue.pop_front() {
        for (c, &(a, b)) in cables.iter().enumerate() {
            let step = if a == here {
                Some((b, true))
            } else if b == here {
                Some((a, false))
            } else {
                None
            };
            if let Some((next, forward)) = step
                && next != from
                && came[next].is_none()
            {
                came[next] = Some((here, c, forward));
                queue.push_back(next);
            }
        }
    }
    let mut way = Vec::new();
    let mut here = to;
    while here != from {
        let (before, cable, forward) = came[here].expect("the graph is connected");
        way.push((cable, forward));
        here = before;
    }
    way.reverse();
    way
}
