//! `mopsim workload NAME --help`: description and parameters of a program, in 80 columns.

use mopsim::report::wrap::broken;
use mopsim::workload::{Parameter, Program};
use std::fmt::Write;

/// Returns the complete help of a program.
pub fn of(program: &Program) -> String {
    let mut text = String::new();
    let mut paragraphs = program.description.split("\n\n");
    let headline = paragraphs.next().unwrap_or_default().trim_end_matches('.');
    let title = if headline.is_empty() { program.name.clone() } else { format!("{}: {headline}", program.name) };
    wrap(&mut text, 0, &title);
    for paragraph in paragraphs {
        text.push('\n');
        wrap(&mut text, 0, paragraph);
    }
    let known = |name: &str| program.parameters.iter().any(|p| p.name == name);
    text.push_str("\nUsage:\n");
    let mut usage = format!("mopsim workload {} --ranks N", program.name);
    for (name, written) in [("class", " [--class CLASS]"), ("iterations", " [--iterations N]")] {
        usage.push_str(if known(name) { written } else { "" });
    }
    usage.push_str(if program.parameters.is_empty() { " [-o FILE]" } else { " [-p NAME=VALUE]... [-o FILE]" });
    wrap(&mut text, 2, &usage);
    if !program.parameters.is_empty() {
        text.push_str("\nParameters:\n");
        for parameter in &program.parameters {
            wrap(&mut text, 2, &format!("-p {}=VALUE: {}", parameter.name, values(parameter)));
            if !parameter.help.is_empty() {
                wrap(&mut text, 6, &parameter.help);
            }
        }
    }
    text.push('\n');
    let facts = [("Ranks", &program.ranks), ("Operations", &program.formula), ("Source", &program.source)];
    for (name, fact) in facts {
        if let Some(fact) = fact {
            wrap(&mut text, 0, &format!("{name}: {fact}"));
        }
    }
    text.push_str("`mopsim workload --help` shows all other options.\n");
    text
}

/// Describes the type, range and default.
fn values(parameter: &Parameter) -> String {
    let mut text = parameter.kind.name().to_owned();
    let allowed = parameter.allowed();
    if !allowed.is_empty() {
        let _ = write!(text, ", {}{allowed}", if parameter.choices.is_empty() { "" } else { "one of " });
    }
    if parameter.default.is_null() {
        text.push_str("; not given by default");
    } else {
        let _ = write!(text, "; default {}", parameter.default_text());
    }
    text
}

/// Appends words in lines that fit a terminal; those of a list are indented.
fn wrap(text: &mut String, indent: usize, words: &str) {
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let hang = if indent == 2 { 6 } else { indent };
    let _ = writeln!(text, "{:indent$}{}", "", broken(&words, indent, hang));
}
