//! Functions of programs for searches in Kronecker graphs.

#![allow(clippy::too_many_arguments)] // `kronecker_graph` is a call with many arguments.

use super::super::context::{Context, recorder};
use super::super::recorder::Wrong;
use super::KroneckerGraph;
use super::search::{LARGEST_SCALE, MOST_ROOTS, Spec};
use starlark::environment::GlobalsBuilder;
use starlark::eval::Evaluator;
use starlark::starlark_module;
use starlark::values::Value;
use std::sync::Arc;

/// Largest number of ranks times searches.
const MOST_SHARES: u64 = 1 << 22;
/// Largest number of searches that a rank requests: each inspects all edges of the rank.
const MOST_ASKED: u32 = 1024;

/// Returns a search of a known graph.
fn search(eval: &Evaluator, graph: i32, root: i32) -> Result<(Spec, Arc<KroneckerGraph>, usize), Wrong> {
    let context = Context::of(eval).ok_or_else(|| Wrong("there are no graphs yet".to_owned()))?;
    let asked = context.searches.get() + 1;
    context.searches.set(asked);
    if asked > MOST_ASKED {
        return Err(Wrong(format!("a rank may ask for {MOST_ASKED} searches, no more")));
    }
    let known = usize::try_from(graph).ok().and_then(|number| context.graphs.get(number));
    let (spec, graph) =
        known.ok_or_else(|| Wrong(format!("there is no graph {graph}: use what kronecker_graph gave")))?;
    match u32::try_from(root) {
        Ok(number) if number < spec.roots => Ok((spec, graph, number as usize)),
        _ => Err(Wrong(format!("there is no search {root} in the graph: searches are 0 to {}", spec.roots - 1))),
    }
}

/// Returns a search of a known graph, and the running rank with the number of ranks.
fn of_rank(eval: &Evaluator, graph: i32, root: i32) -> Result<(Arc<KroneckerGraph>, usize, u32, u32), Wrong> {
    let (rank, ranks) = recorder(eval)?.place();
    let (spec, graph, root) = search(eval, graph, root)?;
    if spec.ranks != ranks {
        return Err(Wrong(format!("the graph was made for {} ranks, the workload has {ranks}", spec.ranks)));
    }
    Ok((graph, root, rank, ranks))
}

fn between(what: &str, value: i64, least: u64, most: u64) -> Result<u64, Wrong> {
    let inside = u64::try_from(value).ok().filter(|number| (least..=most).contains(number));
    inside.ok_or_else(|| Wrong(format!("{what} = {value}: it must be from {least} to {most}")))
}

#[starlark_module]
pub(in super::super) fn functions(globals: &mut GlobalsBuilder) {
    /// Makes a Kronecker graph of 2^scale vertices, and searches it breadth first from `roots` roots. Returns its
    /// number.
    fn kronecker_graph(
        #[starlark(require = pos)] scale: i32,
        #[starlark(require = pos)] edgefactor: i32,
        #[starlark(require = pos)] ranks: i32,
        #[starlark(require = named)] roots: i32,
        #[starlark(default = 2)] seed1: i64,
        #[starlark(default = 3)] seed2: i64,
        eval: &mut Evaluator,
    ) -> starlark::Result<i32> {
        let context = Context::of(eval).filter(|context| context.recorder.is_none());
        let Some(context) = context else {
            let rule = "kronecker_graph makes a graph for all ranks: call it in prepare or operations, not in main";
            return Err(Wrong(rule.to_owned()).into());
        };
        let spec = Spec {
            scale: between("scale", scale.into(), 1, LARGEST_SCALE.into())? as u32,
            edgefactor: between("edgefactor", edgefactor.into(), 1, 1024)? as u32,
            ranks: between("ranks", ranks.into(), 1, i32::MAX as u64)? as u32,
            roots: between("roots", roots.into(), 1, MOST_ROOTS.into())? as u32,
            seeds: (between("seed1", seed1, 0, i64::MAX as u64)?, between("seed2", seed2, 0, i64::MAX as u64)?),
        };
        if u64::from(spec.ranks) * u64::from(spec.roots) > MOST_SHARES {
            let rule = format!("ranks times roots is at most {MOST_SHARES}, not {ranks} times {roots}");
            return Err(Wrong(rule).into());
        }
        let number = context.graphs.number(&spec).map_err(Wrong)?;
        Ok(number as i32)
    }

    /// Returns the edges that a search traverses, as Graph500 counts them.
    fn bfs_edges(
        #[starlark(require = pos)] graph: i32,
        #[starlark(require = pos)] root: i32,
        eval: &mut Evaluator,
    ) -> starlark::Result<f64> {
        let (_, graph, root) = search(eval, graph, root)?;
        Ok(graph.edges(root))
    }

    /// Returns for each level of a search from the top down: a list of the edges that this rank sends to each rank, one
    /// of those that each rank sends to this one, and the number of edges that leave its vertices of that level.
    fn bfs_messages<'v>(
        #[starlark(require = pos)] graph: i32,
        #[starlark(require = pos)] root: i32,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        let (graph, root, rank, ranks) = of_rank(eval, graph, root)?;
        let levels = graph.messages(root, rank, ranks);
        let heap = eval.heap();
        let levels: Vec<Value> =
            levels.into_iter().map(|level| heap.alloc((level.sent, level.received, level.edges))).collect();
        Ok(heap.alloc(levels))
    }

    /// Returns for each level of a search from the bottom up: the edges that this rank inspects until it finds a vertex
    /// of the last level.
    fn bfs_looks<'v>(
        #[starlark(require = pos)] graph: i32,
        #[starlark(require = pos)] root: i32,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        let (graph, root, rank, ranks) = of_rank(eval, graph, root)?;
        Ok(eval.heap().alloc(graph.looks(root, rank, ranks)))
    }
}
