//! Graphs in GraphML: `node` and `edge` of one `graph`; labels, weights and other data are ignored, except the whole
//! numbers `hosts` of nodes (the hosts on a switch, 1 if missing) and `host_vertices` of the graph (the number of
//! leading vertices that are hosts with cables of their own).
//!
//! Nodes are numbered by name or in order ([`NamedNodes`]). Equal edges are parallel cables.

use crate::excerpt::excerpt;
use roxmltree::Node;
use std::path::Path;

use super::super::graph::MAX_ARCS;
use super::super::input::{Located, MAX_FILE_BYTES, read_text};
use super::super::registry::Arguments;
use super::super::{Graph, Hosts, TopologyError, xml};
use super::CABLE_HELP;
use super::named::NamedNodes;

const SHAPE_HELP: &str = "a graph is <graphml><graph edgedefault=\"undirected\"><node id=\"n0\"/>...<edge source=\"n0\" \
                          target=\"n1\"/>...</graph></graphml>";

pub(in crate::topology) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let path = arguments.text("path");
    let text = read_text(Path::new(path), MAX_FILE_BYTES)?;
    parse(path, &text)
}

/// An error at a byte of the document.
struct Wrong(usize, String, &'static str);

fn parse(file: &str, text: &str) -> Result<Graph, TopologyError> {
    if let Some(located) = xml::declarations(file, text) {
        return Err(located.into());
    }
    let document = xml::parse(file, text)?;
    match read(document.root_element()) {
        Ok((switches, directed, pairs, hosts)) => {
            Ok(Graph::with_parallel_cables(switches, directed, pairs)?.with_hosts(hosts))
        }
        Err(Wrong(at, message, help)) => {
            let place = document.text_pos_at(at);
            let (line, column) = (place.row as usize, place.col as usize);
            Err(Located { file: file.into(), line, column, message, help: help.into() }.into())
        }
    }
}

fn required<'a>(node: Node<'a, 'a>, name: &str) -> Result<&'a str, Wrong> {
    node.attribute(name).ok_or_else(|| {
        Wrong(
            node.range().start,
            format!("`{}` has no attribute `{name}`", excerpt(node.tag_name().name())),
            SHAPE_HELP,
        )
    })
}

type Parts = (usize, bool, Vec<(u32, u32)>, Hosts);

/// Key of the data of elements.
#[derive(Clone, Copy)]
struct DataKey<'a> {
    id: &'a str,
    /// Number of elements without data of this key.
    default: Option<Node<'a, 'a>>,
}

/// Returns the key with this name, for nodes or graphs. Its type may be any: networkx writes whole numbers as `long`,
/// other programs as `double`.
fn key<'a>(root: Node<'a, 'a>, of: &str, name: &str) -> Option<DataKey<'a>> {
    let found = root.children().find(|child| {
        child.tag_name().name() == "key"
            && child.attribute("attr.name") == Some(name)
            && child.attribute("for").is_none_or(|kind| kind == of || kind == "all")
    })?;
    let default = found.children().find(|child| child.tag_name().name() == "default");
    Some(DataKey { id: found.attribute("id")?, default })
}

/// Returns an element's number for a key.
fn datum(element: Node<'_, '_>, key: Option<DataKey<'_>>) -> Result<Option<u32>, Wrong> {
    let Some(key) = key else { return Ok(None) };
    let has_key = |child: &Node<'_, '_>| child.tag_name().name() == "data" && child.attribute("key") == Some(key.id);
    let Some(data) = element.children().find(has_key).or(key.default) else { return Ok(None) };
    let text = data.text().unwrap_or_default().trim();
    let whole =
        |number: f64| (number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number)).then_some(number);
    match text.parse().ok().and_then(whole) {
        Some(number) => Ok(Some(number as u32)),
        None => {
            let message = format!("`{}` is not a number of hosts", excerpt(text));
            Err(Wrong(data.range().start, message, "write a whole number, 0 or more"))
        }
    }
}

fn read<'a>(root: Node<'a, 'a>) -> Result<Parts, Wrong> {
    let wrong = |at: Node<'_, '_>, message: String, help| Wrong(at.range().start, message, help);
    if root.tag_name().name() != "graphml" {
        return Err(wrong(
            root,
            format!("the document is a `{}`, not a `graphml`", excerpt(root.tag_name().name())),
            SHAPE_HELP,
        ));
    }
    let mut graph = None;
    for element in root.children().filter(Node::is_element) {
        match element.tag_name().name() {
            "graph" if graph.replace(element).is_some() => {
                return Err(wrong(element, "there is a second graph".into(), "put each graph into a file of its own"));
            }
            "graph" | "key" | "data" | "desc" => {}
            other => return Err(wrong(element, format!("element `{}` is not supported", excerpt(other)), SHAPE_HELP)),
        }
    }
    let Some(graph) = graph else { return Err(wrong(root, "there is no graph".into(), SHAPE_HELP)) };
    let directed = match required(graph, "edgedefault")? {
        "directed" => true,
        "undirected" => false,
        other => {
            let message = format!("`edgedefault` is `{}`, and must be directed or undirected", excerpt(other));
            return Err(wrong(graph, message, SHAPE_HELP));
        }
    };
    let (of_node, of_graph) = (key(root, "node", "hosts"), key(root, "graph", "host_vertices"));
    let host_vertices = datum(graph, of_graph)?;
    let mut nodes = NamedNodes::new();
    let mut edges = Vec::new();
    for element in graph.children().filter(Node::is_element) {
        match element.tag_name().name() {
            "node" => {
                if let Some(inner) = element.children().find(|child| child.tag_name().name() == "graph") {
                    let help = "nodes with graphs inside are not supported; put all nodes into one graph";
                    return Err(wrong(inner, "there is a graph inside a node".into(), help));
                }
                let hosts = datum(element, of_node)?.unwrap_or(1);
                nodes
                    .add(required(element, "id")?, hosts)
                    .map_err(|rule| wrong(element, rule, "nodes have different ids"))?;
            }
            "edge" => {
                if edges.len() == MAX_ARCS {
                    return Err(wrong(element, format!("more than {MAX_ARCS} edges"), CABLE_HELP));
                }
                if element.attribute("directed").is_some_and(|own| own != if directed { "true" } else { "false" }) {
                    let message = "one-way and two-way edges are mixed in one graph".to_owned();
                    let help = "write a two-way edge of a directed graph as two edges";
                    return Err(wrong(element, message, help));
                }
                edges.push(element);
            }
            "data" | "desc" => {}
            other => return Err(wrong(element, format!("element `{}` is not supported", excerpt(other)), SHAPE_HELP)),
        }
    }
    let switches = nodes.len();
    if switches == 0 {
        return Err(wrong(graph, "the graph has no node".into(), SHAPE_HELP));
    }
    let named = nodes.numbered(None);
    let mut pairs = Vec::with_capacity(edges.len());
    for edge in edges {
        let (from, to) = (required(edge, "source")?, required(edge, "target")?);
        pairs.push(named.cable(from, to).map_err(|rule| wrong(edge, rule, CABLE_HELP))?);
    }
    let hosts = Hosts::from_file(of_node.map(|_| named.hosts), host_vertices, switches)
        .map_err(|rule| wrong(graph, rule, "the key `hosts` is for nodes, `host_vertices` for the graph"))?;
    Ok((switches, directed, pairs, hosts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SMALL: &str = r#"<?xml version="1.0"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="w" for="edge"/>
<graph edgedefault="directed">
<node id="b"><data key="w">1</data></node>
<node id="a"/>
<edge source="b" target="a"/>
<edge source="b" target="a"><data key="w">2</data></edge>
</graph></graphml>"#;

    #[test]
    fn nodes_are_numbered_by_name_or_in_order() {
        let graph = parse("g", SMALL).unwrap();
        assert!(graph.is_directed());
        let ends = |graph: &Graph| graph.cable_ends().map(|(u, v)| (u.0, v.0)).collect::<Vec<_>>();
        assert_eq!(ends(&graph), [(0, 1), (0, 1)]);
        let numbered = SMALL.replace("\"b\"", "\"n1\"").replace("\"a\"", "\"n0\"");
        assert_eq!(ends(&parse("g", &numbered).unwrap()), [(1, 0), (1, 0)]);
        let plain = numbered.replace("\"n", "\"");
        assert_eq!(ends(&parse("g", &plain).unwrap()), [(1, 0), (1, 0)]);
    }

    #[test]
    fn mistakes_have_a_place() {
        for (from, to, expected) in [
            ("target=\"a\"/>", "target=\"c\"/>", "g:7:1: there is no node `c`"),
            ("target=\"a\"/>", "target=\"b\"/>", "g:7:1: the edge joins node `b` to itself"),
            ("target=\"a\"/>", "target=\"a\" directed=\"false\"/>", "g:7:1: one-way and two-way"),
            ("target=\"a\"/>", "/>", "g:7:1: `edge` has no attribute `target`"),
            ("id=\"a\"", "id=\"b\"", "g:6:1: there is another node `b`"),
            ("<node id=\"a\"/>", "<hyperedge/>", "g:6:1: element `hyperedge`"),
            ("<node id=\"a\"/>", "<node id=\"a\"><graph/></node>", "g:6:14: there is a graph inside a node"),
            ("\"directed\"", "\"both\"", "g:4:1: `edgedefault` is `both`"),
            ("<key id=\"w\" for=\"edge\"/>", "<graph edgedefault='directed'/>", "g:4:1: there is a second graph"),
            ("</graphml>", "", "g:1:1: the root node was opened but never closed"),
            ("?>", "?><!DOCTYPE graphml [<!ENTITY a 'b'>]>", "g:1:40: a document type with declarations"),
        ] {
            let text = SMALL.replacen(from, to, 1);
            assert_ne!(text, SMALL, "{from}");
            let error = parse("g", &text).expect_err(&text).to_string();
            assert!(error.starts_with(expected), "{error}");
        }
        assert!(parse("g", "<a/>").unwrap_err().to_string().contains("is a `a`"));
        assert!(parse("g", "<graphml/>").unwrap_err().to_string().contains("no graph"));
        assert!(
            parse("g", "<graphml><graph edgedefault='directed'/></graphml>")
                .unwrap_err()
                .to_string()
                .contains("no node")
        );
        assert!(parse("g", "").is_err());
    }

    proptest! {
        #[test]
        fn nothing_panics(place in 0usize..500, with in "[0-9a-z<>\"/!=-]{0,3}", remove in 0usize..20) {
            let start = place.min(SMALL.len());
            let end = (start + remove).min(SMALL.len());
            let _ = parse("g", &format!("{}{with}{}", &SMALL[..start], &SMALL[end..]));
        }
    }
}
