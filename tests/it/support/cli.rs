//! Runs the program in a folder of its own, as a user would.

use assert_cmd::Command;
use assert_cmd::assert::Assert;
use predicates::str::contains;
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;
use tempfile::TempDir;

/// Two ranks, one message of 100 bytes.
pub const MESSAGE: &str = "0 init\n1 init\n0 send 1 0 100 6\n1 recv 0 0 100 6\n0 finalize\n1 finalize\n";

/// Folder with the input of a test.
pub struct Folder {
    folder: TempDir,
    /// Flags for all runs in it.
    flags: &'static [&'static str],
}

impl Folder {
    /// Creates an empty folder.
    pub fn new() -> Self {
        Self { folder: TempDir::new().expect("a temporary folder"), flags: &[] }
    }

    /// Pins the defaults of version 0.1 for all runs in this folder: links of 40 Gbit/s and 100 ns, and nothing else
    /// that takes time. Many tests expect values computed with them.
    #[must_use]
    pub fn pinned(self) -> Self {
        Self { flags: &["--defaults", "0.1"], ..self }
    }

    /// Creates a folder with the trace `t.ti`.
    pub fn with_trace(text: &str) -> Self {
        let folder = Self::new();
        folder.write("t.ti", text);
        folder
    }

    /// Writes a file, and creates its parent folders.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(&path, content).expect("written");
        path
    }

    /// Returns the path of a file in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns the content of a file.
    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(name)).expect("a file")
    }

    /// Returns the names of the files in the folder.
    pub fn names(&self) -> Vec<String> {
        let files = std::fs::read_dir(self.folder.path()).expect("a folder");
        files.map(|file| file.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
    }

    /// Returns the program, to be started in this folder with these arguments; it must not take longer than a minute.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mopsim"));
        command.current_dir(self.folder.path()).args(arguments).args(self.flags).timeout(Duration::from_secs(60));
        command
    }

    /// Runs the program.
    pub fn run(&self, arguments: &[&str]) -> Assert {
        self.command(arguments).assert()
    }

    /// Runs the program, which must fail with this exit code; standard error must have all these parts, and standard
    /// output nothing.
    pub fn refuse(&self, arguments: &[&str], code: i32, parts: &[&str]) {
        let mut run = self.run(arguments).code(code).stdout("");
        for part in parts {
            run = run.stderr(contains(*part));
        }
    }

    /// Replays the trace `t.ti` on a ring of four, which must fail like this.
    pub fn refuse_trace(text: &str, code: i32, parts: &[&str]) {
        Self::with_trace(text).refuse(&["replay", "t.ti", "--topology", "ring:4"], code, parts);
    }

    /// Returns the standard output of a run that must succeed.
    pub fn output(&self, arguments: &[&str]) -> String {
        let run = self.run(arguments).success();
        String::from_utf8(run.get_output().stdout.clone()).expect("text")
    }

    /// Returns the standard output of a script of the shell that must succeed, run in another folder with a variable of the
    /// environment.
    pub fn script(&self, script: &str, (variable, value): (&str, &str), arguments: &[&str]) -> String {
        let mut shell = Command::new("sh");
        shell.arg(self.path(script)).args(arguments).env(variable, value).current_dir("/");
        let run = shell.assert().success();
        String::from_utf8(run.get_output().stdout.clone()).expect("text")
    }

    /// Returns the output with `--format json`, parsed.
    pub fn json(&self, arguments: &[&str]) -> Value {
        let text = self.output(&[arguments, &["--format", "json"]].concat());
        serde_json::from_str(&text).expect("one JSON document")
    }
}

/// Returns the member of that name as a number.
pub fn number(value: &Value, member: &str) -> f64 {
    value[member].as_f64().unwrap_or_else(|| panic!("`{member}` is no number in {value}"))
}

/// Checks that no line is wider than a terminal.
pub fn assert_80_columns(text: &str) {
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{} columns: {line}", line.chars().count());
    }
}
