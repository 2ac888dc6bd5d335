//! Computation and sleep: the cores of each host, shared among the ranks on it.
//!
//! On a host of speed s with k cores, m computations run at min(s, k s / m) each: a computation uses one core at
//! most. Sleeps use no core.

use crate::ids::{HostId, Rank};
use crate::mpi::layout::Layout;
use crate::platform::Platform;
use crate::queue::EventQueue;

/// The shortest sleep, in seconds: what SimGrid rounds positive durations up to.
const SHORTEST_SLEEP: f64 = 1e-9;

/// A remaining amount below this many flops counts as nothing.
const NOTHING_LEFT: f64 = 1e-14;

#[derive(Clone, Copy, Default, Debug)]
struct Computation {
    remaining: f64,
    /// Flops per second since `updated`.
    rate: f64,
    updated: f64,
    /// The largest rate that it may have.
    bound: f64,
}

#[derive(Debug)]
struct Host {
    speed: f64,
    cores: u32,
    /// Whether more ranks than cores live here: only then can computations slow each other down.
    crowded: bool,
    /// Ranks that compute, in the order in which they began; kept only where crowded.
    running: Vec<u32>,
    changed: bool,
}

/// What the ranks compute and how long they sleep.
#[derive(Debug)]
pub struct Cpu {
    hosts: Vec<Host>,
    computations: Vec<Computation>,
    host_of_rank: Vec<HostId>,
    /// One event a rank: it sleeps or computes, never both.
    events: EventQueue,
    /// Sleeps and computations that began at this instant and are not in the queue yet.
    new_sleeps: Vec<(u32, f64)>,
    new_computations: Vec<u32>,
    changed: Vec<u32>,
}

impl Cpu {
    /// Idle hosts.
    pub fn new(platform: &Platform, layout: &Layout) -> Self {
        let mut ranks = vec![0u32; platform.hosts.len()];
        let host_of_rank: Vec<HostId> = (0..layout.ranks()).map(|r| layout.host(Rank(r))).collect();
        host_of_rank.iter().for_each(|h| ranks[h.index()] += 1);
        let host = |(h, ranks): (&crate::platform::Host, u32)| Host {
            speed: h.speed,
            cores: h.cores,
            crowded: ranks > h.cores,
            running: Vec::new(),
            changed: false,
        };
        Self {
            hosts: platform.hosts.iter().zip(ranks).map(host).collect(),
            computations: vec![Computation::default(); host_of_rank.len()],
            host_of_rank,
            events: EventQueue::new(),
            new_sleeps: Vec::new(),
            new_computations: Vec::new(),
            changed: Vec::new(),
        }
    }

    /// Speed of a core of the rank's host, in flop/s.
    pub fn speed(&self, rank: u32) -> f64 {
        self.hosts[self.host_of_rank[rank as usize].index()].speed
    }

    /// A rank begins to compute `flops`, at a rate of at most `bound` flop/s.
    #[inline]
    pub fn compute(&mut self, now: f64, rank: u32, flops: f64, bound: f64) {
        let host = self.host_of_rank[rank as usize].index();
        let state = &mut self.hosts[host];
        let rate = if state.crowded { 0.0 } else { state.speed.min(bound) };
        self.computations[rank as usize] = Computation { remaining: flops, rate, updated: now, bound };
        if state.crowded {
            state.running.push(rank);
            self.note(host);
        } else {
            self.new_computations.push(rank);
        }
    }

    /// A rank begins to sleep for so many seconds.
    #[inline]
    pub fn sleep(&mut self, now: f64, rank: u32, seconds: f64) {
        self.new_sleeps.push((rank, now + seconds.max(SHORTEST_SLEEP)));
    }

    fn note(&mut self, host: usize) {
        if !self.hosts[host].changed {
            self.hosts[host].changed = true;
            self.changed.push(host as u32);
        }
    }

    /// The date of the next event. `None`: nobody computes or sleeps.
    #[inline]
    pub fn next_date(&mut self, now: f64) -> Option<f64> {
        // Sleeps enter the queue before computations, the last one first: the order of SimGrid 3.32, which decides
        // who goes first when two end at the same instant.
        while let Some((rank, date)) = self.new_sleeps.pop() {
            self.events.set(rank, date);
        }
        for i in 0..self.new_computations.len() {
            let rank = self.new_computations[i];
            let c = &self.computations[rank as usize];
            self.events.set(rank, now + c.remaining / c.rate);
        }
        self.new_computations.clear();
        while let Some(host) = self.changed.pop() {
            self.share(host as usize, now);
        }
        self.events.next_date()
    }

    /// Gives the computations of a crowded host their new rates and end dates.
    fn share(&mut self, host: usize, now: f64) {
        let state = &mut self.hosts[host];
        state.changed = false;
        let capacity = f64::from(state.cores) * state.speed;
        // Those with a bound below the fair share leave the rest to the others.
        let mut by_bound: Vec<u32> = state.running.clone();
        by_bound.sort_by(|a, b| self.computations[*a as usize].bound.total_cmp(&self.computations[*b as usize].bound));
        let mut left = capacity;
        let mut rates = Vec::with_capacity(by_bound.len());
        for (i, rank) in by_bound.iter().enumerate() {
            let fair = left / (by_bound.len() - i) as f64;
            let rate = fair.min(state.speed).min(self.computations[*rank as usize].bound);
            left -= rate;
            rates.push((*rank, rate));
        }
        for rank in &state.running {
            let c = &mut self.computations[*rank as usize];
            c.remaining -= c.rate * (now - c.updated);
            if c.remaining < NOTHING_LEFT {
                c.remaining = 0.0;
            }
            c.updated = now;
            let rate = rates.iter().find(|r| r.0 == *rank).map_or(0.0, |r| r.1);
            if rate != c.rate {
                c.rate = rate;
                self.events.set(*rank, now + c.remaining / c.rate);
            }
        }
    }

    /// Lets the events of this instant happen; appends the ranks whose computation or sleep ended.
    pub fn advance(&mut self, now: f64, precision: f64, finished: &mut Vec<u32>) {
        while self.events.next_date().is_some_and(|date| date <= now || date - now < precision) {
            let Some((_, rank)) = self.events.pop() else { break };
            let host = self.host_of_rank[rank as usize].index();
            let running = &mut self.hosts[host].running;
            if let Some(at) = running.iter().position(|&r| r == rank) {
                running.remove(at);
                self.note(host);
            }
            finished.push(rank);
        }
    }
}
