//! Throughput of the networks of a study under its synthetic traffic.

use super::built::Study;
use super::network::NetworkUnderTest;
use crate::throughput::Cell;
use rayon::prelude::*;

/// Throughput of a network under the patterns of a study.
#[derive(Debug, Clone, PartialEq)]
pub struct SyntheticTraffic {
    /// Index of the network's first column.
    pub column: usize,
    /// Result for each pattern, or the reason why there is none.
    pub cells: Vec<Result<Cell, String>>,
}

impl Study {
    /// Returns the throughput of the networks under the synthetic traffic of the study: one entry for each network on
    /// each platform that has a graph of switches. For random networks it is the first one. Empty if there is no such
    /// traffic.
    pub fn carried(&self) -> Vec<SyntheticTraffic> {
        let Some(plan) = &self.traffic else { return Vec::new() };
        let networks: Vec<&NetworkUnderTest> = self.column_networks().collect();
        // Other mappings and collectives are other columns of the same network.
        let same = |a: usize, b: usize| {
            let [a, b] = [a, b].map(|index| &self.plan.columns[index]);
            a.network == b.network
                && (&a.setting.platform, &a.setting.routing) == (&b.setting.platform, &b.setting.routing)
        };
        let columns = (0..networks.len()).filter(|&column| (0..column).all(|before| !same(before, column)));
        let answers = columns.filter_map(|column| Some((column, networks[column].graph()?))).collect::<Vec<_>>();
        answers
            .into_par_iter()
            .map(|(column, (topology, making))| {
                let floor = &networks[column].floor;
                let collectives = &self.plan.columns[column].setting.collectives;
                SyntheticTraffic { column, cells: plan.cells(topology, making, floor, collectives) }
            })
            .collect()
    }
}
