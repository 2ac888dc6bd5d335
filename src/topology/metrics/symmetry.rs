//! Families whose switches are all alike.
//!
//! A graph is vertex-transitive if for any two switches a renumbering that keeps all cables takes the one to the other. Then
//! one search gives all distances, and as many ways as cables lead out of a switch (W. Mader, Über den Zusammenhang
//! symmetrischer Graphen, 1970). The table here says where that is so by construction; a family that is missing is only slower.

use super::super::Spec;

/// Families that are vertex-transitive for all parameters, and why.
const FAMILIES: &[(&str, &str)] = &[
    ("ring", "rotation"),
    ("torus", "translation"),
    ("hypercube", "translation"),
    ("hyperx", "translation"),
    ("full_mesh", "any permutation"),
    ("ccc", "Cayley graph"),
    ("equality", "i -> i + 2 and i -> 1 - i"),
    ("dln", "rotation: the shortcuts of all switches have the same lengths"),
];

/// Whether all switches of a topology are alike by construction. DLN with random shortcuts is not.
pub fn vertex_transitive(spec: &Spec) -> bool {
    let family = spec.family();
    let random = family.parameters.iter().any(|parameter| matches!(parameter.name, "seed" | "y"));
    !random && FAMILIES.iter().any(|(name, _)| *name == family.name)
}

#[cfg(test)]
mod tests {
    use super::super::distances::{distances, of_transitive};
    use super::*;
    use crate::topology::build;

    #[test]
    fn one_search_gives_what_all_give() {
        let specs = ["ring:7", "torus:2x3x4", "full_mesh:6", "hypercube:4", "hyperx:3x4", "ccc:3", "dln:n=20,x=4"];
        let equality = "equality:n=14,sa=[-1,1,3,9],sb=[4]";
        for spec in specs.into_iter().chain([equality]) {
            let name = spec.split(':').next().unwrap();
            if crate::topology::registry::find(name).is_none() {
                eprintln!("skipped: there is no family {name}");
                continue;
            }
            let topology = build(spec).unwrap();
            if vertex_transitive(&topology.spec) {
                assert_eq!(of_transitive(&topology.graph).unwrap(), distances(&topology.graph).unwrap(), "{spec}");
            }
        }
        assert!(!vertex_transitive(&build("mesh:3x3").unwrap().spec));
    }
}
