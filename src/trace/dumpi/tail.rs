//! The records after the calls: start of the calls, version, sizes of types, counts of each call.

use std::path::Path;

use super::layout::{COUNTED, MAGIC};
use crate::trace::error::{TraceError, TraceErrorKind as Kind};
use crate::trace::source::{Budget, Source};

/// Bytes kept from the end of a file; the records take some kilobytes.
const KEPT: usize = 4 << 20;

/// First bytes of the record with the counts.
const FOOTER: u64 = 0xf007_fee7;

/// Content of the end of a file.
#[derive(Clone, Default, Debug)]
pub(super) struct Tail {
    pub version: [u8; 3],
    /// Position of the first call.
    pub body: u64,
    /// Sizes of types by their number; empty in files of old versions.
    pub sizes: Vec<u32>,
    /// Number of calls of each kind that the program made, and number that the recorder left out. Empty if the file has
    /// no such counts.
    pub made: Vec<[u64; 2]>,
}

impl Tail {
    /// Returns the number of times each call is in the file. Empty if the file has no counts.
    pub fn recorded(&self) -> impl Iterator<Item = u64> {
        self.made.iter().map(|[made, left_out]| made - left_out)
    }
}

/// Last bytes of a file.
struct FileTail {
    bytes: Vec<u8>,
    /// Position of the first of these bytes.
    start: u64,
}

impl FileTail {
    fn length(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }

    fn get<const N: usize>(&self, at: u64) -> Option<[u8; N]> {
        let from = usize::try_from(at.checked_sub(self.start)?).ok()?;
        self.bytes.get(from..from.checked_add(N)?)?.try_into().ok()
    }

    fn u64(&self, at: u64) -> Option<u64> {
        self.get(at).map(u64::from_be_bytes)
    }

    fn u32(&self, at: u64) -> Option<u32> {
        self.get(at).map(u32::from_be_bytes)
    }
}

/// Reads the end of a file. The whole file is read, since compressed data cannot be entered from its end.
pub(super) fn read(mut source: Source<'_>, budget: &mut Budget) -> Result<Tail, TraceError> {
    let mut end = FileTail { bytes: Vec::new(), start: 0 };
    let mut piece = vec![0; 1 << 18];
    loop {
        let length = source.read(&mut piece, budget)?;
        if length == 0 {
            break;
        }
        if end.bytes.len() > 2 * KEPT {
            let surplus = end.bytes.len() - KEPT;
            end.bytes.drain(..surplus);
            end.start += surplus as u64;
        }
        end.bytes.extend_from_slice(&piece[..length]);
    }
    parse(&end, source.file())
}

fn parse(end: &FileTail, file: &Path) -> Result<Tail, TraceError> {
    let error = |at: u64, problem: String| {
        let help = "the file is cut off or damaged; fetch or record it again";
        let kind = Kind::format("DUMPI", problem, help);
        TraceError::whole(file, kind).at_byte(at)
    };
    let length = end.length();
    // The table at the very end has 4 to 7 entries, by version: walk back to the magic.
    let found = (4..=7u64).find_map(|entries| {
        let at = length.checked_sub(8 * (entries + 1))?;
        (end.get(at)? == MAGIC).then_some((entries, at))
    });
    let Some((entries, table)) = found else {
        return Err(error(length, "there is no table of its parts at its end".to_owned()));
    };
    // The last four are header, body, counts and keys; newer versions have more before them.
    let entry = |from_end: u64| (from_end <= entries).then(|| end.u64(table + 8 * (entries + 1 - from_end))).flatten();
    let (header, body, footer) = (entry(4).unwrap_or(0), entry(3).unwrap_or(0), entry(2).unwrap_or(0));
    let sizes = entry(7).unwrap_or(0);
    let version = match end.get::<3>(header) {
        Some(version) if header > 0 => version,
        _ => return Err(error(table, format!("the header is said to begin at byte {header}"))),
    };
    if body < 8 || body >= length {
        return Err(error(table, format!("the calls are said to begin at byte {body}")));
    }
    let mut tail = Tail { version, body, ..Tail::default() };
    if sizes > 0 {
        let number = end.u32(sizes).filter(|&number| number <= 1 << 16);
        let read =
            |number: u32| (0..u64::from(number)).map(|i| end.u32(sizes + 4 + 4 * i)).collect::<Option<Vec<u32>>>();
        tail.sizes = number
            .and_then(read)
            .ok_or_else(|| error(table, format!("the sizes of types are said to begin at byte {sizes}")))?;
    }
    if footer > 0 {
        if end.u64(footer) != Some(FOOTER) {
            return Err(error(footer.min(length), "the counts of calls do not begin as they should".to_owned()));
        }
        let count = |i: usize| end.u32(footer + 8 + 4 * i as u64);
        let made = (0..COUNTED).map(|i| {
            let (made, left_out) = (count(i)?, count(COUNTED + i)?);
            Some([made, left_out.min(made)].map(u64::from))
        });
        tail.made = made
            .collect::<Option<Vec<[u64; 2]>>>()
            .ok_or_else(|| error(length, "the counts of calls are cut off".to_owned()))?;
    }
    Ok(tail)
}
