//! Finds collectives of a communicator that are alike: each member has the same arguments in one as in the other.

use rustc_hash::FxHashMap;

/// Collectives that are alike as far as compared.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Class(u32);

impl Class {
    /// Before the first member.
    pub const ALL: Class = Class(u32::MAX);
}

/// Classes of collectives, refined one member at a time. So a collective is identified by one number, whatever its
/// number of members, and consecutive members with the same call share an entry.
#[derive(Default, Debug)]
pub struct Classes {
    entries: Vec<RefinedClass>,
    known: FxHashMap<RefinedClass, Class>,
}

/// Class that refines another one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct RefinedClass {
    before: Class,
    /// First member that makes this call.
    member: u32,
    call: u32,
}

impl Classes {
    /// Returns the part of a class in which the next member, `member`, makes this call.
    pub fn refine(&mut self, class: Class, member: u32, call: u32) -> Class {
        if class != Class::ALL && self.entries[class.0 as usize].call == call {
            return class;
        }
        let entry = RefinedClass { before: class, member, call };
        *self.known.entry(entry).or_insert_with(|| {
            self.entries.push(entry);
            Class(self.entries.len() as u32 - 1)
        })
    }

    /// Returns the calls of `members` members in the collectives of a class.
    pub fn calls(&self, mut class: Class, members: usize) -> Vec<u32> {
        let mut calls = vec![0; members];
        let mut end = members;
        while class != Class::ALL {
            let entry = &self.entries[class.0 as usize];
            calls[entry.member as usize..end].fill(entry.call);
            (end, class) = (entry.member as usize, entry.before);
        }
        calls
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng, rngs::StdRng};

    #[test]
    fn a_class_is_what_its_members_call() {
        let mut random = StdRng::seed_from_u64(3);
        let collectives: Vec<Vec<u32>> =
            (0..500).map(|_| (0..6).map(|_| random.random_range(0..2)).collect()).collect();
        let mut classes = Classes::default();
        let mut found = vec![Class::ALL; collectives.len()];
        for member in 0..6 {
            for (class, calls) in found.iter_mut().zip(&collectives) {
                *class = classes.refine(*class, member as u32, calls[member]);
            }
        }
        for (class, calls) in found.iter().zip(&collectives) {
            assert_eq!(classes.calls(*class, 6), *calls);
            assert!(found.iter().zip(&collectives).all(|(other, others)| (other == class) == (others == calls)));
        }
    }
}
