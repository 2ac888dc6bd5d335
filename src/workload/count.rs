//! Numbers of elements in calls of a program.

use super::recorder::Wrong;
use starlark::typing::Ty;
use starlark::values::type_repr::StarlarkTypeRepr;
use starlark::values::{UnpackValue, Value};

/// Number of elements that a call of MPI can have: 0 to 2^31 - 1, the limit of all readers of traces.
#[derive(Clone, Copy)]
pub(super) struct Count(pub u32);

impl Count {
    /// Largest number of elements.
    pub const MOST: u32 = i32::MAX as u32;
}

/// Name of the type in messages of Starlark about numbers that do not fit.
pub(super) const COUNT: &str = "a count of MPI";

impl StarlarkTypeRepr for Count {
    type Canonical = <u32 as StarlarkTypeRepr>::Canonical;

    fn starlark_type_repr() -> Ty {
        u32::starlark_type_repr()
    }
}

impl<'v> UnpackValue<'v> for Count {
    type Error = starlark::Error;

    fn unpack_value_impl(value: Value<'v>) -> starlark::Result<Option<Self>> {
        match value.unpack_i32().map(u32::try_from) {
            Some(Ok(count)) => Ok(Some(Self(count))),
            None if value.get_type() != "int" => Ok(None),
            _ => Err(Wrong(format!("Integer value is too big to fit in {COUNT}: {value}")).into()),
        }
    }
}
