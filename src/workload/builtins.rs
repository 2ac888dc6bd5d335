//! Starlark's functions of lists and other values with elements, with their steps and memory counted.
//!
//! They replace Starlark's own, which visit any number of elements in one step.

use super::allowance::{Size, charge_text, need, need_entries};
use super::checked::check_pairs;
use super::guard::MOST_TOGETHER;
use super::recorder::Wrong;
use super::weigh::{check_no_partial, has_elements, weigh};
use starlark::collections::SmallMap;
use starlark::environment::{Globals, GlobalsBuilder, LibraryExtension};
use starlark::eval::Evaluator;
use starlark::starlark_module;
use starlark::values::Value;
use starlark::values::dict::{AllocDict, DictRef};
use starlark::values::list::AllocList;
use starlark::values::none::NoneOr;
use starlark::values::tuple::{AllocTuple, UnpackTuple};
use std::cmp::Ordering;
use std::sync::LazyLock;

/// Starlark's own `partial`.
static PARTIAL: LazyLock<Globals> = LazyLock::new(|| Globals::extended_by(&[LibraryExtension::Partial]));

/// Bytes of an element: that of the result, and that of the copy which it is made from.
const BYTES: u64 = 16;

/// Bytes of a text that a partial of a function in Rust may have as an argument.
const LONGEST_OF_A_PARTIAL: usize = 64;

/// Returns the elements of a value.
fn elements<'v>(value: Value<'v>, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<Vec<Value<'v>>> {
    let heap = eval.heap();
    let all = value.iterate(heap)?;
    let size = Size::Elements(all.size_hint().0 as u64);
    size.charge(eval)?;
    need(eval, size.count().saturating_mul(BYTES))?;
    Ok(all.collect())
}

/// Returns elements with the values by which they are ordered.
fn with_keys<'v>(
    elements: Vec<Value<'v>>,
    key: NoneOr<Value<'v>>,
    eval: &mut Evaluator<'v, '_, '_>,
) -> starlark::Result<Vec<(Value<'v>, Value<'v>)>> {
    let of = |element| match key {
        NoneOr::None => Ok((element, element)),
        NoneOr::Other(key) => Ok((element, eval.eval_function(key, &[element], &[])?)),
    };
    elements.into_iter().map(of).collect()
}

/// Asks for the steps of so many passes over the values by which elements are ordered.
fn ask_for_passes(keyed: &[(Value, Value)], passes: u64, eval: &Evaluator) -> Result<(), Wrong> {
    let mut weight = 0u64;
    for &(_, key) in keyed {
        weight += weigh(key, eval)?;
    }
    Size::Elements(weight.saturating_mul(passes)).charge(eval)
}

/// Returns the first of the largest or smallest arguments, or elements of the only argument.
fn extreme<'v>(
    name: &str,
    beats: Ordering,
    arguments: UnpackTuple<Value<'v>>,
    key: NoneOr<Value<'v>>,
    eval: &mut Evaluator<'v, '_, '_>,
) -> starlark::Result<Value<'v>> {
    let all = match arguments.items[..] {
        [only] => elements(only, eval)?,
        _ => arguments.items,
    };
    let keyed = with_keys(all, key, eval)?;
    ask_for_passes(&keyed, 1, eval)?;
    let mut all = keyed.into_iter();
    let mut best = all.next().ok_or_else(|| Wrong(format!("{name}() of no values")))?;
    for next in all {
        if next.1.compare(best.1)? == beats {
            best = next;
        }
    }
    Ok(best.0)
}

/// Sorts elements by their second parts, so that none precedes one to which it compares as `last`; equal ones keep their
/// order. Sorts of the standard library may panic if values have no order, as a number and a text have none.
fn sort<'v>(all: &mut Vec<(Value<'v>, Value<'v>)>, last: Ordering) -> starlark::Result<()> {
    let mut other = Vec::with_capacity(all.len());
    let mut width = 1;
    while width < all.len() {
        other.clear();
        for both in all.chunks(2 * width) {
            let (mut first, mut second) = both.split_at(width.min(both.len()));
            while let (Some(a), Some(b)) = (first.first(), second.first()) {
                let from = if a.1.compare(b.1)? == last { &mut second } else { &mut first };
                other.push(from[0]);
                *from = &from[1..];
            }
            other.extend_from_slice(first);
            other.extend_from_slice(second);
        }
        std::mem::swap(all, &mut other);
        width *= 2;
    }
    Ok(())
}

#[starlark_module]
pub(super) fn functions(globals: &mut GlobalsBuilder) {
    /// Returns a function that calls another one with these arguments before its own.
    fn partial<'v>(
        #[starlark(require = pos)] function: Value<'v>,
        #[starlark(args)] arguments: UnpackTuple<Value<'v>>,
        #[starlark(kwargs)] named: SmallMap<String, Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        let together = arguments.items.len() + named.len();
        if together > MOST_TOGETHER {
            let reason = format!("{together} arguments of a partial, of {MOST_TOGETHER} at most: write a list");
            return Err(Wrong(reason).into());
        }
        // Functions in Rust check their arguments where they are called, and a list may become longer until then.
        let is_long = |value: &Value| {
            has_elements(*value) || value.unpack_str().is_some_and(|text| text.len() > LONGEST_OF_A_PARTIAL)
        };
        if function.parameters_spec().is_none() && arguments.items.iter().chain(named.values()).any(is_long) {
            let reason = "a partial of a built-in function, with a list, a dictionary or a long text: write a lambda";
            return Err(Wrong(reason.to_owned()).into());
        }
        for &value in [&function].into_iter().chain(&arguments.items).chain(named.values()) {
            check_no_partial(value, eval)?;
        }
        let mut all = vec![function];
        all.extend(arguments.items);
        let named: Vec<(&str, Value)> = named.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let (_, own) = PARTIAL.iter().find(|(name, _)| *name == "partial").expect("the extension has it");
        eval.eval_function(own.to_value(), &all, &named)
    }

    /// Returns the number of elements of a value, or of characters of a text.
    fn len<'v>(#[starlark(require = pos)] value: Value<'v>, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<i32> {
        charge_text(value, eval)?;
        value.length()
    }

    /// Returns a new list of the elements of a value.
    fn list<'v>(
        #[starlark(require = pos, default = NoneOr::None)] value: NoneOr<Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<AllocList<Vec<Value<'v>>>> {
        let value = value.into_option();
        Ok(AllocList(value.map_or(Ok(Vec::new()), |value| elements(value, eval))?))
    }

    /// Returns a tuple of the elements of a value.
    fn tuple<'v>(
        #[starlark(require = pos, default = NoneOr::None)] value: NoneOr<Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<AllocTuple<Vec<Value<'v>>>> {
        let value = value.into_option();
        Ok(AllocTuple(value.map_or(Ok(Vec::new()), |value| elements(value, eval))?))
    }

    /// Returns a new dictionary of the entries of another one, or of a list of pairs, and of named arguments.
    fn dict<'v>(
        #[starlark(require = pos, default = NoneOr::None)] entries: NoneOr<Value<'v>>,
        #[starlark(kwargs)] named: SmallMap<String, Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<AllocDict<Vec<(Value<'v>, Value<'v>)>>> {
        let heap = eval.heap();
        let mut all = Vec::new();
        if let NoneOr::Other(entries) = entries {
            check_pairs(entries, eval)?;
            match DictRef::from_value(entries) {
                Some(dict) => all.extend(dict.iter()),
                None => {
                    for pair in entries.iterate(heap)? {
                        let mut both = pair.iterate(heap)?;
                        let (Some(key), Some(value), None) = (both.next(), both.next(), both.next()) else {
                            return Err(Wrong("dict() of a list whose elements are not all pairs".to_owned()).into());
                        };
                        all.push((key, value));
                    }
                }
            }
        }
        need_entries(eval, named.len() as u64)?;
        all.extend(named.into_iter().map(|(name, value)| (heap.alloc(name), value)));
        Ok(AllocDict(all))
    }

    /// Returns a new list of the elements of a value in the opposite order.
    fn reversed<'v>(
        #[starlark(require = pos)] value: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<AllocList<Vec<Value<'v>>>> {
        let mut all = elements(value, eval)?;
        all.reverse();
        Ok(AllocList(all))
    }

    /// Returns a list of pairs of a number and an element of a value.
    fn enumerate<'v>(
        #[starlark(require = pos)] value: Value<'v>,
        #[starlark(default = 0)] start: i32,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<AllocList<Vec<Value<'v>>>> {
        let all = elements(value, eval)?;
        // Each pair has a header and two elements.
        need(eval, (all.len() as u64).saturating_mul(3 * BYTES))?;
        let heap = eval.heap();
        let number = |i: usize| heap.alloc(i64::from(start) + i as i64);
        Ok(AllocList(all.into_iter().enumerate().map(|(i, value)| heap.alloc((number(i), value))).collect()))
    }

    /// Returns whether any element of a value is true.
    fn any<'v>(
        #[starlark(require = pos)] value: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<bool> {
        let mut visited = 0;
        let found = value.iterate(eval.heap())?.inspect(|_| visited += 1).any(Value::to_bool);
        Size::Elements(visited).charge(eval)?;
        Ok(found)
    }

    /// Returns whether all elements of a value are true.
    fn all<'v>(
        #[starlark(require = pos)] value: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<bool> {
        let mut visited = 0;
        let all = value.iterate(eval.heap())?.inspect(|_| visited += 1).all(Value::to_bool);
        Size::Elements(visited).charge(eval)?;
        Ok(all)
    }

    /// Returns a new list of the elements of a value in ascending order.
    fn sorted<'v>(
        #[starlark(require = pos)] value: Value<'v>,
        #[starlark(require = named, default = NoneOr::None)] key: NoneOr<Value<'v>>,
        #[starlark(require = named, default = false)] reverse: bool,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<AllocList<Vec<Value<'v>>>> {
        let all = elements(value, eval)?;
        let mut keyed = with_keys(all, key, eval)?;
        ask_for_passes(&keyed, 1 + u64::from(keyed.len().max(1).ilog2()), eval)?;
        need(eval, (keyed.len() as u64).saturating_mul(2 * BYTES))?;
        let last = if reverse { Ordering::Less } else { Ordering::Greater };
        sort(&mut keyed, last)?;
        Ok(AllocList(keyed.into_iter().map(|(element, _)| element).collect()))
    }

    /// Returns the largest of the arguments, or of the elements of the only one.
    fn max<'v>(
        #[starlark(args)] values: UnpackTuple<Value<'v>>,
        #[starlark(require = named, default = NoneOr::None)] key: NoneOr<Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        extreme("max", Ordering::Greater, values, key, eval)
    }

    /// Returns the smallest of the arguments, or of the elements of the only one.
    fn min<'v>(
        #[starlark(args)] values: UnpackTuple<Value<'v>>,
        #[starlark(require = named, default = NoneOr::None)] key: NoneOr<Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        extreme("min", Ordering::Less, values, key, eval)
    }
}
