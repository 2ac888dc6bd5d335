//! Entry to a replay: selects the network and the engine that is compiled for it.

use super::error::ReplayError;
use super::jobs::Span;
use super::loggops;
use super::model::Model;
use super::observer::{Interest, Observer};
use super::outcome::Outcome;
use super::progress::Counter;
use super::skip::Stop;
use super::state::{Begin, Engine};
use crate::mpi::rank_map::RankMap;
use crate::network::loads::Loads;
use crate::network::maxmin::{MaxMin, WatchedMaxMin};
use crate::network::noise::{Flows, Noise, Noisy};
use crate::network::proportional::Proportional;
use crate::network::sharing::{Rule, Sharing};
use crate::network::simgrid::full::Full;
use crate::network::simgrid::incremental::Incremental;
use crate::network::{Carrier, Network};
use crate::platform::Platform;
use crate::trace::Trace;

/// Replays a trace on a platform; `rank_map` maps ranks to hosts. `&mut ()` observes nothing, and makes the fastest
/// replay.
///
/// # Errors
/// [`ReplayError`] if some rank cannot reach its end.
///
/// # Panics
/// If `rank_map` and the trace differ in their numbers of ranks, or `rank_map` names hosts that the platform lacks.
pub fn replay(
    trace: &Trace,
    platform: &Platform,
    rank_map: &RankMap,
    model: &Model,
    observer: &mut dyn Observer,
) -> Result<Outcome, ReplayError> {
    replay_jobs(trace, &[], platform, rank_map, model, observer)
}

/// Replays a trace merged from several; `jobs` has the ranks of each, in order. If some of them repeat, the replay ends
/// with the last rank of the others, which determines [`Outcome::simulated_seconds`].
///
/// A job that deadlocks next to one that repeats would never end: replay it alone first.
///
/// # Errors
/// [`ReplayError`] if some rank cannot reach its end.
///
/// # Panics
/// If `rank_map` and the trace differ in their numbers of ranks, or `rank_map` names hosts that the platform lacks; if `jobs`
/// is not empty and its number of ranks differs.
pub fn replay_jobs(
    trace: &Trace,
    jobs: &[Span],
    platform: &Platform,
    rank_map: &RankMap,
    model: &Model,
    observer: &mut dyn Observer,
) -> Result<Outcome, ReplayError> {
    run(Begin { trace, jobs, platform, rank_map, model, stop: None }, observer)
}

/// Replays a trace until a condition on its iterations holds, and then, from the end of an iteration on, what follows the
/// last one: [`Outcome::passed`] has the number of iterations in between.
///
/// # Errors
/// [`ReplayError`] if some rank cannot reach its end.
///
/// # Panics
/// If `rank_map` and the trace differ in their numbers of ranks, or `rank_map` names hosts that the platform lacks; for the
/// model `loggops`, which replays graphs.
pub fn replay_until(
    trace: &Trace,
    platform: &Platform,
    rank_map: &RankMap,
    model: &Model,
    stop: Stop<'_>,
    observer: &mut dyn Observer,
) -> Result<Outcome, ReplayError> {
    assert!(model.network.loggops.is_none(), "graphs have no iterations");
    run(Begin { trace, jobs: &[], platform, rank_map, model, stop: Some(stop) }, observer)
}

fn run(begin: Begin<'_>, observer: &mut dyn Observer) -> Result<Outcome, ReplayError> {
    let Begin { trace, jobs, platform, rank_map, model, .. } = begin;
    assert_eq!(trace.ranks(), rank_map.ranks() as usize, "the rank map places every rank of the trace");
    let (interest, counter) = (observer.interest(), observer.counter());
    if let Some(constants) = model.network.loggops {
        let schedule = trace.schedule.as_deref().filter(|_| jobs.is_empty()).ok_or(ReplayError::NeedsGraph)?;
        return loggops::replay(schedule, platform, rank_map, constants, counter);
    }
    if model.network.packet_level.is_some() {
        let medium = model.medium.as_ref().ok_or(ReplayError::NeedsSwitches)?;
        let carrier = medium.carrier(platform, interest == Interest::RanksAndLinks);
        if let Some(noise) = model.noise {
            return begin.noisy(carrier, noise, observer, counter);
        }
        return Engine::new(begin, observer, carrier).run(counter);
    }
    if let Some(noise) = model.noise {
        let watched = interest == Interest::RanksAndLinks;
        let carrier: Box<dyn Carrier> = match (model.sharing, platform.routes.needs_loads(), watched) {
            (Rule::Proportional, false, _) => begin.carrier::<Proportional>(),
            (Rule::Proportional, true, _) => begin.carrier::<Loads<Proportional>>(),
            (Rule::Exact | Rule::Within(_), false, false) => begin.carrier::<MaxMin>(),
            (Rule::Exact | Rule::Within(_), false, true) => begin.carrier::<WatchedMaxMin>(),
            (Rule::Exact | Rule::Within(_), true, false) => begin.carrier::<Loads<MaxMin>>(),
            (Rule::Exact | Rule::Within(_), true, true) => begin.carrier::<Loads<WatchedMaxMin>>(),
            (Rule::SimgridLazy | Rule::SimgridFull, ..) => return Err(ReplayError::NoiseNeedsOtherSharing),
        };
        return begin.noisy(carrier, noise, observer, counter);
    }
    // Only routes that are chosen by load need the loads of links.
    if platform.routes.needs_loads() {
        return match model.sharing {
            Rule::Exact | Rule::Within(_) if interest == Interest::Nothing => {
                begin.flows::<(), Loads<MaxMin>>(&mut (), counter)
            }
            Rule::Exact | Rule::Within(_) => begin.flows::<dyn Observer, Loads<WatchedMaxMin>>(observer, counter),
            Rule::Proportional => begin.flows::<dyn Observer, Loads<Proportional>>(observer, counter),
            Rule::SimgridLazy => begin.flows::<dyn Observer, Loads<Incremental>>(observer, counter),
            Rule::SimgridFull => begin.flows::<dyn Observer, Loads<Full>>(observer, counter),
        };
    }
    match model.sharing {
        // Long studies consist of these, so they have an engine that is compiled without an observer.
        Rule::Exact | Rule::Within(_) if interest == Interest::Nothing => begin.flows::<(), MaxMin>(&mut (), counter),
        Rule::Exact | Rule::Within(_) if interest == Interest::Ranks => {
            begin.flows::<dyn Observer, MaxMin>(observer, counter)
        }
        Rule::Exact | Rule::Within(_) => begin.flows::<dyn Observer, WatchedMaxMin>(observer, counter),
        Rule::Proportional => begin.flows::<dyn Observer, Proportional>(observer, counter),
        Rule::SimgridLazy => begin.flows::<dyn Observer, Incremental>(observer, counter),
        Rule::SimgridFull => begin.flows::<dyn Observer, Full>(observer, counter),
    }
}

impl<'a> Begin<'a> {
    /// Flows as a carrier, whose speed does not matter.
    fn carrier<S: Sharing + 'a>(self) -> Box<dyn Carrier + 'a> {
        Box::new(Flows(self.network::<S>()))
    }

    /// Replays with messages that arrive late.
    fn noisy(
        self,
        carrier: Box<dyn Carrier + 'a>,
        noise: Noise,
        observer: &'a mut dyn Observer,
        counter: Option<Counter>,
    ) -> Result<Outcome, ReplayError> {
        let carrier: Box<dyn Carrier + 'a> = Box::new(Noisy::new(carrier, noise));
        Engine::new(self, observer, carrier).run(counter)
    }

    /// Replays with messages as flows under a rule of sharing.
    fn flows<O: Observer + ?Sized, S: Sharing>(
        self,
        observer: &'a mut O,
        counter: Option<Counter>,
    ) -> Result<Outcome, ReplayError> {
        Engine::new(self, observer, self.network::<S>()).run(counter)
    }

    /// Returns a network without messages, which are flows under a rule of sharing.
    fn network<S: Sharing>(self) -> Network<'a, S> {
        let network = Network::<S>::new(self.platform, &self.model.network);
        match self.model.sharing {
            Rule::Within(bound) => network.within(bound),
            _ => network,
        }
    }
}
