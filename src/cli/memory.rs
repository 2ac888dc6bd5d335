//! `--memory`, and the end of the process when memory is exhausted.
//!
//! Networks are refused by an estimate before they are built. Anything that no estimate includes reaches a limit of the
//! operating system: an allocation fails, and the program ends with a sentence and exit code 3 instead of an abort, and
//! before the system looks for a process to kill.

use super::part;
use mopsim::user_error::IO_FAILED;
use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;

/// The system's allocator, with a message when it fails. There is no other place for the message: Rust's own hook is
/// not stable, and the default is an abort.
struct Told;

#[global_allocator]
static ALLOCATOR: Told = Told;

// SAFETY: every call goes to `System` with the arguments as they came, whose results are returned unless they are null;
// then the process ends.
unsafe impl GlobalAlloc for Told {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the rules of `GlobalAlloc`, which are those of `System`.
        had(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        had(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        had(unsafe { System.realloc(old, layout, size) }, size)
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(old, layout) }
    }
}

#[inline]
fn had(memory: *mut u8, size: usize) -> *mut u8 {
    if memory.is_null() { run_out(size) } else { memory }
}

/// Ends the process. This must not need memory.
#[cold]
fn run_out(size: usize) -> ! {
    let mut text = [0; 300];
    let mut rest = &mut text[..];
    let _ = writeln!(
        rest,
        "error: out of memory: {size} more bytes cannot be allocated\n help: take smaller input or fewer --threads, or raise the \
         limit (--memory SIZE, ulimit -v) if there is as much memory"
    );
    let left = rest.len();
    let _ = std::io::stderr().write_all(&text[..text.len() - left]);
    part::remove_if_free();
    #[cfg(unix)]
    signal_hook::low_level::exit(IO_FAILED.into());
    #[cfg(not(unix))]
    std::process::exit(IO_FAILED.into());
}

/// Makes a failed start of a thread for lack of memory end the process like a failed allocation: the standard library
/// panics there, where it maps the stack of its handler of stack overflows.
pub fn watch_threads() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let text = panic.payload().downcast_ref::<String>();
        if text.is_some_and(|text| text.contains("alternative stack")) {
            run_out(STACK);
        }
        before(panic);
    }));
}

/// Approximate bytes that a thread maps before any of our code runs in it.
const STACK: usize = 16 << 10;

/// Parses a size: a number of bytes, or one with a unit.
pub fn size(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, u64); 10] = [
        ("KiB", 1 << 10),
        ("MiB", 1 << 20),
        ("GiB", 1 << 30),
        ("TiB", 1 << 40),
        ("kB", 1_000),
        ("MB", 1_000_000),
        ("GB", 1_000_000_000),
        ("TB", 1_000_000_000_000),
        ("B", 1),
        ("", 1),
    ];
    let text = text.trim();
    let unit = UNITS.iter().find(|(unit, _)| text.ends_with(unit));
    let bytes = unit.and_then(|(unit, scale)| {
        let number: f64 = text.strip_suffix(unit)?.trim_end().parse().ok()?;
        let bytes = number * *scale as f64;
        ((1.0e6..=1.0e18).contains(&bytes)).then_some(bytes as u64)
    });
    bytes.ok_or_else(|| "it must be a size of 1 MB or more with a unit, such as 8GB, 512MiB".to_owned())
}

/// Returns the address space of stacks, which counts although almost none of it is used: threads that run workload
/// programs have 256 MiB each, and one a gibibyte.
fn stacks() -> u64 {
    let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get() as u64);
    (1 << 30) + (threads + 1) * (256 << 20)
}

/// Sets the limits: for estimates the specified one, or half of the available memory; for the process the specified
/// one, or all of it.
///
/// The limit of the process is on its private memory (`RLIMIT_DATA`), with room for stacks. Recorded programs would
/// inherit it, so it is not set for them.
pub fn limit(given: Option<u64>, of_process: bool) {
    mopsim::memory::set_limit(given.unwrap_or(0));
    #[cfg(target_os = "linux")]
    if let Some(bytes) = given.or_else(mopsim::memory::available).filter(|_| of_process) {
        let bytes = bytes.saturating_add(stacks());
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let before = getrlimit(Resource::Data);
        let least = before.current.map_or(bytes, |current| current.min(bytes));
        let _ = setrlimit(Resource::Data, Rlimit { current: Some(least), maximum: before.maximum });
    }
    #[cfg(not(target_os = "linux"))]
    let _ = of_process;
    one_thread_if_more_have_no_room();
}

/// Continues with one thread if a limit of the shell (`ulimit -v`, `-u`) leaves no room for a thread on each core:
/// rayon would panic at its first use.
fn one_thread_if_more_have_no_room() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Resource, getrlimit};
        let is_limited = getrlimit(Resource::As).current.is_some();
        if is_limited && rayon::ThreadPoolBuilder::new().build().is_err() {
            let _ = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global();
        }
    }
}
