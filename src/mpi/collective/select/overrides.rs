//! User overrides: an algorithm, or a library's table, for one operation.

use super::{Composite, Table, composite};
use crate::mpi::collective::{Algorithm, algorithms};
use crate::similar::nearest;
use crate::trace::CollectiveKind;

/// Override of the selector's table for an operation.
#[derive(Clone, Copy, Debug)]
pub enum Choice {
    /// Always this algorithm.
    Algorithm(&'static Algorithm),
    /// Always this combination of algorithms.
    Composite(&'static Composite),
    /// The choice of this library's table.
    Table(Table),
}

/// Error: an operation has no algorithm of that name.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{kind} has no algorithm {name:?}{}; valid are {}", .nearest.map_or(String::new(), |n| format!(" (did you mean {n:?}?)")), .valid.join(", "), kind = .kind.name())]
pub struct OverrideError {
    /// Operation of the override.
    pub kind: CollectiveKind,
    /// Requested name.
    pub name: String,
    /// Most similar valid name, if one is similar.
    pub nearest: Option<&'static str>,
    /// All valid names: algorithms first, then tables.
    pub valid: Vec<&'static str>,
}

impl Choice {
    /// Returns the choice with that name: an algorithm of the operation, or a table.
    ///
    /// # Errors
    /// If the name is neither.
    pub fn find(kind: CollectiveKind, name: &str) -> Result<Self, OverrideError> {
        if let Some(algorithm) = algorithms::find(kind, name) {
            return Ok(Self::Algorithm(algorithm));
        }
        if let Some(composite) = composite::find(kind, name) {
            return Ok(Self::Composite(composite));
        }
        if let Some(table) = Table::from_name(name) {
            return Ok(Self::Table(table));
        }
        let tables = Table::ALL.into_iter().map(Table::name);
        let valid: Vec<&'static str> = Self::names(kind).chain(tables).collect();
        Err(OverrideError { kind, name: name.to_owned(), nearest: nearest(name, valid.iter().copied()), valid })
    }

    /// Returns all choices for an operation, tables excepted.
    pub fn of(kind: CollectiveKind) -> impl Iterator<Item = Self> {
        algorithms::of(kind).map(Self::Algorithm).chain(composite::of(kind).map(Self::Composite))
    }

    /// Returns all names of algorithms of an operation, tables excepted.
    pub fn names(kind: CollectiveKind) -> impl Iterator<Item = &'static str> {
        Self::of(kind).map(Self::name)
    }

    /// Returns SimGrid's names, where they differ.
    pub fn simgrid(self) -> &'static [&'static str] {
        match self {
            Self::Algorithm(algorithm) => algorithm.simgrid,
            Self::Composite(composite) => composite.simgrid,
            Self::Table(_) => &[],
        }
    }

    /// Returns a one-line description for users.
    pub fn summary(self) -> &'static str {
        match self {
            Self::Algorithm(algorithm) => algorithm.summary,
            Self::Composite(composite) => composite.summary,
            Self::Table(_) => "whatever that library would run",
        }
    }

    /// Returns the name by which it is found.
    pub fn name(self) -> &'static str {
        match self {
            Self::Algorithm(algorithm) => algorithm.name,
            Self::Composite(composite) => composite.name,
            Self::Table(table) => table.name(),
        }
    }
}
