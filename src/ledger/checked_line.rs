//! JSON lines with a checksum: `{"cell":0,...,"check":"89abcdef"}`.
//!
//! The checksum is the last key of the object, so that a line stays plain JSON. It is the CRC-32 of all preceding
//! bytes, which detects every change of a single bit and of up to 32 neighbouring bits; it is not a signature.

use serde::Serialize;

/// Text between the content and the eight digits of its checksum.
const KEY: &[u8] = b",\"check\":\"";
/// Text after the digits.
const END: &[u8] = b"\"}";
const DIGITS: usize = 8;

/// Returns the line of a JSON object, with checksum and line end.
pub fn write(content: &impl Serialize) -> String {
    let mut text = serde_json::to_string(content).expect("records have nothing that JSON lacks");
    text.pop();
    let check = crc32fast::hash(text.as_bytes());
    text.push_str(&format!(",\"check\":\"{check:08x}\"}}\n"));
    text
}

/// Result of checking a line.
#[derive(Debug, PartialEq, Eq)]
pub enum Line {
    /// A valid object, without its checksum.
    Checked(Vec<u8>),
    /// The line has no checksum.
    Unchecked,
    /// The checksum is not that of the content.
    Damaged,
}

/// Removes and checks the checksum of a line, which has no line end.
pub fn read(line: &[u8]) -> Line {
    let Some(at) = line.len().checked_sub(KEY.len() + DIGITS + END.len()) else { return Line::Unchecked };
    let (content, tail) = line.split_at(at);
    let Some(digits) = tail.strip_prefix(KEY).and_then(|tail| tail.strip_suffix(END)) else { return Line::Unchecked };
    // They are compared as text, so that only one spelling of a checksum is accepted.
    if digits != format!("{:08x}", crc32fast::hash(content)).as_bytes() {
        return Line::Damaged;
    }
    Line::Checked([content, b"}"].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn every_changed_bit_of_a_line_is_found() {
        let line = write(&BTreeMap::from([("seconds", 0.25), ("cell", 3.0)]));
        let line = line.trim_end().as_bytes();
        assert_eq!(line, b"{\"cell\":3.0,\"seconds\":0.25,\"check\":\"c3fe7886\"}");
        assert_eq!(read(line), Line::Checked(b"{\"cell\":3.0,\"seconds\":0.25}".to_vec()));
        for bit in 0..8 * line.len() {
            let mut changed = line.to_vec();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(!matches!(read(&changed), Line::Checked(_)), "bit {bit}");
        }
        assert_eq!(read(b"{\"cell\":3}"), Line::Unchecked);
        assert_eq!(read(b""), Line::Unchecked);
    }
}
