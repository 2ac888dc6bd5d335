//! What a replay gives.

use crate::ids::LinkId;
use crate::mpi::messages::Envelope;
use crate::network::{BlockedJob, HeadOfLine, PacketCounts};

/// How a rank spent its time, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RankTimes {
    /// Computing, and sleeping where the trace says so.
    pub compute: f64,
    /// Blocked while the message it waits for is under way, and overheads of sends and receives.
    pub communication: f64,
    /// The part of it that more bandwidth would not shorten: latency of messages, overheads of sends and receives.
    pub latency: f64,
    /// Blocked while the partner is not there yet, and idle after its last action until the last rank ends.
    pub waiting: f64,
    /// Date of the end of its last action.
    pub end: f64,
}

/// What a link carried.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkTraffic {
    /// The link.
    pub link: LinkId,
    /// Messages whose route goes over it.
    pub messages: u64,
    /// Their bytes, envelopes included.
    pub bytes: u64,
    /// Those bytes over what the link can carry in the simulated time; 0 for a fat pipe, which has no such limit.
    pub utilisation: f64,
}

/// The result of a replay.
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
    /// One entry a rank.
    pub ranks: Vec<RankTimes>,
    /// Links that all messages crossed, the loopback of the platform left out; of a message that is divided over several
    /// paths, the mean.
    pub links_crossed: f64,
    /// One entry a link of the platform.
    pub links: Vec<LinkTraffic>,
    /// Counts of packets, where messages were packets.
    pub packets: Option<PacketCounts>,
    /// Where packets waited behind others of their channel, most time first; empty unless links were watched.
    pub head_of_line: Vec<HeadOfLine>,
    /// Jobs whose packets waited behind others; empty unless links were watched and there are several jobs.
    pub blocked_jobs: Vec<BlockedJob>,
    /// Sends that nobody received: envelope, messages, bytes. A correct MPI program has none.
    pub unmatched_sends: Vec<(Envelope, u64, u64)>,
    /// What was replaced because the chosen table asks for the impossible.
    pub substitutions: Vec<&'static str>,
}

impl Outcome {
    /// The links in the order of their utilisation, busiest first; links without traffic and fat pipes are left out.
    pub fn busiest_links(&self) -> Vec<LinkTraffic> {
        let mut links: Vec<LinkTraffic> = self.links.iter().copied().filter(|l| l.utilisation > 0.0).collect();
        links.sort_by(|a, b| b.utilisation.total_cmp(&a.utilisation).then(a.link.cmp(&b.link)));
        links
    }
}
