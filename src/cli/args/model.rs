//! Arguments of `model`.

use super::known::{Known, models};
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mopsim model
  mopsim model smpi my-cluster.toml --link-bandwidth \"200 Gbit/s\" --svg model.svg

docs/models.md describes the models and when to choose each of them.")]
pub struct ModelVerb {
    /// Models: ordered, tcp, ideal, smpi, lv08, cm02, packet, or files [default: the first six]
    #[arg(value_name = "NAME|FILE", value_parser = Known(models), hide_possible_values = true)]
    pub models: Vec<String>,
    /// Bandwidth of the link [default: 100 Gbit/s]
    #[arg(long, allow_hyphen_values = true, value_name = "BANDWIDTH")]
    pub link_bandwidth: Option<String>,
    /// Latency of the link
    #[arg(long, allow_hyphen_values = true, value_name = "TIME", default_value = "1 us")]
    pub link_latency: String,
    /// Plot bandwidth against message size (SVG)
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Also replace a file that is not a mopsim report
    #[arg(long, hide_short_help = true, requires = "svg")]
    pub force: bool,
}
