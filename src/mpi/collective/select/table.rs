//! The search rules of the tables, in one place.

use super::rule::{Span, TableRule};

/// For each limit on the number of ranks, a choice for each limit on the size. Both ascend; the last ones are open.
pub(super) type Table<T> = &'static [(u32, BySize<T>)];

/// A choice for each limit on the size in bytes, ascending.
pub(super) type BySize<T> = &'static [(u64, T)];

/// No limit on the number of ranks: the last row of a table.
pub(super) const ANY: u32 = u32::MAX;

/// No limit on the size: the last entry of a row.
pub(super) const REST: u64 = u64::MAX;

/// Returns the choice for this number of ranks and bytes: the first row, and in it the first entry, whose limit is not
/// exceeded. A limit belongs to the lower entry.
pub(super) fn look_up<T: Copy>(table: Table<T>, ranks: u32, bytes: u64) -> T {
    look_up_with_rule(table, ranks, bytes).0
}

/// [`look_up`], with the entry that applied.
pub(super) fn look_up_with_rule<T: Copy>(table: Table<T>, ranks: u32, bytes: u64) -> (T, TableRule) {
    let row = table.iter().position(|row| ranks <= row.0).unwrap_or(table.len() - 1);
    let by_size = table[row].1;
    let entry = by_size.iter().position(|entry| bytes <= entry.0).unwrap_or(by_size.len() - 1);
    // The last limits are open, whatever their value.
    let span =
        |below: Option<u64>, limit: u64, last: bool| Span { from: below, to: (!last).then_some(limit), closed: true };
    let below = row.checked_sub(1).map(|i| u64::from(table[i].0));
    let ranks = span(below, u64::from(table[row].0), row + 1 == table.len());
    let below = entry.checked_sub(1).map(|i| by_size[i].0);
    let size = span(below, by_size[entry].0, entry + 1 == by_size.len());
    (by_size[entry].1, TableRule { ranks, size, note: "" })
}

/// Table whose limits belong to the upper entry, with a separate choice beyond the last limit. For each limit on the
/// number of ranks: a choice below each limit on the size in bytes, and the choice for the rest.
pub(super) type Choices<T> = &'static [(u32, &'static [(u64, T)], T)];

/// Returns the choice for this number of ranks and bytes, with the entry that applied.
pub(super) fn look_up_below<T: Copy>(table: Choices<T>, ranks: u32, bytes: u64) -> (T, TableRule) {
    let row = table.iter().position(|row| ranks < row.0).unwrap_or(table.len() - 1);
    let (limit, by_size, beyond) = table[row];
    let entry = by_size.iter().position(|entry| bytes < entry.0).unwrap_or(by_size.len());
    let below = row.checked_sub(1).map(|i| u64::from(table[i].0));
    let ranks = Span { from: below, to: (row + 1 < table.len()).then_some(u64::from(limit)), closed: false };
    let below = entry.checked_sub(1).map(|i| by_size[i].0);
    let size = Span { from: below, to: by_size.get(entry).map(|entry| entry.0), closed: false };
    (by_size.get(entry).map_or(beyond, |entry| entry.1), TableRule { ranks, size, note: "" })
}

/// `true` if limits ascend and the last row is open, as every table of that kind requires.
#[cfg(test)]
pub(super) fn is_well_formed_below<T>(table: Choices<T>) -> bool {
    table.windows(2).all(|w| w[0].0 < w[1].0)
        && table.last().is_some_and(|row| row.0 == ANY)
        && table.iter().all(|row| row.1.windows(2).all(|w| w[0].0 < w[1].0))
}

/// `true` if limits ascend and the last ones are open, as every table requires.
#[cfg(test)]
pub(super) fn is_well_formed<T>(table: Table<T>) -> bool {
    let by_size = |row: BySize<T>| row.windows(2).all(|w| w[0].0 < w[1].0) && row.last().is_some_and(|e| e.0 == REST);
    table.windows(2).all(|w| w[0].0 < w[1].0)
        && table.last().is_some_and(|row| row.0 == ANY)
        && table.iter().all(|row| by_size(row.1))
}
