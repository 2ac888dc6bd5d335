//! Functions of a workload program, in addition to the Starlark language itself.

#![allow(clippy::too_many_arguments)] // `parameter` is a call with many named arguments.

use super::allowance::Size;
use super::context::recorder;
use super::count::Count;
use super::recorder::{PROC_NULL, Wrong};
use starlark::environment::{Globals, GlobalsBuilder, LibraryExtension};
use starlark::eval::Evaluator;
use starlark::starlark_module;
use starlark::values::Value;
use starlark::values::dict::AllocDict;
use starlark::values::float::UnpackFloat;
use starlark::values::list::UnpackList;
use starlark::values::none::{NoneOr, NoneType};
use std::sync::LazyLock;

/// Everything that a program can name without loading it.
pub(super) static GLOBALS: LazyLock<Globals> = LazyLock::new(|| {
    GlobalsBuilder::extended_by(&[LibraryExtension::StructType])
        .with(constants)
        .with(messages)
        .with(super::collectives::words)
        .with(super::one_sided::words)
        .with(tools)
        .with(super::kronecker::words::functions)
        .with(super::guard::functions)
        .with(super::builtins::functions)
        .with(super::operators::functions)
        .with(super::checked::functions)
        .build()
});

/// Datatypes by name, so that programs need no numbers. Traces have no 16-bit floats, and no type of Fortran's logical:
/// these are whole numbers of the same size.
const TYPES: [(&str, i32); 31] = [
    ("DOUBLE", 0),
    ("INT", 1),
    ("CHAR", 2),
    ("SHORT", 3),
    ("LONG", 4),
    ("FLOAT", 5),
    ("BYTE", 6),
    ("LONG_LONG", 7),
    ("SIGNED_CHAR", 8),
    ("UNSIGNED_CHAR", 9),
    ("UNSIGNED_SHORT", 10),
    ("UNSIGNED", 11),
    ("UNSIGNED_LONG", 12),
    ("LONG_DOUBLE", 14),
    ("C_BOOL", 16),
    ("INT8", 17),
    ("INT16", 18),
    ("INT32", 19),
    ("INT64", 20),
    ("UINT8", 21),
    ("UINT16", 22),
    ("UINT32", 23),
    ("UINT64", 24),
    ("FLOAT_COMPLEX", 25),
    ("DOUBLE_COMPLEX", 43),
    ("LOGICAL", 23),
    ("FLOAT_INT", 30),
    ("DOUBLE_INT", 32),
    ("FLOAT16", 22),
    ("BFLOAT16", 22),
    ("PACKED", 57),
];

fn constants(globals: &mut GlobalsBuilder) {
    for (name, id) in TYPES {
        globals.set(name, id);
    }
    globals.set("PROC_NULL", PROC_NULL);
}

/// Returns the count of received elements: that of the sent ones unless specified.
pub(super) fn or(count: NoneOr<Count>, other: Count) -> Count {
    count.into_option().unwrap_or(other)
}

#[starlark_module]
fn messages(globals: &mut GlobalsBuilder) {
    /// Computes for `flops` operations.
    fn compute(#[starlark(require = pos)] flops: UnpackFloat, eval: &mut Evaluator) -> starlark::Result<NoneType> {
        recorder(eval)?.compute(flops.0)?;
        Ok(NoneType)
    }

    /// Sleeps for `seconds` seconds.
    fn sleep(#[starlark(require = pos)] seconds: UnpackFloat, eval: &mut Evaluator) -> starlark::Result<NoneType> {
        recorder(eval)?.sleep(seconds.0)?;
        Ok(NoneType)
    }

    /// Sends `count` elements to a rank, and waits as MPI_Send does.
    fn send(
        #[starlark(require = pos)] to: i32,
        #[starlark(require = pos)] count: Count,
        #[starlark(default = 0)] datatype: i32,
        #[starlark(default = 0)] tag: i32,
        eval: &mut Evaluator,
    ) -> starlark::Result<NoneType> {
        recorder(eval)?.send(to, count.0, datatype, tag)?;
        Ok(NoneType)
    }

    /// Starts to send; returns a request.
    fn isend(
        #[starlark(require = pos)] to: i32,
        #[starlark(require = pos)] count: Count,
        #[starlark(default = 0)] datatype: i32,
        #[starlark(default = 0)] tag: i32,
        eval: &mut Evaluator,
    ) -> starlark::Result<i32> {
        Ok(recorder(eval)?.isend(to, count.0, datatype, tag)?)
    }

    /// Receives up to `count` elements from a rank.
    fn recv(
        #[starlark(require = pos)] source: i32,
        #[starlark(require = pos)] count: Count,
        #[starlark(default = 0)] datatype: i32,
        #[starlark(default = 0)] tag: i32,
        eval: &mut Evaluator,
    ) -> starlark::Result<NoneType> {
        recorder(eval)?.recv(source, count.0, datatype, tag)?;
        Ok(NoneType)
    }

    /// Starts to receive; returns a request.
    fn irecv(
        #[starlark(require = pos)] source: i32,
        #[starlark(require = pos)] count: Count,
        #[starlark(default = 0)] datatype: i32,
        #[starlark(default = 0)] tag: i32,
        eval: &mut Evaluator,
    ) -> starlark::Result<i32> {
        Ok(recorder(eval)?.irecv(source, count.0, datatype, tag)?)
    }

    /// Waits for a request.
    fn wait(#[starlark(require = pos)] request: i32, eval: &mut Evaluator) -> starlark::Result<NoneType> {
        recorder(eval)?.wait(request)?;
        Ok(NoneType)
    }

    /// Waits for a list of requests, or for all open ones.
    fn waitall(
        #[starlark(require = pos, default = NoneOr::None)] requests: NoneOr<UnpackList<i32>>,
        eval: &mut Evaluator,
    ) -> starlark::Result<NoneType> {
        let requests = requests.into_option();
        recorder(eval)?.wait_all(requests.as_ref().map(|list| list.items.as_slice()))?;
        Ok(NoneType)
    }

    /// Sends to one rank and receives from another simultaneously.
    fn sendrecv(
        #[starlark(require = pos)] to: i32,
        #[starlark(require = pos)] count: Count,
        #[starlark(require = pos)] source: i32,
        #[starlark(require = pos, default = NoneOr::None)] recv_count: NoneOr<Count>,
        #[starlark(default = 0)] datatype: i32,
        #[starlark(default = 0)] tag: i32,
        eval: &mut Evaluator,
    ) -> starlark::Result<NoneType> {
        recorder(eval)?.sendrecv(to, count.0, source, or(recv_count, count).0, datatype, tag)?;
        Ok(NoneType)
    }
}

#[starlark_module]
fn tools(globals: &mut GlobalsBuilder) {
    /// Calls a function once and records its actions `times` times: for identical iterations. The function takes no
    /// argument, or the additional ones.
    fn repeat<'v>(
        #[starlark(require = pos)] times: u32,
        #[starlark(require = pos)] function: Value<'v>,
        #[starlark(args)] arguments: starlark::values::tuple::UnpackTuple<Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<NoneType> {
        if times > 0 {
            let mark = recorder(eval)?.mark();
            // All open requests are compared before and after the call.
            Size::Elements(recorder(eval)?.open_slots().saturating_mul(2)).charge(eval)?;
            eval.eval_function(function, &arguments.items, &[])?;
            recorder(eval)?.again(mark, u64::from(times - 1))?;
        }
        Ok(NoneType)
    }

    /// Declares a parameter, for the list PARAMETERS.
    fn parameter<'v>(
        #[starlark(require = pos)] name: &str,
        #[starlark(require = named)] default: Value<'v>,
        #[starlark(require = named, default = "")] help: &str,
        #[starlark(require = named, default = NoneOr::None)] r#type: NoneOr<&str>,
        #[starlark(require = named, default = NoneOr::None)] choices: NoneOr<Value<'v>>,
        #[starlark(require = named, default = NoneOr::None)] min: NoneOr<Value<'v>>,
        #[starlark(require = named, default = NoneOr::None)] max: NoneOr<Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        let heap = eval.heap();
        let none = Value::new_none();
        Ok(heap.alloc(AllocDict([
            ("name", heap.alloc(name)),
            ("default", default),
            ("help", heap.alloc(help)),
            ("type", r#type.into_option().map_or(none, |name| heap.alloc(name))),
            ("choices", choices.into_option().unwrap_or(none)),
            ("min", min.into_option().unwrap_or(none)),
            ("max", max.into_option().unwrap_or(none)),
        ])))
    }

    /// Returns e^x.
    fn exp(#[starlark(require = pos)] x: UnpackFloat) -> starlark::Result<f64> {
        Ok(x.0.exp())
    }

    /// Returns the natural logarithm.
    fn log(#[starlark(require = pos)] x: UnpackFloat) -> starlark::Result<f64> {
        if x.0 > 0.0 { Ok(x.0.ln()) } else { Err(Wrong(format!("log({}) is not defined", x.0)).into()) }
    }

    /// Returns the largest integer whose square is not above n.
    fn isqrt(#[starlark(require = pos)] n: u32) -> starlark::Result<i32> {
        Ok(n.isqrt() as i32)
    }

    /// Returns the largest integer whose cube is not above n.
    fn icbrt(#[starlark(require = pos)] n: u32) -> starlark::Result<i32> {
        let mut root = f64::from(n).cbrt() as i64 + 1;
        while root * root * root > i64::from(n) {
            root -= 1;
        }
        Ok(root as i32)
    }

    /// Returns the number of bits of n without leading zeros: 0 for 0, 3 for 4 to 7.
    fn bits(#[starlark(require = pos)] n: u32) -> starlark::Result<i32> {
        Ok((u32::BITS - n.leading_zeros()) as i32)
    }
}
