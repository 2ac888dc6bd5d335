//! Routing of packets: the outputs and virtual channels that the head of a packet may request.
//!
//! A rule is called when a head is routed, and sees the load of the outputs of its switch as of the beginning of that
//! cycle. A new rule is one file, which imports `rule.rs`, and one line of [`ROUTINGS`].

mod amin;
mod deflection;
mod dimension_order;
mod dragonfly;
mod dsnf;
mod escape;
mod first_hop;
mod hyperx;
mod planes;
mod registry;
mod rule;
mod shortest;
mod static_routes;
mod ugal;
mod ugal_equality;
mod valiant;
mod widened;

pub use deflection::Deflection;
pub use planes::PlaneRules;
pub use registry::{
    Build, DEFAULT_VCS, ROUTINGS, Ready, RoutingKind, build, build_with, check, default_for, default_of, find,
    find_buffered, ready, switching_for,
};
pub use rule::{At, Candidate, Head, Request, Rule};
