//! Several jobs that run simultaneously on one network, and the interference between them.
//!
//! Each job is replayed alone, with each other job, and with all of them, always on the same hosts. Reports can thus
//! state by how much a job is slowed down and by which other one, and compare this between networks. The jobs of a
//! study are an additional workload, whose time is that of the last job to end.

mod allocation;
mod background;
mod entry;
mod interference;
mod mix;
mod place;
mod read;
mod rule;
mod simgrid;

pub use entry::{EntryError, JobEntry, JobsFile};
pub(super) use interference::MixSetup;
pub use interference::{Interference, JobTimes};
pub use mix::{Job, JobPlacement, JobsError, Load, Mix, MixError, Placed, Traffic};
pub(super) use read::read;
pub use rule::AllocationRule;
