//! The collectives available to a workload program.
//!
//! Each takes `on`, the number of a communicator that the program lists in `communicators`, and `blocks`: with `blocks
//! = False`, the call returns a request.

#![allow(clippy::too_many_arguments)] // Calls of MPI have many.

use super::context::recorder;
use super::count::Count;
use super::language::or;
use super::recorder::{Recorder, Where, Wrong, type_of};
use crate::trace::{CollectiveCall, CollectiveKind as Kind};
use starlark::environment::GlobalsBuilder;
use starlark::eval::Evaluator;
use starlark::starlark_module;
use starlark::values::float::UnpackFloat;
use starlark::values::list::UnpackList;
use starlark::values::none::NoneOr;

#[starlark_module]
pub(super) fn words(globals: &mut GlobalsBuilder) {
    /// Waits until all members have called it.
    fn barrier(
        #[starlark(require = named, default = NoneOr::None)] on: NoneOr<i32>,
        #[starlark(require = named, default = true)] blocks: bool,
        eval: &mut Evaluator,
    ) -> starlark::Result<NoneOr<i32>> {
        call(eval, on, blocks, |_, _| Ok(CollectiveCall::empty(Kind::Barrier)))
    }

    /// Sends `count` elements from the root to all.
    fn bcast(
        #[starlark(require = pos)] count: Count,
        #[starlark(default = 0)] root: i32,
        #[starlark(default = 0)] datatype: i32,
        #[starlark(require = named, default = NoneOr::None)] on: NoneOr<i32>,
        #[starlark(require = named, default = true)] blocks: bool,
        eval: &mut Evaluator,
    ) -> starlark::Result<NoneOr<i32>> {
        rooted(eval, on, blocks, Kind::Bcast, (count, count), root, datatype, 0.0)
    }

    /// Reduces `count` elements to the root.
    fn reduce(
        #[starlark(require = pos)] count: Count,
        #[starlark(default = 0)] root: i32,
        #[starlark(default = 0)] datatype: i32,
        #[starlark(default = UnpackFloat(0.0))] flops: UnpackFloat,
        #[starlark(require = named, default = NoneOr::None)] on: NoneOr<i32>,
        #[starlark(require = named, default = true)] blocks: bool,
        eval: &mut Evaluator,
    ) -> starlark::Result<NoneOr<i32>> {
        rooted(eval, on, blocks, Kind::Reduce, (count, count), root, datatype, flops.0)
    }

    /// Reduces `count` elements to all.
    fn allreduce(
        #[starlark(require = pos)] count: Count,
        #[starlark(default = 0)] datatype: i32,
        #[starlark(default = UnpackFloat(0.0))] flops: UnpackFloat,
        #[starlark(require = named, default = NoneOr::None)] on: NoneOr<i32>,
        #[starlark(require = named, default = true)] blocks: bool,
        eval: &mut Evaluator,
    ) -> starlark::Result<NoneOr<i32>> {
        rooted(eval, on, blocks, Kind::Allreduce, (count, count), 0, datatype, flops.0)
    }

    /// Reduces over all ranks up to this one.
    fn scan(
        #[starlark(require = pos)] count: Count,
        #[starlark(default = 0)] datatype: i32,
        #[starlark(default = UnpackFloat(0.0))] flops: UnpackFloat,
        #[starlark(require = named, default = NoneOr::None)] on: NoneOr<i32>,
        #[starlark(require = named, default = true)] blocks: bool,
        eval: &mut Evaluator,
    ) -> starlark::Result<NoneOr<i32>> {
        rooted(eval, on, blocks, Kind::Scan, (count, count), 0, datatype, flops.0)
    }

    /// Reduces over all ranks below this one.
    fn exscan(
        #[starlark(require = pos)] count: Count,
        #[starlark(default = 0)] datatype: i32,
        #[starlark(default = UnpackFloat(0.0))] flops: UnpackFloat,
        #[starlark(require = named, default = NoneOr::None)] on: NoneOr<i32>,
        #[starlark(require = named, default = true)] blocks: bool,
        eval: &mut Evaluator,
    ) -> starlark::Result<NoneOr<i32>> {
        rooted(eval, on, blocks, Kind::Exscan, (count, count), 0, datatype, flops.0)
    }

    /// Sends `count` elements from every rank to every rank.
    fn alltoall(
        #[starlark(require = pos)] count: Count,
        #[starlark(require = pos, default = NoneOr::None)] recv_count: NoneOr<Count>,
        #[starlark(default = 0)] datatype: i32,
        #[starlark(require = named, default = NoneOr::None)] on: NoneOr<i32>,
        #[starlark(require = named, default = true)] blocks: bool,
        eval: &mut Evaluator,
    ) -> starlark::Result<NoneOr<i32>> {
        rooted(eval, on, blocks, Kind::Alltoall, (count, or(recv_count, count)), 0, datatype, 0.0)
    }

    /// Collects `count` elements of every rank on every rank.
    fn allgather(
        #[starlark(require = pos)] count: Count,
        #[starlark(require = pos, default = NoneOr::None)] recv_count: NoneOr<Count>,
        #[starlark(default = 0)] datatype: i32,
        #[starlark(require = named, default = NoneOr::None)] on: NoneOr<i32>,
        #[starlark(require = named, default = true)] blocks: bool,
        eval: &mut Evaluator,
    ) -> starlark::Result<NoneOr<i32>> {
        rooted(eval, on, blocks, Kind::Allgather, (count, or(recv_count, count)), 0, datatype, 0.0)
    }

    /// Collects `count` elements of every rank on the root.
    fn gather(
        #[starlark(require = pos)] count: Count,
        #[starlark(require = pos, default = NoneOr::None)] recv_count: NoneOr<Count>,
        #[starlark(default = 0)] root: i32,
        #[starlark(default = 0)] datatype: i32,
        #[starlark(require = named, default = NoneOr::None)] on: NoneOr<i32>,
        #[starlark(require = named, default = true)] blocks: bool,
        eval: &mut Evaluator,
    ) -> starlark::Result<NoneOr<i32>> {
        rooted(eval, on, blocks, Kind::Gather, (count, or(recv_count, count)), root, datatype, 0.0)
    }

    /// Sends `count` elements from the root to every rank.
    fn scatter(
        #[starlark(require = pos)] count: Count,
        #[starlark(require = pos, default = NoneOr::None)] recv_count: NoneOr<Count>,
        #[starlark(default = 0)] root: i32,
        #[starlark(default = 0)] datatype: i32,
        #[starlark(require = named, default = NoneOr::None)] on: NoneOr<i32>,
        #[starlark(require = named, default = true)] blocks: bool,
        eval: &mut Evaluator,
    ) -> starlark::Result<NoneOr<i32>> {
        rooted(eval, on, blocks, Kind::Scatter, (count, or(recv_count, count)), root, datatype, 0.0)
    }

    /// Sends `send_counts[r]` elements to rank r and receives `recv_counts[r]` from it.
    fn alltoallv(
        #[starlark(require = pos)] send_counts: UnpackList<Count>,
        #[starlark(require = pos)] recv_counts: UnpackList<Count>,
        #[starlark(default = 0)] datatype: i32,
        #[starlark(default = NoneOr::None)] send_buffer: NoneOr<Count>,
        #[starlark(default = NoneOr::None)] recv_buffer: NoneOr<Count>,
        #[starlark(require = named, default = NoneOr::None)] on: NoneOr<i32>,
        #[starlark(require = named, default = true)] blocks: bool,
        eval: &mut Evaluator,
    ) -> starlark::Result<NoneOr<i32>> {
        call(eval, on, blocks, |recorder, place| {
            Ok(CollectiveCall {
                send_count: or(send_buffer, sum(&send_counts.items)).0,
                recv_count: or(recv_buffer, sum(&recv_counts.items)).0,
                send_counts: recorder.counts(place, &send_counts.items)?,
                recv_counts: recorder.counts(place, &recv_counts.items)?,
                ..CollectiveCall::uniform(Kind::Alltoallv, 0, 0, type_of(datatype)?)
            })
        })
    }

    /// Collects `counts[r]` elements of rank r on the root; this rank sends `count`.
    fn gatherv(
        #[starlark(require = pos)] count: Count,
        #[starlark(require = pos)] counts: UnpackList<Count>,
        #[starlark(default = 0)] root: i32,
        #[starlark(default = 0)] datatype: i32,
        #[starlark(require = named, default = NoneOr::None)] on: NoneOr<i32>,
        #[starlark(require = named, default = true)] blocks: bool,
        eval: &mut Evaluator,
    ) -> starlark::Result<NoneOr<i32>> {
        call(eval, on, blocks, |recorder, place| {
            Ok(CollectiveCall {
                root: recorder.member(place, root)?,
                send_count: count.0,
                recv_counts: recorder.counts(place, &counts.items)?,
                ..CollectiveCall::uniform(Kind::Gatherv, 0, 0, type_of(datatype)?)
            })
        })
    }

    /// Collects `counts[r]` elements of rank r on every rank; this rank sends `count`.
    fn allgatherv(
        #[starlark(require = pos)] count: Count,
        #[starlark(require = pos)] counts: UnpackList<Count>,
        #[starlark(default = 0)] datatype: i32,
        #[starlark(require = named, default = NoneOr::None)] on: NoneOr<i32>,
        #[starlark(require = named, default = true)] blocks: bool,
        eval: &mut Evaluator,
    ) -> starlark::Result<NoneOr<i32>> {
        call(eval, on, blocks, |recorder, place| {
            Ok(CollectiveCall {
                send_count: count.0,
                recv_counts: recorder.counts(place, &counts.items)?,
                ..CollectiveCall::uniform(Kind::Allgatherv, 0, 0, type_of(datatype)?)
            })
        })
    }

    /// Sends `counts[r]` elements from the root to rank r; this rank receives `count`.
    fn scatterv(
        #[starlark(require = pos)] counts: UnpackList<Count>,
        #[starlark(require = pos)] count: Count,
        #[starlark(default = 0)] root: i32,
        #[starlark(default = 0)] datatype: i32,
        #[starlark(require = named, default = NoneOr::None)] on: NoneOr<i32>,
        #[starlark(require = named, default = true)] blocks: bool,
        eval: &mut Evaluator,
    ) -> starlark::Result<NoneOr<i32>> {
        call(eval, on, blocks, |recorder, place| {
            Ok(CollectiveCall {
                root: recorder.member(place, root)?,
                recv_count: count.0,
                send_counts: recorder.counts(place, &counts.items)?,
                ..CollectiveCall::uniform(Kind::Scatterv, 0, 0, type_of(datatype)?)
            })
        })
    }

    /// Reduces and distributes the result: rank r receives `counts[r]` elements.
    fn reduce_scatter(
        #[starlark(require = pos)] counts: UnpackList<Count>,
        #[starlark(default = 0)] datatype: i32,
        #[starlark(default = UnpackFloat(0.0))] flops: UnpackFloat,
        #[starlark(require = named, default = NoneOr::None)] on: NoneOr<i32>,
        #[starlark(require = named, default = true)] blocks: bool,
        eval: &mut Evaluator,
    ) -> starlark::Result<NoneOr<i32>> {
        call(eval, on, blocks, |recorder, place| {
            Ok(CollectiveCall {
                recv_counts: recorder.counts(place, &counts.items)?,
                flops: flops.0,
                ..CollectiveCall::uniform(Kind::ReduceScatter, 0, 0, type_of(datatype)?)
            })
        })
    }
}

/// Builds a call in which all ranks have the same counts; for calls without a root, `root` is 0.
fn rooted(
    eval: &Evaluator,
    on: NoneOr<i32>,
    blocks: bool,
    kind: Kind,
    (send_count, recv_count): (Count, Count),
    root: i32,
    datatype: i32,
    flops: f64,
) -> starlark::Result<NoneOr<i32>> {
    call(eval, on, blocks, |recorder, place| {
        let root = recorder.member(place, root)?;
        let uniform = CollectiveCall::uniform(kind, 0, 0, type_of(datatype)?);
        Ok(CollectiveCall { root, send_count: send_count.0, recv_count: recv_count.0, flops, ..uniform })
    })
}

/// Records the call that `make` builds for its place; returns its request if it is non-blocking.
fn call(
    eval: &Evaluator,
    on: NoneOr<i32>,
    blocks: bool,
    make: impl FnOnce(&Recorder<'_>, Where) -> Result<CollectiveCall, Wrong>,
) -> starlark::Result<NoneOr<i32>> {
    let recorder = recorder(eval)?;
    let place = recorder.on(on.into_option(), blocks)?;
    Ok(NoneOr::from_option(recorder.collective(place, make(recorder, place)?)?))
}

/// Returns the size of the buffer of all counts. It has no influence on the time, so one beyond the largest count is
/// recorded as the largest.
fn sum(counts: &[Count]) -> Count {
    let sum: u64 = counts.iter().map(|count| u64::from(count.0)).sum();
    Count(sum.min(u64::from(Count::MOST)) as u32)
}
