//! Memory of the whole process, as a last resort.
//!
//! Starlark does not count the entries of dictionaries and structures, so many of them take several times the memory that is
//! measured. What the operating system says of the process includes everything.

use super::stuck::running;
use std::cell::Cell;
use std::fs;

/// Checks for each look: Starlark checks after every thousand steps, and a look takes as long as a hundred of them.
const CHECKS_OF_A_LOOK: u32 = 16;
/// Memory of the process that is not that of programs: traces that are written, and what the allocator keeps.
const OTHER: u64 = 512 << 20;
/// The memory that a program may take, as a multiple of its limit: dictionaries double when they grow.
const MULTIPLE: u64 = 3;

/// Returns a function that is `true` once the process has grown by more than all running programs may take together. It
/// never is where the memory of the process is not known.
pub(super) fn outgrown(limit: usize) -> impl Fn() -> bool {
    let (begin, checks) = (resident(), Cell::new(0));
    move || {
        checks.set((checks.get() + 1) % CHECKS_OF_A_LOOK);
        if checks.get() != 0 {
            return false;
        }
        let (Some(begin), Some(now)) = (begin, resident()) else { return false };
        let most = (limit as u64).saturating_mul(MULTIPLE).saturating_mul(running() as u64).saturating_add(OTHER);
        now.saturating_sub(begin) > most
    }
}

/// Returns the bytes of the process that are in memory.
fn resident() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split(' ').nth(1)?.parse().ok()?;
    #[cfg(unix)]
    let page = rustix::param::page_size() as u64;
    #[cfg(not(unix))]
    let page = 4096;
    Some(pages * page)
}
