//! Wait-for cycles among channels when nothing moves.

use super::CycleEngine;
use super::state::{FREE, NONE, SENT};

/// Input channel: switch, input port, virtual channel.
type Channel = (u32, u32, u32);

impl CycleEngine {
    /// Describes one cycle of channels that wait for each other; or a waiting channel, if there is none.
    pub fn waiting(&self) -> String {
        let all: Vec<Channel> = self
            .shards
            .iter()
            .flat_map(|shard| {
                let width = 1_u32 << self.plan.shift;
                let start = shard.range.start;
                shard.switches.iter().enumerate().flat_map(move |(local, switch)| {
                    (0..u32::from(switch.inputs) * width)
                        .filter(move |place| {
                            shard.inputs[((switch.in_port << self.plan.shift) + place) as usize].flits > 0
                        })
                        .map(move |place| (start + local as u32, place / width, place % width))
                })
            })
            .collect();
        for &first in &all {
            let mut path = vec![first];
            while let Some(next) = self.waits_for(path[path.len() - 1]) {
                if let Some(begin) = path.iter().position(|&channel| channel == next) {
                    let words: Vec<String> = path[begin..].iter().map(|channel| self.in_words(*channel)).collect();
                    return format!("{} waits for {}", words.join(" waits for "), self.in_words(next));
                }
                path.push(next);
            }
        }
        match all.first() {
            Some(&channel) => format!("{} waits", self.in_words(channel)),
            None => "packets are under way, and no switch has one".into(),
        }
    }

    fn in_words(&self, (switch, port, vc): Channel) -> String {
        format!("switch {switch} input {port} VC {vc}")
    }

    /// Returns the channel at the next switch that has to move first: that of the owner of a requested channel, or the
    /// one that is full.
    fn waits_for(&self, (switch, port, vc): Channel) -> Option<Channel> {
        let plan = &self.plan;
        let shard = &self.shards[plan.shard_of(switch)];
        let own = shard.switches[(switch - shard.range.start) as usize];
        let place = (port << plan.shift | vc) as usize;
        let input = shard.inputs[((own.in_port as usize) << plan.shift) + place];
        let is_waiting = shard.waiting[own.word as usize + place / 64] & 1 << (place % 64) != 0;
        let far = |out: u32, vc: u32| {
            let link = shard.out_ports[(own.out_port + out) as usize].link;
            let host = out.wrapping_sub(u32::from(own.first_host_output)) < u32::from(own.host_ports);
            (!host).then_some((link.switch, u32::from(link.port), vc))
        };
        if !is_waiting {
            let output = u32::from(input.output);
            return far(output >> plan.shift, output & ((1 << plan.shift) - 1))
                .filter(|_| input.first != NONE || input.left > 0);
        }
        let (out, vc) = match plan.candidates {
            1 => (u32::from(input.output), u32::from(input.left & 255)),
            most => {
                let base = (((own.in_port as usize) << plan.shift) + place) * most;
                let last = shard.candidates[base];
                (u32::from(last.output), u32::from(last.lowest))
            }
        };
        let owner = shard.outputs[(((own.out_port + out) << plan.shift) | vc) as usize].owner;
        match owner {
            FREE | SENT => far(out, vc),
            owner => Some((switch, u32::from(owner) >> plan.shift, u32::from(owner) & ((1 << plan.shift) - 1))),
        }
    }
}
