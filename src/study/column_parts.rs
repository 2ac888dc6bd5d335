//! Parts of a built column: its model, the places of the ranks, and the network for packets.

use super::cell::CellRankMap;
use super::choice::ModelChoice;
use super::choice_error::ChoiceError;
use super::description::ModelDescription;
use super::error::StudyError;
use super::fabric;
use super::graphs;
use super::network::NetworkUnderTest;
use super::placement;
use super::workload::Workload;
use crate::engine::Model;
use crate::mpi::mapping::Mapping;
use crate::packets::replay::Fabric;
use std::sync::Arc;

/// Returns the index of a network's model in `models`, and in words the network's changes to the study's model, which
/// is `models[index]`, built from `choice`. A model of the network's own is appended to `models`.
///
/// # Errors
/// [`ChoiceError`] if the two choices contradict each other.
pub(super) fn model_of(
    network: &NetworkUnderTest,
    (index, choice): (usize, &ModelChoice),
    models: &mut Vec<(Model, ModelDescription)>,
) -> Result<(usize, Option<String>), ChoiceError> {
    // The version with which the network was built: that of the command line or the study, unless the network has its
    // own.
    let choice = ModelChoice { defaults: network.model.defaults.or(choice.defaults), ..choice.clone() };
    let (model, description) = choice.over(&network.model).build()?;
    let Some(changes) = description.changes(&models[index].1) else { return Ok((index, None)) };
    let at = models.iter().position(|(_, known)| *known == description).unwrap_or(models.len());
    if at == models.len() {
        models.push((model, description));
    }
    Ok((at, Some(changes)))
}

/// Returns the network for the packets of a model, if the model has packets.
pub(super) fn fabric_of(network: &NetworkUnderTest, model: &Model) -> Result<Option<Arc<Fabric>>, StudyError> {
    fabric::fabric(network, model).map_err(|error| StudyError::Network {
        network: network.info.name.clone(),
        error: Box::new(Box::new(error).into()),
    })
}

/// Returns the places of the ranks of each workload on a network. Jobs that run together have their own placement,
/// which may depend on the seed.
pub(super) fn rank_maps(
    workloads: &[Workload],
    network: &NetworkUnderTest,
    mapping: &Mapping,
    (model, description): &(Model, ModelDescription),
    seed: Option<u64>,
) -> Result<Vec<CellRankMap>, StudyError> {
    let cores: Vec<u32> = network.platform.hosts.iter().map(|host| host.cores).collect();
    let rank_map = |workload: &Workload| {
        let loggops = model.network.loggops.is_some();
        if let Some(mix) = &workload.jobs {
            if loggops {
                let what = "the model loggops has no links that several jobs could share; choose another model";
                return Err(StudyError::Contradiction(what.to_owned()));
            }
            return Ok(CellRankMap::Jobs(mix.place(network, &description.collectives, seed).map_err(Box::new)?));
        }
        let rank_map = mapping.rank_map_on_cores(workload.trace.ranks(), &cores).map_err(|error| StudyError::Mapping {
            workload: workload.name.clone(),
            network: network.info.name.clone(),
            error: error.after_failures(network.lost_switches()),
        });
        let mut rank_map = rank_map?;
        if *mapping == Mapping::Bisection {
            rank_map = placement::bisected(workload, network, &rank_map);
        }
        if loggops && workload.trace.schedule.is_none() {
            let graph = graphs::of_list(&workload.trace, &model.collectives, &rank_map).map_err(|why| {
                let name = &workload.name;
                let text =
                    format!("workload `{name}` cannot be a graph for the model loggops: {why}; choose another model");
                StudyError::Contradiction(text)
            })?;
            return Ok(CellRankMap::Graph(rank_map, Arc::new(graph)));
        }
        Ok(CellRankMap::Alone(rank_map))
    };
    workloads.iter().map(rank_map).collect()
}
