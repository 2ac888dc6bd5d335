//! Operators of user programs that take long, or make a value larger: functions that ask for steps and memory first, by
//! the size of their operands.

use super::allowance::Size;
use super::checked::check_pairs;
use super::guard::{not_too_large, shown};
use super::limits::LONGEST;
use super::recorder::Wrong;
use super::weigh::{check_key, has_elements, weigh};
use starlark::environment::GlobalsBuilder;
use starlark::eval::Evaluator;
use starlark::starlark_module;
use starlark::values::Value;
use starlark::values::dict::DictRef;
use std::cmp::Ordering;

/// Bytes of a text that take no longer to compare than a number.
const SHORT_TEXT: usize = 64;

fn is_in<'v>(a: Value<'v>, b: Value<'v>, eval: &Evaluator<'v, '_, '_>) -> starlark::Result<bool> {
    match Size::of(b) {
        // Texts of the same length are compared byte by byte.
        Some(Size::Elements(_)) if has_elements(a) || a.unpack_str().is_some_and(|text| text.len() >= SHORT_TEXT) => {
            weigh(b, eval)?;
        }
        Some(size) => size.charge(eval)?,
        // A dictionary looks its keys up without visiting them.
        None => check_key(a, eval)?,
    }
    b.is_in(a)
}

/// Asks for the steps of a comparison, which visits no more than the smaller of both values.
fn ask_to_compare<'v>(a: Value<'v>, b: Value<'v>, eval: &Evaluator<'v, '_, '_>) -> Result<(), Wrong> {
    if let (Some(first), Some(second)) = (Size::of(a), Size::of(b)) {
        let (smaller, size) = if first.count() <= second.count() { (a, first) } else { (b, second) };
        match has_elements(smaller) {
            true => weigh(smaller, eval).map(|_| ()),
            false => size.charge(eval),
        }
    } else if has_elements(a) && has_elements(b) {
        weigh(a, eval).map(|_| ())
    } else {
        Ok(())
    }
}

fn is_equal<'v>(a: Value<'v>, b: Value<'v>, eval: &Evaluator<'v, '_, '_>) -> starlark::Result<bool> {
    if a.ptr_eq(b) {
        return Ok(true);
    }
    // Lists of different lengths are different, whatever is in them.
    if Size::of(a).map(Size::count) == Size::of(b).map(Size::count) {
        ask_to_compare(a, b, eval)?;
    }
    a.equals(b)
}

fn order<'v>(a: Value<'v>, b: Value<'v>, eval: &Evaluator<'v, '_, '_>) -> starlark::Result<Ordering> {
    ask_to_compare(a, b, eval)?;
    a.compare(b)
}

/// Adds the replacements of operators.
#[starlark_module]
pub(super) fn functions(globals: &mut GlobalsBuilder) {
    /// `%`, with a limit on texts.
    fn __mopsim_percent<'v>(
        #[starlark(require = pos)] a: Value<'v>,
        #[starlark(require = pos)] b: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        if let Some(text) = a.unpack_str() {
            Size::Bytes((text.len() + shown(b)?.len()) as u64).ask(eval)?;
        }
        a.percent(b, eval.heap())
    }

    /// `*`, with a limit on repetition, and other operators that make numbers larger.
    fn __mopsim_times<'v>(
        #[starlark(require = pos)] a: Value<'v>,
        #[starlark(require = pos)] b: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        for (what, by) in [(a, b), (b, a)] {
            if let Some(by) = by.unpack_i32()
                && let Some(size) = Size::of(what)
            {
                let (length, result) = (size.count(), size.times(by.max(0) as u64));
                if matches!(result, Size::Elements(count) if count > LONGEST) {
                    return Err(Wrong(format!("{length} elements times {by}: the limit is {LONGEST}")).into());
                }
                result.ask(eval)?;
            }
        }
        Ok(not_too_large(a.mul(b, eval.heap())?)?)
    }

    fn __mopsim_plus<'v>(
        #[starlark(require = pos)] a: Value<'v>,
        #[starlark(require = pos)] b: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        if let (Some(first), Some(second)) = (Size::of(a), Size::of(b)) {
            first.with(second).ask(eval)?;
        }
        Ok(not_too_large(a.add(b, eval.heap())?)?)
    }

    fn __mopsim_minus<'v>(
        #[starlark(require = pos)] a: Value<'v>,
        #[starlark(require = pos)] b: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        Ok(not_too_large(a.sub(b, eval.heap())?)?)
    }

    fn __mopsim_shift<'v>(
        #[starlark(require = pos)] a: Value<'v>,
        #[starlark(require = pos)] b: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        if b.unpack_i32().is_some_and(|bits| bits > 1000) {
            return Err(Wrong(format!("a shift by {b} bits: the limit is 1000")).into());
        }
        // Starlark 0.14.2 treats 1 << 31 as a negative number.
        if let (Some(number), Some(bits @ 0..32)) = (a.unpack_i32(), b.unpack_i32()) {
            return Ok(eval.heap().alloc(i64::from(number) << bits));
        }
        Ok(not_too_large(a.left_shift(b, eval.heap())?)?)
    }

    /// `in`, whose work depends on the size of the right side.
    fn __mopsim_within<'v>(
        #[starlark(require = pos)] a: Value<'v>,
        #[starlark(require = pos)] b: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<bool> {
        is_in(a, b, eval)
    }

    /// `not in`, like `in`.
    fn __mopsim_without<'v>(
        #[starlark(require = pos)] a: Value<'v>,
        #[starlark(require = pos)] b: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<bool> {
        Ok(!is_in(a, b, eval)?)
    }

    fn __mopsim_equal<'v>(
        #[starlark(require = pos)] a: Value<'v>,
        #[starlark(require = pos)] b: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<bool> {
        is_equal(a, b, eval)
    }

    fn __mopsim_unequal<'v>(
        #[starlark(require = pos)] a: Value<'v>,
        #[starlark(require = pos)] b: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<bool> {
        Ok(!is_equal(a, b, eval)?)
    }

    fn __mopsim_less<'v>(
        #[starlark(require = pos)] a: Value<'v>,
        #[starlark(require = pos)] b: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<bool> {
        Ok(order(a, b, eval)?.is_lt())
    }

    fn __mopsim_greater<'v>(
        #[starlark(require = pos)] a: Value<'v>,
        #[starlark(require = pos)] b: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<bool> {
        Ok(order(a, b, eval)?.is_gt())
    }

    fn __mopsim_at_most<'v>(
        #[starlark(require = pos)] a: Value<'v>,
        #[starlark(require = pos)] b: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<bool> {
        Ok(order(a, b, eval)?.is_le())
    }

    fn __mopsim_at_least<'v>(
        #[starlark(require = pos)] a: Value<'v>,
        #[starlark(require = pos)] b: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<bool> {
        Ok(order(a, b, eval)?.is_ge())
    }

    /// `|`, which copies dictionaries.
    fn __mopsim_union<'v>(
        #[starlark(require = pos)] a: Value<'v>,
        #[starlark(require = pos)] b: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        for value in [a, b] {
            if DictRef::from_value(value).is_some() {
                check_pairs(value, eval)?;
            }
        }
        a.bit_or(b, eval.heap())
    }
}
