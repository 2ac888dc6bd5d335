//! Choices of the user: this algorithm, or this library's table, for this operation.

use super::{Composite, Table, composite};
use crate::mpi::collective::{Algorithm, algorithms};
use crate::similar::nearest;
use crate::trace::CollectiveKind;

/// What an operation runs instead of what the selector's table says.
#[derive(Clone, Copy, Debug)]
pub enum Choice {
    /// Always this algorithm.
    Algorithm(&'static Algorithm),
    /// Always this combination of algorithms.
    Composite(&'static Composite),
    /// Whatever that library would run.
    Table(Table),
}

/// An operation has no algorithm of that name.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{kind} has no algorithm {name:?}{}; valid are {}", .nearest.map_or(String::new(), |n| format!(" (did you mean {n:?}?)")), .valid.join(", "), kind = .kind.name())]
pub struct OverrideError {
    /// The operation.
    pub kind: CollectiveKind,
    /// The name that was asked for.
    pub name: String,
    /// The valid name that is most like it, if one is.
    pub nearest: Option<&'static str>,
    /// All valid names: algorithms first, then tables.
    pub valid: Vec<&'static str>,
}

impl Choice {
    /// The choice with that name: an algorithm of the operation, or a table.
    ///
    /// # Errors
    /// If there is neither.
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

    /// All choices for an operation, tables excepted.
    pub fn of(kind: CollectiveKind) -> impl Iterator<Item = Self> {
        algorithms::of(kind).map(Self::Algorithm).chain(composite::of(kind).map(Self::Composite))
    }

    /// All names of algorithms of an operation, tables excepted.
    pub fn names(kind: CollectiveKind) -> impl Iterator<Item = &'static str> {
        Self::of(kind).map(Self::name)
    }

    /// What SimGrid calls it, where it has names of its own.
    pub fn simgrid(self) -> &'static [&'static str] {
        match self {
            Self::Algorithm(algorithm) => algorithm.simgrid,
            Self::Composite(composite) => composite.simgrid,
            Self::Table(_) => &[],
        }
    }

    /// One line for people.
    pub fn summary(self) -> &'static str {
        match self {
            Self::Algorithm(algorithm) => algorithm.summary,
            Self::Composite(composite) => composite.summary,
            Self::Table(_) => "whatever that library would run",
        }
    }

    /// The name by which it is found.
    pub fn name(self) -> &'static str {
        match self {
            Self::Algorithm(algorithm) => algorithm.name,
            Self::Composite(composite) => composite.name,
            Self::Table(table) => table.name(),
        }
    }
}
