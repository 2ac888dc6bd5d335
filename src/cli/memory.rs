//! Memory: `--memory`, and the end of the process where there is no more.
//!
//! Networks are refused by an estimate before they are built. What no estimate sees comes to a limit of the operating
//! system: an allocation fails, and the program ends with a sentence and exit code 3 instead of an abort, and before the
//! system looks for a process to kill.

use super::failure::IO_FAILED;
use super::part;
use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;

/// The system's allocator, and a sentence where it fails. There is no other place to say it: Rust's own hook for that is
/// not stable, and what it does instead is an abort.
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

/// Ends the process. Nothing in here may need memory.
#[cold]
fn run_out(size: usize) -> ! {
    let mut text = [0; 300];
    let mut rest = &mut text[..];
    let _ = writeln!(
        rest,
        "error: out of memory: {size} more bytes cannot be had\n help: take smaller input or fewer --threads, or raise the \
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

/// Lets a thread whose start fails for want of memory end the process as an allocation does: the standard library panics
/// there, where it maps the stack of its handler of stack overflows.
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

/// About what a thread maps before anything of ours runs in it, in bytes.
const STACK: usize = 16 << 10;

/// Reads a size: a number of bytes, or one with a unit.
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

/// Address space of stacks, which counts although next to nothing of it is used: threads that run workload programs have
/// 256 MiB each, and one a gibibyte.
fn stacks() -> u64 {
    let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get() as u64);
    (1 << 30) + (threads + 1) * (256 << 20)
}

/// Sets the limits: for estimates what was given, or half of what there is; for the process what was given, or all.
///
/// The limit of the process is on its private memory (`RLIMIT_DATA`), with room for stacks. Programs that are recorded would inherit it, so that it is left out for them.
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

/// Where a limit of the shell (`ulimit -v`, `-u`) leaves no room for a thread on each core, work goes on with one: rayon
/// would panic at its first use.
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
