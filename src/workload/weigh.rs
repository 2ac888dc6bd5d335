//! The size of a value with all that it contains.
//!
//! A value that contains another one twice, nested forty times, is small, but comparing or hashing it visits 2^40 elements.
//! So values are visited here first, as often as that would, with each visit counted as work.

use super::allowance::{Size, charge_text};
use super::limits::LONGEST;
use super::recorder::Wrong;
use starlark::eval::Evaluator;
use starlark::values::Value;
use starlark::values::dict::DictRef;
use starlark::values::list::ListRef;
use starlark::values::structs::StructRef;
use starlark::values::tuple::TupleRef;

/// Largest depth of a value that is compared: Starlark compares recursively.
const DEEPEST: usize = 1000;
/// Largest depth of a key, and its largest number of elements.
const DEEPEST_KEY: usize = 100;
const LARGEST_KEY: u64 = 1000;
/// Visits between two counts.
const AT_ONCE: u64 = 4096;
/// What a visit counts, in elements of a list that is walked: each value is looked at wherever it is in memory.
const ELEMENTS_OF_A_VISIT: u64 = 4;

/// Elements of a value that are left to visit.
enum Left<'v> {
    Slice(&'v [Value<'v>]),
    Own(std::vec::IntoIter<Value<'v>>),
}

impl<'v> Left<'v> {
    /// Returns the elements of a value that has some.
    fn of(value: Value<'v>) -> Option<Self> {
        if value.unpack_i32().is_some() || value.unpack_str().is_some() {
            return None;
        }
        if let Some(list) = ListRef::from_value(value) {
            return Some(Self::Slice(list.content()));
        }
        if let Some(tuple) = TupleRef::from_value(value) {
            return Some(Self::Slice(tuple.content()));
        }
        if let Some(dict) = DictRef::from_value(value) {
            let entries = dict.iter().flat_map(|(key, value)| [key, value]);
            return Some(Self::Own(entries.collect::<Vec<_>>().into_iter()));
        }
        let fields = StructRef::from_value(value)?;
        let values: Vec<_> = fields.iter().map(|(_, value)| value).collect();
        Some(Self::Own(values.into_iter()))
    }

    fn next(&mut self) -> Option<Value<'v>> {
        match self {
            Self::Slice(values) => {
                let (&first, rest) = values.split_first()?;
                *values = rest;
                Some(first)
            }
            Self::Own(values) => values.next(),
        }
    }
}

/// Returns `true` for a value that contains others.
pub(super) fn has_elements(value: Value) -> bool {
    // Numbers and texts first: they are most of the values.
    value.unpack_i32().is_none()
        && value.unpack_str().is_none()
        && (ListRef::from_value(value).is_some()
            || TupleRef::from_value(value).is_some()
            || DictRef::from_value(value).is_some()
            || StructRef::from_value(value).is_some())
}

/// Bytes of a text that take as long as a visit.
const BYTES_OF_A_VISIT: u64 = 8;

/// Visits a value and all that it contains, and returns the number of visits. Long texts count as several.
fn visit<'v>(
    value: Value<'v>,
    deepest: usize,
    mut ask: impl FnMut(u64) -> Result<(), Wrong>,
    mut look: impl FnMut(Value<'v>) -> Result<(), Wrong>,
) -> Result<u64, Wrong> {
    look(value)?;
    let weight = |value: Value| 1 + value.unpack_str().map_or(0, |text| text.len() as u64 / BYTES_OF_A_VISIT);
    let (mut all, mut asked) = (weight(value), 0);
    let mut stack: Vec<Left> = Left::of(value).into_iter().collect();
    while let Some(top) = stack.last_mut() {
        let Some(value) = top.next() else {
            stack.pop();
            continue;
        };
        look(value)?;
        all += weight(value);
        if all - asked >= AT_ONCE {
            ask(all - asked)?;
            asked = all;
        }
        if let Some(inside) = Left::of(value) {
            if stack.len() >= deepest {
                return Err(Wrong(format!("a value that is nested more than {deepest} levels deep")));
            }
            stack.push(inside);
        }
    }
    ask(all - asked)?;
    Ok(all)
}

/// Asks for the steps of a visit to a value and all that it contains, and returns the number of visited values.
///
/// # Errors
/// [`Wrong`] if the program has no more steps, or if the value is too deep to be compared.
pub(super) fn weigh(value: Value, eval: &Evaluator) -> Result<u64, Wrong> {
    let ask = |visits| Size::Elements(visits * ELEMENTS_OF_A_VISIT).charge(eval);
    visit(value, DEEPEST, ask, |_| Ok(()))
}

/// Asks for the steps of a visit to a value that a message may show as a whole.
///
/// # Errors
/// [`Wrong`] if the program has no more steps, or if the value is too large or too deep.
pub(super) fn check_shown(value: Value, eval: &Evaluator) -> Result<(), Wrong> {
    visit_shown(value, 1, eval)
}

/// Does the same for a value whose elements are compared before.
///
/// # Errors
/// [`Wrong`] as for [`check_shown`].
pub(super) fn weigh_shown(value: Value, eval: &Evaluator) -> Result<(), Wrong> {
    visit_shown(value, ELEMENTS_OF_A_VISIT, eval)
}

fn visit_shown(value: Value, elements: u64, eval: &Evaluator) -> Result<(), Wrong> {
    // A message has all bytes of a text, which a visit does not look at.
    let mut shown = 0;
    let look = |value: Value| {
        shown += 1 + value.unpack_str().map_or(0, |text| text.len() as u64);
        if shown > LONGEST {
            return Err(Wrong(format!(
                "a value that holds others more than {LONGEST} times, bytes of texts included: too large for a message"
            )));
        }
        Ok(())
    };
    visit(value, DEEPEST, |visits| Size::Elements(visits * elements).charge(eval), look).map(|_| ())
}

/// Checks a key of a dictionary, which is hashed recursively, and counts the bytes of a text.
///
/// # Errors
/// [`Wrong`] if it has too many elements, or too many inside each other, or if the program has no more steps.
pub(super) fn check_key(value: Value, eval: &Evaluator) -> Result<(), Wrong> {
    if !has_elements(value) {
        return charge_text(value, eval);
    }
    let mut visits = 0;
    let ask = |more| {
        visits += more;
        if visits > LARGEST_KEY {
            return Err(Wrong(format!(
                "a key or an index of more than {LARGEST_KEY} values: write a number or a text"
            )));
        }
        Size::Elements(more * ELEMENTS_OF_A_VISIT).charge(eval)
    };
    visit(value, DEEPEST_KEY, ask, |_| Ok(())).map(|_| ())
}

/// Checks what may be a key, or an argument of a function with the name of a method: lists and dictionaries have no hash, so
/// they are not visited.
///
/// # Errors
/// [`Wrong`] as for [`check_key`].
pub(super) fn check_lookup(value: Value, eval: &Evaluator) -> Result<(), Wrong> {
    match ListRef::from_value(value).is_some() || DictRef::from_value(value).is_some() {
        true => Ok(()),
        false => check_key(value, eval),
    }
}

/// Refuses a partial, and a value that contains one: nothing looks into a partial, so many inside each other would have no
/// limit.
///
/// # Errors
/// [`Wrong`] if there is one, or if the program has no more steps.
pub(super) fn check_no_partial(value: Value, eval: &Evaluator) -> Result<(), Wrong> {
    let look = |value: Value| match value.get_type() == "function" && value.function_name().is_none() {
        true => Err(Wrong("a partial of a partial: write a lambda, or pass all arguments at once".to_owned())),
        false => Ok(()),
    };
    visit(value, DEEPEST, |visits| Size::Elements(visits).charge(eval), look).map(|_| ())
}
