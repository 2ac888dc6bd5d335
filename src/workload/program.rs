//! A workload program: read, checked, and run once to learn its declarations.

use super::allowance::too_many_steps;
use super::catalogue::{self, Builtin};
use super::context::Context;
use super::error::WorkloadError;
use super::guard::{self, Watch};
use super::instrument::instrument;
use super::kronecker::KroneckerGraphs;
use super::language::GLOBALS;
use super::limits::{Limits, RUNS_AWAY, TICKS};
use super::marks::{CALL, STEM, original};
use super::parameters::Parameter;
use super::rephrase::rephrase;
use super::resident::outgrown;
use super::stuck::{Here, place};
use crate::excerpt::excerpts;
use crate::topology::input::{ReadError, read_bytes, to_text};
use serde_json::Value as Json;
use starlark::codemap::FileSpan;
use starlark::docs::{DocString, DocStringKind};
use starlark::environment::{FrozenModule, Module};
use starlark::eval::{BeforeStmtFunc, Evaluator, FileLoader};
use starlark::syntax::ast::{AssignTargetP, AstLiteral, ExprP, StmtP};
use starlark::syntax::{AstModule, Dialect, DialectTypes};
use starlark::values::dict::DictRef;
use starlark::values::list::ListRef;
use starlark::values::tuple::TupleRef;
use starlark::values::{Heap, OwnedFrozenValue, Value};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A workload program that can be instantiated with parameters.
#[derive(Debug, Clone)]
pub struct Program {
    /// Name given by the user.
    pub name: String,
    /// Description: the text at the top.
    pub description: String,
    /// Declared parameters.
    pub parameters: Vec<Parameter>,
    /// Legal numbers of ranks, in words.
    pub ranks: Option<String>,
    /// Formula of the operation count.
    pub formula: Option<String>,
    /// Origin of the pattern.
    pub source: Option<String>,
    pub(super) module: Arc<FrozenModule>,
    pub(super) trusted: bool,
}

/// Native stack of threads that create values that are kept: see `MOST_FROZEN`.
const LARGE_STACK: usize = 1 << 30;

/// Returns the Starlark dialect of workloads. It has no `f"..."`, whose length nothing limits. It has no annotations of
/// types either: their check visits all elements of a list.
fn dialect() -> Dialect {
    Dialect { enable_f_strings: false, enable_types: DialectTypes::Disable, ..Dialect::Extended }
}

/// Runs a function on a thread whose stack suffices for any program within the limits.
///
/// # Errors
/// The errors of `work`; also an error if there is no room for such a stack.
pub(super) fn on_large_stack<T: Send>(
    work: impl FnOnce() -> Result<T, WorkloadError> + Send,
) -> Result<T, WorkloadError> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(LARGE_STACK).spawn_scoped(scope, work);
        let thread = thread.map_err(|error| {
            WorkloadError::Program(format!("no room for the stack of a program, {LARGE_STACK} bytes: {error}"))
        })?;
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Largest number of characters of a message that are shown.
const LONGEST_MESSAGE: usize = 2000;

/// Returns the part of a message that is shown.
pub(super) fn shortened(message: &str) -> String {
    match message.char_indices().nth(LONGEST_MESSAGE) {
        Some((end, _)) => format!("{} ...", &message[..end]),
        None => message.to_owned(),
    }
}

/// Returns the names and places of the calls that an error is in, the innermost first, as the program has written them.
fn calls(error: &starlark::Error) -> impl Iterator<Item = (String, &FileSpan)> {
    error.call_stack().frames.iter().rev().filter_map(|frame| {
        let location = frame.location.as_ref()?;
        let name = match frame.name.strip_prefix(STEM) {
            None => frame.name.clone(),
            // The function that it calls has no frame of its own with a place.
            Some(name) if name.starts_with(CALL) => {
                let text = original(location.source_span());
                let name = text.split('(').next().unwrap_or_default().trim();
                let is_plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
                if is_plain { name.to_owned() } else { "a function".to_owned() }
            }
            // The program has not written a call here.
            Some(_) => return None,
        };
        Some((name, location))
    })
}

/// Returns a Starlark error as users see it: `file:line:column: message`, then the lines around it.
pub(super) fn program_error(error: &starlark::Error) -> WorkloadError {
    // With the causes, which describe what is wrong with a value.
    let mut message = format!("{:#}", error.without_diagnostic());
    if let Some(plain) = rephrase(&message) {
        message = plain;
    }
    // These quote the file, which may be no program at all; other messages are of a program that runs.
    if message.starts_with("Parse error") || message.starts_with("Variable `") {
        message = excerpts(&message);
    }
    // `fail` may print a value of any size.
    let message = shortened(&message);
    let message = message.trim_end();
    match error.span() {
        Some(span) => {
            let mut text = format!("{}: {message}", place(span));
            for (name, location) in calls(error).take(8) {
                let line = location.resolve_span().begin.line + 1;
                text.push_str(&format!("\n  in {name}, called at {}:{line}", location.filename()));
            }
            WorkloadError::Program(text)
        }
        None if message.starts_with(TICKS) => WorkloadError::Program(format!("{RUNS_AWAY}: {message}")),
        None => WorkloadError::Program(message.to_owned()),
    }
}

/// Sets the limits. Returns the tracker of the current statement, for user programs.
pub(super) fn limit(eval: &mut Evaluator, limits: &Limits, trusted: bool) -> Arc<Here> {
    let here = Here::begin(limits.steps);
    // The watch knows the line, and Starlark's own limits do not: they only catch code without statements.
    let slack = if trusted { 1 } else { 2 };
    // Comprehensions have no statements, so this is their limit; it includes the compiled program.
    let heap = if trusted { limits.memory.saturating_mul(4) } else { limits.memory.saturating_add(limits.memory / 16) };
    // These fail only if a limit is zero or already set.
    // A call that is made by one of our functions has three frames.
    let frames = if trusted { 1 } else { 3 };
    let _ = eval.set_max_callstack_size(limits.depth.saturating_mul(frames).max(1));
    let _ = eval.set_max_tick_count(limits.steps.saturating_mul(slack).saturating_add(10_000 * (slack - 1)).max(1));
    let _ = eval.set_max_heap_size(heap.max(1));
    if !trusted {
        let (grown, now) = (outgrown(limits.memory), Arc::clone(&here));
        eval.set_check_cancelled(Box::new(move || grown() || now.overdue()));
        eval.before_stmt_for_dap(BeforeStmtFunc::from_dyn(Box::new(Watch::new(*limits, Arc::clone(&here)))));
    }
    here
}

/// Adds a position to an error that has none.
pub(super) fn located(error: &starlark::Error, here: &Here) -> WorkloadError {
    // A loop within a statement is ended as if its memory had grown too large.
    let plain = match here.overdue() && error.span().is_none() {
        true => WorkloadError::Program(here.too_long()),
        false => program_error(error),
    };
    match (plain, here.place()) {
        (WorkloadError::Program(message), Some(span)) if error.span().is_none() => {
            WorkloadError::Program(format!("{}: {message}", place(&span)))
        }
        (error, _) => error,
    }
}

/// Loads the files that a program names: the library, and files in its folder.
struct Loader<'l> {
    /// `true` if the program is built in. The library has the trust of its caller: with arguments from an untrusted
    /// program it also has limits.
    trusted: bool,
    /// Folder of the program; `None` for built-in ones.
    folder: Option<PathBuf>,
    limits: &'l Limits,
    /// Modules by the place they come from; `None` while one is evaluated.
    loaded: RefCell<HashMap<Loadable, Option<FrozenModule>>>,
    /// Bytes of the values of all files so far, and their steps.
    used: Cell<(usize, u64)>,
}

/// Where a file that is loaded comes from: one that is written in two ways is the same.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Loadable {
    Library(&'static Builtin),
    File(PathBuf),
}

/// A refusal to load.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct CannotLoad(String);

impl<'l> Loader<'l> {
    fn new(trusted: bool, folder: Option<&Path>, limits: &'l Limits) -> Self {
        let (loaded, used) = (RefCell::default(), Cell::default());
        Self { trusted, folder: folder.map(Path::to_owned), limits, loaded, used }
    }

    fn place(&self, path: &str) -> Result<Loadable, String> {
        if let Some(name) = path.strip_prefix("@mopsim//") {
            let wanted = name.strip_suffix(".star").unwrap_or(name);
            let found = catalogue::LIBRARY.iter().chain(catalogue::ALL);
            return match found.into_iter().find(|b| b.name == wanted || b.name.strip_prefix("lib/") == Some(wanted)) {
                Some(builtin) => Ok(Loadable::Library(builtin)),
                None => Err(format!("the library of mopsim has no file `{name}`")),
            };
        }
        let outside = || {
            format!("`{path}` is outside the folder of the program: only files in it, and @mopsim//..., can be loaded")
        };
        let folder = self.folder.as_ref().ok_or_else(outside)?;
        if Path::new(path).components().any(|part| !matches!(part, std::path::Component::Normal(_))) {
            return Err(outside());
        }
        let real = |path: &Path| fs::canonicalize(path).map_err(|error| format!("{}: {error}", path.display()));
        let (file, folder) = (real(&folder.join(path))?, real(folder)?);
        if file.starts_with(&folder) { Ok(Loadable::File(file)) } else { Err(outside()) }
    }

    /// Returns the text at a place, and whether it is trusted.
    fn text(&self, place: &Loadable) -> Result<(String, bool), String> {
        match place {
            Loadable::Library(builtin) => Ok((builtin.source.to_owned(), self.trusted)),
            Loadable::File(file) => read(file).map(|text| (text, false)).map_err(|error| error.to_string()),
        }
    }

    /// Counts what a file has used, which no other file may use again.
    fn count(&self, name: &str, bytes: usize, steps: u64) -> Result<(), WorkloadError> {
        let (all_bytes, all_steps) = self.used.get();
        let (bytes, steps) = (all_bytes.saturating_add(bytes), all_steps.saturating_add(steps));
        self.used.set((bytes, steps));
        let limits = self.limits.of_frozen();
        if bytes > limits.memory {
            let limit = limits.memory;
            return Err(WorkloadError::Program(format!(
                "{name}: the values of this file and of those before it take {bytes} bytes, the limit is {limit}"
            )));
        }
        if steps > limits.steps {
            return Err(WorkloadError::Program(format!("{name}: {}", too_many_steps(steps, limits.steps))));
        }
        Ok(())
    }
}

impl FileLoader for Loader<'_> {
    fn load(&self, path: &str) -> starlark::Result<FrozenModule> {
        let refuse = |message: String| starlark::Error::new_other(CannotLoad(message));
        let place = self.place(path).map_err(refuse)?;
        let known = self.loaded.borrow().get(&place).cloned();
        match known {
            Some(Some(module)) => return Ok(module),
            Some(None) => return Err(refuse(format!("`{path}` loads itself"))),
            None => {}
        }
        self.loaded.borrow_mut().insert(place.clone(), None);
        let (text, trusted) = self.text(&place).map_err(refuse)?;
        let (module, _) = evaluate(path, text, self, trusted).map_err(|error| refuse(error.to_string()))?;
        self.loaded.borrow_mut().insert(place, Some(module.clone()));
        Ok(module)
    }
}

/// Reads a program's text, refusing one that is too long.
fn read(path: &Path) -> Result<String, WorkloadError> {
    read_bytes(path, guard::LONGEST_SOURCE as u64).and_then(|bytes| to_text(path, bytes)).map_err(|error| match error {
        ReadError::Io { source, .. } => WorkloadError::File { path: path.to_owned(), error: source },
        ReadError::NotText { line, byte, .. } | ReadError::Binary { line, byte, .. } => {
            WorkloadError::Program(format!("{}:{line}: this is not text (byte {byte})", path.display()))
        }
        ReadError::TooLong { limit, .. } => WorkloadError::Program(format!(
            "{}: the file has more than {limit} bytes, too many for a workload program",
            path.display()
        )),
    })
}

/// Returns the text at the top of a program.
fn description(ast: &AstModule) -> Option<String> {
    let first = match &ast.statement().node {
        StmtP::Statements(all) => all.first()?,
        _ => ast.statement(),
    };
    let StmtP::Expression(expr) = &first.node else { return None };
    let ExprP::Literal(AstLiteral::String(text)) = &expr.node else { return None };
    let doc = DocString::from_docstring(DocStringKind::Starlark, &text.node)?;
    Some(match doc.details {
        Some(details) => format!("{}\n\n{details}", doc.summary),
        None => doc.summary,
    })
}

/// Text at the top of a program, and the lines that declare its values.
#[derive(Default)]
struct Head {
    description: Option<String>,
    lines: HashMap<String, usize>,
}

impl Head {
    fn of(ast: &AstModule) -> Self {
        let mut head = Self { description: description(ast), ..Self::default() };
        let all = match &ast.statement().node {
            StmtP::Statements(all) => all.as_slice(),
            _ => std::slice::from_ref(ast.statement()),
        };
        for statement in all {
            if let StmtP::Assign(assign) = &statement.node
                && let AssignTargetP::Identifier(name) = &assign.lhs.node
            {
                let line = ast.file_span(statement.span).resolve_span().begin.line + 1;
                head.lines.insert(name.node.ident.clone(), line);
            }
        }
        head
    }
}

/// Evaluates the top level of a file; returns its values and its head.
fn evaluate(name: &str, text: String, loader: &Loader, trusted: bool) -> Result<(FrozenModule, Head), WorkloadError> {
    guard::check_source(&text)
        .map_err(|(line, reason)| WorkloadError::Program(format!("{name}:{line}:1: {reason}")))?;
    let parse = |text: &str| AstModule::parse(name, text.to_owned(), &dialect()).map_err(|error| program_error(&error));
    let mut ast = parse(&text)?;
    let head = Head::of(&ast);
    if !trusted {
        guard::check_words(&ast)
            .map_err(|(span, reason)| WorkloadError::Program(format!("{}: {reason}", place(&span))))?;
        ast = parse(&instrument(&ast, &text))?;
    }
    guard::guard(&mut ast, trusted);
    let (limits, graphs) = (loader.limits.of_frozen(), KroneckerGraphs::default());
    let context = Context::of_file(&graphs, &limits, trusted);
    Module::with_temp_heap(|module| {
        {
            let mut eval = Evaluator::new(&module);
            let here = limit(&mut eval, &limits, trusted);
            eval.extra = Some(&context);
            eval.set_loader(loader);
            eval.eval_module(ast, &GLOBALS).map_err(|error| located(&error, &here))?;
            if !trusted {
                let (work, outside) = (context.allowance.work(), context.allowance.outside());
                let bytes = module.heap().allocated_bytes().saturating_add(outside as usize);
                loader.count(name, bytes, eval.get_total_tick_count().saturating_add(work))?;
            }
        }
        let module = module.freeze();
        module.map(|module| (module, head)).map_err(|e| WorkloadError::Program(format!("{name}: {}", e.err_msg)))
    })
}

impl Program {
    /// Creates a built-in program.
    ///
    /// # Errors
    /// [`WorkloadError`] if it has an error.
    pub fn builtin(builtin: &Builtin) -> Result<Self, WorkloadError> {
        Self::parse(builtin.name, builtin.source.to_owned(), None, true)
    }

    /// Reads a program of the user.
    ///
    /// # Errors
    /// [`WorkloadError`] if it cannot be read, or is not a program.
    pub fn read(path: &Path) -> Result<Self, WorkloadError> {
        let text = read(path)?;
        let folder = path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Self::parse(&path.display().to_string(), text, Some(folder), false)
    }

    /// Creates a program from its text, as if it were a file: it may load the library, and files of `folder`.
    ///
    /// # Errors
    /// [`WorkloadError`] if it is not a program.
    pub fn parse(name: &str, text: String, folder: Option<&Path>, trusted: bool) -> Result<Self, WorkloadError> {
        let limits = Limits::default();
        let file = if trusted { format!("{name}.star") } else { name.to_owned() };
        on_large_stack(|| {
            let loader = Loader::new(trusted, folder, &limits);
            let (module, head) = evaluate(&file, text, &loader, trusted)?;
            let wrong = |message: String| WorkloadError::Program(format!("{file}: {message}"));
            let wrong_in = |name: &str, message: String| match head.lines.get(name) {
                Some(line) => WorkloadError::Program(format!("{file}:{line}:1: {message}")),
                None => wrong(message),
            };
            if global(&module, "main").is_none() {
                return Err(wrong("there is no function main(rank, size, params)".to_owned()));
            }
            let declared = |name: &str| json(&module, name).map_err(|reason| wrong_in(name, reason));
            let parameters = match declared("PARAMETERS")? {
                Some(list) => Parameter::list(list).map_err(|reason| wrong_in("PARAMETERS", reason))?,
                None => Vec::new(),
            };
            let text = |name: &str| -> Result<Option<String>, WorkloadError> {
                Ok(declared(name)?.and_then(|value| value.as_str().map(str::to_owned)))
            };
            Ok(Self {
                name: name.to_owned(),
                description: head.description.unwrap_or_default(),
                parameters,
                ranks: text("RANKS")?,
                formula: text("FORMULA")?,
                source: text("SOURCE")?,
                module: Arc::new(module),
                trusted,
            })
        })
    }
}

/// Returns a global of a program.
pub(super) fn global(module: &FrozenModule, name: &str) -> Option<OwnedFrozenValue> {
    module.get_option(name).ok().flatten()
}

fn json(module: &FrozenModule, name: &str) -> Result<Option<Json>, String> {
    let Some(value) = global(module, name) else { return Ok(None) };
    let mut left = MOST_DECLARED;
    if !is_plain(value.value(), 6, &mut left) {
        return Err(format!("{name} has too much in it"));
    }
    value.value().to_json_value().map(Some).map_err(|error| format!("{name}: {error}"))
}

/// Largest number of values in one of the lists that a program declares.
const MOST_DECLARED: usize = 10_000;

/// Bytes of a text in them that count as a value.
const BYTES_OF_A_DECLARED: usize = 256;

/// Returns `true` if a value does not contain too many values, nor too deeply nested ones.
fn is_plain(value: Value, depth: usize, left: &mut usize) -> bool {
    // A text counts by its size, since it is copied.
    let size = 1 + value.unpack_str().map_or(0, str::len) / BYTES_OF_A_DECLARED;
    let Some(fewer) = left.checked_sub(size) else { return false };
    *left = fewer;
    let mut inside: Vec<Value> = Vec::new();
    if let Some(list) = ListRef::from_value(value) {
        inside.extend(list.iter().take(MOST_DECLARED + 1));
    } else if let Some(tuple) = TupleRef::from_value(value) {
        inside.extend(tuple.iter().take(MOST_DECLARED + 1));
    } else if let Some(dict) = DictRef::from_value(value) {
        inside.extend(dict.iter().take(MOST_DECLARED + 1).flat_map(|(key, value)| [key, value]));
    } else {
        return !matches!(value.get_type(), "struct" | "record" | "set");
    }
    depth > 0 && inside.into_iter().all(|value| is_plain(value, depth - 1, left))
}

/// Converts a parameter's value to the language.
pub(super) fn to_value<'v>(heap: Heap<'v>, json: &Json) -> Value<'v> {
    match json {
        Json::Bool(value) => Value::new_bool(*value),
        Json::Number(n) => match n.as_i64() {
            Some(int) => heap.alloc(int),
            None => heap.alloc(n.as_f64().unwrap_or(0.0)),
        },
        Json::String(text) => heap.alloc(text.as_str()),
        _ => Value::new_none(),
    }
}
