//! What is reported of collectives: the algorithms with their messages, what each table picks, and where it crosses
//! over.

use crate::ids::HostId;
use crate::mpi::collective::select::{Choice, Explanation, Selector, Table, list};
use crate::mpi::collective::{Comm, SmpKnown, Stage};
use crate::mpi::layout::Layout;
use crate::trace::{CollectiveCall, CollectiveKind, Counts, Datatype};
use serde::Serialize;

/// The arguments of the calls that are reported on.
#[derive(Debug, Clone, Copy)]
pub struct CallOptions {
    /// Number of ranks.
    pub ranks: u32,
    /// Ranks on each host, in a row.
    pub ranks_per_host: u32,
    /// Bytes, of the message or vector, or of a block where every rank has one for each.
    pub size: u32,
    /// Whether the first call pays for finding out who shares a host.
    pub smp_setup: bool,
}

/// Collectives for one number of ranks and one size.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CollectivesReport {
    /// Number of ranks.
    pub ranks: u32,
    /// Ranks on each host.
    pub ranks_per_host: u32,
    /// Size in bytes.
    pub size_bytes: u32,
    /// Whether the calls pay for finding out who shares a host.
    pub smp_setup: bool,
    /// The table that combinations leave parts of their work to.
    pub table: &'static str,
    /// One entry an operation.
    pub collectives: Vec<Operation>,
}

/// One operation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Operation {
    /// Its name, as traces write it.
    pub collective: &'static str,
    /// What the size is the size of.
    pub size_of: &'static str,
    /// What each table picks.
    pub choices: Vec<TableChoice>,
    /// All algorithms that can be chosen by name.
    pub algorithms: Vec<AlgorithmRow>,
    /// The stretches of sizes with one choice each, table by table; empty unless asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub crossovers: Vec<Crossover>,
}

/// What a table picks, and why.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TableChoice {
    /// The table.
    pub table: &'static str,
    /// The algorithm, or those of a plan of several stages.
    pub algorithm: String,
    /// The rule that applied: P is the number of ranks, n the size.
    pub rule: Option<String>,
    /// Messages of all ranks, with those of the SMP set-up.
    pub messages: u64,
    /// Their payload.
    pub bytes: u64,
    /// What runs differently from the library's table.
    pub note: Option<&'static str>,
}

/// An algorithm with the amounts for this call.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AlgorithmRow {
    /// Name for `--collective`.
    pub name: &'static str,
    /// SimGrid's names for it, where they differ.
    pub simgrid: &'static [&'static str],
    /// One line about it.
    pub summary: &'static str,
    /// Messages of all ranks.
    pub messages: u64,
    /// Their payload.
    pub bytes: u64,
    /// The tables that pick it.
    pub picked_by: Vec<&'static str>,
    /// What runs differently.
    pub note: Option<&'static str>,
}

/// A stretch of sizes for which a table makes one choice.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Crossover {
    /// The table.
    pub table: &'static str,
    /// The smallest size in bytes.
    pub from_bytes: u32,
    /// What it picks from there on.
    pub algorithm: String,
}

/// Sizes up to which crossovers are looked for: beyond any limit of the tables.
const LARGEST: u32 = 1 << 26;

/// What the size of a call is the size of.
pub fn size_of(kind: CollectiveKind) -> &'static str {
    use CollectiveKind::*;
    match kind {
        Barrier => "nothing",
        Bcast => "the message",
        Reduce | Allreduce | Scan | Exscan | ReduceScatter => "the vector",
        Alltoall | Alltoallv | Gather | Gatherv | Allgather | Allgatherv | Scatter | Scatterv => "a block",
    }
}

/// A call that all ranks make alike, on one layout.
struct Asked {
    kind: CollectiveKind,
    layout: Layout,
}

impl Asked {
    /// The call for `size` bytes from rank 0, with its count vectors.
    fn call(&self, size: u32) -> (CollectiveCall, Vec<u32>) {
        let ranks = self.layout.ranks();
        let counts: Vec<u32> = match self.kind {
            // A vector is shared out as equally as can be.
            CollectiveKind::ReduceScatter => (0..ranks).map(|i| size / ranks + u32::from(i < size % ranks)).collect(),
            _ => vec![size; ranks as usize],
        };
        let all = Counts { start: 0, len: ranks };
        let uniform = CollectiveCall::uniform(self.kind, 0, size, Datatype::BYTE);
        (CollectiveCall { send_counts: all, recv_counts: all, ..uniform }, counts)
    }

    /// What a selector does, in words, and why. Rank 0 speaks for all: it leads its host.
    fn explain(&self, selector: &Selector, size: u32) -> (String, Explanation) {
        let (call, counts) = self.call(size);
        let (mut smp, mut stages) = (SmpKnown::default(), Vec::new());
        let said = selector.explain(&call, &counts, &self.layout, 0, &mut smp, &mut stages);
        if smp != SmpKnown::default() {
            // The stages that find out about the hosts say nothing about the choice; a rank that knows leaves them out.
            stages.clear();
            selector.explain(&call, &counts, &self.layout, 0, &mut smp, &mut stages);
        }
        (said.name.map_or_else(|| self.words(&stages), str::to_owned), said)
    }

    fn words(&self, stages: &[Stage]) -> String {
        let words = stages.iter().map(|stage| {
            let kind = stage.algorithm.kind.filter(|&kind| kind != self.kind);
            let place = match stage.comm {
                Comm::World => "",
                Comm::Node => " on hosts",
                Comm::Leaders => " among hosts",
            };
            format!("{}{}{place}", kind.map_or(String::new(), |kind| format!("{} ", kind.name())), stage.algorithm.name)
        });
        let words: Vec<String> = words.collect();
        if words.is_empty() { "nothing".to_owned() } else { words.join(", ") }
    }

    fn choice(&self, table: Table, options: &CallOptions) -> TableChoice {
        let selector = Selector::new(table, options.smp_setup);
        let (algorithm, said) = self.explain(&selector, options.size);
        let (call, counts) = self.call(options.size);
        let listing = list(&selector, &call, &counts, &self.layout);
        TableChoice {
            table: table.name(),
            algorithm,
            rule: said.rule.map(|rule| rule.to_string()),
            messages: listing.messages(),
            bytes: listing.bytes(),
            note: listing.substitution.map(|substitution| substitution.text),
        }
    }

    fn row(&self, choice: Choice, inner: Table, options: &CallOptions, choices: &[TableChoice]) -> AlgorithmRow {
        let name = choice.name();
        let selector = Selector::new(inner, options.smp_setup);
        let selector = selector.with_override(self.kind, name).unwrap_or(selector);
        let (call, counts) = self.call(options.size);
        let listing = list(&selector, &call, &counts, &self.layout);
        AlgorithmRow {
            name,
            simgrid: choice.simgrid(),
            summary: choice.summary(),
            messages: listing.messages(),
            bytes: listing.bytes(),
            picked_by: choices.iter().filter(|picked| picked.algorithm == name).map(|picked| picked.table).collect(),
            note: listing.substitution.map(|substitution| substitution.text),
        }
    }

    /// The stretches of sizes with one choice each. Limits of tables are never closer to each other than half an octave
    /// or so; between two such sizes the place of a change is found by bisection.
    fn crossovers(&self, table: Table, smp_setup: bool) -> Vec<Crossover> {
        let selector = Selector::new(table, smp_setup);
        let words = |size: u32| self.explain(&selector, size).0;
        let mut crossovers = vec![Crossover { table: table.name(), from_bytes: 0, algorithm: words(0) }];
        let mut below = 0;
        let mut octave: u32 = 1;
        while octave <= LARGEST {
            for size in [octave, octave + octave / 2] {
                let mut current = crossovers.last().map(|c| c.algorithm.clone()).unwrap_or_default();
                let target = words(size);
                while current != target && below < size {
                    // The smallest size with another choice than the current one.
                    let (mut low, mut high) = (below, size);
                    while high - low > 1 {
                        let middle = low + (high - low) / 2;
                        if words(middle) == current {
                            low = middle;
                        } else {
                            high = middle;
                        }
                    }
                    current = words(high);
                    crossovers.push(Crossover { table: table.name(), from_bytes: high, algorithm: current.clone() });
                    below = high;
                }
                below = size;
            }
            octave *= 2;
        }
        crossovers
    }
}

impl CollectivesReport {
    /// Reports on `kinds`. `table` is the one that combinations leave parts of their work to. Crossovers are looked for
    /// if `crossovers` holds tables to look in.
    ///
    /// The amounts are counted message by message, which takes time in proportion.
    pub fn of(kinds: &[CollectiveKind], options: &CallOptions, table: Table, crossovers: &[Table]) -> Self {
        let per_host = options.ranks_per_host.max(1);
        let hosts = || (0..options.ranks).map(|rank| HostId(rank / per_host)).collect();
        let operation = |&kind: &CollectiveKind| {
            let asked = Asked { kind, layout: Layout::new(hosts()) };
            let choices: Vec<TableChoice> = Table::ALL.map(|table| asked.choice(table, options)).into();
            let algorithms = Choice::of(kind).map(|choice| asked.row(choice, table, options, &choices)).collect();
            let found = crossovers.iter().flat_map(|&table| asked.crossovers(table, options.smp_setup));
            Operation {
                collective: kind.name(),
                size_of: size_of(kind),
                crossovers: found.collect(),
                choices,
                algorithms,
            }
        };
        Self {
            ranks: options.ranks,
            ranks_per_host: per_host,
            size_bytes: options.size,
            smp_setup: options.smp_setup,
            table: table.name(),
            collectives: kinds.iter().map(operation).collect(),
        }
    }
}
