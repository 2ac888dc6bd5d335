//! Calls of a program's functions before its ranks run: legality of the number of ranks, operations, and common
//! preparation.

use super::context::Context;
use super::error::WorkloadError;
use super::kronecker::KroneckerGraphs;
use super::limits::{Limits, RUNS_AWAY};
use super::program::{Program, global, limit, located, shortened, to_value};
use super::stuck::{Here, place};
use super::weigh::check_shown;
use crate::trace::MemberList;
use crate::trace::communicator::twice;
use serde_json::Value as Json;
use starlark::environment::{FrozenModule, Module};
use starlark::eval::Evaluator;
use starlark::values::float::UnpackFloat;
use starlark::values::list::UnpackList;
use starlark::values::structs::AllocStruct;
use starlark::values::{Heap, UnpackValue, Value};

/// Number of ranks that are tried on each side to find legal ones.
const TRIED: usize = 20_000;
/// Limit of calls and loop iterations for that search.
const STEPS_OF_TRIES: u64 = 10_000_000;

/// Required answer of `legal`, for the message about others.
const NOT_AN_ANSWER: &str = "it must return True, False or a string with the reason";

/// A program whose functions are called, with everything that its answers depend on.
pub(super) struct Questions<'a> {
    pub program: &'a Program,
    pub ranks: u32,
    pub values: &'a [(String, Json)],
    pub limits: &'a Limits,
    pub graphs: &'a KroneckerGraphs,
}

impl Questions<'_> {
    /// Returns the parameters as the program sees them.
    fn params<'v>(&self, heap: Heap<'v>) -> Value<'v> {
        // `class` is a reserved word of the language.
        let word = |name: &str| if name == "class" { "problem_class".to_owned() } else { name.to_owned() };
        let fields: Vec<_> = self.values.iter().map(|(name, json)| (word(name), to_value(heap, json))).collect();
        heap.alloc(AllocStruct(fields.iter().map(|(name, value)| (name.as_str(), *value))))
    }

    /// Calls one of the program's functions; `None` if it does not exist.
    fn ask<'v>(
        &self,
        eval: &mut Evaluator<'v, '_, '_>,
        here: &Here,
        function: &str,
        size: u32,
        params: Value<'v>,
    ) -> Result<Option<Value<'v>>, WorkloadError> {
        let Some(function) = global(&self.program.module, function) else { return Ok(None) };
        let heap = eval.heap();
        let function = heap.access_owned_frozen_value(&function);
        eval.eval_function(function, &[heap.alloc(size), params], &[]).map(Some).map_err(|error| located(&error, here))
    }

    /// Refuses an illegal number of ranks; returns the operations of the whole program, if it counts them.
    pub fn legal_and_operations(&self) -> Result<Option<f64>, WorkloadError> {
        let (program, ranks) = (self.program, self.ranks);
        let context = Context::new(None, self.graphs, self.limits, program.trusted);
        Module::with_temp_heap(|module| {
            let mut eval = Evaluator::new(&module);
            let here = limit(&mut eval, self.limits, program.trusted);
            eval.extra = Some(&context);
            let params = self.params(module.heap());
            // No program is asked whether it runs on no rank.
            let answer = match ranks {
                0 => Some(Value::new_bool(false)),
                _ => self.ask(&mut eval, &here, "legal", ranks, params)?,
            };
            let given = answer.map_or("bool", |value| value.get_type());
            if !matches!(given, "bool" | "string") {
                let place = here.place().map(|span| place(&span));
                return Err(WorkloadError::Program(format!(
                    "{}: legal(size, params) returned {}: {NOT_AN_ANSWER}",
                    place.as_ref().unwrap_or(&program.name),
                    if given == "NoneType" { "nothing (None)" } else { given }
                )));
            }
            if !is_legal(answer) {
                let own = answer.and_then(|v| v.unpack_str()).filter(|text| !text.is_empty()).map(shortened);
                let reason = own.or_else(|| program.ranks.as_ref().map(|ranks| format!("it takes {ranks}")));
                let nearest = (self.first_legal((1..ranks).rev()), self.first_legal(ranks + 1..));
                return Err(WorkloadError::Ranks { program: program.name.clone(), ranks, reason, nearest });
            }
            let Some(count) = self.ask(&mut eval, &here, "operations", ranks, params)?.filter(|v| !v.is_none()) else {
                return Ok(None);
            };
            let number = UnpackFloat::unpack_value(count).ok().flatten().map(|number| number.0);
            if let Some(number) = number.filter(|n| n.is_finite() && *n > 0.0) {
                return Ok(Some(number));
            }
            let given = number.map_or(count.get_type().to_owned(), |number| number.to_string());
            let message = format!("{}: operations(size, params) returned {given}, which is not a count", program.name);
            Err(WorkloadError::Program(message))
        })
    }

    /// Returns the first legal number of ranks. Running out of steps during the search is not an error.
    fn first_legal(&self, sizes: impl Iterator<Item = u32>) -> Option<u32> {
        let limits = Limits { steps: self.limits.steps.min(STEPS_OF_TRIES), ..*self.limits };
        let context = Context::new(None, self.graphs, &limits, self.program.trusted);
        Module::with_temp_heap(|module| {
            let mut eval = Evaluator::new(&module);
            let here = limit(&mut eval, &limits, self.program.trusted);
            eval.extra = Some(&context);
            let params = self.params(module.heap());
            for size in sizes.take(TRIED) {
                if is_legal(self.ask(&mut eval, &here, "legal", size, params).ok()?) {
                    return Some(size);
                }
            }
            None
        })
    }

    /// Returns the parameters, or the program's replacement of them, as `params` of a module.
    pub fn prepared(&self) -> Result<FrozenModule, WorkloadError> {
        let program = self.program;
        let context = Context::new(None, self.graphs, &self.limits.of_frozen(), program.trusted);
        Module::with_temp_heap(|module| {
            {
                let mut eval = Evaluator::new(&module);
                let here = limit(&mut eval, &self.limits.of_frozen(), program.trusted);
                eval.extra = Some(&context);
                let params = self.params(module.heap());
                let prepared = self.ask(&mut eval, &here, "prepare", self.ranks, params)?;
                module.set("params", prepared.unwrap_or(params));
            }
            module.freeze().map_err(|error| WorkloadError::Program(format!("{}: {}", program.name, error.err_msg)))
        })
    }
}

impl Questions<'_> {
    /// Returns the members of the communicators that the program lists.
    pub fn communicators(&self, prepared: &FrozenModule) -> Result<Vec<MemberList>, WorkloadError> {
        let program = self.program;
        let context = Context::new(None, self.graphs, self.limits, program.trusted);
        let wrong =
            |text: String| WorkloadError::Program(format!("{}: communicators(size, params) {text}", program.name));
        Module::with_temp_heap(|module| {
            let mut eval = Evaluator::new(&module);
            let here = limit(&mut eval, self.limits, program.trusted);
            eval.extra = Some(&context);
            let params = match global(prepared, "params") {
                Some(params) => module.heap().access_owned_frozen_value(&params),
                None => self.params(module.heap()),
            };
            let Some(given) = self.ask(&mut eval, &here, "communicators", self.ranks, params)? else {
                return Ok(Vec::new());
            };
            check_shown(given, &eval).map_err(|error| match error.0.starts_with(RUNS_AWAY) {
                true => located(&error.into(), &here),
                false => wrong(format!("returned {}", error.0)),
            })?;
            let lists = UnpackList::<UnpackList<u32>>::unpack_value(given).ok().flatten();
            let lists = lists.ok_or_else(|| wrong("has to give a list of lists of ranks".to_owned()))?;
            let check = |(index, list): (usize, UnpackList<u32>)| {
                let members = list.items;
                if let Some(&member) = members.iter().find(|&&member| member >= self.ranks) {
                    return Err(wrong(format!("names rank {member} of {} ranks in number {index}", self.ranks)));
                }
                match (members.is_empty(), twice(&members)) {
                    (true, _) => Err(wrong(format!("lists no members for number {index}"))),
                    (_, Some(member)) => Err(wrong(format!("names rank {member} twice in number {index}"))),
                    _ => Ok(members.into()),
                }
            };
            lists.items.into_iter().enumerate().map(check).collect()
        })
    }
}

/// Returns `true` if `legal` permits it; programs without that function run on any number.
fn is_legal(answer: Option<Value>) -> bool {
    answer.is_none_or(|v| v.unpack_bool() == Some(true))
}
