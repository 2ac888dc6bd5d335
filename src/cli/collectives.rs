//! `mopsim collectives`: the algorithms of collectives, and the choices of tables with their reasons.

use super::args::{Collectives, OnOff, Output};
use super::failure::Failure;
use super::print;
use mopsim::mpi::collective::select::Table;
use mopsim::study::choice::CollectiveTable;
use mopsim::survey::collectives::{CallOptions, CollectivesSurvey, NamedTable};
use mopsim::trace::CollectiveKind;

/// Largest number of ranks: an all-to-all has its square in messages, all of which are counted.
const MOST_RANKS: u32 = 4096;

pub fn run(arguments: &Collectives, output: &Output) -> Result<(), Failure> {
    let kinds = arguments.kinds.iter().map(|name| kind(name)).collect::<Result<Vec<_>, _>>()?;
    let ranks = arguments.ranks;
    if !(1..=MOST_RANKS).contains(&ranks) {
        let message = format!("--ranks {ranks} is not between 1 and {MOST_RANKS}");
        return Err(Failure::input(message, "messages are counted one by one, and an all-to-all has P*(P-1)"));
    }
    let ranks_per_host = arguments.ranks_per_host;
    if ranks_per_host == 0 || !ranks.is_multiple_of(ranks_per_host) {
        let message = format!("--ranks-per-host {ranks_per_host} does not divide the {ranks} ranks");
        return Err(Failure::input(message, "all hosts carry the same number of ranks here"));
    }
    let call =
        CallOptions { ranks, ranks_per_host, size: arguments.size, smp_setup: arguments.smp_setup == Some(OnOff::On) };
    let table = arguments.collectives.as_deref().map(|name| table(name, call.smp_setup)).transpose()?;
    // Crossovers are shown if operations are named; without a table, those of all tables.
    let crossovers = match (kinds.is_empty(), &table) {
        (true, _) => Vec::new(),
        (false, Some(table)) => vec![table.clone()],
        (false, None) => Table::ALL.map(|table| NamedTable::of(table, call.smp_setup)).into(),
    };
    let kinds = if kinds.is_empty() { CollectiveKind::ALL.to_vec() } else { kinds };
    let table = table.unwrap_or_else(|| NamedTable::of(Table::Mvapich2, call.smp_setup));
    let report = CollectivesSurvey::of(&kinds, &call, &table, &crossovers);
    print(|out| output.format.collectives(&report, out))
}

fn kind(name: &str) -> Result<CollectiveKind, Failure> {
    CollectiveKind::from_name(name).ok_or_else(|| {
        let names = CollectiveKind::ALL.map(CollectiveKind::name).join(", ");
        Failure::input(format!("there is no collective `{name}`"), format!("collectives are {names}"))
    })
}

fn table(name: &str, smp_setup: bool) -> Result<NamedTable, Failure> {
    let choice = CollectiveTable::find(name)?;
    Ok(NamedTable { selector: choice.selector(smp_setup), name: choice.name })
}
