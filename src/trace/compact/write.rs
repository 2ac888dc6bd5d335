//! Writer of the compact form.

use std::io::Write;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::layout::{
    COMMUNICATORS, COMPUTE_LONG, COMPUTE_SHORT, END, ENTRIES, ENTRY_16, ENTRY_32, MAGIC, NOTES, ONE_BYTE, RANK, VERSION,
};
use super::{communicators, entry};
use crate::steps::Steps;
use crate::trace::actions::to_words;
use crate::trace::varint::put;
use crate::trace::write::{WriteError, Writer};
use crate::trace::{Action, Trace};

/// Largest number of actions per section. It bounds the memory of a reader in addition to the trace itself.
const SECTION_ACTIONS: usize = 1 << 18;

/// Number of occurrences that make an amount of computation an entry.
const FREQUENT: u32 = 4;

/// Writer of the compact binary form.
#[derive(Debug)]
pub struct Compact;

impl Writer for Compact {
    fn head(&self, ranks: usize, notes: &[String], out: &mut dyn Write) -> Result<(), WriteError> {
        let mut head = MAGIC.to_vec();
        head.extend(VERSION.to_le_bytes());
        head.extend([0; 2]);
        head.extend((ranks as u32).to_le_bytes());
        head.extend(crc32fast::hash(&head).to_le_bytes());
        out.write_all(&head)?;
        if !notes.is_empty() {
            let mut body = Vec::new();
            put(notes.len() as u64, &mut body);
            for note in notes {
                put(note.len() as u64, &mut body);
                body.extend(note.as_bytes());
            }
            section(NOTES, &body, out)?;
        }
        Ok(())
    }

    fn part(&self, part: &Trace, first: usize, _: usize, out: &mut dyn Write, steps: &Steps) -> Result<(), WriteError> {
        let mut body = Vec::new();
        if first == 0 && !part.communicators.is_empty() {
            communicators::encode(part, &mut body);
            section(COMMUNICATORS, &body, out)?;
        }
        for (rank, actions) in (first as u32..).zip(&part.actions) {
            // A rank without actions needs no section: its position is known by its number.
            for some in actions.chunks(SECTION_ACTIONS) {
                body.clear();
                encode(part, &some, rank, &mut body);
                section(RANK, &body, out)?;
            }
            steps.did(actions.len() as u64);
        }
        Ok(())
    }

    fn tail(&self, ranks: usize, actions: u64, out: &mut dyn Write) -> Result<(), WriteError> {
        let mut body = (ranks as u32).to_le_bytes().to_vec();
        body.extend(actions.to_le_bytes());
        section(END, &body, out)
    }
}

/// Writes a section: its kind, its length, the checksum of its body, the checksum of these.
fn section(kind: u8, body: &[u8], out: &mut dyn Write) -> Result<(), WriteError> {
    let mut head = vec![kind, 0, 0, 0];
    head.extend((body.len() as u64).to_le_bytes());
    head.extend(crc32fast::hash(body).to_le_bytes());
    head.extend(crc32fast::hash(&head).to_le_bytes());
    out.write_all(&head)?;
    Ok(out.write_all(body)?)
}

fn encode(trace: &Trace, actions: &[Action], rank: u32, body: &mut Vec<u8>) {
    // Number of occurrences, and index of the first.
    let mut found: HashMap<[u64; 2], u32, FxBuildHasher> = HashMap::default();
    let mut uses: Vec<(u32, &Action)> = Vec::new();
    let order: Vec<u32> = actions
        .iter()
        .map(|action| {
            let at = *found.entry(to_words(action)).or_insert_with(|| {
                uses.push((0, action));
                uses.len() as u32 - 1
            });
            uses[at as usize].0 += 1;
            at
        })
        .collect();
    let mut entries: Vec<u32> = (0..uses.len() as u32)
        .filter(|&i| {
            let (count, action) = uses[i as usize];
            count >= FREQUENT || !matches!(action, Action::Compute { .. })
        })
        .collect();
    // Stable: equally frequent entries keep their order.
    entries.sort_by_key(|&i| std::cmp::Reverse(uses[i as usize].0));
    let mut number = vec![u32::MAX; uses.len()];
    put(u64::from(rank), body);
    put(actions.len() as u64, body);
    put(entries.len() as u64, body);
    for (i, &at) in (0..).zip(&entries) {
        number[at as usize] = i;
        entry::encode(trace, uses[at as usize].1, rank, body);
    }
    for (action, at) in actions.iter().zip(order) {
        match (number[at as usize], action) {
            (u32::MAX, Action::Compute { flops }) => amount(*flops, body),
            (i, _) if (i as usize) < ONE_BYTE => body.push(i as u8 + ENTRIES),
            (i, _) => match u16::try_from(i) {
                Ok(i) => {
                    body.push(ENTRY_16);
                    body.extend(i.to_le_bytes());
                }
                Err(_) => {
                    body.push(ENTRY_32);
                    body.extend(i.to_le_bytes());
                }
            },
        }
    }
}

/// Writes an amount of computation that is not an entry. Recorders usually write whole numbers of 32 bits.
fn amount(flops: f64, body: &mut Vec<u8>) {
    let short = flops as u32;
    if f64::from(short).to_bits() == flops.to_bits() {
        body.push(COMPUTE_SHORT);
        body.extend(short.to_le_bytes());
    } else {
        body.push(COMPUTE_LONG);
        body.extend(flops.to_le_bytes());
    }
}
