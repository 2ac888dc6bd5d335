//! Texts as words of the shell. The file is included, since the program has no unit tests: see `[[bin]]` in `Cargo.toml`.

#[path = "../../../src/cli/shell.rs"]
mod source;

use source::word;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn what_the_shell_would_change_is_quoted() {
    assert_eq!(word("torus:8x8"), "torus:8x8");
    assert_eq!(word("random:n=64,d=6"), "random:n=64,d=6");
    assert_eq!(word(""), "''");
    assert_eq!(word("my study.toml"), "'my study.toml'");
    assert_eq!(word("it's"), r"'it'\''s'");
}

/// Unit tests of the program would not be run.
#[test]
fn the_program_has_no_unit_tests() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut files, mut folders) = (vec![source.join("main.rs")], vec![source.join("cli")]);
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
        let (more, others): (Vec<PathBuf>, Vec<PathBuf>) = entries.partition(|path| path.is_dir());
        folders.extend(more);
        files.extend(others);
    }
    for file in files {
        let text = fs::read_to_string(&file).expect("source");
        assert!(
            !text.contains("cfg(test)") && !text.contains("#[test]"),
            "{}: move its tests to tests/it",
            file.display()
        );
    }
}
