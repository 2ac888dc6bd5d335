//! Section of communicators: the members of each, in the order of their numbers.
//!
//! It precedes the ranks that use them. There may be several: later ones repeat the known communicators and add others.

use crate::trace::communicator::twice;
use crate::trace::varint::{Cursor, put, put_signed};
use crate::trace::{MemberList, Trace};

/// Writes the body of the section: the number of communicators, and for each the number of members, followed by their
/// differences.
pub(super) fn encode(trace: &Trace, body: &mut Vec<u8>) {
    put(trace.communicators.len() as u64, body);
    for members in &trace.communicators {
        put(members.len() as u64, body);
        let mut before = 0;
        for &member in &**members {
            put_signed(i64::from(member) - before, body);
            before = i64::from(member);
        }
    }
}

/// Reads the body into the table; the error has its position in the body.
pub(super) fn decode(body: &[u8], ranks: usize, table: &mut Vec<MemberList>) -> Result<(), (usize, String)> {
    let mut bytes = Cursor::new(body);
    let short = |at| (at, "a list of members is cut off".to_owned());
    let number = bytes.number().ok_or_else(|| short(0))?;
    for index in 0..number {
        let at = bytes.at();
        let length = bytes.small().ok_or_else(|| short(at))? as usize;
        // Each member takes at least one byte, so the size of the file bounds the allocation.
        let mut members: Vec<u32> = Vec::with_capacity(length.min(bytes.rest().len()));
        let mut before = 0i64;
        for _ in 0..length {
            before = bytes.signed().and_then(|difference| before.checked_add(difference)).ok_or_else(|| short(at))?;
            match u32::try_from(before).ok().filter(|&member| (member as usize) < ranks) {
                Some(member) => members.push(member),
                None => return Err((at, format!("communicator {} has member {before} of {ranks} ranks", index + 1))),
            }
        }
        if members.is_empty() {
            return Err((at, format!("communicator {} has no members", index + 1)));
        }
        if let Some(member) = twice(&members) {
            return Err((at, format!("rank {member} is twice in communicator {}", index + 1)));
        }
        match table.get(index as usize) {
            None => table.push(members.into()),
            Some(known) if **known == *members => {}
            Some(_) => return Err((at, format!("communicator {} has other members than before", index + 1))),
        }
    }
    match bytes.rest() {
        [] => Ok(()),
        _ => Err((bytes.at(), "something follows the last communicator".to_owned())),
    }
}
