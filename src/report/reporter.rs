//! The trait of an output format.

use super::replay::ReplayReport;
use super::sheet::Sheet;
use super::site::SiteDefault;
use super::throughput::ThroughputReport;
use crate::study::comparison::Comparison;
use crate::survey::{CollectivesSurvey, Survey};
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
