//! Assumptions of a study that a sensitivity analysis changes, one at a time.

use super::built::{BuiltColumn, BuiltRun, BuiltVariation, UNCHANGED};
use super::choice::ModelChoice;
use super::choice_error::ChoiceError;
use super::column_parts::{fabric_of, rank_maps};
use super::description::ModelDescription;
use super::error::StudyError;
use super::network::{Making, NetworkUnderTest};
use super::passes::Variation;
use super::perturb::Factors;
use super::placement::Placement;
use super::plan::Column;
use super::workload::Workload;
use crate::engine::Model;
use crate::mpi::collective::select::Table;
use crate::mpi::mapping::Mapping;
use crate::network::model::NetworkModel;
use crate::platform::{LinkKind, Platform};
use crate::printable::number;
use crate::routing::RoutingSpec;
use crate::share;
use serde::Deserialize;
use std::path::Path;
use std::sync::Arc;

/// Routing rules that are tried unless the study lists others: hashed over equal paths, sprayed over them, and
/// adaptive.
const ROUTINGS: [&str; 3] = ["ecmp", "split", "ugal"];

/// Name of the assumption on the bandwidth of host links.
pub(crate) const HOST_LINKS: &str = "host links";

/// Default relative change of latency, bandwidth and compute speed.
const AMPLITUDE: f64 = 0.2;

/// Assumptions to change, as written in a study. A missing list has the default entries; an empty one drops the
/// assumption.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SensitivityChoice {
    /// Routing rules; default: `ecmp`, `split` and `ugal`.
    pub routings: Option<Vec<String>>,
    /// Mappings; default: all.
    pub mappings: Option<Vec<String>>,
    /// Tables of collectives; default: all.
    pub collectives: Option<Vec<String>>,
    /// Network models, which have other factors of the message size; default: `ordered` and `smpi`.
    pub models: Option<Vec<String>>,
    /// Factors of the bandwidth of host links; default: 0.5 and 2.
    pub host_links: Option<Vec<f64>>,
    /// Relative change of latency, bandwidth and compute speed; default: 0.2.
    #[serde(default, deserialize_with = "share::written")]
    pub amplitude: Option<f64>,
}

/// The columns of a study that are varied, and the parts built so far.
pub(super) struct Base<'a> {
    /// Columns of the first setting.
    pub columns: &'a [Column],
    /// Built forms of these columns.
    pub built: &'a [BuiltColumn],
    /// Choice from which their models are built.
    pub choice: &'a ModelChoice,
    pub workloads: &'a [Workload],
    /// Folder of placement files.
    pub folder: &'a Path,
    pub seed: Option<u64>,
    /// Networks built so far; variations append their own.
    pub networks: &'a mut Vec<NetworkUnderTest>,
    /// Models built so far; variations append their own.
    pub models: &'a mut Vec<(Model, ModelDescription)>,
}

impl SensitivityChoice {
    /// Returns all variations that change something for any network, and their built forms.
    ///
    /// # Errors
    /// [`StudyError`] for a name that does not exist, or a number out of range. A rule that does not fit a network
    /// leaves that network unchanged.
    pub(super) fn build(&self, base: &mut Base<'_>) -> Result<(Vec<Variation>, Vec<BuiltVariation>), StudyError> {
        let mut all = Vec::new();
        let listed = |list: &Option<Vec<String>>, default: &[&str]| -> Vec<String> {
            list.clone().unwrap_or_else(|| default.iter().map(|&name| name.to_owned()).collect())
        };
        let amplitude = self.amplitude.unwrap_or(AMPLITUDE);
        if !(amplitude > 0.0 && amplitude < 1.0) {
            let rule = format!("amplitude = {} is not between 0 and 1, both excluded", number(amplitude));
            return Err(StudyError::Contradiction(rule));
        }
        for rule in listed(&self.routings, &ROUTINGS) {
            let rule: RoutingSpec = rule.parse()?;
            let columns = base.each(|base, column| Ok(base.routed(column, &rule)))?;
            all.push(("routing", rule.to_string(), UNCHANGED, 1.0, columns));
        }
        for factor in self.host_links.clone().unwrap_or_else(|| vec![0.5, 2.0]) {
            if !(factor.is_finite() && factor > 0.0) {
                let rule = format!("host_links: {factor} is not a factor above zero");
                return Err(StudyError::Contradiction(rule));
            }
            let columns = base.each(|base, column| Ok(base.with_host_links(column)))?;
            all.push((HOST_LINKS, format!("bandwidth x {factor}"), UNCHANGED, factor, columns));
        }
        for rule in listed(&self.mappings, &Mapping::NAMES) {
            let columns = base.each(|base, column| base.mapped(column, &rule))?;
            all.push(("mapping", rule, UNCHANGED, 1.0, columns));
        }
        for table in listed(&self.collectives, &Table::ALL.map(Table::name)) {
            let choice = ModelChoice { collectives: Some(table.clone()), ..base.choice.clone() };
            let columns = base.each(|base, column| base.modelled(column, &choice))?;
            all.push(("collectives", table, UNCHANGED, 1.0, columns));
        }
        for model in listed(&self.models, &["ordered", "smpi"]) {
            let Some(network) = NetworkModel::by_name(&model) else {
                return Err(ChoiceError::unknown("models", &model, &NetworkModel::NAMES).into());
            };
            if network.loggops.is_some() {
                let rule = "models: loggops has no links, and is no variation of a model that has them";
                return Err(StudyError::Contradiction(rule.to_owned()));
            }
            let packet = base.choice.packet.clone().filter(|_| network.packet_level.is_some());
            let choice = ModelChoice { network_model: Some(model.clone()), packet, ..base.choice.clone() };
            let columns = base.each(|base, column| base.modelled(column, &choice))?;
            all.push(("model", model, UNCHANGED, 1.0, columns));
        }
        for (name, of) in [
            ("latency", (|x| Factors { latency: x, ..UNCHANGED }) as fn(f64) -> Factors),
            ("bandwidth", |x| Factors { bandwidth: x, ..UNCHANGED }),
            ("compute", |x| Factors { speed: x, ..UNCHANGED }),
        ] {
            for (sign, factor) in [("+", 1.0 + amplitude), ("-", 1.0 - amplitude)] {
                let columns = base.each(|base, column| Ok(Some(base.first_run(column))))?;
                // 0.07 is 7 %, and not 7.000000000000001 %.
                let percent = number((amplitude * 1e12).round() / 1e10);
                all.push((name, format!("{sign}{percent} %"), of(factor), 1.0, columns));
            }
        }
        let changed = all.into_iter().filter(|(.., columns)| !columns.is_empty());
        let both = changed.map(|(assumption, value, factors, host_links, columns)| {
            let numbers = columns.iter().map(|(number, _)| *number).collect();
            (Variation { assumption, value, columns: numbers }, BuiltVariation { factors, host_links, columns })
        });
        Ok(both.unzip())
    }
}

impl Base<'_> {
    /// Applies a change to each column, and omits columns that it does not change.
    fn each(
        &mut self,
        change: impl Fn(&mut Self, usize) -> Result<Option<BuiltColumn>, StudyError>,
    ) -> Result<Vec<(usize, BuiltColumn)>, StudyError> {
        let mut columns = Vec::new();
        for column in 0..self.columns.len() {
            columns.extend(change(self, column)?.map(|built| (column, built)));
        }
        Ok(columns)
    }

    pub(super) fn network(&self, column: usize) -> &NetworkUnderTest {
        &self.networks[self.built[column].runs[0].network]
    }

    pub(super) fn first_run(&self, column: usize) -> BuiltColumn {
        let built = &self.built[column];
        BuiltColumn { model: built.model, runs: vec![built.runs[0].clone()] }
    }

    fn routed(&mut self, column: usize, rule: &RoutingSpec) -> Option<BuiltColumn> {
        let network = self.network(column);
        let (topology, making) = network.graph()?;
        if making.routings.iter().all(|own| own == rule) {
            return None;
        }
        // A rule that does not fit (such as one for trees on a torus) changes nothing.
        let platform =
            Platform::from_topology(topology, &making.parameters, &rule.to_string(), making.routing_seed).ok()?;
        // Packets take their rule from there.
        let making = Making { routings: vec![*rule; making.routings.len()], ..making.clone() };
        let mut network = NetworkUnderTest { platform: Arc::new(platform), making: Some(making), ..network.clone() };
        network.info.routing = Some(rule.to_string());
        network.info.routing_nature = rule.kind.nature();
        let mut built = self.first_run(column);
        let model = &self.models[built.model].0;
        if model.network.packet_level.as_ref().is_some_and(|level| level.routing.is_some()) {
            return None;
        }
        built.runs[0].fabric = fabric_of(&network, model).ok()?;
        built.runs[0].network = self.networks.len();
        self.networks.push(network);
        Some(built)
    }

    fn with_host_links(&self, column: usize) -> Option<BuiltColumn> {
        let of_host = self.network(column).platform.links.iter().any(|link| link.kind == LinkKind::OfHost);
        of_host.then(|| self.first_run(column))
    }

    fn mapped(&mut self, column: usize, rule: &str) -> Result<Option<BuiltColumn>, StudyError> {
        let placement = Placement { rule: Some(rule.to_owned()), ..Placement::default() };
        let run = &self.built[column].runs[0];
        let network = &self.networks[run.network];
        let mapping = placement.mapping(network, self.folder, self.seed)?;
        // Without enough hosts for one rank each, that rule changes nothing.
        let number = self.built[column].model;
        let found = rank_maps(self.workloads, network, &mapping, &self.models[number], self.seed);
        let Ok(rank_maps) = found else { return Ok(None) };
        let same = rank_maps.iter().zip(&run.rank_maps).all(|(new, old)| new.rank_map() == old.rank_map());
        if same {
            return Ok(None);
        }
        let fabric = run.fabric.clone();
        Ok(Some(BuiltColumn { model: number, runs: vec![BuiltRun { network: run.network, rank_maps, fabric }] }))
    }

    fn modelled(&mut self, column: usize, choice: &ModelChoice) -> Result<Option<BuiltColumn>, StudyError> {
        let number = self.model_for(column, choice)?;
        let [(model, _), (own, _)] = [number, self.built[column].model].map(|number| &self.models[number]);
        // A model without links replays graphs, and is not a variation of a model with links.
        if number == self.built[column].model || model.network.loggops.is_some() != own.network.loggops.is_some() {
            return Ok(None);
        }
        // A network that the packet model does not support is not changed.
        Ok(self.with_model(column, number).ok())
    }

    /// Returns a column under the model of a choice.
    ///
    /// # Errors
    /// [`StudyError`] if the choice contradicts that of the network, or if the packet model does not support the
    /// network.
    pub(super) fn in_model(&mut self, column: usize, choice: &ModelChoice) -> Result<BuiltColumn, StudyError> {
        let number = self.model_for(column, choice)?;
        self.with_model(column, number)
    }

    /// Returns the number of the model of a choice on a column's network.
    fn model_for(&mut self, column: usize, choice: &ModelChoice) -> Result<usize, StudyError> {
        let network = self.network(column);
        // The version of the defaults with which the network was built.
        let choice = ModelChoice { defaults: network.model.defaults.or(choice.defaults), ..choice.clone() };
        let (model, description) = choice.over(&network.model).build()?;
        let own = self.built[column].model;
        if self.models[own].1 == description {
            return Ok(own);
        }
        let at = self.models.iter().position(|(_, known)| *known == description).unwrap_or(self.models.len());
        if at == self.models.len() {
            self.models.push((model, description));
        }
        Ok(at)
    }

    fn with_model(&self, column: usize, number: usize) -> Result<BuiltColumn, StudyError> {
        let mut built = self.first_run(column);
        let [model, own] = [number, built.model].map(|number| &self.models[number].0);
        if model.network.packet_level != own.network.packet_level {
            built.runs[0].fabric = fabric_of(self.network(column), model)?;
        }
        built.model = number;
        Ok(built)
    }
}
