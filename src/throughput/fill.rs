//! Max-min fair levels of many simultaneous flows, for networks of millions of flows.
//!
//! The solver of replays repairs a solution while flows come and go. Here all flows are known, and one pass finds the
//! solution: progressive filling, link by link in the order in which they become full (D. Bertsekas and R. Gallager,
//! Data Networks, section 6.5.2). Let a class c of demand w_c send level_c * w_c, of which part p_cl takes link l. A
//! link whose open classes use u_l = sum p_cl w_c per unit of level, and that has r_l of its capacity left, is full at
//! level r_l / u_l. The link with the lowest such level is full first; its classes are settled at that level and the
//! links on their paths are updated. Settling a class at a level below a link's can only raise the level of that link,
//! so a heap of levels that are out of date in one direction is enough: an entry that comes off too early is put back.
//! Each entry is settled once, so the work is proportional to the number of entries, and the result is exact up to
//! rounding.

use super::carried::Incidence;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Marks a class that no link limits.
pub const NOTHING: u32 = u32::MAX;
/// Marks a class that is limited by its own bound.
pub const OWN_BOUND: u32 = u32::MAX - 1;

/// Sums are formed afresh when subtractions have left less than this part of them, lest rounding errors dominate.
const WORN: f64 = 1e-3;
/// Largest error of a level that was updated by subtraction before the link goes back on the heap.
const DRIFT: f64 = 1e-12;

/// Levels of all classes, and the limit of each.
#[derive(Clone, PartialEq, Debug)]
pub struct Fair {
    /// Level of each class: its rate over its demand. Infinite if nothing limits it.
    pub level: Vec<f64>,
    /// Link that limits it, or [`OWN_BOUND`], or [`NOTHING`].
    pub limit: Vec<u32>,
}

/// Link on the heap; the lowest level is the greatest entry, of equals the lowest link.
#[derive(PartialEq)]
struct HeapLink {
    level: f64,
    link: u32,
}

impl Eq for HeapLink {}

impl PartialOrd for HeapLink {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for HeapLink {
    fn cmp(&self, other: &Self) -> Ordering {
        other.level.total_cmp(&self.level).then(other.link.cmp(&self.link))
    }
}

/// Classes of each link.
struct Members {
    first: Vec<usize>,
    classes: Vec<u32>,
    /// Usage of the link by each class per unit of level.
    usage: Vec<f64>,
}

impl Members {
    fn new(links: usize, incidence: &Incidence, demand: &[f64]) -> Self {
        let mut first = vec![0; links + 1];
        incidence.links.iter().for_each(|&link| first[link as usize + 1] += 1);
        for link in 0..links {
            first[link + 1] += first[link];
        }
        let mut next = first.clone();
        let (mut classes, mut usage) = (vec![0; incidence.links.len()], vec![0.0; incidence.links.len()]);
        for (class, demand) in demand.iter().enumerate() {
            for (link, part) in incidence.of(class) {
                (classes[next[link]], usage[next[link]]) = (class as u32, part * demand);
                next[link] += 1;
            }
        }
        Self { first, classes, usage }
    }

    fn of(&self, link: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.first[link]..self.first[link + 1];
        self.classes[range.clone()].iter().map(|&class| class as usize).zip(self.usage[range].iter().copied())
    }
}

#[derive(Clone, Copy)]
struct FillLink {
    /// Capacity that settled classes leave.
    left: f64,
    /// Usage of the open classes per unit of level.
    usage: f64,
    /// Value of `usage` when it was last summed afresh.
    formed: f64,
    /// Number of open entries.
    open: u32,
}

impl FillLink {
    fn level(&self) -> f64 {
        (self.left / self.usage).max(0.0)
    }
}

/// Returns the max-min fair levels. `capacity` is that of each link, `demand` the traffic of each class at level 1,
/// `bound` the largest level of each class.
pub fn fill(capacity: &[f64], incidence: &Incidence, demand: &[f64], bound: &[f64]) -> Fair {
    let members = Members::new(capacity.len(), incidence, demand);
    let mut fair = Fair { level: vec![f64::INFINITY; demand.len()], limit: vec![NOTHING; demand.len()] };
    let form = |fair: &Fair, link: usize| {
        let mut formed = FillLink { left: capacity[link], usage: 0.0, formed: 0.0, open: 0 };
        for (class, usage) in members.of(link) {
            if fair.limit[class] == NOTHING {
                formed.usage += usage;
                formed.open += 1;
            } else {
                formed.left -= usage * fair.level[class];
            }
        }
        formed.formed = formed.usage;
        formed
    };
    let mut links: Vec<FillLink> = (0..capacity.len()).map(|link| form(&fair, link)).collect();
    let mut heap: BinaryHeap<HeapLink> = (0..)
        .zip(&links)
        .filter(|(_, link)| link.usage > 0.0)
        .map(|(index, link)| HeapLink { level: link.level(), link: index })
        .collect();
    let mut bounded: Vec<u32> = (0..demand.len() as u32).filter(|&class| bound[class as usize].is_finite()).collect();
    bounded.sort_unstable_by(|&a, &b| bound[a as usize].total_cmp(&bound[b as usize]).then(a.cmp(&b)));
    let mut bounded = bounded.into_iter().peekable();
    let settle = |fair: &mut Fair, links: &mut [FillLink], class: usize, level: f64, limit: u32| {
        (fair.level[class], fair.limit[class]) = (level, limit);
        for (link, part) in incidence.of(class) {
            let usage = part * demand[class];
            let link = &mut links[link];
            link.left -= usage * level;
            link.usage -= usage;
            link.open -= 1;
        }
    };
    loop {
        let lowest = heap.peek().map_or(f64::INFINITY, |entry| entry.level);
        if let Some(&class) = bounded.peek()
            && bound[class as usize] <= lowest
        {
            bounded.next();
            if fair.limit[class as usize] == NOTHING {
                settle(&mut fair, &mut links, class as usize, bound[class as usize], OWN_BOUND);
            }
            continue;
        }
        let Some(HeapLink { level: promised, link }) = heap.pop() else { return fair };
        let index = link as usize;
        if links[index].open == 0 {
            continue;
        }
        if links[index].usage < WORN * links[index].formed {
            links[index] = form(&fair, index);
        }
        if links[index].level() > promised {
            heap.push(HeapLink { level: links[index].level(), link });
            continue;
        }
        // The level of the link is recomputed from all its classes.
        links[index] = form(&fair, index);
        let level = links[index].level();
        if level > promised * (1.0 + DRIFT) {
            heap.push(HeapLink { level, link });
            continue;
        }
        for (class, _) in members.of(index) {
            if fair.limit[class] == NOTHING {
                settle(&mut fair, &mut links, class, level, link);
            }
        }
    }
}
