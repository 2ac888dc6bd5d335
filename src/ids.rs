//! Ids of objects in flat arrays.
//!
//! An id is only an index: ids of different kinds cannot be mixed, and they cannot be added.

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub u32);

        impl $name {
            /// Returns the id as an index into an array.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// Returns the id with index `index`.
            ///
            /// # Panics
            /// If the index exceeds `u32::MAX`; the readers and builders refuse such input.
            #[inline]
            pub fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("ids are 32 bits wide; builders refuse larger networks"))
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{}", self.0)
            }
        }
    };
}

id!(
    /// A compute node of a platform.
    HostId
);
id!(
    /// A capacity that flows share: one direction of a cable, or both if the duplex is shared.
    LinkId
);
id!(
    /// A switch: a vertex of a topology.
    SwitchId
);
id!(
    /// A process of the replayed application: a rank of the world communicator.
    Rank
);
