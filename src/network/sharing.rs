//! What the network asks of a sharing rule: which rate does each flow get, while flows come and go?
//!
//! Three rules exist: [`MaxMin`](super::maxmin::MaxMin), the exact weighted max-min allocation at every instant;
//! [`Incremental`](super::simgrid::incremental::Incremental), which goes wrong exactly where SimGrid 3.32 does; and
//! [`Full`](super::simgrid::full::Full), the exact allocation with the rounding errors of SimGrid 3.32.

use crate::ids::LinkId;
use crate::platform::SharingPolicy;
#[cfg(doc)]
use crate::routing::FULL_LOAD;

/// Which of the rules a run follows.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Rule {
    /// The exact allocation.
    #[default]
    Exact,
    /// SimGrid's incremental one.
    SimgridLazy,
    /// The exact one, rounded as by SimGrid's full solver.
    SimgridFull,
}

impl Rule {
    /// All of them.
    pub const ALL: [Rule; 3] = [Rule::Exact, Rule::SimgridLazy, Rule::SimgridFull];

    /// Name, as `--sharing` takes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::SimgridLazy => "simgrid-lazy",
            Self::SimgridFull => "simgrid-full",
        }
    }

    /// The rule of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase().replace('_', "-");
        Self::ALL.into_iter().find(|rule| rule.name() == name)
    }
}

/// A registered path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PathId(pub(super) u32);

/// A flow in the system. Ids of flows that left are used again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct FlowId(pub u32);

impl FlowId {
    /// The id as an index into an array.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// How a link stands in an allocation.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct LinkState {
    /// Whether the flows on it consume all that it has.
    pub full: bool,
    /// Whether a flow on it would be faster if the link were.
    pub limiting: bool,
}

/// A link as a path uses it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Element {
    pub link: u32,
    pub consumption: f64,
}

/// What a flow needs that begins soon: each needs the one before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Needed {
    /// Where its path is.
    Path,
    /// The links of the path.
    Elements,
    /// The links themselves.
    Links,
    /// Where their lists of flows end.
    Ends,
}

/// Links, paths and flows, of which the flows change. It knows nothing of messages, time or MPI.
pub trait Sharing {
    /// Whether it is to be told everything that SimGrid's solver is told, in the same order: flows in their latency
    /// phase, local messages, and all dates in one queue.
    const LITERAL: bool;

    /// Whether time passes in steps (`simgrid/steps.rs`) instead of from date to date. Only a literal rule may ask for
    /// it.
    const STEPWISE: bool = false;

    /// Whether it can tell of the state of links.
    const WATCHED: bool = false;

    /// A system without flows. Capacities must be positive and finite.
    fn new(links: impl IntoIterator<Item = (f64, SharingPolicy)>) -> Self;

    /// Registers a path: its links with the consumption of each, positive and every link at most once. A path
    /// without links gives a flow its bound.
    fn add_path(&mut self, elements: &[(LinkId, f64)]) -> PathId;

    /// A flow will enter after its latency phase. Only a literal rule is told.
    fn announce(&mut self, _path: PathId) {}

    /// A flow will enter soon on a path. Where memory is far, what it needs can travel until then.
    #[inline]
    fn ask_for(&self, _path: PathId, _what: Needed) {}

    /// A flow enters. Its value is 0 until the next [`solve`](Self::solve).
    ///
    /// `penalty` is positive: the share is inversely proportional to it. `bound` is positive, maybe infinite where
    /// the path has links.
    fn start(&mut self, path: PathId, penalty: f64, bound: f64) -> FlowId;

    /// A flow leaves. The others keep their values until the next [`solve`](Self::solve).
    fn stop(&mut self, flow: FlowId);

    /// Several flows leave, in this order.
    fn stop_all(&mut self, flows: &[FlowId]) {
        flows.iter().for_each(|&flow| self.stop(flow));
    }

    /// Whether something has changed since the last solution.
    fn is_stale(&self) -> bool;

    /// Shares out again what the changes concern.
    fn solve(&mut self);

    /// The flows whose date of arrival has to be worked out again after the last solution, new ones included.
    fn changed(&self) -> &[FlowId];

    /// The rate of a flow as of the last solution.
    fn value(&self, flow: FlowId) -> f64;

    /// Whether flows may follow the clock of a link since the last solution.
    fn runs_clocks(&self) -> bool {
        false
    }

    /// Links whose level the last solution has moved: so have the rates of all flows that follow their clock, in
    /// proportion.
    fn shifted(&self) -> &[u32] {
        &[]
    }

    /// The link whose level a flow of [`changed`](Self::changed) follows from now on, until it is told of again;
    /// `None`: its rate is its own.
    fn clock(&self, _flow: FlowId) -> Option<u32> {
        None
    }

    /// The level of a link whose clock flows follow.
    fn level(&self, _link: u32) -> f64 {
        0.0
    }

    /// Returns the rate that is allocated on a link over its capacity, as of the last solution; 0 for a fat pipe.
    fn load(&self, link: LinkId) -> f64;

    /// Returns the load of a link for routes that are chosen by load, in units of 1 / [`FULL_LOAD`] of its capacity: as
    /// it was before the present instant. Only [`Loads`](super::loads::Loads) keeps these.
    fn load_before(&mut self, _link: LinkId) -> u32 {
        0
    }

    /// Tells of the links whose state the last solution may have changed, if the rule is watched.
    fn link_changes(&mut self, _tell: impl FnMut(LinkId, LinkState)) {}
}
