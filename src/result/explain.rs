//! Explains the duration of a run: how its time is spent, busy links, and its critical path.
//!
//! The time split, the loads and the hops come with every replay. The shares of time in which links were full and the
//! critical path need an observer ([`Explainer`]).

use super::critical::{CriticalPath, CriticalPathFinder};
use super::saturation::Saturation;
use super::sizes::{AwaitedSize, AwaitedSizes};
use crate::engine::{Outcome, RankTimes};
use crate::ids::LinkId;
use crate::network::sharing::Rule;
use crate::platform::{LinkKind, Platform, SharingPolicy};
use serde::{Deserialize, Serialize};

/// Most links in the list of busy ones.
const BUSIEST: usize = 10;

/// Number of groups of links in the profile of loads.
pub const PROFILE_GROUPS: usize = 32;

/// Time of the ranks by activity, as shares that add up to one.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Shares {
    /// Computing.
    pub compute: f64,
    /// Blocked on the latency of a message, and overheads of sends and receives.
    pub latency: f64,
    /// Blocked while a message drains through its links.
    pub bandwidth: f64,
    /// Blocked before the partner has posted, or idle at the end.
    pub waiting: f64,
}

/// Busy link.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BusyLink {
    /// Name of the link.
    pub link: String,
    /// `true` if it joins a host to its switch.
    pub of_host: bool,
    /// Messages that went over it.
    pub messages: u64,
    /// Bytes of those messages, envelopes included.
    pub bytes: u64,
    /// Share of its capacity in the simulated time that was used.
    pub utilisation: f64,
    /// Share of the run in which it was full; `None` without an observer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saturated: Option<f64>,
    /// Share of the run in which a message would have been faster on a faster link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limiting: Option<f64>,
}

/// Explanation of the duration of a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Explanation {
    /// Shares of the time of the ranks by activity.
    pub time_shares: Shares,
    /// Mean number of links on the path of a message; a message within a host has none.
    pub average_hops: Option<f64>,
    /// Busiest links, busiest first.
    pub busiest_links: Vec<BusyLink>,
    /// Mean utilisation of groups of links, each with the same number of links, busiest first.
    pub load_profile: Vec<f64>,
    /// Critical path; `None` without an observer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub critical_path: Option<CriticalPath>,
    /// Messages that ranks waited for, by size; `None` unless requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub awaited_sizes: Option<Vec<AwaitedSize>>,
    /// Packets that waited behind others of their channel, most time first; `None` without packets, or if the links
    /// were not observed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head_of_line: Option<Blocking>,
}

/// Head-of-line blocking: packets that waited in their channel behind packets for another link.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Blocking {
    /// Packets that waited.
    pub packets: u64,
    /// Their seconds, added up.
    pub seconds: f64,
    /// Pairs of links with the most time, most first.
    pub worst: Vec<BlockedLink>,
}

/// Packets for one link that waited behind packets for another one of the same switch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlockedLink {
    /// Name of the link that they waited for.
    pub wanted: String,
    /// Name of the link that the packets ahead took.
    pub behind: String,
    /// Packets that waited.
    pub packets: u64,
    /// Their seconds, added up.
    pub seconds: f64,
}

impl Blocking {
    fn of(outcome: &Outcome, platform: &Platform) -> Self {
        let name = |link: LinkId| platform.links[link.index()].name.to_string();
        let all = &outcome.head_of_line;
        Self {
            packets: all.iter().map(|blocked| blocked.packets).sum(),
            seconds: all.iter().map(|blocked| blocked.seconds).sum(),
            worst: all
                .iter()
                .take(BUSIEST)
                .map(|blocked| BlockedLink {
                    wanted: name(blocked.wanted),
                    behind: name(blocked.behind),
                    packets: blocked.packets,
                    seconds: blocked.seconds,
                })
                .collect(),
        }
    }
}

impl Shares {
    fn of(outcome: &Outcome) -> Self {
        let all = outcome.simulated_seconds * outcome.ranks.len() as f64;
        if all <= 0.0 {
            return Self::default();
        }
        let share = |time: fn(&RankTimes) -> f64| outcome.ranks.iter().map(time).sum::<f64>() / all;
        Self {
            compute: share(|r| r.compute),
            latency: share(|r| r.latency),
            bandwidth: share(|r| (r.communication - r.latency).max(0.0)),
            waiting: share(|r| r.waiting),
        }
    }
}

impl Explanation {
    /// Explains an outcome; `watched` has observed the replay.
    pub fn new(outcome: &Outcome, platform: &Platform, watched: Option<&Explainer>) -> Self {
        let links = || outcome.links.iter().filter(|l| platform.links[l.link.index()].policy == SharingPolicy::Shared);
        let end = outcome.simulated_seconds;
        let busiest = outcome.busiest_links().into_iter().take(BUSIEST).map(|l| {
            let shares = watched.filter(|w| w.knows_links).map(|w| w.watching.0.shares(l.link, end));
            let link = &platform.links[l.link.index()];
            BusyLink {
                link: link.name.to_string(),
                of_host: link.kind == LinkKind::OfHost,
                messages: l.messages,
                bytes: l.bytes,
                utilisation: l.utilisation,
                saturated: shares.map(|s| s.0),
                limiting: shares.map(|s| s.1),
            }
        });
        let mut loads: Vec<f64> = links().map(|l| l.utilisation).collect();
        loads.sort_by(|a, b| b.total_cmp(a));
        Self {
            time_shares: Shares::of(outcome),
            average_hops: (outcome.messages > 0).then(|| outcome.links_crossed / outcome.messages as f64 + 0.0),
            busiest_links: busiest.collect(),
            load_profile: profile(&loads),
            critical_path: watched.and_then(|w| w.watching.1.0.path()),
            head_of_line: watched.and(outcome.packets).map(|_| Blocking::of(outcome, platform)),
            awaited_sizes: watched.filter(|w| w.sizes).map(|w| w.watching.1.1.classes()),
        }
    }
}

/// Returns the means of up to [`PROFILE_GROUPS`] groups of neighbours, which differ in size by at most one.
fn profile(sorted: &[f64]) -> Vec<f64> {
    let groups = sorted.len().min(PROFILE_GROUPS);
    let bound = |group: usize| group * sorted.len() / groups;
    let mean = |some: &[f64]| some.iter().sum::<f64>() / some.len() as f64;
    (0..groups).map(|g| mean(&sorted[bound(g)..bound(g + 1)])).collect()
}

/// Observes a replay to explain it. Its memory grows with ranks, links and messages under way, not with the trace.
#[derive(Debug)]
pub struct Explainer {
    /// Observers of full links, of the critical path, and of sizes of messages.
    pub watching: (Saturation, (CriticalPathFinder, AwaitedSizes)),
    /// `true` if times of messages are added up by size.
    sizes: bool,
    /// `true` if the sharing rule reports the states of links.
    knows_links: bool,
}

impl Explainer {
    /// Creates an observer for a replay of `ranks` ranks under a sharing rule; with `sizes`, also of the duration of
    /// messages by size.
    pub fn new(ranks: usize, rule: Rule, sizes: bool) -> Self {
        let ranks = (CriticalPathFinder::new(ranks), AwaitedSizes::new(sizes));
        Self { watching: (Saturation::default(), ranks), sizes, knows_links: !rule.is_simgrid() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_profile_keeps_the_mean() {
        assert_eq!(profile(&[]), [] as [f64; 0]);
        assert_eq!(profile(&[0.5, 0.25]), [0.5, 0.25]);
        let loads: Vec<f64> = (0..64).rev().map(f64::from).collect();
        let groups = profile(&loads);
        assert_eq!((groups.len(), groups[0], groups[31]), (PROFILE_GROUPS, 62.5, 0.5));
    }
}
