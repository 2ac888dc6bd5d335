//! Functions around operands in user programs ([`instrument`](super::instrument)): each returns its argument, after the
//! steps and the memory of the operation were counted.

use super::allowance::{Size, charge_text, need, need_entries, need_now, need_outside, too_long};
use super::guard::not_too_large;
use super::limits::LONGEST_TEXT;
use super::recorder::Wrong;
use super::weigh::{check_key, check_lookup, check_shown, has_elements, weigh_shown};
use starlark::collections::SmallMap;
use starlark::environment::GlobalsBuilder;
use starlark::eval::Evaluator;
use starlark::starlark_module;
use starlark::values::Value;
use starlark::values::dict::DictRef;
use starlark::values::list::ListRef;
use starlark::values::none::NoneType;
use starlark::values::tuple::{AllocTuple, TupleRef, UnpackTuple};

/// Bytes of an element of a copy, while a list grows; characters become texts of their own.
const BYTES_OF_A_COPY: u64 = 16;

/// Characters that `strip` may look for: each one is compared with each character of the text.
const MOST_STRIPPED: usize = 64;

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

/// Message about `+=` of a text to what is no text, or no variable: the size of the result is not known then.
const NO_TEXT_IS_ADDED: &str = "`+=` adds a text only to a variable that is one: write `x = x + y`";

/// Returns the number of bytes, elements or entries of a value, and asks for the steps to visit them.
fn counted(value: Value, eval: &Evaluator) -> Result<u64, Wrong> {
    if value.unpack_i32().is_some() {
        return Ok(0);
    }
    let size = Size::of(value).or_else(|| DictRef::from_value(value).map(|dict| Size::Elements(dict.len() as u64)));
    let Some(size) = size.or_else(|| made_while_visited(value)) else { return Ok(0) };
    size.charge(eval)?;
    Ok(size.count())
}

/// Returns the size of a value that makes its elements: a range, or the characters of a text.
fn made_while_visited(value: Value) -> Option<Size> {
    match value.get_type() {
        "range" => Some(Size::Elements(value.length().ok()?.max(0) as u64)),
        // How many they are is not known before they are made.
        "iterator" => Some(Size::Elements(LONGEST_TEXT)),
        _ => None,
    }
}

/// Checks an argument of a function. Functions in Rust show one of the wrong type as a whole.
fn check_argument(function: Value, value: Value, eval: &Evaluator) -> Result<(), Wrong> {
    let shows = || {
        function.parameters_spec().is_none() && !function.function_name().is_some_and(|name| TAKES_ANY.contains(&name))
    };
    charge_text(value, eval)?;
    if has_elements(value) && shows() { check_shown(value, eval) } else { Ok(()) }
}

/// Checks what becomes the entries of a dictionary: another one, or a list of pairs.
pub(super) fn check_pairs<'v>(value: Value<'v>, eval: &mut Evaluator<'v, '_, '_>) -> starlark::Result<()> {
    let count = counted(value, eval)?;
    need_entries(eval, count)?;
    if let Some(dict) = DictRef::from_value(value) {
        // Keys are hashed again.
        return Ok(dict.keys().try_for_each(|key| check_lookup(key, eval))?);
    }
    let elements = ListRef::from_value(value).map(|list| list.content());
    for pair in elements.or_else(|| TupleRef::from_value(value).map(|tuple| tuple.content())).unwrap_or_default() {
        let first = TupleRef::from_value(*pair).and_then(|pair| pair.iter().next());
        if let Some(key) = first.or_else(|| ListRef::from_value(*pair).and_then(|pair| pair.iter().next())) {
            check_lookup(key, eval)?;
        }
    }
    Ok(())
}

/// Calls a function after a check of all arguments.
fn call_checked<'v>(
    function: Value<'v>,
    arguments: &[Value<'v>],
    named: &SmallMap<String, Value<'v>>,
    eval: &mut Evaluator<'v, '_, '_>,
) -> starlark::Result<Value<'v>> {
    for &value in arguments.iter().chain(named.values()) {
        check_argument(function, value, eval)?;
    }
    let named: Vec<(&str, Value)> = named.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    eval.eval_function(function, arguments, &named)
}

/// Adds the checks, under names that no program contains.
#[starlark_module]
pub(super) fn functions(globals: &mut GlobalsBuilder) {
    /// The last argument of each check, by which the end of an operand is found again.
    const __mopsim_: NoneType = NoneType;

    fn __mopsim_size<'v>(
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

    fn __mopsim_copied<'v>(
        #[starlark(require = pos)] value: Value<'v>,
        #[starlark(require = pos)] _end: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        let count = counted(value, eval)?;
        need(eval, count.saturating_mul(BYTES_OF_A_COPY))?;
        Ok(value)
    }

    fn __mopsim_text<'v>(
        #[starlark(require = pos)] value: Value<'v>,
        #[starlark(require = pos)] _end: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        charge_text(value, eval)?;
        Ok(value)
    }

    /// A character of two bytes may become three of two bytes each.
    fn __mopsim_cased<'v>(
        #[starlark(require = pos)] value: Value<'v>,
        #[starlark(require = pos)] _end: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        let count = counted(value, eval)?;
        if value.unpack_str().is_some_and(|text| !text.is_ascii()) && count > LONGEST_TEXT / 3 {
            return Err(too_long().into());
        }
        Ok(value)
    }

    fn __mopsim_receiver<'v>(
        #[starlark(require = pos)] receiver: Value<'v>,
        #[starlark(require = pos)] value: Value<'v>,
        #[starlark(require = pos)] _end: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        if has_elements(receiver) {
            weigh_shown(receiver, eval)?;
        }
        Ok(value)
    }

    /// Calls a function whose arguments may have changed after they were checked.
    fn __mopsim_call<'v>(
        #[starlark(require = pos)] function: Value<'v>,
        #[starlark(args)] arguments: UnpackTuple<Value<'v>>,
        #[starlark(kwargs)] named: SmallMap<String, Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        call_checked(function, &arguments.items, &named, eval)
    }

    /// The same for a method that makes entries of a dictionary from its first argument.
    fn __mopsim_call_update<'v>(
        #[starlark(require = pos)] function: Value<'v>,
        #[starlark(args)] arguments: UnpackTuple<Value<'v>>,
        #[starlark(kwargs)] named: SmallMap<String, Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        for &value in &arguments.items {
            check_pairs(value, eval)?;
        }
        call_checked(function, &arguments.items, &named, eval)
    }

    fn __mopsim_deep<'v>(
        #[starlark(require = pos)] value: Value<'v>,
        #[starlark(require = pos)] _end: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        weigh_shown(value, eval)?;
        Ok(value)
    }

    fn __mopsim_shown<'v>(
        #[starlark(require = pos)] value: Value<'v>,
        #[starlark(require = pos)] _end: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        charge_text(value, eval)?;
        if has_elements(value) {
            check_shown(value, eval)?;
        }
        Ok(value)
    }

    fn __mopsim_made<'v>(
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

    fn __mopsim_splat<'v>(
        #[starlark(require = pos)] value: Value<'v>,
        #[starlark(require = pos)] _end: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        check_shown(value, eval)?;
        need(eval, counted(value, eval)?.saturating_mul(BYTES_OF_A_COPY))?;
        Ok(value)
    }

    /// Functions in Rust show an argument of the wrong type as a whole.
    fn __mopsim_argument<'v>(
        #[starlark(require = pos)] function: Value<'v>,
        #[starlark(require = pos)] value: Value<'v>,
        #[starlark(require = pos)] _end: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        check_argument(function, value, eval)?;
        Ok(value)
    }

    fn __mopsim_popped<'v>(
        #[starlark(require = pos)] value: Value<'v>,
        #[starlark(require = pos)] _end: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        match DictRef::from_value(value) {
            // The message about a key that is not there shows the dictionary.
            Some(_) => check_shown(value, eval)?,
            None => drop(counted(value, eval)?),
        }
        Ok(value)
    }

    fn __mopsim_few<'v>(
        #[starlark(require = pos)] value: Value<'v>,
        #[starlark(require = pos)] _end: Value<'v>,
    ) -> starlark::Result<Value<'v>> {
        if let Some(text) = value.unpack_str()
            && text.len() > MOST_STRIPPED
        {
            return Err(Wrong(format!("more than {MOST_STRIPPED} characters to strip")).into());
        }
        Ok(value)
    }

    fn __mopsim_key<'v>(
        #[starlark(require = pos)] value: Value<'v>,
        #[starlark(require = pos)] _end: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        check_key(value, eval)?;
        Ok(value)
    }

    /// A list is no bound, and the message about it would show all of it, even if another bound has changed it since.
    fn __mopsim_bound<'v>(
        #[starlark(require = pos)] value: Value<'v>,
        #[starlark(require = pos)] _end: Value<'v>,
    ) -> starlark::Result<Value<'v>> {
        if has_elements(value) {
            return Err(
                Wrong(format!("a bound of a slice that is a {}: write a whole number", value.get_type())).into()
            );
        }
        Ok(value)
    }

    fn __mopsim_pairs<'v>(
        #[starlark(require = pos)] value: Value<'v>,
        #[starlark(require = pos)] _end: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        check_shown(value, eval)?;
        check_pairs(value, eval)?;
        Ok(value)
    }

    fn __mopsim_named<'v>(
        #[starlark(require = pos)] value: Value<'v>,
        #[starlark(require = pos)] _end: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        check_shown(value, eval)?;
        check_pairs(value, eval)?;
        // Names are copied.
        let names = DictRef::from_value(value)
            .map_or(0, |dict| dict.keys().filter_map(|key| key.unpack_str()).map(|name| name.len() as u64).sum());
        need_outside(eval, names)?;
        Ok(value)
    }

    fn __mopsim_lookup<'v>(
        #[starlark(require = pos)] value: Value<'v>,
        #[starlark(require = pos)] _end: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        check_lookup(value, eval)?;
        Ok(value)
    }

    fn __mopsim_owner<'v>(
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

    /// Takes the elements of a tuple that is written without brackets, too.
    fn __mopsim_operand<'v>(
        #[starlark(require = pos)] target: Value<'v>,
        #[starlark(args)] values: UnpackTuple<Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        let mut values = values.items;
        values.pop();
        let value = match values[..] {
            [value] => value,
            _ => eval.heap().alloc(AllocTuple(values)),
        };
        let count = counted(value, eval)?;
        if DictRef::from_value(value).is_some() {
            need_entries(eval, count)?;
        } else if value.unpack_str().is_some() {
            let Some(before) = target.unpack_str() else {
                return Err(Wrong(NO_TEXT_IS_ADDED.to_owned()).into());
            };
            Size::Bytes(count + before.len() as u64).ask(eval)?;
        } else {
            // A list that grows reserves twice its new size, of which the operand is a half in `x += x`.
            need(eval, count.saturating_mul(BYTES_OF_A_COPY))?;
        }
        Ok(not_too_large(value)?)
    }
}
