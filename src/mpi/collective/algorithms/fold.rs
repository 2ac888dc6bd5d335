//! Reductions on a number of members that is not a power of two: some members are left out.
//!
//! Of the first `2 * rest` members every second one sends its vector to its neighbour and waits. The others get new
//! numbers `0..power`, on which algorithms for powers of two run. Rabenseifner's scheme, as in MPICH
//! (`allreduce_intra_recursive_doubling.c`, `reduce_intra_reduce_scatter_gather.c`).

use crate::mpi::collective::{Scope, Step};

/// Member of a pair of neighbours that is left out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum StandsOut {
    /// The even one: allreduce, reduce_scatter.
    Even,
    /// The odd one: reduce by scatter and gather.
    Odd,
}

/// New numbering.
#[derive(Clone, Copy)]
pub(super) struct Fold {
    /// Number of members that take part: the largest power of two up to their total number.
    pub power: u32,
    /// Number of members that are left out.
    pub rest: u32,
    out: StandsOut,
}

impl Fold {
    pub fn new(scope: &Scope<'_>, out: StandsOut) -> Self {
        let power = scope.power();
        Self { power, rest: scope.size - power, out }
    }

    /// `true` if the member belongs to a pair.
    pub fn paired(&self, member: u32) -> bool {
        u64::from(member) < 2 * u64::from(self.rest)
    }

    /// Returns the new number of a member, unless it is left out.
    pub fn number(&self, member: u32) -> Option<u32> {
        if !self.paired(member) {
            return Some(member - self.rest);
        }
        ((member.is_multiple_of(2)) != (self.out == StandsOut::Even)).then_some(member / 2)
    }

    /// Returns the member with that new number.
    pub fn member(&self, number: u32) -> u32 {
        if number >= self.rest {
            number + self.rest
        } else if self.out == StandsOut::Even {
            2 * number + 1
        } else {
            2 * number
        }
    }

    /// Sends the vectors of members that are left out to their neighbours.
    pub fn fold(&self, me: u32, bytes: u64, steps: &mut Vec<Step>) {
        if self.paired(me) {
            let neighbour = me ^ 1;
            steps.push(match self.number(me) {
                None => Step::Send { to: neighbour, bytes },
                Some(_) => Step::Recv { from: neighbour },
            });
        }
    }

    /// Returns the result to the members that are left out.
    pub fn unfold(&self, me: u32, bytes: u64, steps: &mut Vec<Step>) {
        if self.paired(me) {
            let neighbour = me ^ 1;
            steps.push(match self.number(me) {
                None => Step::Recv { from: neighbour },
                Some(_) => Step::Send { to: neighbour, bytes },
            });
        }
    }
}

/// Vector cut into `power` segments of equal length. The last takes the remainder, unless it is spread over the first.
#[derive(Clone, Copy)]
pub(super) struct Segments {
    count: u64,
    power: u32,
    spread: bool,
}

impl Segments {
    pub fn new(count: u64, power: u32, spread: bool) -> Self {
        Self { count, power, spread }
    }

    /// Returns the number of elements of the segments `from..to`.
    pub fn elements(&self, from: u32, to: u32) -> u64 {
        let (each, rest) = (self.count / u64::from(self.power), self.count % u64::from(self.power));
        let end = |i: u32| match u64::from(i) {
            _ if i >= self.power => self.count,
            i if self.spread => each * i + rest.min(i),
            i => each * i,
        };
        end(to).saturating_sub(end(from))
    }
}

/// Reduced segments `start..end` that a member holds in Rabenseifner's halving and doubling.
#[derive(Clone, Copy)]
pub(super) struct Window {
    pub start: u32,
    pub end: u32,
}

/// Exchange: the new number of the partner, and the segments sent.
#[derive(Clone, Copy)]
pub(super) struct Exchange {
    /// New number of the partner.
    pub partner: u32,
    /// First segment sent.
    pub from: u32,
    /// End of the segments sent.
    pub to: u32,
}

/// Runs the reduce-scatter phase: distances 1, 2, 4, ..., each round halves the member's range. Calls `exchange` for
/// every round and returns the window that the member ends with.
pub(super) fn halve(number: u32, power: u32, mut exchange: impl FnMut(Exchange)) -> Window {
    let mut window = Window { start: 0, end: power };
    let mut mask = 1;
    while mask < power {
        let partner = number ^ mask;
        let middle = window.start + power / (2 * mask);
        if number < partner {
            exchange(Exchange { partner, from: middle, to: window.end });
            window.end = middle;
        } else {
            exchange(Exchange { partner, from: window.start, to: middle });
            window.start = middle;
        }
        mask <<= 1;
    }
    window
}

/// Undoes round `mask` of [`halve`]: the member sends all it holds to its partner, and afterwards holds the window that
/// both shared before that round.
pub(super) fn join(number: u32, power: u32, mask: u32, window: &mut Window) -> Exchange {
    let partner = number ^ mask;
    let sent = *window;
    let width = power / (2 * mask);
    if number < partner {
        window.end += width;
    } else {
        window.start -= width;
    }
    Exchange { partner, from: sent.start, to: sent.end }
}
