//! Deflection, or hot-potato routing: a switch without buffers sends every packet on in the slot in which it arrives, by
//! a wrong output if the right ones are taken (P. Baran, On Distributed Communications Networks, 1964). The paper on
//! uni-directional networks uses it, since it needs no credits, and so no cables backwards.
//!
//! The rule is not one of virtual channels; [`crate::packets::deflection`] moves the packets. This file checks the
//! network and has the tables: shortest next hops, and distances for those who get none of them.

use super::rule::Request;
use super::shortest::Shortest;
use crate::packets::PacketError;
use std::sync::Arc;

/// Tables for deflection on a network.
#[derive(Clone)]
pub struct Deflection {
    tables: Arc<Shortest>,
}

/// Builds the tables of a network.
pub(super) fn build(request: &Request<'_>) -> Result<Deflection, PacketError> {
    request.no_argument()?;
    let wiring = request.wiring;
    let more_in = (0..wiring.switches() as u32).find(|&s| wiring.in_cables(s) > wiring.out_cables(s));
    if let Some(s) = more_in {
        let reason = format!(
            "switch {s} has {} cables in and {} out, so a switch without buffers cannot send on what arrives",
            wiring.in_cables(s),
            wiring.out_cables(s)
        );
        return Err(request.unsuitable(&reason, "`amin` and `static` have buffers, and fit all networks"));
    }
    Ok(Deflection { tables: Shortest::new(request)? })
}

impl Deflection {
    /// Returns the distance between switches in hops.
    #[inline]
    pub fn distance(&self, from: u32, to: u32) -> u32 {
        self.tables.distance(from, to)
    }

    /// Calls `visit` with each cable on a shortest path, in ascending order; with none if the switches are equal.
    #[inline]
    pub fn next(&self, from: u32, to: u32, visit: impl FnMut(u32)) {
        self.tables.next(from, to, visit);
    }
}
