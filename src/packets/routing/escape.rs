//! Adaptive minimal routing with an escape (J. Duato, 1993): every shortest next hop on the upper virtual channels with
//! priority, and one deadlock-free escape on the lowest.
//!
//! With `booksim` a packet on a torus whose distances in both directions along a dimension are equal goes downwards, as
//! in BookSim 2; it stays on the escape as with `once`.
//!
//! The escape is dimension order on ring, mesh, torus, hypercube and HyperX, up*/down* on other two-way graphs. With
//! `once` a packet that took the escape stays on it; with `free` it may return to the adaptive channels.

use super::dimension_order::{DimensionOrder, goes_upwards};
use super::rule::{At, Candidate, Head, Request, Rule};
use super::shortest::Shortest;
use crate::ids::SwitchId;
use crate::packets::PacketError;
use crate::packets::wiring::Wiring;
use crate::routing::grid::{Grid, Line};
use crate::topology::ArcId;
use rayon::prelude::*;
use std::sync::Arc;

/// Phase bit: dimension order's wrap on the escape.
const WRAPS: u32 = 2;
const FAR: u16 = u16::MAX;

enum EscapeRoute {
    /// Dimension order, on one virtual channel or two.
    Grid(DimensionOrder),
    /// Up*/down*: the cable by phase (may go up, may not), switch and target.
    UpDown { cables: [Vec<u16>; 2], up: Vec<bool> },
}

struct Escape {
    wiring: Arc<Wiring>,
    shortest: Arc<Shortest>,
    way: EscapeRoute,
    /// Number of escape channels, which are `0..escapes`.
    escapes: u8,
    vcs: u8,
    free: bool,
    /// Grid, if only the lower of two equal directions is taken.
    downwards: Option<Grid>,
    most: usize,
}

pub(super) fn build(request: &Request<'_>) -> Result<Box<dyn Rule>, PacketError> {
    let (free, downwards) = match request.argument {
        None | Some("once") => (false, false),
        Some("free") => (true, false),
        Some("booksim") => (false, true),
        Some(text) => {
            let value = format!("`escape:{text}`");
            return Err(PacketError::invalid("routing", value, "the variants are `once`, `free` and `booksim`"));
        }
    };
    let wiring = request.wiring.clone();
    let way = if Grid::of(&wiring.topology).is_some() {
        EscapeRoute::Grid(DimensionOrder::new(request)?)
    } else {
        let graph = &wiring.topology.graph;
        if graph.is_directed() {
            return Err(request.unsuitable(
                "up*/down* needs cables in both directions",
                "`amin`, `static` and `valiant` fit uni-directional networks",
            ));
        }
        if !graph.is_connected_by_cables() {
            return Err(request.unsuitable("it is disconnected", "`amin` needs paths between hosts only"));
        }
        up_down(request)?
    };
    let escapes = match &way {
        EscapeRoute::Grid(order) if order.has_rings() => 2,
        _ => 1,
    };
    let most = 1 + (0..wiring.switches() as u32).map(|s| wiring.out_cables(s)).max().unwrap_or(0) as usize;
    let shortest = Shortest::new(request)?;
    let downwards = if downwards { Grid::of(&wiring.topology).filter(|grid| grid.has(Line::Cycle)) } else { None };
    Ok(Box::new(Escape { wiring, shortest, way, escapes, vcs: request.vcs as u8, free, downwards, most }))
}

/// Returns the next hops of shortest legal paths: up first, then down, the lowest cable of equals. The root is the
/// switch with the most cables (M. Schroeder et al., Autonet, 1991).
fn up_down(request: &Request<'_>) -> Result<EscapeRoute, PacketError> {
    let wiring = request.wiring;
    let graph = &wiring.topology.graph;
    let n = graph.switches();
    if n.saturating_mul(4 * n) > 1 << 31 {
        let reason = format!("the up*/down* next hops of {n} switches take {} GiB, and may take 2", (4 * n * n) >> 30);
        return Err(PacketError::TooLarge { topology: wiring.topology.name(), reason });
    }
    let degree = |s: &u32| graph.out_degree(SwitchId(*s));
    let root = (0..n as u32).max_by_key(|s| (degree(s), std::cmp::Reverse(*s))).unwrap_or(0);
    let (level, _) = crate::topology::hops::distances(graph, SwitchId(root));
    let rank = |s: SwitchId| (level[s.index()], s.0);
    let up: Vec<bool> =
        (0..graph.arcs() as u32).map(|arc| rank(graph.head(ArcId(arc))) < rank(graph.tail(ArcId(arc)))).collect();
    let column = |to: u32| {
        // hops[0]: may still go up; hops[1]: may not.
        let mut hops = [vec![FAR; n], vec![FAR; n]];
        (hops[0][to as usize], hops[1][to as usize]) = (0, 0);
        let mut queue = vec![(to, 0), (to, 1)];
        let mut done = 0;
        while let Some(&(s, phase)) = queue.get(done) {
            done += 1;
            let further = hops[phase][s as usize] + 1;
            for arc in graph.in_arcs(SwitchId(s)) {
                let tail = graph.tail(arc).index();
                // A packet that may go up reaches phase 0 by an arc up; phase 1 by an arc down from either phase.
                let before: &[usize] = match (up[arc.index()], phase) {
                    (true, 0) => &[0],
                    (false, 1) => &[0, 1],
                    _ => &[],
                };
                for &phase in before {
                    if hops[phase][tail] == FAR {
                        hops[phase][tail] = further;
                        queue.push((tail as u32, phase));
                    }
                }
            }
        }
        let next = |phase: usize| -> Vec<u16> {
            let of = |s: u32| {
                let here = hops[phase][s as usize];
                let leads = |&cable: &u32| {
                    let arc = wiring.out_arc(s, cable);
                    let head = graph.head(arc).index();
                    let (is_up, after) = (up[arc.index()], usize::from(!up[arc.index()]));
                    (phase == 0 || !is_up) && hops[after][head] != FAR && hops[after][head] + 1 == here
                };
                let cable = (0..wiring.out_cables(s)).find(leads);
                cable.filter(|_| here != FAR && here != 0).map_or(FAR, |cable| cable as u16)
            };
            (0..n as u32).map(of).collect()
        };
        [next(0), next(1)]
    };
    let columns: Vec<[Vec<u16>; 2]> = (0..n as u32).into_par_iter().map(column).collect();
    let table = |phase: usize| {
        let rows = (0..n).into_par_iter();
        rows.flat_map_iter(|s| columns.iter().map(move |column| column[phase][s])).collect()
    };
    Ok(EscapeRoute::UpDown { cables: [table(0), table(1)], up })
}

impl Escape {
    /// Adds the other candidates to `more`, and returns that of the escape route. Where both directions of a ring are equally
    /// long, `coin` decides whether it goes upwards; without one, random bits of the packet do.
    fn choose(&self, at: &At<'_>, head: &mut Head, more: &mut Vec<Candidate>, coin: Option<bool>) -> Candidate {
        let on_it = self.on_escape(at);
        let first = self.wiring.first_cable(at.switch);
        if self.free || !on_it {
            self.shortest.next(at.switch, head.target, |cable| {
                if self.is_left_out(at, head, cable) {
                    return;
                }
                let output = (first + cable) as u16;
                more.push(Candidate { output, lowest: self.escapes, highest: self.vcs - 1, priority: 1 });
            });
        }
        self.escape(at, head, on_it, coin)
    }

    /// Returns the escape candidate. `on_it`: the packet arrived by an escape channel.
    fn escape(&self, at: &At<'_>, head: &mut Head, on_it: bool, coin: Option<bool>) -> Candidate {
        let first = self.wiring.first_cable(at.switch);
        match &self.way {
            EscapeRoute::Grid(order) => {
                let mut wraps = head.phase & WRAPS != 0;
                let upwards = || coin.unwrap_or_else(|| goes_upwards(at, head));
                let step = order
                    .step_by(at, head.target, !on_it, &mut wraps, upwards)
                    .expect("the packet is not at its destination");
                head.phase = if wraps { head.phase | WRAPS } else { head.phase & !WRAPS };
                let vc = if self.escapes == 2 { u8::from(step.upper) } else { 0 };
                Candidate { output: (first + step.cable) as u16, lowest: vc, highest: vc, priority: 0 }
            }
            EscapeRoute::UpDown { cables, up } => {
                let came_down =
                    on_it && at.cable.is_some_and(|cable| !up[self.wiring.in_arc(at.switch, cable).index()]);
                let place = at.switch as usize * self.wiring.switches() + head.target as usize;
                let cable = cables[usize::from(came_down)][place];
                Candidate { output: (first + u32::from(cable)) as u16, lowest: 0, highest: 0, priority: 0 }
            }
        }
    }

    /// `true` for a cable upwards along a ring whose other direction is equally short.
    fn is_left_out(&self, at: &At<'_>, head: &Head, cable: u32) -> bool {
        let Some(grid) = &self.downwards else { return false };
        let direction = grid.direction(at.switch, self.wiring.far_end(at.switch, cable).switch);
        let mut pairs = grid.coordinates(at.switch).zip(grid.coordinates(head.target)).zip(&grid.dims);
        let tie = pairs.nth(direction as usize / 2).is_some_and(|((here, there), &size)| {
            size > 2 && grid.lines[direction as usize / 2] == Line::Cycle && 2 * ((there + size - here) % size) == size
        });
        tie && direction.is_multiple_of(2)
    }

    fn on_escape(&self, at: &At<'_>) -> bool {
        at.cable.is_some() && at.vc < u32::from(self.escapes)
    }
}

impl Rule for Escape {
    fn route(&self, at: &At<'_>, head: &mut Head, more: &mut Vec<Candidate>) -> Candidate {
        self.choose(at, head, more, None)
    }

    fn prefetch(&self, from: u32, target: u32, _to: u32, _is_new: bool) {
        self.shortest.prefetch(from, target);
    }

    fn reads_pairs(&self) -> bool {
        true
    }

    fn possible(&self, at: &At<'_>, head: &Head, visit: &mut dyn FnMut(Candidate, Head)) {
        let mut found = Vec::new();
        for side in [true, false] {
            let (mut head, mut more) = (*head, Vec::new());
            let escape = self.choose(at, &mut head, &mut more, Some(side));
            for candidate in more.into_iter().chain([escape]) {
                if !found.contains(&(candidate, head)) {
                    found.push((candidate, head));
                    visit(candidate, head);
                }
            }
        }
    }

    fn reads_loads(&self) -> bool {
        false
    }

    fn set_vcs(&mut self, vcs: u32) {
        self.vcs = vcs as u8;
    }

    fn vcs_needed(&self) -> u32 {
        u32::from(self.escapes) + 1
    }

    fn candidates(&self) -> usize {
        self.most
    }

    fn proof(&self) -> Option<&'static str> {
        Some(match self.way {
            EscapeRoute::Grid(_) => "its escape is dimension order with datelines (Dally and Seitz, 1987)",
            EscapeRoute::UpDown { .. } => "its escape is up*/down* (Schroeder et al., 1991)",
        })
    }

    fn is_escape(&self, vc: u32) -> bool {
        vc < u32::from(self.escapes)
    }
}
