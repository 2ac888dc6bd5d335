//! Keeps the defaults of a user's site out of tests: every program that a test starts inherits this environment.

/// Variables of a site, as `src/cli/site.rs` reads them, and the name of its config file.
const VARIABLES: [&str; 14] = [
    "MOPSIM_LINK_BANDWIDTH",
    "MOPSIM_LINK_LATENCY",
    "MOPSIM_SWITCH_DELAY",
    "MOPSIM_CABLE_DELAY",
    "MOPSIM_HOST_LINK_BANDWIDTH",
    "MOPSIM_HOST_LINK_LATENCY",
    "MOPSIM_HOST_SPEED",
    "MOPSIM_CORES",
    "MOPSIM_DUPLEX",
    "MOPSIM_MODEL",
    "MOPSIM_COLLECTIVES",
    "MOPSIM_PRICES",
    "MOPSIM_MEMORY",
    "MOPSIM_THREADS",
];

/// Runs before `main`, as the test harness starts threads and has no place for this. Elsewhere than on Linux, tests rely
/// on the user.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array")]
static CLEAR: extern "C" fn() = {
    extern "C" fn clear() {
        // SAFETY: before `main` the process has one thread.
        unsafe {
            std::env::set_var("MOPSIM_CONFIG", "");
            VARIABLES.iter().for_each(|name| std::env::remove_var(name));
        }
    }
    clear
};
