//! Results of a replay.

use crate::ids::LinkId;
use crate::mpi::messages::Envelope;
use crate::network::{BlockedJob, HeadOfLine, PacketCounts};
use crate::trace::CollectiveKind;

/// Time that a rank spent on each activity, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RankTimes {
    /// Computing, and sleeping as the trace requests.
    pub compute: f64,
    /// Blocked while the message it waits for is under way, and overheads of sends and receives.
    pub communication: f64,
    /// Part of `communication` that more bandwidth would not shorten: latency of messages, overheads of sends and
    /// receives.
    pub latency: f64,
    /// Blocked before the partner has posted its send or receive, and idle after its last action until the last rank
    /// ends.
    pub waiting: f64,
    /// Time at which its last action ended.
    pub end: f64,
}

impl RankTimes {
    /// Adds the activities of another process, without its waiting.
    pub(super) fn add_activities(&mut self, other: &Self) {
        self.compute += other.compute;
        self.communication += other.communication;
        self.latency += other.latency;
    }
}

/// Largest utilisation of a link. SimGrid's incremental solver leaves outdated rates, several per cent too high at most.
pub const MOST_UTILISATION: f64 = 1.1;

/// Traffic of a link.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkTraffic {
    /// Link of the platform.
    pub link: LinkId,
    /// Messages whose route crosses it.
    pub messages: u64,
    /// Bytes of those messages that it has carried, envelopes included.
    pub bytes: u64,
    /// Bytes over the capacity in the simulated time, at most [`MOST_UTILISATION`]; 0 for a fat pipe, which has no such
    /// limit.
    pub utilisation: f64,
}

/// Result of a replay.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// From the common start of the ranks to the end of the last one.
    pub simulated_seconds: f64,
    /// Actions of the trace, all ranks together.
    pub actions: u64,
    /// Point-to-point messages, those of collectives included.
    pub messages: u64,
    /// Their payload in bytes.
    pub bytes: u64,
    /// One entry per rank.
    pub ranks: Vec<RankTimes>,
    /// Links crossed by all messages, the loopback of the platform left out; for a message that is divided over several
    /// paths, the mean.
    pub links_crossed: f64,
    /// One entry per link of the platform.
    pub links: Vec<LinkTraffic>,
    /// Counts of packets, where messages were packets.
    pub packets: Option<PacketCounts>,
    /// Where packets waited behind others of their channel, most time first; empty unless links were watched.
    pub head_of_line: Vec<HeadOfLine>,
    /// Jobs whose packets waited behind others; empty unless links were watched and there are several jobs.
    pub blocked_jobs: Vec<BlockedJob>,
    /// Sends that were never received: envelope, messages, bytes. A correct MPI program has none.
    pub unmatched_sends: Vec<(Envelope, u64, u64)>,
    /// Algorithms that were replaced because the chosen table is impossible to follow.
    pub substitutions: Vec<&'static str>,
    /// Operation of the first collective whose members pass different sizes where MPI requires equal ones.
    pub different_sizes: Option<CollectiveKind>,
    /// Iterations that were replayed, if some could be left out. All other fields but `actions` are those of the replayed part.
    pub passed: Option<Passed>,
}

impl Outcome {
    /// Returns the links in the order of their utilisation, busiest first; links without traffic and fat pipes are left
    /// out.
    pub fn busiest_links(&self) -> Vec<LinkTraffic> {
        let mut links: Vec<LinkTraffic> = self.links.iter().copied().filter(|l| l.utilisation > 0.0).collect();
        links.sort_by(|a, b| b.utilisation.total_cmp(&a.utilisation).then(a.link.cmp(&b.link)));
        links
    }
}

/// Iterations of a replay.
#[derive(Debug, Clone, PartialEq)]
pub struct Passed {
    /// Time in seconds at which the last rank began the first iteration, and times at which it ended each replayed one.
    pub ends: Vec<f64>,
    /// Number of ends that were known when the replay decided to leave out the rest; all if it did not.
    pub decided: usize,
    /// Number of iterations that were left out.
    pub skipped: usize,
    /// Number of actions of all ranks in them.
    pub skipped_actions: u64,
}
