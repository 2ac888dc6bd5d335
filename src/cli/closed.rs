//! Detection of a standard output that was closed before the process began (`>&-`).
//!
//! Rust's runtime opens `/dev/null` in place of a closed stream, so results would vanish silently. The check therefore
//! has to precede the runtime.

#[cfg(target_os = "linux")]
mod early {
    use std::sync::atomic::{AtomicBool, Ordering};

    static IS_CLOSED: AtomicBool = AtomicBool::new(false);

    // SAFETY: the functions of this section are called by the loader before `main`, without arguments that matter; this
    // one makes a system call and stores a flag, and needs nothing of the runtime.
    #[used]
    #[unsafe(link_section = ".init_array")]
    static ASK: extern "C" fn() = ask;

    extern "C" fn ask() {
        let found = rustix::io::fcntl_getfd(rustix::stdio::stdout());
        IS_CLOSED.store(found == Err(rustix::io::Errno::BADF), Ordering::Relaxed);
    }

    pub fn is_closed() -> bool {
        IS_CLOSED.load(Ordering::Relaxed)
    }
}

/// Returns `true` if there is no standard output.
pub fn standard_output() -> bool {
    #[cfg(target_os = "linux")]
    return early::is_closed();
    #[cfg(not(target_os = "linux"))]
    false
}
