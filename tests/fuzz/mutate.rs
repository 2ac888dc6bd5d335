//! Mutations of files, similar to those by damage, editors and attackers.

use rand::{Rng, RngExt};
use rand_pcg::Pcg64Mcg;

/// Numbers near the limits of integers and floats.
const EDGES: [&str; 16] = [
    "0",
    "-1",
    "1",
    "0.5",
    "4294967295",
    "4294967296",
    "2147483648",
    "-2147483649",
    "9223372036854775808",
    "18446744073709551616",
    "1e308",
    "1e309",
    "nan",
    "-inf",
    "1e-320",
    "99999999999999999999",
];

/// Texts that are nested many times.
const NESTED: [&str; 9] = ["[", "{\"a\":", "(", "<zone id=\"a\" routing=\"Full\">", "[[", "a.", "{a=", "- ", "lambda:"];

/// Changes some bytes, in one to three ways.
pub fn mutate(bytes: &mut Vec<u8>, random: &mut Pcg64Mcg) {
    for _ in 0..random.random_range(1..4) {
        let length = bytes.len().max(1);
        let at = random.random_range(0..length);
        match random.random_range(0..12) {
            0 => bytes[at] = random.next_u32() as u8,
            1 => bytes[at] ^= 1 << random.random_range(0..8),
            2 => bytes.truncate(at.max(1)),
            3 => {
                let piece = bytes[at..length.min(at + random.random_range(1..64))].to_vec();
                let to = random.random_range(0..length);
                bytes.splice(to..to, piece);
            }
            4 => drop(bytes.drain(at..length.min(at + random.random_range(1..16)))),
            5 => {
                let edge = EDGES[random.random_range(0..EDGES.len())];
                let end = length.min(at + random.random_range(0..4));
                bytes.splice(at..end, edge.bytes());
            }
            6 => {
                let fill = if random.random_range(0..2) == 0 { 0xff } else { 0 };
                let end = length.min(at + random.random_range(1..9));
                bytes[at..end].fill(fill);
            }
            7 | 8 => number(bytes, random),
            9 => line(bytes, random),
            10 => {
                let what = NESTED[random.random_range(0..NESTED.len())];
                let times = [2, 10, 100, 1000][random.random_range(0..4)];
                bytes.splice(at..at, what.repeat(times).bytes());
            }
            _ => {
                let acts = ["\u{1b}]0;x\u{7}", "\u{202e}", "\r", "\0"][random.random_range(0..4)];
                bytes.splice(at..at, acts.bytes());
            }
        }
        if bytes.is_empty() {
            bytes.push(b'0');
        }
    }
    bytes.truncate(200_000);
}

/// Replaces a number by another one.
fn number(bytes: &mut Vec<u8>, random: &mut Pcg64Mcg) {
    let is_begin = |at: &usize| bytes[*at].is_ascii_digit() && (*at == 0 || !bytes[*at - 1].is_ascii_digit());
    let begins: Vec<usize> = (0..bytes.len()).filter(is_begin).collect();
    if begins.is_empty() {
        return;
    }
    let at = begins[random.random_range(0..begins.len())];
    let end = bytes[at..].iter().position(|byte| !byte.is_ascii_digit()).map_or(bytes.len(), |length| at + length);
    let value: Option<u64> = std::str::from_utf8(&bytes[at..end]).ok().and_then(|text| text.parse().ok());
    let written = match (value, random.random_range(0..3)) {
        (Some(value), 0) => value.wrapping_mul([2, 10, 1000, 1_000_000][random.random_range(0..4)]).to_string(),
        (Some(value), 1) => value.wrapping_add_signed(random.random_range(-1..2)).to_string(),
        _ => EDGES[random.random_range(0..EDGES.len())].to_owned(),
    };
    bytes.splice(at..end, written.bytes());
}

/// Repeats, removes or moves a line.
fn line(bytes: &mut Vec<u8>, random: &mut Pcg64Mcg) {
    let mut lines: Vec<&[u8]> = bytes.split(|&byte| byte == b'\n').collect();
    let (one, other) = (random.random_range(0..lines.len()), random.random_range(0..lines.len()));
    match random.random_range(0..3) {
        0 => lines.insert(one, lines[other]),
        1 => drop(lines.remove(one)),
        _ => lines.swap(one, other),
    }
    *bytes = lines.join(&b'\n');
}

/// Corrects the checksums of a compact file, so that its content is read.
pub fn forge(bytes: &mut [u8]) {
    let crc = |bytes: &[u8]| crc32fast::hash(bytes).to_le_bytes();
    if bytes.len() < 20 {
        return;
    }
    let head = crc(&bytes[..16]);
    bytes[16..20].copy_from_slice(&head);
    let mut at = 20;
    while at + 20 <= bytes.len() {
        let length = u64::from_le_bytes(bytes[at + 4..at + 12].try_into().expect("eight bytes"));
        let length = usize::try_from(length).unwrap_or(usize::MAX).min(bytes.len() - at - 20);
        bytes[at + 4..at + 12].copy_from_slice(&(length as u64).to_le_bytes());
        let body = crc(&bytes[at + 20..at + 20 + length]);
        bytes[at + 12..at + 16].copy_from_slice(&body);
        let head = crc(&bytes[at..at + 16]);
        bytes[at + 16..at + 20].copy_from_slice(&head);
        at += 20 + length;
    }
}
