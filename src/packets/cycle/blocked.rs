//! Wait-for cycles among channels when nothing moves.

use super::CycleEngine;
use super::shard::Shard;
use super::state::{Batch, FREE, HOST, NONE, SENT};

/// Input channel: switch, input port within its batch, virtual channel.
type Channel = (u32, u32, u32);

impl CycleEngine {
    /// Describes one cycle of channels that wait for each other; or a waiting channel, if there is none.
    pub fn waiting(&self) -> String {
        let shift = self.plan.shift;
        let mut all: Vec<Channel> = Vec::new();
        for shard in &self.shards {
            for (s, own) in shard.range.clone().zip(&shard.switches) {
                let (batch, first) = (self.batch(shard, s), u32::from(own.in_port));
                for place in first << shift..(first + self.plan.wiring.inputs(s)) << shift {
                    if shard.inputs[((batch.in_port << shift) + place) as usize].flits > 0 {
                        all.push((s, place >> shift, place & ((1 << shift) - 1)));
                    }
                }
            }
        }
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
        let shard = &self.shards[self.plan.division.shard_of(switch)];
        let first = shard.switches[(switch - shard.range.start) as usize].in_port;
        format!("switch {switch} input {} VC {vc}", port - u32::from(first))
    }

    /// Returns the batch of a switch of a shard.
    fn batch(&self, shard: &Shard, switch: u32) -> Batch {
        shard.batches[self.plan.division.batch(switch - shard.range.start) as usize]
    }

    /// Returns the channel at the next switch that has to move first: that of the owner of a requested channel, or the
    /// one that is full.
    fn waits_for(&self, (switch, port, vc): Channel) -> Option<Channel> {
        let plan = &self.plan;
        let shard = &self.shards[plan.division.shard_of(switch)];
        let own = self.batch(shard, switch);
        let place = (port << plan.shift | vc) as usize;
        let input = shard.inputs[((own.in_port as usize) << plan.shift) + place];
        let is_waiting = shard.waiting[own.word as usize + place / 64] & 1 << (place % 64) != 0;
        let far = |out: u32, vc: u32| {
            let link = shard.out_ports[(own.out_port + out) as usize].link;
            (link.switch != HOST).then_some((link.switch, u32::from(link.port), vc))
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
