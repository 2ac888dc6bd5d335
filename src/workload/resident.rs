//! Memory of the whole process, as a last resort.
//!
//! Starlark does not count the entries of dictionaries and structures, so many of them take several times the memory that is
//! measured. What the operating system says of the process includes everything.

use super::stuck::running;
use crate::memory::resident;
use std::cell::Cell;

/// Checks for each look: Starlark checks after every thousand steps, and a look takes as long as a hundred of them.
const CHECKS_OF_A_LOOK: u64 = 16;
/// Memory of the process that is not that of programs: traces that are written, and what the allocator keeps.
const OTHER: u64 = 512 << 20;
/// The memory that a program may take, as a multiple of its limit: dictionaries double when they grow.
const MULTIPLE: u64 = 3;

/// Returns a function that is `true` once the process has grown, since the first call, by more than all running programs may
/// take together. It never is where the memory of the process is not known.
pub(super) fn outgrown(limit: usize) -> impl Fn() -> bool {
    // Most ranks end before the first look, and read nothing.
    let (begin, checks) = (Cell::new(None), Cell::new(0));
    move || {
        let look = checks.get() % CHECKS_OF_A_LOOK == 0;
        checks.set(checks.get() + 1);
        let Some(now) = look.then(resident).flatten() else { return false };
        let begin: u64 = begin.get().unwrap_or_else(|| {
            begin.set(Some(now));
            now
        });
        let most = (limit as u64).saturating_mul(MULTIPLE).saturating_mul(running() as u64).saturating_add(OTHER);
        now.saturating_sub(begin) > most
    }
}
