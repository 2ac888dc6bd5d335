//! Prefetching of memory, so that later accesses need not wait for it.

/// Number of ranks or hosts above which their data may not be in the nearest cache of a core.
const CACHED: usize = 1024;

/// Returns `true` if prefetching is worthwhile for `count` ranks or hosts.
#[inline]
pub fn is_far(count: usize) -> bool {
    count > CACHED
}

/// Prefetches the cache line of a value without waiting for it. This changes nothing but the duration of a later
/// access.
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    prefetch_place(value);
}

/// Prefetches the cache line of a list's next value, which will be pushed.
#[inline(always)]
pub fn prefetch_end<T>(list: &[T]) {
    prefetch_place(list.as_ptr_range().end);
}

/// Prefetches all cache lines of a list.
#[inline(always)]
pub fn prefetch_list<T>(list: &[T]) {
    let range = list.as_ptr_range();
    let (start, end) = (range.start.cast::<u8>(), range.end.cast::<u8>());
    // From the start of its first line, so that the last line is among them.
    let mut at = start.wrapping_sub(start.addr() % 64);
    while at < end {
        prefetch_place(at);
        at = at.wrapping_add(64);
    }
}

#[inline(always)]
fn prefetch_place<T>(place: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the instruction loads nothing into the program's state and cannot fault; SSE is part of the architecture.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(place.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}
