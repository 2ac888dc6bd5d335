//! The table of topology families: names, parameters and builders. A new family is one file and one line here.
//!
//! The table is data and not a trait with an implementation per family: the help text, the parser, the nearest-name
//! suggestions and the canonical form in reports all read the same lines, so they cannot disagree.

use super::families::{
    bundlefly, ccc, clos, damaged, de_bruijn, dln, dln_random, dragonfly, dragonfly_fc, dragonfly_plus, dsn, dsnf,
    equality, fat_tree2, fat_tree3, flattened_butterfly, full_mesh, gen_de_bruijn, hxmesh, hypercube, hyperx, imase_ab,
    imase_itoh, kary_ntree, kautz, mddp_directed, mddp_undirected, mesh, polarity, polarstar, rails, random_directed,
    random_regular, random_ring, random_swapping, ring, skywalk, slimfly, spectralfly, star, tofu, torus, tree, xgft,
    xpander,
};
pub use super::family::{Absent, Arguments, CABINET, Family, Kind, Parameter, SWITCHES_PER_CABINET, Value};
use super::family::{normalised, required};
use super::files;

const fn with_default(name: &'static str, kind: Kind, default: &'static str, help: &'static str) -> Parameter {
    Parameter { name, kind, absent: Absent::Default(default), help }
}

const fn optional(name: &'static str, kind: Kind, help: &'static str) -> Parameter {
    Parameter { name, kind, absent: Absent::Allowed, help }
}

const DIMS: Parameter = required("dims", Kind::Dimensions, "size of each dimension, each at least 1");
const SWITCHES: Parameter = required("n", Kind::Integer, "number of switches");
const DEGREE: Parameter =
    required("d", Kind::Integer, "degree: cables at a switch; one-way: cables out of it, and into it");
const HOSTS: Parameter = optional("p", Kind::Integer, "hosts on each switch; 1 if left out");
const TRUNK: Parameter = optional("t", Kind::Integer, "cables between two groups; 1 if left out");
const RATIO: Parameter = optional("ratio", Kind::Text, "hosts to cables up at a leaf, e.g. 3:1; 1:1 if left out");
const SPINE_TRUNK: Parameter =
    optional("t", Kind::Integer, "parallel cables up to each switch of the top level; 1 if left out");
const PORTS: Parameter = required("k", Kind::Integer, "ports of a switch, even");
const RING_DEGREE: Parameter = required("x", Kind::Integer, "x-2 regular shortcuts, halving from n/2");
const SHORTCUTS: Parameter = required("y", Kind::Integer, "random shortcuts at a switch");
const DEGREE_TWO_WAY: Parameter = required("d", Kind::Integer, "degree: cables at a switch");
const WORD_DEGREE: Parameter = required("d", Kind::Integer, "cables out of a switch, and into it");
const WORD_LENGTH: Parameter = required("k", Kind::Integer, "letters of a word: the diameter");
const SEARCH: Parameter = with_default("search", Kind::Integer, "0", "cable swaps to try for shorter paths");
const SEED: Parameter = with_default("seed", Kind::Seed, "1", "seed of the random generator");
const PATH: Parameter = required("path", Kind::Text, "name of the file; may be packed (.gz, .xz, .zst)");

/// All families, in the groups of [`GROUPS`].
#[rustfmt::skip]
pub const FAMILIES: &[Family] = &[
    Family { name: "ring", aliases: &[], help: "a cycle of n switches", parameters: &[SWITCHES], build: ring::build },
    Family { name: "mesh", aliases: &[], help: "a grid of any number of dimensions", parameters: &[DIMS], build: mesh::build },
    Family { name: "torus", aliases: &[], help: "a grid that wraps around in every dimension", parameters: &[DIMS], build: torus::build },
    Family { name: "tofu", aliases: &[], help: "a 6-D mesh and torus, X x Y x Z groups of 2 x 3 x 2", parameters: &[required("dims", Kind::Dimensions, "sizes X, Y and Z, each at least 1"), optional("mesh", Kind::Text, "axes out of xyz that do not close into rings")], build: tofu::build },
    Family { name: "hypercube", aliases: &[], help: "2^d switches, joined where one bit differs", parameters: &[required("d", Kind::Integer, "dimensions")], build: hypercube::build },
    Family { name: "hyperx", aliases: &["generalised_hypercube", "generalized_hypercube"], help: "a grid, all-to-all along every dimension", parameters: &[DIMS, optional("k", Kind::Integers, "parallel cables, [k] or one number for each dimension; [1] if left out"), HOSTS], build: hyperx::build },
    Family { name: "flattened_butterfly", aliases: &["kary_nflat"], help: "k-ary n-flat: hyperx with n-1 dimensions of k", parameters: &[required("k", Kind::Integer, "size of a dimension, and hosts on a switch"), required("n", Kind::Integer, "dimensions, that of the hosts included")], build: flattened_butterfly::build },
    Family { name: "ccc", aliases: &["cube_connected_cycles"], help: "cube-connected cycles, d*2^d switches", parameters: &[required("d", Kind::Integer, "dimensions of the cube, at least 3")], build: ccc::build },
    Family { name: "full_mesh", aliases: &["complete"], help: "every switch joined to every other", parameters: &[SWITCHES], build: full_mesh::build },
    Family { name: "star", aliases: &[], help: "switch 0 joined to all others", parameters: &[SWITCHES], build: star::build },
    Family { name: "tree", aliases: &[], help: "a complete k-ary tree of height h", parameters: &[required("k", Kind::Integer, "children of a switch"), required("h", Kind::Integer, "height; 0 is one switch")], build: tree::build },

    Family { name: "dln", aliases: &[], help: "ring, shortcuts of n/2, n/4, ...", parameters: &[SWITCHES, RING_DEGREE], build: dln::build },
    Family { name: "dln_random", aliases: &["dln_xy"], help: "DLN-x with y more random shortcuts at a switch", parameters: &[SWITCHES, RING_DEGREE, SHORTCUTS, SEED], build: dln_random::build },
    Family { name: "random_ring", aliases: &[], help: "ring with y random shortcuts at a switch", parameters: &[SWITCHES, SHORTCUTS, SEED], build: random_ring::build },
    Family { name: "dsn", aliases: &[], help: "ring, switches take turns at shortcuts", parameters: &[SWITCHES, optional("x", Kind::Integer, "levels with a shortcut; all but the last if left out")], build: dsn::build },
    Family { name: "dsnf", aliases: &["dsn_f"], help: "ring of super-nodes in expandable layers", parameters: &[SWITCHES, optional("p", Kind::Integer, "levels; the largest p with p*2^p <= n if left out"), with_default("fill", Kind::Text, "sequential", "how the last layer is filled: sequential or balanced"), with_default("strict", Kind::Boolean, "true", "whether n must be below (p+1)*2^(p+1)")], build: dsnf::build },
    Family { name: "equality", aliases: &[], help: "chordal ring of odd hops sa and even hops sb", parameters: &[SWITCHES, required("sa", Kind::Integers, "odd hops, e.g. [-1,1,3,9]"), with_default("sb", Kind::Integers, "[]", "even hops up to n/2, e.g. [4]"), HOSTS], build: equality::build },

    Family { name: "random_regular", aliases: &["random"], help: "random two-way cables, d at a switch", parameters: &[SWITCHES, DEGREE, SEED], build: random_regular::build },
    Family { name: "random_directed", aliases: &["random_digraph"], help: "random one-way cables, d out of and d into a switch", parameters: &[SWITCHES, DEGREE, SEED], build: random_directed::build },
    Family { name: "random_swapping", aliases: &[], help: "swapped cable ends, same cable lengths", parameters: &[required("base", Kind::Text, "topology to begin with, in double quotes if it has a comma"), Parameter { absent: Absent::Allowed, help: "switches in a cabinet; as the base has it, else 16, if left out", ..CABINET }, optional("swaps", Kind::Integer, "swaps; as many as cables if left out"), SEED], build: random_swapping::build },
    Family { name: "xpander", aliases: &[], help: "d+1 meta-nodes of k switches, each pair joined by a random matching", parameters: &[DEGREE_TWO_WAY, required("k", Kind::Integer, "switches in a meta-node"), SEED, HOSTS], build: xpander::build },
    Family { name: "skywalk", aliases: &[], help: "random within cabinets and between them", parameters: &[CABINET, required("c", Kind::Integer, "cabinets"), required("di", Kind::Integer, "cables of a switch inside its cabinet"), optional("do", Kind::Integer, "cables to other cabinets, straight ones first"), optional("ds", Kind::Integer, "instead of do: cables along rows and columns"), optional("dd", Kind::Integer, "instead of do: diagonal cables"), with_default("r", Kind::Text, "1", "longest cable over longest distance on the floor"), SEED], build: skywalk::build },

    Family { name: "imase_itoh", aliases: &["generalised_kautz", "generalized_kautz"], help: "one-way, i -> -d*i - alpha mod n, alpha = 1..d", parameters: &[SWITCHES, DEGREE], build: imase_itoh::build },
    Family { name: "imase_ab", aliases: &["imase"], help: "one-way, i -> (a*i + b)*d + alpha mod n, alpha = 0..d-1", parameters: &[SWITCHES, DEGREE, with_default("a", Kind::Integer, "1", "factor of the switch number"), with_default("b", Kind::Integer, "1", "addend")], build: imase_ab::build },
    Family { name: "gen_de_bruijn", aliases: &["generalised_de_bruijn", "generalized_de_bruijn"], help: "one-way, i -> d*i + alpha mod n", parameters: &[SWITCHES, DEGREE], build: gen_de_bruijn::build },
    Family { name: "de_bruijn", aliases: &[], help: "one-way, d^k switches, diameter k", parameters: &[WORD_DEGREE, WORD_LENGTH], build: de_bruijn::build },
    Family { name: "kautz", aliases: &[], help: "one-way, d^k + d^(k-1) switches, diameter k", parameters: &[WORD_DEGREE, WORD_LENGTH], build: kautz::build },
    Family { name: "mddp_directed", aliases: &[], help: "a Kautz graph cut or grown to n switches", parameters: &[SWITCHES, DEGREE, SEARCH, SEED], build: mddp_directed::build },

    Family { name: "mddp_undirected", aliases: &["mddp"], help: "a dense known graph cut or grown to n", parameters: &[SWITCHES, DEGREE, SEARCH, SEED], build: mddp_undirected::build },
    Family { name: "slimfly", aliases: &["slim_fly", "mms"], help: "2q^2 switches, diameter 2, q a prime power", parameters: &[required("q", Kind::Integer, "prime power, at least 3"), HOSTS], build: slimfly::build },
    Family { name: "polarity", aliases: &["polarity_graph"], help: "q^2+q+1 switches, diameter 2", parameters: &[required("q", Kind::Integer, "prime power")], build: polarity::build },
    Family { name: "dragonfly", aliases: &[], help: "g groups of a switches, h global cables each", parameters: &[required("a", Kind::Integer, "switches in a group"), required("h", Kind::Integer, "cables of a switch to other groups"), optional("g", Kind::Integer, "groups; a*h/t+1 if left out"), HOSTS, TRUNK, optional("l", Kind::Integer, "parallel cables between two switches of a group; 1 if left out")], build: dragonfly::build },
    Family { name: "polarstar", aliases: &[], help: "star product of a polarity graph, diameter 3", parameters: &[required("q", Kind::Integer, "prime power: q^2+q+1 supernodes"), required("k", Kind::Integer, "cables of a switch inside its supernode"), with_default("supernode", Kind::Text, "iq", "graph in a supernode: iq (inductive quad) or paley"), HOSTS], build: polarstar::build },
    Family { name: "bundlefly", aliases: &[], help: "star product of Slim Fly, diameter 3", parameters: &[required("q", Kind::Integer, "prime power, at least 3: 2q^2 supernodes"), required("m", Kind::Integer, "switches in a supernode, a prime power 1 modulo 4"), HOSTS], build: bundlefly::build },
    Family { name: "spectralfly", aliases: &["lps"], help: "Ramanujan graph LPS(p, q), degree p+1", parameters: &[required("p", Kind::Integer, "odd prime: degree p+1"), required("q", Kind::Integer, "odd prime above 2*sqrt(p): q(q^2-1) switches or half of them"), optional("hosts", Kind::Integer, "hosts on each switch; 1 if left out")], build: spectralfly::build },
    Family { name: "hxmesh", aliases: &["hammingmesh", "hamming_mesh"], help: "boards in a mesh, rows and columns joined by switches", parameters: &[required("a", Kind::Integer, "accelerators of a board in a row"), required("b", Kind::Integer, "accelerators of a board in a column"), required("x", Kind::Integer, "boards in a row"), required("y", Kind::Integer, "boards in a column"), with_default("radix", Kind::Integer, "64", "ports of the switches of rows and columns, even")], build: hxmesh::build },
    Family { name: "dragonfly_plus", aliases: &["dragonfly+", "megafly"], help: "groups of leaves and spines, spines joined to other groups", parameters: &[required("l", Kind::Integer, "leaves in a group"), required("s", Kind::Integer, "spines in a group"), required("h", Kind::Integer, "cables of a spine to other groups"), optional("g", Kind::Integer, "groups; s*h/t+1 if left out"), optional("p", Kind::Integer, "hosts on each leaf; 1 if left out"), TRUNK], build: dragonfly_plus::build },
    Family { name: "dragonfly_fc", aliases: &["dragonfly_full"], help: "c groups of z switches, all pairs joined", parameters: &[CABINET, required("c", Kind::Integer, "cabinets")], build: dragonfly_fc::build },

    Family { name: "fat_tree2", aliases: &[], help: "leaves and spines of k ports", parameters: &[PORTS, RATIO, SPINE_TRUNK], build: fat_tree2::build },
    Family { name: "fat_tree3", aliases: &["fat_tree"], help: "edge, aggregation, core switches of k ports", parameters: &[PORTS, RATIO, SPINE_TRUNK], build: fat_tree3::build },
    Family { name: "kary_ntree", aliases: &["k_ary_n_tree"], help: "k^n hosts below n levels of switches", parameters: &[required("k", Kind::Integer, "cables down from a switch"), required("n", Kind::Integer, "levels of switches")], build: kary_ntree::build },
    Family { name: "xgft", aliases: &[], help: "extended generalised fat tree", parameters: &[required("m", Kind::Integers, "children in each level, from the hosts up, e.g. [4,4]"), required("w", Kind::Integers, "parents in each level, e.g. [1,2]"), optional("p", Kind::Integers, "parallel cables to each parent, e.g. [1,2]; 1 each if left out")], build: xgft::build },
    Family { name: "clos", aliases: &[], help: "one-way, three stages", parameters: &[required("m", Kind::Integer, "middle switches"), required("n", Kind::Integer, "inputs of an ingress switch"), required("r", Kind::Integer, "ingress switches, and egress switches")], build: clos::build },

    Family { name: "damaged", aliases: &[], help: "a network with failed cables or switches", parameters: &[required("base", Kind::Text, "the intact network, in double quotes if it has a comma"), optional("without", Kind::Text, "cables by their switches and switches by number, e.g. \"3-7,12\""), optional("cables", Kind::Text, "cables that fail at random: a number, or a share such as 1%"), optional("switches", Kind::Text, "switches that fail at random: a number or a share"), optional("degraded", Kind::Text, "cables that become slower, at random: a number or a share"), optional("bandwidth", Kind::Text, "what is left of their bandwidth, e.g. 50%"), SEED], build: damaged::build },
    Family { name: "rails", aliases: &["planes"], help: "hosts with several ports: in several planes, or on several switches", parameters: &[required("base", Kind::Text, "topology of a plane, or several separated by `;`, in double quotes if there is a comma"), optional("planes", Kind::Integer, "copies of the planes; 1 if left out"), optional("ports", Kind::Integer, "ports of a host in each plane; 1 if left out"), optional("at", Kind::Text, "switches of the further ports: next (default) or group")], build: rails::build },
    Family { name: "json", aliases: &[], help: "a graph in a JSON file, by numbers or as nodes and links", parameters: &[PATH], build: files::json::build },
    Family { name: "graphml", aliases: &[], help: "a graph in a GraphML file", parameters: &[PATH], build: files::graphml::build },
    Family { name: "gml", aliases: &[], help: "a graph in a GML file", parameters: &[PATH], build: files::gml::build },
    Family { name: "ibnet", aliases: &["ibnetdiscover"], help: "an InfiniBand fabric, as ibnetdiscover writes it", parameters: &[PATH, optional("speeds", Kind::Boolean, "false to take all cables as equally fast")], build: files::ibnet::build },
    Family { name: "anynet", aliases: &[], help: "a network file of BookSim 2", parameters: &[PATH], build: files::anynet::build },
    Family { name: "edges", aliases: &["edge_list"], help: "a graph in a text file, one cable `u v` a line", parameters: &[PATH, optional("directed", Kind::Boolean, "whether cables are one-way"), optional("n", Kind::Integer, "number of switches, if more than the file names")], build: files::edges::build },
];

/// Headings of the families for `--help`, each with the name of the first family below it.
pub const GROUPS: &[(&str, &str)] = &[
    ("Grids, cubes and trees", "ring"),
    ("Rings with shortcuts", "dln"),
    ("Random", "random_regular"),
    ("One-way", "imase_itoh"),
    ("Two-way, few hops", "mddp_undirected"),
    ("Hosts on the leaves", "fat_tree2"),
    ("Failures", "damaged"),
    ("Several ports per host", "rails"),
    ("Files", "json"),
];

/// Returns the family with this name or alias.
pub fn find(name: &str) -> Option<&'static Family> {
    let name = normalised(name);
    FAMILIES.iter().find(|family| family.name == name || family.aliases.contains(&name.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_normalised() {
        let mut names: Vec<&str> =
            FAMILIES.iter().flat_map(|f| [f.name].into_iter().chain(f.aliases.iter().copied())).collect();
        assert!(names.iter().all(|name| normalised(name) == *name));
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn hyphens_and_capitals_do_not_matter() {
        assert_eq!(find("Imase-Itoh").unwrap().name, "imase_itoh");
        assert_eq!(find("random").unwrap().name, "random_regular");
        assert!(find("toros").is_none());
    }
}
