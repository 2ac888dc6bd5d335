//! Adaptive minimal routing by credits: the least loaded cable on a shortest path, decided again at each switch. Hop
//! number i travels on virtual channel i.
//!
//! Of equals it is the lowest cable, as in BookSim, or with `random` any of them. Where most loads are equal, as in a
//! tree with little traffic, the lowest cable of each switch takes most of it.

use super::rule::{At, Candidate, Head, Request, Rule};
use super::shortest::Shortest;
use crate::packets::PacketError;
use crate::packets::random::scaled;
use crate::packets::wiring::Wiring;
use std::cmp::Ordering;
use std::sync::Arc;

struct Amin {
    wiring: Arc<Wiring>,
    shortest: Arc<Shortest>,
    /// `true` if any of equals may be taken, and not only the lowest.
    any: bool,
}

pub(super) fn build(request: &Request<'_>) -> Result<Box<dyn Rule>, PacketError> {
    let any = match request.argument {
        None => false,
        Some("random") => true,
        Some(text) => {
            let value = format!("`{}:{text}`", request.name);
            return Err(PacketError::invalid("routing", value, "the only variant is `random`"));
        }
    };
    Ok(Box::new(Amin { wiring: request.wiring.clone(), shortest: Shortest::new(request)?, any }))
}

impl Amin {
    /// Returns one of the least loaded cables, each with the same chance.
    fn any_least_loaded(&self, at: &At<'_>, head: &Head, first: u32) -> u32 {
        let load = |cable: u32| at.loads[(first + cable) as usize];
        let (mut least, mut equals) = (u32::MAX, 0);
        self.shortest.next(at.switch, head.target, |cable| match load(cable).cmp(&least) {
            Ordering::Less => (least, equals) = (load(cable), 1),
            Ordering::Equal => equals += 1,
            Ordering::Greater => {}
        });
        let (mut chosen, mut place) = (0, scaled(at.random(head), equals));
        self.shortest.next(at.switch, head.target, |cable| {
            if load(cable) == least {
                if place == 0 {
                    chosen = cable;
                }
                place = place.wrapping_sub(1);
            }
        });
        chosen
    }
}

/// Returns the candidate of a cable by the number of hops.
#[inline]
pub(super) fn by_hops(first_cable: u32, cable: u32, head: &Head) -> Candidate {
    let vc = head.hops as u8;
    Candidate { output: (first_cable + cable) as u16, lowest: vc, highest: vc, priority: 0 }
}

impl Rule for Amin {
    #[inline]
    fn route(&self, at: &At<'_>, head: &mut Head, _more: &mut Vec<Candidate>) -> Candidate {
        let first = self.wiring.first_cable(at.switch);
        let cable = match self.any {
            true => self.any_least_loaded(at, head, first),
            false => self.shortest.least_loaded(at.switch, head.target, at.loads, first).0,
        };
        by_hops(first, cable, head)
    }

    fn prefetch(&self, from: u32, target: u32, _to: u32, _is_new: bool) {
        self.shortest.prefetch(from, target);
    }

    fn reads_pairs(&self) -> bool {
        true
    }

    fn possible(&self, at: &At<'_>, head: &Head, visit: &mut dyn FnMut(Candidate, Head)) {
        let first = self.wiring.first_cable(at.switch);
        self.shortest.next(at.switch, head.target, |cable| visit(by_hops(first, cable, head), *head));
    }

    fn vcs_needed(&self) -> u32 {
        self.shortest.diameter.max(1)
    }

    fn ascending(&self) -> bool {
        true
    }
}
