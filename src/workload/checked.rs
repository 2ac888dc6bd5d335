//! Functions around operands in user programs ([`instrument`](super::instrument)): each returns its argument, after the
//! steps and the memory of the operation were counted.

use super::allowance::{Size, need, need_entries, need_now};
use super::guard::not_too_large;
use super::marks::{Check, STEM};
use super::recorder::Wrong;
use super::weigh::{check_key, check_lookup, check_shown, has_elements, weigh};
use starlark::environment::{GlobalsBuilder, GlobalsStatic};
use starlark::eval::Evaluator;
use starlark::starlark_module;
use starlark::values::Value;
use starlark::values::dict::DictRef;
use starlark::values::list::ListRef;
use starlark::values::none::NoneType;
use starlark::values::tuple::{AllocTuple, TupleRef, UnpackTuple};

/// Bytes of an element of a copy, while a list grows; characters become texts of their own.
const BYTES_OF_A_COPY: u64 = 16;

/// Functions that take values of any type, and show no more of them than fits into a text or a message.
const TAKES_ANY: [&str; 15] = [
    "all",
    "any",
    "bool",
    "dict",
    "enumerate",
    "fail",
    "len",
    "list",
    "repr",
    "reversed",
    "str",
    "struct",
    "tuple",
    "type",
    "zip",
];

/// Returns the number of bytes, elements or entries of a value, and asks for the steps to visit them.
fn counted(value: Value, eval: &Evaluator) -> Result<u64, Wrong> {
    let size = Size::of(value).or_else(|| DictRef::from_value(value).map(|dict| Size::Elements(dict.len() as u64)));
    let Some(size) = size else { return Ok(0) };
    size.charge(eval)?;
    Ok(size.count())
}

#[starlark_module]
fn size(globals: &mut GlobalsBuilder) {
    fn size<'v>(
        #[starlark(require = pos)] value: Value<'v>,
        #[starlark(require = pos)] _end: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        let count = counted(value, eval)?;
        if value.unpack_str().is_some() {
            need(eval, count)?;
        }
        Ok(value)
    }
}

#[starlark_module]
fn copied(globals: &mut GlobalsBuilder) {
    fn copied<'v>(
        #[starlark(require = pos)] value: Value<'v>,
        #[starlark(require = pos)] _end: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        let count = counted(value, eval)?;
        need(eval, count.saturating_mul(BYTES_OF_A_COPY))?;
        Ok(value)
    }
}

#[starlark_module]
fn deep(globals: &mut GlobalsBuilder) {
    fn deep<'v>(
        #[starlark(require = pos)] value: Value<'v>,
        #[starlark(require = pos)] _end: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        weigh(value, eval)?;
        Ok(value)
    }
}

#[starlark_module]
fn shown(globals: &mut GlobalsBuilder) {
    fn shown<'v>(
        #[starlark(require = pos)] value: Value<'v>,
        #[starlark(require = pos)] _end: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        if has_elements(value) {
            check_shown(value, eval)?;
        }
        Ok(value)
    }
}

#[starlark_module]
fn made(globals: &mut GlobalsBuilder) {
    fn made<'v>(
        #[starlark(require = pos)] value: Value<'v>,
        #[starlark(require = pos)] _end: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        let count = counted(value, eval)?;
        if DictRef::from_value(value).is_some() {
            need_entries(eval, count)?;
        } else if count > 0 {
            need_now(eval)?;
        }
        Ok(value)
    }
}

#[starlark_module]
fn splat(globals: &mut GlobalsBuilder) {
    fn splat<'v>(
        #[starlark(require = pos)] value: Value<'v>,
        #[starlark(require = pos)] _end: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        check_shown(value, eval)?;
        need(eval, counted(value, eval)?.saturating_mul(BYTES_OF_A_COPY))?;
        Ok(value)
    }
}

#[starlark_module]
fn argument(globals: &mut GlobalsBuilder) {
    /// Functions in Rust show an argument of the wrong type as a whole.
    fn argument<'v>(
        #[starlark(require = pos)] function: Value<'v>,
        #[starlark(require = pos)] value: Value<'v>,
        #[starlark(require = pos)] _end: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        let shows = || {
            function.parameters_spec().is_none()
                && !function.function_name().is_some_and(|name| TAKES_ANY.contains(&name))
        };
        if has_elements(value) && shows() {
            check_shown(value, eval)?;
        }
        Ok(value)
    }
}

#[starlark_module]
fn key(globals: &mut GlobalsBuilder) {
    fn key<'v>(
        #[starlark(require = pos)] value: Value<'v>,
        #[starlark(require = pos)] _end: Value<'v>,
    ) -> starlark::Result<Value<'v>> {
        check_key(value)?;
        Ok(value)
    }
}

#[starlark_module]
fn pairs(globals: &mut GlobalsBuilder) {
    fn pairs<'v>(
        #[starlark(require = pos)] value: Value<'v>,
        #[starlark(require = pos)] _end: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        check_shown(value, eval)?;
        check_pairs(value, eval)?;
        Ok(value)
    }
}

#[starlark_module]
fn named(globals: &mut GlobalsBuilder) {
    fn named<'v>(
        #[starlark(require = pos)] value: Value<'v>,
        #[starlark(require = pos)] _end: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        check_shown(value, eval)?;
        check_pairs(value, eval)?;
        // Names are copied.
        let names = DictRef::from_value(value)
            .map_or(0, |dict| dict.keys().filter_map(|key| key.unpack_str()).map(|name| name.len() as u64).sum());
        need_entries(eval, names / 64)?;
        Ok(value)
    }
}

#[starlark_module]
fn lookup(globals: &mut GlobalsBuilder) {
    fn lookup<'v>(
        #[starlark(require = pos)] value: Value<'v>,
        #[starlark(require = pos)] _end: Value<'v>,
    ) -> starlark::Result<Value<'v>> {
        check_lookup(value)?;
        Ok(value)
    }
}

/// Checks what becomes the entries of a dictionary: another one, or a list of pairs.
pub(super) fn check_pairs<'v>(value: Value<'v>, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<()> {
    let count = counted(value, eval)?;
    need_entries(eval, count)?;
    let elements = ListRef::from_value(value).map(|list| list.content());
    for pair in elements.or_else(|| TupleRef::from_value(value).map(|tuple| tuple.content())).unwrap_or_default() {
        let first = TupleRef::from_value(*pair).and_then(|pair| pair.iter().next());
        if let Some(key) = first.or_else(|| ListRef::from_value(*pair).and_then(|pair| pair.iter().next())) {
            check_lookup(key)?;
        }
    }
    Ok(())
}

#[starlark_module]
fn owner(globals: &mut GlobalsBuilder) {
    fn owner<'v>(
        #[starlark(require = pos)] value: Value<'v>,
        #[starlark(require = pos)] _end: Value<'v>,
    ) -> starlark::Result<Value<'v>> {
        let has_methods = value.unpack_str().is_some()
            || ListRef::from_value(value).is_some()
            || DictRef::from_value(value).is_some();
        if has_methods {
            let reason = "a method without a call: methods of texts, lists and dictionaries must be called directly, as in \
                          x.pop()";
            return Err(Wrong(reason.to_owned()).into());
        }
        Ok(value)
    }
}

#[starlark_module]
fn operand(globals: &mut GlobalsBuilder) {
    /// Takes the elements of a tuple that is written without brackets, too.
    fn operand<'v>(
        #[starlark(args)] values: UnpackTuple<Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        let mut values = values.items;
        values.pop();
        let value = match values[..] {
            [value] => value,
            _ => eval.heap().alloc(AllocTuple(values)),
        };
        // The target is not known here. It has room for at least as much as the operand in `x += x`, and a list that
        // grows reserves twice its new size.
        let count = counted(value, eval)?;
        if DictRef::from_value(value).is_some() {
            need_entries(eval, count)?;
        } else {
            let each = if value.unpack_str().is_some() { 2 } else { BYTES_OF_A_COPY };
            need(eval, count.saturating_mul(each))?;
        }
        Ok(not_too_large(value)?)
    }
}

/// Adds the functions under names that no program contains.
pub(super) fn functions(globals: &mut GlobalsBuilder) {
    static SIZE: GlobalsStatic = GlobalsStatic::new("mopsim size", size);
    static COPIED: GlobalsStatic = GlobalsStatic::new("mopsim copied", copied);
    static DEEP: GlobalsStatic = GlobalsStatic::new("mopsim deep", deep);
    static SHOWN: GlobalsStatic = GlobalsStatic::new("mopsim shown", shown);
    static MADE: GlobalsStatic = GlobalsStatic::new("mopsim made", made);
    static SPLAT: GlobalsStatic = GlobalsStatic::new("mopsim splat", splat);
    static ARGUMENT: GlobalsStatic = GlobalsStatic::new("mopsim argument", argument);
    static KEY: GlobalsStatic = GlobalsStatic::new("mopsim key", key);
    static LOOKUP: GlobalsStatic = GlobalsStatic::new("mopsim lookup", lookup);
    static NAMED: GlobalsStatic = GlobalsStatic::new("mopsim named", named);
    static PAIRS: GlobalsStatic = GlobalsStatic::new("mopsim pairs", pairs);
    static OWNER: GlobalsStatic = GlobalsStatic::new("mopsim owner", owner);
    static OPERAND: GlobalsStatic = GlobalsStatic::new("mopsim operand", operand);
    for (check, function) in [
        (Check::Size, &SIZE),
        (Check::Copied, &COPIED),
        (Check::Deep, &DEEP),
        (Check::Shown, &SHOWN),
        (Check::Made, &MADE),
        (Check::Splat, &SPLAT),
        (Check::Argument, &ARGUMENT),
        (Check::Key, &KEY),
        (Check::Lookup, &LOOKUP),
        (Check::Named, &NAMED),
        (Check::Pairs, &PAIRS),
        (Check::Owner, &OWNER),
        (Check::Operand, &OPERAND),
    ] {
        globals.set(&format!("{STEM}{}", check.name()), function.function());
    }
    // The last argument, by which the end of an operand is found again.
    globals.set(STEM, NoneType);
}
