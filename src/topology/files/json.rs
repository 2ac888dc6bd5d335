//! Graphs as JSON: `{"n": 4, "edges": [[0,1], [1,2]]}` with two-way cables, or `"arcs"` with one-way ones.
//!
//! Places of hosts may be included: `"hosts": [2,2,0,0]`, a number per switch, or `"host_vertices": 2` if the first two
//! vertices are hosts with cables of their own. By default there is one host on each switch.
//!
//! `"directed"` is optional and must agree. Other members are refused, so that a misspelt one is not overlooked. Equal
//! cables are merged and counted; a cable from a switch to itself is an error.
//!
//! Files with `nodes` are graphs of nodes and links ([`node_link`]).

use serde::Deserialize;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use std::fmt;
use std::path::Path;

use super::super::graph::{MAX_ARCS, MAX_SWITCHES};
use super::super::input::{Located, MAX_FILE_BYTES, read_text};
use super::super::locate::located;
use super::super::registry::Arguments;
use super::super::{Graph, Hosts, TopologyError};
use super::{CABLE_HELP, node_link};

const SHAPE_HELP: &str = "a graph is {\"n\": N, \"edges\": [[u,v],...]} with two-way cables or {\"n\": N, \"arcs\": [[u,v],...]} \
                          with one-way ones; a file with hosts and routes is a platform, not a topology";

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with the graph")]
struct WrittenGraph {
    n: u64,
    directed: Option<bool>,
    edges: Option<Pairs>,
    arcs: Option<Pairs>,
    /// Hosts on each switch.
    hosts: Option<Vec<u32>>,
    /// Number of leading vertices that are hosts.
    host_vertices: Option<u32>,
}

/// Pairs of switches, limited to the number that a graph may have.
struct Pairs(Vec<(u32, u32)>);

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PairsVisitor;
        impl<'de> Visitor<'de> for PairsVisitor {
            type Value = Pairs;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an array of pairs of switches")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Pairs, A::Error> {
                let mut pairs = Vec::new();
                while let Some(Pair(pair)) = seq.next_element()? {
                    if pairs.len() == MAX_ARCS {
                        return Err(A::Error::custom(format!("more than {MAX_ARCS} cables")));
                    }
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_seq(PairsVisitor)
    }
}

/// Exactly two numbers. (A tuple would do, but its message about a third number is misleading.)
struct Pair((u32, u32));

impl<'de> Deserialize<'de> for Pair {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PairVisitor;
        impl<'de> Visitor<'de> for PairVisitor {
            type Value = Pair;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a pair of switches")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Pair, A::Error> {
                let ends = (seq.next_element()?, seq.next_element()?);
                match (ends, seq.next_element::<serde::de::IgnoredAny>()?) {
                    ((Some(u), Some(v)), None) => Ok(Pair((u, v))),
                    _ => Err(A::Error::custom("a cable has exactly two ends")),
                }
            }
        }
        deserializer.deserialize_seq(PairVisitor)
    }
}

pub(in crate::topology) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let path = arguments.text("path");
    let text = read_text(Path::new(path), MAX_FILE_BYTES)?;
    parse(path, &text)
}

fn parse(file: &str, text: &str) -> Result<Graph, TopologyError> {
    let written: WrittenGraph = match serde_json::from_str(text) {
        Ok(written) => written,
        Err(_) if node_link::has_nodes(text) => return node_link::parse(file, text),
        Err(error) => return Err(Located::from_json(file, &error, SHAPE_HELP).into()),
    };
    let wrong = |key: &str, index, message: String, help| -> Result<Graph, TopologyError> {
        Err(located(file, text, key, index, message, help).into())
    };
    let (key, directed, pairs) = match (written.edges, written.arcs) {
        (Some(edges), None) => ("edges", false, edges.0),
        (None, Some(arcs)) => ("arcs", true, arcs.0),
        (Some(_), Some(_)) => {
            return wrong("arcs", None, "the graph has both `edges` and `arcs`".into(), SHAPE_HELP);
        }
        (None, None) => return wrong("n", None, "the graph has neither `edges` nor `arcs`".into(), SHAPE_HELP),
    };
    if let Some(said) = written.directed
        && said != directed
    {
        let message = format!("`directed` is {said}, but the graph has `{key}`");
        return wrong("directed", None, message, "`edges` are two-way cables and `arcs` are one-way ones");
    }
    if written.n == 0 || written.n > MAX_SWITCHES as u64 {
        let message = format!("`n` is {}, and must be from 1 to {MAX_SWITCHES}", written.n);
        return wrong("n", None, message, "`n` is the number of switches");
    }
    for (index, &(u, v)) in pairs.iter().enumerate() {
        if u == v {
            return wrong(key, Some(index), format!("{key}[{index}] joins switch {u} to itself"), CABLE_HELP);
        }
        if u64::from(u.max(v)) >= written.n {
            let message = format!("{key}[{index}] names switch {}, but `n` is {}", u.max(v), written.n);
            return wrong(key, Some(index), message, CABLE_HELP);
        }
    }
    let n = written.n as usize;
    let key = if written.host_vertices.is_some() { "host_vertices" } else { "hosts" };
    let hosts = match Hosts::from_file(written.hosts, written.host_vertices, n) {
        Ok(hosts) => hosts,
        Err(rule) => {
            let help = "`hosts` is a list of numbers, one for each switch; `host_vertices` a number up to `n`";
            return wrong(key, None, format!("`{key}`: {rule}"), help);
        }
    };
    let graph = if directed { Graph::directed(n, pairs)? } else { Graph::undirected(n, pairs)? };
    Ok(graph.with_hosts(hosts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn message(text: &str) -> String {
        parse("g.json", text).expect_err(text).to_string()
    }

    #[test]
    fn both_kinds_of_graph() {
        let two_way = parse("g", r#"{"directed":false,"n":3,"edges":[[0,1],[1,0],[2,1]]}"#).unwrap();
        assert_eq!((two_way.cables(), two_way.arcs(), two_way.duplicates_merged()), (2, 4, 1));
        let one_way = parse("g", r#"{"arcs":[[0,1],[1,0]],"n":2}"#).unwrap();
        assert_eq!((one_way.cables(), one_way.is_directed()), (2, true));
    }

    #[test]
    fn mistakes_have_a_place() {
        assert_eq!(message("{\"n\":3,\n\"edges\":[[0,1],\n[2,2]]}"), "g.json:3:1: edges[1] joins switch 2 to itself");
        assert_eq!(message("{\"arcs\":[[0,3]],\n\"n\":3}"), "g.json:1:10: arcs[0] names switch 3, but `n` is 3");
        assert_eq!(message(r#"{"n":0,"edges":[]}"#), "g.json:1:6: `n` is 0, and must be from 1 to 16777216");
        for (text, part) in [
            (r#"{"n":3,"edges":[[0,-1]]}"#, "integer `-1`"),
            (r#"{"n":3,"edges":[[0,5000000000]]}"#, "integer `5000000000`"),
            (r#"{"n":3,"edges":[[0,1,2]]}"#, "exactly two"),
            (r#"{"n":3,"edges":[[0]]}"#, "exactly two"),
            (r#"{"n":3,"edges":[[0,1.5]]}"#, "floating point"),
            (r#"{"n":3,"edges":[],"weights":[]}"#, "unknown field `weights`"),
            (r#"{"n":3,"edges":[],"hosts":[]}"#, "g.json:1:27: `hosts`: there are numbers of hosts for 0 switches"),
            (r#"{"n":3,"edges":[],"arcs":[]}"#, "both"),
            (r#"{"n":3}"#, "neither"),
            (r#"{"n":3,"directed":true,"edges":[]}"#, "`directed` is true"),
            (r#"{"n":99999999,"edges":[]}"#, "16777216"),
            (r#"{"edges":[]}"#, "missing field `n`"),
            (r#"{"n":1,"n":2,"edges":[]}"#, "duplicate field"),
            ("", "EOF"),
            ("[]", "1:"),
            ("{\"n\":3,\"edges\":[[0,1]]} x", "trailing"),
        ] {
            assert!(message(text).contains(part), "{text}: {}", message(text));
        }
    }

    proptest! {
        #[test]
        fn nothing_panics(text in "[{\\[]?[\"n:edgsarc0-9,\\[\\]{} -]{0,40}") {
            let _ = parse("g", &text);
        }
    }
}
