//! Weighted max-min fair sharing with bounds, kept exact while flows come and go.
//!
//! The system contains links (capacities), paths (links with the consumption on each) and flows (a path, a weight, a
//! bound). It has no notion of messages, time or MPI.
//!
//! # Definition
//!
//! A flow of penalty `w` has the *level* `value * w`. The allocation is max-min fair in the levels: every flow either
//! runs at its own bound, or has a *bottleneck link*, which is full and on which no other flow has a higher level
//! (Bertsekas and Gallager, Data Networks, section 6.5.2, with weights and bounds). That condition holds for exactly
//! one allocation.
//!
//! # Maintenance
//!
//! Because the condition can be checked flow by flow, a change is repaired locally. New flows, and those whose
//! bottleneck link was touched by a flow that came or went, form the set S; all others, the outsiders, keep their rates
//! for now. S is allocated by progressive filling: one level rises from zero for all of S, and flows settle where a
//! link fills up or at their bounds. S grows at the two events where an outsider's condition would fail:
//!
//! - a link fills up below the level of an outsider: it has to come down, and joins S;
//! - the level reaches that of an outsider whose bottleneck link is not full there: it can rise, and joins S.
//!
//! Either way the level of the outsider is at or above the present one, so everything decided below it stays right, and
//! one pass settles everything. At its end the condition holds everywhere, so the allocation is *the* max-min one. In
//! the worst case S grows to the connected component; usually it remains a handful of flows.
//!
//! `set.rs` maintains S and the flows that join it, `solve.rs` selects the cheapest method, `filling/` has the level and
//! its events: `few.rs` in fixed arrays for small sets, which nearly every change has, and `general.rs` for any set.
//! `docs/theory/solver.md` introduces all of it.
//!
//! # Crowds
//!
//! Where hundreds of flows are coupled, a change moves many rates but few bottleneck links. There links keep groups of
//! flows at one level each, and changes propagate from link to link (`crowd/`). A crowd forms after large sets have
//! been filled repeatedly; it dissolves when few flows are left, or many start together. To learn when flows complete,
//! callers follow the levels of links (`network/clocks.rs`) instead of querying each rate.
//!
//! With a [`Bound`](super::sharing::Bound) a crowd passes on levels that have moved by more than it (`crowd/within.rs`).
//!
//! Rejected: filling S to the end, then looking for outsiders whose condition fails, and filling again (with all
//! transfers of a network coupled, that took four to seven fillings per change).
//!
//! Rejected: re-solving the connected component at each event (a few per cent of every flow count on the reverse route,
//! so most of a busy network is one component), and incremental bookkeeping of link loads in floating point (rounding
//! errors add up over millions of events; every sum is formed afresh in each solution, or kept in whole numbers in a
//! crowd).

mod crowd;
mod filling;
mod rounding;
mod set;
mod solve;
mod solver;
mod system;
#[cfg(test)]
mod tests;

pub use solver::{MaxMin, Solver, WatchedMaxMin};
