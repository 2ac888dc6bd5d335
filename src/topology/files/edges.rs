//! Graphs as text: a line `u v` per cable; `#` begins a comment, empty lines do not count.
//!
//! The number of switches is one more than the largest number in the file, unless more are requested. Cables are
//! two-way unless stated otherwise in the specification (`edges:path=cables.txt,directed=true,n=64`), or in a comment
//! before the first cable that contains only `directed`, `undirected`, `n=64` and the places of hosts, so that a file
//! can be self-contained: `hosts=4*2,6*0` is 2 hosts on each of the first 4 switches and none on 6 more,
//! `host_vertices=6` declares the first 6 vertices as hosts with cables of their own. A remark names comments that have
//! such words and others as well. By default there is one host on each switch.

use crate::excerpt::excerpt;
use std::path::Path;

use super::super::graph::{MAX_ARCS, MAX_SWITCHES};
use super::super::input::{Located, MAX_FILE_BYTES, read_text};
use super::super::registry::Arguments;
use super::super::{Graph, Hosts, TopologyError};
use super::CABLE_HELP;
use crate::printable::counted;

/// Longest supported line, in bytes: two numbers and a remark fit, a file of another kind does not.
const MAX_LINE_BYTES: usize = 4096;

/// Most comments that are remarked on.
const MAX_REMARKS: usize = 3;

const LINE_HELP: &str = "each line is two switch numbers `u v`; remarks begin with `#`";

pub(in crate::topology) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let asked = match arguments.integer("n") {
        None => None,
        Some(_) => Some(arguments.switches("n", 1)?),
    };
    let path = arguments.text("path");
    let text = read_text(Path::new(path), MAX_FILE_BYTES)?;
    parse(path, &text, arguments.boolean("directed"), asked)
}

fn parse(file: &str, text: &str, directed: Option<bool>, switches: Option<usize>) -> Result<Graph, TopologyError> {
    let mut header = GraphHeader { directed, switches, ..GraphHeader::default() };
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    let (mut largest, mut attributes) = (0, 0_usize);
    let mut remarks = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let wrong = |column: usize, message: String, help: &str| -> Result<Graph, TopologyError> {
            Err(Located { file: file.into(), line: index + 1, column, message, help: help.into() }.into())
        };
        if line.len() > MAX_LINE_BYTES {
            return wrong(MAX_LINE_BYTES + 1, format!("the line is longer than {MAX_LINE_BYTES} bytes"), LINE_HELP);
        }
        let (numbers, comment) = line.split_once('#').unwrap_or((line, ""));
        if numbers.trim().is_empty() {
            match header.read(comment, pairs.is_empty()) {
                Ok(Some(reason)) if remarks.len() < MAX_REMARKS => {
                    remarks.push(format!("line {}, `#{comment}`, is read as a comment: {reason}", index + 1))
                }
                Ok(_) => {}
                Err(message) => return wrong(1, message, "leave the option or the header out, or make them agree"),
            }
        }
        let mut words =
            numbers.split_whitespace().map(|word| (word.as_ptr() as usize - line.as_ptr() as usize + 1, word));
        let Some(first) = words.next() else { continue };
        let Some(second) = words.next() else {
            if let Some((family, what)) = other_format(text) {
                let help = format!("write {family}:path=\"{file}\"");
                return wrong(first.0, format!("this is {what}"), &help);
            }
            if first.1.split([',', ';']).count() == 2 {
                let help = "put a space between the switches in place of the comma, or name the file as a JSON or GraphML graph";
                return wrong(first.0, format!("`{}` is one word; a cable has two ends", excerpt(first.1)), help);
            }
            let is_number = first.1.bytes().all(|byte| byte.is_ascii_digit());
            let what =
                if pairs.is_empty() && !is_number { "a word".to_owned() } else { format!("`{}`", excerpt(first.1)) };
            return wrong(first.0, format!("{what} is alone; a cable has two ends"), LINE_HELP);
        };
        // networkx writes the attributes of an edge behind its ends.
        let third = words.next();
        attributes += usize::from(third.is_some_and(|(_, word)| word.starts_with('{') && word != "{}"));
        if let Some((column, word)) = third.filter(|(_, word)| !word.starts_with('{')) {
            if let Some((family, what)) = other_format(text) {
                let help = format!("write {family}:path=\"{file}\"");
                return wrong(first.0, format!("this is {what}"), &help);
            }
            let help = "each line is two switch numbers `u v`; write cables without weights, or put them behind a `#`";
            return wrong(column, format!("`{}` is one word too many", excerpt(word)), help);
        }
        let mut ends = [0; 2];
        for (end, (column, word)) in ends.iter_mut().zip([first, second]) {
            let limit = header.switches.unwrap_or(MAX_SWITCHES);
            match word.parse::<u32>() {
                Ok(number) if (number as usize) < limit => *end = number,
                _ => {
                    let message = format!("`{}` is not a switch number from 0 to {}", excerpt(word), limit - 1);
                    return wrong(column, message, CABLE_HELP);
                }
            }
        }
        if ends[0] == ends[1] {
            return wrong(first.0, format!("the cable joins switch {} to itself", ends[0]), CABLE_HELP);
        }
        if pairs.len() == MAX_ARCS {
            return wrong(first.0, format!("more than {MAX_ARCS} cables"), "this is not a graph that can be simulated");
        }
        largest = largest.max(ends[0]).max(ends[1]);
        pairs.push((ends[0], ends[1]));
    }
    let n = match header.switches {
        Some(n) => n,
        None if pairs.is_empty() => {
            let message = "the file has no cable and does not say how many switches there are".into();
            let help = format!("{LINE_HELP}; say the number with `n=` in the specification or `# n=64` in the file");
            return Err(Located { file: file.into(), line: 1, column: 1, message, help }.into());
        }
        None => largest as usize + 1,
    };
    let hosts = Hosts::from_file(header.hosts, header.host_vertices, n).map_err(|rule| {
        let help = "write `# hosts=4*2,6*0` for 2 hosts on each of the first 4 switches, none on the next 6";
        Located { file: file.into(), line: 1, column: 1, message: format!("the header: {rule}"), help: help.into() }
    })?;
    let graph = if header.directed == Some(true) { Graph::directed(n, pairs)? } else { Graph::undirected(n, pairs)? };
    if attributes > 0 {
        let have = if attributes == 1 { "has" } else { "have" };
        remarks.push(format!("{} {have} attributes, which are not read", counted(attributes as u64, "cable")));
    }
    Ok(graph.with_hosts(hosts).with_remarks(remarks))
}

/// Returns the family that reads a text of another format, and what the text is.
fn other_format(text: &str) -> Option<(&'static str, &'static str)> {
    let begins = |word: &str| text.lines().any(|line| line.trim_start().starts_with(word));
    if begins("Switch") {
        return Some(("ibnet", "a fabric of ibnetdiscover, not a list of cables"));
    }
    (begins("router ") || begins("node ")).then_some(("anynet", "a network of BookSim, not a list of cables"))
}

/// Parses `4*2,6*0`: runs of switches with equal numbers of hosts.
fn runs(text: &str) -> Option<Vec<u32>> {
    let mut hosts = Vec::new();
    for run in text.split(',') {
        let (switches, count) = run.split_once('*').unwrap_or(("1", run));
        let (switches, count) = (switches.parse::<usize>().ok()?, count.parse::<u32>().ok()?);
        if switches > MAX_SWITCHES - hosts.len() {
            return None;
        }
        hosts.resize(hosts.len() + switches, count);
    }
    Some(hosts)
}

/// Properties of the whole graph, from the specification or the head of the file.
#[derive(Default)]
struct GraphHeader {
    directed: Option<bool>,
    switches: Option<usize>,
    hosts: Option<Vec<u32>>,
    host_vertices: Option<u32>,
}

impl GraphHeader {
    /// Applies a comment that is a header, and ignores other comments. Returns why a comment with words of a header is
    /// none; `in_time` if no cable precedes it.
    fn read(&mut self, comment: &str, in_time: bool) -> Result<Option<String>, String> {
        let joined = comment.to_lowercase().replace(" =", "=").replace("= ", "=");
        let words = || joined.split_whitespace().map(|word| word.trim_matches([',', ';', '.', ':']));
        let key =
            |word: &str| word.split_once('=').is_some_and(|(key, _)| ["n", "hosts", "host_vertices"].contains(&key));
        let is_known = |word: &str| word == "directed" || word == "undirected" || key(word);
        let looks_known = |word: &str| is_known(word) || word.starts_with("directed") || word.starts_with("undirected");
        if !words().any(looks_known) {
            return Ok(None);
        }
        if let Some(other) = words().find(|word| !is_known(word)) {
            let known = excerpt(words().find(|word| is_known(word)).unwrap_or("directed"));
            let other = excerpt(other);
            let reason =
                format!("a header has only words such as `{known}`; leave out `{other}` and the like if it is one");
            return Ok(Some(reason));
        }
        if !in_time {
            return Ok(Some("a header precedes the first cable".into()));
        }
        let (mut directed, mut switches, mut hosts, mut host_vertices) = (None, None, None, None);
        for word in words() {
            match word.split_once('=') {
                None => directed = Some(word == "directed"),
                Some(("n", text)) => {
                    switches =
                        Some(text.parse().map_err(|_| format!("`{}` is not a number of switches", excerpt(word)))?);
                }
                Some(("hosts", text)) => {
                    hosts = Some(
                        runs(text).ok_or_else(|| format!("`{}` is not a list of numbers of hosts", excerpt(word)))?,
                    );
                }
                Some((_, text)) => {
                    host_vertices =
                        Some(text.parse().map_err(|_| format!("`{}` is not a number of hosts", excerpt(word)))?);
                }
            }
        }
        if let Some(n) = switches
            && (n == 0 || n > MAX_SWITCHES)
        {
            return Err(format!("the header says n={n}, and n must be from 1 to {MAX_SWITCHES}"));
        }
        if directed.is_some() && self.directed.is_some() && directed != self.directed {
            return Err("the header contradicts an earlier `directed`".into());
        }
        if switches.is_some() && self.switches.is_some() && switches != self.switches {
            return Err("the header contradicts an earlier `n`".into());
        }
        self.directed = self.directed.or(directed);
        self.switches = self.switches.or(switches);
        self.hosts = self.hosts.take().or(hosts);
        self.host_vertices = self.host_vertices.or(host_vertices);
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn graph(text: &str) -> Graph {
        parse("g.txt", text, None, None).unwrap()
    }

    fn message(text: &str) -> String {
        parse("g.txt", text, None, None).expect_err(text).to_string()
    }

    #[test]
    fn lines_are_cables() {
        let plain = graph("# a path\n0 1\r\n\n  2\t1 # the second\n1 2\n");
        assert_eq!(
            (plain.switches(), plain.cables(), plain.duplicates_merged(), plain.is_directed()),
            (3, 2, 1, false)
        );
        let said = graph("# directed n=5\n0 1\n1 0");
        assert_eq!((said.switches(), said.cables(), said.is_directed()), (5, 2, true));
        for header in ["# Directed", "# directed, n=2", "#directed;", "# N = 2 Directed"] {
            assert!(graph(&format!("{header}\n0 1\n")).is_directed(), "{header}");
        }
        for comment in
            ["# directed=true", "# type: directed", "# directed: yes", "# n = 6 switches", "# Directed graph (SNAP)"]
        {
            let graph = graph(&format!("{comment}\n0 1\n"));
            assert!(!graph.is_directed() && graph.switches() == 2 && graph.remarks().len() == 1, "{comment}");
        }
        // However many comments are only similar to a header, one is a header.
        let late = graph(&format!("{}# directed n=3\n0 1\n", "# a directed graph\n".repeat(5)));
        assert!(late.is_directed() && late.switches() == 3 && late.remarks().len() == 3);
        // A comment that happens to contain the word, and a header that is too late, have no effect, but are named.
        let vague = graph("# a directed graph\n# of switches\n0 1\n# directed\n");
        assert!(!vague.is_directed());
        assert_eq!(
            vague.remarks(),
            [
                "line 1, `# a directed graph`, is read as a comment: a header has only words such as `directed`; leave out `a` \
                 and the like if it is one",
                "line 4, `# directed`, is read as a comment: a header precedes the first cable"
            ]
        );
        assert_eq!(parse("g", "0 1", Some(true), Some(9)).unwrap().switches(), 9);
        let plain = graph("0 1 {}\n1 2 {}\n");
        assert_eq!((plain.cables(), plain.remarks().len()), (2, 0));
        let weighted = graph("0 1 {'weight': 2}\n1 2 {}\n");
        assert_eq!(
            (weighted.cables(), weighted.remarks()),
            (2, &["1 cable has attributes, which are not read".to_owned()][..])
        );
    }

    #[test]
    fn mistakes_have_a_place() {
        assert_eq!(message("0 1\n 3 3\n"), "g.txt:2:2: the cable joins switch 3 to itself");
        assert_eq!(message("0 -1"), "g.txt:1:3: `-1` is not a switch number from 0 to 16777215");
        assert_eq!(message("# n=4\n0 4"), "g.txt:2:3: `4` is not a switch number from 0 to 3");
        for (text, part) in [
            ("0", "is alone"),
            ("0 1 2.5", "1:5: `2.5` is one word too many"),
            ("0,1\n", "g.txt:1:1: `0,1` is one word"),
            ("# n=four\n0 1", "g.txt:1:1: `n=four` is not a number of switches"),
            ("router 0 node 0\n", "a network of BookSim"),
            ("switchguid=0x1\nSwitch 8 \"a\"\n", "a fabric of ibnetdiscover"),
            ("zero 1", "`zero`"),
            ("0 99999999999999999999", "1:3"),
            ("0 16777216", "16777215"),
            ("", "no cable"),
            ("# n=0\n", "n=0"),
            ("# directed\n# undirected\n0 1", "g.txt:2:1: the header contradicts"),
        ] {
            assert!(message(text).contains(part), "{text}: {}", message(text));
        }
        assert!(message(&"0 ".repeat(3000)).contains("longer than 4096 bytes"));
        assert!(parse("g", "# undirected\n0 1", Some(true), None).is_err());
    }

    #[test]
    fn hosts_hang_where_the_header_says() {
        let on_switches = graph("# undirected n=3 hosts=2*2,1*0\n0 2\n1 2\n");
        assert_eq!(on_switches.default_hosts(), [2, 2, 0]);
        assert_eq!(graph("# host_vertices=2\n0 2\n1 2\n").default_hosts(), [1, 1, 0]);
        for (text, part) in [
            ("# hosts=2*2\n0 2\n", "numbers of hosts for 2 switches, and the graph has 3"),
            ("# hosts=2*x\n0 1\n", "g.txt:1:1: `hosts=2*x` is not a list"),
            ("# hosts=9999999999*1\n0 1\n", "is not a list"),
            ("# hosts=2*0\n0 1\n", "no switch has a host"),
            ("# host_vertices=3\n0 1\n", "3 of 2 vertices cannot be hosts"),
            ("# hosts=2*2 host_vertices=1\n0 1\n", "not both"),
        ] {
            assert!(message(text).contains(part), "{text}: {}", message(text));
        }
    }

    proptest! {
        #[test]
        fn nothing_panics(text in "[0-9 \n#nédirect=-]{0,60}") {
            let _ = parse("g", &text, None, None);
        }
    }
}
