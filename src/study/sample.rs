//! Checks against packets on a part of each workload, its first iterations.
//!
//! Packets take many times as long as flows. Iterations of a program are similar, so a few of them show the difference
//! between packets and flows. They run with flows as well, because a part of a run can be compared only with the same
//! part.

use super::assumptions::Base;
use super::built::BuiltVariation;
use super::choice::ModelChoice;
use super::error::StudyError;
use super::packet_refusals::refuse_factors;
use super::passes::{SampleCheck, WorkloadPart};
use super::workload::Workload;
use crate::trace::transform::{Cut, Part as Kept, cut, iterations};
use rayon::prelude::*;

/// A check that has been built.
pub(super) struct Built {
    pub check: SampleCheck,
    /// Runs with flows, and runs with packets.
    pub passes: [BuiltVariation; 2],
    /// Workloads that have a part.
    pub samples: Vec<Option<Workload>>,
    /// Networks without packets, and the reasons.
    pub not_modelled: Vec<String>,
}

/// Cuts each workload to its first iterations, and returns the parts with the numbers of all iterations.
fn samples(workloads: &[Workload], keep: usize) -> Result<Vec<Option<(Workload, usize)>>, StudyError> {
    let sample = |workload: &Workload| {
        // Jobs begin at different times, and graphs have no list of calls with a period.
        if workload.jobs.is_some() || workload.trace.schedule.is_some() {
            return Ok(None);
        }
        let Some(found) = iterations(&workload.trace).filter(|found| found.number > keep) else { return Ok(None) };
        let (part, _) =
            cut(&workload.trace, &Cut { ranks: None, part: Kept::Iterations(0..keep) }).map_err(|error| {
                let text = format!("[check]: workload `{}` cannot be cut to {keep} iterations: {error}", workload.name);
                StudyError::Contradiction(text)
            })?;
        let name = format!("{}, {keep} of {} iterations", workload.name, found.number);
        Ok(Some((workload.part(name, part), found.number)))
    };
    workloads.par_iter().map(sample).collect()
}

/// Builds the check of a study whose flows have the model `choice`; packets have the model `packets`.
///
/// # Errors
/// [`StudyError`] for an invalid number of iterations, and for a baseline that the packet model does not support.
pub(super) fn build(
    base: &mut Base<'_>,
    keep: usize,
    packets: &ModelChoice,
    baseline: usize,
) -> Result<Built, StudyError> {
    if keep == 0 {
        return Err(StudyError::Contradiction("[check]: iterations is 0, and it must be 1 or more".into()));
    }
    if base.built.iter().any(|built| base.models[built.model].0.network.loggops.is_some()) {
        let text = "[check]: the model loggops has no links that packets could be compared on; choose another model";
        return Err(StudyError::Contradiction(text.into()));
    }
    let flows: Vec<_> = (0..base.columns.len()).map(|column| (column, base.first_run(column))).collect();
    let mut with_packets = Vec::new();
    let mut not_modelled = Vec::new();
    for column in 0..base.columns.len() {
        let merged = packets.clone().over(&base.network(column).model);
        let built = match refuse_factors(&merged) {
            Err(refused) => Err(refused.into()),
            Ok(()) => base.in_model(column, packets),
        };
        match built {
            Ok(built) => with_packets.push((column, built)),
            Err(error) if column == baseline => return Err(error),
            Err(error) => {
                not_modelled.push(format!("{} [packet]: not modelled: {error}", base.columns[column].network))
            }
        }
    }
    let samples = samples(base.workloads, keep)?;
    let parts = samples.iter().map(|sample| {
        let (workload, of) = sample.as_ref()?;
        Some(WorkloadPart { of: *of, actions: workload.trace.total_actions() })
    });
    let numbers = |columns: &[(usize, _)]| columns.iter().map(|(column, _)| *column).collect();
    let model = |columns: &[(usize, super::built::BuiltColumn)]| {
        let first = columns.iter().find(|(column, _)| *column == baseline).expect("the baseline is modelled");
        base.models[first.1.model].1.network_model.clone()
    };
    let check = SampleCheck {
        iterations: keep,
        parts: parts.collect(),
        columns: [numbers(&flows), numbers(&with_packets)],
        models: [model(&flows), model(&with_packets)],
    };
    let passes = [flows, with_packets].map(BuiltVariation::unchanged);
    let samples = samples.into_iter().map(|sample| sample.map(|(workload, _)| workload)).collect();
    Ok(Built { check, passes, samples, not_modelled })
}
