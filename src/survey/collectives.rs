//! Collectives: the algorithms with their messages, the choices of each table, and the sizes at which these
//! change.

use crate::ids::HostId;
use crate::mpi::collective::select::{Choice, Explanation, Selector, Table, list};
use crate::mpi::collective::{Comm, SmpKnown, Stage};
use crate::mpi::rank_map::RankMap;
use crate::trace::{CollectiveCall, CollectiveKind, Counts, Datatype};
use serde::Serialize;

/// Arguments of the calls.
#[derive(Debug, Clone, Copy)]
pub struct CallOptions {
    /// Number of ranks.
    pub ranks: u32,
    /// Number of consecutive ranks on each host.
    pub ranks_per_host: u32,
    /// Bytes of the message or vector, or of one block if every rank has one for each rank.
    pub size: u32,
    /// `true` if the first call includes the cost of finding out which ranks share a host.
    pub smp_setup: bool,
}

/// Collectives for one number of ranks and one size.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CollectivesSurvey {
    /// Number of ranks.
    pub ranks: u32,
    /// Number of ranks on each host.
    pub ranks_per_host: u32,
    /// Size in bytes.
    pub size_bytes: u32,
    /// `true` if the calls include the cost of finding out which ranks share a host.
    pub smp_setup: bool,
    /// Table that combined algorithms use for parts of their work.
    pub table: String,
    /// One entry per operation.
    pub collectives: Vec<Operation>,
}

/// A collective operation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Operation {
    /// Name, as in traces.
    pub collective: &'static str,
    /// Meaning of the size.
    pub size_of: &'static str,
    /// Choice of each table.
    pub choices: Vec<TableChoice>,
    /// All algorithms that can be selected by name.
    pub algorithms: Vec<AlgorithmRow>,
    /// Ranges of sizes with one choice each, table by table; empty unless requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub crossovers: Vec<Crossover>,
}

/// Choice of a table, and its reason.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TableChoice {
    /// Name of the table.
    pub table: String,
    /// Name of the algorithm, or of those of a plan of several stages.
    pub algorithm: String,
    /// Rule that applied: P is the number of ranks, n the size.
    pub rule: Option<String>,
    /// Number of messages of all ranks, including those of the SMP set-up.
    pub messages: u64,
    /// Payload of these messages in bytes.
    pub bytes: u64,
    /// Difference from the library's table, if any.
    pub note: Option<&'static str>,
}

/// An algorithm with its message counts for this call.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AlgorithmRow {
    /// Name for `--collective`.
    pub name: &'static str,
    /// SimGrid's names of the algorithm, if they differ.
    pub simgrid: &'static [&'static str],
    /// One-line description.
    pub summary: &'static str,
    /// Number of messages of all ranks.
    pub messages: u64,
    /// Payload of these messages in bytes.
    pub bytes: u64,
    /// Names of the tables that select it.
    pub picked_by: Vec<String>,
    /// Difference from the original algorithm, if any.
    pub note: Option<&'static str>,
}

/// A range of sizes for which a table makes the same choice.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Crossover {
    /// Name of the table.
    pub table: String,
    /// Smallest size of the range, in bytes.
    pub from_bytes: u32,
    /// Name of the algorithm in the range.
    pub algorithm: String,
}

/// A table to ask: one of a library, or one with a rule file.
#[derive(Debug, Clone)]
pub struct NamedTable {
    /// Name in tables.
    pub name: String,
    /// Its choices.
    pub selector: Selector,
}

impl NamedTable {
    /// Returns the table of a library.
    pub fn of(table: Table, smp_setup: bool) -> Self {
        Self { name: table.name().to_owned(), selector: Selector::new(table, smp_setup) }
    }
}

/// Largest size of a search for crossovers: beyond any limit of the tables.
const LARGEST: u32 = 1 << 26;

/// Returns the meaning of the size of a call.
pub fn size_of(kind: CollectiveKind) -> &'static str {
    use CollectiveKind::*;
    match kind {
        Barrier => "nothing",
        Bcast => "the message",
        Reduce | Allreduce | Scan | Exscan | ReduceScatter => "the vector",
        Alltoall | Alltoallv | Gather | Gatherv | Allgather | Allgatherv | Scatter | Scatterv => "a block",
    }
}

/// Collective call with equal arguments on all ranks, and the hosts of the ranks.
struct Asked {
    kind: CollectiveKind,
    rank_map: RankMap,
}

impl Asked {
    /// Returns the call for `size` bytes with root 0, with its count vectors.
    fn call(&self, size: u32) -> (CollectiveCall, Vec<u32>) {
        let ranks = self.rank_map.ranks();
        let counts: Vec<u32> = match self.kind {
            // A vector is divided as evenly as possible.
            CollectiveKind::ReduceScatter => (0..ranks).map(|i| size / ranks + u32::from(i < size % ranks)).collect(),
            _ => vec![size; ranks as usize],
        };
        let all = Counts { start: 0, len: ranks };
        let uniform = CollectiveCall::uniform(self.kind, 0, size, Datatype::BYTE);
        (CollectiveCall { send_counts: all, recv_counts: all, ..uniform }, counts)
    }

    /// Returns the choice of a selector in words, and its reason. Rank 0 represents all ranks, since it is the leader
    /// of its host.
    fn explain(&self, selector: &Selector, size: u32) -> (String, Explanation) {
        let (call, counts) = self.call(size);
        let (mut smp, mut stages) = (SmpKnown::default(), Vec::new());
        let said = selector.explain(&call, &counts, &self.rank_map, 0, &mut smp, &mut stages);
        if smp != SmpKnown::default() {
            // The stages of the SMP set-up are not part of the choice; they are omitted once the hosts are known.
            stages.clear();
            selector.explain(&call, &counts, &self.rank_map, 0, &mut smp, &mut stages);
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

    fn choice(&self, table: &NamedTable, options: &CallOptions) -> TableChoice {
        let (algorithm, said) = self.explain(&table.selector, options.size);
        let (call, counts) = self.call(options.size);
        let listing = list(&table.selector, &call, &counts, &self.rank_map);
        TableChoice {
            table: table.name.clone(),
            algorithm,
            rule: said.rule.map(|rule| rule.to_string()),
            messages: listing.messages(),
            bytes: listing.bytes(),
            note: listing.substitution.map(|substitution| substitution.text),
        }
    }

    fn row(&self, choice: Choice, inner: &Selector, options: &CallOptions, choices: &[TableChoice]) -> AlgorithmRow {
        let name = choice.name();
        let selector = inner.clone().with_override(self.kind, name).unwrap_or_else(|_| inner.clone());
        let (call, counts) = self.call(options.size);
        let listing = list(&selector, &call, &counts, &self.rank_map);
        AlgorithmRow {
            name,
            simgrid: choice.simgrid(),
            summary: choice.summary(),
            messages: listing.messages(),
            bytes: listing.bytes(),
            picked_by: choices
                .iter()
                .filter(|picked| picked.algorithm == name)
                .map(|picked| picked.table.clone())
                .collect(),
            note: listing.substitution.map(|substitution| substitution.text),
        }
    }

    /// Returns the ranges of sizes with one choice each. Limits of tables differ by at least about half an octave;
    /// between two such sizes each change is found by bisection.
    fn crossovers(&self, table: &NamedTable) -> Vec<Crossover> {
        let words = |size: u32| self.explain(&table.selector, size).0;
        let range = |from_bytes, algorithm| Crossover { table: table.name.clone(), from_bytes, algorithm };
        let mut crossovers = vec![range(0, words(0))];
        let mut below = 0;
        let mut octave: u32 = 1;
        while octave <= LARGEST {
            for size in [octave, octave + octave / 2] {
                let mut current = crossovers.last().map(|c| c.algorithm.clone()).unwrap_or_default();
                let target = words(size);
                while current != target && below < size {
                    // The smallest size whose choice differs from the current one.
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
                    crossovers.push(range(high, current.clone()));
                    below = high;
                }
                below = size;
            }
            octave *= 2;
        }
        crossovers
    }
}

impl CollectivesSurvey {
    /// Lists the algorithms and choices of `kinds`. Combined algorithms use `table` for parts of their work; its
    /// choices are listed after those of all libraries if it is none of them. Crossovers are searched in the tables of
    /// `crossovers`.
    ///
    /// Message counts are computed message by message, in proportional time.
    pub fn of(kinds: &[CollectiveKind], options: &CallOptions, table: &NamedTable, crossovers: &[NamedTable]) -> Self {
        let per_host = options.ranks_per_host.max(1);
        let hosts = || (0..options.ranks).map(|rank| HostId(rank / per_host)).collect();
        let mut tables: Vec<NamedTable> = Table::ALL.map(|table| NamedTable::of(table, options.smp_setup)).into();
        if tables.iter().all(|known| known.name != table.name) {
            tables.push(table.clone());
        }
        let operation = |&kind: &CollectiveKind| {
            let asked = Asked { kind, rank_map: RankMap::new(hosts()) };
            let choices: Vec<TableChoice> = tables.iter().map(|table| asked.choice(table, options)).collect();
            let row = |choice| asked.row(choice, &table.selector, options, &choices);
            let algorithms = Choice::of(kind).map(row).collect();
            let found = crossovers.iter().flat_map(|table| asked.crossovers(table));
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
            table: table.name.clone(),
            collectives: kinds.iter().map(operation).collect(),
        }
    }
}
