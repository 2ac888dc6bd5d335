//! Fingerprints of studies: equal fingerprints mean equal results.
//!
//! They are computed from the checked input, not from the text of the study file: a comment or another order of keys
//! changes nothing, but another trace under the same name does. Each part has its own fingerprint, so that a message
//! can name the part that has changed.

use super::built::Study;
use super::network::NetworkUnderTest;
use crate::ids::Rank;
use crate::ledger::sha256::{Hasher, of_bytes};
use crate::trace::{Trace, ti};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};

/// SHA-256 digests of the parts of a study, in hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fingerprint {
    /// Version of the program.
    pub program: String,
    /// Topologies, speeds, routings, seeds, and the host of each rank.
    pub networks: String,
    /// Traces and their operation counts.
    pub workloads: String,
    /// Network model, collectives, sharing.
    pub model: String,
    /// Title, baseline, weights, budget, prices, perturbations.
    pub plan: String,
}

/// Returns the digest of the actions of a trace, whatever file they were read from.
fn of_trace(trace: &Trace) -> String {
    let mut hasher = Hasher::new();
    // A buffer before the hash combines many small pieces into a few large ones.
    let mut buffer = io::BufWriter::with_capacity(1 << 16, &mut hasher);
    ti::write(trace, &mut buffer).and_then(|()| buffer.flush()).expect("a hash takes every byte");
    drop(buffer);
    if let Some(schedule) = &trace.schedule {
        for graph in &schedule.ranks {
            for (number, operation) in (0..).zip(graph.operations()) {
                hasher.text(&format!("{operation:?} {:?}", graph.dependants(number)));
            }
        }
    }
    hasher.finish()
}

fn of_network(network: &NetworkUnderTest) -> String {
    let mut hasher = Hasher::new();
    let (info, platform) = (&network.info, &network.platform);
    hasher.text(&info.topology);
    hasher.text(&format!("{:?} {:?} {:?} {:?}", info.seed, info.duplex, info.routing, platform.loopback));
    if let Some(rails) = info.parameters.as_ref().and_then(|parameters| parameters.rails.as_ref()) {
        // Routes depend on the policy, which no link shows.
        hasher.text(&format!("{rails:?}"));
    }
    // Names of links built from a topology are its arcs.
    for link in &platform.links {
        hasher.text(&link.name);
        hasher.float(link.bandwidth);
        hasher.float(link.latency);
        hasher.text(&format!("{:?}", link.policy));
    }
    for host in &platform.hosts {
        hasher.text(&host.name);
        hasher.number(host.switch.map_or(u64::MAX, |switch| u64::from(switch.0)));
        hasher.float(host.speed);
        hasher.number(host.cores.into());
    }
    hasher.finish()
}

impl Fingerprint {
    /// Returns the fingerprint of a study.
    pub(super) fn of(study: &Study) -> Self {
        let plan = &study.plan;
        let mut networks = Hasher::new();
        study.networks.iter().for_each(|network| networks.text(&of_network(network)));
        study.file_digests.iter().for_each(|digest| networks.text(digest));
        for (column, built) in plan.columns.iter().zip(&study.columns) {
            networks.text(&format!("{} {:?} {} {:?}", column.info.name, column.setting, column.baseline, column.seeds));
            networks.number(built.model as u64);
            for run in &built.runs {
                networks.number(run.network as u64);
                for place in &run.rank_maps {
                    let rank_map = place.rank_map();
                    networks.number(rank_map.ranks().into());
                    (0..rank_map.ranks()).for_each(|rank| networks.number(u64::from(rank_map.host(Rank(rank)).0)));
                }
            }
        }
        let mut workloads = Hasher::new();
        for workload in &study.workloads {
            workloads.text(&workload.name);
            workloads.text(&format!("{:?}", workload.info()));
            workloads.text(&of_trace(&workload.trace));
            if let Some(mix) = &workload.jobs {
                workloads.text(&format!("{:?} {} {}", mix.traffic, mix.share_hosts, mix.pairs));
                for job in &mix.jobs {
                    workloads.text(&format!("{} {} {:?} {}", job.name, job.trace.ranks(), job.start, job.repeats));
                }
            }
        }
        let mut model = Hasher::new();
        study.models.iter().for_each(|(_, description)| model.text(&format!("{description:?}")));
        let mut rest = Hasher::new();
        rest.text(&plan.title);
        rest.number(u64::from(study.explain));
        rest.number(plan.baseline as u64);
        plan.weights.iter().for_each(|&weight| rest.float(weight));
        rest.text(&format!("{:?} {:?} {}", plan.budget, plan.perturbation, plan.mapping));
        if let Some(within) = study.until_steady {
            rest.text("until steady");
            rest.float(within);
        }
        if let Some(variations) = &plan.sensitivity {
            rest.text(&format!("{variations:?}"));
            // Names of variations do not have all digits of their factors.
            study.variations.iter().for_each(|built| rest.text(&format!("{:?} {}", built.factors, built.host_links)));
        }
        if let Some(check) = &plan.check {
            rest.text(&format!("{check:?}"));
        }
        if plan.budget.is_some() {
            rest.text(&format!("{:?}", plan.prices));
            plan.columns.iter().for_each(|column| rest.text(&format!("{:?}", column.cost)));
        }
        Self {
            program: env!("CARGO_PKG_VERSION").to_owned(),
            networks: networks.finish(),
            workloads: workloads.finish(),
            model: model.finish(),
            plan: rest.finish(),
        }
    }

    /// Returns one digest for all parts.
    pub fn digest(&self) -> String {
        let parts = [&self.program, &self.networks, &self.workloads, &self.model, &self.plan];
        of_bytes(parts.map(String::as_str).join(" ").as_bytes())
    }

    /// Returns the differences from `other`, in words.
    pub fn differences(&self, other: &Fingerprint) -> String {
        let program = format!("the version of the program ({} there, {} here)", other.program, self.program);
        let parts = [
            (self.program != other.program, program.as_str()),
            (self.networks != other.networks, "its networks or the places of ranks"),
            (self.workloads != other.workloads, "its workloads"),
            (self.model != other.model, "its model"),
            (
                self.plan != other.plan,
                "its title, baseline, weights, budget, prices, perturbations, sensitivity, check, explanations or `until_steady`",
            ),
        ];
        let different: Vec<&str> = parts.iter().filter(|part| part.0).map(|part| part.1).collect();
        match different.is_empty() {
            true => "the digest of the study, though all its parts are".to_owned(),
            false => different.join(", "),
        }
    }
}
