//! Files that grow by lines while a program runs.

use super::cli::Folder;
use std::collections::BTreeSet;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Lines of a results file that are whole.
pub fn whole_lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').filter(|line| line.ends_with('\n')).collect()
}

/// A number that differs from run to run in a known way.
pub fn pseudo_random(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

/// Waits until a file has `lines` whole lines; `false` if the program ended before.
pub fn wait_for_lines(folder: &Folder, name: &str, lines: usize, child: &mut Child) -> bool {
    let has_them = || std::fs::read_to_string(folder.path(name)).is_ok_and(|text| whole_lines(&text).len() >= lines);
    while !has_them() {
        if child.try_wait().expect("is a child").is_some() {
            return has_them();
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    true
}

/// Kills a program twenty times at any moment while it continues the results file `r.jsonl`, which has `all` lines or more
/// in the end. No whole line is lost, written twice or damaged. `resumes` continues a file that is half done and checks the report.
/// Returns how often the kill came after a new line and before the last one.
pub fn killed(folder: &Folder, arguments: &[&str], all: usize, resumes: impl Fn()) -> usize {
    let mut random = 42;
    let (mut midway, mut before): (usize, Vec<String>) = (0, Vec::new());
    for kills in 1..=20 {
        let mut child = Command::new(env!("CARGO_BIN_EXE_mopsim"))
            .current_dir(folder.path(""))
            .args(arguments)
            .stdout(Stdio::null())
            .spawn()
            .expect("the program starts");
        // Some lines later, and at any moment of the work that follows.
        wait_for_lines(folder, "r.jsonl", before.len() + 1 + kills % 4, &mut child);
        std::thread::sleep(Duration::from_micros(pseudo_random(&mut random) % 10_000));
        child.kill().expect("SIGKILL");
        child.wait().expect("it is gone");
        let text = std::fs::read_to_string(folder.path("r.jsonl")).unwrap_or_default();
        let lines: Vec<String> = whole_lines(&text).into_iter().map(str::to_owned).collect();
        assert!(lines.starts_with(&before), "kill {kills} lost a line");
        let names: BTreeSet<&String> = lines.iter().collect();
        assert_eq!(names.len(), lines.len(), "kill {kills}: a line is there twice");
        for line in &lines {
            serde_json::from_str::<serde_json::Value>(line).expect("a whole line is whole JSON");
        }
        midway += usize::from(lines.len() > before.len() && lines.len() < all);
        if lines.len() > 1 + (all - 1) / 2 {
            // Enough for this round: the file must be good for the rest, and the next round begins from nothing.
            resumes();
            std::fs::remove_file(folder.path("r.jsonl")).expect("removed");
            before = Vec::new();
        } else {
            before = lines;
        }
    }
    midway
}
