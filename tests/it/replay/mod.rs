//! Replays, collectives and sharing against SimGrid and against slow solvers.

mod collective_reference;
mod communicators;
mod corpus;
mod delivery;
mod differential;
mod golden_micro;
mod jobs;
mod loggops;
mod maxmin_lp;
mod mpich4;
mod proportional;
mod steady;
mod within;
