//! `mopsim man`: manual pages, from the same definitions as `--help`.

use super::args::{self, Man};
use super::failure::Failure;
use super::files;
use super::{deliver, say};
use clap::Command;
use clap_mangen::roff::{Roff, roman};
use std::fs;
use std::io;
use std::path::Path;

pub fn run(arguments: &Man, quiet: bool) -> Result<(), Failure> {
    let mut program = args::command().disable_help_subcommand(true);
    program.build();
    match &arguments.output {
        Some(folder) => write_all(&program, folder, arguments.force, quiet),
        None => deliver(&page(find(&program, &arguments.verb)?)),
    }
}

/// Returns a verb by its words. `trace-info`, the name of its page, is the same as `trace info`.
fn find<'a>(program: &'a Command, words: &[String]) -> Result<&'a Command, Failure> {
    let mut found = program;
    for word in words.iter().flat_map(|word| word.split('-')) {
        found = found.find_subcommand(word).ok_or_else(|| {
            let name = found.get_display_name().unwrap_or("mopsim").replace('-', " ");
            let verbs: Vec<&str> = found.get_subcommands().map(Command::get_name).collect();
            let help = match &verbs[..] {
                [] => format!("`man {}` shows the page of all that it takes", name.trim_start_matches("mopsim ")),
                verbs => format!("its verbs are {}", verbs.join(", ")),
            };
            Failure::input(format!("{name} has no verb `{word}`"), help)
        })?;
    }
    Ok(found)
}

/// Returns the page of a verb, as roff.
fn page(verb: &Command) -> Vec<u8> {
    // clap_mangen omits the text of an option without a long help that `-h` hides.
    let complete = verb.clone().mut_args(|argument| argument.hide_short_help(false));
    let man = clap_mangen::Man::new(complete).source(format!("mopsim {}", env!("CARGO_PKG_VERSION")));
    let mut out = Vec::new();
    let written = (|| -> io::Result<()> {
        man.render_title(&mut out)?;
        man.render_name_section(&mut out)?;
        man.render_synopsis_section(&mut out)?;
        man.render_description_section(&mut out)?;
        man.render_options_section(&mut out)?;
        if verb.has_subcommands() {
            man.render_subcommands_section(&mut out)?;
        }
        // Line by line: these are examples and tables.
        if let Some(text) = verb.get_after_long_help().or(verb.get_after_help()) {
            let mut notes = Roff::new();
            notes.control("SH", ["NOTES"]).control("nf", []);
            for line in text.to_string().lines() {
                notes.text([roman(line)]);
            }
            notes.control("fi", []).to_writer(&mut out)?;
        }
        Ok(())
    })();
    written.expect("memory takes it");
    // Each section begins with the same definitions.
    let text = String::from_utf8(out).expect("roff of text is text");
    let definitions: String = text.lines().take(2).flat_map(|line| [line, "\n"]).collect();
    (definitions.clone() + &text.replace(&definitions, "")).into_bytes()
}

/// Writes the pages of the program and of all verbs into a folder, which is made if it is missing.
fn write_all(program: &Command, folder: &Path, force: bool, quiet: bool) -> Result<(), Failure> {
    let mut verbs = Vec::new();
    list(program, &mut verbs);
    let pages: Vec<_> = verbs
        .iter()
        .map(|verb| (folder.join(format!("{}.1", verb.get_display_name().unwrap_or_else(|| verb.get_name()))), verb))
        .collect();
    fs::create_dir_all(folder).map_err(|error| Failure::file("make", folder, &error))?;
    for (file, _) in &pages {
        files::check_free(file, force)?;
    }
    for (file, verb) in &pages {
        files::replace(file, |out| out.write_all(&page(verb)))?;
    }
    if !quiet {
        say(&format!("{} pages in {}", pages.len(), folder.display()));
    }
    Ok(())
}

fn list<'a>(verb: &'a Command, all: &mut Vec<&'a Command>) {
    all.push(verb);
    verb.get_subcommands().filter(|verb| !verb.is_hide_set()).for_each(|verb| list(verb, all));
}
