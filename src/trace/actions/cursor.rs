//! Cursors over actions, for a replay: the next actions of each rank.

use super::{Actions, PIECE};
use crate::trace::Action;

/// Cursor over the actions of a rank, which moves forward once.
#[derive(Debug)]
pub(crate) enum ActionCursor<'a> {
    /// All actions, in memory.
    All(&'a [Action]),
    /// A part around the current action, the others being in a file.
    Some(Box<FileCursor<'a>>),
}

/// A part of the actions of a rank.
#[derive(Debug)]
pub(crate) struct FileCursor<'a> {
    actions: &'a Actions,
    /// Index of the first action of the part.
    start: usize,
    here: Vec<Action>,
    /// Number of actions up to which it reads.
    end: usize,
}

impl<'a> ActionCursor<'a> {
    /// Creates a cursor over these actions.
    pub fn new(actions: &'a Actions) -> Self {
        match actions.aside {
            None => Self::All(&actions.tail),
            Some(_) => Self::Some(Box::new(FileCursor { actions, start: 0, here: Vec::new(), end: actions.len() })),
        }
    }

    /// Moves the end, beyond which there are no actions for the cursor: to before action number `end` of `actions`, which are
    /// those of the cursor.
    pub fn end_at(&mut self, actions: &'a Actions, end: usize) {
        match self {
            Self::All(all) => *all = &actions.tail[..end],
            Self::Some(part) => {
                part.end = end;
                part.here.truncate(end.saturating_sub(part.start));
            }
        }
    }

    /// Returns the action at an index, if it is in the current part.
    #[inline]
    pub fn get(&self, at: usize) -> Option<&Action> {
        match self {
            Self::All(actions) => actions.get(at),
            Self::Some(part) => part.here.get(at.checked_sub(part.start)?),
        }
    }

    /// Returns the action at an index, moving the part if necessary; `None` beyond the last one.
    #[inline]
    pub fn go_to(&mut self, at: usize) -> Option<Action> {
        match self {
            Self::All(actions) => actions.get(at).copied(),
            Self::Some(part) => part.go_to(at),
        }
    }
}

impl FileCursor<'_> {
    #[inline(never)]
    fn go_to(&mut self, at: usize) -> Option<Action> {
        let there = at.checked_sub(self.start).and_then(|i| self.here.get(i));
        if there.is_none() {
            self.start = at;
            self.here.clear();
            let aside = self.actions.set_aside();
            let most = PIECE.min(self.end.saturating_sub(at));
            if most > 0 && at < aside {
                self.here = self.actions.read(at, most);
            } else {
                self.here.extend(self.actions.iter_from(at).take(most));
            }
        }
        self.here.get(at - self.start).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_takes_no_more_than_a_slice() {
        assert_eq!(size_of::<ActionCursor<'_>>(), size_of::<&[Action]>());
    }
}
