//! Numbered entries with reuse of free places.

/// Stores an entry in the place that was freed last, or at the end if there is none; returns its number.
#[inline]
pub(crate) fn store<T>(entries: &mut Vec<T>, free: &mut Vec<u32>, entry: T) -> u32 {
    match free.pop() {
        Some(id) => {
            entries[id as usize] = entry;
            id
        }
        None => {
            entries.push(entry);
            entries.len() as u32 - 1
        }
    }
}
