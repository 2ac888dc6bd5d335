//! Open requests of a rank, which its `wait`, `test` and `waitall` refer to.
//!
//! Most ranks have a few open requests, and searching a list of them is fastest. A search of thousands for each wait
//! would take quadratic time, so a search of a long list first moves its requests into a map by triple. Requests that
//! no wait searches for, such as those of one large `waitall`, never enter the map.

use super::process::Pending;
use crate::mpi::messages::Request;
use crate::trace::Triple;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// Largest number of requests that is searched as a list. They fill 24 cache lines.
const SEARCHED: usize = 64;

/// Open requests, in the order in which they were added.
#[derive(Default, Debug)]
pub(super) struct OpenRequests {
    /// The newest ones.
    list: Vec<Pending>,
    /// All that are older than those of the list; `None` if there was never a search of a long list.
    older: Option<Box<OlderRequests>>,
}

/// Requests by triple and age.
#[derive(Default, Debug)]
struct OlderRequests {
    requests: BTreeMap<(Triple, u64), Option<Request>>,
    /// Number of requests that were ever moved here, the age of the next one.
    moved: u64,
}

impl OpenRequests {
    #[inline]
    pub fn push(&mut self, pending: Pending) {
        self.list.push(pending);
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty() && self.older.as_ref().is_none_or(|older| older.requests.is_empty())
    }

    /// Takes a request of a triple: of all of them the one that `nth` are older than.
    pub fn take(&mut self, triple: Triple, mut nth: usize) -> Option<Pending> {
        if self.list.len() > SEARCHED {
            self.older.get_or_insert_default().extend(&mut self.list);
        }
        if let Some(older) = &mut self.older {
            match older.take(triple, nth) {
                Ok(pending) => return Some(pending),
                Err(count) => nth -= count,
            }
        }
        let mut same = (0..self.list.len()).filter(|&at| self.list[at].triple() == triple);
        let at = same.nth(nth)?;
        Some(self.list.remove(at))
    }

    /// Takes all requests, oldest first.
    pub fn take_all(&mut self) -> impl Iterator<Item = Pending> {
        let older = self.older.as_mut().map_or_else(Vec::new, |older| older.take_all());
        older.into_iter().chain(self.list.drain(..))
    }

    /// Takes the newest request of each triple, newest first; drops the others.
    pub fn take_newest(&mut self) -> impl Iterator<Item = Pending> {
        let mut seen = FxHashSet::default();
        let mut all: Vec<Pending> = self.take_all().collect();
        all.reverse();
        all.into_iter().filter(move |pending| seen.insert(pending.triple()))
    }
}

impl OlderRequests {
    /// Appends all requests of a list.
    fn extend(&mut self, list: &mut Vec<Pending>) {
        for pending in list.drain(..) {
            self.requests.insert((pending.triple(), self.moved), pending.request);
            self.moved += 1;
        }
    }

    /// Takes request number `nth` of a triple. The error is the number of its requests, if there are no more than `nth`.
    fn take(&mut self, triple: Triple, nth: usize) -> Result<Pending, usize> {
        let mut count = 0;
        for (&key, &request) in self.requests.range((triple, 0)..=(triple, u64::MAX)) {
            if count == nth {
                self.requests.remove(&key);
                return Ok(pending(triple, request));
            }
            count += 1;
        }
        Err(count)
    }

    fn take_all(&mut self) -> Vec<Pending> {
        let mut all: Vec<_> = std::mem::take(&mut self.requests).into_iter().collect();
        all.sort_unstable_by_key(|&((_, age), _)| age);
        all.into_iter().map(|((triple, _), request)| pending(triple, request)).collect()
    }
}

fn pending((source, destination, tag): Triple, request: Option<Request>) -> Pending {
    Pending { source, destination, tag, request }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mpi::messages::{Envelope, Messages};
    use crate::trace::Datatype;
    use proptest::prelude::*;

    /// Returns distinct requests.
    fn requests(count: usize) -> Vec<Request> {
        let mut messages = Messages::new();
        let envelope = Envelope { source: 0, destination: 1, tag: 0, context: 0 };
        (0..count).map(|_| messages.post_recv(envelope, 0, Datatype::BYTE).expect("no mismatch").request).collect()
    }

    #[derive(Clone, Copy, Debug)]
    enum RequestStep {
        Push(i32, bool),
        Take(i32, usize),
        TakeAll,
        TakeNewest,
    }

    fn step() -> impl Strategy<Value = RequestStep> {
        prop_oneof![
            600 => (0..40, any::<bool>()).prop_map(|(tag, open)| RequestStep::Push(tag, open)),
            300 => (0..41, 0..3_usize).prop_map(|(tag, nth)| RequestStep::Take(tag, nth / 2)),
            1 => Just(RequestStep::TakeAll),
            1 => Just(RequestStep::TakeNewest),
        ]
    }

    proptest! {
        /// Compares with one list that is always searched.
        #[test]
        fn requests_are_those_of_a_list(steps in prop::collection::vec(step(), 0..1500)) {
            let mut numbers = requests(steps.len()).into_iter();
            let (mut open, mut list) = (OpenRequests::default(), Vec::<Pending>::new());
            let key = |pending: &Pending| (pending.triple(), pending.request);
            for step in steps {
                match step {
                    RequestStep::Push(tag, has_request) => {
                        let new = pending((1, 2, tag), numbers.next().filter(|_| has_request));
                        open.push(new);
                        list.push(new);
                    }
                    RequestStep::Take(tag, nth) => {
                        let at = (0..list.len()).filter(|&at| list[at].tag == tag).nth(nth);
                        let expected = at.map(|at| list.remove(at));
                        prop_assert_eq!(open.take((1, 2, tag), nth).map(|p| key(&p)), expected.map(|p| key(&p)));
                    }
                    RequestStep::TakeAll => {
                        prop_assert!(open.take_all().map(|p| key(&p)).eq(list.drain(..).map(|p| key(&p))));
                    }
                    RequestStep::TakeNewest => {
                        let mut expected = Vec::new();
                        while let Some(last) = list.pop() {
                            list.retain(|pending| pending.triple() != last.triple());
                            expected.push(key(&last));
                        }
                        prop_assert!(open.take_newest().map(|p| key(&p)).eq(expected));
                    }
                }
                prop_assert_eq!(open.is_empty(), list.is_empty());
            }
        }
    }

    #[test]
    fn a_long_list_is_searched_once() {
        // Searching it for each of these would take 20,000,000,000 comparisons.
        const COUNT: i32 = 200_000;
        let mut open = OpenRequests::default();
        (0..COUNT).for_each(|tag| open.push(pending((0, 1, tag), None)));
        for tag in (0..COUNT).rev() {
            assert!(open.take((0, 1, tag), 0).is_some_and(|pending| pending.tag == tag));
            assert!(open.list.is_empty());
        }
        assert!(open.is_empty());
        // Requests that no wait searches for stay in the list.
        (0..COUNT).for_each(|tag| open.push(pending((0, 1, tag), None)));
        assert_eq!(open.list.len(), COUNT as usize);
        assert_eq!(open.take_newest().count(), COUNT as usize);
    }
}
