//! InfiniBand fabrics as `ibnetdiscover` writes them, and as its simulator `ibsim` reads them.
//!
//! A record begins with `Switch 36 "S-..."` or `Ca 1 "H-..."` and has a line `[port] "id"[port]` for each cable; behind
//! `#` are names, and the speed of the link such as `4xEDR`. Switches are numbered in the order of their records. Every
//! port of an adapter is a host, on the switch that it is cabled to; hosts are numbered switch by switch, by the ports of
//! the switch, and have the names of the descriptions if all adapters have one. Cables between the same switches are parallel cables. Routers, and the aggregation nodes within switches,
//! take no part.

use crate::excerpt::excerpt;
use std::path::Path;

use compact_str::CompactString;
use rustc_hash::FxHashMap;

use super::super::graph::MAX_ARCS;
use super::super::input::{Located, MAX_FILE_BYTES, read_text};
use super::super::registry::Arguments;
use super::super::{Graph, Hosts, TopologyError};
use crate::printable::counted;

/// Gbit/s of data on a lane, by the name of the speed (InfiniBand Architecture Specification, volume 2, chapter 5).
const LANES: [(&str, f64); 9] = [
    ("SDR", 2.0),
    ("DDR", 4.0),
    ("QDR", 8.0),
    ("FDR10", 10.0),
    ("FDR", 13.64),
    ("EDR", 25.0),
    ("HDR", 50.0),
    ("NDR", 100.0),
    ("XDR", 200.0),
];

const HELP: &str =
    "a record is `Switch 36 \"S-...\"` or `Ca 1 \"H-...\"`, followed by lines `[1] \"H-...\"[1]`, one for each cable";

const SPEEDS_HELP: &str = "write ibnet:path=\"FILE\",speeds=false to take all cables as equal";

/// Longest name of a host in bytes: the limit of domain names.
const MAX_NAME: usize = 253;

/// Description of a node within a switch that combines data of hosts.
const AGGREGATION: &str = "Aggregation Node";

/// Kind of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FabricNode {
    Switch,
    Adapter,
    /// A router, or an aggregation node.
    Other,
}

/// Port of a node.
type Port<'a> = (&'a str, u32);

/// Cable as one of its ends describes it.
struct Cable<'a> {
    ends: [Port<'a>; 2],
    speed: Option<&'a str>,
    line: usize,
}

pub(in crate::topology) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let path = arguments.text("path");
    let text = read_text(Path::new(path), MAX_FILE_BYTES)?;
    parse(path, &text, arguments.boolean("speeds") != Some(false))
}

fn parse(file: &str, text: &str, speeds: bool) -> Result<Graph, TopologyError> {
    let wrong = |line: usize, column: usize, message: String, help: &str| -> TopologyError {
        Located { file: file.into(), line, column, message, help: help.into() }.into()
    };
    let (mut nodes, mut switches) = (FxHashMap::<&str, FabricNode>::default(), Vec::new());
    let (mut cables, mut known) = (Vec::<Cable<'_>>::new(), FxHashMap::<Port<'_>, usize>::default());
    // Names of hosts, by their adapters.
    let mut names = FxHashMap::<&str, &str>::default();
    let mut owner: Option<&str> = None;
    let mut own_widths = false;
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        let (content, comment) = split(line);
        let content = content.trim_end();
        let column = content.len() - content.trim_start().len() + 1;
        let content = content.trim_start();
        let refuse = |message: String| wrong(number, column, message, HELP);
        match content.as_bytes() {
            [] => {}
            [b'[', ..] => {
                let Some(owner) = owner else {
                    return Err(refuse("a cable before the first `Switch` or `Ca`".into()));
                };
                let Some((port, to)) = cable(content) else {
                    return Err(refuse(format!("`{}` is no cable", excerpt(content))));
                };
                let ends = [(owner, port), to];
                if comment.contains(AGGREGATION) && !to.0.starts_with("S-") {
                    nodes.insert(to.0, FabricNode::Other);
                }
                if let Some(name) = host_name(comment) {
                    names.entry(to.0).or_insert(name);
                }
                own_widths |= content.contains("w=") || content.contains("s=");
                match known.get(&ends[0]) {
                    Some(&at) if cables[at].ends == [ends[1], ends[0]] || cables[at].ends == ends => {
                        match (cables[at].speed, speed(comment)) {
                            (Some(one), Some(other)) if rate(one) != rate(other) => {
                                let message = format!("the ends of a cable state {one} and {other}");
                                return Err(wrong(number, column, message, SPEEDS_HELP));
                            }
                            (known, found) => cables[at].speed = known.or(found),
                        }
                    }
                    Some(&at) => {
                        let message = format!(
                            "port {port} of \"{owner}\" has another cable already, by line {}",
                            cables[at].line
                        );
                        return Err(refuse(message));
                    }
                    None if known.contains_key(&ends[1]) => {
                        let at = known[&ends[1]];
                        let message = format!(
                            "port {} of \"{}\" has another cable already, by line {}",
                            to.1, to.0, cables[at].line
                        );
                        return Err(refuse(message));
                    }
                    None if cables.len() == MAX_ARCS => return Err(refuse(format!("more than {MAX_ARCS} cables"))),
                    None => {
                        known.extend(ends.map(|end| (end, cables.len())));
                        cables.push(Cable { ends, speed: speed(comment), line: number });
                    }
                }
            }
            _ if content.contains('=') && !content.contains(['"', ' ']) => {}
            _ if content.starts_with("Chassis") || content.starts_with("Non-Chassis") => {}
            _ => {
                let mut words = content.split_whitespace();
                let kind = match words.next() {
                    Some("Switch") => FabricNode::Switch,
                    Some("Ca" | "Hca") => FabricNode::Adapter,
                    Some("Rt" | "Router") => FabricNode::Other,
                    Some(word @ ("include" | "do" | "module")) => {
                        return Err(refuse(format!("`{word}` of ibsim is not supported")));
                    }
                    _ => return Err(refuse(format!("`{}` is no record", excerpt(content)))),
                };
                let Some(id) = content.split('"').nth(1).filter(|id| !id.is_empty()) else {
                    return Err(refuse(format!("`{}` has no name in double quotes", excerpt(content))));
                };
                match kind {
                    FabricNode::Switch => switches.push(id),
                    FabricNode::Adapter => names.extend(host_name(comment).map(|name| (id, name))),
                    FabricNode::Other => {}
                }
                let is_aggregation = kind == FabricNode::Adapter && comment.contains(AGGREGATION);
                match nodes.get(id) {
                    Some(FabricNode::Switch) => return Err(refuse(format!("there are two records of \"{id}\""))),
                    // Lines of its cables may have said so before.
                    Some(FabricNode::Other) if kind == FabricNode::Adapter => {}
                    _ => drop(nodes.insert(id, if is_aggregation { FabricNode::Other } else { kind })),
                }
                owner = Some(id);
            }
        }
    }
    if switches.is_empty() {
        return Err(wrong(1, 1, "the file has no record of a switch".into(), HELP));
    }
    let number: FxHashMap<&str, u32> = switches.iter().copied().zip(0..).collect();
    if let Some((id, cable)) = cables.iter().find_map(|cable| {
        let lacks = |id: &str| !nodes.contains_key(id) && id.starts_with("S-");
        Some((cable.ends.iter().find(|(id, _)| lacks(id))?.0, cable))
    }) {
        let message = format!("\"{id}\" is a switch without a record of its own");
        return Err(wrong(cable.line, 1, message, "the file may be cut short; write it with ibnetdiscover once more"));
    }
    let kind = |id: &str| {
        nodes.get(id).copied().unwrap_or(if id.starts_with("R-") { FabricNode::Other } else { FabricNode::Adapter })
    };
    let mut hosts = vec![0_u32; switches.len()];
    // Switch and its port, adapter.
    let mut adapters: Vec<(u32, u32, &str)> = Vec::new();
    let (mut pairs, mut left_out) = (Vec::new(), 0);
    for cable in &cables {
        let [a, b] = cable.ends.map(|(id, _)| (id, kind(id)));
        match (a.1, b.1) {
            (FabricNode::Switch, FabricNode::Switch) if a.0 == b.0 => {
                let message = format!("a cable joins \"{}\" to itself", a.0);
                return Err(wrong(cable.line, 1, message, "leave the cable out"));
            }
            (FabricNode::Switch, FabricNode::Switch) => pairs.push((number[a.0], number[b.0], cable.speed)),
            (FabricNode::Switch, FabricNode::Adapter) => adapters.push((number[a.0], cable.ends[0].1, b.0)),
            (FabricNode::Adapter, FabricNode::Switch) => adapters.push((number[b.0], cable.ends[1].1, a.0)),
            (FabricNode::Other, _) | (_, FabricNode::Other) => left_out += 1,
            (FabricNode::Adapter, FabricNode::Adapter) => {
                let message = format!("a cable joins the adapters \"{}\" and \"{}\"", a.0, b.0);
                return Err(wrong(cable.line, 1, message, "a network has switches between its hosts"));
            }
        }
    }
    // Cables of a graph are in this order, by which slower ones are named.
    pairs.iter_mut().for_each(|pair| (pair.0, pair.1) = (pair.0.min(pair.1), pair.0.max(pair.1)));
    pairs.sort_by_key(|pair| (pair.0, pair.1));
    let mut remarks = Vec::new();
    if own_widths {
        remarks.push("widths and speeds of ibsim, w= and s=, are not read".to_owned());
    }
    if left_out > 0 {
        let ports = counted(left_out, "port");
        remarks.push(format!("{ports} of routers and aggregation nodes left out"));
    }
    let (slower, share) = match speeds {
        true => slower(&pairs, &mut remarks).map_err(|message| wrong(1, 1, message, SPEEDS_HELP))?,
        false => (Vec::new(), 1.0),
    };
    adapters.sort_unstable();
    adapters.iter().for_each(|(switch, _, _)| hosts[*switch as usize] += 1);
    let total: u64 = hosts.iter().map(|&count| u64::from(count)).sum();
    let ends = pairs.iter().map(|&(u, v, _)| (u, v)).collect();
    let hosts = Hosts::from_file((total > 0).then_some(hosts), None, switches.len())
        .map_err(|rule| wrong(1, 1, rule, "the file needs adapters, or the switches that they are cabled to"))?;
    let mut graph = Graph::with_parallel_cables(switches.len(), false, ends)?.with_hosts(hosts);
    let named: Option<Vec<CompactString>> =
        adapters.iter().map(|(_, _, id)| names.get(id).map(|name| CompactString::from(*name))).collect();
    // Without a name of their host, adapters are described by their model.
    let differ = |names: &Vec<CompactString>| names.len() == 1 || names.windows(2).any(|two| two[0] != two[1]);
    if let Some(named) = named.filter(differ) {
        graph = graph.with_host_names(named);
    }
    Ok(graph.with_slower_cables(slower, share).with_remarks(remarks))
}

/// Splits a line into its content and the comment behind a `#` that is not in quotes.
fn split(line: &str) -> (&str, &str) {
    let mut quoted = false;
    let comment = line.bytes().position(|byte| {
        quoted ^= byte == b'"';
        byte == b'#' && !quoted
    });
    comment.map_or((line, ""), |at| (&line[..at], &line[at + 1..]))
}

/// Returns a port and the port at the other end of its cable: `[1](guid) "id"[2](guid)`.
fn cable(text: &str) -> Option<(u32, Port<'_>)> {
    let bracket = |text: &str| -> Option<u32> {
        let (number, _) = text.trim_start().strip_prefix('[')?.split_once(']')?;
        number.trim().parse().ok()
    };
    let mut parts = text.splitn(3, '"');
    let (port, id, rest) = (bracket(parts.next()?)?, parts.next()?, parts.next()?);
    Some((port, (id, bracket(rest)?))).filter(|_| !id.is_empty())
}

/// Returns the name of the host in the description of an adapter: the first word in quotes, as in `"node001 mlx5_0"`.
fn host_name(comment: &str) -> Option<&str> {
    comment.split('"').nth(1)?.split_whitespace().next().filter(|name| name.len() <= MAX_NAME)
}

/// Returns the speed of a link in a comment, such as `4xEDR`, as it is written.
fn speed(comment: &str) -> Option<&str> {
    comment.split_whitespace().find(|word| rate(word).is_some())
}

/// Returns the Gbit/s of a speed such as `4xEDR`.
fn rate(word: &str) -> Option<f64> {
    let (width, speed) = word.split_once('x')?;
    let width: u32 = width.parse().ok().filter(|width| [1, 2, 4, 8, 12].contains(width))?;
    LANES.iter().find(|(name, _)| *name == speed).map(|(_, lane)| f64::from(width) * lane)
}

/// Returns the cables that are slower than the fastest, and the part of its bandwidth that they have.
fn slower(pairs: &[(u32, u32, Option<&str>)], remarks: &mut Vec<String>) -> Result<(Vec<u32>, f64), String> {
    let mut speeds: Vec<&str> = pairs.iter().filter_map(|pair| pair.2).collect();
    speeds.sort_by(|a, b| rate(b).partial_cmp(&rate(a)).unwrap_or(std::cmp::Ordering::Equal).then(a.cmp(b)));
    // Two names of one rate are one speed.
    speeds.dedup_by(|a, b| rate(a) == rate(b));
    match speeds[..] {
        [] => Ok((Vec::new(), 1.0)),
        [only] => {
            let gbit = rate(only).unwrap_or_default();
            remarks.push(format!("all cables are {only}: set link_bandwidth to {gbit} Gbit/s"));
            Ok((Vec::new(), 1.0))
        }
        [fast, slow] => {
            let own: Vec<u32> =
                (0..).zip(pairs).filter(|(_, pair)| pair.2.and_then(rate) == rate(slow)).map(|(at, _)| at).collect();
            let [most, least] = [fast, slow].map(|speed| rate(speed).unwrap_or_default());
            let (cables, are) = (counted(own.len() as u64, "cable"), if own.len() == 1 { "is" } else { "are" });
            remarks.push(format!("{cables} {are} {slow}, the others {fast}: set link_bandwidth to {most} Gbit/s"));
            Ok((own, least / most))
        }
        _ => Err(format!("cables have the speeds {}, and may have two", speeds.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<Graph, String> {
        parse("f", text, true).map_err(|error| error.to_string())
    }

    /// Two leaves with two hosts each and a spine, with two cables to each leaf, one of them slow.
    const TREE: &str = "#\n# Topology file: generated on a Friday\n#\nvendid=0x2c9\nswitchguid=0x1(1)\n\
        Switch\t36 \"S-1\"\t\t# \"leaf\" base port 0 lid 2 lmc 0\n\
        [1]\t\"H-a\"[1](a1) \t\t# \"n1 HCA-1\" lid 4 4xEDR\n\
        [2]\t\"H-b\"[1](b1) \t\t# \"n2 HCA-1\" lid 5 4xEDR\n\
        [35]\t\"S-3\"[1]\t\t# \"spine\" lid 1 4xEDR\n\
        [36]\t\"S-3\"[2]\t\t# \"spine\" lid 1 4xDDR\n\
        [37]\t\"H-1s\"[1](1s) \t\t# \"Mellanox Technologies Aggregation Node\" lid 9 4xEDR\n\n\
        Switch\t36 \"S-3\"\t\t# \"spine\" base port 0 lid 1 lmc 0\n\
        [1]\t\"S-1\"[35]\t\t# \"leaf\" lid 2 4xEDR\n\
        [2]\t\"S-1\"[36]\t\t# \"leaf\" lid 2 4xDDR\n\
        [3]\t\"S-2\"[36]\t\t# \"leaf\" lid 3 4xEDR\n\
        [4]\t\"S-2\"[35]\t\t# \"leaf\" lid 3 4xEDR\n\n\
        Switch\t36 \"S-2\"\n[1]\t\"H-c\"[1](c1)\n[2]\t\"H-c\"[2](c2)\n[35]\t\"S-3\"[4]\n[36]\t\"S-3\"[3]\n\n\
        Ca\t1 \"H-a\"\t\t# \"n1 HCA-1\"\n[1](a1) \t\"S-1\"[1]\t\t# lid 4 lmc 0 \"leaf\" lid 2 4xEDR\n";

    #[test]
    fn records_are_switches_and_hosts() {
        let graph = read(TREE).unwrap();
        assert_eq!((graph.switches(), graph.cables(), graph.is_directed()), (3, 4, false));
        assert_eq!(graph.default_hosts(), [2, 0, 2]);
        let cables: Vec<(u32, u32)> = graph.cable_ends().map(|(u, v)| (u.0, v.0)).collect();
        assert_eq!(cables, [(0, 1), (0, 1), (1, 2), (1, 2)]);
        // 16 of 100 Gbit/s.
        let shares: Vec<f64> = (0..4).map(|cable| graph.bandwidth_share(crate::topology::CableId(cable))).collect();
        assert_eq!(shares, [1.0, 0.16, 1.0, 1.0]);
        assert_eq!(graph.remarks()[0], "1 port of routers and aggregation nodes left out");
        assert!(graph.remarks()[1].starts_with("1 cable is 4xDDR, the others 4xEDR: set link_bandwidth to 100 Gbit/s"));
        assert_eq!(parse("f", TREE, false).unwrap().slowest_share(), 1.0);
    }

    #[test]
    fn hosts_have_the_names_of_their_descriptions() {
        let unnamed = read(TREE).unwrap();
        assert_eq!(unnamed.host_names(&[2, 0, 2]), None, "H-c has no description");
        let text = TREE
            .replace("[2]\t\"H-c\"[2](c2)", "[2]\t\"H-c\"[2](c2) # \"n3 HCA-2\"")
            .replace("[1]\t\"H-c\"[1](c1)", "[9]\t\"H-d\"[1](d1) # \"n0\"");
        let graph = read(&text).unwrap();
        assert_eq!(graph.host_names(&[2, 0, 2]).unwrap(), ["n1", "n2", "n3", "n0"], "by the ports of the switches");
        assert_eq!(graph.host_names(&[1, 0, 3]), None);
        let two_ports = text.replace("\"H-d\"[1](d1) # \"n0\"", "\"H-c\"[1](c1)");
        assert_eq!(read(&two_ports).unwrap().host_names(&[2, 0, 2]).unwrap(), ["n1", "n2", "n3", "n3/2"]);
        let models =
            text.replace("n1", "MT4115").replace("n2", "MT4115").replace("n3", "MT4115").replace("n0", "MT4115");
        assert_eq!(read(&models).unwrap().host_names(&[2, 0, 2]), None, "cards that nobody named");
    }

    /// In files of ibsim, either end may describe a cable, nodes have any name, and links may have a width.
    #[test]
    fn files_of_the_simulator_are_read() {
        let text = "Switch\t8 \"Switch1\"\n[1]\t\"Hca1\"[1]\n[2]\t\"Switch2\" [3]\tw=12\n\nHca\t2 \"Hca2\"\n[1]\t\"Switch2\"[1]\n\n\
                    Switch 8 \"Switch2\"\n";
        let graph = read(text).unwrap();
        assert_eq!((graph.switches(), graph.cables(), graph.default_hosts()), (2, 1, vec![1, 1]));
    }

    #[test]
    fn details_of_records_count() {
        // The second end states the speed; two names of one rate; a number sign and a description in quotes.
        let text = "Switch 8 \"S#1\" # \"Aggregation Node rack\"\n[1] \"H-1\"[1]\n[2] \"S#2\"[2]\n[3] \"S#2\"[3] # 2xHDR\n\
                    [4] \"S#2\"[4] # 4xEDR\nSwitch 8 \"S#2\"\n[1] \"H-2\"[1]\n[2] \"S#1\"[2] # \"x\" lid 1 4xSDR\n\
                    Ca 1 \"H-1\"\n[1] \"S#1\"[1]\n";
        let graph = read(text).unwrap();
        assert_eq!((graph.switches(), graph.cables(), graph.default_hosts()), (2, 3, vec![1, 1]));
        assert_eq!(graph.slowest_share(), 0.08);
        let width = read("Switch 8 \"a\"\n[1] \"b\"[1] w=1\nHca 1 \"b\"\n").unwrap();
        assert_eq!(width.remarks(), ["widths and speeds of ibsim, w= and s=, are not read"]);
    }

    #[test]
    fn mistakes_have_a_line() {
        for (text, part) in [
            ("", "f:1:1: the file has no record of a switch"),
            ("[1] \"S-1\"[1]", "f:1:1: a cable before the first"),
            ("Switch 8 S-1", "has no name"),
            ("Switch 8 \"a\"\n\n [1] \"b\"", "f:3:2: `[1] \"b\"` is no cable"),
            (
                "Switch 8 \"a\"\n[1] \"b\"[1]\n[1] \"c\"[1]",
                "f:3:1: port 1 of \"a\" has another cable already, by line 2",
            ),
            ("Switch 8 \"a\"\n[1] \"b\"[1]\n[2] \"b\"[1]", "port 1 of \"b\" has another cable"),
            ("Switch 8 \"a\"\n[1] \"a\"[2]", "f:2:1: a cable joins \"a\" to itself"),
            ("Switch 8 \"a\"\nSwitch 8 \"a\"", "two records of \"a\""),
            ("Switch 8 \"a\"\nHca 1 \"b\"\n[1] \"c\"[1]", "joins the adapters"),
            ("include other", "`include` of ibsim"),
            ("Switch 8 \"a\"\n[1] \"S-9\"[1] # 4xEDR\n[2] \"H-1\"[1]", "f:2:1: \"S-9\" is a switch without a record"),
            (
                "Switch 8 \"a\"\n[1] \"b\"[1] # 4xEDR\nSwitch 8 \"b\"\n[1] \"a\"[1] # 4xSDR",
                "f:4:1: the ends of a cable state 4xEDR and 4xSDR",
            ),
            ("0 1\n1 2", "`0 1` is no record"),
        ] {
            let error = read(text).expect_err(text);
            assert!(error.contains(part), "{text}: {error}");
        }
        let three =
            "Switch 8 \"a\"\n[1] \"b\"[1] # 4xEDR\n[2] \"b\"[2] # 4xFDR\n[3] \"b\"[3] # 4xQDR\nSwitch 8 \"b\"\n";
        assert!(read(three).unwrap_err().contains("the speeds 4xEDR, 4xFDR, 4xQDR, and may have two"));
        assert_eq!(
            parse("f", &three.replace("Switch 8 \"b\"", "Switch 8 \"b\"\n[9] \"h\"[1]"), false).unwrap().cables(),
            3
        );
    }

    proptest! {
        #[test]
        fn nothing_panics(text in "[\\[\\]0-9\"SHCa=#xEDR \n-]{0,80}") {
            let _ = parse("f", &text, true);
        }
    }
}
