//! The families: one file each, named as in a specification, with the source of its construction at the top.
//!
//! A family is a function from checked arguments to a [`Graph`](super::Graph); its entry in
//! [`FAMILIES`](super::registry::FAMILIES) has its
//! parameters. The files `cabinets`, `galois`, `imase`, `lattice`, `legal`, `matching`, `mddp`, `ratio` and
//! `star_product` contain parts that several families share.

mod cabinets;
mod galois;
mod imase;
mod lattice;
mod legal;
mod matching;
mod mddp;
mod ratio;
mod star_product;

pub(super) mod bundlefly;
pub(super) mod ccc;
pub(crate) mod clos;
pub(crate) mod damaged;
pub(super) mod de_bruijn;
pub(super) mod dln;
pub(super) mod dln_random;
pub(crate) mod dragonfly;
pub(super) mod dragonfly_fc;
pub(super) mod dragonfly_plus;
pub(super) mod dsn;
pub(crate) mod dsnf;
pub(crate) mod equality;
pub(super) mod fat_tree2;
pub(super) mod fat_tree3;
pub(super) mod flattened_butterfly;
pub(super) mod full_mesh;
pub(super) mod gen_de_bruijn;
pub(super) mod hxmesh;
pub(super) mod hypercube;
pub(super) mod hyperx;
pub(super) mod imase_ab;
pub(super) mod imase_itoh;
pub(super) mod kary_ntree;
pub(super) mod kautz;
pub(super) mod mddp_directed;
pub(super) mod mddp_undirected;
pub(super) mod mesh;
pub(super) mod polarity;
pub(super) mod polarstar;
pub(crate) mod rails;
pub(super) mod random_directed;
pub(super) mod random_regular;
pub(super) mod random_ring;
pub(super) mod random_swapping;
pub(super) mod ring;
pub(super) mod skywalk;
pub(super) mod slimfly;
pub(crate) mod spectralfly;
pub(super) mod star;
pub(crate) mod tofu;
pub(super) mod torus;
pub(super) mod tree;
pub(crate) mod xgft;
pub(super) mod xpander;
