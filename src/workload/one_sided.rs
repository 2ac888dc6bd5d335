//! One-sided operations and probes available to a workload program. A window is a communicator: `on`, or all ranks.

use super::context::recorder;
use super::count::Count;
use super::recorder::type_of;
use crate::trace::{ANY_TARGET, Action, CommunicatorId, Datatype};
use starlark::environment::GlobalsBuilder;
use starlark::eval::Evaluator;
use starlark::starlark_module;
use starlark::values::none::{NoneOr, NoneType};

/// Accesses the memory of a rank: `action` builds the action from the window, the rank and the datatype.
fn access(
    eval: &mut Evaluator,
    on: NoneOr<i32>,
    rank: i32,
    datatype: i32,
    action: impl FnOnce(CommunicatorId, u32, Datatype) -> Action,
) -> starlark::Result<NoneType> {
    let (recorder, datatype) = (recorder(eval)?, type_of(datatype)?);
    let (window, rank) = recorder.window(on.into_option(), Some(rank))?;
    recorder.push(action(window, rank, datatype))?;
    Ok(NoneType)
}

#[starlark_module]
pub(super) fn words(globals: &mut GlobalsBuilder) {
    /// Writes `count` elements into the memory of a rank.
    fn put(
        #[starlark(require = pos)] to: i32,
        #[starlark(require = pos)] count: Count,
        #[starlark(default = 0)] datatype: i32,
        #[starlark(require = named, default = NoneOr::None)] on: NoneOr<i32>,
        eval: &mut Evaluator,
    ) -> starlark::Result<NoneType> {
        access(eval, on, to, datatype, |window, to, datatype| Action::Put { to, window, count: count.0, datatype })
    }

    /// Reads `count` elements from the memory of a rank.
    fn get(
        #[starlark(require = pos)] source: i32,
        #[starlark(require = pos)] count: Count,
        #[starlark(default = 0)] datatype: i32,
        #[starlark(require = named, default = NoneOr::None)] on: NoneOr<i32>,
        eval: &mut Evaluator,
    ) -> starlark::Result<NoneType> {
        access(eval, on, source, datatype, |window, from, datatype| Action::Get {
            from,
            window,
            count: count.0,
            datatype,
        })
    }

    /// Combines `count` elements with those in the memory of a rank.
    fn accumulate(
        #[starlark(require = pos)] to: i32,
        #[starlark(require = pos)] count: Count,
        #[starlark(default = 0)] datatype: i32,
        #[starlark(require = named, default = NoneOr::None)] on: NoneOr<i32>,
        eval: &mut Evaluator,
    ) -> starlark::Result<NoneType> {
        access(eval, on, to, datatype, |window, to, datatype| Action::Accumulate {
            to,
            window,
            count: count.0,
            datatype,
        })
    }

    /// Ends an epoch: all members of the window call it.
    fn fence(
        #[starlark(require = named, default = NoneOr::None)] on: NoneOr<i32>,
        eval: &mut Evaluator,
    ) -> starlark::Result<NoneType> {
        let recorder = recorder(eval)?;
        let (window, _) = recorder.window(on.into_option(), None)?;
        recorder.push(Action::Fence { window })?;
        Ok(NoneType)
    }

    /// Waits for the rank's own operations on one rank, or on all.
    fn flush(
        #[starlark(require = pos, default = NoneOr::None)] to: NoneOr<i32>,
        #[starlark(require = named, default = NoneOr::None)] on: NoneOr<i32>,
        eval: &mut Evaluator,
    ) -> starlark::Result<NoneType> {
        let recorder = recorder(eval)?;
        let to = to.into_option();
        let (window, target) = recorder.window(on.into_option(), to)?;
        recorder.push(Action::Flush { window, to: if to.is_some() { target } else { ANY_TARGET } })?;
        Ok(NoneType)
    }

    /// Waits until a message from a rank could be received.
    fn probe(
        #[starlark(require = pos)] source: i32,
        #[starlark(default = 0)] tag: i32,
        eval: &mut Evaluator,
    ) -> starlark::Result<NoneType> {
        recorder(eval)?.probe(source, tag)?;
        Ok(NoneType)
    }
}
