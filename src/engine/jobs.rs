//! Several jobs in one replay: when the ranks of each start, and which of them start over.
//!
//! To the rest of the engine, jobs are ranks with numbers of their own; their traces are merged beforehand. Only timing
//! is left: ranks of a job that starts later sleep until then, and a job that repeats begins its actions again, until
//! the last rank of the others ends.

/// When a job starts again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Repeats {
    /// Never: the replay waits for its end.
    #[default]
    Never,
    /// When all its ranks have ended.
    Together,
    /// Each of its ranks as soon as it has ended.
    EachRank,
}

/// Job of a replay: consecutive ranks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// Number of ranks.
    pub ranks: u32,
    /// Start in seconds, zero or more, finite.
    pub start: f64,
    /// When it starts again. Ranks that run a graph of operations never do.
    pub repeats: Repeats,
}

/// Jobs under way.
pub(super) struct Jobs {
    pub spans: Vec<Span>,
    /// First rank of each job, and the number of ranks.
    pub first: Vec<u32>,
    /// Ranks of each job that have not ended in the present round.
    pub open: Vec<u32>,
    /// Start of the present round of each rank.
    pub began: Vec<f64>,
}

impl Jobs {
    /// Returns `None` if the only job is the ranks themselves.
    pub fn new(spans: &[Span], ranks: u32) -> Option<Box<Self>> {
        if spans.is_empty() {
            return None;
        }
        let mut first = vec![0];
        let mut began = Vec::with_capacity(ranks as usize);
        for span in spans {
            first.push(first[first.len() - 1] + span.ranks);
            began.extend((0..span.ranks).map(|_| span.start));
        }
        assert_eq!(first.last(), Some(&ranks), "every rank belongs to a job");
        Some(Box::new(Self {
            open: spans.iter().map(|span| span.ranks).collect(),
            first,
            began,
            spans: spans.to_vec(),
        }))
    }

    /// Returns the number of ranks whose end the replay waits for; more than there are if it waits for all.
    pub fn awaited(&self) -> u32 {
        let once = self.spans.iter().filter(|span| span.repeats == Repeats::Never);
        if once.clone().count() == self.spans.len() { u32::MAX } else { once.map(|span| span.ranks).sum() }
    }

    /// Returns the first rank of each job.
    pub fn first_ranks(&self) -> &[u32] {
        &self.first[..self.spans.len()]
    }

    /// Returns the job of a rank.
    pub fn job_of(&self, rank: u32) -> usize {
        self.first.partition_point(|&first| first <= rank) - 1
    }

    /// Returns when the job of a rank starts again.
    pub fn repeats(&self, rank: u32) -> Repeats {
        self.spans[self.job_of(rank)].repeats
    }
}
