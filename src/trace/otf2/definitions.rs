//! The definitions in front of the events: clock, locations, groups, communicators.

use rustc_hash::FxHashMap;

use super::attributes::{Attributes, number, references};

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
}

impl Definitions {
    /// Takes a line; `false` if it is not as it should be.
    pub fn line(&mut self, keyword: &[u8], rest: &[u8]) -> bool {
        let rest = rest.trim_ascii_start();
        let id = number(rest);
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let attributes = Attributes(rest[digits..].trim_ascii_start());
        match keyword {
            b"CLOCK_PROPERTIES" => {
                self.ticks = attributes.number("Ticks per Seconds: ").filter(|&ticks| ticks > 0);
                self.offset = attributes.number("Global Offset: ").unwrap_or(0);
                self.ticks.is_some()
            }
            b"GROUP" => {
                let (Some(id), Some(kind)) = (id, attributes.word("Type: ")) else { return false };
                if !matches!(kind, b"COMM_LOCATIONS" | b"COMM_GROUP" | b"COMM_SELF") {
                    return true;
                }
                let Some(members) = attributes.after("Members: ") else {
                    self.groups.insert(id, Vec::new());
                    return true;
                };
                let members: Vec<u64> = references(members).collect();
                let is_mpi = attributes.word("Paradigm: ") == Some(b"MPI");
                if kind == b"COMM_LOCATIONS" && is_mpi {
                    self.rank_of = members.iter().copied().zip(0..).collect();
                    self.locations.clone_from(&members);
                }
                self.groups.insert(id, members);
                true
            }
            b"COMM" => {
                let (Some(id), Some(group)) = (id, attributes.reference("Group: ")) else { return false };
                self.comms.insert(id, group);
                true
            }
            _ => true,
        }
    }

    /// Number of ranks.
    pub fn ranks(&self) -> usize {
        self.locations.len()
    }

    /// The rank that a location is, if it is one.
    pub fn rank(&self, location: u64) -> Option<u32> {
        self.rank_of.get(&location).copied()
    }

    /// The ranks of a communicator. The first one of all ranks is the world, others of all ranks are copies of it.
    pub fn comm(&self, comm: u64) -> Option<Comm> {
        let is_world =
            |comm: u64| self.comms.get(&comm).and_then(|group| self.groups.get(group)) == Some(&self.locations);
        let members = self.groups.get(self.comms.get(&comm)?)?;
        if is_world(comm) && !self.comms.keys().any(|&other| other < comm && is_world(other)) {
            return Some(Comm::World);
        }
        members.iter().map(|location| self.rank(*location)).collect::<Option<Vec<u32>>>().map(Comm::Members)
    }

    /// Seconds since the beginning.
    pub fn seconds(&self, timestamp: u64) -> f64 {
        timestamp.saturating_sub(self.offset) as f64 / self.ticks.unwrap_or(1) as f64
    }
}
