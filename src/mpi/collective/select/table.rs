//! The search rule of MVAPICH2's tables, in one place.

/// For each limit on the number of ranks, a choice for each limit on the size. Both ascend; the last ones are open.
pub(super) type Table<T> = &'static [(u32, BySize<T>)];

/// A choice for each limit on the size in bytes, ascending.
pub(super) type BySize<T> = &'static [(u64, T)];

/// No limit on the number of ranks: the last row of a table.
pub(super) const ANY: u32 = u32::MAX;

/// No limit on the size: the last entry of a row.
pub(super) const REST: u64 = u64::MAX;

/// The choice for so many ranks and bytes: the first row, and in it the first entry, whose limit is not exceeded.
/// A limit belongs to the lower entry.
pub(super) fn look_up<T: Copy>(table: Table<T>, ranks: u32, bytes: u64) -> T {
    let row = table.iter().find(|row| ranks <= row.0).or(table.last());
    let entry = row.and_then(|row| row.1.iter().find(|entry| bytes <= entry.0).or(row.1.last()));
    entry.expect("no table and no row of a table is empty; a test looks at each").1
}

/// Limits ascend and the last ones are open: what every table has to satisfy.
#[cfg(test)]
pub(super) fn is_well_formed<T>(table: Table<T>) -> bool {
    let by_size = |row: BySize<T>| row.windows(2).all(|w| w[0].0 < w[1].0) && row.last().is_some_and(|e| e.0 == REST);
    table.windows(2).all(|w| w[0].0 < w[1].0)
        && table.last().is_some_and(|row| row.0 == ANY)
        && table.iter().all(|row| by_size(row.1))
}
