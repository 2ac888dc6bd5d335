//! Families whose switches are all equivalent.
//!
//! A graph is vertex-transitive if for any two switches a renumbering that keeps all cables maps one to the other. One
//! search then yields all distances, and the edge connectivity is the degree (W. Mader, Über den Zusammenhang
//! symmetrischer Graphen, 1970). This table lists families that are vertex-transitive by construction; a missing family
//! is only slower.

use super::super::Spec;

/// Families that are vertex-transitive for all parameters, and the reason.
const FAMILIES: &[(&str, &str)] = &[
    ("ring", "rotation"),
    ("torus", "translation"),
    ("hypercube", "translation"),
    ("hyperx", "translation"),
    ("tofu", "translation, if all axes close into rings"),
    ("spectralfly", "Cayley graph"),
    ("flattened_butterfly", "a hyperx"),
    ("full_mesh", "any permutation"),
    ("ccc", "Cayley graph"),
    ("equality", "i -> i + 2 and i -> 1 - i"),
    ("dln", "rotation: the shortcuts of all switches have the same lengths"),
];

/// Returns `true` if all switches of a topology are equivalent by construction.
pub fn vertex_transitive(spec: &Spec) -> bool {
    let name = spec.family().name;
    let excepted = match name {
        // An axis that is not a ring has ends.
        "tofu" => spec.arguments().get("mesh").is_some(),
        // Mader's theorem is for simple graphs: the cut through a dimension with few cables may be below the degree.
        "hyperx" => spec.arguments().get("k").is_some(),
        _ => false,
    };
    !excepted && FAMILIES.iter().any(|(family, _)| *family == name)
}

#[cfg(test)]
mod tests {
    use super::super::distances::{distances, of_transitive};
    use super::*;
    use crate::ids::SwitchId;
    use crate::topology::{Graph, build};
    use proptest::prelude::*;

    /// Returns a network of each family of the table, with sizes derived from small numbers.
    fn specs(a: usize, b: usize, c: usize) -> Vec<String> {
        let n = 2 * (a + b + c);
        vec![
            format!("ring:{n}"),
            format!("torus:{a}x{b}x{c}"),
            format!("hypercube:{a}"),
            format!("hyperx:{a}x{b}x{c}"),
            format!("flattened_butterfly:k={},n={}", a + 1, b.min(3) + 1),
            format!("tofu:{a}x{b}x{c}"),
            format!("spectralfly:p={},q={}", [3, 5, 7, 11, 13][b - 1], [5, 7, 11, 13][a - 1]),
            format!("full_mesh:{n}"),
            format!("ccc:{}", a + 2),
            format!("equality:n={n},sa=[-1,1,{}],sb=[{}]", 2 * a + 1, 2 * (b % (n / 4)) + 2),
            format!("equality:n={n},sa=[1,{}],sb=[]", 2 * a + 1),
            format!("dln:n={},x={}", n + b, a % 2 + 2),
        ]
    }

    #[test]
    fn every_family_of_the_table_is_tested() {
        let tested: Vec<_> = specs(1, 1, 1).iter().map(|spec| spec.split(':').next().unwrap().to_owned()).collect();
        for (name, why) in FAMILIES {
            assert!(crate::topology::registry::find(name).is_some(), "there is no family {name}");
            assert!(tested.contains(&(*name).to_owned()) && !why.is_empty(), "{name}");
        }
        for spec in [
            "mesh:3x3",
            "dln_random:n=16,x=3,y=1",
            "slimfly:5",
            "dsnf:24",
            "kautz:2,3",
            "random:n=8,d=3",
            "tofu:4x4x4,mesh=y",
            "hyperx:2x2,k=[3,1]",
        ] {
            assert!(!vertex_transitive(&build(spec).unwrap().spec), "{spec}");
        }
    }

    /// Returns the distances from a switch to all others, sorted; `None` if one cannot be reached.
    fn distances_from(graph: &Graph, from: u32) -> Vec<Option<usize>> {
        let mut distance = vec![None; graph.switches()];
        distance[from as usize] = Some(0);
        let mut queue = std::collections::VecDeque::from([SwitchId(from)]);
        while let Some(at) = queue.pop_front() {
            for next in graph.neighbours(at) {
                if distance[next.index()].is_none() {
                    distance[next.index()] = distance[at.index()].map(|hops: usize| hops + 1);
                    queue.push_back(next);
                }
            }
        }
        distance.sort_unstable();
        distance
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn all_switches_see_the_same_distances(a in 1usize..5, b in 1usize..6, c in 1usize..5) {
            for spec in specs(a, b, c) {
                let Ok(topology) = build(&spec) else { continue };
                prop_assert!(vertex_transitive(&topology.spec), "{}", spec);
                let graph = &*topology.graph;
                let first = distances_from(graph, 0);
                for from in 1..graph.switches() as u32 {
                    prop_assert_eq!(&distances_from(graph, from), &first, "{} from {}", &spec, from);
                }
                match (of_transitive(graph), distances(graph)) {
                    (Ok(quick), Ok(slow)) => prop_assert_eq!(quick, slow, "{}", spec),
                    (Err(_), Err(_)) => {}
                    _ => prop_assert!(false, "{}", spec),
                }
            }
        }
    }
}
