//! The definitions in front of the events: clock, locations, groups, communicators, windows.

use rustc_hash::FxHashMap;

#[cfg(feature = "libotf2")]
use super::event::Member;
use crate::trace::format::MOST_RANKS;

/// The ranks of a communicator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Comm {
    /// All of them, in their order.
    World,
    /// These ones.
    Members(Vec<u32>),
}

/// What is defined.
#[derive(Default)]
pub(super) struct Definitions {
    pub ticks: Option<u64>,
    pub offset: u64,
    /// Locations of MPI in the order of their ranks.
    locations: Vec<u64>,
    rank_of: FxHashMap<u64, u32>,
    /// Groups by their number: locations, or those of their members.
    groups: FxHashMap<u64, Vec<u64>>,
    comms: FxHashMap<u64, u64>,
    /// The communicators of windows.
    windows: FxHashMap<u64, u64>,
}

impl Definitions {
    /// These locations are the ranks of MPI, in this order.
    pub fn set_ranks(&mut self, locations: &[u64]) {
        self.rank_of = locations.iter().copied().zip(0..).collect();
        self.locations = locations.to_vec();
    }

    /// A group of these locations.
    pub fn group(&mut self, id: u64, members: Vec<u64>) {
        self.groups.insert(id, members);
    }

    /// A communicator of the members of a group.
    pub fn communicator(&mut self, id: u64, group: u64) {
        self.comms.insert(id, group);
    }

    /// A window of the members of a communicator.
    pub fn window(&mut self, id: u64, comm: u64) {
        self.windows.insert(id, comm);
    }

    /// Whether all is there that events need: problem and help if not. `missing` is the help where a definition is not
    /// there.
    pub fn check(&self, missing: &'static str) -> Result<(), (String, &'static str)> {
        match self.ranks() {
            0 => return Err(("the ranks of MPI are not defined in front of the events".to_owned(), missing)),
            1..=MOST_RANKS => {}
            ranks => return Err((format!("{ranks} ranks are too many"), "check the trace")),
        }
        if self.ticks.is_none() {
            return Err(("the clock is not defined".to_owned(), missing));
        }
        // The later of two ranks that are the same location has replaced the other.
        match (0..).zip(&self.locations).find(|&(rank, &location)| self.rank(location) != Some(rank)) {
            Some((_, location)) => Err((format!("location {location} is two ranks of MPI"), "check the trace")),
            None => Ok(()),
        }
    }

    /// Number of ranks.
    pub fn ranks(&self) -> usize {
        self.locations.len()
    }

    /// The locations of the ranks, in their order.
    #[cfg(feature = "libotf2")]
    pub fn locations(&self) -> &[u64] {
        &self.locations
    }

    /// The rank that a location is, if it is one.
    pub fn rank(&self, location: u64) -> Option<u32> {
        self.rank_of.get(&location).copied()
    }

    /// The locations of a communicator's members; none where it is that of each location alone.
    fn members(&self, comm: u64) -> Option<&[u64]> {
        self.groups.get(self.comms.get(&comm)?).map(Vec::as_slice)
    }

    /// A member of a communicator by its number; `own` is the one that names it, and the only one where each location
    /// is alone.
    #[cfg(feature = "libotf2")]
    pub fn member(&self, comm: u64, number: u64, own: u64) -> Member {
        let location = match self.members(comm) {
            Some([]) if number == 0 => Some(own),
            Some(members) => usize::try_from(number).ok().and_then(|number| members.get(number)).copied(),
            None => None,
        };
        location.map_or(Member::Unknown(number), Member::Location)
    }

    /// The communicator of a window.
    pub fn comm_of_window(&self, window: u64) -> Option<u64> {
        self.windows.get(&window).copied()
    }

    /// The ranks of a communicator. The first one of all ranks is the world, others of all ranks are copies of it.
    pub fn comm(&self, comm: u64) -> Option<Comm> {
        let is_world = |comm: u64| self.members(comm) == Some(&self.locations);
        if is_world(comm) && !self.comms.keys().any(|&other| other < comm && is_world(other)) {
            return Some(Comm::World);
        }
        self.ranks_of(comm).map(Comm::Members)
    }

    /// The ranks of a communicator, whether it is that of all or not.
    pub fn ranks_of(&self, comm: u64) -> Option<Vec<u32>> {
        self.members(comm)?.iter().map(|location| self.rank(*location)).collect()
    }

    /// Seconds since the beginning.
    pub fn seconds(&self, timestamp: u64) -> f64 {
        timestamp.saturating_sub(self.offset) as f64 / self.ticks.unwrap_or(1) as f64
    }
}
