//! Arguments for files in formats without collectives.

use clap::Args;

#[derive(Debug, Args)]
pub struct GoalTable {
    /// Table that chooses the algorithms of collectives for GOAL, which has messages only: mvapich2, ompi, mpich or
    /// default [default: mvapich2]
    #[arg(long, value_name = "TABLE", requires = "output")]
    pub collectives: Option<String>,
}
