//! Random options, for both sides: SimGrid's configuration and our model.
//!
//! SimGrid 3.32 cannot replay everything. Its `mvapich2` and `mpich` selectors crash in the operations that first
//! discover the node structure, `ompi` in a k-nomial broadcast, and some algorithms refuse some numbers of ranks;
//! replayed all-to-alls share a buffer that moves under them. Operations that always crash are left out here,
//! occasional failures are counted. Overheads of receives (`smpi/or`) are also left out: SimGrid finishes the requests
//! of a wait-all in the order of a hash table, and with overheads that order has an effect.

use mopsim::engine::Model;
use mopsim::mpi::MpiOptions;
use mopsim::mpi::collective::select::{Choice, Selector, Table};
use mopsim::network::Precision;
use mopsim::network::model::NetworkModel;
use mopsim::network::sharing::Rule;
use mopsim::trace::CollectiveKind;
use rand::{Rng, RngExt};

/// Setting of `smpirun`.
const SIMGRID_PRECISION: f64 = 1e-9;

pub struct Options {
    network: &'static str,
    lazy: bool,
    cross_traffic: bool,
    precision: f64,
    detached_below: u64,
    /// `smpi/os`, `smpi/ois`.
    overheads: [Option<&'static str>; 2],
    table: Table,
    overridden: Option<(CollectiveKind, &'static str)>,
}

/// The name of an operation in SimGrid's options.
fn simgrid_name(kind: CollectiveKind) -> &'static str {
    if kind == CollectiveKind::ReduceScatter { "reduce_scatter" } else { kind.name() }
}

pub fn pick<T: Copy>(rng: &mut (impl Rng + ?Sized), choices: &[T]) -> T {
    choices[rng.random_range(0..choices.len())]
}

impl Options {
    pub fn new(rng: &mut impl Rng) -> Self {
        let table =
            pick(rng, &[Table::Default, Table::Default, Table::Default, Table::Mvapich2, Table::Ompi, Table::Mpich]);
        let overridden = rng.random_bool(0.4).then(|| {
            let named = CollectiveKind::ALL
                .into_iter()
                .flat_map(|kind| Choice::of(kind).filter_map(move |choice| Some((kind, *choice.simgrid().first()?))));
            let named: Vec<(CollectiveKind, &'static str)> = named.collect();
            pick(rng, &named)
        });
        let mut overhead = |text| rng.random_bool(0.15).then_some(text);
        let overheads = [overhead("0:1e-6:0;1000:2e-6:1e-10"), overhead("0:5e-7:0")];
        Self {
            network: pick(rng, &["SMPI", "SMPI", "LV08", "CM02"]),
            lazy: rng.random_bool(0.5),
            cross_traffic: rng.random_bool(0.7),
            precision: pick(rng, &[SIMGRID_PRECISION, 1e-12]),
            detached_below: pick(rng, &[65536, 65536, 2000, 0]),
            overheads,
            table,
            overridden,
        }
    }

    /// The operations that SimGrid can replay with these tables.
    pub fn collectives(&self) -> Vec<CollectiveKind> {
        use CollectiveKind as K;
        let refused: &[K] = match self.table {
            Table::Default | Table::Ompi => &[],
            Table::Mvapich2 => &[K::Bcast, K::Allreduce, K::Allgather, K::Scatter, K::Reduce],
            // SimGrid has no table of MPICH 4, so `pick` never chooses it.
            Table::Mpich | Table::Mpich4 => &[K::Bcast, K::Allreduce, K::Reduce],
        };
        let mut kinds: Vec<K> = K::ALL.into_iter().filter(|kind| !refused.contains(kind)).collect();
        // Overridden operations should be called.
        if let Some((kind, _)) = self.overridden {
            kinds.extend([kind; 8]);
        }
        kinds
    }

    /// Arguments of `smpirun`.
    pub fn arguments(&self) -> Vec<String> {
        let mut all = vec![
            format!("network/model:{}", self.network),
            format!("network/optim:{}", if self.lazy { "Lazy" } else { "Full" }),
            format!("network/crosstraffic:{}", if self.cross_traffic { "yes" } else { "no" }),
            format!("surf/precision:{:e}", self.precision),
            format!("smpi/send-is-detached-thresh:{}", self.detached_below),
            format!("smpi/coll-selector:{}", self.table.name()),
        ];
        for (name, overhead) in ["os", "ois"].into_iter().zip(self.overheads) {
            all.extend(overhead.map(|text| format!("smpi/{name}:{text}")));
        }
        all.extend(self.overridden.map(|(kind, name)| format!("smpi/{}:{name}", simgrid_name(kind))));
        all.into_iter().map(|option| format!("--cfg={option}")).collect()
    }

    /// Our rules that share links as SimGrid does with these options.
    pub fn rules(&self) -> &'static [Rule] {
        if self.lazy { &[Rule::SimgridLazy] } else { &[Rule::SimgridFull, Rule::Exact] }
    }

    /// Our model for the same options, with one of these rules.
    pub fn model(&self, sharing: Rule) -> Model {
        let mut network = NetworkModel::by_name(self.network).expect("model");
        if !self.cross_traffic {
            network.cross_traffic = None;
        }
        let overhead = |i: usize| self.overheads[i].unwrap_or("0:0:0").parse().expect("overhead");
        let mut collectives = Selector::new(self.table, true);
        if let Some((kind, name)) = self.overridden {
            collectives = collectives.with_override(kind, name).expect("algorithm");
        }
        Model {
            network,
            mpi: MpiOptions {
                detached_below: self.detached_below,
                send_overhead: overhead(0),
                isend_overhead: overhead(1),
                ..MpiOptions::default()
            },
            collectives,
            sharing,
            precision: Precision {
                transfers: if sharing == Rule::Exact { 0.0 } else { self.precision },
                others: self.precision,
            },
            medium: None,
            noise: None,
        }
    }

    pub fn describe(&self) -> String {
        self.arguments().join(" ")
    }
}
