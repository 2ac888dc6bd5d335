//! Arguments of `design search`.

use super::study::PriceFlags;
use super::{threads, whole};
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  mopsim design search --hosts 256 --radix 24 --workloads studies/procurement.toml \\
    --budget 500000 --results search.jsonl --write studies/found.toml

The study has workloads, parameters, prices and the baseline; its own networks
are replayed as well. Candidates are networks of all families and many sizes.
Candidates that cannot be on the Pareto front (speed, price, power) are excluded
without a replay. The report states how many others were not replayed.
docs/guide/design-search.md describes the method.")]
pub struct DesignSearch {
    /// Number of hosts to connect, at least 2
    #[arg(long, value_name = "N", value_parser = whole::<u64>)]
    pub hosts: u64,
    /// Maximum number of ports per switch, at least 3
    #[arg(long, value_name = "R", value_parser = whole::<u64>)]
    pub radix: u64,
    /// Study with workloads, baseline, parameters and prices
    #[arg(long, value_name = "FILE")]
    pub workloads: PathBuf,
    /// Maximum purchase price, in the currency of the price list
    ///
    /// Overrides `dollars` in [budget].
    #[arg(long, value_name = "PRICE", allow_hyphen_values = true)]
    pub budget: Option<f64>,
    /// Maximum power, in watts
    ///
    /// Overrides `watts` in [budget].
    #[arg(long, value_name = "W", allow_hyphen_values = true)]
    pub power: Option<f64>,
    /// Families to leave out, e.g. hxmesh,tofu
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub leave_out: Vec<String>,
    /// Maximum number of candidates to replay, in each setting of the study
    ///
    /// The report counts the other candidates as not tried, except those that cannot be on the front. A search that is continued with --resume may use a larger number.
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = whole::<u64>)]
    pub replays: u64,
    /// Number of replays to run at once; 0: one per core [default: 0]
    ///
    /// The result does not depend on it.
    #[arg(long, value_name = "N", value_parser = threads)]
    pub threads: Option<usize>,
    #[command(flatten)]
    pub prices: PriceFlags,
    /// Save each replay to this file when it is done
    ///
    /// In the format JSON Lines.
    #[arg(long, value_name = "FILE", help_heading = "Files")]
    pub results: Option<PathBuf>,
    /// Continue the search that the file is from, if it exists
    #[arg(long, requires = "results", help_heading = "Files")]
    pub resume: bool,
    /// Write a copy of the study of --workloads, with the networks of the Pareto front
    ///
    /// The new file must be in the same folder as that study, because file names in a study are relative to the study.
    #[arg(long, value_name = "FILE.toml", help_heading = "Files")]
    pub write: Option<PathBuf>,
    /// Replace an existing file of --write
    #[arg(long, requires = "write", help_heading = "Files")]
    pub force: bool,
}
