//! Synthetic traffic on the networks of a study, in addition to the workloads: the table `[throughput]`.
//!
//! Workloads show how fast applications run; patterns show what the networks can carry, which holds for applications
//! that have never been recorded. Each network has its routing, hosts and speeds of the study.

use super::network::Making;
use crate::floorplan::FloorOptions;
use crate::throughput::{Cell, Network, Speeds, ThroughputError, ThroughputOptions, evaluate, paths};
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
    /// Patterns; default: `uniform`.
    pub patterns: Option<Vec<String>>,
    /// Routing of all networks, e.g. `split`; default: that of each network in the study.
    pub routing: Option<String>,
    /// Bound on the throughput of any routing, as for `mopsim throughput`; default: `quick`.
    pub bound: Option<String>,
    /// Largest gap between the two values of the bound `flow`.
    pub bound_gap: Option<f64>,
    /// Seed of random patterns; default: that of the study.
    pub seed: Option<u64>,
}

/// Synthetic traffic for the networks of a study.
#[derive(Debug, Clone, PartialEq)]
pub struct TrafficPlan {
    /// Traffic patterns.
    pub patterns: Vec<String>,
    /// Routing of all networks; `None` for that of each network in the study.
    routing: Option<String>,
    options: ThroughputOptions,
}

impl TrafficPlan {
    /// Creates the plan from the table of a study file and the patterns of the command line, which override those of
    /// the file. File names in the study are relative to `folder`, those of the command line to the current folder.
    /// There is no plan if neither exists.
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
        let options =
            ThroughputOptions::default().bounded(written.bound.as_deref().or(Some("quick")), written.bound_gap)?;
        let seed = written.seed.or(seed).unwrap_or(options.seed);
        let options = ThroughputOptions { seed, folder: folder.to_owned(), ..options };
        Ok(Some(Self { patterns, routing: written.routing, options }))
    }

    /// Returns the result for each pattern on a network.
    pub(super) fn cells(
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
            // Delay of a link in the study, so that rules that depend on delays find the routes of the replays.
            switch_delay: parameters.link_latency.value() + parameters.switch_delay.value(),
            cable_delay: parameters.cables.as_ref().map_or(0.0, |(delay, _)| delay.value()),
            ..Speeds::of(parameters.defaults)
        };
        let hosts = parameters.hosts_per_switch.clone();
        let network = Network::new(Arc::clone(topology), hosts, None, speeds, floor);
        let routing = [self.routing.clone().unwrap_or_else(|| making.routing().to_string())];
        let options = ThroughputOptions {
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
