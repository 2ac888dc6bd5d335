//! UGAL with local information (A. Singh, Load-Balanced Routing in Interconnection Networks, 2005): at the first
//! switch, of the direct path and one by a random switch, the one with the smaller product of load and hops.
//!
//! Direct if `q_m H_m <= q_n H_n + T`: q is the load of the best first output, H the hops of the whole path. Both parts
//! are adaptive minimal with hop number i on virtual channel i.

use super::amin::by_hops;
use super::rule::{At, Candidate, Head, Request, Rule};
use super::shortest::Shortest;
use super::valiant::arrive;
use crate::packets::PacketError;
use crate::packets::random::scaled;
use crate::packets::wiring::Wiring;
use std::sync::Arc;

struct Ugal {
    wiring: Arc<Wiring>,
    shortest: Arc<Shortest>,
    threshold: u32,
}

pub(super) fn build(request: &Request<'_>) -> Result<Box<dyn Rule>, PacketError> {
    let threshold = request.number_or(0)?;
    Ok(Box::new(Ugal { wiring: request.wiring.clone(), shortest: Shortest::new(request)?, threshold }))
}

impl Rule for Ugal {
    fn route(&self, at: &At<'_>, head: &mut Head, _more: &mut Vec<Candidate>) -> Candidate {
        let first = self.wiring.first_cable(at.switch);
        let direct = |goal: u32| self.shortest.least_loaded(at.switch, goal, at.loads, first);
        if at.cable.is_none() {
            let through = scaled(at.random(head), self.wiring.switches() as u32);
            let other = through != at.switch && through != head.target;
            if other && self.shortest.may_pass(at.switch, through, head.target) {
                let hops = |from, to| u64::from(self.shortest.distance(from, to));
                let (minimal, detour) = (
                    u64::from(direct(head.target).1) * hops(at.switch, head.target),
                    u64::from(direct(through).1) * (hops(at.switch, through) + hops(through, head.target)),
                );
                if minimal > detour + u64::from(self.threshold) {
                    (head.note, head.phase) = (through, head.phase | Head::DETOUR);
                }
            }
        }
        arrive(at, head);
        let goal = if head.phase & Head::DETOUR != 0 { head.note } else { head.target };
        by_hops(first, direct(goal).0, head)
    }

    fn prefetch(&self, from: u32, target: u32, _to: u32, _is_new: bool) {
        self.shortest.prefetch(from, target);
    }

    fn reads_pairs(&self) -> bool {
        true
    }

    fn possible(&self, at: &At<'_>, head: &Head, visit: &mut dyn FnMut(Candidate, Head)) {
        let first = self.wiring.first_cable(at.switch);
        let here = *head;
        let mut each = |head: Head| {
            let goal = if head.phase & Head::DETOUR != 0 { head.note } else { head.target };
            self.shortest.next(at.switch, goal, |cable| visit(by_hops(first, cable, &head), head));
        };
        if at.cable.is_none() {
            for note in (0..self.wiring.switches() as u32)
                .filter(|&s| s != at.switch && s != here.target && self.shortest.may_pass(at.switch, s, here.target))
            {
                each(Head { note, phase: here.phase | Head::DETOUR, ..here });
            }
        }
        let mut here = here;
        arrive(at, &mut here);
        each(here);
    }

    fn vcs_needed(&self) -> u32 {
        self.shortest.detour.max(1)
    }

    fn ascending(&self) -> bool {
        true
    }
}
