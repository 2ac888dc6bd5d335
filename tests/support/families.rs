//! Plain builders of families, for the reference tests only, in trees where the registry does not have the family yet.

use mopsim::topology::{Graph, Topology, build, registry};
use serde_json::Value;

/// The topology of an entry of the reference values: from the registry, or from a plain builder under the specification of a
/// star of the same size. `None` if there is neither; the name is then printed.
pub fn topology(entry: &Value) -> Option<Topology> {
    let name = entry["topology"].as_str()?;
    let spec = super::spec(entry);
    if registry::find(name).is_some() {
        return Some(build(&spec).unwrap_or_else(|error| panic!("{spec}: {error}")));
    }
    let graph = plain(name, &entry["params"]);
    eprintln!("{spec}: no such family; {}", if graph.is_some() { "a plain builder stands in" } else { "skipped" });
    let graph = graph?;
    let mut topology = build(&format!("star:{}", graph.switches().max(2))).expect("a star");
    topology.graph = graph.into();
    Some(topology)
}

fn plain(name: &str, parameters: &Value) -> Option<Graph> {
    let number = |key: &str| parameters[key].as_u64().map(|value| value as u32);
    let list =
        |key: &str| parameters[key].as_array().map(|v| v.iter().map(|v| v.as_i64().unwrap_or(0)).collect::<Vec<_>>());
    let mut cables = Vec::new();
    let n = match name {
        "hypercube" => {
            let d = number("d")?;
            cables.extend((0..1 << d).flat_map(|i| (0..d).map(move |b| (i, i ^ (1 << b)))));
            1 << d
        }
        "hyperx" => {
            let mut step = 1;
            let n: i64 = list("dims")?.iter().product();
            for d in list("dims")? {
                let line = |i: i64| (0..d).map(move |x| (i as u32, (i - i / step % d * step + x * step) as u32));
                cables.extend((0..n).flat_map(line));
                step *= d;
            }
            n as u32
        }
        "dragonfly" | "dragonfly_fc" => {
            let (a, h, g) = match name {
                "dragonfly" => (number("a")?, number("h")?, number("g").unwrap_or(number("a")? * number("h")? + 1)),
                _ => (number("z")?, (number("c")? - 1).div_ceil(number("z")?), number("c")?),
            };
            for group in 0..g {
                cables.extend((0..a).flat_map(|r| (0..r).map(move |s| (group * a + r, group * a + s))));
                for other in (0..g).filter(|&other| other != group) {
                    let port = |from: u32, to: u32| from * a + (if to < from { to } else { to - 1 }) / h;
                    cables.push((port(group, other), port(other, group)));
                }
            }
            a * g
        }
        "equality" => {
            let n = i64::from(number("n")?);
            let hops = [list("sa")?, list("sb")?].concat();
            let to = |i: i64, hop: i64| if i % 2 == 0 { i + hop } else { i - hop }.rem_euclid(n) as u32;
            cables.extend((0..n).flat_map(|i| hops.iter().map(move |&hop| (i as u32, to(i, hop)))));
            n as u32
        }
        "slimfly" => {
            // Prime fields only; powers of primes need polynomials.
            let q = number("q").filter(|q| (2..*q).all(|f| q % f > 0))?;
            let root = (2..q).find(|&g| {
                (1..q - 1).try_fold(1, |power, _| Some(power * g % q).filter(|&power| power != 1)).is_some()
            })?;
            let (delta, w) = if q % 4 == 1 { (1, q / 4) } else { (-1, q.div_ceil(4)) };
            let power = |e: u32| (0..e).fold(1, |power, _| power * root % q);
            let sets: [Vec<u32>; 2] = if delta == 1 {
                [(0..q - 1).step_by(2).map(power).collect(), (1..q - 1).step_by(2).map(power).collect()]
            } else {
                [
                    (0..2 * w - 1).step_by(2).chain((2 * w - 1..4 * w - 2).step_by(2)).map(power).collect(),
                    (1..2 * w).step_by(2).chain((2 * w..4 * w - 1).step_by(2)).map(power).collect(),
                ]
            };
            for (half, set) in sets.iter().enumerate() {
                for (x, y) in (0..q * q).map(|i| (i / q, i % q)) {
                    let at = |y| half as u32 * q * q + x * q + y;
                    cables.extend(set.iter().map(|s| (at(y), at((y + s) % q))));
                }
            }
            for (x, m, c) in (0..q * q * q).map(|i| (i / q / q, i / q % q, i % q)) {
                cables.push((x * q + (m * x + c) % q, q * q + m * q + c));
            }
            2 * q * q
        }
        "dsn" => {
            let n = number("n")?;
            let p = u32::BITS - (n - 1).leading_zeros();
            let x = number("x").unwrap_or(p - 1);
            for i in 0..n {
                cables.push((i, (i + 1) % n));
                let level = i % p + 1;
                if level <= x {
                    let least = (n >> level).max(1);
                    cables.extend((least..n).map(|d| (i + d) % n).find(|j| j % p == level).map(|j| (i, j)));
                }
            }
            n
        }
        "dsnf" => {
            let n = number("n")?;
            let p = number("p").or((1..20).take_while(|p| p << p <= n).last())?;
            let (size, nodes, balanced) = (p << p, 1 << p, parameters["fill"] == "balanced");
            let label = |i: u32| {
                let last = i / size == n / size;
                let place = i % size;
                if balanced && last { (place / nodes, place % nodes) } else { (place % p, place / p) }
            };
            let find = |level: u32, layer: u32, node: u32| {
                (layer * size..n.min((layer + 1) * size)).find(|&i| label(i) == (level, node % nodes))
            };
            for i in 0..n {
                let ((level, node), layer) = (label(i), i / size);
                let local = find((level + 1) % p, layer, node);
                cables.extend(local.map(|j| (i, j)));
                if layer > 0 {
                    cables.extend(find(level, layer - 1, node).map(|j| (i, j)));
                } else if level == p - 1 {
                    cables.extend(find(0, 0, node + 1).map(|j| (i, j)));
                } else {
                    cables.extend(find(level + 1, 0, node + (1 << (p - level - 1))).map(|j| (i, j)));
                }
            }
            n
        }
        "kautz" => {
            let (d, k) = (number("d")?, number("k")?);
            let mut words: Vec<Vec<u32>> = (0..=d).map(|a| vec![a]).collect();
            for _ in 1..k {
                let longer = |w: &Vec<u32>| {
                    (0..=d).filter(|a| w.last() != Some(a)).map(|a| [&w[..], &[a]].concat()).collect::<Vec<_>>()
                };
                words = words.iter().flat_map(longer).collect();
            }
            for (i, word) in words.iter().enumerate() {
                for c in (0..=d).filter(|c| word.last() != Some(c)) {
                    let next = [&word[1..], &[c]].concat();
                    cables.push((i as u32, words.binary_search(&next).ok()? as u32));
                }
            }
            return Graph::directed(words.len(), cables).ok();
        }
        _ => return None,
    };
    Graph::undirected(n as usize, cables).ok()
}
