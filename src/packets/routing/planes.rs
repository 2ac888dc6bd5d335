//! Rules of the planes of a network, each on its own plane: packets do not change planes. A network whose hosts have
//! one port is one plane.

use super::registry::{DEFAULT_VCS, build, switching_for};
use super::rule::{At, Candidate, Head, Rule};
use crate::packets::PacketError;
use crate::packets::deadlock::{self, Freedom};
use crate::packets::parameters::{MAX_VCS, Parameters, Switching};
use crate::packets::random::mixed;
use crate::packets::wiring::{WiredPlane, Wiring};
use crate::printable::counted;
use std::sync::Arc;

/// Rule of a plane.
struct PlaneRule {
    /// Text of the rule.
    text: String,
    plane: WiredPlane,
    rule: Arc<dyn Rule>,
}

/// Rules of all planes of a network.
pub struct PlaneRules {
    planes: Vec<PlaneRule>,
    wiring: Arc<Wiring>,
    vcs: u32,
}

/// Returns the rule of each plane: `text` is one rule for all of them, or one for each, separated by semicolons.
///
/// # Errors
/// [`PacketError::Invalid`] if the number of rules is another one.
pub(super) fn texts(text: &str, planes: usize) -> Result<Vec<String>, PacketError> {
    let rules: Vec<String> = text.split(';').map(|rule| rule.trim().to_owned()).collect();
    match rules.len() {
        1 => Ok(vec![rules[0].clone(); planes]),
        count if count == planes => Ok(rules),
        count => {
            let planes = counted(planes as u64, "plane");
            let rule = format!("it must be one rule, or one for each plane: these are {count} for {planes}");
            Err(PacketError::invalid("routing", format!("`{text}`"), rule))
        }
    }
}

impl PlaneRules {
    /// Builds the rules of all planes, once for equal planes with the same text. Without `vcs`, the number of virtual
    /// channels is the largest that a rule needs, and at least [`DEFAULT_VCS`].
    ///
    /// # Errors
    /// As [`build`].
    pub(super) fn new(
        texts: Vec<String>,
        wiring: &Arc<Wiring>,
        vcs: Option<u32>,
        seed: u64,
    ) -> Result<Self, PacketError> {
        let planes = wiring.planes();
        let mut built: Vec<(usize, Box<dyn Rule>)> = Vec::new();
        let mut rule_of = Vec::with_capacity(planes.len());
        for (number, (text, plane)) in texts.iter().zip(&planes).enumerate() {
            let equal = |(first, _): &(usize, Box<dyn Rule>)| {
                texts[*first] == *text && planes[*first].wiring.is_equal(&plane.wiring)
            };
            let known = built.iter().position(equal);
            if known.is_none() {
                built.push((number, build(text, &plane.wiring, vcs.unwrap_or(MAX_VCS), seed)?));
            }
            rule_of.push(known.unwrap_or(built.len() - 1));
        }
        let vcs = vcs.unwrap_or_else(|| {
            let needed = built.iter().map(|(_, rule)| rule.vcs_needed()).fold(DEFAULT_VCS, u32::max);
            built.iter_mut().for_each(|(_, rule)| rule.set_vcs(needed));
            needed
        });
        let rules: Vec<Arc<dyn Rule>> = built.into_iter().map(|(_, rule)| Arc::from(rule)).collect();
        let of_plane = |((text, plane), rule): ((String, WiredPlane), usize)| {
            let rule = rules[rule].clone();
            PlaneRule { text, plane, rule }
        };
        let planes = texts.into_iter().zip(planes).zip(rule_of).map(of_plane).collect();
        Ok(Self { planes, wiring: wiring.clone(), vcs })
    }

    /// Returns the number of virtual channels.
    pub fn vcs(&self) -> u32 {
        self.vcs
    }

    /// Returns the planes whose rules differ, each with the rule.
    fn different(&self) -> impl Iterator<Item = &PlaneRule> {
        let is_first =
            |&at: &usize| self.planes[..at].iter().all(|other| !Arc::ptr_eq(&other.rule, &self.planes[at].rule));
        (0..self.planes.len()).filter(is_first).map(|at| &self.planes[at])
    }

    /// Returns the default condition for a packet of `flits` flits to take a virtual channel, as [`switching_for`].
    pub fn switching_for(&self, flits: u32) -> Switching {
        let mut all = self.planes.iter().map(|plane| switching_for(&*plane.rule, self.vcs, flits));
        all.find(|condition| *condition != Switching::Wormhole).unwrap_or(Switching::Wormhole)
    }

    /// Checks the rules of all planes by [`deadlock::check`], and returns the result of each that differs.
    ///
    /// # Errors
    /// As [`deadlock::check`].
    pub fn check(&self, parameters: &Parameters) -> Result<Vec<Freedom>, PacketError> {
        let check =
            |PlaneRule { text, plane, rule }: &PlaneRule| deadlock::check(&plane.wiring, &**rule, text, parameters);
        self.different().map(check).collect()
    }

    /// Returns the least number of virtual channels that a rule lets a packet choose from at each hop, if a rule has a fixed
    /// number.
    pub fn channels_of_a_hop(&self) -> Option<u32> {
        self.planes.iter().filter_map(|plane| plane.rule.channels_of_a_hop()).min()
    }

    /// Returns the remarks of all rules.
    pub fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = self.different().filter_map(|plane| plane.rule.note()).collect();
        notes.dedup();
        notes
    }

    /// Returns the rule of the whole network.
    pub fn rule(&self) -> Arc<dyn Rule> {
        if self.wiring.ports.is_none() {
            return self.planes[0].rule.clone();
        }
        let place = |plane: &PlaneRule| PlacedRule {
            first_switch: plane.plane.first_switch,
            first_port: plane.plane.first_port,
            delivers: plane.rule.delivers(),
            rule: plane.rule.clone(),
        };
        let of_plane = |(number, plane): (u16, &PlaneRule)| std::iter::repeat_n(number, plane.plane.wiring.switches());
        Arc::new(OnPlanes {
            planes: self.planes.iter().map(place).collect(),
            plane_of: (0..).zip(&self.planes).flat_map(of_plane).collect(),
            wiring: self.wiring.clone(),
            vcs: self.vcs,
        })
    }
}

/// Rule of a plane, and the place of the plane in the whole network.
struct PlacedRule {
    first_switch: u32,
    first_port: u32,
    delivers: bool,
    rule: Arc<dyn Rule>,
}

/// Rule of a network of several planes: that of the plane in which the packet is.
struct OnPlanes {
    planes: Vec<PlacedRule>,
    /// Plane of each switch.
    plane_of: Vec<u16>,
    wiring: Arc<Wiring>,
    vcs: u32,
}

impl OnPlanes {
    /// Returns the rule of the plane of a head, and the head in the numbers of that plane.
    #[inline]
    fn in_plane<'a>(&self, at: &At<'a>, head: &Head) -> (&PlacedRule, At<'a>, Head) {
        let number = self.plane_of[at.switch as usize];
        let plane = &self.planes[number as usize];
        // Equal packets in equal planes choose independently.
        let seed = if number == 0 { at.seed } else { at.seed ^ mixed(u64::from(number)) };
        let local = At { switch: at.switch - plane.first_switch, seed, ..*at };
        let (to, target) = (head.to - plane.first_port, head.target - plane.first_switch);
        (plane, local, Head { to, target, ..*head })
    }

    /// Returns the output to the destination, if the rule of the plane leaves it to the engine.
    fn delivery(&self, plane: &PlacedRule, at: &At<'_>, head: &Head) -> Option<Candidate> {
        let is_there = at.switch == head.target && head.phase & Head::DETOUR == 0 && !plane.delivers;
        let output = || self.wiring.host_output(at.switch, head.to) as u16;
        is_there.then(|| Candidate { output: output(), lowest: 0, highest: (self.vcs - 1) as u8, priority: 0 })
    }
}

impl Rule for OnPlanes {
    fn route(&self, at: &At<'_>, head: &mut Head, more: &mut Vec<Candidate>) -> Candidate {
        let (plane, local, mut own) = self.in_plane(at, head);
        if let Some(delivery) = self.delivery(plane, at, head) {
            return delivery;
        }
        let candidate = plane.rule.route(&local, &mut own, more);
        (head.note, head.phase) = (own.note, own.phase);
        candidate
    }

    fn prefetch(&self, from: u32, target: u32, to: u32, is_new: bool) {
        let plane = &self.planes[self.plane_of[from as usize] as usize];
        let (from, target) = (from - plane.first_switch, target - plane.first_switch);
        plane.rule.prefetch(from, target, to - plane.first_port, is_new);
    }

    fn reads_pairs(&self) -> bool {
        self.planes.iter().any(|plane| plane.rule.reads_pairs())
    }

    fn possible(&self, at: &At<'_>, head: &Head, visit: &mut dyn FnMut(Candidate, Head)) {
        let (plane, local, own) = self.in_plane(at, head);
        if let Some(delivery) = self.delivery(plane, at, head) {
            return visit(delivery, *head);
        }
        plane.rule.possible(&local, &own, &mut |candidate, moved| {
            visit(candidate, Head { note: moved.note, phase: moved.phase, ..*head });
        });
    }

    fn reads_loads(&self) -> bool {
        self.planes.iter().any(|plane| plane.rule.reads_loads())
    }

    fn delivers(&self) -> bool {
        self.planes.iter().any(|plane| plane.delivers)
    }

    fn vcs_needed(&self) -> u32 {
        self.planes.iter().map(|plane| plane.rule.vcs_needed()).max().unwrap_or(1)
    }

    fn candidates(&self) -> usize {
        self.planes.iter().map(|plane| plane.rule.candidates()).max().unwrap_or(1)
    }

    fn ascending(&self) -> bool {
        self.planes.iter().all(|plane| plane.rule.ascending())
    }

    fn is_escape(&self, vc: u32) -> bool {
        self.planes.iter().all(|plane| plane.rule.is_escape(vc))
    }
}
