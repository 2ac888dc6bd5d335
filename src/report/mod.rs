//! Results for people and for programs: one module per format.
//!
//! A format is a [`Reporter`]; a new one is a new file and one line of [`FORMATS`]. Reporters only write results; they
//! compute nothing that another format would have to compute again.

mod across;
mod basis;
pub mod calibrate;
pub mod calibrate_host;
mod captioned;
mod cautions;
mod collectives;
mod compare_json;
mod compare_json_more;
mod compare_markdown;
mod compare_text;
mod cross_check;
mod csv;
pub mod design;
pub mod design_search;
#[cfg(unix)]
pub mod emulate;
pub mod export;
pub(crate) mod failures;
mod findings;
pub mod html;
mod jobs;
mod json;
mod label;
mod legend;
pub mod mark;
mod markdown;
mod markdown_parts;
pub mod model;
mod named;
mod network_words;
pub mod number;
mod offers;
mod packet_curves;
mod packet_means;
mod packet_notes;
mod packet_tables;
pub mod packets;
mod ranges;
mod replay;
mod reporter;
mod routings;
mod sensitivity;
pub mod sheet;
pub mod site;
mod steady;
mod tables;
mod text;
pub mod throughput;
pub mod tidy;
mod topology;
pub mod trace_check;
pub mod trace_events;
pub mod trace_info;
pub mod trace_matrix;
pub mod workload;
pub mod wrap;

pub use replay::ReplayReport;
pub use reporter::Reporter;
pub use sheet::{Rows, Sheet};
pub use throughput::ThroughputReport;

/// All formats, as values of `--format`. The first is the default, and the only one for reading in a terminal.
pub static FORMATS: &[&dyn Reporter] = &[&text::Text, &json::Json, &csv::Csv, &markdown::Markdown];

/// Returns the format of that name.
pub fn format(name: &str) -> Option<&'static dyn Reporter> {
    FORMATS.iter().copied().find(|f| f.name() == name)
}
