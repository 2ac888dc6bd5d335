//! Networks of BookSim 2 (`topology = anynet`): a line `router 0 node 0 node 1 router 1 15` lists what a router, or a
//! node, is joined to, each with the latency of the link in cycles if it is not 1.
//!
//! Routers are switches, in the order of their numbers, and nodes are hosts. Links between routers have both directions,
//! whichever end lists them, as in BookSim; of several links between two routers it keeps one.

use crate::excerpt::excerpt;
use std::collections::BTreeMap;
use std::path::Path;

use super::super::graph::MAX_ARCS;
use super::super::input::{Located, MAX_FILE_BYTES, read_text};
use super::super::registry::Arguments;
use super::super::{Graph, Hosts, TopologyError};

const HELP: &str = "a line is `router N` or `node N`, followed by what it is joined to: `node 0 router 1 15`";

pub(in crate::topology) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let path = arguments.text("path");
    let text = read_text(Path::new(path), MAX_FILE_BYTES)?;
    parse(path, &text)
}

/// Router or node, and its number.
#[derive(Clone, Copy)]
enum RouterOrNode {
    Router(u32),
    Node(u32),
}

fn parse(file: &str, text: &str) -> Result<Graph, TopologyError> {
    let mut routers: BTreeMap<u32, u32> = BTreeMap::new();
    let mut home: BTreeMap<u32, u32> = BTreeMap::new();
    let mut links: Vec<(u32, u32)> = Vec::new();
    let (mut least, mut most) = (u32::MAX, 0);
    for (index, line) in text.lines().enumerate() {
        let wrong = |word: &str, message: String| -> TopologyError {
            let column = word.as_ptr() as usize - line.as_ptr() as usize + 1;
            Located { file: file.into(), line: index + 1, column, message, help: HELP.into() }.into()
        };
        let mut words = line.split_whitespace().peekable();
        let mut item = |words: &mut std::iter::Peekable<std::str::SplitWhitespace<'_>>| {
            let Some(word) = words.next() else { return Ok(None) };
            let number = words.next().map(|number| (number, number.parse::<u32>()));
            match (word, number) {
                ("router", Some((_, Ok(number)))) => {
                    routers.insert(number, 0);
                    Ok(Some(RouterOrNode::Router(number)))
                }
                ("node", Some((_, Ok(number)))) => Ok(Some(RouterOrNode::Node(number))),
                ("router" | "node", Some((number, Err(_)))) => {
                    Err(wrong(number, format!("`{}` is not a number of a {word}", excerpt(number))))
                }
                ("router" | "node", None) => Err(wrong(word, format!("`{word}` has no number"))),
                _ => Err(wrong(word, format!("`{}` is neither `router` nor `node`", excerpt(word)))),
            }
        };
        let start = line.trim_start();
        let Some(head) = item(&mut words)? else { continue };
        if let (RouterOrNode::Node(node), None) = (head, words.peek()) {
            return Err(wrong(start, format!("node {node} is joined to nothing")));
        }
        while let Some(other) = item(&mut words)? {
            let mut latency = 1;
            if let Some(word) = words.peek().copied().filter(|word| word.starts_with(|c: char| c.is_ascii_digit())) {
                latency =
                    word.parse().map_err(|_| wrong(word, format!("`{}` is not a number of cycles", excerpt(word))))?;
                words.next();
            }
            (least, most) = (latency.min(least), latency.max(most));
            match (head, other) {
                (RouterOrNode::Node(_), RouterOrNode::Node(_)) => {
                    return Err(wrong(start, "a node is joined to a node".into()));
                }
                (RouterOrNode::Router(a), RouterOrNode::Router(b)) if a == b => {
                    return Err(wrong(start, format!("router {a} is joined to itself")));
                }
                (RouterOrNode::Router(a), RouterOrNode::Router(b)) => {
                    links.push((a, b));
                    if links.len() > MAX_ARCS {
                        return Err(wrong(start, format!("more than {MAX_ARCS} links")));
                    }
                }
                (RouterOrNode::Router(router), RouterOrNode::Node(node))
                | (RouterOrNode::Node(node), RouterOrNode::Router(router)) => {
                    if let Some(before) = home.insert(node, router).filter(|before| *before != router) {
                        return Err(wrong(start, format!("node {node} is on router {before} already")));
                    }
                }
            }
        }
    }
    let whole = |message: &str| -> TopologyError {
        Located { file: file.into(), line: 1, column: 1, message: message.into(), help: HELP.into() }.into()
    };
    if routers.is_empty() {
        return Err(whole("the file has no router"));
    }
    let n = routers.len();
    let mut remarks = Vec::new();
    if routers.keys().last().is_some_and(|&last| last as usize >= n) {
        remarks
            .push("routers have other numbers in the file; they are numbered without gaps, in the same order".into());
    }
    routers.values_mut().zip(0..).for_each(|(number, next)| *number = next);
    let mut hosts = vec![0_u32; n];
    home.values().for_each(|router| hosts[routers[router] as usize] += 1);
    if home.keys().last().is_some_and(|&last| last as usize >= home.len()) {
        remarks.push("nodes have other numbers in the file; hosts are numbered without gaps".into());
    }
    let homes: Vec<u32> = home.values().map(|router| routers[router]).collect();
    if homes.windows(2).any(|two| two[0] > two[1]) {
        remarks.push("hosts are numbered router by router, other than the nodes of the file".into());
    }
    if most > 1 {
        let cycles = if least == most { format!("{most}") } else { format!("{least} to {most}") };
        remarks.push(format!("latencies of links, {cycles} cycles in the file, are set by options instead"));
    }
    let mut pairs: Vec<(u32, u32)> = links.iter().map(|(a, b)| (routers[a], routers[b])).collect();
    pairs.iter_mut().for_each(|pair| *pair = (pair.0.min(pair.1), pair.0.max(pair.1)));
    // Both ends may list a link.
    pairs.sort_unstable();
    pairs.dedup();
    let hosts = Hosts::from_file(Some(hosts), None, n).map_err(|rule| whole(&rule))?;
    Ok(Graph::undirected(n, pairs)?.with_hosts(hosts).with_remarks(remarks))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<Graph, String> {
        parse("f", text).map_err(|error| error.to_string())
    }

    #[test]
    fn lines_list_what_a_router_is_joined_to() {
        let graph =
            read("router 0 node 0 node 1 2 router 1 15 router 2\n\nnode 2 router 1\nrouter 2 node 3 router 0").unwrap();
        let cables: Vec<(u32, u32)> = graph.cable_ends().map(|(u, v)| (u.0, v.0)).collect();
        assert_eq!(cables, [(0, 1), (0, 2)]);
        assert_eq!((graph.default_hosts(), graph.is_directed()), (vec![2, 1, 1], false));
        assert_eq!(graph.remarks(), ["latencies of links, 1 to 15 cycles in the file, are set by options instead"]);
        let gaps = read("router 5 node 0 router 9\nrouter 9 node 1\n").unwrap();
        assert_eq!((gaps.switches(), gaps.cables(), gaps.remarks().len()), (2, 1, 1));
        let slow = read("router 0 node 0 5 router 1\nrouter 1 node 7").unwrap();
        assert_eq!(slow.remarks().len(), 2, "{:?}", slow.remarks());
        let turned = read("router 0 node 1 router 1\nrouter 1 node 0\n").unwrap();
        assert!(turned.remarks()[0].contains("other than the nodes"));
    }

    #[test]
    fn mistakes_have_a_place() {
        for (text, part) in [
            ("", "f:1:1: the file has no router"),
            ("router 0 switch 1", "f:1:10: `switch` is neither"),
            ("\n router x", "f:2:9: `x` is not a number of a router"),
            ("router", "f:1:1: `router` has no number"),
            ("router 0 router 0", "joined to itself"),
            ("node 0 node 1", "a node is joined to a node"),
            ("router 0 node 0\nnode 9", "f:2:1: node 9 is joined to nothing"),
            ("router 0 node 1\nrouter 1 node 1", "f:2:1: node 1 is on router 0 already"),
            ("router 0 router 1 99999999999", "is not a number of cycles"),
            ("router 0 router 1", "no switch has a host"),
        ] {
            let error = read(text).expect_err(text);
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    proptest! {
        #[test]
        fn nothing_panics(text in "(router|node|[0-9 \n]){0,30}") {
            let _ = read(&text);
        }
    }
}
