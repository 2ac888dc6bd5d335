//! A program with its parameters, which runs for all ranks: in parallel, in order, keeping only what is necessary.

use super::context::Context;
use super::error::WorkloadError;
use super::kronecker::KroneckerGraphs;
use super::limits::Limits;
use super::limits::STACK;
use super::marks::original;
use super::parameters::Kind;
use super::prepare::Questions;
use super::program::{Program, global, limit, located, on_large_stack};
use super::recorder::{RankActions, Recorder};
use super::summary::Summary;
use crate::memory;
use crate::steps::Steps;
use crate::trace::tables::Tables;
use crate::trace::{self, Action, MemberList, Options, SideFile, SourceLine, Trace};
use rayon::prelude::*;
use serde_json::Value as Json;
use starlark::codemap::FileSpan;
use starlark::environment::{FrozenModule, Module};
use starlark::eval::Evaluator;
use starlark::values::OwnedFrozenValue;
use std::io::{self, Seek, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tempfile::SpooledTempFile;

/// A program with its parameters and number of ranks: everything that determines the trace.
#[derive(Debug)]
pub struct Instance {
    /// The program to run.
    pub program: Program,
    /// Number of ranks.
    pub ranks: u32,
    /// Parameters and their values, after defaults.
    pub values: Vec<(String, Json)>,
    /// Operations of the whole program, if it defines them.
    pub operations: Option<f64>,
    /// Factor for every amount of computation.
    pub scale: f64,
    limits: Limits,
    graphs: KroneckerGraphs,
    /// Module with the parameters as the program sees them.
    prepared: FrozenModule,
    /// The communicators that the program lists.
    communicators: Vec<MemberList>,
}

/// Reason why a trace was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The program failed.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    /// Writing to the output failed.
    #[error(transparent)]
    Output(#[from] io::Error),
    /// The format cannot express an action.
    #[error("{0}")]
    Inexpressible(String),
}

impl From<trace::WriteError> for WriteError {
    fn from(error: trace::WriteError) -> Self {
        match error {
            trace::WriteError::Output(error) => Self::Output(error),
            other => Self::Inexpressible(other.to_string()),
        }
    }
}

/// Bytes of a rank's text that stay in memory until they are passed on.
const KEPT_TEXT: usize = 16 << 20;

/// Ranks per thread that are generated before the first of them is passed on.
const CHUNK: usize = 8;

impl Program {
    /// Returns the program with parameters, as written on the command line; others have their default.
    ///
    /// # Errors
    /// [`WorkloadError`] if a parameter does not exist or has an invalid value, or if the number of ranks is not legal.
    pub fn instantiate(
        &self,
        ranks: u32,
        given: &[(String, String)],
        limits: &Limits,
    ) -> Result<Instance, WorkloadError> {
        let mut values: Vec<(String, Json)> =
            self.parameters.iter().map(|p| (p.name.clone(), p.default.clone())).collect();
        for (name, written) in given {
            let Some(index) = self.parameters.iter().position(|p| p.name == *name) else {
                return Err(WorkloadError::NoSuchParameter {
                    program: self.name.clone(),
                    name: name.clone(),
                    known: self.parameters.iter().map(|p| p.name.clone()).collect(),
                });
            };
            values[index].1 = self.parameters[index].value(written)?;
        }
        Instance::new(self.clone(), ranks, values, *limits)
    }
}

impl Instance {
    fn new(program: Program, ranks: u32, values: Vec<(String, Json)>, limits: Limits) -> Result<Self, WorkloadError> {
        if ranks > i32::MAX as u32 {
            let reason = Some(format!("MPI has numbers for {} of them", i32::MAX));
            return Err(WorkloadError::Ranks { program: program.name, ranks, reason, nearest: (None, None) });
        }
        let graphs = KroneckerGraphs::default();
        let (operations, prepared, communicators) = on_large_stack(|| {
            let questions = Questions { program: &program, ranks, values: &values, limits: &limits, graphs: &graphs };
            let (operations, prepared) = (questions.legal_and_operations()?, questions.prepared()?);
            let communicators = questions.communicators(&prepared)?;
            Ok((operations, prepared, communicators))
        })?;
        Ok(Self { program, ranks, values, operations, scale: 1.0, limits, graphs, prepared, communicators })
    }

    /// Returns the name of the trace: program, class, ranks, and iterations unless they are those of the class.
    pub fn name(&self) -> String {
        let given = &self.program.name;
        let mut name = if self.program.trusted {
            given.strip_prefix("npb/").unwrap_or(given).replace('/', "-")
        } else {
            let last = given.rsplit('/').next().unwrap_or_default();
            last.strip_suffix(".star").unwrap_or(last).to_owned()
        };
        for (parameter, value) in &self.values {
            let declared = self.program.parameters.iter().find(|p| p.name == *parameter);
            let by_default = declared.is_some_and(|p| p.default == *value);
            match (parameter.as_str(), value) {
                ("class", Json::String(class)) => name.push_str(&format!(".{class}")),
                ("iterations", _) => {}
                (other, value) if !by_default => {
                    name.push_str(&format!(".{other}={}", value.as_str().map_or(value.to_string(), str::to_owned)));
                }
                _ => {}
            }
        }
        name.push_str(&format!(".{}", self.ranks));
        if let Some((_, iterations)) = self.values.iter().find(|(name, value)| name == "iterations" && !value.is_null())
        {
            name.push_str(&format!(".it{iterations}"));
        }
        name
    }

    /// Returns the content of a side file.
    pub fn side(&self) -> SideFile {
        let text = |wanted: &str| {
            self.values.iter().find(|(name, _)| name == wanted).and_then(|(_, v)| v.as_str().map(str::to_owned))
        };
        let headline = self.program.description.lines().next().unwrap_or_default().trim_end_matches('.');
        SideFile {
            title: Some(format!("{headline} ({})", self.name())),
            description: Some("generated by mopsim workload".to_owned()),
            operations: self.operations,
            formula: self.operations.and(self.program.formula.clone()),
            source: self.program.source.clone(),
            class: text("class"),
            ranks: Some(self.ranks as usize),
            iterations: self.values.iter().find(|(name, _)| name == "iterations").and_then(|(_, v)| v.as_u64()),
            measured_seconds: None,
            licence: None,
        }
    }

    fn rank(&self, rank: u32, budget: &AtomicU64) -> Result<RankActions, WorkloadError> {
        let recorder = Recorder::new(rank, self.ranks, &self.communicators, budget);
        self.run(rank, &recorder, |_| ())?;
        let mut done = recorder.finish();
        if self.scale != 1.0 {
            done.actions.change(|action| {
                if let Action::Compute { flops } = action {
                    *flops *= self.scale;
                }
            });
            done.tables.collectives.iter_mut().for_each(|call| call.flops *= self.scale);
        }
        Ok(done)
    }

    /// Runs the program for a rank; `failed` receives the error of the language, if there is one.
    fn run(
        &self,
        rank: u32,
        recorder: &Recorder<'_>,
        failed: impl FnOnce(&starlark::Error),
    ) -> Result<(), WorkloadError> {
        let context = Context::new(Some(recorder), &self.graphs, &self.limits, self.program.trusted);
        let wrong = |message: String| WorkloadError::Program(format!("{}: {message}", self.program.name));
        Module::with_temp_heap(|module| -> Result<(), WorkloadError> {
            let heap = module.heap();
            let main = need(&self.program.module, "main").map_err(wrong)?;
            let params = need(&self.prepared, "params").map_err(wrong)?;
            let main = heap.access_owned_frozen_value(&main);
            let params = heap.access_owned_frozen_value(&params);
            let mut eval = Evaluator::new(&module);
            let here = limit(&mut eval, &self.limits, self.program.trusted);
            eval.extra = Some(&context);
            recorder.push(Action::Init).map_err(|error| wrong(error.to_string()))?;
            eval.eval_function(main, &[heap.alloc(rank), heap.alloc(self.ranks), params], &[]).map_err(|error| {
                failed(&error);
                on_rank(rank, located(&error, &here))
            })?;
            recorder.push(Action::Finalize).map_err(|error| wrong(error.to_string()))
        })
    }

    /// Returns the call that records an action of a rank. The program runs again, up to there: storing the place of each
    /// action would take more memory than the trace.
    pub(super) fn locate(&self, rank: u32, action: usize) -> Option<SourceLine> {
        let place = || {
            let budget = AtomicU64::new(self.limits.actions);
            let mut last = action;
            loop {
                let recorder = Recorder::new(rank, self.ranks, &self.communicators, &budget).ending_at(last);
                let mut place = None;
                let ended = self.run(rank, &recorder, |error| place = error.span().map(source_line));
                match recorder.original() {
                    Some(original) => last = original,
                    None => return ended.map_or(Ok(place), |()| Ok(None)),
                }
            }
        };
        on_large_stack(place).ok().flatten()
    }

    /// Runs the program for all ranks and passes their actions to `take`, in the order of ranks. Only a few ranks are
    /// in memory simultaneously. `map` runs in parallel.
    fn each<T: Send, E: From<WorkloadError> + Send>(
        &self,
        map: impl Fn(u32, RankActions) -> T + Sync,
        mut take: impl FnMut(T) -> Result<(), E> + Send,
    ) -> Result<(), E> {
        let budget = AtomicU64::new(self.limits.actions);
        let pool = rayon::ThreadPoolBuilder::new().stack_size(STACK).build();
        let pool =
            pool.map_err(|error| WorkloadError::Program(format!("no threads to run the program on: {error}")))?;
        let chunk = CHUNK * pool.current_num_threads();
        for first in (0..self.ranks).step_by(chunk) {
            let last = self.ranks.min(first.saturating_add(chunk as u32));
            let failed = AtomicBool::new(false);
            let done: Vec<Option<Result<T, WorkloadError>>> = pool.install(|| {
                (first..last)
                    .into_par_iter()
                    .with_max_len(1)
                    .map(|rank| {
                        // Once a rank has failed, only lower ranks of its chunk need to run: the error of the lowest
                        // rank is reported, whatever the threads do.
                        if failed.load(Ordering::Relaxed) && rank > first {
                            return None;
                        }
                        let result = self.rank(rank, &budget).map(|done| map(rank, done));
                        if result.is_err() {
                            failed.store(true, Ordering::Relaxed);
                        }
                        Some(result)
                    })
                    .collect()
            });
            for result in done.into_iter().flatten() {
                take(result?)?;
            }
        }
        Ok(())
    }

    /// Returns the trace. Actions beyond the memory limit of a trace are stored in a temporary file, as by a reader.
    ///
    /// # Errors
    /// [`WorkloadError`] if the program fails.
    pub fn trace(&self) -> Result<Trace, WorkloadError> {
        let mut tables = Tables::default();
        let store = Options::default().store();
        let mut actions = Vec::with_capacity(self.ranks as usize);
        self.each(
            |_, done| done,
            |mut done| {
                join(&mut tables, &mut done)?;
                actions.push(done.actions.into_store(&store));
                Ok::<_, WorkloadError>(())
            },
        )?;
        Ok(Trace {
            name: self.name(),
            actions,
            communicators: self.communicators.clone(),
            side: Some(self.side()),
            ..tables.into_trace()
        })
    }

    /// Writes the trace in a format without holding all of it in memory. A step is a rank.
    ///
    /// # Errors
    /// [`WriteError`] if the program fails or writing to `out` fails.
    pub fn write(
        &self,
        format: &dyn trace::Writer,
        out: &mut (dyn Write + Send),
        steps: &Steps,
    ) -> Result<Summary, WriteError> {
        let ranks = self.ranks as usize;
        steps.expect(ranks as u64);
        let mut summary = Summary::default();
        format.head(ranks, &[], out)?;
        self.each(
            |rank, done| {
                let one = self.alone(done);
                // The text of a rank with many actions goes into a temporary file.
                let mut text = SpooledTempFile::new(KEPT_TEXT);
                let written = format.part(&one, rank as usize, ranks, &mut text, &Steps::default());
                let text = written.and_then(|()| Ok(text.rewind().map(|()| text)?));
                (Summary::of(&one), text)
            },
            |(one, text)| {
                summary.add(&one);
                steps.did(1);
                io::copy(&mut text?, out).map(drop).map_err(WriteError::from)
            },
        )?;
        format.tail(ranks, summary.actions, out)?;
        Ok(summary)
    }

    /// Returns the totals of the trace.
    ///
    /// # Errors
    /// [`WorkloadError`] if the program fails.
    pub fn summary(&self) -> Result<Summary, WorkloadError> {
        let mut summary = Summary::default();
        self.each(
            |_, done| Summary::of(&self.alone(done)),
            |one| {
                summary.add(&one);
                Ok::<_, WorkloadError>(())
            },
        )?;
        Ok(summary)
    }

    /// Returns the actions of one rank as a trace of their own.
    fn alone(&self, done: RankActions) -> Trace {
        Trace { actions: vec![done.actions], communicators: self.communicators.clone(), ..done.tables.into_trace() }
    }

    /// Returns the type of a parameter, for reports.
    pub fn kind(&self, parameter: &str) -> Option<Kind> {
        self.program.parameters.iter().find(|p| p.name == parameter).map(|p| p.kind)
    }
}

/// Moves the data that a rank's actions refer to into the tables of all ranks.
fn join(tables: &mut Tables, done: &mut RankActions) -> Result<(), WorkloadError> {
    let full = |full: crate::trace::tables::Full| {
        WorkloadError::Program(format!("the workload has too many different {}", full.0))
    };
    let own = &done.tables;
    let mut calls = Vec::with_capacity(own.collectives.len());
    for call in &own.collectives {
        let mut call = *call;
        for counts in [&mut call.send_counts, &mut call.recv_counts, &mut call.displacements] {
            *counts = tables.counts(&own.counts[counts.start as usize..][..counts.len as usize]).map_err(full)?;
        }
        calls.push(tables.collective(call).map_err(full)?);
    }
    let mut pairs = Vec::with_capacity(own.sendrecvs.len());
    for pair in &own.sendrecvs {
        pairs.push(tables.sendrecv(*pair).map_err(full)?);
    }
    if let Some(reason) = memory::refuse_counts(tables.counts.len()) {
        return Err(WorkloadError::Program(reason));
    }
    let unchanged = |list: &[u32]| list.iter().enumerate().all(|(i, &index)| i as u32 == index);
    if !(unchanged(&calls) && unchanged(&pairs)) {
        done.actions.change(|action| match action {
            Action::Collective { index } | Action::Start { index, .. } => *index = calls[*index as usize],
            Action::SendRecv { index } => *index = pairs[*index as usize],
            _ => {}
        });
    }
    Ok(())
}

/// Returns the line of a call.
fn source_line(span: &FileSpan) -> SourceLine {
    SourceLine {
        file: span.filename().into(),
        line: span.resolve_span().begin.line as u64 + 1,
        text: original(span.source_span().lines().next().unwrap_or_default()),
    }
}

fn on_rank(rank: u32, error: WorkloadError) -> WorkloadError {
    match error {
        WorkloadError::Program(text) => WorkloadError::Program(format!("{text}\n  on rank {rank}")),
        other => other,
    }
}

fn need(module: &FrozenModule, name: &str) -> Result<OwnedFrozenValue, String> {
    global(module, name).ok_or_else(|| format!("there is no `{name}`"))
}
