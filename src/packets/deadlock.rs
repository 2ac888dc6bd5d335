//! Check before a run: can channels wait for each other in a cycle?
//!
//! A channel is a cable and one of its virtual channels. A rule makes one channel depend on another if a packet in the
//! first may request the second. Without a cycle among them the last channel of any chain can always be emptied, so no
//! packet can be stuck (W. Dally, C. Seitz, 1987). For a rule with an escape it is enough that the escape channels have
//! no cycle and that every packet may always request one of them (J. Duato, 1993), provided that a packet owns a
//! channel only if it can move into it.

use super::PacketError;
use super::parameters::{Parameters, Switching};
use super::routing::{At, Candidate, Head, Rule};
use super::wiring::Wiring;
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use std::sync::atomic::{AtomicU64, Ordering};

/// Largest number of switches for which all packets of a rule are followed.
pub const MAX_SWITCHES: usize = 4096;

/// Beyond this number of switches a proof is used if there is one.
const MAX_FOLLOWED: usize = 512;

/// Result of the check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Freedom {
    /// Every hop takes a higher virtual channel than the one before: one of this number of channels.
    Ascending(u32),
    /// The dependencies have no cycle: number of channels and of dependencies.
    Acyclic {
        /// Channels that packets may use.
        channels: usize,
        /// Pairs of channels.
        dependencies: usize,
    },
    /// Proven for every size.
    Proven(&'static str),
    /// The network is too large to follow all packets.
    Unchecked,
}

impl std::fmt::Display for Freedom {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Ascending(1) => f.write_str("hop number i travels on virtual channel i"),
            Self::Ascending(2) => f.write_str("hop number i travels on virtual channels 2i and 2i+1"),
            Self::Ascending(channels) => {
                write!(f, "hop number i travels on virtual channels {channels}i to {channels}i+{}", channels - 1)
            }
            Self::Acyclic { channels, dependencies } => {
                write!(f, "{dependencies} dependencies of {channels} channels without a cycle")
            }
            Self::Proven(proof) => f.write_str(proof),
            Self::Unchecked => f.write_str("not checked"),
        }
    }
}

/// Packet on a channel, for the search.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct ChannelState {
    switch: u32,
    cable: u32,
    vc: u8,
    hops: u8,
    phase: u8,
    note: u32,
}

/// Checks a rule on a network.
///
/// # Errors
/// [`PacketError::CyclicDependency`] with a description of a cycle; [`PacketError::Invalid`] if an escape would not be
/// one with these buffers.
pub fn check(wiring: &Wiring, rule: &dyn Rule, name: &str, parameters: &Parameters) -> Result<Freedom, PacketError> {
    let vcs = parameters.vcs;
    let escapes = (0..vcs).any(|vc| !rule.is_escape(vc));
    if escapes && parameters.switching == Switching::Wormhole && !parameters.wait_for_tail_credit {
        let rule = "an escape needs channels that a packet takes only if it can move into them: \
                    `cut-through`, or `not-full` for packets of one flit";
        return Err(PacketError::invalid("switching", "`wormhole`", rule));
    }
    if escapes && parameters.switching == Switching::NotFull && parameters.packet > 1 {
        let rule = "an escape for packets of several flits needs `cut-through`";
        return Err(PacketError::invalid("switching", "`not-full`", rule));
    }
    if rule.ascending() {
        return Ok(Freedom::Ascending(rule.channels_of_a_hop().unwrap_or(1)));
    }
    if wiring.switches() > MAX_FOLLOWED
        && let Some(proof) = rule.proof()
    {
        return Ok(Freedom::Proven(proof));
    }
    if wiring.switches() > MAX_SWITCHES {
        return Ok(Freedom::Unchecked);
    }
    let arcs = wiring.topology.graph.arcs();
    // Dependencies of the packets to one switch; one host represents all hosts of its switch.
    let targets: Vec<u32> = (0..wiring.switches() as u32).filter(|&s| wiring.hosts_of(s) > 0).collect();
    let channels = arcs * vcs as usize;
    let most = (0..wiring.switches() as u32).map(|s| wiring.out_cables(s)).max().unwrap_or(0);
    let found = Dependencies::new(channels, most * vcs);
    targets.par_iter().for_each(|&target| follow(wiring, rule, target, vcs, &found));
    let next: Vec<Vec<u32>> = (0..channels as u32)
        .map(|from| {
            let at = wiring.topology.graph.head(crate::topology::ArcId(from / vcs)).0;
            found.of(from).map(|out| wiring.out_arc(at, out / vcs).0 * vcs + out % vcs).collect()
        })
        .collect();
    if let Some(cycle) = find_cycle(&next) {
        let words: Vec<String> = cycle.iter().map(|&channel| in_words(wiring, channel, vcs)).collect();
        return Err(PacketError::CyclicDependency {
            routing: name.into(),
            topology: wiring.topology.name(),
            cycle: format!("{} depends on itself by way of {}", words[0], words[1..].join(", ")),
        });
    }
    let used: FxHashSet<u32> =
        (0..).zip(&next).flat_map(|(from, list)| list.iter().flat_map(move |&to| [from, to])).collect();
    Ok(Freedom::Acyclic { channels: used.len(), dependencies: next.iter().map(Vec::len).sum() })
}

/// For each channel the set of channels out of the switch where it ends: cable times channels, plus channel.
struct Dependencies {
    words: Vec<AtomicU64>,
    stride: usize,
}

impl Dependencies {
    fn new(channels: usize, out: u32) -> Self {
        let stride = (out as usize).div_ceil(64);
        Self { words: (0..channels * stride).map(|_| AtomicU64::new(0)).collect(), stride }
    }

    fn insert(&self, from: u32, out: u32) {
        let word = &self.words[from as usize * self.stride + out as usize / 64];
        let bit = 1 << (out % 64);
        if word.load(Ordering::Relaxed) & bit == 0 {
            word.fetch_or(bit, Ordering::Relaxed);
        }
    }

    fn of(&self, from: u32) -> impl Iterator<Item = u32> + '_ {
        let words = &self.words[from as usize * self.stride..(from as usize + 1) * self.stride];
        (0..).step_by(64).zip(words).flat_map(|(first, word)| {
            let bits = word.load(Ordering::Relaxed);
            (0..64).filter(move |bit| bits >> bit & 1 != 0).map(move |bit| first + bit)
        })
    }
}

fn in_words(wiring: &Wiring, channel: u32, vcs: u32) -> String {
    let (arc, vc) = (channel / vcs, channel % vcs);
    let graph = &wiring.topology.graph;
    let arc = crate::topology::ArcId(arc);
    format!("cable {}->{} VC {vc}", graph.tail(arc), graph.head(arc))
}

/// Follows all packets to a switch and records the dependencies between channels.
fn follow(wiring: &Wiring, rule: &dyn Rule, target: u32, vcs: u32, found: &Dependencies) {
    let to = wiring.host_first[target as usize];
    let loads = vec![0; (0..wiring.switches() as u32).map(|s| wiring.outputs(s)).max().unwrap_or(0) as usize];
    let (mut seen, mut open) = (FxHashSet::default(), Vec::new());
    let channel = |switch: u32, cable: u32, vc: u8| wiring.out_arc(switch, cable).0 * vcs + u32::from(vc);
    let visit =
        |state: Option<ChannelState>, source: u32, open: &mut Vec<ChannelState>, seen: &mut FxHashSet<ChannelState>| {
            let (switch, cable, vc) = match state {
                Some(state) => (state.switch, Some(state.cable), u32::from(state.vc)),
                None => (source, None, 0),
            };
            let head = state.map_or(Head { to, target, hops: 0, created: 0, note: 0, phase: 0 }, |state| Head {
                to,
                target,
                hops: u32::from(state.hops),
                created: 0,
                note: state.note,
                phase: u32::from(state.phase),
            });
            if switch == target && head.phase & Head::DETOUR == 0 && !rule.delivers() {
                return;
            }
            let at = At { switch, cable, vc, loads: &loads, seed: 1 };
            let first = wiring.first_cable(switch);
            let came = cable.map(|cable| {
                let end = wiring.near_end(switch, cable);
                channel(end.switch, end.cable, vc as u8)
            });
            let mut each = |candidate: Candidate, head: Head| {
                let out = u32::from(candidate.output).wrapping_sub(first);
                if out >= wiring.out_cables(switch) {
                    return;
                }
                let end = wiring.far_end(switch, out);
                for vc in candidate.lowest..=candidate.highest {
                    if let Some(came) = came
                        && rule.is_escape(came % vcs)
                        && rule.is_escape(u32::from(vc))
                    {
                        found.insert(came, out * vcs + u32::from(vc));
                    }
                    let next = ChannelState {
                        switch: end.switch,
                        cable: end.cable,
                        vc,
                        hops: (head.hops + 1).min(255) as u8,
                        phase: head.phase as u8,
                        note: head.note,
                    };
                    if seen.insert(next) {
                        open.push(next);
                    }
                }
            };
            rule.possible(&at, &head, &mut each);
        };
    for source in (0..wiring.switches() as u32).filter(|&s| wiring.hosts_of(s) > 0) {
        visit(None, source, &mut open, &mut seen);
    }
    while let Some(state) = open.pop() {
        visit(Some(state), 0, &mut open, &mut seen);
    }
}

/// Returns a cycle of a directed graph, if there is one.
fn find_cycle(next: &[Vec<u32>]) -> Option<Vec<u32>> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; next.len()];
    for start in 0..next.len() as u32 {
        if marks[start as usize] != Mark::New {
            continue;
        }
        let mut path: Vec<(u32, usize)> = vec![(start, 0)];
        marks[start as usize] = Mark::Open;
        while let Some((at, place)) = path.last_mut() {
            let Some(&to) = next[*at as usize].get(*place) else {
                marks[*at as usize] = Mark::Done;
                path.pop();
                continue;
            };
            *place += 1;
            match marks[to as usize] {
                Mark::New => {
                    marks[to as usize] = Mark::Open;
                    path.push((to, 0));
                }
                Mark::Open => {
                    let begin = path.iter().position(|&(channel, _)| channel == to)?;
                    return Some(path[begin..].iter().map(|&(channel, _)| channel).collect());
                }
                Mark::Done => {}
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packets::parameters::HostPort;
    use crate::packets::routing;
    use crate::user_error::UserError;
    use std::sync::Arc;

    fn wiring(spec: &str) -> Arc<Wiring> {
        let topology = crate::topology::build(spec).unwrap();
        Arc::new(Wiring::new(Arc::new(topology), None, HostPort::Own, 1).unwrap())
    }

    fn checked(spec: &str, rule: &str, vcs: u32) -> Result<Freedom, PacketError> {
        let wiring = wiring(spec);
        let built = routing::build(rule, &wiring, vcs, 1)?;
        let parameters = Parameters { vcs, switching: Switching::NotFull, ..Parameters::default() };
        check(&wiring, &*built, rule, &parameters)
    }

    #[test]
    fn a_ring_of_dependencies_is_a_cycle() {
        assert_eq!(find_cycle(&[vec![1], vec![2], vec![1]]), Some(vec![1, 2]));
        assert_eq!(find_cycle(&[vec![1, 2], vec![2], vec![]]), None);
    }

    #[test]
    fn rules_are_free_of_deadlock_on_the_networks_they_fit() {
        let cases = [
            ("ring:7", "dimension-order", 2),
            ("torus:4x5", "dimension-order", 2),
            ("torus:4x4", "dimension-order", 3),
            ("torus:2x3x4", "dimension-order", 4),
            ("mesh:3x4", "dimension-order", 1),
            ("hypercube:4", "dimension-order", 1),
            ("hyperx:3x4", "dimension-order", 1),
            ("torus:4x4", "escape", 3),
            ("torus:4x4", "escape:free", 3),
            ("mesh:4x4", "escape", 2),
            ("random:n=20,d=3", "escape", 2),
            ("random:n=20,d=3", "escape:free", 2),
            ("fat_tree2:4", "escape:free", 2),
            ("torus:4x4", "valiant", 4),
            ("mesh:4x4", "valiant", 2),
            ("hyperx:3x4", "valiant", 2),
            ("hyperx:3x4", "hyperx-ugal", 2),
            ("dragonfly:a=3,h=1", "dragonfly", 2),
            ("dragonfly:a=4,h=2,g=5", "dragonfly-ugal", 3),
            ("dragonfly_fc:3,7", "dragonfly-ugal", 3),
        ];
        for (spec, rule, vcs) in cases {
            match checked(spec, rule, vcs) {
                Ok(Freedom::Acyclic { dependencies, .. }) => assert!(dependencies > 0, "{spec} {rule}"),
                other => panic!("{spec} {rule}: {other:?}"),
            }
        }
        assert_eq!(checked("random:n=20,d=3", "amin", 8).unwrap(), Freedom::Ascending(1));
    }

    /// Packets of a thousand switches with detours by all others would take minutes to follow.
    #[test]
    fn rules_of_large_networks_have_proofs() {
        let cases = [
            ("hyperx:8x8x9", "hyperx-ugal", 2),
            ("dragonfly:a=16,h=4", "dragonfly", 2),
            ("dragonfly:a=16,h=4", "dragonfly-ugal", 3),
            ("torus:8x8x9", "valiant", 4),
        ];
        for (spec, rule, vcs) in cases {
            assert!(matches!(checked(spec, rule, vcs), Ok(Freedom::Proven(_))), "{spec} {rule}");
        }
        let wiring = wiring("dragonfly:a=4,h=2");
        assert!(routing::build("dragonfly-ugal:booksim", &wiring, 3, 1).unwrap().proof().is_none());
    }

    /// Dimension order on a ring without a dateline: each cable waits for the next one.
    #[test]
    fn a_ring_without_dateline_is_refused_with_its_cycle() {
        use crate::packets::Setup;
        use crate::packets::cycle::CycleEngine;
        use crate::packets::source::{ListedPacket, PacketList, PacketSource};
        use crate::packets::statistics::Window;
        struct Clockwise(Arc<Wiring>);
        impl Rule for Clockwise {
            fn route(&self, at: &At<'_>, _: &mut Head, _: &mut Vec<Candidate>) -> Candidate {
                let next = (at.switch + 1) % 4;
                let graph = &self.0.topology.graph;
                let arc = graph.find_arc(crate::ids::SwitchId(at.switch), crate::ids::SwitchId(next)).unwrap();
                let output = (self.0.first_cable(at.switch) + self.0.output_of(arc)) as u16;
                Candidate { output, ..Candidate::default() }
            }
            fn vcs_needed(&self) -> u32 {
                1
            }
        }
        let ring = wiring("ring:4");
        let rule = Clockwise(ring.clone());
        let parameters = Parameters { vcs: 1, ..Parameters::default() };
        let error = check(&ring, &rule, "clockwise", &parameters).unwrap_err().to_string();
        let cycle = "cable 0->1 VC 0 depends on itself by way of cable 1->2 VC 0, cable 2->3 VC 0, cable 3->0 VC 0";
        assert!(error.contains(cycle), "{error}");

        // Without the check: four packets that each want the channel which the next one has, and the report of the engine.
        let packets = (0..4).flat_map(|host| {
            let of = move |id| ListedPacket { id, from: host, to: (host + 2) % 4, created: 0, flits: 4 };
            (0..2).map(move |id| of(u64::from(host * 2 + id)))
        });
        let setup = Setup {
            wiring: ring.clone(),
            rule: Arc::new(rule),
            parameters: Parameters { vc_buffer: 1, ..parameters },
            packets: PacketSource::Listed(Arc::new(PacketList::new(packets.collect(), 4).unwrap())),
            seed: 1,
            window: Window { from: 0, until: 1 },
            log: false,
        };
        let mut engine = CycleEngine::new(setup, 1).unwrap();
        let error = engine.run_until_empty(8).unwrap_err().to_string();
        let channels = [(0, 0), (1, 1), (1, 0), (2, 1), (2, 0), (3, 2), (3, 0), (0, 2), (0, 0)];
        let cycle = channels.map(|(switch, input)| format!("switch {switch} input {input} VC 0")).join(" waits for ");
        assert!(error.contains(&cycle), "{error}");
    }

    #[test]
    fn too_few_channels_are_refused() {
        let error = checked("torus:4x4", "dimension-order", 1).unwrap_err().to_string();
        assert!(error.contains("needs 2 virtual channels, but has 1"), "{error}");
        let error = checked("imase_itoh:n=20,d=3", "escape", 2).unwrap_err();
        assert!(error.to_string().contains("needs cables in both directions"), "{error}");
        assert!(error.help().contains("`amin`"), "{}", error.help());
    }
}
