//! The actions of a rank, in order: in memory, and above a certain size of the trace in a temporary file.
//!
//! An action takes 16 bytes, so a trace of a few million calls fits in memory. One of a billion would not: actions
//! beyond the total of [`Store::limit`] are stored in an unnamed file that disappears with the process. Iterators read
//! it one piece at a time, so that memory is bounded by the number of ranks. If no temporary file can be created,
//! everything stays in memory.

mod aside;
mod cursor;
#[cfg(test)]
mod tests;
mod words;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use super::action::Action;
use aside::{Aside, STEP};

pub use aside::Store;
pub(crate) use cursor::ActionCursor;
pub(crate) use words::to_words;

/// Actions of a rank that stay in memory whatever the limit: the file is written in pieces of at least this size.
const PIECE: usize = 256;

/// The actions of a rank, in order.
///
/// If made from a vector, all of them stay in memory; readers create them [`in_store`](Self::in_store).
#[derive(Default)]
pub struct Actions {
    /// Actions in the file: all but the last ones.
    aside: Option<Box<Aside>>,
    /// The last actions.
    tail: Vec<Action>,
    store: Option<Arc<Store>>,
}

impl Actions {
    /// Creates an empty list; actions beyond the memory of the store will go to its file.
    pub fn in_store(store: &Arc<Store>) -> Self {
        Self { store: Some(Arc::clone(store)), ..Self::default() }
    }

    /// Creates an empty list with the same store.
    pub(super) fn none_alike(&self) -> Self {
        Self { store: self.store.clone(), ..Self::default() }
    }

    /// Takes over these actions: unchanged if the store has memory for them, otherwise in its file.
    pub(crate) fn moved(actions: Vec<Action>, store: &Arc<Store>) -> Self {
        let mut all = Self::in_store(store);
        if store.allows(actions.capacity(), false) {
            all.tail = actions;
        } else {
            all.extend(actions);
        }
        all
    }

    /// Returns the limit of the store, if there is one.
    pub(super) fn limit(&self) -> Option<usize> {
        self.store.as_ref().map(|store| store.limit())
    }

    /// Returns the number of actions.
    #[inline]
    pub fn len(&self) -> usize {
        self.set_aside() + self.tail.len()
    }

    /// Returns `true` if there are no actions.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of leading actions that are in the temporary file.
    #[inline]
    pub fn set_aside(&self) -> usize {
        self.aside.as_ref().map_or(0, |aside| aside.len())
    }

    /// Appends an action.
    #[inline]
    pub fn push(&mut self, action: Action) {
        if self.tail.len() == self.tail.capacity() {
            self.make_room();
        }
        self.tail.push(action);
    }

    /// Makes room for one more action: new memory, or that of actions that go to the file now.
    #[cold]
    fn make_room(&mut self) {
        let more = self.tail.capacity().max(4);
        if let Some(store) = &self.store
            && !store.allows(more, self.tail.len() < PIECE)
            && self.tail.len() >= PIECE
            && self.aside.get_or_insert_default().append(store, &self.tail)
        {
            self.tail.clear();
            return;
        }
        self.tail.reserve(more);
    }

    /// Appends actions that `give` adds to a vector that already contains actions.
    ///
    /// # Errors
    /// Errors of `give`.
    pub(super) fn append<E>(
        &mut self,
        number: usize,
        give: impl FnOnce(&mut Vec<Action>) -> Result<(), E>,
    ) -> Result<usize, E> {
        let free = self.tail.capacity() - self.tail.len();
        let more = number.saturating_sub(free);
        let fits = self.store.as_ref().is_none_or(|store| more == 0 || store.allows(more, false));
        if fits {
            self.tail.reserve_exact(number);
            let before = self.tail.len();
            give(&mut self.tail)?;
            return Ok(self.tail.len() - before);
        }
        let mut some = Vec::with_capacity(number);
        give(&mut some)?;
        some.iter().for_each(|&action| self.push(action));
        Ok(some.len())
    }

    /// Appends a range of actions `times` times.
    pub(crate) fn repeat(&mut self, from: usize, to: usize, times: u64) {
        let length = to - from;
        if length == 0 {
            return;
        }
        // Short ranges are copied in blocks, since reading from the temporary file decodes thousands of actions, even
        // for one of them.
        let block = times.min((STEP / length) as u64);
        if block < 2 {
            (0..times).for_each(|_| self.extend_from_within(from, to));
            return;
        }
        let one: Vec<Action> = self.iter_from(from).take(length).collect();
        let many = one.repeat(block as usize);
        for _ in 0..times / block {
            self.extend(many.iter().copied());
        }
        self.extend(many.into_iter().take((times % block) as usize * length));
    }

    /// Appends copies of a range of actions.
    fn extend_from_within(&mut self, from: usize, to: usize) {
        let aside = self.set_aside();
        if from >= aside && self.store.as_ref().is_none_or(|store| store.allows(to - from, false)) {
            self.tail.extend_from_within(from - aside..to - aside);
            return;
        }
        let mut at = from;
        while at < to {
            let some: Vec<Action> = self.iter_from(at).take((to - at).min(STEP)).collect();
            at += some.len();
            self.extend(some);
        }
    }

    /// Moves the actions to another store: unchanged if none are in the file.
    pub(crate) fn into_store(self, store: &Arc<Store>) -> Self {
        if self.aside.is_none() {
            return Self::moved(self.tail, store);
        }
        let mut all = Self::in_store(store);
        all.extend(&self);
        all
    }

    /// Releases unused memory.
    pub fn shrink_to_fit(&mut self) {
        self.tail.shrink_to_fit();
    }

    /// Returns an action by its index. Actions in the file are read one by one, so use an iterator to visit many.
    ///
    /// # Panics
    /// If the temporary file cannot be read; this applies to all methods that read actions.
    #[inline]
    pub fn get(&self, at: usize) -> Option<Action> {
        let aside = self.set_aside();
        if at >= aside { self.tail.get(at - aside).copied() } else { self.read(at, 1).pop() }
    }

    /// Returns the first action.
    pub fn first(&self) -> Option<Action> {
        self.get(0)
    }

    /// Returns the last action.
    pub fn last(&self) -> Option<Action> {
        self.get(self.len().checked_sub(1)?)
    }

    /// Replaces an action.
    ///
    /// # Panics
    /// If there is no such action, or if the temporary file cannot be overwritten.
    pub fn set(&mut self, at: usize, action: Action) {
        let before = self.set_aside();
        match (&self.aside, &self.store) {
            (Some(aside), Some(store)) if at < before => aside.set(store, at, &[action]),
            _ => self.tail[at - before] = action,
        }
    }

    /// Modifies all actions, one after the other.
    ///
    /// # Panics
    /// As [`set`](Self::set).
    pub fn change(&mut self, mut how: impl FnMut(&mut Action)) {
        if let (Some(aside), Some(store)) = (&self.aside, &self.store) {
            let mut at = 0;
            while at < aside.len() {
                let mut some = self.read(at, STEP);
                some.iter_mut().for_each(&mut how);
                aside.set(store, at, &some);
                at += some.len();
            }
        }
        self.tail.iter_mut().for_each(how);
    }

    /// Returns an iterator over all actions.
    pub fn iter(&self) -> Iter<'_> {
        self.iter_from(0)
    }

    /// Returns an iterator over the actions from `start` on.
    pub fn iter_from(&self, start: usize) -> Iter<'_> {
        let aside = self.set_aside();
        Iter {
            actions: self,
            read: Vec::new(),
            taken: 0,
            next: start.min(aside),
            tail: start.saturating_sub(aside).min(self.tail.len()),
        }
    }

    /// Returns all actions in slices of at most `most`.
    ///
    /// # Panics
    /// If `most` is 0.
    pub fn chunks(&self, most: usize) -> impl Iterator<Item = Cow<'_, [Action]>> {
        (0..self.len()).step_by(most).map(move |start| match self.aside {
            None => Cow::Borrowed(&self.tail[start..self.tail.len().min(start + most)]),
            Some(_) => Cow::Owned(self.iter_from(start).take(most).collect()),
        })
    }

    /// Returns all actions as one slice; copied to memory if some are in the file.
    pub fn together(&self) -> Cow<'_, [Action]> {
        match self.aside {
            None => Cow::Borrowed(&self.tail),
            Some(_) => Cow::Owned(self.iter().collect()),
        }
    }

    /// Reads actions from the file, starting at `at`: at least one and at most `most`.
    fn read(&self, at: usize, most: usize) -> Vec<Action> {
        match (&self.aside, &self.store) {
            (Some(aside), Some(store)) => aside.read(store, at, most),
            _ => Vec::new(),
        }
    }
}

impl From<Vec<Action>> for Actions {
    fn from(actions: Vec<Action>) -> Self {
        Self { tail: actions, ..Self::default() }
    }
}

impl FromIterator<Action> for Actions {
    fn from_iter<T: IntoIterator<Item = Action>>(actions: T) -> Self {
        Vec::from_iter(actions).into()
    }
}

impl Extend<Action> for Actions {
    fn extend<T: IntoIterator<Item = Action>>(&mut self, actions: T) {
        actions.into_iter().for_each(|action| self.push(action));
    }
}

impl Clone for Actions {
    /// Returns an independent copy.
    fn clone(&self) -> Self {
        match &self.store {
            Some(store) if self.aside.is_some() => {
                let mut copy = Self::in_store(store);
                copy.extend(self);
                copy
            }
            store => Self { aside: None, tail: self.tail.clone(), store: store.clone() },
        }
    }
}

impl PartialEq for Actions {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other)
    }
}

impl PartialEq<[Action]> for Actions {
    fn eq(&self, other: &[Action]) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter().copied())
    }
}

impl<const N: usize> PartialEq<[Action; N]> for Actions {
    fn eq(&self, other: &[Action; N]) -> bool {
        *self == other[..]
    }
}

impl PartialEq<Vec<Action>> for Actions {
    fn eq(&self, other: &Vec<Action>) -> bool {
        *self == other[..]
    }
}

impl fmt::Debug for Actions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

impl<'a> IntoIterator for &'a Actions {
    type Item = Action;
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

/// Iterator over actions.
#[derive(Debug)]
pub struct Iter<'a> {
    actions: &'a Actions,
    /// Actions read from the file, and the number of them already returned.
    read: Vec<Action>,
    taken: usize,
    /// The next action to read from the file.
    next: usize,
    /// The next action in memory.
    tail: usize,
}

impl Iter<'_> {
    #[cold]
    fn refill(&mut self) -> Option<Action> {
        self.read = self.actions.read(self.next, STEP);
        self.next += self.read.len();
        self.taken = 1;
        self.read.first().copied()
    }
}

impl Iterator for Iter<'_> {
    type Item = Action;

    #[inline]
    fn next(&mut self) -> Option<Action> {
        if let Some(&action) = self.read.get(self.taken) {
            self.taken += 1;
            return Some(action);
        }
        if self.next < self.actions.set_aside() {
            return self.refill();
        }
        let action = *self.actions.tail.get(self.tail)?;
        self.tail += 1;
        Some(action)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.read.len().saturating_sub(self.taken) + self.actions.len() - self.next - self.tail;
        (left, Some(left))
    }
}

impl ExactSizeIterator for Iter<'_> {}
