//! Replays, collectives and sharing against SimGrid and against slow solvers.

mod collective_reference;
mod communicators;
mod corpus;
mod differential;
mod golden_micro;
mod maxmin_lp;
