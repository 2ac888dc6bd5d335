//! Perfect matchings of large weight between equal numbers of sources and destinations.

/// Returns the matching of the largest sum: the column of each row. `weight` is a square matrix, row by row.
///
/// The Hungarian method with potentials, one augmenting path for each row, O(n^3) (H. Kuhn 1955; the form of R. Jonker
/// and A. Volgenant, A Shortest Augmenting Path Algorithm for Dense and Sparse Linear Assignment Problems, 1987).
pub(super) fn heaviest(n: usize, weight: &[u32]) -> Vec<u32> {
    assert_eq!(weight.len(), n * n, "a weight for each pair");
    const NOBODY: usize = usize::MAX;
    // Costs are negative weights; row and column n mean "none yet".
    let mut of_row = vec![0_i64; n + 1];
    let mut of_column = vec![0_i64; n + 1];
    let mut row_of = vec![NOBODY; n + 1];
    let mut before = vec![0; n + 1];
    let mut least = vec![0_i64; n + 1];
    let mut used = vec![false; n + 1];
    for row in 0..n {
        row_of[n] = row;
        let mut column = n;
        least.fill(i64::MAX);
        used.fill(false);
        while row_of[column] != NOBODY {
            used[column] = true;
            let here = row_of[column];
            let costs = &weight[here * n..(here + 1) * n];
            let (mut step, mut next) = (i64::MAX, n);
            for other in 0..n {
                if used[other] {
                    continue;
                }
                let reduced = -i64::from(costs[other]) - of_row[here] - of_column[other];
                if reduced < least[other] {
                    (least[other], before[other]) = (reduced, column);
                }
                if least[other] < step {
                    (step, next) = (least[other], other);
                }
            }
            for other in 0..=n {
                if used[other] {
                    of_row[row_of[other]] += step;
                    of_column[other] -= step;
                } else if least[other] != i64::MAX {
                    least[other] -= step;
                }
            }
            column = next;
        }
        while column != n {
            let previous = before[column];
            row_of[column] = row_of[previous];
            column = previous;
        }
    }
    let mut column_of = vec![0; n];
    (0..n).for_each(|column| column_of[row_of[column]] = column as u32);
    column_of
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the largest sum over all permutations of the remaining columns.
    fn best(n: usize, weight: &[u32], row: usize, free: u32) -> u32 {
        if row == n {
            return 0;
        }
        let columns = (0..n).filter(|column| free & (1 << column) != 0);
        columns.map(|c| weight[row * n + c] + best(n, weight, row + 1, free & !(1 << c))).max().unwrap()
    }

    proptest! {
        #[test]
        fn no_permutation_is_heavier(n in 1usize..7, weights in prop::collection::vec(0u32..6, 49)) {
            let weight: Vec<u32> = weights[..n * n].to_vec();
            let found = heaviest(n, &weight);
            let mut columns = found.clone();
            columns.sort_unstable();
            prop_assert_eq!(columns, (0..n as u32).collect::<Vec<_>>());
            let sum: u32 = found.iter().enumerate().map(|(row, &column)| weight[row * n + column as usize]).sum();
            prop_assert_eq!(sum, best(n, &weight, 0, (1 << n) - 1));
        }
    }
}
