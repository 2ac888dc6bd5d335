//! What the networks of a study carry under synthetic traffic, beside the workloads: the table `[throughput]`.
//!
//! Workloads say how fast applications run; patterns say what the networks could carry, which holds for applications
//! that nobody has recorded. Each network has the routing, hosts and speeds that it has in the study.

use super::network::{Making, NetworkUnderTest};
use super::run::Study;
use crate::layout::FloorOptions;
use crate::throughput::{Cell, Network, Options, Speeds, ThroughputError, evaluate, paths};
use crate::topology::Topology;
use crate::traffic;
use rayon::prelude::*;
use serde::Deserialize;
use std::path::Path;
use std::sync::Arc;

/// The table `[throughput]` as written.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TrafficChoice {
    /// Patterns, e.g. `uniform`; that one if left out.
    pub patterns: Option<Vec<String>>,
    /// Instead of the routing of each network in the study: one for all, e.g. `split`.
    pub routing: Option<String>,
    /// Bound on what any routing can, as for `mopsim throughput`; `quick` if left out.
    pub bound: Option<String>,
    /// How near the two values of the bound `flow` are to be.
    pub bound_gap: Option<f64>,
    /// Seed of random patterns; that of the study if left out.
    pub seed: Option<u64>,
}

/// Synthetic traffic for the networks of a study.
#[derive(Debug, Clone, PartialEq)]
pub struct TrafficPlan {
    /// Patterns.
    pub patterns: Vec<String>,
    /// The routing of all networks, where it is not that of each in the study.
    routing: Option<String>,
    options: Options,
}

/// What a network carries under the patterns of a study.
#[derive(Debug, Clone, PartialEq)]
pub struct SyntheticTraffic {
    /// The network: index of its first column.
    pub column: usize,
    /// The answer for each pattern, or why there is none.
    pub cells: Vec<Result<Cell, String>>,
}

impl TrafficPlan {
    /// From the table of a study file and the patterns of the command line, which come before those of the file. File
    /// names in the study are relative to `folder`, those of the command line to the current one. There is no plan
    /// where neither is given.
    ///
    /// # Errors
    /// [`ThroughputError`].
    pub fn read(
        written: Option<TrafficChoice>,
        patterns: &[String],
        seed: Option<u64>,
        folder: &Path,
    ) -> Result<Option<Self>, ThroughputError> {
        if written.is_none() && patterns.is_empty() {
            return Ok(None);
        }
        let written = written.unwrap_or_default();
        let (patterns, folder) = match patterns {
            [] => (written.patterns.unwrap_or_else(|| vec![traffic::DEFAULT.into()]), folder),
            given => (given.to_vec(), Path::new("")),
        };
        if patterns.is_empty() {
            let rule = "leave the table out, or name at least one pattern".to_owned();
            return Err(ThroughputError::Invalid { parameter: "patterns", value: "an empty list".into(), rule });
        }
        patterns.iter().try_for_each(|pattern| traffic::check(pattern))?;
        written.routing.iter().try_for_each(|routing| paths::check(routing))?;
        let options = Options::default().bounded(written.bound.as_deref().or(Some("quick")), written.bound_gap)?;
        let seed = written.seed.or(seed).unwrap_or(options.seed);
        let options = Options { seed, folder: folder.to_owned(), ..options };
        Ok(Some(Self { patterns, routing: written.routing, options }))
    }

    /// The answer for each pattern on a network.
    fn cells(
        &self,
        topology: &Arc<Topology>,
        making: &Making,
        floor: &FloorOptions,
        collectives: &str,
    ) -> Vec<Result<Cell, String>> {
        let parameters = &making.parameters;
        let speeds = Speeds {
            link: parameters.link_bandwidth.value(),
            host: parameters.host_link.map(|(bandwidth, _)| bandwidth.value()),
            duplex: parameters.duplex,
            // What a link delays in the study, so that rules that look at delays find the routes of the replays.
            switch_delay: parameters.link_latency.value() + parameters.switch_delay.value(),
            cable_delay: parameters.cables.as_ref().map_or(0.0, |(delay, _)| delay.value()),
            ..Speeds::of(parameters.defaults)
        };
        let hosts = parameters.hosts_per_switch.clone();
        let network = Network::new(Arc::clone(topology), hosts, None, speeds, floor);
        let routing = [self.routing.clone().unwrap_or_else(|| making.routing.to_string())];
        let options = Options {
            routing_seed: Some(making.routing_seed),
            collectives: collectives.to_owned(),
            ..self.options.clone()
        };
        let answer = |pattern: &String| match &network {
            Ok(network) => evaluate(network, pattern, &routing, &options)
                .map_err(|error| error.to_string())
                .and_then(|mut cells| cells.pop().ok_or_else(|| "there is no answer".to_owned())),
            Err(error) => Err(error.to_string()),
        };
        self.patterns.par_iter().map(answer).collect()
    }
}

impl Study {
    /// What the networks carry under the synthetic traffic of the study: one entry for each network on each platform
    /// that has a graph of switches. Of random networks it is the first one. Empty if there is no such traffic.
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
