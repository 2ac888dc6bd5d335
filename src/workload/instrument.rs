//! Rewrites the text of a user program so that operations whose cost depends on the size of a value are checked.
//!
//! Starlark counts loops and calls as steps and measures memory now and then, but a method, a slice or a lookup is one step
//! whatever the size of its operands. Each such operand is therefore wrapped in a call of a function of
//! [`checked`](super::checked): `text.split(",")` becomes `__mopsim_size(text,__mopsim_).split(",")`. The text is changed
//! because the tree cannot be: starlark 0.14 replaces binary operators in it (which [`guard`](super::guard::guard) uses),
//! but nothing else, and a module cannot be made from a tree. Lines stay the same, and all that is inserted can be
//! recognised, so [`original`](super::marks::original) finds the columns of the file again.

use super::marks::{CALL, CALL_UPDATE, Check, STEM};
use starlark::codemap::Span;
use starlark::syntax::AstModule;
use starlark::syntax::ast::{
    ArgumentP, AssignOp, AssignTargetP, AstArgument, AstAssignTarget, AstExpr, AstLiteral, AstNoPayload, AstStmt,
    BinOp, ClauseP, ExprP, ForClauseP, StmtP,
};
use std::cmp::Reverse;

/// Methods that take the same time for values of any size, or that are called once for each element.
const CHEAP: [&str; 6] = ["append", "clear", "extend", "get", "setdefault", "update"];
/// Methods whose first argument is a key of a dictionary, or an index.
const BY_KEY: [&str; 3] = ["get", "pop", "setdefault"];
/// Methods that compare their argument with elements.
const COMPARING: [&str; 2] = ["index", "remove"];
/// Methods that look for characters of their argument at the ends of a text.
const STRIPPING: [&str; 3] = ["lstrip", "rstrip", "strip"];
/// Methods whose messages show the value that has them, or whose time depends on all that it contains.
pub(super) const SHOWING: [&str; 3] = ["index", "pop", "remove"];
/// Methods whose result may have more bytes than the text.
const CASING: [&str; 4] = ["capitalize", "lower", "title", "upper"];
/// Methods that make a list, or add many elements.
const MAKING: [&str; 9] =
    ["codepoints", "elems", "items", "keys", "partition", "rpartition", "rsplit", "split", "splitlines"];

/// Elements of a list or a dictionary in the text of a program that are not counted.
const SHORT: usize = 32;

/// Returns the text of a program with checks in it.
pub(super) fn instrument(ast: &AstModule, source: &str) -> String {
    let mut program =
        Rewriter { source, skipped: skipped(ast), matching: Vec::new(), wraps: Vec::new(), calls: Vec::new() };
    program.matching = program.brackets();
    program.statement(ast.statement());
    ast.statement().visit_expr(|expr| program.expression(expr));
    program.written()
}

/// Returns the comments and texts of a program, in order: what looks like a bracket in them is none.
fn skipped(ast: &AstModule) -> Vec<(usize, usize)> {
    let mut found: Vec<Span> = ast.comments().to_vec();
    fn texts(expr: &AstExpr, found: &mut Vec<Span>) {
        if let ExprP::Literal(AstLiteral::String(_)) = &expr.node {
            found.push(expr.span);
        }
        expr.visit_expr(|child| texts(child, found));
    }
    fn loads(stmt: &AstStmt, found: &mut Vec<Span>) {
        if let StmtP::Load(load) = &stmt.node {
            found.push(load.module.span);
            found.extend(load.args.iter().map(|arg| arg.their.span));
        }
        stmt.visit_stmt(|child| loads(child, found));
    }
    ast.statement().visit_expr(|expr| texts(expr, &mut found));
    loads(ast.statement(), &mut found);
    let mut places: Vec<_> = found.into_iter().map(range).collect();
    places.sort_unstable();
    places
}

fn range(span: Span) -> (usize, usize) {
    (span.begin().get() as usize, span.end().get() as usize)
}

/// A part of the text that a check takes as its argument.
struct Wrap<'s> {
    begin: usize,
    end: usize,
    check: Check,
    /// Name of the function that is called with the part, or of the variable that it is added to, if the check needs it.
    name: &'s str,
}

struct Rewriter<'s> {
    source: &'s str,
    /// Comments and texts.
    skipped: Vec<(usize, usize)>,
    /// Positions of round closing brackets with those of their opening ones, in order.
    matching: Vec<(usize, usize)>,
    wraps: Vec<Wrap<'s>>,
    /// Calls through a function that checks all arguments again: begin, opening bracket and end, and its name.
    calls: Vec<([usize; 3], &'static str)>,
}

impl<'s> Rewriter<'s> {
    fn brackets(&self) -> Vec<(usize, usize)> {
        let (mut open, mut matching) = (Vec::new(), Vec::new());
        let mut skipped = self.skipped.iter().peekable();
        let bytes = self.source.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            while skipped.next_if(|&&(_, end)| end <= at).is_some() {}
            if let Some(&&(begin, end)) = skipped.peek()
                && begin <= at
            {
                at = end;
                continue;
            }
            match bytes[at] {
                b'(' => open.push(at),
                b')' => matching.extend(open.pop().map(|begin| (at, begin))),
                _ => {}
            }
            at += 1;
        }
        matching
    }

    /// Returns the position of the next token at or after a position. Brackets that close count as space: those behind an
    /// operand belong to it.
    fn next(&self, from: usize) -> usize {
        let bytes = self.source.as_bytes();
        let mut at = from;
        while at < bytes.len() {
            match bytes[at] {
                b'#' => at += self.source[at..].find('\n').unwrap_or(bytes.len() - at),
                b' ' | b'\t' | b'\r' | b'\n' | b'\\' | b')' => at += 1,
                _ => break,
            }
        }
        at
    }

    /// Wraps an operand that ends before a position, with the brackets around it.
    fn wrap(&mut self, expr: &AstExpr, end: usize, check: Check) {
        self.wrap_after(expr, end, check, "");
    }

    /// The same for a check with a name before the operand.
    fn wrap_after(&mut self, expr: &AstExpr, end: usize, check: Check, name: &'s str) {
        let begin = self.balanced(range(expr.span).0, end);
        self.wraps.push(Wrap { begin, end, check, name });
    }

    /// Returns a part of the text.
    fn text(&self, span: Span) -> &'s str {
        let (begin, end) = range(span);
        &self.source[begin..end]
    }

    /// Returns where an argument of a call ends, whose closing bracket is at `last`.
    fn end_of_argument(&self, argument: &AstExpr, last: usize) -> usize {
        self.next(range(argument.span).1).min(last)
    }

    /// Wraps an argument of a call that ends at a position.
    fn wrap_argument(&mut self, callee: &AstExpr, argument: &ArgumentP<AstNoPayload>, number: usize, last: usize) {
        let value = argument.expr();
        let strips = matches!(&callee.node, ExprP::Dot(_, method) if STRIPPING.contains(&method.node.as_str()));
        if has_no_elements(value) && !strips {
            return;
        }
        let end = self.end_of_argument(value, last);
        let check = match (argument, &callee.node) {
            (ArgumentP::KwArgs(_), _) => Check::Named,
            (ArgumentP::Args(_), _) => Check::Splat,
            (_, ExprP::Identifier(name)) => {
                return self.wrap_after(value, end, Check::Argument, self.text(name.span));
            }
            (ArgumentP::Positional(_), ExprP::Dot(_, method)) => match method.node.as_str() {
                "append" => return,
                "update" => Check::Pairs,
                "extend" => Check::Copied,
                _ if strips => Check::Few,
                method if BY_KEY.contains(&method) && number == 0 => Check::Lookup,
                method if BY_KEY.contains(&method) => return,
                _ => Check::Shown,
            },
            _ => Check::Shown,
        };
        self.wrap(value, end, check);
    }

    /// Returns where a part of the text that ends at `end` begins, so that it has an opening bracket for each closing one.
    /// The span of an expression leaves out the brackets around it, and begins inside those around its first operand.
    fn balanced(&self, begin: usize, end: usize) -> usize {
        let from = self.matching.partition_point(|&(close, _)| close < begin);
        let inside = self.matching[from..].iter().take_while(|&&(close, _)| close < end);
        inside.map(|&(_, open)| open).fold(begin, usize::min)
    }

    /// Wraps the operand between square brackets of which the last is the end of a span.
    fn wrap_index(&mut self, of: &AstExpr, index: &AstExpr, whole: Span) {
        if has_no_elements(index) {
            return;
        }
        let begin = self.next(range(of.span).1) + 1;
        self.wraps.push(Wrap { begin, end: range(whole).1 - 1, check: Check::Key, name: "" });
    }

    fn statement(&mut self, stmt: &AstStmt) {
        match &stmt.node {
            StmtP::Assign(assign) => self.target(&assign.lhs),
            StmtP::For(loops) => self.target(&loops.var),
            StmtP::AssignModify(target, operator, value) => {
                self.target(target);
                let adds = matches!(operator, AssignOp::Add | AssignOp::Subtract | AssignOp::BitOr);
                if adds && !is_number(value) {
                    let name = match &target.node {
                        AssignTargetP::Identifier(name) => self.text(name.span),
                        // No variable, and a value that is no text.
                        _ => STEM,
                    };
                    self.wrap_after(value, self.end_of_statement(range(value.span).1), Check::Operand, name);
                }
            }
            _ => {}
        }
        stmt.visit_stmt(|child| self.statement(child));
    }

    /// Returns the end of an operand that ends a statement, with the brackets that follow it.
    fn end_of_statement(&self, end: usize) -> usize {
        let next = self.next(end);
        let from = self.matching.partition_point(|&(close, _)| close < end);
        self.matching[from..].iter().take_while(|&&(close, _)| close < next).last().map_or(end, |&(close, _)| close + 1)
    }

    fn target(&mut self, target: &AstAssignTarget) {
        match &target.node {
            AssignTargetP::Tuple(targets) => targets.iter().for_each(|target| self.target(target)),
            AssignTargetP::Index(of) => self.wrap_index(&of.0, &of.1, target.span),
            AssignTargetP::Dot(..) | AssignTargetP::Identifier(_) => {}
        }
    }

    fn expression(&mut self, expr: &AstExpr) {
        match &expr.node {
            ExprP::Call(callee, args) => return self.call(expr, callee, &args.args),
            ExprP::Dot(of, _) => self.wrap(of, self.next(range(of.span).1), Check::Owner),
            ExprP::Slice(of, from, to, step) => {
                self.wrap(expr, range(expr.span).1, Check::Made);
                // Starlark 0.14.2 takes bounds that it does not know for absent in slices of such texts, and with a step,
                // it copies all elements first.
                let check = if is_literal(of) || step.is_some() { Check::Size } else { Check::Text };
                self.wrap(of, self.next(range(of.span).1), check);
                for bound in [from, to, step].into_iter().flatten() {
                    self.before_colon(bound, Check::Bound);
                }
            }
            ExprP::Index(both) => self.wrap_index(&both.0, &both.1, expr.span),
            ExprP::List(elements) if elements.len() > SHORT => self.wrap(expr, range(expr.span).1, Check::Made),
            ExprP::Dict(entries) => {
                entries.iter().for_each(|(key, _)| self.before_colon(key, Check::Key));
                if entries.len() > SHORT {
                    self.wrap(expr, range(expr.span).1, Check::Made);
                }
            }
            ExprP::DictComprehension(entry, first, clauses) => {
                self.before_colon(&entry.0, Check::Key);
                self.clauses(first, clauses);
            }
            ExprP::ListComprehension(_, first, clauses) => self.clauses(first, clauses),
            _ => {}
        }
        expr.visit_expr(|child| self.expression(child));
    }

    fn call(&mut self, call: &AstExpr, callee: &AstExpr, arguments: &[AstArgument]) {
        let last = range(call.span).1 - 1;
        for (number, argument) in arguments.iter().enumerate() {
            self.wrap_argument(callee, &argument.node, number, last);
            self.expression(argument.node.expr());
        }
        if changes_arguments(arguments) {
            let updates = matches!(&callee.node, ExprP::Dot(_, name) if name.node == "update");
            self.check_when_called(call, if updates { CALL_UPDATE } else { CALL });
        }
        let ExprP::Dot(of, name) = &callee.node else { return self.expression(callee) };
        let name = name.node.as_str();
        // What the receiver is when all arguments are known.
        if let (ExprP::Identifier(variable), Some(argument)) = (&of.node, arguments.last())
            && SHOWING.contains(&name)
            && arguments.iter().any(calls)
        {
            let value = argument.node.expr();
            self.wrap_after(value, self.end_of_argument(value, last), Check::Receiver, self.text(variable.span));
        }
        if let Some(check) = check_of_receiver(name, arguments.len()) {
            self.wrap(of, self.next(range(of.span).1), check);
        }
        self.expression(of);
    }

    /// Lets a call be made by a function that checks the arguments when all of them are known.
    fn check_when_called(&mut self, call: &AstExpr, by: &'static str) {
        let (begin, end) = range(call.span);
        let open = self.matching.binary_search_by_key(&(end - 1), |&(close, _)| close);
        if let Ok(index) = open {
            let open = self.matching[index].1;
            self.calls.push(([self.balanced(begin, open), open, end], by));
        }
    }

    fn clauses(&mut self, first: &ForClauseP<AstNoPayload>, clauses: &[ClauseP<AstNoPayload>]) {
        self.target(&first.var);
        for clause in clauses {
            if let ClauseP::For(clause) = clause {
                self.target(&clause.var);
            }
        }
    }

    /// Wraps a key, or a bound of a slice, which a colon or a square bracket follows.
    fn before_colon(&mut self, value: &AstExpr, check: Check) {
        if !has_no_elements(value) {
            self.wrap(value, self.next(range(value.span).1), check);
        }
    }

    /// Returns the text with all calls.
    fn written(&self) -> String {
        // At the same position, what ends comes first, and the longer of two parts contains the other, or the check the call.
        let mut inserted = Vec::with_capacity(2 * self.wraps.len());
        for Wrap { begin, end, check, name } in &self.wraps {
            let comma = if name.is_empty() { "" } else { "," };
            inserted.push((*begin, true, Reverse(*end), false, format!("{STEM}{}({name}{comma}", check.name())));
            inserted.push((*end, false, Reverse(*begin), false, format!(",{STEM})")));
        }
        let mut source = self.source.to_owned();
        for &([begin, open, end], by) in &self.calls {
            inserted.push((begin, true, Reverse(end), true, format!("{STEM}{by}(")));
            source.replace_range(open..=open, ",");
        }
        inserted.sort();
        let mut text = String::with_capacity(self.source.len() + 32 * self.wraps.len());
        let mut from = 0;
        for (at, .., piece) in inserted {
            text.push_str(&source[from..at]);
            text.push_str(&piece);
            from = at;
        }
        text.push_str(&source[from..]);
        text
    }
}

/// Returns the check of the value whose method is called with that many arguments, if it needs one.
fn check_of_receiver(method: &str, arguments: usize) -> Option<Check> {
    match method {
        "pop" => (arguments > 0).then_some(Check::Popped),
        // They walk to positions in a text.
        "endswith" | "startswith" => (arguments > 1).then_some(Check::Size),
        _ if CHEAP.contains(&method) => None,
        _ if CASING.contains(&method) => Some(Check::Cased),
        _ if COMPARING.contains(&method) => Some(Check::Deep),
        _ if MAKING.contains(&method) => Some(Check::Copied),
        _ => Some(Check::Size),
    }
}

/// Returns `true` if an argument contains a call.
pub(super) fn calls(argument: &AstArgument) -> bool {
    fn is_call(expr: &AstExpr) -> bool {
        let mut found = matches!(&expr.node, ExprP::Call(..));
        expr.visit_expr(|child| found |= is_call(child));
        found
    }
    is_call(argument.node.expr())
}

/// Returns `true` if an argument contains a call that may change one before it.
fn changes_arguments(arguments: &[AstArgument]) -> bool {
    let first = arguments.iter().position(|argument| !has_no_elements(argument.node.expr()));
    first.is_some_and(|first| arguments[first + 1..].iter().any(calls))
}

/// Returns `true` for a number or a text in the program, whose size is that of the program at most.
fn is_literal(expr: &AstExpr) -> bool {
    matches!(&expr.node, ExprP::Literal(_)) || is_number(expr)
}

/// Returns `true` for a number in the program.
fn is_number(expr: &AstExpr) -> bool {
    match &expr.node {
        ExprP::Literal(AstLiteral::Int(_) | AstLiteral::Float(_)) => true,
        ExprP::Minus(number) => is_number(number),
        _ => false,
    }
}

/// Returns `true` if the value of an expression has no elements: only `+`, `*` and `|` make lists, tuples and dictionaries, and
/// no list is added to a number.
fn has_no_elements(expr: &AstExpr) -> bool {
    match &expr.node {
        ExprP::Op(a, BinOp::Add, b) => is_literal(a) || is_literal(b),
        ExprP::Op(_, BinOp::And | BinOp::Or | BinOp::Multiply | BinOp::BitOr, _) => false,
        ExprP::Op(..) | ExprP::Not(_) | ExprP::Minus(_) | ExprP::BitNot(_) => true,
        _ => is_literal(expr),
    }
}
