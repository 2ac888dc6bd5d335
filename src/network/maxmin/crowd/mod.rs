//! Repair of a crowd: link by link instead of flow by flow. A crowd is a large set of coupled flows.
//!
//! Where hundreds of flows are coupled, each change moves many rates but few bottleneck links. So a link keeps the
//! group of flows that it limits, all at one level, and changes propagate between links: a link whose other flows take
//! more or less recomputes its level, and its group's load elsewhere changes with it. Individual flows are visited only
//! when they start, end, or get another bottleneck link.
//!
//! The level of a link is the water level of its flows: x with sum(consumption * weight * min(cap, x)) = capacity,
//! where the cap of a flow is the lowest level among its other links and its own bound. Levels each of which is right,
//! given the others, make up the max-min fair allocation, in whatever order they were found (Charny, Clark and Jain,
//! Congestion Control with Explicit Rate Indication, ICC 1995). Links are visited from the lowest level up; as a link
//! depends only on lower ones, most are visited once. If rounding ever keeps them busy, filling from zero takes over.
//!
//! The load of a link's other flows is kept from change to change. It is counted in whole units of about 2^-51 of the
//! capacity, so that additions can be undone exactly and rounding errors do not accumulate.

mod fill;
mod groups;
#[cfg(test)]
mod tests;
mod within;

pub(super) use self::groups::Crowd;
use self::groups::{Gauge, NONE, Other, Scale, units};
use super::rounding::TOLERANCE;
use super::system::{Flow, Link, OWN_BOUND, System};
use crate::network::sharing::{Element, FlowId, Member};
use std::cmp::Reverse;

/// Relative change of a level below which it is not passed on: the rounding of sums and quotients.
const SAME: f64 = 1e-14;

/// Most flows that enter at a time: a link's count of units has room for twice this number of flows that each want more
/// than its capacity.
const NEWCOMERS: usize = 1024;

/// Smallest number of flows in a crowd.
const CROWD: usize = 64;

/// Most links per flow in a crowd. A path is about as long, so this also estimates the number of incidences.
const LINKS: usize = 8;

impl<const WATCHED: bool> System<WATCHED> {
    /// Notes that a large set was filled flow by flow, after `changes` flows came or went. Once the visited incidences
    /// add up to about all there are, a crowd pays off. Many changes at the same time make a set large even when its
    /// flows are not coupled.
    pub(super) fn note_effort(&mut self, ways: usize, changes: usize) {
        if changes * 4 > self.set.len() {
            return;
        }
        self.crowd.effort += ways;
        if self.crowd.effort >= LINKS * self.active_flows() && self.may_crowd(LINKS) {
            self.crowd.wanted = !self.has_fat_flows();
            self.crowd.effort = 0;
        }
    }

    /// `true` if there are enough flows and not too many links per flow; filling visits all of both.
    fn may_crowd(&self, links: usize) -> bool {
        self.active_flows() >= CROWD && self.active_flows() * links >= self.links.len()
    }

    /// `true` if there are flows on fat pipes. Their rates depend on each other's weights, not only on levels.
    fn has_fat_flows(&self) -> bool {
        self.links.iter().any(|link| link.fat_pipe && !link.members.is_empty())
    }

    pub(in super::super) fn active_flows(&self) -> usize {
        self.flows.len() - self.free.len()
    }

    fn dissolve_crowd(&mut self) {
        let Self { crowd, flows, .. } = self;
        crowd.wanted = false;
        if !std::mem::replace(&mut crowd.active, false) {
            return;
        }
        crowd.loose = crowd.bound > 0.0;
        for (group, gauge) in crowd.groups.iter().zip(&crowd.gauges) {
            for m in &group.members {
                let flow = &mut flows[m.flow as usize];
                (flow.level, flow.value) = (gauge.level, gauge.level * flow.weight);
            }
        }
    }

    /// Restores fairness where there is a crowd, or one is to form. Returns whether it did; it does not where the crowd
    /// has dissolved.
    pub(super) fn repair_crowd(&mut self) -> bool {
        self.crowd.shifted.clear();
        let fat = |&flow: &u32| self.flows[flow as usize].path.fat;
        let newcomers = self.added.len() * 4 > self.active_flows();
        if newcomers || !self.may_crowd(2 * LINKS) || self.added.iter().any(fat) {
            self.dissolve_crowd();
            return false;
        }
        if !self.crowd.active {
            self.fill_crowd();
            return true;
        }
        self.solution += 1;
        self.touched.clear();
        self.crowd.followed.resize(self.flows.len(), NONE);
        let added = std::mem::take(&mut self.added);
        let mut fair = self.level_out();
        for newcomers in added.chunks(NEWCOMERS) {
            newcomers.iter().for_each(|&flow| self.place(flow));
            fair = fair && self.level_out();
        }
        self.added = added;
        self.added.clear();
        if !fair {
            self.fill_crowd();
        }
        true
    }

    /// Returns the level of a flow of a crowd.
    #[inline]
    pub(super) fn level_of(&self, flow: u32) -> f64 {
        let Flow { level, bottleneck, .. } = self.flows[flow as usize];
        if self.crowd.active && bottleneck != OWN_BOUND { self.crowd.level(bottleneck) } else { level }
    }

    /// Returns the rate of a flow, in a crowd or not.
    #[inline]
    pub(super) fn value_of(&self, flow: u32) -> f64 {
        let Flow { value, weight, bottleneck, .. } = self.flows[flow as usize];
        if self.crowd.active && bottleneck != OWN_BOUND { self.crowd.level(bottleneck) * weight } else { value }
    }

    /// Takes a flow of a crowd off its links.
    pub(super) fn withdraw(&mut self, flow: u32) {
        let level = self.level_of(flow);
        self.ungroup(flow, level);
        let Flow { weight, path, .. } = self.flows[flow as usize];
        for e in &self.elements[path.elements()] {
            let share = self.crowd.share(e.link, e.consumption, weight);
            self.crowd.pass(e.link, share, level, 0.0);
            self.crowd.queue(e.link);
        }
    }

    /// Removes a flow from the group of its bottleneck link, where it then counts among the others.
    fn ungroup(&mut self, flow: u32, level: f64) {
        let Flow { weight, bottleneck, .. } = self.flows[flow as usize];
        if bottleneck == OWN_BOUND {
            return;
        }
        let group = &mut self.crowd.groups[bottleneck as usize];
        group.stale = true;
        if let Some(at) = group.members.iter().position(|m| m.flow == flow) {
            let consumption = group.members.swap_remove(at).consumption;
            let share = self.crowd.share(bottleneck, consumption, weight);
            self.crowd.pass(bottleneck, share, 0.0, level);
        }
        self.crowd.queue(bottleneck);
    }

    /// Assigns a flow its bottleneck link, or its own bound, and its level.
    fn assign(&mut self, flow: u32, bottleneck: u32, level: f64) {
        let from = self.level_of(flow);
        self.ungroup(flow, from);
        self.set_bottleneck(flow, bottleneck);
        let state = &mut self.flows[flow as usize];
        state.level = level;
        if bottleneck == OWN_BOUND {
            state.value = state.bound;
        }
        let Flow { weight, path, .. } = *state;
        for &Element { link, consumption } in &self.elements[path.elements()] {
            let share = self.crowd.share(link, consumption, weight);
            if link == bottleneck {
                let gauge = &mut self.crowd.gauges[link as usize];
                gauge.carry(share, from, 0.0);
                gauge.level = level;
                let group = &mut self.crowd.groups[link as usize];
                group.members.push(Member { flow, consumption });
                group.stale = true;
            } else {
                self.crowd.pass(link, share, from, level);
            }
            self.crowd.queue(link);
        }
        self.tell(flow);
    }

    /// Places a new flow at the lowest level of its links, which is a good guess.
    fn place(&mut self, flow: u32) {
        let Flow { bound, penalty, path, .. } = self.flows[flow as usize];
        let (mut level, mut bottleneck) = (bound * penalty, OWN_BOUND);
        for e in &self.elements[path.elements()] {
            let Link { capacity, members, .. } = &self.links[e.link as usize];
            let most = match self.crowd.level(e.link) {
                level if level < f64::INFINITY => level,
                _ if members.len() == 1 || level == f64::INFINITY => capacity / e.consumption * penalty,
                _ => continue,
            };
            if most <= level {
                (level, bottleneck) = (most, e.link);
            }
        }
        self.assign(flow, bottleneck, level);
    }

    /// Reports a flow that has a rate of its own, or follows the level of another link.
    fn tell(&mut self, flow: u32) {
        let state = &mut self.flows[flow as usize];
        self.crowd.followed[flow as usize] = state.bottleneck;
        if state.in_set != self.solution {
            state.in_set = self.solution;
            self.changed.push(FlowId(flow));
        }
        self.mark_path(FlowId(flow));
    }

    /// Visits links until all levels are right. Returns whether they are.
    fn level_out(&mut self) -> bool {
        let mut patience = self.crowd.patience;
        while let Some(Reverse((_, link))) = self.crowd.queue.pop() {
            self.crowd.gauges[link as usize].queued = false;
            if patience == 0 || self.crowd.flooded {
                return false;
            }
            patience -= 1;
            self.level_link(link);
        }
        true
    }

    /// Recomputes the level of a link.
    fn level_link(&mut self, link: u32) {
        self.form_group(link);
        let Gauge { level: before, load, highest, .. } = self.crowd.gauges[link as usize];
        let group = &self.crowd.groups[link as usize];
        let is_empty = group.members.is_empty();
        if is_empty && load <= self.crowd.scales[link as usize].brim {
            self.crowd.gauges[link as usize].level = f64::INFINITY;
            return;
        }
        let mut level = if is_empty { 0.0 } else { self.water_level(link, load, group.demand) };
        self.crowd.higher.clear();
        if self.crowd.bound > 0.0 {
            return self.level_within(link, level);
        }
        if highest > level * (1.0 + TOLERANCE) {
            level = self.find_higher(link, level, 1.0 + TOLERANCE);
        }
        let higher = std::mem::take(&mut self.crowd.higher);
        if !is_empty && ((level - before).abs() > SAME * before || !higher.is_empty()) {
            self.shift(link, level);
        }
        for (_, member) in &higher {
            self.assign(member.flow, link, level);
        }
        self.crowd.higher = higher;
    }

    /// Forms the sums and lists of a group whose members changed.
    fn form_group(&mut self, link: u32) {
        if !std::mem::replace(&mut self.crowd.groups[link as usize].stale, false) {
            return;
        }
        let mut group = std::mem::take(&mut self.crowd.groups[link as usize]);
        (group.demand, group.ceiling) = (0.0, f64::INFINITY);
        group.others.clear();
        for m in &group.members {
            let Flow { weight, penalty, bound, path, .. } = self.flows[m.flow as usize];
            group.demand += m.consumption * weight;
            group.ceiling = group.ceiling.min(bound * penalty);
            let others = self.elements[path.elements()].iter().filter(|e| e.link != link);
            let other = |e: &Element| Other { link: e.link, share: self.crowd.share(e.link, e.consumption, weight) };
            group.others.extend(others.map(other));
            if self.crowd.followed[m.flow as usize] != link {
                self.tell(m.flow);
            }
        }
        self.crowd.groups[link as usize] = group;
    }

    /// Returns the level at which flows of a given demand use up what a load leaves of a link.
    #[inline]
    fn water_level(&self, link: u32, load: i64, demand: f64) -> f64 {
        let Scale { units, capacity, .. } = self.crowd.scales[link as usize];
        (capacity - load).max(0) as f64 / (units * demand)
    }

    /// Lists the flows of a link above its level, which have to come down to it, highest first, while the level rises
    /// to meet them: flows above `slack` times it. Returns the level.
    #[inline(always)] // Into both callers: in exact sharing the slack is a constant.
    fn find_higher(&mut self, link: u32, level: f64, slack: f64) -> f64 {
        let mut higher = std::mem::take(&mut self.crowd.higher);
        let ceiling = level * slack;
        let mut highest = 0.0;
        for &member in &self.links[link as usize].members {
            if self.flows[member.flow as usize].bottleneck != link {
                match self.level_of(member.flow) {
                    level if level > ceiling => higher.push((level, member)),
                    level => highest = f64::max(highest, level),
                }
            }
        }
        higher.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.flow.cmp(&b.1.flow)));
        let (mut load, mut demand) = (self.crowd.gauges[link as usize].load, self.crowd.groups[link as usize].demand);
        let (mut level, mut joining) = (level, 0);
        for &(old, member) in &higher {
            if old <= level * slack {
                highest = f64::max(highest, old);
                break;
            }
            let weight = self.flows[member.flow as usize].weight;
            load -= units(self.crowd.share(link, member.consumption, weight), old);
            demand += member.consumption * weight;
            level = self.water_level(link, load, demand);
            joining += 1;
        }
        higher.truncate(joining);
        self.crowd.gauges[link as usize].highest = highest;
        self.crowd.higher = higher;
        level
    }

    /// Moves the group of a link to another level. Flows that are stopped before it leave the group.
    fn shift(&mut self, link: u32, level: f64) {
        let stopped = match level > self.crowd.level(link) {
            true => self.crowd.shift::<true>(link, level),
            false => self.crowd.shift::<false>(link, level),
        };
        if std::mem::replace(&mut self.crowd.groups[link as usize].told, self.solution) != self.solution {
            self.crowd.shifted.push(link);
        }
        if WATCHED {
            self.mark(link);
            for at in 0..self.crowd.groups[link as usize].others.len() {
                self.mark(self.crowd.groups[link as usize].others[at].link);
            }
        }
        if !stopped {
            return;
        }
        let mut at = 0;
        while let Some(&Member { flow, .. }) = self.crowd.groups[link as usize].members.get(at) {
            match self.cap(flow, link) {
                (cap, bottleneck) if cap < self.crowd.floor(level) => self.assign(flow, bottleneck, cap),
                (cap, _) => {
                    let own = if self.crowd.bound > 0.0 { self.own_cap(flow, cap, level) } else { None };
                    match own {
                        Some(bound) => self.assign(flow, OWN_BOUND, bound),
                        None => at += 1,
                    }
                }
            }
        }
    }

    /// Returns the level at which a flow would be stopped if one of its links did not stop it, and by what.
    fn cap(&self, flow: u32, but: u32) -> (f64, u32) {
        let Flow { bound, penalty, path, .. } = self.flows[flow as usize];
        let (mut cap, mut bottleneck) = (bound * penalty, OWN_BOUND);
        for e in &self.elements[path.elements()] {
            let level = self.crowd.level(e.link);
            if level < cap && e.link != but {
                (cap, bottleneck) = (level, e.link);
            }
        }
        (cap, bottleneck)
    }
}
