//! The replay: a clock, the ranks, and the two things that take time, hosts and network.
//!
//! A replay alternates between two phases. At one instant, every rank that can continue does so until it blocks
//! (`run`). Then the clock jumps to the next event of a host or of the network, and the ranks that it releases become
//! ready. Nothing here depends on files, terminals or threads.

mod agreement;
mod ahead;
mod background;
mod boundaries;
mod clock;
mod collectives;
mod cpu;
mod error;
mod graph;
mod graphs;
mod groups;
mod jobs;
mod loggops;
mod model;
mod observer;
mod one_sided;
mod open_requests;
mod outcome;
mod point_to_point;
mod process;
mod progress;
mod rank_ends;
mod replay;
mod rounds;
mod run;
mod skip;
mod state;
#[cfg(test)]
mod tests;

pub use error::{Blocked, Called, Place, ReplayError};
pub use jobs::{Repeats, Span};
pub use model::{Model, TIMING_PRECISION};
pub use observer::{Interest, Observer, Wakening};
pub use outcome::{LinkTraffic, MOST_UTILISATION, Outcome, Passed, RankTimes};
pub use progress::Counter;
pub use rank_ends::RankEnds;
pub use replay::{replay, replay_jobs, replay_until};
pub use skip::{EndedIterations, Stop};
