//! MPI datatypes, as numbered in time-independent traces.

/// A datatype id of a time-independent trace. It is always valid.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Datatype(u8);

/// Name and size in bytes of each id; the empty name marks an id that is not in use.
///
/// Ids and sizes as SimGrid 3.32 writes and reads them. `INTEGER1` has 4 bytes there.
const TABLE: [(&str, u8); 60] = [
    ("DOUBLE", 8),
    ("INT", 4),
    ("CHAR", 1),
    ("SHORT", 2),
    ("LONG", 8),
    ("FLOAT", 4),
    ("BYTE", 1),
    ("LONG_LONG", 8),
    ("SIGNED_CHAR", 1),
    ("UNSIGNED_CHAR", 1),
    ("UNSIGNED_SHORT", 2),
    ("UNSIGNED", 4),
    ("UNSIGNED_LONG", 8),
    ("UNSIGNED_LONG_LONG", 8),
    ("LONG_DOUBLE", 16),
    ("WCHAR", 4),
    ("C_BOOL", 1),
    ("INT8", 1),
    ("INT16", 2),
    ("INT32", 4),
    ("INT64", 8),
    ("UINT8", 1),
    ("UINT16", 2),
    ("UINT32", 4),
    ("UINT64", 8),
    ("C_FLOAT_COMPLEX", 8),
    ("C_DOUBLE_COMPLEX", 16),
    ("C_LONG_DOUBLE_COMPLEX", 32),
    ("AINT", 8),
    ("OFFSET", 8),
    ("FLOAT_INT", 8),
    ("LONG_INT", 16),
    ("DOUBLE_INT", 16),
    ("SHORT_INT", 8),
    ("2INT", 8),
    ("2FLOAT", 8),
    ("2DOUBLE", 16),
    ("2LONG", 16),
    ("REAL", 4),
    ("REAL4", 4),
    ("REAL8", 8),
    ("REAL16", 16),
    ("COMPLEX8", 8),
    ("COMPLEX16", 16),
    ("COMPLEX32", 16),
    ("INTEGER1", 4),
    ("INTEGER2", 2),
    ("INTEGER4", 4),
    ("INTEGER8", 8),
    ("INTEGER16", 16),
    ("LONG_DOUBLE_INT", 32),
    ("CXX_BOOL", 1),
    ("CXX_FLOAT_COMPLEX", 8),
    ("CXX_DOUBLE_COMPLEX", 16),
    ("CXX_LONG_DOUBLE_COMPLEX", 32),
    ("UB", 0),
    ("LB", 0),
    ("PACKED", 1),
    ("", 0),
    ("COUNT", 8),
];

/// Internal number of the id that is written as -1.
const NULL: u8 = u8::MAX;

impl Datatype {
    /// `MPI_BYTE`, the default type of a trace whose `init` has no argument.
    pub const BYTE: Datatype = Datatype(6);
    /// `MPI_DOUBLE`, the default type of a trace whose `init` has an argument.
    pub const DOUBLE: Datatype = Datatype(0);
    /// `MPI_DATATYPE_NULL`, of size 0.
    pub const NULL: Datatype = Datatype(NULL);

    /// Returns the datatype with that id, if there is one.
    pub fn from_id(id: i64) -> Option<Datatype> {
        match id {
            -1 => Some(Self::NULL),
            0..=57 | 59 => Some(Datatype(id as u8)),
            _ => None,
        }
    }

    /// Returns the id as written in traces.
    pub fn id(self) -> i64 {
        if self.0 == NULL { -1 } else { i64::from(self.0) }
    }

    /// Returns the size of an element in bytes.
    #[inline]
    pub fn size(self) -> u64 {
        TABLE.get(usize::from(self.0)).map_or(0, |entry| u64::from(entry.1))
    }

    /// Returns the size of `count` elements in bytes.
    #[inline]
    pub fn bytes(self, count: u32) -> u64 {
        u64::from(count) * self.size()
    }

    /// Returns the name without the `MPI_` prefix.
    pub fn name(self) -> &'static str {
        TABLE.get(usize::from(self.0)).map_or("DATATYPE_NULL", |entry| entry.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_sizes_follow_the_table() {
        assert_eq!(Datatype::from_id(0), Some(Datatype::DOUBLE));
        assert_eq!(Datatype::from_id(1).map(Datatype::size), Some(4));
        assert_eq!(Datatype::from_id(6), Some(Datatype::BYTE));
        assert_eq!(Datatype::from_id(43).map(Datatype::size), Some(16));
        assert_eq!(Datatype::from_id(58), None);
        assert_eq!(Datatype::from_id(60), None);
        assert_eq!(Datatype::from_id(-1).map(Datatype::id), Some(-1));
        assert_eq!(Datatype::from_id(59).map(Datatype::name), Some("COUNT"));
    }
}
