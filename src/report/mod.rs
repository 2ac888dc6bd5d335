//! Results for people and for programs: one module per format.
//!
//! A format is a [`Reporter`]; a new one is a new file and one line of [`FORMATS`]. Reporters only write results; they
//! compute nothing that another format would have to compute again.

mod across;
mod basis;
pub mod calibrate;
pub mod calibrate_host;
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
pub mod failures;
mod findings;
pub mod html;
mod jobs;
mod json;
mod label;
mod legend;
pub mod mark;
mod markdown;
pub mod model;
mod named;
pub mod number;
mod offers;
mod packet_curves;
pub mod packets;
mod ranges;
mod replay;
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
pub use sheet::Sheet;
pub use throughput::ThroughputReport;

use crate::study::comparison::Comparison;
use crate::survey::{CollectivesSurvey, Survey};
use site::SiteDefault;
use std::fmt;
use std::io::{self, Write};

/// Writes results in one format.
pub trait Reporter: Sync {
    /// Returns the name for `--format`.
    fn name(&self) -> &'static str;

    /// Returns the description for `--help`.
    fn help(&self) -> &'static str;

    /// Writes the result of a replay.
    ///
    /// # Errors
    /// If writing to `out` fails.
    fn replay(&self, report: &ReplayReport, out: &mut dyn Write) -> io::Result<()>;

    /// Writes a comparison.
    ///
    /// # Errors
    /// If writing to `out` fails.
    fn compare(&self, comparison: &Comparison, out: &mut dyn Write) -> io::Result<()>;

    /// Writes the properties of topologies.
    ///
    /// # Errors
    /// If writing to `out` fails.
    fn topology(&self, reports: &[Survey], out: &mut dyn Write) -> io::Result<()>;

    /// Writes the throughput of networks under synthetic traffic.
    ///
    /// # Errors
    /// If writing to `out` fails.
    fn throughput(&self, report: &ThroughputReport, out: &mut dyn Write) -> io::Result<()>;

    /// Writes the messages of collectives.
    ///
    /// # Errors
    /// If writing to `out` fails.
    fn collectives(&self, report: &CollectivesSurvey, out: &mut dyn Write) -> io::Result<()>;

    /// Writes facts and tables.
    ///
    /// # Errors
    /// If writing to `out` fails.
    fn sheet(&self, sheet: &Sheet, out: &mut dyn Write) -> io::Result<()>;

    /// Adds the defaults of the site that a report rests on to the report, written in this format.
    ///
    /// # Errors
    /// If the report is not in this format.
    fn with_site(&self, report: Vec<u8>, defaults: &[SiteDefault]) -> io::Result<Vec<u8>>;
}

impl fmt::Debug for dyn Reporter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// All formats, as values of `--format`. The first is the default, and the only one for reading in a terminal.
pub static FORMATS: &[&dyn Reporter] = &[&text::Text, &json::Json, &csv::Csv, &markdown::Markdown];

/// Returns the format of that name.
pub fn format(name: &str) -> Option<&'static dyn Reporter> {
    FORMATS.iter().copied().find(|f| f.name() == name)
}
