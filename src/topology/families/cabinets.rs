//! Positions of cabinets on a floor, as far as the construction of a topology depends on them.
//!
//! (*Layout-aware Expandable Low-degree Topology*, *Skywalk*.) c cabinets form `x = ceil(sqrt c)` rows of `y = ceil(c /
//! x)`; cabinet i is in row `i div y`, column `i mod y`. A cabinet is 0.6 m wide and 2.1 m deep with its aisle.

/// Grid of cabinets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Floor {
    /// Number of rows.
    pub rows: usize,
    /// Number of cabinets per row.
    pub columns: usize,
}

impl Floor {
    /// Returns the grid for `cabinets` cabinets, at least one.
    pub(super) fn new(cabinets: usize) -> Self {
        let root = cabinets.isqrt();
        let rows = if root * root < cabinets { root + 1 } else { root };
        Self { rows, columns: cabinets.div_ceil(rows) }
    }

    /// Returns the rows and columns between two cabinets.
    pub(super) fn steps(&self, a: usize, b: usize) -> (usize, usize) {
        ((a / self.columns).abs_diff(b / self.columns), (a % self.columns).abs_diff(b % self.columns))
    }

    /// Returns the distance of two cabinets in decimetres.
    pub(super) fn distance(&self, a: usize, b: usize) -> usize {
        let (rows, columns) = self.steps(a, b);
        21 * rows + 6 * columns
    }

    /// Returns the largest distance in decimetres: the last row has at least one cabinet.
    pub(super) fn largest_distance(&self) -> usize {
        21 * (self.rows - 1) + 6 * (self.columns - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_are_nearly_square_and_their_last_row_is_not_empty() {
        assert_eq!(Floor::new(16), Floor { rows: 4, columns: 4 });
        assert_eq!(Floor::new(5), Floor { rows: 3, columns: 2 });
        for c in 1..2000 {
            let floor = Floor::new(c);
            assert!((floor.rows - 1) * floor.columns < c && c <= floor.rows * floor.columns, "{c}");
        }
        assert_eq!((Floor::new(16).distance(0, 5), Floor::new(16).largest_distance()), (27, 81));
    }
}
