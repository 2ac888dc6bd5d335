//! Graphs as JSON of nodes and links, as networkx (`node_link_data`), d3 and JGraphT write them:
//! `{"directed": false, "nodes": [{"id": 0}, ...], "links": [{"source": 0, "target": 1}, ...]}`, where `edges` may stand
//! for `links`.
//!
//! Cables are two-way unless `directed` is true, and equal links are parallel cables. Ids are numbers or texts; nodes
//! with the ids 0 to n-1 are the switches of these numbers ([`NamedNodes`]). `hosts` of a node is the number of hosts on
//! that switch, 1 if missing. All other members are for other programs.

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny};
use serde_json::value::RawValue;

use super::super::graph::MAX_ARCS;
use super::super::input::Located;
use super::super::locate::located;
use super::super::{Graph, Hosts, TopologyError};
use super::named::NamedNodes;
use super::{CABLE_HELP, nodes_called_hosts};

const SHAPE_HELP: &str = "a graph is {\"nodes\": [{\"id\": 0}, ...], \"links\": [{\"source\": 0, \"target\": 1}, ...]}";

/// The member that tells such a file from one with numbered switches.
#[derive(Deserialize)]
struct Probe {
    nodes: Option<IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object with the graph")]
struct WrittenGraph<'a> {
    #[serde(default)]
    directed: bool,
    #[serde(borrow)]
    nodes: Vec<LinkedNode<'a>>,
    #[serde(borrow)]
    links: Option<Vec<LinkedPair<'a>>>,
    #[serde(borrow)]
    edges: Option<Vec<LinkedPair<'a>>>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object with the `id` of a node")]
struct LinkedNode<'a> {
    #[serde(borrow)]
    id: &'a RawValue,
    hosts: Option<u32>,
    #[serde(default, rename = "type", deserialize_with = "is_host")]
    is_host: bool,
}

#[derive(Deserialize)]
#[serde(expecting = "an object with the `source` and `target` of a link")]
struct LinkedPair<'a> {
    #[serde(borrow)]
    source: &'a RawValue,
    #[serde(borrow)]
    target: &'a RawValue,
}

/// Other programs have types of other kinds as well.
fn is_host<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Ok(<&RawValue>::deserialize(deserializer)?.get().eq_ignore_ascii_case("\"host\""))
}

/// Id as it is written, with the quotes of a text: node 1 and node "1" are different ones.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Id<'a>(&'a str);

impl AsRef<str> for Id<'_> {
    fn as_ref(&self) -> &str {
        self.0.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(self.0)
    }
}

/// `true` if the text is JSON with nodes.
pub(super) fn has_nodes(text: &str) -> bool {
    serde_json::from_str(text).is_ok_and(|probe: Probe| probe.nodes.is_some())
}

pub(super) fn parse(file: &str, text: &str) -> Result<Graph, TopologyError> {
    let written: WrittenGraph<'_> =
        serde_json::from_str(text).map_err(|error| Located::from_json(file, &error, SHAPE_HELP))?;
    let wrong = |key: &str, index, message: String, help| -> TopologyError {
        located(file, text, key, index, message, help).into()
    };
    let (key, links) = match (written.links, written.edges) {
        (Some(links), None) => ("links", links),
        (None, Some(edges)) => ("edges", edges),
        (Some(_), Some(_)) => {
            return Err(wrong("edges", None, "the graph has both `links` and `edges`".into(), SHAPE_HELP));
        }
        (None, None) => {
            return Err(wrong("nodes", None, "the graph has neither `links` nor `edges`".into(), SHAPE_HELP));
        }
    };
    let mut nodes = NamedNodes::new();
    for (index, node) in written.nodes.iter().enumerate() {
        nodes
            .add(Id(node.id.get()), node.hosts.unwrap_or(1))
            .map_err(|rule| wrong("nodes", Some(index), rule, "nodes have different ids"))?;
    }
    let switches = nodes.len();
    if switches == 0 {
        return Err(wrong("nodes", None, "the graph has no node".into(), SHAPE_HELP));
    }
    if links.len() > MAX_ARCS {
        return Err(wrong(key, None, format!("there are more than {MAX_ARCS} links"), CABLE_HELP));
    }
    let named = nodes.numbered(None);
    let cable = |(index, link): (usize, &LinkedPair<'_>)| {
        named
            .cable(Id(link.source.get()), Id(link.target.get()))
            .map_err(|rule| wrong(key, Some(index), rule, CABLE_HELP))
    };
    let pairs = links.iter().enumerate().map(cable).collect::<Result<_, _>>()?;
    let has_hosts = written.nodes.iter().any(|node| node.hosts.is_some());
    let hosts = Hosts::from_file(has_hosts.then_some(named.hosts), None, switches)
        .map_err(|rule| wrong("nodes", None, rule, "`hosts` of a node is the number of hosts on that switch"))?;
    let called_hosts = written.nodes.iter().filter(|node| node.is_host).count();
    let graph = Graph::with_parallel_cables(switches, written.directed, pairs)?;
    Ok(graph.with_hosts(hosts).with_remarks(Vec::from_iter(nodes_called_hosts(called_hosts))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What networkx 3.6 writes for a path of three nodes.
    const SMALL: &str = "{\"directed\": false, \"multigraph\": true, \"graph\": {},\n\"nodes\": [{\"id\": \"b\"}, {\"id\": \"a\"}, {\"id\": 3}],\n\
                         \"links\": [{\"source\": \"b\", \"target\": \"a\", \"key\": 0},\n{\"source\": \"a\", \"target\": 3, \"key\": 0}]}";

    fn ends(graph: &Graph) -> Vec<(u32, u32)> {
        graph.cable_ends().map(|(u, v)| (u.0, v.0)).collect()
    }

    #[test]
    fn nodes_are_numbered_by_id_or_in_order() {
        let graph = parse("g", SMALL).unwrap();
        assert_eq!((graph.is_directed(), ends(&graph)), (false, vec![(0, 1), (1, 2)]));
        let numbered = SMALL.replace("\"b\"", "2").replace("\"a\"", "0").replace('3', "1").replace("links", "edges");
        assert_eq!(ends(&parse("g", &numbered).unwrap()), [(0, 1), (0, 2)]);
        let one_way = parse("g", &SMALL.replace("false", "true")).unwrap();
        assert_eq!((one_way.is_directed(), one_way.cables()), (true, 2));
    }

    #[test]
    fn hosts_are_members_of_nodes() {
        let text = SMALL.replace("{\"id\": \"b\"}", "{\"type\": \"host\", \"id\": \"b\", \"hosts\": 0, \"x\": [1]}");
        let graph = parse("g", &text).unwrap();
        assert_eq!(graph.default_hosts(), [0, 1, 1]);
        assert!(graph.remarks()[0].starts_with("1 node has the type `host`"), "{:?}", graph.remarks());
    }

    #[test]
    fn mistakes_have_a_place() {
        for (from, to, expected) in [
            ("\"target\": 3", "\"target\": \"3\"", "g:4:1: there is no node `3`"),
            ("\"target\": 3", "\"target\": \"a\"", "g:4:1: the edge joins node `a` to itself"),
            ("\"target\": 3, ", "", "g:4:25: missing field `target`"),
            ("\"id\": 3", "\"id\": \"a\"", "g:2:37: there is another node `a`"),
            ("\"id\": 3", "\"hosts\": -1, \"id\": 3", "g:2:48: invalid value: integer `-1`"),
            ("links", "lines", "g:2:10: the graph has neither"),
            ("\"graph\": {}", "\"edges\": []", "g:1:50: the graph has both"),
            ("false", "0", "g:1:14: invalid type: integer `0`"),
        ] {
            let text = SMALL.replacen(from, to, 1);
            assert_ne!(text, SMALL, "{from}");
            let error = parse("g", &text).map(|graph| ends(&graph)).expect_err(&text).to_string();
            assert!(error.starts_with(expected), "{error}");
        }
        assert!(parse("g", "{\"nodes\":[],\"links\":[]}").unwrap_err().to_string().contains("no node"));
        assert!(!has_nodes("{\"n\": 3}") && !has_nodes("[]") && has_nodes(SMALL));
    }

    proptest! {
        #[test]
        fn nothing_panics(place in 0usize..300, with in "[0-9a-z\\[\\]{}\": \u{e9}]{0,3}", remove in 0usize..20) {
            let start = place.min(SMALL.len());
            let end = (start + remove).min(SMALL.len());
            let _ = parse("g", &format!("{}{with}{}", &SMALL[..start], &SMALL[end..]));
        }
    }
}
