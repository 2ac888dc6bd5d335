//! Flags of the installed library, from `otf2-config`. This is not a module of mopsim: `build.rs` and the test that
//! writes archives include it.

use std::process::Command;

/// Returns the flags of one kind, such as `--cppflags`; empty if `otf2-config` is missing.
pub fn flags(kind: &str) -> Vec<String> {
    let program = std::env::var("OTF2_CONFIG").unwrap_or_else(|_| "otf2-config".to_owned());
    match Command::new(program).arg(kind).output() {
        Ok(output) if output.status.success() => {
            String::from_utf8_lossy(&output.stdout).split_whitespace().map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}
