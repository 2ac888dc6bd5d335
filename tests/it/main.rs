//! Integration tests: one executable, so that the library is linked once and helpers are compiled once. A new file is
//! a line in the `mod.rs` of its folder.
//!
//! Tests run in threads of one process. None may change its current directory or its environment: what needs that runs
//! the program as a child.
//!
//! Two executables are apart: `tests/published` compares with papers, and takes long with `--include-ignored`;
//! `tests/fuzz` measures the memory of its process.

mod cli;
#[cfg(target_os = "linux")]
mod emulate;
mod examples;
mod hostile;
#[path = "../support/no_config.rs"]
mod no_config;
mod packets;
mod platform;
mod progress;
mod record;
mod replay;
mod support;
mod throughput;
mod topology;
mod trace;
mod workload;
