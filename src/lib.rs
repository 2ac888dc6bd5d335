//! mopsim predicts how fast MPI applications run on an interconnect that does not exist yet.
//!
//! The command line `mopsim` is a thin layer over this library. A replay takes a trace, a platform and a model:
//!
//! ```
//! use mopsim::mpi::rank_map::RankMap;
//! use mopsim::platform::{Platform, PlatformParameters};
//! use mopsim::study::choice::ModelChoice;
//! use mopsim::{engine, topology, trace};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // What the ranks do: a trace of NPB IS, recorded on 64 ranks.
//! let trace = trace::read("traces/is.A.64.ti.zst".as_ref(), &trace::Options::default())?;
//! // Where they do it: an 8 x 8 torus with a host per switch, links of 100 Gbit/s, switches of 100 ns.
//! let torus = topology::build("torus:8x8")?;
//! let platform = Platform::from_topology(&torus, &PlatformParameters::default().check()?, "dimension-order", 1)?;
//! // How that becomes time: messages of a pair in order, exact sharing, the collectives of MVAPICH2.
//! let (model, _) = ModelChoice::default().build()?;
//! let rank_map = RankMap::one_each(trace.ranks());
//! let outcome = engine::replay(&trace, &platform, &rank_map, &model, &mut ())?;
//! println!("{} s, {} messages", outcome.simulated_seconds, outcome.messages);
//! # assert!(outcome.simulated_seconds > 0.0 && outcome.messages > 0);
//! # Ok(())
//! # }
//! ```
//!
//! # Where to look
//!
//! | for | see |
//! | --- | --- |
//! | actions of ranks, trace files, checks | [`trace`]; [`workload`] generates them, [`record`] records them |
//! | graphs of switches and their metrics | [`topology`]; floor plans in [`floorplan`], prices in [`cost`], all figures in [`survey`] |
//! | hosts, links and routes | [`platform`], [`routing`] |
//! | the replay, its observers and its result | [`engine`], [`result`] |
//! | several workloads on several networks | [`study::Study`], [`study::comparison::Comparison`], [`report`] |
//! | synthetic traffic | [`throughput`], [`packets`] |
//!
//! The folder `examples` has programs for a replay, a comparison of two networks, an observer, and a custom topology
//! and routing. `docs/architecture.md` shows how data flows between the modules.
//!
//! # Stability
//!
//! Results of one version are the same bytes on every machine and for any number of threads. What is public here is
//! meant for programs that use the library; working parts are not. Before 1.0, names in this library may change with
//! any version; JSON documents, CSV columns and exit codes of the command line are only extended.

pub mod calibrate;
pub mod cost;
pub mod defaults;
pub mod design;
#[cfg(unix)]
pub mod emulate;
pub mod engine;
pub mod excerpt;
pub mod executable;
pub mod export;
pub mod floorplan;
pub mod ids;
pub mod ledger;
mod markup;
pub mod memory;
pub mod mpi;
pub mod network;
pub mod packets;
pub(crate) mod piecewise;
pub mod platform;
mod prefetch;
pub mod printable;
pub mod queue;
pub mod record;
pub mod report;
pub mod result;
pub mod routing;
pub mod share;
pub mod similar;
mod slots;
pub mod steps;
pub mod study;
pub mod survey;
pub mod throughput;
pub mod topology;
pub mod trace;
pub mod traffic;
pub mod user_error;
pub mod workload;
