//! Random programs that come to their end: phases in which all messages match.

use super::options::{Options, pick};
use mopsim::trace::CollectiveKind;
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

/// Types by number: double, int, char, byte.
const TYPES: [u32; 4] = [0, 1, 2, 6];
const COUNTS: [u32; 9] = [1, 7, 60, 241, 900, 3000, 9000, 20_000, 70_000];

pub struct Program {
    lines: Vec<Vec<String>>,
    tag: u32,
}

#[derive(Clone, Copy)]
struct Message {
    from: usize,
    to: usize,
    tag: u32,
    count: u32,
    datatype: u32,
}

impl Message {
    fn send(self, verb: &str) -> String {
        format!("{verb} {} {} {} {}", self.to, self.tag, self.count, self.datatype)
    }

    fn receive(self, verb: &str, count: &str) -> String {
        format!("{verb} {} {} {count} {}", self.from, self.tag, self.datatype)
    }

    fn triple(self, verb: &str) -> String {
        format!("{verb} {} {} {}", self.from, self.to, self.tag)
    }
}

impl Program {
    pub fn new(rng: &mut impl Rng, ranks: usize, options: &Options) -> Self {
        let mut program = Self { lines: vec![vec!["init".to_owned()]; ranks], tag: 0 };
        let kinds = options.collectives();
        // Ranks that poll share a counter, so few programs have them.
        let polls = rng.random_bool(0.15);
        for _ in 0..rng.random_range(3..9) {
            match rng.random_range(0..if polls { 10 } else { 9 }) {
                0 | 1 => program.compute(rng),
                2 => program.blocking(rng),
                3..5 => program.non_blocking(rng),
                5 => program.ring(rng),
                9 => program.polling(rng),
                _ => program.collective(rng, &kinds),
            }
        }
        program.lines.iter_mut().for_each(|lines| lines.push("finalize".to_owned()));
        program
    }

    pub fn text(&self) -> String {
        let lines = self.lines.iter().enumerate();
        lines.flat_map(|(rank, lines)| lines.iter().map(move |line| format!("{rank} {line}\n"))).collect()
    }

    /// `true` if a rank tests, or receives messages of unknown size.
    pub fn polls(&self) -> bool {
        self.lines.iter().flatten().any(|line| line.starts_with("test") || line.contains(" -1 "))
    }

    fn say(&mut self, rank: usize, line: String) {
        self.lines[rank].push(line);
    }

    fn say_all(&mut self, line: &str) {
        self.lines.iter_mut().for_each(|lines| lines.push(line.to_owned()));
    }

    fn ranks(&self) -> usize {
        self.lines.len()
    }

    fn messages(&mut self, rng: &mut impl Rng) -> Vec<Message> {
        let number = rng.random_range(1..3 * self.ranks());
        let one = |_| {
            self.tag += 1;
            let from = rng.random_range(0..self.ranks());
            let to = (from + rng.random_range(1..self.ranks())) % self.ranks();
            Message { from, to, tag: self.tag, count: pick(rng, &COUNTS), datatype: pick(rng, &TYPES) }
        };
        (0..number).map(one).collect()
    }

    fn compute(&mut self, rng: &mut impl Rng) {
        for rank in 0..self.ranks() {
            if rng.random_bool(0.7) {
                let line = match rng.random_range(0..6) {
                    0 => format!("sleep {:e}", rng.random_range(1..50) as f64 * 1e-6),
                    _ => format!("compute {}", 10f64.powf(rng.random_range(2.0..6.5)).round()),
                };
                self.say(rank, line);
            }
        }
    }

    /// Blocking messages, one after another in an order that all ranks keep.
    fn blocking(&mut self, rng: &mut impl Rng) {
        for message in self.messages(rng) {
            self.say(message.from, message.send("send"));
            self.say(message.to, message.receive("recv", &message.count.to_string()));
        }
    }

    /// All messages are posted, then waited for: together, or one by one.
    fn non_blocking(&mut self, rng: &mut impl Rng) {
        let mut posts = Vec::new();
        for message in self.messages(rng) {
            posts.push((message.from, message.send("isend"), message));
            posts.push((message.to, message.receive("irecv", &message.count.to_string()), message));
        }
        posts.shuffle(rng);
        posts.iter().for_each(|(rank, line, _)| self.say(*rank, line.clone()));
        posts.shuffle(rng);
        for rank in 0..self.ranks() {
            let mine: Vec<Message> = posts.iter().filter(|post| post.0 == rank).map(|post| post.2).collect();
            if mine.is_empty() {
                continue;
            }
            if rng.random_bool(0.3) {
                self.say(rank, "compute 20000".into());
            }
            if rng.random_bool(0.5) {
                self.say(rank, format!("waitall {}", mine.len()));
            } else {
                mine.iter().for_each(|message| self.say(rank, message.triple("wait")));
            }
        }
    }

    /// All ranks send to one side and receive from the other.
    fn ring(&mut self, rng: &mut impl Rng) {
        let (ranks, count, datatype) = (self.ranks(), pick(rng, &COUNTS), pick(rng, &TYPES));
        let shift = rng.random_range(1..ranks);
        for rank in 0..ranks {
            let (to, from) = ((rank + shift) % ranks, (rank + ranks - shift) % ranks);
            self.say(rank, format!("sendRecv {count} {to} {count} {from} {datatype} {datatype}"));
        }
    }

    /// Tests, and receives of unknown size.
    fn polling(&mut self, rng: &mut impl Rng) {
        for message in self.messages(rng) {
            if rng.random_bool(0.5) {
                self.say(message.from, message.send("send"));
                self.say(message.to, message.receive("recv", "-1"));
            } else {
                self.say(message.from, message.send("isend"));
                self.say(message.to, message.receive("irecv", &message.count.to_string()));
                self.say(message.to, message.triple("test"));
                self.say(message.to, message.triple("wait"));
                self.say(message.from, message.triple("wait"));
            }
        }
    }

    fn collective(&mut self, rng: &mut impl Rng, kinds: &[CollectiveKind]) {
        use CollectiveKind as K;
        let ranks = self.ranks();
        let kind = pick(rng, kinds);
        let name = kind.name();
        // All-to-alls of large blocks take long in SimGrid, and show no more.
        let (count, datatype, root) = (pick(rng, &COUNTS[..8]), pick(rng, &TYPES), rng.random_range(0..ranks));
        let flops = pick(rng, &[0, 5000]);
        let vector = |of: &dyn Fn(usize) -> u32| (0..ranks).map(|i| of(i).to_string()).collect::<Vec<_>>().join(" ");
        let base = count.min(3000);
        let sizes: Vec<u32> = (0..ranks).map(|_| rng.random_range(1..=base)).collect();
        match kind {
            K::Barrier => self.say_all(name),
            K::Bcast => self.say_all(&format!("{name} {count} {root} {datatype}")),
            K::Reduce => self.say_all(&format!("{name} {count} {flops} {root} {datatype}")),
            K::Allreduce | K::Scan | K::Exscan => self.say_all(&format!("{name} {count} {flops} {datatype}")),
            K::Alltoall | K::Allgather => self.say_all(&format!("{name} {count} {count} {datatype} {datatype}")),
            K::Gather | K::Scatter => self.say_all(&format!("{name} {count} {count} {root} {datatype} {datatype}")),
            K::ReduceScatter => {
                let counts = vector(&|i| sizes[i]);
                self.say_all(&format!("{name} {counts} {flops} {datatype}"));
            }
            K::Gatherv | K::Allgatherv | K::Scatterv => {
                let counts = vector(&|i| sizes[i]);
                let root = if kind == K::Allgatherv { String::new() } else { format!("{root} ") };
                for (rank, own) in sizes.iter().enumerate() {
                    let line = match kind {
                        K::Scatterv => format!("{name} {counts} {own} {root}{datatype} {datatype}"),
                        _ => format!("{name} {own} {counts} {root}{datatype} {datatype}"),
                    };
                    self.say(rank, line);
                }
            }
            K::Alltoallv => {
                let size =
                    |from: usize, to: usize| 1 + (sizes[from] + 7 * sizes[to] + (from * to) as u32) % base.max(2);
                for rank in 0..ranks {
                    let (sent, received) = (vector(&|to| size(rank, to)), vector(&|from| size(from, rank)));
                    let total = |of: &dyn Fn(usize) -> u32| (0..ranks).map(of).sum::<u32>();
                    let (out, into) = (total(&|to| size(rank, to)), total(&|from| size(from, rank)));
                    self.say(rank, format!("{name} {out} {sent} {into} {received} {datatype} {datatype}"));
                }
            }
        }
    }
}
