//! Limits of what a program may use. Starlark itself counts loops and calls, and looks at its memory once in a thousand of
//! them; what can take all memory in a single step is replaced by a version with a limit.
//!
//! This catches accidents of any kind and plain malice. It is no jail: who runs programs of strangers on a machine with
//! many users should limit the memory of the process (`ulimit -v`), too.

use super::recorder::Wrong;
use starlark::codemap::{FileSpan, FileSpanRef, Span};
use starlark::environment::{GlobalsBuilder, GlobalsStatic};
use starlark::eval::{BeforeStmtFuncDyn, Evaluator};
use starlark::starlark_module;
use starlark::syntax::AstModule;
use starlark::syntax::ast::{AssignOp, AstExpr, AstStmt, ExprP, StmtP};
use starlark::values::Value;
use starlark::values::none::{NoneOr, NoneType};
use starlark::values::range::Range;
use starlark::values::tuple::UnpackTuple;
use std::cell::RefCell;
use std::collections::HashMap;
use std::num::NonZeroI32;
use std::rc::Rc;

/// What a program may use. The limits are for each rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Calls and loop iterations of a rank.
    pub steps: u64,
    /// Bytes of values of a rank.
    pub memory: usize,
    /// Calls inside each other.
    pub depth: usize,
    /// Actions of all ranks together.
    pub actions: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { steps: 200_000_000, memory: 512 << 20, depth: 150, actions: 1 << 32 }
    }
}

/// Most elements of a list, a tuple or a string that one operation makes, and most numbers of a range.
const LONGEST: u64 = 1 << 24;
/// Most bytes of a program: beyond, even its parser would need a lot of memory.
pub(super) const LONGEST_SOURCE: usize = 256 << 10;
/// Brackets inside each other.
const DEEPEST_SOURCE: usize = 100;
/// The name that stands for `*` inside; no program can write it.
const TIMES: &str = "*";

/// Methods that make a text out of a text in one step, so large that no limit would be asked; nothing a workload needs.
const FORBIDDEN: [&str; 2] = ["replace", "join"];

/// Refuses sources that are a danger to the parser: too long, too deep.
pub(super) fn check_source(source: &str) -> Result<(), (usize, String)> {
    if source.len() > LONGEST_SOURCE {
        return Err((1, format!("the program has {} bytes, the limit is {LONGEST_SOURCE}", source.len())));
    }
    let (mut depth, mut line) = (0usize, 1);
    for byte in source.bytes() {
        match byte {
            b'\n' => line += 1,
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEEPEST_SOURCE {
            return Err((line, format!("more than {DEEPEST_SOURCE} brackets inside each other")));
        }
    }
    Ok(())
}

/// Replaces what has no limit.
pub(super) fn guard(ast: &mut AstModule) {
    ast.replace_binary_operators(&HashMap::from([("*".to_owned(), TIMES.to_owned())]));
}

/// The statement that runs, for errors that do not tell.
pub(super) type Here = Rc<RefCell<Option<FileSpan>>>;

/// Looks at steps and memory before each statement: of programs that are not our own.
pub(super) struct Watch {
    pub limits: Limits,
    pub here: Here,
}

impl<'e> BeforeStmtFuncDyn<'e> for Watch {
    fn call<'v>(&mut self, span: FileSpanRef, _: bool, eval: &mut Evaluator<'v, '_, 'e>) -> starlark::Result<()> {
        let (used, steps) = (eval.heap().allocated_bytes(), eval.get_total_tick_count());
        *self.here.borrow_mut() = Some(span.to_file_span());
        let reason = if used > self.limits.memory {
            format!("the values of the program take {used} bytes, the limit is {}", self.limits.memory)
        } else if steps > self.limits.steps {
            format!(
                "the program runs away: it has made {steps} calls and loop iterations, the limit is {}",
                self.limits.steps
            )
        } else {
            return Ok(());
        };
        let mut error = starlark::Error::from(Wrong(reason));
        error.set_span(span.span, span.file);
        Err(error)
    }
}

/// Refuses what cannot be replaced: `*=` and methods that make long texts. Gives the place and the reason.
pub(super) fn check_words(ast: &AstModule) -> Result<(), (FileSpan, String)> {
    let mut found = None;
    let root = ast.statement();
    statement(root, &mut found);
    root.visit_expr(|child| expression(child, &mut found));
    match found {
        Some((span, reason)) => Err((ast.file_span(span), reason)),
        None => Ok(()),
    }
}

fn statement(stmt: &AstStmt, found: &mut Option<(Span, String)>) {
    if let StmtP::AssignModify(_, AssignOp::Multiply, _) = &stmt.node {
        let reason = "`*=` is not in the language of workloads: write `x = x * y`".to_owned();
        found.get_or_insert((stmt.span, reason));
    }
    stmt.visit_stmt(|child| statement(child, found));
}

fn expression(expr: &AstExpr, found: &mut Option<(Span, String)>) {
    if let ExprP::Dot(_, name) = &expr.node
        && FORBIDDEN.contains(&name.node.as_str())
    {
        found.get_or_insert((name.span, format!("the method `{}` is not in the language of workloads", name.node)));
    }
    expr.visit_expr(|child| expression(child, found));
}

#[starlark_module]
pub(super) fn functions(globals: &mut GlobalsBuilder) {
    /// The numbers from start up to stop, without it.
    fn range(
        #[starlark(require = pos)] start: i32,
        #[starlark(require = pos, default = NoneOr::None)] stop: NoneOr<i32>,
        #[starlark(require = pos, default = 1)] step: i32,
    ) -> starlark::Result<Range> {
        let (start, stop) = stop.into_option().map_or((0, start), |stop| (start, stop));
        let Some(nonzero) = NonZeroI32::new(step) else {
            return Err(Wrong("the step of a range is not 0".to_owned()).into());
        };
        let length = (i64::from(stop) - i64::from(start)) / i64::from(step);
        if length > LONGEST as i64 {
            return Err(Wrong(format!("a range of {length} numbers: the limit is {LONGEST}")).into());
        }
        Ok(Range::new(start, stop, nonzero))
    }

    /// No way around the methods that are left out.
    fn getattr<'v>(#[starlark(args)] _arguments: UnpackTuple<Value<'v>>) -> starlark::Result<NoneType> {
        Err(Wrong("getattr is not in the language of workloads".to_owned()).into())
    }
}

/// `*`, with a limit where it repeats.
#[starlark_module]
fn times(globals: &mut GlobalsBuilder) {
    fn times<'v>(
        #[starlark(require = pos)] a: Value<'v>,
        #[starlark(require = pos)] b: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        for (what, by) in [(a, b), (b, a)] {
            if let Some(by) = by.unpack_i32()
                && let Some(length) = length(what)
                && length.saturating_mul(by.max(0) as u64) > LONGEST
            {
                return Err(Wrong(format!("{length} elements times {by}: the limit is {LONGEST}")).into());
            }
        }
        a.mul(b, eval.heap())
    }
}

fn length(value: Value) -> Option<u64> {
    if let Some(text) = value.unpack_str() {
        return Some(text.len() as u64);
    }
    matches!(value.get_type(), "list" | "tuple").then(|| value.length().map_or(0, |n| n.max(0) as u64))
}

/// Adds the replacement of `*` under its hidden name.
pub(super) fn hidden(globals: &mut GlobalsBuilder) {
    static TIMES_FUNCTION: GlobalsStatic = GlobalsStatic::new("mopsim times", times);
    globals.set(TIMES, TIMES_FUNCTION.function());
}
