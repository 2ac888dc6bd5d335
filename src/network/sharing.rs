//! Interface between the network and a sharing rule, which computes the rate of each flow as flows come and go.
//!
//! Four rules exist: [`MaxMin`](super::maxmin::MaxMin), the exact weighted max-min allocation at every instant, or one
//! within a [`Bound`] of it; `Proportional`, the proportionally fair one; `Incremental`, which goes wrong exactly where
//! SimGrid 3.32 does; and `Full`, the exact allocation with the rounding errors of SimGrid 3.32.

use crate::ids::LinkId;
use crate::platform::SharingPolicy;
#[cfg(doc)]
use crate::routing::FULL_LOAD;
use crate::share::share;
use std::fmt;

/// Relative bound within which sharing is fair, in millionths.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Bound(u32);

impl Bound {
    /// Largest bound: a tenth.
    const MOST: f64 = 100_000.0;

    /// Returns the bound as a share, from 0 to 0.1.
    #[inline]
    pub fn share(self) -> f64 {
        f64::from(self.0) / 1e6
    }

    /// Returns the bound of a text such as `1%`, `0.5 %` or `0.01`; `None` unless it is a number of millionths from 0 to a
    /// tenth.
    pub fn from_text(text: &str) -> Option<Self> {
        let number = share(text).filter(|share| share.is_finite())? * 1e6;
        let millionths = number.round();
        let whole = (number - millionths).abs() < 1e-6;
        (whole && (0.0..=Self::MOST).contains(&millionths)).then_some(Self(millionths as u32))
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%", f64::from(self.0) / 1e4)
    }
}

/// Sharing rule of a run.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Rule {
    /// Exact allocation.
    #[default]
    Exact,
    /// Fair within a bound: levels of links in large coupled sets are passed on when they have moved by more than it.
    Within(Bound),
    /// Proportionally fair allocation, as flows of TCP come near to it.
    Proportional,
    /// SimGrid's incremental allocation.
    SimgridLazy,
    /// Exact allocation, rounded as by SimGrid's full solver.
    SimgridFull,
}

impl Rule {
    /// Forms of all rules, as `--sharing` takes them.
    pub const FORMS: [&'static str; 5] = ["exact", "within:1%", "proportional", "simgrid-lazy", "simgrid-full"];

    /// Returns the rule of a name, where `within:` is followed by a [`Bound`].
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase().replace('_', "-");
        match &*name {
            "exact" => Some(Self::Exact),
            "proportional" => Some(Self::Proportional),
            "simgrid-lazy" => Some(Self::SimgridLazy),
            "simgrid-full" => Some(Self::SimgridFull),
            _ => Bound::from_text(name.strip_prefix("within:")?).map(Self::Within),
        }
    }

    /// `true` if it reproduces SimGrid, with its order of events.
    pub fn is_simgrid(self) -> bool {
        matches!(self, Self::SimgridLazy | Self::SimgridFull)
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact => f.write_str("exact"),
            Self::Within(bound) => write!(f, "within:{bound}"),
            Self::Proportional => f.write_str("proportional"),
            Self::SimgridLazy => f.write_str("simgrid-lazy"),
            Self::SimgridFull => f.write_str("simgrid-full"),
        }
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

/// State of a link in an allocation.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct LinkState {
    /// `true` if its flows consume its full capacity.
    pub full: bool,
    /// `true` if a flow on it would be faster if the link were.
    pub limiting: bool,
}

/// A link as a path uses it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Element {
    pub link: u32,
    pub consumption: f64,
}

/// A flow as a link lists it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    pub flow: u32,
    pub consumption: f64,
}

/// Data of a flow that begins soon; each item is found through the one before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Needed {
    /// Position of its path.
    Path,
    /// Links of the path.
    Elements,
    /// The links themselves.
    Links,
    /// Ends of the links' lists of flows.
    Ends,
}

/// Links and paths, with flows that come and go. It has no notion of messages, time or MPI.
pub trait Sharing {
    /// `true` if it needs all events that SimGrid's solver gets, in the same order: flows in their latency phase, local
    /// messages, and all events in one queue.
    const LITERAL: bool;

    /// `true` if time passes in steps (`simgrid/steps.rs`) instead of from event to event. Requires a literal rule.
    const STEPWISE: bool = false;

    /// `true` if it can report the states of links.
    const WATCHED: bool = false;

    /// Creates a system without flows. Capacities must be positive and finite.
    fn new(links: impl IntoIterator<Item = (f64, SharingPolicy)>) -> Self;

    /// Permits allocations that are fair within a bound. Called before flows start, and only for a rule that has one.
    fn permit(&mut self, _bound: Bound) {}

    /// Registers a path: its links with the consumption on each, positive and every link at most once. On a path
    /// without links a flow runs at its bound.
    fn add_path(&mut self, elements: &[(LinkId, f64)]) -> PathId;

    /// Announces a flow that will enter after its latency phase. Called only for a literal rule.
    fn announce(&mut self, _path: PathId) {}

    /// Prefetches data for a flow that will soon enter on a path.
    #[inline]
    fn prefetch(&self, _path: PathId, _what: Needed) {}

    /// Starts a flow. Its rate is 0 until the next [`solve`](Self::solve).
    ///
    /// `penalty` is positive: the share is inversely proportional to it. `bound` is positive, maybe infinite where
    /// the path has links.
    fn start(&mut self, path: PathId, penalty: f64, bound: f64) -> FlowId;

    /// Removes a flow. The others keep their rates until the next [`solve`](Self::solve).
    fn stop(&mut self, flow: FlowId);

    /// Removes several flows, in this order.
    fn stop_all(&mut self, flows: &[FlowId]) {
        flows.iter().for_each(|&flow| self.stop(flow));
    }

    /// `true` if something has changed since the last solution.
    fn is_stale(&self) -> bool;

    /// Allocates again where changes have an effect.
    fn solve(&mut self);

    /// Returns the flows whose completion time has to be recomputed after the last solution, new ones included.
    fn changed(&self) -> &[FlowId];

    /// Returns the rate of a flow as of the last solution.
    fn value(&self, flow: FlowId) -> f64;

    /// `true` if flows may follow the clock of a link since the last solution.
    fn runs_clocks(&self) -> bool {
        false
    }

    /// Returns the links whose level changed in the last solution, and with it, in proportion, the rates of all flows
    /// that follow their clock.
    fn shifted(&self) -> &[u32] {
        &[]
    }

    /// Returns the link whose level a flow of [`changed`](Self::changed) follows until it is reported again; `None`:
    /// its rate is its own.
    fn clock(&self, _flow: FlowId) -> Option<u32> {
        None
    }

    /// Returns the level of a link whose clock flows follow.
    fn level(&self, _link: u32) -> f64 {
        0.0
    }

    /// Returns the rate that is allocated on a link over its capacity, as of the last solution; 0 for a fat pipe.
    fn load(&self, link: LinkId) -> f64;

    /// Returns the load of a link for routes that are chosen by load, in units of 1 / [`FULL_LOAD`] of its capacity: as
    /// it was before the present instant. Only `Loads` keeps these.
    fn load_before(&mut self, _link: LinkId) -> u32 {
        0
    }

    /// Reports the links whose state the last solution may have changed, if the rule is watched.
    fn link_changes(&mut self, _tell: impl FnMut(LinkId, LinkState)) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_as_they_are_written() {
        for (text, written) in [
            ("exact", "exact"),
            ("SimGrid_lazy", "simgrid-lazy"),
            ("simgrid-full", "simgrid-full"),
            ("within:1%", "within:1%"),
            ("within:0.5 %", "within:0.5%"),
            ("within:0.01", "within:1%"),
            ("within:0", "within:0%"),
            ("within:0.0001%", "within:0.0001%"),
            ("Within:10%", "within:10%"),
        ] {
            let rule = Rule::from_name(text).expect("a rule");
            assert_eq!(rule.to_string(), written);
            assert_eq!(Rule::from_name(written), Some(rule));
        }
        for text in [
            "within",
            "within:",
            "within:%",
            "within:-1%",
            "within:11%",
            "within:nan",
            "within:inf",
            "within:1e-9",
            "full",
        ] {
            assert_eq!(Rule::from_name(text), None, "{text}");
        }
        assert!(Rule::FORMS.iter().all(|form| Rule::from_name(form).is_some()));
    }
}
