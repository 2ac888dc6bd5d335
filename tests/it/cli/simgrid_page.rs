//! The page for users of SimGrid: every flag of ours that it names exists, and every flag of `smpirun` is on it.

use crate::support::cli::Folder;
use std::process::Command;

const PAGE: &str = include_str!("../../../docs/guide/coming-from-simgrid.md");

/// The code spans of a text.
fn spans(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The lines of ours in code blocks.
fn commands() -> impl Iterator<Item = &'static str> {
    let blocks = PAGE.split("```").skip(1).step_by(2);
    blocks.flat_map(str::lines).filter(|line| line.starts_with("mopsim "))
}

/// The rows of all tables: cells of the left and of the right column.
fn rows() -> Vec<(&'static str, &'static str)> {
    let cells = PAGE.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    cells.filter(|line| !line.starts_with("---")).filter_map(|line| line.split_once(" | ")).collect()
}

/// The verb of a command, and its flags.
fn command(span: &str) -> (Vec<&str>, Vec<&str>) {
    let mut words = span.split_whitespace().peekable();
    let mut verb = vec!["replay"];
    if words.next_if_eq(&"mopsim").is_some() {
        verb = words.next().into_iter().collect();
        if verb == ["trace"] {
            verb.extend(words.next());
        }
    }
    // Arguments after `--` belong to another program.
    let flags = words.take_while(|word| *word != "--").filter(|word| word.starts_with('-'));
    (verb, flags.collect())
}

#[test]
fn every_flag_of_ours_exists() {
    let folder = Folder::new();
    let mut checked = 0;
    let ours = rows().into_iter().flat_map(|(_, right)| spans(right));
    for span in ours.chain(commands()).filter(|span| span.starts_with("mopsim ") || span.starts_with('-')) {
        let (verb, flags) = command(span);
        let help = folder.output(&[&verb[..], &["--help"]].concat());
        for flag in flags {
            let known = help.split(|c: char| c.is_whitespace() || c == ',').any(|word| word == flag);
            assert!(known, "`{span}`: mopsim {} has no {flag}", verb.join(" "));
            checked += 1;
        }
    }
    assert!(checked > 25, "{checked} flags were found");
}

#[test]
fn keys_of_the_model_and_of_platforms_are_documented() {
    let studies = include_str!("../../../docs/reference/studies.md");
    let keys = rows().into_iter().flat_map(|(_, right)| spans(right));
    let keys: Vec<&str> = keys.filter(|span| span.contains('_') && !span.contains([' ', '-', '='])).collect();
    assert!(keys.len() > 12, "{keys:?}");
    for key in keys {
        assert!(studies.contains(&format!("`{key}`")), "{key}");
    }
}

#[test]
fn every_flag_of_smpirun_is_on_the_page() {
    let Ok(output) = Command::new("smpirun").arg("-help").output() else { return };
    let left: Vec<&str> = rows().into_iter().flat_map(|(left, _)| spans(left)).collect();
    let named = |flag: &str| left.iter().any(|span| span.split_whitespace().any(|word| word == flag));
    let help = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines = help.lines().filter_map(|line| line.split_whitespace().next());
    let flags: Vec<&str> = lines.filter(|word| word.starts_with('-') && word.len() > 1).collect();
    assert!(flags.len() > 15, "{help}");
    for flag in flags {
        assert!(named(flag), "{flag}");
    }
    for flag in ["-platform", "-hostfile", "-bandwidth", "-latency"] {
        assert!(named(flag), "{flag}");
    }
}
