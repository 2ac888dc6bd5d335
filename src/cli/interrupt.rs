//! Ctrl-C: the first one lets what runs complete, the second one ends the program immediately.

use super::failure::Failure;
use super::{part, say};
use mopsim::user_error::INTERRUPTED;
use std::process::exit;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Begins to listen. The returned flag becomes `true` with the first Ctrl-C.
///
/// If nothing is saved there is no reason to wait: the first Ctrl-C then ends the program.
pub fn listen(saves: bool, quiet: bool) -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&stop);
    let handler = move || {
        if !saves {
            say("interrupted; a run with --results FILE can be continued");
            end();
        }
        if seen.load(Ordering::Relaxed) {
            end();
        }
        // This precedes the flag for the replays, the last of which may end the program immediately.
        if !quiet {
            say("interrupted: waiting for what runs; Ctrl-C again ends that, too");
        }
        seen.store(true, Ordering::Relaxed);
    };
    ctrlc::set_handler(handler)
        .map_err(|error| Failure::input(format!("cannot listen to Ctrl-C: {error}"), "report this as a bug"))?;
    Ok(stop)
}

/// Ends the program immediately, except for removing its temporary files.
fn end() {
    part::remove_all();
    exit(INTERRUPTED.into());
}
