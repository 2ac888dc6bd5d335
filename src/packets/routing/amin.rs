//! Adaptive minimal routing by credits: the least loaded cable on a shortest path, the lowest of equals; decided again
//! at each switch. Hop number i travels on virtual channel i.

use super::rule::{At, Candidate, Head, Request, Rule};
use super::shortest::Shortest;
use crate::packets::PacketError;
use crate::packets::wiring::Wiring;
use std::sync::Arc;

struct Amin {
    wiring: Arc<Wiring>,
    shortest: Arc<Shortest>,
}

pub(super) fn build(request: &Request<'_>) -> Result<Box<dyn Rule>, PacketError> {
    request.no_argument()?;
    Ok(Box::new(Amin { wiring: request.wiring.clone(), shortest: Shortest::new(request)? }))
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
        let (cable, _) = self.shortest.least_loaded(at.switch, head.target, at.loads, first);
        by_hops(first, cable, head)
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
