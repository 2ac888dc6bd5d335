//! Byte arrays that may exceed the memory allowed for them.
//!
//! They are stored in pages. As many as fit are in memory; the others are in an unnamed file that disappears with the
//! process, and are exchanged with the least recently used ones by the clock algorithm (Corbató, "A paging experiment
//! with the Multics system", 1968). Access with locality is as fast as in memory; other access is slow but terminates.
//! If no file can be created, everything stays in memory.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::iter;
use std::ops::Range;

/// Bytes of a page.
const PAGE: usize = 4096;
/// Number of pages that stay in memory whatever the limit.
const FEWEST: usize = 16;
/// Frame of a page that is not in memory.
const NOWHERE: u32 = u32::MAX;

/// Bytes that are read and written by position.
pub(super) struct Paged {
    /// Frame of each page.
    frames: Vec<u32>,
    memory: Vec<Frame>,
    /// Largest number of frames.
    most: usize,
    /// The frame that is examined next when one has to be evicted.
    hand: usize,
    length: u64,
    file: Option<File>,
    /// `true` if there is no file.
    failed: bool,
}

/// A page in memory.
struct Frame {
    page: usize,
    /// `true` if it was used since the hand passed it.
    used: bool,
    /// `true` if it differs from its copy in the file.
    changed: bool,
    bytes: Box<[u8; PAGE]>,
}

impl Paged {
    /// Creates an empty array of which about `limit` bytes will be in memory.
    pub fn new(limit: usize) -> Self {
        let most = (limit / PAGE).max(FEWEST);
        Self { frames: Vec::new(), memory: Vec::new(), most, hand: 0, length: 0, file: None, failed: false }
    }

    /// Raises the limit to this number of pages, if it is lower.
    pub fn allow_pages(&mut self, pages: usize) {
        self.most = self.most.max(pages);
    }

    /// Returns the number of bytes.
    pub fn len(&self) -> u64 {
        self.length
    }

    /// Removes all bytes. The memory is kept.
    pub fn clear(&mut self) {
        self.length = 0;
    }

    /// Appends bytes.
    pub fn extend(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let (page, at) = place(self.length);
            if page == self.frames.len() {
                self.frames.push(NOWHERE);
                let frame = self.frame_for(page);
                self.put(page, frame);
            }
            let number = bytes.len().min(PAGE - at);
            self.page_mut(page)[at..at + number].copy_from_slice(&bytes[..number]);
            self.length += number as u64;
            bytes = &bytes[number..];
        }
    }

    /// Returns the bytes at a position.
    ///
    /// # Panics
    /// If the range is out of bounds, or the file cannot be read: the bytes exist nowhere else.
    #[inline]
    pub fn get<const N: usize>(&mut self, at: u64) -> [u8; N] {
        let (page, offset) = self.checked(at, N);
        if let Some(bytes) = self.page(page)[offset..].first_chunk() {
            return *bytes;
        }
        let mut bytes = [0; N];
        for (page, offset, some) in across(at, N) {
            let length = some.len();
            bytes[some].copy_from_slice(&self.page(page)[offset..offset + length]);
        }
        bytes
    }

    /// Overwrites bytes.
    ///
    /// # Panics
    /// As [`get`](Self::get).
    #[inline]
    pub fn set<const N: usize>(&mut self, at: u64, bytes: [u8; N]) {
        let (page, offset) = self.checked(at, N);
        if let Some(there) = self.page_mut(page)[offset..].first_chunk_mut() {
            *there = bytes;
            return;
        }
        for (page, offset, some) in across(at, N) {
            self.page_mut(page)[offset..offset + some.len()].copy_from_slice(&bytes[some]);
        }
    }

    /// Returns a number of four bytes.
    #[inline]
    pub fn u32(&mut self, at: u64) -> u32 {
        u32::from_le_bytes(self.get(at))
    }

    /// Overwrites a number of four bytes.
    #[inline]
    pub fn set_u32(&mut self, at: u64, value: u32) {
        self.set(at, value.to_le_bytes());
    }

    fn checked(&self, at: u64, number: usize) -> (usize, usize) {
        assert!(at + number as u64 <= self.length, "there are bytes {at} and {number} more");
        place(at)
    }

    #[inline]
    fn page(&mut self, page: usize) -> &[u8; PAGE] {
        let frame = self.present(page);
        &self.memory[frame].bytes
    }

    #[inline]
    fn page_mut(&mut self, page: usize) -> &mut [u8; PAGE] {
        let frame = self.present(page);
        let frame = &mut self.memory[frame];
        frame.changed = true;
        &mut frame.bytes
    }

    /// Returns the frame of a page, loading it if necessary.
    #[inline]
    fn present(&mut self, page: usize) -> usize {
        let frame = match self.frames[page] {
            NOWHERE => self.fetch(page),
            frame => frame as usize,
        };
        self.memory[frame].used = true;
        frame
    }

    #[cold]
    fn fetch(&mut self, page: usize) -> usize {
        let frame = self.frame_for(page);
        let file = self.file.as_mut().expect("pages that are not in memory are in the file");
        let read = file.seek(SeekFrom::Start((page * PAGE) as u64));
        let read = read.and_then(|_| file.read_exact(&mut self.memory[frame].bytes[..]));
        read.unwrap_or_else(|error| panic!("the temporary file with a part of the graph cannot be read: {error}"));
        self.put(page, frame);
        frame
    }

    fn put(&mut self, page: usize, frame: usize) {
        self.frames[page] = frame as u32;
        (self.memory[frame].page, self.memory[frame].changed) = (page, false);
    }

    /// Returns a frame for a page: a new one, or that of an evicted page.
    fn frame_for(&mut self, page: usize) -> usize {
        if self.memory.len() < self.most || self.failed {
            return self.new_frame(page);
        }
        loop {
            let frame = self.hand;
            self.hand = (self.hand + 1) % self.memory.len();
            if !std::mem::replace(&mut self.memory[frame].used, false) {
                if !self.write(frame) {
                    self.failed = true;
                    return self.new_frame(page);
                }
                self.frames[self.memory[frame].page] = NOWHERE;
                return frame;
            }
        }
    }

    fn new_frame(&mut self, page: usize) -> usize {
        self.memory.push(Frame { page, used: false, changed: false, bytes: Box::new([0; PAGE]) });
        self.memory.len() - 1
    }

    /// Writes a page to the file if it has changed; `false` if that is impossible.
    fn write(&mut self, frame: usize) -> bool {
        let frame = &mut self.memory[frame];
        if !frame.changed {
            return true;
        }
        let file = match &mut self.file {
            Some(file) => file,
            none => match tempfile::tempfile() {
                Ok(file) => none.insert(file),
                Err(_) => return false,
            },
        };
        let written = file.seek(SeekFrom::Start((frame.page * PAGE) as u64));
        let written = written.and_then(|_| file.write_all(&frame.bytes[..]));
        frame.changed = written.is_err();
        written.is_ok()
    }
}

/// Returns the page of a byte, and its offset on the page.
fn place(at: u64) -> (usize, usize) {
    ((at / PAGE as u64) as usize, (at % PAGE as u64) as usize)
}

/// Splits a range into its parts on two pages or more: the page, the offset on it, and the part of the range.
fn across(at: u64, number: usize) -> impl Iterator<Item = (usize, usize, Range<usize>)> {
    let mut done = 0;
    iter::from_fn(move || {
        let (page, offset) = place(at + done as u64);
        let some = done..number.min(done + PAGE - offset);
        done = some.end;
        (!some.is_empty()).then_some((page, offset, some))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng, rngs::StdRng};

    /// Any sequence of operations on more bytes than fit in memory has the same result as on a vector.
    #[test]
    fn what_goes_out_comes_back() {
        let mut random = StdRng::seed_from_u64(5);
        let (mut paged, mut vector) = (Paged::new(0), Vec::new());
        for round in 0..3 {
            paged.clear();
            vector.clear();
            for _ in 0..400 {
                let some: Vec<u8> = (0..random.random_range(0..3 * PAGE)).map(|_| random.random()).collect();
                paged.extend(&some);
                vector.extend(&some);
            }
            assert_eq!(paged.len(), vector.len() as u64);
            assert!(vector.len() > 4 * FEWEST * PAGE && paged.memory.len() == FEWEST);
            for _ in 0..20_000 {
                let at = random.random_range(0..vector.len() - 40);
                if random.random() {
                    let bytes: [u8; 37] = random.random();
                    paged.set(at as u64, bytes);
                    vector[at..at + 37].copy_from_slice(&bytes);
                } else {
                    assert_eq!(paged.get::<40>(at as u64), vector[at..at + 40], "round {round}, byte {at}");
                }
            }
        }
        assert_eq!(paged.get::<20_000>(77), vector[77..20_077]);
    }

    /// Below the limit there is no file.
    #[test]
    fn what_fits_stays() {
        let mut paged = Paged::new(100 * PAGE);
        paged.extend(&vec![7; 100 * PAGE]);
        assert!(paged.file.is_none() && paged.get::<3>(5) == [7; 3]);
        paged.extend(&[8]);
        assert!(paged.file.is_some() && paged.get::<2>((100 * PAGE) as u64 - 1) == [7, 8]);
    }
}
