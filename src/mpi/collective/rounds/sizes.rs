//! Sizes of the messages that the members of a communicator receive.

use crate::trace::varint::{Cursor, put};
use std::iter;

/// Sizes of the messages that each member receives, in order. Runs of equal sizes take one entry, and most entries two
/// or three bytes: algorithms that cut a block into many equal pieces are common, and an alltoallv takes no more memory
/// than in the trace.
#[derive(Default, Debug)]
pub struct Sizes {
    /// Runs: length, and bytes of each message.
    runs: Vec<u8>,
    /// End of the runs of each member.
    ends: Vec<usize>,
    /// Run that is not in `runs` yet.
    times: u64,
    bytes: u64,
}

impl Sizes {
    /// Adds a message of the current member.
    pub fn push(&mut self, bytes: u64) {
        if bytes != self.bytes {
            self.end_run();
            self.bytes = bytes;
        }
        self.times += 1;
    }

    /// Ends the current member.
    pub fn end_member(&mut self) {
        self.end_run();
        self.ends.push(self.runs.len());
    }

    fn end_run(&mut self) {
        if self.times > 0 {
            put(self.times, &mut self.runs);
            put(self.bytes, &mut self.runs);
            self.times = 0;
        }
    }

    /// Frees unused capacity.
    pub fn shrink(&mut self) {
        self.runs.shrink_to_fit();
        self.ends.shrink_to_fit();
    }

    /// Returns the sizes of the messages that a member receives.
    pub fn of(&self, member: u32) -> impl Iterator<Item = u64> {
        let member = member as usize;
        let start = if member == 0 { 0 } else { self.ends[member - 1] };
        let mut runs = Cursor::new(&self.runs[start..self.ends[member]]);
        iter::from_fn(move || Some((runs.number()?, runs.number()?)))
            .flat_map(|(times, bytes)| (0..times).map(move |_| bytes))
    }
}

#[cfg(test)]
impl Sizes {
    /// Returns the bytes of memory used.
    pub fn room(&self) -> usize {
        self.runs.capacity() + self.ends.capacity() * size_of::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_take_the_room_of_one() {
        let members = [vec![0, 0, 70_000, u64::MAX], vec![], vec![u64::MAX; 5], vec![8; 1_000_000]];
        let mut sizes = Sizes::default();
        for member in &members {
            member.iter().for_each(|&bytes| sizes.push(bytes));
            sizes.end_member();
        }
        for (member, expected) in (0..).zip(&members) {
            assert_eq!(sizes.of(member).collect::<Vec<_>>(), *expected, "member {member}");
        }
        sizes.shrink();
        assert!(sizes.room() < 80, "{} bytes", sizes.room());
    }
}
