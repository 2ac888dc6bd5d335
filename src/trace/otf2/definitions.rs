//! Definitions before the events: clock, locations, groups, communicators, windows.

use rustc_hash::FxHashMap;

#[cfg(feature = "libotf2")]
use super::event::Member;
use crate::trace::format::MOST_RANKS;

/// The ranks of a communicator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum CommRanks {
    /// All ranks, in order.
    World,
    /// The listed ranks.
    Members(Vec<u32>),
}

/// Definitions read so far.
#[derive(Default)]
pub(super) struct Definitions {
    pub ticks: Option<u64>,
    pub offset: u64,
    /// MPI locations in the order of their ranks.
    locations: Vec<u64>,
    rank_of: FxHashMap<u64, u32>,
    /// Groups by number: locations of their members.
    groups: FxHashMap<u64, Vec<u64>>,
    comms: FxHashMap<u64, u64>,
    /// Communicators of windows.
    windows: FxHashMap<u64, u64>,
}

/// Problem of an archive without MPI.
const NO_MPI: &str = "the archive has no MPI: its definitions name no ranks";

/// Remedy for an archive without MPI.
const NO_MPI_HELP: &str = "it was recorded without a program of MPI, and a replay needs messages; record an MPI program with Score-P, or \
                           with `mopsim record`";

impl Definitions {
    /// Defines the ranks of MPI: these locations, in this order.
    pub fn set_ranks(&mut self, locations: &[u64]) {
        self.rank_of = locations.iter().copied().zip(0..).collect();
        self.locations = locations.to_vec();
    }

    /// Defines a group of these locations.
    pub fn group(&mut self, id: u64, members: Vec<u64>) {
        self.groups.insert(id, members);
    }

    /// Defines a communicator of the members of a group.
    pub fn communicator(&mut self, id: u64, group: u64) {
        self.comms.insert(id, group);
    }

    /// Defines a window of the members of a communicator.
    pub fn window(&mut self, id: u64, comm: u64) {
        self.windows.insert(id, comm);
    }

    /// Checks that all definitions needed by events exist; the error is problem and help. `missing` is the help for a
    /// missing definition.
    pub fn check(&self, missing: &'static str) -> Result<(), (String, &'static str)> {
        match self.ranks() {
            // With a clock there are definitions, so it is the archive that has no ranks.
            0 if self.ticks.is_some() => return Err((NO_MPI.to_owned(), NO_MPI_HELP)),
            0 => return Err(("the ranks of MPI are not defined in front of the events".to_owned(), missing)),
            1..=MOST_RANKS => {}
            ranks => return Err((format!("{ranks} ranks are too many"), "check the trace")),
        }
        if self.ticks.is_none() {
            return Err(("the clock is not defined".to_owned(), missing));
        }
        // If two ranks are the same location, the later one has replaced the other.
        match (0..).zip(&self.locations).find(|&(rank, &location)| self.rank(location) != Some(rank)) {
            Some((_, location)) => Err((format!("location {location} is two ranks of MPI"), "check the trace")),
            None => Ok(()),
        }
    }

    /// Returns the number of ranks.
    pub fn ranks(&self) -> usize {
        self.locations.len()
    }

    /// Returns the locations of the ranks, in their order.
    #[cfg(feature = "libotf2")]
    pub fn locations(&self) -> &[u64] {
        &self.locations
    }

    /// Returns the rank of a location, if it is one.
    pub fn rank(&self, location: u64) -> Option<u32> {
        self.rank_of.get(&location).copied()
    }

    /// Returns the locations of a communicator's members; `None` for the communicator of each location alone.
    fn members(&self, comm: u64) -> Option<&[u64]> {
        self.groups.get(self.comms.get(&comm)?).map(Vec::as_slice)
    }

    /// Returns a member of a communicator by its number; `own` is the location that refers to it, and the only member
    /// of a communicator of each location alone.
    #[cfg(feature = "libotf2")]
    pub fn member(&self, comm: u64, number: u64, own: u64) -> Member {
        let location = match self.members(comm) {
            Some([]) if number == 0 => Some(own),
            Some(members) => usize::try_from(number).ok().and_then(|number| members.get(number)).copied(),
            None => None,
        };
        location.map_or(Member::Unknown(number), Member::Location)
    }

    /// Returns the communicator of a window.
    pub fn comm_of_window(&self, window: u64) -> Option<u64> {
        self.windows.get(&window).copied()
    }

    /// Returns the ranks of a communicator. The first one of all ranks is the world, others of all ranks are copies of
    /// it.
    pub fn comm(&self, comm: u64) -> Option<CommRanks> {
        let is_world = |comm: u64| self.members(comm) == Some(&self.locations);
        if is_world(comm) && !self.comms.keys().any(|&other| other < comm && is_world(other)) {
            return Some(CommRanks::World);
        }
        self.ranks_of(comm).map(CommRanks::Members)
    }

    /// Returns the ranks of a communicator, including that of all ranks.
    pub fn ranks_of(&self, comm: u64) -> Option<Vec<u32>> {
        self.members(comm)?.iter().map(|location| self.rank(*location)).collect()
    }

    /// Returns the seconds since the beginning.
    pub fn seconds(&self, timestamp: u64) -> f64 {
        timestamp.saturating_sub(self.offset) as f64 / self.ticks.unwrap_or(1) as f64
    }
}
