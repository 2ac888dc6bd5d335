//! The words of a workload program: what it can say beside the Starlark language itself.

#![allow(clippy::too_many_arguments)] // `parameter` is a call with many named arguments.

use super::context::recorder;
use super::recorder::{Wrong, type_of};
use crate::trace::{CollectiveCall, CollectiveKind as Kind};
use starlark::environment::{Globals, GlobalsBuilder, LibraryExtension};
use starlark::eval::Evaluator;
use starlark::starlark_module;
use starlark::values::Value;
use starlark::values::dict::AllocDict;
use starlark::values::float::UnpackFloat;
use starlark::values::list::UnpackList;
use starlark::values::none::{NoneOr, NoneType};
use std::sync::LazyLock;

/// Everything a program can name without loading it.
pub(super) static GLOBALS: LazyLock<Globals> = LazyLock::new(|| builder().build());

/// The same, to be added to.
pub(super) fn builder() -> GlobalsBuilder {
    GlobalsBuilder::extended_by(&[LibraryExtension::StructType, LibraryExtension::Partial])
        .with(constants)
        .with(messages)
        .with(collectives)
        .with(tools)
        .with(super::kronecker::words::functions)
        .with(super::guard::functions)
        .with(super::guard::hidden)
}

/// Datatypes by name, so that programs need no numbers.
const TYPES: [(&str, i32); 18] = [
    ("DOUBLE", 0),
    ("INT", 1),
    ("CHAR", 2),
    ("SHORT", 3),
    ("LONG", 4),
    ("FLOAT", 5),
    ("BYTE", 6),
    ("UNSIGNED", 11),
    ("UNSIGNED_LONG", 12),
    ("INT32", 19),
    ("INT64", 20),
    ("UINT32", 23),
    ("UINT64", 24),
    ("FLOAT_COMPLEX", 25),
    ("DOUBLE_COMPLEX", 43),
    ("LOGICAL", 23),
    ("DOUBLE_INT", 32),
    ("PACKED", 57),
];

fn constants(globals: &mut GlobalsBuilder) {
    for (name, id) in TYPES {
        globals.set(name, id);
    }
}

/// What is received is what is sent, unless said otherwise.
fn or(count: NoneOr<u32>, other: u32) -> u32 {
    count.into_option().unwrap_or(other)
}

#[starlark_module]
fn messages(globals: &mut GlobalsBuilder) {
    /// Computes so many flops.
    fn compute(#[starlark(require = pos)] flops: UnpackFloat, eval: &mut Evaluator) -> starlark::Result<NoneType> {
        recorder(eval)?.compute(flops.0)?;
        Ok(NoneType)
    }

    /// Does nothing for so many seconds.
    fn sleep(#[starlark(require = pos)] seconds: UnpackFloat, eval: &mut Evaluator) -> starlark::Result<NoneType> {
        recorder(eval)?.sleep(seconds.0)?;
        Ok(NoneType)
    }

    /// Sends so many elements to a rank, and waits as MPI_Send does.
    fn send(
        #[starlark(require = pos)] to: i32,
        #[starlark(require = pos)] count: u32,
        #[starlark(default = 0)] datatype: i32,
        #[starlark(default = 0)] tag: i32,
        eval: &mut Evaluator,
    ) -> starlark::Result<NoneType> {
        recorder(eval)?.send(to, count, datatype, tag)?;
        Ok(NoneType)
    }

    /// Starts to send; gives a request.
    fn isend(
        #[starlark(require = pos)] to: i32,
        #[starlark(require = pos)] count: u32,
        #[starlark(default = 0)] datatype: i32,
        #[starlark(default = 0)] tag: i32,
        eval: &mut Evaluator,
    ) -> starlark::Result<i32> {
        Ok(recorder(eval)?.isend(to, count, datatype, tag)?)
    }

    /// Receives up to so many elements from a rank.
    fn recv(
        #[starlark(require = pos)] source: i32,
        #[starlark(require = pos)] count: u32,
        #[starlark(default = 0)] datatype: i32,
        #[starlark(default = 0)] tag: i32,
        eval: &mut Evaluator,
    ) -> starlark::Result<NoneType> {
        recorder(eval)?.recv(source, count, datatype, tag)?;
        Ok(NoneType)
    }

    /// Starts to receive; gives a request.
    fn irecv(
        #[starlark(require = pos)] source: i32,
        #[starlark(require = pos)] count: u32,
        #[starlark(default = 0)] datatype: i32,
        #[starlark(default = 0)] tag: i32,
        eval: &mut Evaluator,
    ) -> starlark::Result<i32> {
        Ok(recorder(eval)?.irecv(source, count, datatype, tag)?)
    }

    /// Waits for a request.
    fn wait(#[starlark(require = pos)] request: i32, eval: &mut Evaluator) -> starlark::Result<NoneType> {
        recorder(eval)?.wait(request)?;
        Ok(NoneType)
    }

    /// Waits for a list of requests, or for all that are open.
    fn waitall(
        #[starlark(require = pos, default = NoneOr::None)] requests: NoneOr<UnpackList<i32>>,
        eval: &mut Evaluator,
    ) -> starlark::Result<NoneType> {
        let requests = requests.into_option();
        recorder(eval)?.wait_all(requests.as_ref().map(|list| list.items.as_slice()))?;
        Ok(NoneType)
    }

    /// Sends to one rank and receives from another at the same time.
    fn sendrecv(
        #[starlark(require = pos)] to: i32,
        #[starlark(require = pos)] count: u32,
        #[starlark(require = pos)] source: i32,
        #[starlark(require = pos, default = NoneOr::None)] recv_count: NoneOr<u32>,
        #[starlark(default = 0)] datatype: i32,
        eval: &mut Evaluator,
    ) -> starlark::Result<NoneType> {
        recorder(eval)?.sendrecv(to, count, source, or(recv_count, count), datatype)?;
        Ok(NoneType)
    }
}

#[starlark_module]
fn collectives(globals: &mut GlobalsBuilder) {
    /// All ranks wait for each other.
    fn barrier(eval: &mut Evaluator) -> starlark::Result<NoneType> {
        recorder(eval)?.collective(CollectiveCall::empty(Kind::Barrier))?;
        Ok(NoneType)
    }

    /// The root sends so many elements to all.
    fn bcast(
        #[starlark(require = pos)] count: u32,
        #[starlark(default = 0)] root: i32,
        #[starlark(default = 0)] datatype: i32,
        eval: &mut Evaluator,
    ) -> starlark::Result<NoneType> {
        rooted(eval, Kind::Bcast, (count, count), root, datatype, 0.0)
    }

    /// A reduction of so many elements, to the root.
    fn reduce(
        #[starlark(require = pos)] count: u32,
        #[starlark(default = 0)] root: i32,
        #[starlark(default = 0)] datatype: i32,
        #[starlark(default = UnpackFloat(0.0))] flops: UnpackFloat,
        eval: &mut Evaluator,
    ) -> starlark::Result<NoneType> {
        rooted(eval, Kind::Reduce, (count, count), root, datatype, flops.0)
    }

    /// A reduction of so many elements, to all.
    fn allreduce(
        #[starlark(require = pos)] count: u32,
        #[starlark(default = 0)] datatype: i32,
        #[starlark(default = UnpackFloat(0.0))] flops: UnpackFloat,
        eval: &mut Evaluator,
    ) -> starlark::Result<NoneType> {
        rooted(eval, Kind::Allreduce, (count, count), 0, datatype, flops.0)
    }

    /// A reduction over all ranks up to this one.
    fn scan(
        #[starlark(require = pos)] count: u32,
        #[starlark(default = 0)] datatype: i32,
        #[starlark(default = UnpackFloat(0.0))] flops: UnpackFloat,
        eval: &mut Evaluator,
    ) -> starlark::Result<NoneType> {
        rooted(eval, Kind::Scan, (count, count), 0, datatype, flops.0)
    }

    /// A reduction over all ranks before this one.
    fn exscan(
        #[starlark(require = pos)] count: u32,
        #[starlark(default = 0)] datatype: i32,
        #[starlark(default = UnpackFloat(0.0))] flops: UnpackFloat,
        eval: &mut Evaluator,
    ) -> starlark::Result<NoneType> {
        rooted(eval, Kind::Exscan, (count, count), 0, datatype, flops.0)
    }

    /// Every rank sends so many elements to every rank.
    fn alltoall(
        #[starlark(require = pos)] count: u32,
        #[starlark(require = pos, default = NoneOr::None)] recv_count: NoneOr<u32>,
        #[starlark(default = 0)] datatype: i32,
        eval: &mut Evaluator,
    ) -> starlark::Result<NoneType> {
        rooted(eval, Kind::Alltoall, (count, or(recv_count, count)), 0, datatype, 0.0)
    }

    /// Every rank gets so many elements from every rank.
    fn allgather(
        #[starlark(require = pos)] count: u32,
        #[starlark(require = pos, default = NoneOr::None)] recv_count: NoneOr<u32>,
        #[starlark(default = 0)] datatype: i32,
        eval: &mut Evaluator,
    ) -> starlark::Result<NoneType> {
        rooted(eval, Kind::Allgather, (count, or(recv_count, count)), 0, datatype, 0.0)
    }

    /// The root gets so many elements from every rank.
    fn gather(
        #[starlark(require = pos)] count: u32,
        #[starlark(require = pos, default = NoneOr::None)] recv_count: NoneOr<u32>,
        #[starlark(default = 0)] root: i32,
        #[starlark(default = 0)] datatype: i32,
        eval: &mut Evaluator,
    ) -> starlark::Result<NoneType> {
        rooted(eval, Kind::Gather, (count, or(recv_count, count)), root, datatype, 0.0)
    }

    /// The root sends so many elements to every rank.
    fn scatter(
        #[starlark(require = pos)] count: u32,
        #[starlark(require = pos, default = NoneOr::None)] recv_count: NoneOr<u32>,
        #[starlark(default = 0)] root: i32,
        #[starlark(default = 0)] datatype: i32,
        eval: &mut Evaluator,
    ) -> starlark::Result<NoneType> {
        rooted(eval, Kind::Scatter, (count, or(recv_count, count)), root, datatype, 0.0)
    }

    /// Every rank sends `send_counts[r]` elements to rank r and gets `recv_counts[r]` from it.
    fn alltoallv(
        #[starlark(require = pos)] send_counts: UnpackList<u32>,
        #[starlark(require = pos)] recv_counts: UnpackList<u32>,
        #[starlark(default = 0)] datatype: i32,
        #[starlark(default = NoneOr::None)] send_buffer: NoneOr<u32>,
        #[starlark(default = NoneOr::None)] recv_buffer: NoneOr<u32>,
        eval: &mut Evaluator,
    ) -> starlark::Result<NoneType> {
        let recorder = recorder(eval)?;
        let (sent, received) = (sum(&send_counts.items)?, sum(&recv_counts.items)?);
        recorder.collective(CollectiveCall {
            send_count: or(send_buffer, sent),
            recv_count: or(recv_buffer, received),
            send_counts: recorder.counts(&send_counts.items)?,
            recv_counts: recorder.counts(&recv_counts.items)?,
            ..CollectiveCall::uniform(Kind::Alltoallv, 0, 0, type_of(datatype)?)
        })?;
        Ok(NoneType)
    }

    /// The root gets `counts[r]` elements from rank r; this rank sends `count`.
    fn gatherv(
        #[starlark(require = pos)] count: u32,
        #[starlark(require = pos)] counts: UnpackList<u32>,
        #[starlark(default = 0)] root: i32,
        #[starlark(default = 0)] datatype: i32,
        eval: &mut Evaluator,
    ) -> starlark::Result<NoneType> {
        let recorder = recorder(eval)?;
        recorder.collective(CollectiveCall {
            root: recorder.rank(root)?,
            send_count: count,
            recv_counts: recorder.counts(&counts.items)?,
            ..CollectiveCall::uniform(Kind::Gatherv, 0, 0, type_of(datatype)?)
        })?;
        Ok(NoneType)
    }

    /// Every rank gets `counts[r]` elements from rank r; this rank sends `count`.
    fn allgatherv(
        #[starlark(require = pos)] count: u32,
        #[starlark(require = pos)] counts: UnpackList<u32>,
        #[starlark(default = 0)] datatype: i32,
        eval: &mut Evaluator,
    ) -> starlark::Result<NoneType> {
        let recorder = recorder(eval)?;
        recorder.collective(CollectiveCall {
            send_count: count,
            recv_counts: recorder.counts(&counts.items)?,
            ..CollectiveCall::uniform(Kind::Allgatherv, 0, 0, type_of(datatype)?)
        })?;
        Ok(NoneType)
    }

    /// The root sends `counts[r]` elements to rank r; this rank gets `count`.
    fn scatterv(
        #[starlark(require = pos)] counts: UnpackList<u32>,
        #[starlark(require = pos)] count: u32,
        #[starlark(default = 0)] root: i32,
        #[starlark(default = 0)] datatype: i32,
        eval: &mut Evaluator,
    ) -> starlark::Result<NoneType> {
        let recorder = recorder(eval)?;
        recorder.collective(CollectiveCall {
            root: recorder.rank(root)?,
            recv_count: count,
            send_counts: recorder.counts(&counts.items)?,
            ..CollectiveCall::uniform(Kind::Scatterv, 0, 0, type_of(datatype)?)
        })?;
        Ok(NoneType)
    }

    /// A reduction whose result is spread: rank r gets `counts[r]` elements.
    fn reduce_scatter(
        #[starlark(require = pos)] counts: UnpackList<u32>,
        #[starlark(default = 0)] datatype: i32,
        #[starlark(default = UnpackFloat(0.0))] flops: UnpackFloat,
        eval: &mut Evaluator,
    ) -> starlark::Result<NoneType> {
        let recorder = recorder(eval)?;
        recorder.collective(CollectiveCall {
            recv_counts: recorder.counts(&counts.items)?,
            flops: flops.0,
            ..CollectiveCall::uniform(Kind::ReduceScatter, 0, 0, type_of(datatype)?)
        })?;
        Ok(NoneType)
    }
}

fn rooted(
    eval: &Evaluator,
    kind: Kind,
    (send_count, recv_count): (u32, u32),
    root: i32,
    datatype: i32,
    flops: f64,
) -> starlark::Result<NoneType> {
    let recorder = recorder(eval)?;
    let root = recorder.rank(root)?;
    recorder.collective(CollectiveCall {
        root,
        send_count,
        recv_count,
        flops,
        ..CollectiveCall::uniform(kind, 0, 0, type_of(datatype)?)
    })?;
    Ok(NoneType)
}

fn sum(counts: &[u32]) -> Result<u32, Wrong> {
    let sum: u64 = counts.iter().map(|&count| u64::from(count)).sum();
    u32::try_from(sum).map_err(|_| Wrong(format!("the counts sum up to {sum}, more than MPI can count")))
}

#[starlark_module]
fn tools(globals: &mut GlobalsBuilder) {
    /// Calls a function once and says what it said so many times in all: for iterations that are all alike. The function
    /// takes no argument, or those given after it.
    fn repeat<'v>(
        #[starlark(require = pos)] times: u32,
        #[starlark(require = pos)] function: Value<'v>,
        #[starlark(args)] arguments: starlark::values::tuple::UnpackTuple<Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<NoneType> {
        if times > 0 {
            let mark = recorder(eval)?.mark();
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

    /// e to the power of x.
    fn exp(#[starlark(require = pos)] x: UnpackFloat) -> starlark::Result<f64> {
        Ok(x.0.exp())
    }

    /// The natural logarithm.
    fn log(#[starlark(require = pos)] x: UnpackFloat) -> starlark::Result<f64> {
        if x.0 > 0.0 { Ok(x.0.ln()) } else { Err(Wrong(format!("log({}) is not defined", x.0)).into()) }
    }

    /// The largest integer whose square is not above n.
    fn isqrt(#[starlark(require = pos)] n: u32) -> starlark::Result<i32> {
        Ok(n.isqrt() as i32)
    }

    /// The largest integer whose cube is not above n.
    fn icbrt(#[starlark(require = pos)] n: u32) -> starlark::Result<i32> {
        let mut root = f64::from(n).cbrt() as i64 + 1;
        while root * root * root > i64::from(n) {
            root -= 1;
        }
        Ok(root as i32)
    }

    /// How many bits n takes without leading zeros: 0 for 0, 3 for 4 to 7.
    fn bits(#[starlark(require = pos)] n: u32) -> starlark::Result<i32> {
        Ok((u32::BITS - n.leading_zeros()) as i32)
    }
}
