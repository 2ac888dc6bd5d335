//! State that the functions of a program act on.

use super::allowance::Allowance;
use super::kronecker::KroneckerGraphs;
use super::limits::Limits;
use super::recorder::{Recorder, Wrong};
use starlark::eval::Evaluator;
use std::cell::Cell;

/// State of a running program.
#[derive(starlark::any::ProvidesStaticType)]
pub(super) struct Context<'b> {
    /// The rank whose `main` runs; `None` while the workload is prepared.
    pub recorder: Option<&'b Recorder<'b>>,
    /// The graphs of the workload.
    pub graphs: &'b KroneckerGraphs,
    /// Number of searches requested so far; each counts as many steps.
    pub searches: Cell<u32>,
    /// Steps and memory.
    pub allowance: Allowance,
    /// `true` while the top level of a file runs, which has no graphs.
    of_file: bool,
}

impl<'b> Context<'b> {
    pub fn new(
        recorder: Option<&'b Recorder<'b>>,
        graphs: &'b KroneckerGraphs,
        limits: &Limits,
        trusted: bool,
    ) -> Self {
        let allowance = Allowance::new(limits, trusted);
        Self { recorder, graphs, searches: Cell::new(0), allowance, of_file: false }
    }

    /// Returns the context of the top level of a file.
    pub fn of_file(graphs: &'b KroneckerGraphs, limits: &Limits, trusted: bool) -> Self {
        Self { of_file: true, ..Self::new(None, graphs, limits, trusted) }
    }

    /// Returns the context of the running program, except at the top level of a file.
    pub fn of<'a>(eval: &Evaluator<'_, 'a, '_>) -> Option<&'a Context<'a>> {
        Self::any(eval).filter(|context| !context.of_file)
    }

    /// Returns the context of whatever runs.
    pub fn any<'a>(eval: &Evaluator<'_, 'a, '_>) -> Option<&'a Context<'a>> {
        eval.extra.and_then(|extra| extra.downcast_ref::<Context>())
    }
}

/// Returns the recorder of the rank whose program runs.
pub(super) fn recorder<'a>(eval: &Evaluator<'_, 'a, '_>) -> Result<&'a Recorder<'a>, Wrong> {
    Context::of(eval)
        .and_then(|context| context.recorder)
        .ok_or_else(|| Wrong("only main, and what it calls, may compute and communicate".to_owned()))
}
