//! Memory that is asked for before it is needed, so that nobody waits for it.

/// Beyond so many ranks or hosts, what belongs to them is no longer in the caches of a core alone.
const CACHED: usize = 1024;

/// Whether so many ranks or hosts are worth asking ahead for.
#[inline]
pub fn is_far(count: usize) -> bool {
    count > CACHED
}

/// Asks for the cache line of a value without waiting for it. It changes nothing but the time that a later look takes.
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    ask_for(value);
}

/// The same for where the next value of a list will be put.
#[inline(always)]
pub fn prefetch_end<T>(list: &[T]) {
    ask_for(list.as_ptr_range().end);
}

#[inline(always)]
fn ask_for<T>(place: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the instruction reads nothing that the program sees and faults nowhere; SSE belongs to the architecture.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(place.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}
