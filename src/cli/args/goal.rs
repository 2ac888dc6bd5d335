//! Arguments for files in formats without collectives.

use super::known::{Known, tables};
use clap::Args;

#[derive(Debug, Args)]
pub struct GoalTable {
    /// Table of collective algorithms for GOAL, which has no collectives [default: mvapich2]
    ///
    /// mvapich2, ompi, mpich, mpich4 or default.
    #[arg(long, hide_short_help = true, value_name = "TABLE", requires = "output", value_parser = Known(tables), hide_possible_values = true)]
    pub collectives: Option<String>,
}
