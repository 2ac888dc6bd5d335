//! Studies: workloads that run on networks, and comparisons of the results.
//!
//! Everything exists twice here, as written ([`mod@file`], [`choice`], [`network::NetworkChoice`]) and as checked and
//! built ([`Study`]); only the checked form runs. A study is a [`plan::Plan`], whose cells are replayed one by one;
//! each replay becomes a [`record::CellRecord`], in memory or in a results file ([`results`]); and a
//! [`comparison::Comparison`] depends only on the plan and the records. So it makes no difference where and when a cell
//! was replayed.

pub mod across;
pub mod assumptions;
mod axes;
pub mod basis;
pub(crate) mod batch_means;
mod built;
pub mod carried;
pub mod cell;
pub mod choice;
mod choice_error;
mod column_parts;
mod columns;
pub mod comparison;
pub mod cross_check;
mod cross_traffic;
mod description;
mod digest;
mod error;
pub mod fabric;
pub mod facts;
pub mod failure_choice;
pub mod failure_effects;
pub(crate) mod failures;
pub mod file;
mod graphs;
pub mod jobs;
mod loggops;
pub mod matrix;
pub(crate) mod mean;
mod model_build;
pub mod model_file;
mod model_list;
pub mod network;
mod network_error;
mod network_parts;
mod overrides;
pub mod packet_choice;
mod packet_refusals;
mod packet_results;
pub mod packet_sweep;
pub(crate) mod passes;
pub mod perturb;
pub mod ping;
mod placement;
pub mod plan;
mod planes;
pub mod procurement;
mod ranges;
pub mod ranking;
mod read;
pub mod record;
pub mod results;
mod results_error;
pub mod routings;
mod run;
pub mod sample;
pub mod search;
pub mod sensitivity;
mod simgrid_config;
mod simgrid_settings;
mod site;
mod source;
pub mod statistics;
pub mod steady;
pub(crate) mod sweep_plan;
mod tables;
pub mod timeline;
pub mod toml_file;
pub mod toml_words;
pub mod traffic;
pub mod workload;
mod workload_entry;
mod written;

pub use built::Study;
pub use digest::Fingerprint;
pub use error::StudyError;
pub use overrides::Overrides;
pub use placement::{Placement, mapping};
pub use run::{Progress, Silent};
pub use written::WrittenStudy;
