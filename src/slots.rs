//! Numbered entries whose places are used again.

/// Puts an entry into a place that is free, the one that was freed last, or behind all others; gives its number.
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
