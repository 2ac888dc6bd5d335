//! UGAL and bottleneck-UGAL of the paper on Equality networks, as we read it; its formulas are not available.
//!
//! At the first switch all neighbours are weighed whose path is at most one hop longer than the shortest
//! ("sub-shortest"): load of the output times hops of the path. The least weight wins, then the shorter path, then the
//! lower cable; after it the packet is routed adaptive minimal. `bgal` weighs only shortest paths if there are more
//! than two of them. Hop number i travels on virtual channel i.

use super::amin::by_hops;
use super::rule::{At, Candidate, Head, Request, Rule};
use super::shortest::Shortest;
use crate::packets::PacketError;
use crate::packets::wiring::Wiring;
use std::sync::Arc;

struct UgalEquality {
    wiring: Arc<Wiring>,
    shortest: Arc<Shortest>,
    /// Beyond this number of shortest next hops only these are weighed.
    enough: Option<u32>,
}

pub(super) fn build(request: &Request<'_>) -> Result<Box<dyn Rule>, PacketError> {
    request.no_argument()?;
    Ok(Box::new(UgalEquality { wiring: request.wiring.clone(), shortest: Shortest::new(request)?, enough: None }))
}

pub(super) fn bgal(request: &Request<'_>) -> Result<Box<dyn Rule>, PacketError> {
    let enough = Some(request.number_or(2)?);
    Ok(Box::new(UgalEquality { wiring: request.wiring.clone(), shortest: Shortest::new(request)?, enough }))
}

impl UgalEquality {
    /// `true` if the packet may take sub-shortest paths here.
    fn weighs(&self, at: &At<'_>, head: &Head) -> bool {
        if at.cable.is_some() {
            return false;
        }
        let Some(enough) = self.enough else { return true };
        let mut count = 0;
        self.shortest.next(at.switch, head.target, |_| count += 1);
        count <= enough
    }

    /// Calls `visit` with cable and hops of each shortest and sub-shortest path.
    fn ways(&self, at: &At<'_>, head: &Head, mut visit: impl FnMut(u32, u32)) {
        let most = self.shortest.distance(at.switch, head.target) + 1;
        for cable in 0..self.wiring.out_cables(at.switch) {
            let hops = 1 + self.shortest.distance(self.wiring.far_end(at.switch, cable).switch, head.target);
            if hops <= most {
                visit(cable, hops);
            }
        }
    }
}

impl Rule for UgalEquality {
    fn route(&self, at: &At<'_>, head: &mut Head, _more: &mut Vec<Candidate>) -> Candidate {
        let first = self.wiring.first_cable(at.switch);
        if !self.weighs(at, head) {
            let (cable, _) = self.shortest.least_loaded(at.switch, head.target, at.loads, first);
            return by_hops(first, cable, head);
        }
        let mut best = (u64::MAX, 0, 0);
        self.ways(at, head, |cable, hops| {
            let load = u64::from(at.loads[(first + cable) as usize]);
            best = best.min((load * u64::from(hops), hops, cable));
        });
        by_hops(first, best.2, head)
    }

    fn prefetch(&self, from: u32, target: u32, _to: u32, _is_new: bool) {
        self.shortest.prefetch(from, target);
    }

    fn reads_pairs(&self) -> bool {
        true
    }

    fn possible(&self, at: &At<'_>, head: &Head, visit: &mut dyn FnMut(Candidate, Head)) {
        let first = self.wiring.first_cable(at.switch);
        if self.weighs(at, head) {
            self.ways(at, head, |cable, _| visit(by_hops(first, cable, head), *head));
        } else {
            self.shortest.next(at.switch, head.target, |cable| visit(by_hops(first, cable, head), *head));
        }
    }

    fn vcs_needed(&self) -> u32 {
        self.shortest.diameter + 1
    }

    fn ascending(&self) -> bool {
        true
    }
}
