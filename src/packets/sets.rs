//! Sets of places or ports of a switch or a batch, one bit each, in words of 64.

/// Inserts a place.
#[inline]
pub(super) fn insert(set: &mut [u64], place: usize) {
    set[place / 64] |= 1 << (place % 64);
}

/// Removes a place.
#[inline]
pub(super) fn remove(set: &mut [u64], place: usize) {
    set[place / 64] &= !(1 << (place % 64));
}

/// Members in a word of a set, in ascending order. An iterator, because the body of a loop is compiled for the same
/// processor as the function that it is in, and a closure is not.
pub(super) struct WordMembers {
    first: usize,
    bits: u64,
}

/// Returns the members in the word number `word` of a set.
#[inline(always)]
pub(super) fn members(word: usize, bits: u64) -> WordMembers {
    WordMembers { first: word * 64, bits }
}

impl Iterator for WordMembers {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.bits == 0 {
            return None;
        }
        let member = self.first + self.bits.trailing_zeros() as usize;
        self.bits &= self.bits - 1;
        Some(member)
    }
}
