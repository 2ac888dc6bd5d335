//! Arguments of `collectives`.

use super::known::{Known, tables};
use super::network::OnOff;
use clap::Args;
use mopsim::platform::units::{Bytes, UnitError};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mopsim collectives --ranks 64 --size 4096
  mopsim collectives allreduce bcast --ranks 100 --size 65536 --collectives ompi")]
pub struct Collectives {
    /// Operations, e.g. allreduce; their crossovers are shown as well [default: all operations, without crossovers]
    #[arg(value_name = "KIND")]
    pub kinds: Vec<String>,
    /// Number of ranks, P
    #[arg(long, visible_alias = "np", value_name = "P")]
    pub ranks: u32,
    /// Size in bytes, n, e.g. 4096 or 4KiB
    ///
    /// Size of the message or vector, or of one block in operations such as gather and alltoall.
    #[arg(long, value_name = "BYTES", value_parser = size)]
    pub size: u32,
    /// Consecutive ranks on each host
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub ranks_per_host: u32,
    /// Table whose crossovers are shown [default: all]
    ///
    /// mvapich2, ompi, mpich (3), mpich4 or default. Algorithms that are composed of others take those from this table, or from mvapich2 if none is named. ompi:FILE shows what a rule file of Open MPI chooses.
    #[arg(long, value_name = "TABLE", value_parser = Known(tables), hide_possible_values = true)]
    pub collectives: Option<String>,
    /// Include the messages that determine which ranks share a host, as in the first call of a replay [default: off]
    #[arg(long, hide_short_help = true, value_name = "ON|OFF")]
    pub smp_setup: Option<OnOff>,
}

fn size(text: &str) -> Result<u32, String> {
    let bytes: Bytes = text.parse().map_err(|error: UnitError| error.rule)?;
    bytes.try_into().map_err(|()| format!("a call moves at most {} bytes", u32::MAX))
}
