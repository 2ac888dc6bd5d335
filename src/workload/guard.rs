//! Resource limits of a program. Starlark itself counts loops and calls, and checks its memory once per thousand of
//! them; operations that can exhaust memory in a single step are replaced by versions with a limit.
//!
//! This catches accidents of any kind and plain malice. It is not a sandbox: on a multi-user machine, limit the memory
//! of the process (`ulimit -v`) as well when running untrusted programs.

use super::allowance::{Size, charge_text, need, too_long, too_many_steps};
use super::context::Context;
use super::instrument::{SHOWING, calls};
use super::limits::{LONGEST, LONGEST_TEXT, Limits};
use super::marks::STEM;
use super::recorder::Wrong;
use super::stuck::Here;
use starlark::codemap::{FileSpan, FileSpanRef, Span};
use starlark::environment::GlobalsBuilder;
use starlark::eval::{BeforeStmtFuncDyn, Evaluator};
use starlark::starlark_module;
use starlark::syntax::AstModule;
use starlark::syntax::ast::{AssignOp, AstExpr, AstLiteral, AstStmt, ExprP, StmtP};
use starlark::values::float::UnpackFloat;
use starlark::values::none::{NoneOr, NoneType};
use starlark::values::range::Range;
use starlark::values::tuple::{AllocTuple, UnpackTuple};
use starlark::values::{UnpackValue, Value};
use std::collections::HashMap;
use std::fmt::{self, Write as _};
use std::num::NonZeroI32;
use std::sync::Arc;

/// Longest message of a program, in bytes.
const LONGEST_MESSAGE: usize = 4096;
/// Largest program, in bytes: above it, even its parser would need much memory.
pub(super) const LONGEST_SOURCE: usize = 256 << 10;
/// Depth of nested brackets, and of operators that contain the rest of the expression: each of them is a level of the
/// syntax tree, and the compiled size of nested functions grows with the square of their number.
const DEEPEST_SOURCE: usize = 100;
/// Levels of the tree of an expression: each operator of `x + x + x` is one. The time to compile a chain of calls grows with
/// the third power of its length.
const DEEPEST_EXPRESSION: usize = 400;
/// Largest whole number. Starlark's numbers have any number of digits, which do not count as memory.
const LARGEST: f64 = 1e300;
/// Operators that are replaced by functions of `operators.rs`, whose names begin with [`STEM`].
const OPERATORS: [(&str, &str); 14] = [
    ("*", "times"),
    ("+", "plus"),
    ("-", "minus"),
    ("<<", "shift"),
    ("%", "percent"),
    ("|", "union"),
    ("in", "within"),
    ("not in", "without"),
    ("==", "equal"),
    ("!=", "unequal"),
    ("<", "less"),
    (">", "greater"),
    ("<=", "at_most"),
    (">=", "at_least"),
];

/// Methods that build a text from a text in one step, so large that no limit would be checked; no workload needs them.
const FORBIDDEN: [&str; 3] = ["replace", "join", "format"];

/// Largest number of arguments of a call, and of elements of a tuple in the text of a program: they are made in one step.
pub(super) const MOST_TOGETHER: usize = 255;

/// Message about values of the type `bytes`.
const NO_BYTES: &str = "`bytes` are not in the language of workloads: write a text, or a list of numbers";

/// Refuses sources that would endanger the parser by their length or depth, or that have names of our own.
pub(super) fn check_source(source: &str) -> Result<(), (usize, String)> {
    if let Some(at) = source.find(STEM) {
        let line = 1 + source[..at].matches('\n').count();
        return Err((line, format!("`{STEM}` is for mopsim itself: use another name")));
    }
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
    match nested_functions(source) {
        Some(line) => {
            Err((line, format!("more than {DEEPEST_SOURCE} of `lambda`, `not`, `if` or `else` inside each other")))
        }
        None => Ok(()),
    }
}

/// Returns the line in which more than [`DEEPEST_SOURCE`] words precede an expression that each of them takes as a
/// whole, as in `lambda: lambda: x`. Commas and closing brackets end such expressions, except commas between
/// parameters.
fn nested_functions(source: &str) -> Option<usize> {
    let (mut line, mut words, mut parameters) = (1, 0, false);
    // For each enclosing bracket: number of words before it, and whether it is among parameters.
    let mut around: Vec<(usize, bool)> = Vec::new();
    let mut word = String::new();
    for c in source.chars().chain(['\n']) {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        if matches!(word.as_str(), "lambda" | "not" | "if" | "else") {
            words += 1;
            parameters |= word == "lambda";
        }
        word.clear();
        match c {
            '\n' => {
                line += 1;
                if around.is_empty() {
                    (words, parameters) = (0, false);
                }
            }
            '(' | '[' | '{' => {
                around.push((words, parameters));
                parameters = false;
            }
            ')' | ']' | '}' => (words, parameters) = around.pop().unwrap_or_default(),
            ':' => parameters = false,
            ',' if !parameters => words = around.last().map_or(0, |before| before.0),
            _ => {}
        }
        if words > DEEPEST_SOURCE {
            return Some(line);
        }
    }
    None
}

/// Replaces operations without a limit, and in built-in programs, which need no limits, only the incorrect one: shifts.
pub(super) fn guard(ast: &mut AstModule, trusted: bool) {
    let replaced = OPERATORS.into_iter().filter(|&(operator, _)| !trusted || operator == "<<");
    let names: HashMap<_, _> =
        replaced.map(|(operator, name)| (operator.to_owned(), format!("{STEM}{name}"))).collect();
    ast.replace_binary_operators(&names);
}

/// Refuses a whole number that is too large to be of use.
pub(super) fn not_too_large(value: Value) -> Result<Value, Wrong> {
    if value.unpack_i32().is_none()
        && value.get_type() == "int"
        && UnpackFloat::unpack_value(value).ok().flatten().is_none_or(|number| number.0.abs() > LARGEST)
    {
        return Err(Wrong("a whole number of more than 300 digits".to_owned()));
    }
    Ok(value)
}

/// Statements from one look at the clock to the next.
const STATEMENTS_OF_A_LOOK: u32 = 256;

/// Checks steps, memory and now and then the time before each statement of user programs.
pub(super) struct Watch {
    limits: Limits,
    here: Arc<Here>,
    /// Statements since the last look at the clock.
    unseen: u32,
}

impl Watch {
    pub fn new(limits: Limits, here: Arc<Here>) -> Self {
        Self { limits, here, unseen: 0 }
    }

    fn overdue(&mut self) -> bool {
        self.unseen = (self.unseen + 1) % STATEMENTS_OF_A_LOOK;
        self.unseen == 0 && self.here.overdue()
    }
}

impl<'e> BeforeStmtFuncDyn<'e> for Watch {
    fn call<'v>(&mut self, span: FileSpanRef, _: bool, eval: &mut Evaluator<'v, '_, 'e>) -> starlark::Result<()> {
        let (work, outside) =
            Context::any(eval).map_or((0, 0), |context| (context.allowance.work(), context.allowance.outside()));
        let used = eval.heap().allocated_bytes().saturating_add(outside as usize);
        let steps = eval.get_total_tick_count().saturating_add(work);
        self.here.at(span);
        let reason = if used > self.limits.memory {
            format!("the values of the program take {used} bytes, the limit is {}", self.limits.memory)
        } else if steps > self.limits.steps {
            too_many_steps(steps, self.limits.steps)
        } else if self.overdue() {
            self.here.too_long()
        } else {
            return Ok(());
        };
        let mut error = starlark::Error::from(Wrong(reason));
        error.set_span(span.span, span.file);
        Err(error)
    }
}

/// Refuses operations that cannot be replaced: `*=`, `<<=`, `%=` and methods that make long texts. Returns the position and
/// the reason.
pub(super) fn check_words(ast: &AstModule) -> Result<(), (FileSpan, String)> {
    let mut found = None;
    let root = ast.statement();
    statement(root, &mut found);
    root.visit_expr(|child| expression(child, 1, &mut found));
    match found {
        Some((span, reason)) => Err((ast.file_span(span), reason)),
        None => Ok(()),
    }
}

fn statement(stmt: &AstStmt, found: &mut Option<(Span, String)>) {
    let plain = match &stmt.node {
        StmtP::AssignModify(_, AssignOp::Multiply, _) => Some("*"),
        StmtP::AssignModify(_, AssignOp::LeftShift, _) => Some("<<"),
        StmtP::AssignModify(_, AssignOp::Percent, _) => Some("%"),
        _ => None,
    };
    if let Some(plain) = plain {
        let reason = format!("`{plain}=` is not in the language of workloads: write `x = x {plain} y`");
        found.get_or_insert((stmt.span, reason));
    }
    stmt.visit_stmt(|child| statement(child, found));
}

fn expression(expr: &AstExpr, depth: usize, found: &mut Option<(Span, String)>) {
    if depth > DEEPEST_EXPRESSION {
        let reason = format!(
            "an expression of more than {DEEPEST_EXPRESSION} operators or calls in a row: use several statements"
        );
        found.get_or_insert((expr.span, reason));
        return;
    }
    // Their contents are not in the memory that Starlark measures, and no workload needs them.
    if let ExprP::Literal(AstLiteral::Bytes(_)) = &expr.node {
        found.get_or_insert((expr.span, NO_BYTES.to_owned()));
    }
    if let ExprP::Literal(AstLiteral::String(text)) = &expr.node
        && text.node.len() as u64 > LONGEST_TEXT
    {
        found.get_or_insert((expr.span, too_long().0));
    }
    let together = match &expr.node {
        ExprP::Call(_, args) => args.args.len(),
        ExprP::Tuple(elements) => elements.len(),
        _ => 0,
    };
    if together > MOST_TOGETHER {
        let reason =
            format!("{together} arguments of a call, or elements of a tuple, of {MOST_TOGETHER} at most: write a list");
        found.get_or_insert((expr.span, reason));
    }
    if let ExprP::Call(callee, args) = &expr.node
        && let ExprP::Dot(of, name) = &callee.node
        && SHOWING.contains(&name.node.as_str())
        && !matches!(&of.node, ExprP::Identifier(_))
        && args.args.iter().any(calls)
    {
        let reason = format!(
            "a call inside the arguments of `{}`, whose list or dictionary is not a variable: assign one of them first",
            name.node
        );
        found.get_or_insert((name.span, reason));
    }
    if let ExprP::Dot(_, name) = &expr.node
        && FORBIDDEN.contains(&name.node.as_str())
    {
        found.get_or_insert((name.span, format!("the method `{}` is not in the language of workloads", name.node)));
    }
    expr.visit_expr(|child| expression(child, depth + 1, found));
}

#[starlark_module]
pub(super) fn functions(globals: &mut GlobalsBuilder) {
    /// Returns the numbers from start up to stop, without it.
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

    /// Converts a number, or a text, to a whole number.
    fn int<'v>(
        #[starlark(require = pos)] value: Value<'v>,
        #[starlark(default = 10)] base: u32,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<i64> {
        charge_text(value, eval)?;
        let whole = if let Some(text) = value.unpack_str() {
            whole_number(text.trim(), base)
        } else if let Some(flag) = value.unpack_bool() {
            Some(i64::from(flag))
        } else {
            i64::unpack_value(value).ok().flatten().or_else(|| {
                let number = UnpackFloat::unpack_value(value).ok().flatten()?.0.trunc();
                (number.abs() < 9e18).then_some(number as i64)
            })
        };
        whole.ok_or_else(|| Wrong("int() of what is no number, or of one with more than 18 digits".to_owned()).into())
    }

    /// Returns the text of a value.
    fn str<'v>(
        #[starlark(require = pos)] value: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        if value.unpack_str().is_some() {
            return Ok(value);
        }
        Ok(allocated(shown(value)?, eval)?)
    }

    /// Returns the text of a value as it is written in a program.
    fn repr<'v>(
        #[starlark(require = pos)] value: Value<'v>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Value<'v>> {
        if value.unpack_str().is_some_and(|text| text.len() as u64 > LONGEST_TEXT / 8) {
            return Err(too_long().into());
        }
        if value.unpack_str().is_some() {
            return Ok(allocated(value.to_repr(), eval)?);
        }
        Ok(allocated(shown(value)?, eval)?)
    }

    /// Ends the program with a message.
    fn fail(#[starlark(args)] arguments: UnpackTuple<Value>) -> starlark::Result<NoneType> {
        let mut message = Bounded::new(LONGEST_MESSAGE);
        for value in arguments.items {
            let written = match value.unpack_str() {
                Some(text) => write!(message, " {text}"),
                None => write!(message, " {value}"),
            };
            if written.is_err() {
                message.text += " ...";
                break;
            }
        }
        Err(Wrong(format!("fail:{}", message.text)).into())
    }

    /// Returns a list of tuples, each with an element of every argument.
    fn zip<'v>(
        #[starlark(args)] arguments: UnpackTuple<Value<'v>>,
        eval: &mut Evaluator<'v, '_, '_>,
    ) -> starlark::Result<Vec<Value<'v>>> {
        let heap = eval.heap();
        let mut iterators = Vec::with_capacity(arguments.items.len());
        for value in &arguments.items {
            iterators.push(value.iterate(heap)?);
        }
        // Lists, tuples and ranges know their length. A tuple has a header of 16 bytes, and a place in the result.
        let length = iterators.iter().map(|iterator| iterator.size_hint().0 as u64).min().unwrap_or(0);
        let too_many = || Wrong(format!("zip makes more than {LONGEST} elements"));
        if length.saturating_mul(iterators.len() as u64) > LONGEST {
            return Err(too_many().into());
        }
        need(eval, length.saturating_mul(8 * (iterators.len() as u64 + 3)))?;
        let (mut tuples, mut elements) = (Vec::new(), 0);
        while !iterators.is_empty() {
            let Some(tuple) = iterators.iter_mut().map(Iterator::next).collect::<Option<Vec<Value<'v>>>>() else {
                break;
            };
            elements += tuple.len() as u64;
            if elements > LONGEST {
                return Err(too_many().into());
            }
            tuples.push(heap.alloc(AllocTuple(tuple)));
        }
        Size::Elements(elements).charge(eval)?;
        Ok(tuples)
    }

    /// Blocks values whose memory cannot be measured.
    fn bytes<'v>(#[starlark(args)] _arguments: UnpackTuple<Value<'v>>) -> starlark::Result<NoneType> {
        Err(Wrong(NO_BYTES.to_owned()).into())
    }

    /// Blocks access to the excluded methods.
    fn getattr<'v>(#[starlark(args)] _arguments: UnpackTuple<Value<'v>>) -> starlark::Result<NoneType> {
        Err(Wrong("getattr is not in the language of workloads".to_owned()).into())
    }
}

/// Returns the number that a text has in a base from 2 to 36, or in that of its prefix if the base is 0.
fn whole_number(text: &str, base: u32) -> Option<i64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let prefixed = [("0x", 16), ("0o", 8), ("0b", 2)].into_iter().find(|(prefix, of)| {
        (base == 0 || base == *of) && digits.get(..2).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
    });
    let (base, digits) = match prefixed {
        Some((_, of)) => (of, &digits[2..]),
        None => (if base == 0 { 10 } else { base }, digits),
    };
    if !(2..=36).contains(&base) || digits.starts_with(['+', '-']) {
        return None;
    }
    i64::from_str_radix(&format!("{sign}{digits}"), base).ok()
}

/// Text of limited length. Values inside each other are written recursively, and each one adds to the text before the ones
/// in it, so their depth is limited as well.
struct Bounded {
    text: String,
    /// Bytes that it may have.
    most: usize,
}

impl Bounded {
    fn new(most: usize) -> Self {
        Self { text: String::new(), most }
    }
}

impl fmt::Write for Bounded {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        if self.text.len() + part.len() > self.most {
            return Err(fmt::Error);
        }
        self.text.push_str(part);
        Ok(())
    }
}

/// Returns a new text as a value, with its work and memory counted.
fn allocated<'v>(text: String, eval: &mut Evaluator<'v, '_, '_>) -> Result<Value<'v>, Wrong> {
    Size::Bytes(text.len() as u64).ask(eval)?;
    Ok(eval.heap().alloc(text))
}

/// Returns the text of a value. A value that holds others many times may have one that no memory holds.
pub(super) fn shown(value: Value) -> Result<String, Wrong> {
    let mut bounded = Bounded::new(LONGEST_TEXT as usize);
    write!(bounded, "{value}").map_err(|_| too_long())?;
    Ok(bounded.text)
}
