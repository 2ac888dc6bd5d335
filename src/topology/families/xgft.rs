//! Extended generalised fat trees XGFT(h; m1..mh; w1..wh): a vertex of level i has m_i children and w_(i+1) parents.
//!
//! (S. Ohring, M. Ibel, S. Das, M. Kumar, On Generalized Fat Trees, 1995.) A vertex of level i is `(a_h .. a_(i+1), b_i
//! .. b_1)` with `a_j < m_j`, `b_j < w_j`, read as a number of mixed radix; the levels are numbered one after another.
//! It is connected to the vertices of level i + 1 that have any `b_(i+1)` in place of `a_(i+1)`. Level 0 are the hosts.
//! With `w1 = 1` each is attached to one switch and is not part of the graph; with more it has several cables and is a
//! vertex. With `p`, a vertex of level i - 1 has `p_i` parallel cables to each of its parents: PGFT(h; m; w; p) of
//! E. Zahavi (D-Mod-K Routing Providing Non-Blocking Traffic for Shift Permutations on Real Life Fat Trees, 2010).

use crate::topology::family::Arguments;
use crate::topology::graph::MAX_SWITCHES;
use crate::topology::{Graph, Hosts, TopologyError};

/// Most levels: more than any network has whose levels have two children at least.
pub(crate) const MAX_LEVELS: usize = 64;

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let (m, w) = (sizes(arguments, "m")?, sizes(arguments, "w")?);
    if m.len() != w.len() {
        return Err(arguments.invalid("w", format!("it must have as many numbers as `m`, {}", m.len())));
    }
    if m.len() > MAX_LEVELS {
        return Err(arguments.invalid("m", format!("it has {} levels, and the limit is {MAX_LEVELS}", m.len())));
    }
    let p = if arguments.get("p").is_some() { sizes(arguments, "p")? } else { vec![1; m.len()] };
    if p.len() != m.len() {
        return Err(arguments.invalid("p", format!("it must have as many numbers as `m`, {}", m.len())));
    }
    if w[0] == 1 && p[0] != 1 {
        let rule =
            "its first number must be 1: a host with one parent has one cable; for several ports, see `--host-ports`";
        return Err(arguments.invalid("p", rule));
    }
    // The vertices of the levels, and the cables above them.
    let height = m.len();
    let mut level = m.iter().try_fold(1_u128, |product, &m| product.checked_mul(m as u128)).unwrap_or(u128::MAX);
    let (mut vertices, mut cables) = (level, 0_u128);
    let mut first = vec![0_usize];
    for i in 0..height {
        arguments.limit_vertices("m", vertices)?;
        first.push(vertices as usize);
        // Numbers of parents and of parallel cables have at most 24 bits each.
        cables += level * (w[i] * p[i]) as u128;
        arguments.limit_arcs(if p[i] > w[i] { "p" } else { "w" }, 2 * cables)?;
        level = level / m[i] as u128 * w[i] as u128;
        vertices += level;
    }
    arguments.limit_vertices("w", vertices)?;
    let hosts = first[1];
    let skipped = if w[0] == 1 { hosts } else { 0 };
    let mut pairs = Vec::with_capacity(cables as usize);
    let mut below = 1;
    for i in 0..height {
        // A vertex of level i is A*below + B; its parents are (A div m)*below*w + b*below + B.
        let size = if i == 0 && skipped > 0 { 0 } else { first[i + 1] - first[i] };
        for vertex in 0..size {
            let (a, b) = (vertex / below, vertex % below);
            let parent = a / m[i] * below * w[i] + b;
            let ends = (0..w[i]).map(|up| {
                ((first[i] + vertex - skipped) as u32, (first[i + 1] + parent + up * below - skipped) as u32)
            });
            pairs.extend(ends.flat_map(|end| std::iter::repeat_n(end, p[i])));
        }
        below *= w[i];
    }
    let n = vertices as usize - skipped;
    let graph = Graph::with_parallel_cables(n, false, pairs)?;
    Ok(graph.with_hosts(if skipped == 0 {
        Hosts::Vertices(hosts as u32)
    } else {
        let leaves = hosts / m[0];
        Hosts::OnSwitches((0..n).map(|switch| if switch < leaves { m[0] as u32 } else { 0 }).collect())
    }))
}

fn sizes(arguments: &Arguments, name: &str) -> Result<Vec<usize>, TopologyError> {
    let given = arguments.integers(name);
    if given.is_empty() {
        return Err(arguments.invalid(name, "it must have a number for each level"));
    }
    let size = |&size: &i64| usize::try_from(size).ok().filter(|size| (1..=MAX_SWITCHES).contains(size));
    let sizes: Option<Vec<usize>> = given.iter().map(size).collect();
    sizes.ok_or_else(|| arguments.invalid(name, format!("every number must be from 1 to {MAX_SWITCHES}")))
}

#[cfg(test)]
mod tests {
    use crate::topology::build;

    #[test]
    fn towers_without_end_are_refused() {
        let ones = |levels| vec!["1"; levels].join(",");
        let tower = |levels| build(&format!("xgft:m=[{0}],w=[{0}]", ones(levels)));
        assert!(tower(64).is_ok());
        assert!(tower(65).unwrap_err().to_string().contains("65 levels, and the limit is 64"));
    }

    #[test]
    fn the_example_of_the_specification() {
        let graph = build("xgft:m=[2,3],w=[1,2]").unwrap().graph;
        let (whole, hosts) = graph.with_host_vertices().unwrap().unwrap();
        let ends: Vec<_> = whole.cable_ends().map(|(u, v)| (u.0, v.0)).collect();
        let expected =
            [(0, 6), (1, 6), (2, 7), (3, 7), (4, 8), (5, 8), (6, 9), (6, 10), (7, 9), (7, 10), (8, 9), (8, 10)];
        assert_eq!((hosts, ends), (6, expected.to_vec()));
    }

    #[test]
    fn a_host_with_several_cables_is_a_vertex() {
        // Two hosts, each on both of two switches.
        let graph = build("xgft:m=[2],w=[2]").unwrap().graph;
        assert_eq!((graph.switches(), graph.switch_vertices(), graph.cables()), (4, 2, 4));
        assert_eq!(graph.default_hosts(), [1, 1, 0, 0]);
    }
}
