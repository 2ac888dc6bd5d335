//! Files that grow by lines while a program runs.

use super::cli::Folder;
use std::process::Child;
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
