//! Ctrl-C: the first one lets the running replays come to their end, the second one ends the program at once.

use super::failure::{Failure, INTERRUPTED};
use super::{part, say};
use std::process::exit;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Begins to listen. What is returned becomes true with the first Ctrl-C.
///
/// Where nothing is saved there is nothing to wait for: then the first Ctrl-C ends the program.
pub fn listen(saves: bool, quiet: bool) -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&stop);
    let handler = move || {
        if !saves {
            say("interrupted; with --results FILE a study can be continued");
            end();
        }
        if seen.load(Ordering::Relaxed) {
            end();
        }
        // Before the replays are told: the last of them may end the program right away.
        if !quiet {
            say("interrupted: waiting for the replays that run; Ctrl-C again ends them, too");
        }
        seen.store(true, Ordering::Relaxed);
    };
    ctrlc::set_handler(handler)
        .map_err(|error| Failure::input(format!("cannot listen to Ctrl-C: {error}"), "report this as a bug"))?;
    Ok(stop)
}

/// Ends the program at once, but for the temporary files of what it writes.
fn end() {
    part::remove_all();
    exit(INTERRUPTED.into());
}
