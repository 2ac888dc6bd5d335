//! A rule with several virtual channels in the place of each of its own: `amin*3` takes, for hop number i, whichever of
//! the channels 3i to 3i+2 is free.
//!
//! A channel that carries one packet at a time is idle between two packets, since the next one is allocated only after
//! the tail of the one before; with more channels, packets of one flit fill a cable. Channels in the place of channel a
//! depend on channels in the place of channel b only if a depends on b, so there are no new cycles.

use super::rule::{At, Candidate, Head, Rule};
use crate::packets::PacketError;
use crate::packets::parameters::MAX_VCS;

/// Splits a text such as `static:bfs*2` into the rule and the number of channels in the place of each.
///
/// # Errors
/// [`PacketError::Invalid`] if the star is not followed by a number from 1 to [`MAX_VCS`].
pub(super) fn split(text: &str) -> Result<(&str, u32), PacketError> {
    let Some((rule, number)) = text.rsplit_once('*') else { return Ok((text, 1)) };
    match number.trim().parse() {
        Ok(width @ 1..=MAX_VCS) => Ok((rule.trim_end(), width)),
        _ => {
            let rule = format!("a number of virtual channels from 1 to {MAX_VCS} must follow the star: `{rule}*2`");
            Err(PacketError::invalid("routing", format!("`{text}`"), rule))
        }
    }
}

/// Returns the rule with `width` channels in the place of each.
///
/// # Errors
/// [`PacketError::Invalid`] if the rule shares out all channels itself; `text` is what the user wrote.
pub(super) fn widened(rule: Box<dyn Rule>, text: &str, width: u32) -> Result<Box<dyn Rule>, PacketError> {
    if width == 1 {
        return Ok(rule);
    }
    if rule.channels_of_a_hop() != Some(1) {
        let rule = "this rule uses all virtual channels as it is: choose their number by `vcs`, and leave out the star";
        return Err(PacketError::invalid("routing", format!("`{text}`"), rule));
    }
    Ok(Box::new(Widened { rule, width }))
}

struct Widened {
    rule: Box<dyn Rule>,
    width: u32,
}

impl Widened {
    /// Returns the position in the channels of the inner rule. Heads from hosts have an input port there.
    fn inner<'a>(&self, at: &At<'a>) -> At<'a> {
        let vc = if at.cable.is_some() { at.vc / self.width } else { at.vc };
        At { vc, ..*at }
    }

    fn widen(&self, candidate: Candidate) -> Candidate {
        let width = self.width as u8;
        let (lowest, highest) = (candidate.lowest * width, candidate.highest * width + width - 1);
        Candidate { lowest, highest, ..candidate }
    }
}

impl Rule for Widened {
    fn route(&self, at: &At<'_>, head: &mut Head, more: &mut Vec<Candidate>) -> Candidate {
        let before = more.len();
        let first = self.rule.route(&self.inner(at), head, more);
        more[before..].iter_mut().for_each(|candidate| *candidate = self.widen(*candidate));
        self.widen(first)
    }

    fn prefetch(&self, from: u32, target: u32, to: u32, is_new: bool) {
        self.rule.prefetch(from, target, to, is_new);
    }

    fn reads_pairs(&self) -> bool {
        self.rule.reads_pairs()
    }

    fn possible(&self, at: &At<'_>, head: &Head, visit: &mut dyn FnMut(Candidate, Head)) {
        self.rule.possible(&self.inner(at), head, &mut |candidate, moved| visit(self.widen(candidate), moved));
    }

    fn reads_loads(&self) -> bool {
        self.rule.reads_loads()
    }

    fn delivers(&self) -> bool {
        self.rule.delivers()
    }

    fn vcs_needed(&self) -> u32 {
        self.rule.vcs_needed() * self.width
    }

    fn set_vcs(&mut self, vcs: u32) {
        self.rule.set_vcs(vcs / self.width);
    }

    fn candidates(&self) -> usize {
        self.rule.candidates()
    }

    fn ascending(&self) -> bool {
        self.rule.ascending()
    }

    fn proof(&self) -> Option<&'static str> {
        self.rule.proof()
    }

    fn channels_of_a_hop(&self) -> Option<u32> {
        Some(self.width)
    }

    fn is_escape(&self, vc: u32) -> bool {
        self.rule.is_escape(vc / self.width)
    }

    fn note(&self) -> Option<String> {
        self.rule.note()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packets::deadlock::{self, Freedom};
    use crate::packets::parameters::{HostPort, Parameters};
    use crate::packets::routing::{build, build_with};
    use crate::packets::wiring::Wiring;
    use std::sync::Arc;

    fn wired(spec: &str) -> Arc<Wiring> {
        let topology = Arc::new(crate::topology::build(spec).unwrap());
        Arc::new(Wiring::new(topology, None, HostPort::Own, 1).unwrap())
    }

    #[test]
    fn rules_need_channels_for_each_of_their_own() {
        for (spec, text, own) in [
            ("random_regular:n=20,d=3,seed=1", "amin", None),
            ("fat_tree2:4", "static:d_mod_k", Some(2)),
            ("dragonfly:a=4,h=2,g=5", "dragonfly", Some(2)),
            ("dragonfly:a=4,h=2,g=5", "dragonfly-ugal", Some(3)),
        ] {
            let wiring = wired(spec);
            let (plain, _) = build_with(text, &wiring, None, 1).unwrap();
            assert!(own.is_none_or(|own| own == plain.vcs_needed()), "{text}");
            let needed = 3 * plain.vcs_needed();
            let (wide, vcs) = build_with(&format!("{text}*3"), &wiring, None, 1).unwrap();
            assert_eq!((wide.vcs_needed(), vcs, wide.channels_of_a_hop()), (needed, needed.max(4), Some(3)), "{text}");
            let few = build(&format!("{text}*3"), &wiring, needed - 1, 1).err().unwrap();
            assert!(matches!(few, PacketError::TooFewVcs { .. }), "{few}");
            let parameters = Parameters { vcs, ..Parameters::default() };
            match deadlock::check(&wiring, &*wide, text, &parameters).unwrap() {
                Freedom::Ascending(3) => assert!(!text.starts_with("dragonfly")),
                Freedom::Acyclic { dependencies, .. } => assert!(dependencies > 0),
                other => panic!("{text}: {other:?}"),
            }
        }
    }

    #[test]
    fn a_star_needs_a_rule_with_channels_of_its_own() {
        let torus = wired("torus:4x4");
        for (text, part) in [
            ("dimension-order*2", "uses all virtual channels"),
            ("escape*2", "uses all virtual channels"),
            ("amin*", "must follow the star"),
            ("amin*0", "must follow the star"),
            ("amin*65", "must follow the star"),
            ("amin*two", "must follow the star"),
        ] {
            let error = build(text, &torus, 64, 1).err().unwrap().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
        assert_eq!(build("amin*1", &torus, 64, 1).unwrap().channels_of_a_hop(), Some(1));
        assert_eq!(split("static:bfs * 2").unwrap(), ("static:bfs", 2));
    }
}
