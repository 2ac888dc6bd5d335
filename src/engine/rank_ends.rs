//! Times at which each rank ended its iterations.
//!
//! Ranks of a run without a common rate are found by these times, so they are kept until a replay leaves out iterations. A
//! replay of many iterations keeps those of every second, fourth ... boundary, so that memory is bounded per rank.

/// Largest number of boundaries whose times are kept.
const MOST: usize = 512;

/// Times at which ranks passed boundaries of iterations, in seconds.
#[derive(Debug, Clone, PartialEq)]
pub struct RankEnds {
    ranks: usize,
    /// Distance in iterations between the boundaries that are kept.
    stride: usize,
    /// For each kept boundary, the time of each rank; infinite if the rank has not passed it.
    rows: Vec<Vec<f64>>,
}

impl RankEnds {
    pub(super) fn new(ranks: usize) -> Self {
        Self { ranks, stride: 1, rows: Vec::new() }
    }

    /// Notes that a rank passes a boundary. Each rank passes them in order.
    pub(super) fn note(&mut self, rank: usize, boundary: usize, now: f64) {
        while boundary / self.stride >= MOST {
            self.stride *= 2;
            let mut kept = [true, false].into_iter().cycle();
            self.rows.retain(|_| kept.next() == Some(true));
        }
        if boundary.is_multiple_of(self.stride) {
            let at = boundary / self.stride;
            if at >= self.rows.len() {
                self.rows.resize(at + 1, vec![f64::INFINITY; self.ranks]);
            }
            self.rows[at][rank] = now;
        }
    }

    /// Returns the boundaries from `first` to `last` that are kept, with the time of each rank. Boundary 0 is the start of the
    /// first iteration.
    pub fn between(&self, first: usize, last: usize) -> impl Iterator<Item = (usize, &[f64])> {
        let rows = self.rows.iter().enumerate().map(|(at, row)| (at * self.stride, &row[..]));
        rows.filter(move |(boundary, _)| (first..=last).contains(boundary))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_replays_keep_boundaries_at_a_distance() {
        let mut ends = RankEnds::new(2);
        for boundary in 0..1500 {
            ends.note(0, boundary, boundary as f64);
        }
        ends.note(1, 0, 7.0);
        // 512 boundaries are too few for 1500 and for 750, and enough for 375.
        let kept: Vec<(usize, f64)> = ends.between(1000, 1016).map(|(at, row)| (at, row[0])).collect();
        assert_eq!(kept, [(1000, 1000.0), (1004, 1004.0), (1008, 1008.0), (1012, 1012.0), (1016, 1016.0)]);
        assert_eq!(ends.between(0, 4).map(|(_, row)| row[1]).collect::<Vec<_>>(), [7.0, f64::INFINITY]);
    }
}
