//! Arguments of `collectives`.

use super::network::Switch;
use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mopsim collectives --ranks 64 --size 4096
  mopsim collectives allreduce bcast --ranks 100 --size 65536 --collectives ompi")]
pub struct Collectives {
    /// Operations, e.g. allreduce, with the sizes at which tables change their choice; all operations if none is given
    #[arg(value_name = "KIND")]
    pub kinds: Vec<String>,
    /// Number of ranks, P
    #[arg(long, visible_alias = "np", value_name = "P")]
    pub ranks: u32,
    /// Size in bytes, n: of the message or vector, or of a block where every rank has one for each
    #[arg(long, value_name = "BYTES")]
    pub size: u32,
    /// Ranks on each host, in a row
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub ranks_per_host: u32,
    /// The table whose crossovers are shown, and that combined algorithms use in turn: mvapich2, ompi, mpich or default
    /// [default: crossovers of all, mvapich2]
    #[arg(long, value_name = "TABLE")]
    pub collectives: Option<String>,
    /// Whether the calls include the messages that find out who shares a host, as the first one of a replay does
    /// [default: off]
    #[arg(long, value_name = "ON|OFF")]
    pub smp_setup: Option<Switch>,
}
