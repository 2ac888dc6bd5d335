//! Computation and sleep: the cores of each host, shared among the ranks on it.
//!
//! On a host of speed s with k cores, m computations run at min(s, k s / m) each: a computation uses one core at
//! most. Sleeps use no core.

use crate::ids::{HostId, Rank};
use crate::mpi::rank_map::RankMap;
use crate::platform::Platform;
use crate::queue::EventQueue;

/// A remaining amount below this many flops counts as nothing.
const NOTHING_LEFT: f64 = 1e-14;

#[derive(Clone, Copy, Default, Debug)]
struct Computation {
    remaining: f64,
    /// Flops per second since `updated`.
    rate: f64,
    updated: f64,
    /// Largest rate that it may have.
    bound: f64,
}

#[derive(Debug)]
struct Host {
    speed: f64,
    cores: u32,
    /// `true` if several ranks are on this host, so that computations can compete, or if the order of events matters.
    shared: bool,
    /// Ranks that compute, in the order in which they began; kept only for shared hosts.
    running: Vec<u32>,
    changed: bool,
}

/// Update that is due before the clock advances.
#[derive(Clone, Copy, Debug)]
enum Change {
    /// A computation began on a host that no other rank uses.
    Alone(u32),
    /// Computations began or ended on a host of several ranks.
    Host(u32),
}

/// Computations and sleeps of all ranks.
#[derive(Debug)]
pub struct Cpu {
    hosts: Vec<Host>,
    computations: Vec<Computation>,
    host_of_rank: Vec<HostId>,
    /// `true` if a host is shared: only these have to be told of ends.
    any_shared: bool,
    /// One event per rank: it sleeps or computes, never both.
    events: EventQueue,
    /// Shortest sleep, in seconds: SimGrid rounds positive durations up to its precision.
    shortest_sleep: f64,
    /// Sleeps that began at this instant and are not in the queue yet.
    new_sleeps: Vec<(u32, f64)>,
    /// Computations that began or ended, in this order.
    changes: Vec<Change>,
}

impl Cpu {
    /// Creates idle hosts. Sleeps last at least `shortest_sleep` seconds. `in_order`: the order in which computations
    /// begin and end at one instant matters, so all hosts are tracked.
    pub fn new(platform: &Platform, rank_map: &RankMap, shortest_sleep: f64, in_order: bool) -> Self {
        let mut ranks = vec![0u32; platform.hosts.len()];
        let host_of_rank: Vec<HostId> = (0..rank_map.ranks()).map(|r| rank_map.host(Rank(r))).collect();
        host_of_rank.iter().for_each(|h| ranks[h.index()] += 1);
        let host = |(h, ranks): (&crate::platform::Host, u32)| Host {
            speed: h.speed,
            cores: h.cores,
            shared: ranks > 1 || in_order,
            running: Vec::new(),
            changed: false,
        };
        let hosts: Vec<Host> = platform.hosts.iter().zip(ranks).map(host).collect();
        Self {
            any_shared: hosts.iter().any(|host| host.shared),
            hosts,
            computations: vec![Computation::default(); host_of_rank.len()],
            host_of_rank,
            events: EventQueue::new(),
            shortest_sleep,
            new_sleeps: Vec::new(),
            changes: Vec::new(),
        }
    }

    /// Adds a background collective to the host of a rank, which computes nothing at present. With `computes`, both may
    /// compute at the same time.
    pub fn lodge(&mut self, background: u32, rank: u32, computes: bool) {
        let host = self.host_of_rank[rank as usize];
        let places = (background as usize + 1).max(self.host_of_rank.len());
        self.host_of_rank.resize(places, host);
        self.computations.resize(places, Computation::default());
        self.host_of_rank[background as usize] = host;
        self.hosts[host.index()].shared |= computes;
        self.any_shared |= computes;
    }

    /// Adds a core to the host of a rank.
    pub fn add_core(&mut self, rank: u32) {
        let cores = &mut self.hosts[self.host_of_rank[rank as usize].index()].cores;
        *cores = cores.saturating_add(1);
    }

    /// Returns the speed of a core of the rank's host, in flop/s.
    pub fn speed(&self, rank: u32) -> f64 {
        self.hosts[self.host_of_rank[rank as usize].index()].speed
    }

    /// Starts a computation of `flops` of a rank, at a rate of at most `bound` flop/s.
    #[inline]
    pub fn compute(&mut self, now: f64, rank: u32, flops: f64, bound: f64) {
        self.prepare(rank, flops, bound);
        self.begin(now, rank);
    }

    /// Prepares a computation, which takes nothing from others yet.
    #[inline]
    pub fn prepare(&mut self, rank: u32, flops: f64, bound: f64) {
        self.computations[rank as usize] = Computation { remaining: flops, rate: 0.0, updated: 0.0, bound };
    }

    /// Starts the prepared computation of a rank.
    #[inline]
    pub fn begin(&mut self, now: f64, rank: u32) {
        let host = self.host_of_rank[rank as usize].index();
        let state = &mut self.hosts[host];
        let computation = &mut self.computations[rank as usize];
        computation.updated = now;
        if state.shared {
            state.running.push(rank);
            self.note(host);
        } else {
            computation.rate = state.speed.min(computation.bound);
            self.changes.push(Change::Alone(rank));
        }
    }

    /// Starts a sleep of `seconds`. SimGrid updates the computations of a host when a sleep begins there, although
    /// sleeps use no core; that changes last digits, and the order of ranks.
    #[inline]
    pub fn sleep(&mut self, now: f64, rank: u32, seconds: f64) {
        self.new_sleeps.push((rank, now + seconds.max(self.shortest_sleep)));
        let host = self.host_of_rank[rank as usize].index();
        if self.hosts[host].shared {
            self.note(host);
        }
    }

    /// Notes that a rank waits for a message. SimGrid 3.32 has it sleep meanwhile, without an end.
    #[inline]
    pub fn waits(&mut self, rank: u32) {
        self.note(self.host_of_rank[rank as usize].index());
    }

    fn note(&mut self, host: usize) {
        if !self.hosts[host].changed {
            self.hosts[host].changed = true;
            self.changes.push(Change::Host(host as u32));
        }
    }

    /// Returns the time of the next event; `None` if no rank computes or sleeps.
    #[inline]
    pub fn next_time(&mut self, now: f64) -> Option<f64> {
        // Sleeps enter the queue before computations, the last one first: the order of SimGrid 3.32, which decides
        // between two that end at the same instant.
        while let Some((rank, time)) = self.new_sleeps.pop() {
            self.events.set(rank, time);
        }
        for i in 0..self.changes.len() {
            match self.changes[i] {
                Change::Alone(rank) => {
                    let c = &self.computations[rank as usize];
                    self.events.set(rank, now + c.remaining / c.rate);
                }
                Change::Host(host) => self.share(host as usize, now),
            }
        }
        self.changes.clear();
        self.events.next_time()
    }

    /// Updates rates and completion times of the computations on a shared host. All enter the queue again, the last
    /// begun first, as in SimGrid 3.32.
    fn share(&mut self, host: usize, now: f64) {
        let state = &mut self.hosts[host];
        state.changed = false;
        if state.running.is_empty() {
            return;
        }
        let capacity = f64::from(state.cores) * state.speed;
        let limit = |rank: u32| self.computations[rank as usize].bound.min(state.speed);
        let mut rates = vec![0.0; state.running.len()];
        let mut open: Vec<usize> = (0..rates.len()).collect();
        let mut left = capacity;
        while !open.is_empty() {
            let fair = left / open.len() as f64;
            let lowest = open.iter().map(|&place| limit(state.running[place])).fold(f64::INFINITY, f64::min);
            if lowest >= fair {
                open.iter().for_each(|&place| rates[place] = fair);
                break;
            }
            // Computations with the lowest bounds leave the rest of their share to the others.
            open.retain(|&place| {
                let limited = limit(state.running[place]) == lowest;
                if limited {
                    rates[place] = lowest;
                    left -= lowest;
                }
                !limited
            });
        }
        for (rank, rate) in state.running.iter().zip(rates).rev() {
            let c = &mut self.computations[*rank as usize];
            c.remaining -= c.rate * (now - c.updated);
            if c.remaining < NOTHING_LEFT {
                c.remaining = 0.0;
            }
            c.updated = now;
            c.rate = rate;
            let left = if c.remaining > 0.0 { c.remaining / c.rate } else { 0.0 };
            self.events.set(*rank, now + left);
        }
    }

    /// Processes the events of this instant; appends the ranks whose computation or sleep ended.
    #[inline]
    pub fn advance(&mut self, now: f64, precision: f64, finished: &mut Vec<u32>) {
        while let Some((_, rank)) = self.events.pop_if(|time| time <= now || time - now < precision) {
            finished.push(rank);
            if !self.any_shared {
                continue;
            }
            let host = self.host_of_rank[rank as usize].index();
            let running = &mut self.hosts[host].running;
            if let Some(place) = running.iter().position(|&r| r == rank) {
                running.remove(place);
                self.note(host);
            }
        }
    }
}
