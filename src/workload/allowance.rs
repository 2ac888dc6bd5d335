//! Steps and memory that the library asks for before an operation whose size is known.
//!
//! Starlark counts calls and iterations, and measures memory after the fact. An operation that walks a list of 2^24
//! elements is a single step for it, and one that doubles a text has taken the memory before it is measured. So each
//! function that knows the size of its operands counts that size as steps, and asks whether its result still fits. The
//! count depends on sizes only, so a program ends at the same place on every machine.

use super::context::Context;
use super::limits::{LONGEST, LONGEST_TEXT, Limits, RUNS_AWAY};
use super::recorder::Wrong;
use starlark::eval::Evaluator;
use starlark::values::Value;
use starlark::values::list::ListRef;
use starlark::values::tuple::TupleRef;
use std::cell::Cell;

/// Elements of a list that count as a step.
const ELEMENTS_OF_A_STEP: u64 = 8;
/// Bytes of a text that count as a step.
const BYTES_OF_A_STEP: u64 = 64;
/// Bytes of an entry of a dictionary.
const BYTES_OF_AN_ENTRY: u64 = 64;
/// Bytes that need not be asked for: Starlark's own check suffices for them.
const SMALL: u64 = 64 << 10;

/// Allowance of an evaluation, and the part of it that was used.
pub(super) struct Allowance {
    /// Limits; `None` for built-in programs.
    limits: Option<Limits>,
    /// Steps in addition to those that Starlark counts.
    work: Cell<u64>,
    /// Bytes that Starlark does not measure: those of dictionaries that were made in one step.
    outside: Cell<u64>,
}

impl Allowance {
    pub fn new(limits: &Limits, trusted: bool) -> Self {
        Self { limits: (!trusted).then_some(*limits), work: Cell::new(0), outside: Cell::new(0) }
    }

    /// Returns the steps in addition to those that Starlark counts.
    pub fn work(&self) -> u64 {
        self.work.get()
    }

    /// Returns the memory in addition to that which Starlark measures.
    pub fn outside(&self) -> u64 {
        self.outside.get()
    }
}

/// Size of a text, or of a value that has elements in order. Those of dictionaries and ranges are found without a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Size {
    /// Bytes of a text.
    Bytes(u64),
    /// Elements of a list or a tuple.
    Elements(u64),
}

impl Size {
    /// Returns the size of a value, if it has elements.
    pub fn of(value: Value) -> Option<Self> {
        // Numbers first: they are most of the operands.
        if value.unpack_i32().is_some() {
            return None;
        }
        if let Some(text) = value.unpack_str() {
            return Some(Self::Bytes(text.len() as u64));
        }
        if let Some(list) = ListRef::from_value(value) {
            return Some(Self::Elements(list.len() as u64));
        }
        TupleRef::from_value(value).map(|tuple| Self::Elements(tuple.len() as u64))
    }

    /// Returns the number of bytes or elements.
    pub fn count(self) -> u64 {
        match self {
            Self::Bytes(count) | Self::Elements(count) => count,
        }
    }

    fn map(self, change: impl FnOnce(u64) -> u64) -> Self {
        match self {
            Self::Bytes(count) => Self::Bytes(change(count)),
            Self::Elements(count) => Self::Elements(change(count)),
        }
    }

    /// Returns the size of a repetition.
    pub fn times(self, times: u64) -> Self {
        self.map(|count| count.saturating_mul(times))
    }

    /// Returns the size of this value followed by another of its kind.
    pub fn with(self, other: Self) -> Self {
        self.map(|count| count.saturating_add(other.count()))
    }

    /// Returns the memory that a new value of this size takes.
    pub fn bytes(self) -> u64 {
        match self {
            Self::Bytes(count) => count,
            Self::Elements(count) => count.saturating_mul(8),
        }
    }

    /// Counts a walk over a value of this size as steps.
    ///
    /// # Errors
    /// [`Wrong`] if the program has no more steps.
    pub fn charge(self, eval: &Evaluator) -> Result<(), Wrong> {
        let per_step = if matches!(self, Self::Bytes(_)) { BYTES_OF_A_STEP } else { ELEMENTS_OF_A_STEP };
        let steps = self.count() / per_step;
        // Most operands are short, and the context is not looked up for them.
        if steps == 0 {
            return Ok(());
        }
        let Some(context) = Context::any(eval) else { return Ok(()) };
        let work = context.allowance.work.get().saturating_add(steps);
        context.allowance.work.set(work);
        let Some(limits) = &context.allowance.limits else { return Ok(()) };
        let all = eval.get_total_tick_count().saturating_add(work);
        if all > limits.steps { Err(Wrong(too_many_steps(all, limits.steps))) } else { Ok(()) }
    }

    /// Asks for the steps and the memory of a new value of this size.
    ///
    /// # Errors
    /// [`Wrong`] if the program has no more of them, or if no value may be as large.
    pub fn ask(self, eval: &Evaluator) -> Result<(), Wrong> {
        match self {
            Self::Bytes(count) if count > LONGEST_TEXT => return Err(too_long()),
            Self::Elements(count) if count > LONGEST => {
                return Err(Wrong(format!("a list of {count} elements: the limit is {LONGEST}")));
            }
            Self::Bytes(_) | Self::Elements(_) => self.charge(eval)?,
        }
        need(eval, self.bytes())
    }
}

/// Counts a walk over a text as steps; other values have none.
///
/// # Errors
/// [`Wrong`] if the program has no more steps.
pub(super) fn charge_text(value: Value, eval: &Evaluator) -> Result<(), Wrong> {
    value.unpack_str().map_or(Ok(()), |text| Size::Bytes(text.len() as u64).charge(eval))
}

/// Returns the error about a text that is longer than the limit.
pub(super) fn too_long() -> Wrong {
    Wrong(format!("a text of more than {LONGEST_TEXT} bytes"))
}

/// Returns the message about more steps than the limit.
pub(super) fn too_many_steps(steps: u64, limit: u64) -> String {
    format!("{RUNS_AWAY}: it has made {steps} calls and loop iterations, the limit is {limit}")
}

/// Asks for memory before a value is made.
///
/// # Errors
/// [`Wrong`] if the values of the program would take more than the limit.
pub(super) fn need(eval: &Evaluator, bytes: u64) -> Result<(), Wrong> {
    if bytes <= SMALL { Ok(()) } else { has_room_for(eval, bytes) }
}

/// Asks whether the values that were made so far are within the limit.
///
/// # Errors
/// [`Wrong`] if they are not.
pub(super) fn need_now(eval: &Evaluator) -> Result<(), Wrong> {
    has_room_for(eval, 0)
}

/// Asks for memory that Starlark does not measure.
///
/// # Errors
/// [`Wrong`] if the values of the program would take more than the limit.
pub(super) fn need_outside(eval: &Evaluator, bytes: u64) -> Result<(), Wrong> {
    need(eval, bytes)?;
    if let Some(context) = Context::any(eval) {
        context.allowance.outside.set(context.allowance.outside().saturating_add(bytes));
    }
    Ok(())
}

/// Asks for the memory of entries of a dictionary.
///
/// # Errors
/// [`Wrong`] if the values of the program would take more than the limit.
pub(super) fn need_entries(eval: &Evaluator, entries: u64) -> Result<(), Wrong> {
    need_outside(eval, entries.saturating_mul(BYTES_OF_AN_ENTRY))
}

fn has_room_for(eval: &Evaluator, bytes: u64) -> Result<(), Wrong> {
    let Some(allowance) = Context::any(eval).map(|context| &context.allowance) else { return Ok(()) };
    let Some(limits) = &allowance.limits else { return Ok(()) };
    // Without the free part of the memory that Starlark holds, in which small values are made.
    let heap = eval.heap();
    let used = heap.allocated_bytes().saturating_sub(heap.available_bytes()) as u64;
    let all = used.saturating_add(allowance.outside()).saturating_add(bytes);
    if all > limits.memory as u64 {
        return Err(Wrong(format!("the values of the program would take {all} bytes, the limit is {}", limits.memory)));
    }
    Ok(())
}
