//! Operators of user programs that take long, or make a value larger: functions that ask for steps and memory first, by
//! the size of their operands.

use super::allowance::Size;
use super::guard::{OPERATORS, not_too_large, shown, too_long};
use super::limits::LONGEST;
use super::recorder::Wrong;
use starlark::environment::{GlobalsBuilder, GlobalsStatic};
use starlark::eval::Evaluator;
use starlark::starlark_module;
use starlark::values::Value;

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
    // A dictionary, which has no size here, looks its keys up without visiting them.
    if let Some(size) = Size::of(b) {
        size.charge(eval)?;
    }
    b.is_in(a)
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
    let functions = [&TIMES, &PLUS, &MINUS, &SHIFT, &PERCENT, &WITHIN, &WITHOUT];
    for (name, function) in OPERATORS.into_iter().zip(functions) {
        globals.set(name, function.function());
    }
}
