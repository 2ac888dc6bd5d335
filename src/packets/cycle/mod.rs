//! The cycle engine: input-queued switches with virtual channels, cycle by cycle.
//!
//! This engine defines the model. Its switches are those of BookSim 2 with separable, input-first, round-robin
//! allocators, and agree with them packet by packet (`tests/data/packets.json.zst`). Idle parts are skipped, which
//! changes no result.

mod allocate;
mod arrive;
mod blocked;
mod division;
mod hosts;
mod mail;
mod receive;
mod send;
mod shard;
mod state;
mod visit;

use super::parameters::Parameters;
use super::source::{MAX_CYCLES, PacketSource};
use super::statistics::{Counts, Logged};
use super::wiring::{MAX_PLACES, Wiring};
use super::{PacketError, Setup};
use division::Division;
use mail::Post;
use shard::{RunConstants, Shard};
use std::sync::{Arc, Barrier, Mutex, PoisonError};

/// Longest block, in cycles.
const MAX_BLOCK: u32 = 16;

/// Number of virtual channels of all outputs above which the state of switches is prefetched. It takes some 12 MiB then, if
/// a link has four. On a processor with large caches, prefetching less costs up to a tenth of the time.
const CACHED_PLACES: u64 = 1 << 18;

/// Number of switches from which entries of tables of pairs are prefetched: with a byte for each pair, such a table has
/// 256 KiB.
const MANY_SWITCHES: u32 = 1 << 9;

/// A network under simulation.
pub struct CycleEngine {
    plan: Arc<RunConstants>,
    shards: Vec<Shard>,
    block: u32,
}

/// Checks what the engine requires of a network.
///
/// # Errors
/// As [`CycleEngine::new`].
pub(super) fn check(wiring: &Wiring, p: &Parameters) -> Result<(), PacketError> {
    p.check()?;
    let shift = p.vcs.next_power_of_two().ilog2();
    for s in 0..wiring.switches() as u32 {
        let ports = wiring.inputs(s).max(wiring.outputs(s));
        if (ports as usize) << shift > MAX_PLACES {
            let reason = format!(
                "switch {s} has {ports} ports with {} virtual channels each, and ports times channels (as a power of \
                 two) may be {MAX_PLACES}",
                p.vcs
            );
            return Err(PacketError::TooLarge { topology: wiring.topology.name(), reason });
        }
    }
    Ok(())
}

impl CycleEngine {
    /// Returns the network before cycle 0, in parts that run on a thread each, `threads` at most. The result does not
    /// depend on their number.
    ///
    /// # Errors
    /// [`PacketError`] if parameters break a rule or the network is too large.
    pub fn new(setup: Setup, threads: usize) -> Result<Self, PacketError> {
        let Setup { wiring, rule, mut parameters, packets, seed, window, log } = setup;
        let mut cold = log;
        if let PacketSource::Listed(list) = &packets {
            parameters.packet = list.largest;
            cold = true;
        }
        check(&wiring, &parameters)?;
        let p = &parameters;
        let shift = p.vcs.next_power_of_two().ilog2();
        let n = wiring.switches() as u32;
        let shards = threads.clamp(1, (n as usize / 64).max(1)) as u32;
        let division = Division::new(&wiring, p, shards);
        let crossing = |step| if p.speedup == 1 { p.crossing_delay } else { p.crossing_delay - 1 + step };
        let (shortest, longest) = match wiring.latency.is_empty() {
            true => (1, 1),
            false => {
                (wiring.latency.iter().copied().min().unwrap_or(1), wiring.latency.iter().copied().max().unwrap_or(1))
            }
        };
        let ahead = shortest + 1 + crossing(0).min(p.credit_delay);
        let block = ahead.min(MAX_BLOCK);
        let last = crossing(p.speedup - 1);
        // Two steps in a cycle send more than one flit to an output: rows for those that queue, within memory.
        let ports: u64 = (0..n).map(|s| u64::from(wiring.outputs(s))).sum();
        let queue = match (p.speedup, ports) {
            (1, _) => 0,
            (_, 0..1_000_000) => 24,
            _ => 6,
        };
        let flits = shard::rows(block, (last + longest + 1 + queue).max(p.host_delay + 1));
        let own_credit = last + 2 * (p.host_delay + 1) + p.credit_delay;
        let credits = shard::rows(block, (longest + 1 + p.credit_delay).max(own_credit) + queue);
        let hosts = shard::rows(block, p.host_delay + 1 + queue);
        let slots: u64 = (0..n)
            .map(|s| u64::from(wiring.inputs(s)) * u64::from(flits) + u64::from(wiring.outputs(s)) * u64::from(credits))
            .sum();
        if slots >= u64::from(u32::MAX) {
            let reason = format!("its links would have {slots} flits and credits under way");
            return Err(PacketError::TooLarge { topology: wiring.topology.name(), reason });
        }
        let space = p.space_needed();
        let calendar = (flits.max(credits).max(hosts) / block + 3).next_power_of_two().max(64);
        let plan = Arc::new(RunConstants {
            cold,
            log,
            seed,
            window,
            shift,
            block,
            flit_rows: flits,
            credit_rows: credits,
            host_rows: hosts,
            route_rows: p.routing_delay * p.speedup + 2,
            calendar,
            division,
            space,
            lean: !cold
                && rule.candidates() == 1
                && !p.hold_switch
                && !p.count_routed
                && [p.vc_delay, p.switch_delay] == [1; 2],
            is_large: ports << shift > CACHED_PLACES,
            has_large_tables: (ports << shift > CACHED_PLACES || n >= MANY_SWITCHES) && rule.reads_pairs(),
            delivers: rule.delivers(),
            candidates: rule.candidates(),
            wake_by_credit: p.switch_delay == 1,
            wiring,
            rule,
            packets,
            parameters,
        });
        let shards = (0..shards as usize).map(|number| Shard::new(&plan, number)).collect();
        Ok(Self { plan, shards, block: 0 })
    }

    /// Returns the first cycle that has not been simulated.
    pub fn cycle(&self) -> u32 {
        self.block * self.plan.block
    }

    /// Simulates whole blocks until all cycles before `cycle` are done.
    ///
    /// # Errors
    /// [`PacketError::Deadlock`], or [`PacketError::TooLarge`] if too many packets are under way.
    pub fn run_to(&mut self, cycle: u32) -> Result<(), PacketError> {
        let until = cycle.min(MAX_CYCLES).div_ceil(self.plan.block);
        if self.shards.len() == 1 {
            let shard = &mut self.shards[0];
            for block in self.block..until {
                shard.run_block(block);
            }
        } else if self.block < until {
            self.run_shards(until);
        }
        self.block = self.block.max(until);
        if self.shards.iter().any(|shard| shard.hub.overflow) {
            let reason = format!("more than {} packets are under way", shard::MAX_PACKETS);
            return Err(PacketError::TooLarge { topology: self.plan.wiring.topology.name(), reason });
        }
        Ok(())
    }

    /// Simulates until this number of packets has arrived.
    ///
    /// # Errors
    /// [`PacketError::Deadlock`] if nothing moves although packets are in the network.
    pub fn run_until_empty(&mut self, packets: u64) -> Result<(), PacketError> {
        let p = &self.plan.parameters;
        let longest = self.plan.wiring.latency.iter().copied().max().unwrap_or(1);
        let patience = 10
            * (2 * longest
                + p.routing_delay
                + p.vc_delay
                + p.switch_delay
                + p.crossing_delay
                + p.credit_delay
                + p.packet);
        while self.counts().left < packets {
            if self.cycle() >= MAX_CYCLES {
                return Err(PacketError::invalid(
                    "cycle",
                    self.cycle(),
                    format!("a run has at most {MAX_CYCLES} cycles"),
                ));
            }
            self.run_to(self.cycle() + 1000)?;
            if self.is_stuck(patience) {
                return Err(PacketError::Deadlock { cycle: u64::from(self.cycle()), waiting: self.waiting() });
            }
        }
        Ok(())
    }

    /// Runs each shard on a thread; they exchange mail after each block.
    fn run_shards(&mut self, until: u32) {
        let (from, count) = (self.block, self.shards.len());
        let barrier = Barrier::new(count);
        let boxes: Vec<Mutex<Post>> = (0..count * count).map(|_| Mutex::default()).collect();
        let swap = |sender: usize, to: usize, post: &mut Post| {
            std::mem::swap(&mut *boxes[sender * count + to].lock().unwrap_or_else(PoisonError::into_inner), post);
        };
        let work = |shard: &mut Shard| {
            let own = shard.number;
            for block in from..until {
                shard.run_block(block);
                for (to, post) in shard.hub.post.iter_mut().enumerate().filter(|&(to, _)| to != own) {
                    swap(own, to, post);
                }
                barrier.wait();
                for sender in (0..count).filter(|&sender| sender != own) {
                    let mut post = Post::default();
                    swap(sender, own, &mut post);
                    shard.receive(&mut post, block + 1);
                    swap(sender, own, &mut post);
                }
                barrier.wait();
            }
        };
        std::thread::scope(|scope| {
            for shard in &mut self.shards {
                scope.spawn(|| work(shard));
            }
        });
    }

    /// Returns the counts of all parts.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        self.shards.iter().for_each(|shard| counts.merge(&shard.hub.counts));
        counts
    }

    /// Returns the number of packets in the network.
    pub fn inside(&self) -> u64 {
        let sum = |of: fn(&Counts) -> u64| self.shards.iter().map(|shard| of(&shard.hub.counts)).sum::<u64>();
        sum(|counts| counts.entered) - sum(|counts| counts.left)
    }

    /// `true` if every measured packet has been created and has arrived. Packets that a switch has already sent to
    /// their host count as arrived.
    pub fn is_drained(&self) -> bool {
        let counts = self.counts();
        let measuring: u64 = self.shards.iter().map(|shard| shard.hub.measuring).sum();
        measuring == 0 && counts.latency.count() == counts.created
    }

    /// `true` if packets are in the network and none has moved for `cycles` cycles, or none can ever move.
    pub fn is_stuck(&self, cycles: u32) -> bool {
        let moved = self.shards.iter().map(|shard| shard.hub.moved).max().unwrap_or(0);
        self.inside() > 0 && (self.shards.iter().all(Shard::is_idle) || self.cycle().saturating_sub(moved) > cycles)
    }

    /// Returns the mean age in cycles of the packets in the network, and of those that wait at hosts; `flits` flits per
    /// host and cycle are offered.
    pub fn mean_age(&self) -> f64 {
        let now = self.cycle();
        let (mut count, mut ages) = (0.0, 0.0);
        for shard in &self.shards {
            let inside = shard.hub.counts.entered as f64 - shard.hub.counts.left as f64;
            count += inside;
            ages += inside * f64::from(now) - shard.hub.ages as f64;
        }
        self.plan.packets.mean_age(now, count, ages, self.waiting_since())
    }

    /// Returns the cycles by which hosts lag behind the packets that they have to send, mean over hosts that send.
    pub fn mean_lag(&self) -> f64 {
        PacketSource::mean_lag(self.cycle(), self.waiting_since())
    }

    /// Returns the cycle in which the next packet of each host is created.
    fn waiting_since(&self) -> impl Iterator<Item = u32> + '_ {
        self.shards.iter().flat_map(|shard| &shard.hub.sources).map(|source| source.created)
    }

    /// Returns the flits that arrived at each host in the window.
    pub fn accepted(&self) -> impl Iterator<Item = u32> + '_ {
        self.shards.iter().flat_map(|shard| shard.hub.accepted.iter().copied())
    }

    /// Returns the flits sent over each arc in the window.
    pub fn arc_flits(&self) -> Vec<u32> {
        let wiring = &self.plan.wiring;
        let mut flits = vec![0; wiring.topology.graph.arcs()];
        for shard in &self.shards {
            for (local, ports) in (0..).zip(&shard.switches) {
                let first = shard.batches[self.plan.division.batch(local) as usize].out_port
                    + u32::from(ports.out_port + ports.first_cable);
                let s = shard.range.start + local;
                for cable in 0..wiring.out_cables(s) {
                    flits[wiring.out_arc(s, cable).index()] = shard.out_ports[(first + cable) as usize].sent;
                }
            }
        }
        flits
    }

    /// Returns the log of all packets that have arrived, in the order of their numbers.
    pub fn log(&self) -> Vec<Logged> {
        let mut log: Vec<Logged> = self.shards.iter().flat_map(|shard| shard.hub.log.iter().copied()).collect();
        log.sort_unstable_by_key(|packet| packet.id);
        log
    }

    /// `true` if the network is in its state before cycle 0: no flit in a buffer, all credits returned, no channel
    /// owned. That takes some cycles after the last packet, in which credits return.
    pub fn is_clean(&self) -> bool {
        self.shards.iter().all(|shard| {
            shard.inputs.iter().all(|input| input.flits == 0)
                && shard.outputs.iter().all(|output| output.used == 0 && output.owner == state::FREE)
                && shard.loads.iter().all(|&load| load == 0)
                && shard.hub.host_vcs.iter().all(|vc| vc.used == 0 && vc.owner == state::FREE)
        })
    }
}
