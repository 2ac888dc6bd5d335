//! Operators of user programs that take long, or make a value larger: functions that ask for steps and memory first, by
//! the size of their operands.

use super::allowance::Size;
use super::checked::check_pairs;
use super::guard::{OPERATORS, not_too_large, shown, too_long};
use super::limits::LONGEST;
use super::recorder::Wrong;
use super::weigh::{check_key, has_elements, weigh};
use starlark::environment::{GlobalsBuilder, GlobalsStatic};
use starlark::eval::Evaluator;
use starlark::starlark_module;
use starlark::values::Value;
use starlark::values::dict::DictRef;
use std::cmp::Ordering;

/// `%`, with a limit on texts.
#[starlark_module]
fn percent(globals: &mut GlobalsBuilder) {
    fn percent<'v>(
        #[starlark(require = pos)] a: Value<'v>,
        #[starlark(require = pos)] b: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        if let Some(text) = a.unpack_str() {
            let most = (text.len() + shown(b)?.len()) as u64;
            if most > LONGEST {
                return Err(too_long().into());
            }
            Size::Bytes(most).ask(eval)?;
        }
        a.percent(b, eval.heap())
    }
}

/// `*`, with a limit on repetition, and other operators that make numbers larger.
#[starlark_module]
fn times(globals: &mut GlobalsBuilder) {
    fn times<'v>(
        #[starlark(require = pos)] a: Value<'v>,
        #[starlark(require = pos)] b: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        for (what, by) in [(a, b), (b, a)] {
            if let Some(by) = by.unpack_i32()
                && let Some(size) = Size::of(what)
            {
                let (length, result) = (size.count(), size.times(by.max(0) as u64));
                if result.count() > LONGEST {
                    return Err(Wrong(format!("{length} elements times {by}: the limit is {LONGEST}")).into());
                }
                result.ask(eval)?;
            }
        }
        Ok(not_too_large(a.mul(b, eval.heap())?)?)
    }
}

#[starlark_module]
fn plus(globals: &mut GlobalsBuilder) {
    fn plus<'v>(
        #[starlark(require = pos)] a: Value<'v>,
        #[starlark(require = pos)] b: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        if let (Some(first), Some(second)) = (Size::of(a), Size::of(b)) {
            let result = first.with(second);
            if result.count() > LONGEST {
                let wrong = match result {
                    Size::Bytes(_) => too_long(),
                    Size::Elements(count) => Wrong(format!("a list of {count} elements: the limit is {LONGEST}")),
                };
                return Err(wrong.into());
            }
            result.ask(eval)?;
        }
        Ok(not_too_large(a.add(b, eval.heap())?)?)
    }
}

#[starlark_module]
fn minus(globals: &mut GlobalsBuilder) {
    fn minus<'v>(
        #[starlark(require = pos)] a: Value<'v>,
        #[starlark(require = pos)] b: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        Ok(not_too_large(a.sub(b, eval.heap())?)?)
    }
}

#[starlark_module]
fn shift(globals: &mut GlobalsBuilder) {
    fn shift<'v>(
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
}

/// `in`, whose work depends on the size of the right side.
#[starlark_module]
fn within(globals: &mut GlobalsBuilder) {
    fn within<'v>(
        #[starlark(require = pos)] a: Value<'v>,
        #[starlark(require = pos)] b: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<bool> {
        is_in(a, b, eval)
    }
}

/// `not in`, like `in`.
#[starlark_module]
fn without(globals: &mut GlobalsBuilder) {
    fn without<'v>(
        #[starlark(require = pos)] a: Value<'v>,
        #[starlark(require = pos)] b: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<bool> {
        Ok(!is_in(a, b, eval)?)
    }
}

fn is_in<'v>(a: Value<'v>, b: Value<'v>, eval: &Evaluator<'v, '_, '_>) -> starlark::Result<bool> {
    match Size::of(b) {
        Some(_) if has_elements(a) => {
            weigh(b, eval)?;
        }
        Some(size) => size.charge(eval)?,
        // A dictionary looks its keys up without visiting them.
        None => check_key(a)?,
    }
    b.is_in(a)
}

/// Asks for the steps of a comparison, which visits no more than the smaller of both values.
fn ask_to_compare<'v>(a: Value<'v>, b: Value<'v>, eval: &Evaluator<'v, '_, '_>) -> Result<(), Wrong> {
    if let (Some(first), Some(second)) = (Size::of(a), Size::of(b)) {
        let smaller = if first.count() <= second.count() { a } else { b };
        match has_elements(smaller) {
            true => weigh(smaller, eval).map(|_| ()),
            false => first.smaller(second).charge(eval),
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

#[starlark_module]
fn equal(globals: &mut GlobalsBuilder) {
    fn equal<'v>(
        #[starlark(require = pos)] a: Value<'v>,
        #[starlark(require = pos)] b: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<bool> {
        is_equal(a, b, eval)
    }
}

#[starlark_module]
fn unequal(globals: &mut GlobalsBuilder) {
    fn unequal<'v>(
        #[starlark(require = pos)] a: Value<'v>,
        #[starlark(require = pos)] b: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<bool> {
        Ok(!is_equal(a, b, eval)?)
    }
}

#[starlark_module]
fn less(globals: &mut GlobalsBuilder) {
    fn less<'v>(
        #[starlark(require = pos)] a: Value<'v>,
        #[starlark(require = pos)] b: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<bool> {
        Ok(order(a, b, eval)?.is_lt())
    }
}

#[starlark_module]
fn greater(globals: &mut GlobalsBuilder) {
    fn greater<'v>(
        #[starlark(require = pos)] a: Value<'v>,
        #[starlark(require = pos)] b: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<bool> {
        Ok(order(a, b, eval)?.is_gt())
    }
}

#[starlark_module]
fn at_most(globals: &mut GlobalsBuilder) {
    fn at_most<'v>(
        #[starlark(require = pos)] a: Value<'v>,
        #[starlark(require = pos)] b: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<bool> {
        Ok(order(a, b, eval)?.is_le())
    }
}

#[starlark_module]
fn at_least(globals: &mut GlobalsBuilder) {
    fn at_least<'v>(
        #[starlark(require = pos)] a: Value<'v>,
        #[starlark(require = pos)] b: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<bool> {
        Ok(order(a, b, eval)?.is_ge())
    }
}

/// `|`, which copies dictionaries.
#[starlark_module]
fn union(globals: &mut GlobalsBuilder) {
    fn union<'v>(
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

/// Adds the replacements of operators under their hidden names.
pub(super) fn hidden(globals: &mut GlobalsBuilder) {
    static TIMES: GlobalsStatic = GlobalsStatic::new("mopsim times", times);
    static PLUS: GlobalsStatic = GlobalsStatic::new("mopsim plus", plus);
    static MINUS: GlobalsStatic = GlobalsStatic::new("mopsim minus", minus);
    static SHIFT: GlobalsStatic = GlobalsStatic::new("mopsim shift", shift);
    static PERCENT: GlobalsStatic = GlobalsStatic::new("mopsim percent", percent);
    static WITHIN: GlobalsStatic = GlobalsStatic::new("mopsim within", within);
    static WITHOUT: GlobalsStatic = GlobalsStatic::new("mopsim without", without);
    static UNION: GlobalsStatic = GlobalsStatic::new("mopsim union", union);
    static EQUAL: GlobalsStatic = GlobalsStatic::new("mopsim equal", equal);
    static UNEQUAL: GlobalsStatic = GlobalsStatic::new("mopsim unequal", unequal);
    static LESS: GlobalsStatic = GlobalsStatic::new("mopsim less", less);
    static GREATER: GlobalsStatic = GlobalsStatic::new("mopsim greater", greater);
    static AT_MOST: GlobalsStatic = GlobalsStatic::new("mopsim at most", at_most);
    static AT_LEAST: GlobalsStatic = GlobalsStatic::new("mopsim at least", at_least);
    let numbers = [&TIMES, &PLUS, &MINUS, &SHIFT, &PERCENT, &UNION];
    let comparisons = [&WITHIN, &WITHOUT, &EQUAL, &UNEQUAL, &LESS, &GREATER, &AT_MOST, &AT_LEAST];
    let functions = numbers.into_iter().chain(comparisons);
    for (name, function) in OPERATORS.into_iter().zip(functions) {
        globals.set(name, function.function());
    }
}
