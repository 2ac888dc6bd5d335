//! Graphs in GML (M. Himsolt, GML: A portable Graph File Format, 1997), as networkx, igraph, Gephi and yEd write them:
//! `graph [ directed 1 node [ id 0 label "a" ] edge [ source 0 target 1 ] ]`.
//!
//! Cables are two-way unless `directed` is 1, and equal edges are parallel cables. Nodes whose labels, or else whose
//! ids, are numbers are the switches of these numbers ([`NamedNodes`]). `hosts` of a node is the number of hosts on that
//! switch, 1 if missing; `host_vertices` of the graph the number of leading vertices that are hosts. All other keys are
//! for other programs.

use crate::excerpt::excerpt;
use std::path::Path;

use super::super::graph::MAX_ARCS;
use super::super::input::{Located, MAX_FILE_BYTES, place, read_text};
use super::super::registry::Arguments;
use super::super::{Graph, Hosts, TopologyError};
use super::named::NamedNodes;
use super::{CABLE_HELP, nodes_called_hosts};

const SHAPE_HELP: &str = "a graph is `graph [ node [ id 0 ] ... edge [ source 0 target 1 ] ... ]`";

pub(in crate::topology) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let path = arguments.text("path");
    let text = read_text(Path::new(path), MAX_FILE_BYTES)?;
    parse(path, &text)
}

/// Error at a byte of the text.
struct Misfit(usize, String, &'static str);

fn shape(at: usize, message: impl Into<String>) -> Misfit {
    Misfit(at, message.into(), SHAPE_HELP)
}

fn parse(file: &str, text: &str) -> Result<Graph, TopologyError> {
    let located = |Misfit(at, message, help): Misfit| -> TopologyError {
        let (line, column) = place(text, at);
        Located { file: file.into(), line, column, message, help: help.into() }.into()
    };
    let content = read(text).map_err(located)?;
    let remarks = Vec::from_iter(nodes_called_hosts(content.called_hosts));
    let (switches, directed, pairs, hosts) = parts(content).map_err(located)?;
    Ok(Graph::with_parallel_cables(switches, directed, pairs)?.with_hosts(hosts).with_remarks(remarks))
}

/// Value of a key.
#[derive(Clone, Copy)]
enum Value<'a> {
    /// Number or word.
    Word(&'a str),
    Text(&'a str),
    Open,
}

/// Splits a text into keys and their values.
struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    /// Skips white space, and comments from `#` to the end of the line.
    fn skip(&mut self) {
        loop {
            let rest = self.text[self.at..].trim_start();
            self.at = self.text.len() - rest.len();
            if !rest.starts_with('#') {
                return;
            }
            self.at += rest.find('\n').unwrap_or(rest.len());
        }
    }

    /// Returns the next word, and its place; an empty one before a bracket, a quote or the end.
    fn word(&mut self) -> (usize, &'a str) {
        self.skip();
        let rest = &self.text[self.at..];
        let length = rest.find(|c: char| c.is_whitespace() || "[]\"#".contains(c)).unwrap_or(rest.len());
        let start = self.at;
        self.at += length;
        (start, &rest[..length])
    }

    /// Returns the next key, its value and its place; `None` at the bracket that ends the list, or at the end.
    fn entry(&mut self) -> Result<Option<(usize, &'a str, Value<'a>)>, Misfit> {
        let (start, key) = self.word();
        if key.is_empty() {
            return match self.text[start..].chars().next() {
                None | Some(']') => Ok(None),
                Some(other) => Err(shape(start, format!("`{other}` is where a key is expected"))),
            };
        }
        if !key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            return Err(shape(start, format!("`{}` is not a key, which begins with a letter", excerpt(key))));
        }
        let (at, word) = self.word();
        if !word.is_empty() {
            return Ok(Some((start, key, Value::Word(word))));
        }
        let rest = &self.text[at..];
        if rest.starts_with('[') {
            self.at += 1;
            return Ok(Some((start, key, Value::Open)));
        }
        let Some(quoted) = rest.strip_prefix('"') else {
            return Err(shape(start, format!("`{}` has no value", excerpt(key))));
        };
        let Some(length) = quoted.find('"') else {
            return Err(shape(at, format!("the text of `{}` has no closing quote", excerpt(key))));
        };
        self.at += length + 2;
        Ok(Some((start, key, Value::Text(&quoted[..length]))))
    }

    /// Passes the bracket that ends the list of `key`, which began at `start`.
    fn close(&mut self, start: usize, key: &str) -> Result<(), Misfit> {
        if !self.text[self.at..].starts_with(']') {
            return Err(shape(start, format!("the list of `{}` has no closing bracket", excerpt(key))));
        }
        self.at += 1;
        Ok(())
    }

    /// Calls `visit` with each entry of the list of `key`, except lists, which are skipped.
    fn values(
        &mut self,
        start: usize,
        key: &str,
        mut visit: impl FnMut(usize, &'a str, &'a str) -> Result<(), Misfit>,
    ) -> Result<(), Misfit> {
        let mut open = vec![(start, key)];
        while let Some(&(start, key)) = open.last() {
            match self.entry()? {
                None => {
                    self.close(start, key)?;
                    open.pop();
                }
                Some((at, key, Value::Open)) => open.push((at, key)),
                Some((at, key, Value::Word(value) | Value::Text(value))) if open.len() == 1 => visit(at, key, value)?,
                Some(_) => {}
            }
        }
        Ok(())
    }
}

/// Content of a file.
struct Content<'a> {
    /// Place of the graph.
    start: usize,
    directed: bool,
    host_vertices: Option<u32>,
    nodes: NamedNodes<&'a str>,
    /// Labels, where each node has one.
    labels: Vec<&'a str>,
    /// `true` if a node says how many hosts it has.
    has_hosts: bool,
    /// Nodes whose type is `host`.
    called_hosts: usize,
    edges: Vec<(usize, &'a str, &'a str)>,
}

fn whole_number(at: usize, key: &str, value: &str) -> Result<u32, Misfit> {
    let message = || format!("`{key}` is `{}`, and must be a whole number, 0 or more", excerpt(value));
    value.parse().map_err(|_| shape(at, message()))
}

fn read(text: &str) -> Result<Content<'_>, Misfit> {
    let mut scanner = Scanner { text, at: 0 };
    let mut found = None;
    loop {
        match scanner.entry()? {
            Some((start, "graph", Value::Open)) => {
                if found.is_some() {
                    return Err(Misfit(
                        start,
                        "there is a second graph".into(),
                        "put each graph into a file of its own",
                    ));
                }
                found = Some(graph(&mut scanner, start)?);
            }
            Some((start, key, Value::Open)) => scanner.values(start, key, |_, _, _| Ok(()))?,
            Some(_) => {}
            None if scanner.at < text.len() => {
                return Err(shape(scanner.at, "there is a closing bracket without an opening one"));
            }
            None => return found.ok_or_else(|| shape(0, "there is no graph")),
        }
    }
}

fn graph<'a>(scanner: &mut Scanner<'a>, start: usize) -> Result<Content<'a>, Misfit> {
    let mut content = Content {
        start,
        directed: false,
        host_vertices: None,
        nodes: NamedNodes::new(),
        labels: Vec::new(),
        has_hosts: false,
        called_hosts: 0,
        edges: Vec::new(),
    };
    while let Some((at, key, value)) = scanner.entry()? {
        match (key, value) {
            ("node", Value::Open) => node(scanner, at, &mut content)?,
            ("edge", Value::Open) => edge(scanner, at, &mut content)?,
            (key, Value::Open) => scanner.values(at, key, |_, _, _| Ok(()))?,
            ("directed", Value::Word(value)) => {
                content.directed = match value {
                    "0" => false,
                    "1" => true,
                    _ => return Err(shape(at, format!("`directed` is `{}`, and must be 0 or 1", excerpt(value)))),
                }
            }
            ("host_vertices", Value::Word(value)) => content.host_vertices = Some(whole_number(at, key, value)?),
            _ => {}
        }
    }
    scanner.close(start, "graph")?;
    Ok(content)
}

fn node<'a>(scanner: &mut Scanner<'a>, start: usize, content: &mut Content<'a>) -> Result<(), Misfit> {
    let (mut id, mut label, mut hosts, mut kind) = (None, None, None, "");
    scanner.values(start, "node", |at, key, value| {
        match key {
            "id" => id = Some(value),
            "label" => label = Some(value),
            "hosts" => hosts = Some(whole_number(at, key, value)?),
            "type" => kind = value,
            _ => {}
        }
        Ok(())
    })?;
    let id = id.ok_or_else(|| shape(start, "the node has no `id`"))?;
    let help = "nodes have different ids";
    content.nodes.add(id, hosts.unwrap_or(1)).map_err(|rule| Misfit(start, rule, help))?;
    content.labels.extend(label);
    content.has_hosts |= hosts.is_some();
    content.called_hosts += usize::from(kind.eq_ignore_ascii_case("host"));
    Ok(())
}

fn edge<'a>(scanner: &mut Scanner<'a>, start: usize, content: &mut Content<'a>) -> Result<(), Misfit> {
    let (mut source, mut target) = (None, None);
    scanner.values(start, "edge", |_, key, value| {
        match key {
            "source" => source = Some(value),
            "target" => target = Some(value),
            _ => {}
        }
        Ok(())
    })?;
    let source = source.ok_or_else(|| shape(start, "the edge has no `source`"))?;
    let target = target.ok_or_else(|| shape(start, "the edge has no `target`"))?;
    if content.edges.len() == MAX_ARCS {
        return Err(Misfit(start, format!("there are more than {MAX_ARCS} edges"), CABLE_HELP));
    }
    content.edges.push((start, source, target));
    Ok(())
}

type Parts = (usize, bool, Vec<(u32, u32)>, Hosts);

fn parts(content: Content<'_>) -> Result<Parts, Misfit> {
    let (start, switches) = (content.start, content.nodes.len());
    if switches == 0 {
        return Err(shape(start, "the graph has no node"));
    }
    let labels = (content.labels.len() == switches).then_some(content.labels.as_slice());
    let named = content.nodes.numbered(labels);
    let cable = |&(at, source, target): &(usize, &str, &str)| {
        named.cable(source, target).map_err(|rule| Misfit(at, rule, CABLE_HELP))
    };
    let pairs = content.edges.iter().map(cable).collect::<Result<_, _>>()?;
    let hosts = Hosts::from_file(content.has_hosts.then_some(named.hosts), content.host_vertices, switches)
        .map_err(|rule| Misfit(start, rule, "the key `hosts` is for nodes, `host_vertices` for the graph"))?;
    Ok((switches, content.directed, pairs, hosts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SMALL: &str = "Creator \"a [ b\"\ngraph [\n  directed 1 # one-way\n  node [ id 7 label \"b\" graphics [ x 1.0 fill [ id 9 ] ] ]\n  \
                         node [ id 9 label \"a\" ]\n  edge [ source 7 target 9 value 1.5 ]\n  edge [ source 7 target 9 key 1 ]\n]\n";

    fn ends(graph: &Graph) -> Vec<(u32, u32)> {
        graph.cable_ends().map(|(u, v)| (u.0, v.0)).collect()
    }

    #[test]
    fn nodes_are_numbered_by_label_by_id_or_in_order() {
        let graph = parse("g", SMALL).unwrap();
        assert_eq!((graph.is_directed(), ends(&graph)), (true, vec![(0, 1), (0, 1)]));
        let by_id = SMALL.replace("id 7", "id 1").replace("source 7", "source 1").replace('9', "0");
        assert_eq!(ends(&parse("g", &by_id).unwrap()), [(1, 0), (1, 0)]);
        let by_label = by_id.replace("\"b\"", "\"0\"").replace("\"a\"", "\"1\"");
        assert_eq!(ends(&parse("g", &by_label).unwrap()), [(0, 1), (0, 1)]);
        let two_way = parse("g", &SMALL.replace("directed 1", "")).unwrap();
        assert_eq!((two_way.is_directed(), two_way.cables()), (false, 2));
    }

    #[test]
    fn hosts_are_keys_of_nodes() {
        let graph = parse("g", &SMALL.replace("id 7 ", "id 7 hosts 3 type \"host\" ")).unwrap();
        assert_eq!(graph.default_hosts(), [3, 1]);
        assert!(graph.remarks()[0].starts_with("1 node has the type `host`"), "{:?}", graph.remarks());
        let vertices = parse("g", &SMALL.replace("directed 1", "host_vertices 1")).unwrap();
        assert_eq!(vertices.hosts(), &Hosts::Vertices(1));
    }

    #[test]
    fn mistakes_have_a_place() {
        for (from, to, expected) in [
            ("target 9 key", "target 8 key", "g:7:3: there is no node `8`"),
            ("target 9 key", "target 7 key", "g:7:3: the edge joins node `7` to itself"),
            ("target 9 key", "key", "g:7:3: the edge has no `target`"),
            ("id 9 label", "label", "g:5:3: the node has no `id`"),
            ("id 9 label", "id 7 label", "g:5:3: there is another node `7`"),
            ("id 9 label", "id 9 hosts -1 label", "g:5:15: `hosts` is `-1`"),
            ("directed 1", "directed 2", "g:3:3: `directed` is `2`"),
            ("directed 1", "directed", "g:3:3: `directed` is `node`"),
            ("directed 1", "extra [ directed ]", "g:3:11: `directed` has no value"),
            ("directed 1", "1 directed", "g:3:3: `1` is not a key"),
            ("directed 1", "\"directed\" 1", "g:3:3: `\"` is where a key is expected"),
            ("\"a\" ]", "\"a ]", "g:5:21: the text of `label` has no closing quote"),
            (" key 1 ]\n]", "", "g:7:3: the list of `edge` has no closing bracket"),
            ("]\n]\n", "]\n", "g:2:1: the list of `graph` has no closing bracket"),
            ("]\n]\n", "]\n]\n]", "g:9:1: there is a closing bracket without an opening one"),
            ("]\n]\n", "]\n]\ngraph [ ]", "g:9:1: there is a second graph"),
            ("graph [", "tree [", "g:1:1: there is no graph"),
        ] {
            let text = SMALL.replacen(from, to, 1);
            assert_ne!(text, SMALL, "{from}");
            let error = parse("g", &text).map(|graph| ends(&graph)).expect_err(&text).to_string();
            assert!(error.starts_with(expected), "{error}");
        }
        assert!(parse("g", "graph [ ]").unwrap_err().to_string().contains("no node"));
        assert!(parse("g", "").unwrap_err().to_string().contains("no graph"));
    }

    proptest! {
        #[test]
        fn nothing_panics(place in 0usize..500, with in "[0-9a-z\\[\\]\"# \u{e9}]{0,3}", remove in 0usize..20) {
            let start = place.min(SMALL.len());
            let end = (start + remove).min(SMALL.len());
            let _ = parse("g", &format!("{}{with}{}", &SMALL[..start], &SMALL[end..]));
        }
    }
}
