//! Sizes of the types of a rank.

use rustc_hash::FxHashMap;

use super::layout::SIZES;
use super::stream::DumpiCall;

/// Known types: the table of the file, types from calls, and the predefined ones.
pub(super) struct Types<'t> {
    table: &'t [u32],
    told: FxHashMap<i64, u64>,
}

impl<'t> Types<'t> {
    pub fn new(table: &'t [u32]) -> Self {
        Self { table, told: FxHashMap::default() }
    }

    /// Returns the bytes of an element.
    pub fn size(&self, datatype: i64) -> Option<u64> {
        let index = usize::try_from(datatype).ok()?;
        let known = |table: &[u32]| table.get(index).map(|&size| u64::from(size));
        self.told.get(&datatype).copied().or_else(|| known(self.table)).or_else(|| known(&SIZES))
    }

    /// Updates the types from a call that creates or measures a type.
    pub fn learn(&mut self, call: &DumpiCall) {
        let (i, v) = (&call.integers, &call.vectors);
        let sum = |v: &[i32]| v.iter().map(|&n| n.max(0) as u64).sum::<u64>();
        let many = |n: i64| n.max(0) as u64;
        let (made, size) = match call.name {
            "Type_size" => (i[0], Some(many(i[1]))),
            "Type_contiguous" => (i[2], self.size(i[1]).map(|size| size.saturating_mul(many(i[0])))),
            "Type_vector" | "Type_hvector" | "Type_create_hvector" => {
                let elements = many(i[0]).saturating_mul(many(i[1]));
                (i[4], self.size(i[3]).map(|size| size.saturating_mul(elements)))
            }
            "Type_indexed" | "Type_hindexed" | "Type_create_hindexed" => {
                (i[2], self.size(i[1]).map(|size| size.saturating_mul(sum(&v[0]))))
            }
            "Type_create_indexed_block" => {
                let elements = many(i[0]).saturating_mul(many(i[1]));
                (i[3], self.size(i[2]).map(|size| size.saturating_mul(elements)))
            }
            "Type_struct" | "Type_create_struct" => {
                let (Some(made), Some(types)) = (i.last(), v.last()) else { return };
                let parts = v[0]
                    .iter()
                    .zip(types)
                    .map(|(&n, &datatype)| self.size(datatype.into()).map(|size| size.saturating_mul(n.max(0) as u64)));
                (*made, parts.sum::<Option<u64>>())
            }
            "Type_dup" => (i[1], self.size(i[0])),
            "Type_create_resized" => (i[3], self.size(i[0])),
            _ => return,
        };
        // The file's own table is authoritative.
        let in_table = usize::try_from(made).is_ok_and(|index| index < self.table.len());
        if let Some(size) = size
            && !in_table
        {
            self.told.insert(made, size);
        }
    }
}
