//! Built columns of a study: each network in each setting.

use super::axes::{Axes, DEFAULT_ROUTING};
use super::built::{BuiltColumn, BuiltRun};
use super::column_parts::{fabric_of, model_of, rank_maps};
use super::description::ModelDescription;
use super::error::StudyError;
use super::fabric;
use super::failure_choice::Failed;
use super::failures::{FailureLevel, FailureState};
use super::file::StudyFile;
use super::network::{NetworkChoice, NetworkError, NetworkUnderTest};
use super::overrides::Overrides;
use super::packet_choice::PACKET;
use super::packet_refusals::refuse_factors;
use super::placement::Placement;
use super::plan::{Column, Setting};
use super::source::Source;
use super::toml_file::{PathStep, PathStep::Item, PathStep::Key};
use super::workload::Workload;
use crate::engine::Model;
use crate::mpi::mapping::Mapping;
use crate::topology::Topology;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::Arc;

/// Returns the source of a graph, for networks that share it.
fn built_from(choice: &NetworkChoice) -> Option<String> {
    let topology = choice.topology.as_ref()?;
    let damage = choice.whole_damage();
    Some(if damage.is_none() { topology.clone() } else { format!("{topology} {damage:?}") })
}

/// Builds networks and places ranks.
pub(super) struct ColumnBuilder<'a> {
    pub source: &'a Source<'a>,
    pub axes: &'a Axes,
    pub overrides: &'a Overrides,
    pub workloads: &'a [Workload],
    pub networks: Vec<NetworkUnderTest>,
    /// Models, starting with those of the axes.
    pub models: Vec<(Model, ModelDescription)>,
    /// Graphs by specification and seed: one that occurs in the study with several parameters is built once.
    pub graphs: BTreeMap<(String, Option<u64>), Arc<Topology>>,
    /// Networks that a model of the list does not support, and the reasons.
    pub not_modelled: Vec<String>,
    /// Networks of the study without the failures of a level.
    pub intact: BTreeMap<usize, Intact>,
    /// Mean remaining bandwidth of all cables, for each level of failures and network of the study.
    pub left: BTreeMap<(usize, usize), f64>,
}

/// Network without the failures of a level; it may have failures of its own.
pub(super) struct Intact {
    name: String,
    /// Bandwidth of all cables, as a number of cables that are not slower, for each seed.
    bandwidths: Vec<f64>,
}

/// A network of the study on one platform, built for each seed.
struct Variants {
    name: String,
    /// Seed and index of each built network; a single entry if nothing is random.
    built: Vec<(Option<u64>, usize)>,
    /// `true` if the network is random; otherwise only its mapping uses the seeds of repetitions.
    random: bool,
}

impl ColumnBuilder<'_> {
    /// Returns all columns, setting by setting: platform, routing, mapping, model, table of collectives.
    pub fn columns(&mut self, file: &StudyFile) -> Result<Vec<(Column, BuiltColumn)>, StudyError> {
        let axes = self.axes;
        let mut columns = Vec::new();
        for (entry, (platform, parameters)) in axes.platforms.iter().enumerate() {
            for (rule, routing) in axes.routings.iter().enumerate() {
                let rule = routing.as_deref().map(|routing| (rule, routing));
                for state in &axes.states {
                    let mut variants = Vec::with_capacity(file.networks.len());
                    for (number, choice) in file.networks.iter().enumerate() {
                        variants.push(self.variants(number, choice, (entry, parameters), rule, state)?);
                        self.overrides.steps.did(1);
                    }
                    self.place(file, (platform, routing, &state.failed), &variants, &mut columns)?;
                }
            }
        }
        Ok(columns)
    }

    /// Appends the columns of some networks, for each mapping and table of collectives.
    fn place(
        &mut self,
        file: &StudyFile,
        (platform, routing, failures): (&Option<String>, &Option<String>, &Option<Failed>),
        variants: &[Variants],
        columns: &mut Vec<(Column, BuiltColumn)>,
    ) -> Result<(), StudyError> {
        let axes = self.axes;
        for (number, placement) in axes.placements.iter().enumerate() {
            for (number_of_model, listed) in axes.models.listed.iter().enumerate() {
                for variant in variants {
                    let network = &self.networks[variant.built[0].1];
                    let choice = (number_of_model, &listed.choice);
                    let several = axes.models.listed.len() * variants.len() > 1;
                    let model_name = listed.name.as_deref().unwrap_or(PACKET);
                    if several
                        && listed.has_packets()
                        && let Err(refused) = refuse_factors(&choice.1.clone().over(&network.model))
                    {
                        self.leave_out(&variant.name, model_name, &refused);
                        continue;
                    }
                    let (model, mut changes) = model_of(network, choice, &mut self.models)?;
                    let made = self.column(variant, placement, &self.models[model]);
                    if let Err(StudyError::Network { error, .. }) = &made
                        && error.is_not_modelled()
                        && several
                    {
                        self.leave_out(&variant.name, model_name, error);
                        continue;
                    }
                    let (mut column, runs) = made.map_err(|error| match error {
                        // Command-line values have already been checked.
                        StudyError::Choice(_) if file.mappings.is_some() => {
                            self.source.at(&[Key("mappings"), Item(number)], error)
                        }
                        StudyError::Choice(_) => self.source.at(&[Key("mapping")], error),
                        error if self.overrides.placement.is_given() => error,
                        StudyError::Network { .. } if placement.hostfile.is_some() => {
                            self.source.at(&[Key("hostfile")], error)
                        }
                        StudyError::Network { .. } if placement.rankfile.is_some() => {
                            self.source.at(&[Key("rankfile")], error)
                        }
                        error => error,
                    })?;
                    column.setting.platform.clone_from(platform);
                    column.setting.routing.clone_from(routing);
                    column.setting.failures.clone_from(failures);
                    column.setting.collectives.clone_from(&listed.built.1.collectives);
                    column.setting.model.clone_from(&listed.name);
                    column.setting.packets = listed.has_packets();
                    if let Some(fabric) = &runs[0].fabric {
                        changes = fabric::described(&self.models[model].1, fabric).changes(&listed.built.1);
                    }
                    column.setting_name = self.setting_name(&column.setting);
                    column.info.name = match column.setting_name.as_str() {
                        "" => column.network.clone(),
                        setting => format!("{} [{setting}]", column.network),
                    };
                    column.model_changes = changes;
                    columns.push((column, BuiltColumn { model, runs }));
                }
            }
        }
        Ok(())
    }

    /// Notes once that a model does not support a network.
    fn leave_out(&mut self, network: &str, model: &str, reason: &dyn Display) {
        let note = format!("{network} [{model}]: not modelled: {reason}");
        if !self.not_modelled.contains(&note) {
            self.not_modelled.push(note);
        }
    }

    /// Returns the parts of a setting that differ between columns; empty if there is one setting.
    fn setting_name(&self, setting: &Setting) -> String {
        let mut parts: Vec<&str> = setting.platform.as_deref().into_iter().collect();
        if self.axes.routings.len() > 1 {
            parts.extend(setting.routing.as_deref());
        }
        if self.axes.placements.len() > 1 {
            parts.push(&setting.mapping);
        }
        if self.axes.models.several_tables {
            parts.push(&setting.collectives);
        }
        parts.extend(setting.model.as_deref());
        let failures = setting.failures.as_ref().map(Failed::name);
        parts.extend(failures.as_deref());
        parts.join(", ")
    }

    fn variants(
        &mut self,
        number: usize,
        choice: &NetworkChoice,
        (entry, parameters): (usize, &NetworkChoice),
        rule: Option<(usize, &str)>,
        state: &FailureState,
    ) -> Result<Variants, StudyError> {
        let axes = self.axes;
        let label = choice.name.clone().or_else(|| choice.topology.clone());
        let label = label.unwrap_or_else(|| format!("number {}", number + 1));
        let in_network = |error: NetworkError| {
            let way = match (&error.way()[..], rule) {
                ([Key("routing")], Some((at, rule))) if rule != DEFAULT_ROUTING => {
                    let error = StudyError::Network { network: label.clone(), error: Box::new(error) };
                    return self.source.at(&[Key("routings"), Item(at)], error);
                }
                // A command-line value is not an error of the file.
                ([Key("routing")], _) if self.overrides.network.routing.is_some() => Vec::new(),
                ([_, Key(parameter)], _) if self.overrides.network.parameters.given().contains(parameter) => Vec::new(),
                (way, _) => way.to_vec(),
            };
            let behind: [&[PathStep]; 2] = [&[Key("platforms"), Item(entry)], &[Key("network")]];
            let error = StudyError::Network { network: label.clone(), error: Box::new(error) };
            self.source.in_network(number, &way, &behind, error)
        };
        let (name, written_seed) = (choice.name.clone(), choice.seed);
        let choice = choice.clone().over(parameters).over(&axes.common);
        let choice = NetworkChoice { name, ..self.overrides.network.clone().over(&choice) };
        // Graphs are shared by the specification of the whole network.
        let mut choice = choice.folded().map_err(in_network)?.unwrap_or(choice);
        if let Some((_, rule)) = rule.filter(|(_, rule)| *rule != DEFAULT_ROUTING)
            && choice.takes_routing(&axes.folder).map_err(in_network)?
        {
            choice.routing = Some(rule.to_owned());
        }
        // A network's own seed excludes it from repetitions; a command-line seed is the first seed of the repetitions.
        let own_seed = if self.overrides.seed.is_some() { written_seed } else { choice.seed };
        let random =
            own_seed.is_none() && axes.seeds.len() > 1 && choice.takes_seed(&axes.folder).map_err(in_network)?;
        let seeds = if random { &axes.seeds[..] } else { &axes.seeds[..1] };
        if let (Some((level, failures)), Some(Failed::Damaged(_))) = (&state.level, &state.failed) {
            let seeds = seeds.iter().map(|&seed| own_seed.or(seed)).collect::<Vec<_>>();
            return self.damaged(number, &label, &choice, &seeds, (*level, failures));
        }
        if let (Some((level, _)), Some(Failed::Even(_))) = (&state.level, &state.failed) {
            choice.bandwidth_share = self.left.get(&(*level, number)).copied();
        }
        let graphs = &self.graphs;
        let key = |seed: Option<u64>| Some((built_from(&choice)?, own_seed.or(seed)));
        let build = |&seed: &Option<u64>| {
            let graph = key(seed).and_then(|key| graphs.get(&key).cloned());
            NetworkChoice { seed: own_seed.or(seed), ..choice.clone() }.build_on(graph, &axes.folder)
        };
        // Of several errors the first in the order of seeds is reported, whatever the order in which threads find them.
        let networks: Vec<_> = seeds.par_iter().map(build).collect();
        let mut built = Vec::with_capacity(seeds.len());
        for (&seed, network) in seeds.iter().zip(networks) {
            let network = network.map_err(in_network)?;
            if let (Some(key), Some(topology)) = (key(seed), &network.topology) {
                self.graphs.insert(key, Arc::clone(topology));
            }
            let seed = if random { seed } else { network.info.seed };
            built.push((seed, self.networks.len()));
            self.networks.push(network);
        }
        let info = &mut self.networks[built[0].1].info;
        if random && let Some(spec) = choice.topology {
            // The name of the first graph, with its seed, would be wrong for the others.
            if choice.name.is_none() {
                info.name.clone_from(&spec);
            }
            info.topology = spec;
        }
        let name = info.name.clone();
        let bandwidth = |&(_, index): &(Option<u64>, usize)| {
            self.networks[index].topology.as_ref().map_or(0.0, |topology| topology.graph.total_bandwidth())
        };
        let bandwidths = built.iter().map(bandwidth).collect();
        self.intact.insert(number, Intact { name: name.clone(), bandwidths });
        Ok(Variants { name, built, random })
    }

    /// Builds a network with failures, once for each of their seeds. Repetition k uses graph k of a random network,
    /// starting again from the first if there are fewer graphs than seeds.
    fn damaged(
        &mut self,
        number: usize,
        label: &str,
        choice: &NetworkChoice,
        graph_seeds: &[Option<u64>],
        (level, failures): (usize, &FailureLevel),
    ) -> Result<Variants, StudyError> {
        let key = if failures.is_degraded_only() { "degraded" } else { "failures" };
        let failed = |error: NetworkError| {
            let error = StudyError::Network { network: label.to_owned(), error: Box::new(error) };
            self.source.at(&[Key(key)], error)
        };
        let seeds = failures.seeds(self.axes.seeds[0]);
        let build = |(k, &seed): (usize, &u64)| {
            let choice = failures.applied(choice, seed).map_err(NetworkError::NotRepaired)?;
            NetworkChoice { seed: graph_seeds[k % graph_seeds.len()], ..choice }.build(&self.axes.folder)
        };
        let networks: Vec<_> = seeds.par_iter().enumerate().map(build).collect();
        let networks = networks.into_iter().collect::<Result<Vec<_>, _>>().map_err(failed)?;
        let intact = self.intact.get(&number);
        let left = |(k, network): (usize, &NetworkUnderTest)| {
            let before = intact.and_then(|intact| intact.bandwidths.get(k % intact.bandwidths.len().max(1)))?;
            Some(network.topology.as_ref()?.graph.total_bandwidth() / before.max(1.0))
        };
        let shares: Vec<f64> = networks.iter().enumerate().filter_map(left).collect();
        self.left.insert((level, number), shares.iter().sum::<f64>() / shares.len().max(1) as f64);
        let mut built = Vec::with_capacity(seeds.len());
        for (&seed, mut network) in seeds.iter().zip(networks) {
            if let Some(intact) = intact {
                network.info.name.clone_from(&intact.name);
            }
            built.push((Some(seed), self.networks.len()));
            self.networks.push(network);
        }
        let info = &mut self.networks[built[0].1].info;
        if let [first, _, ..] = &seeds[..]
            && let Some(spec) = info.topology.strip_suffix(&format!(",seed={first}"))
        {
            // The first seed would be wrong for the others.
            info.topology = spec.to_owned();
        }
        Ok(Variants { name: info.name.clone(), built, random: true })
    }

    fn column(
        &self,
        variant: &Variants,
        placement: &Placement,
        model: &(Model, ModelDescription),
    ) -> Result<(Column, Vec<BuiltRun>), StudyError> {
        let axes = self.axes;
        let random_jobs =
            self.workloads.iter().filter_map(|workload| workload.jobs.as_ref()).any(|mix| mix.is_random());
        let is_random_rule = placement.rule.as_deref() == Some("random");
        let random_mapping = axes.seeds.len() > 1 && (is_random_rule || random_jobs);
        let repetitions = match variant.built.len() {
            1 if random_mapping => axes.seeds.len(),
            built => built,
        };
        let (mut seeds, mut runs) = (Vec::new(), Vec::new());
        let mut mapping = Mapping::default();
        for k in 0..repetitions {
            let (network_seed, index) = variant.built[if variant.random { k } else { 0 }];
            let network = &self.networks[index];
            // There may be more seeds of failures than of the study.
            let seed = axes.seeds[k % axes.seeds.len()];
            mapping = placement.mapping(network, &axes.placement_folder, seed)?;
            seeds.push(if random_mapping && repetitions == axes.seeds.len() { seed } else { network_seed });
            let rank_maps = rank_maps(self.workloads, network, &mapping, model, seed)?;
            let fabric = fabric_of(network, &model.0)?;
            runs.push(BuiltRun { network: index, rank_maps, fabric });
        }
        let first = &self.networks[variant.built[0].1];
        let setting = Setting {
            platform: None,
            routing: None,
            mapping: if random_mapping && is_random_rule { "random".to_owned() } else { mapping.describe() },
            collectives: String::new(),
            model: None,
            packets: false,
            failures: None,
        };
        let column = Column {
            info: first.info.clone(),
            network: variant.name.clone(),
            setting,
            setting_name: String::new(),
            baseline: 0,
            seeds,
            model_changes: None,
            cost: None,
        };
        Ok((column, runs))
    }
}
