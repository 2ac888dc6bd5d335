//! Choices by name: what a user writes in a file or on the command line, checked once and turned into a model.

use crate::engine::{Model, TIMING_PRECISION};
use crate::mpi::MpiOptions;
use crate::mpi::collective::select::{Selector, Table};
use crate::network::Precision;
use crate::network::model::{CROSS_TRAFFIC, NetworkModel};
use crate::network::sharing::Rule;
use crate::similar::nearest;
use crate::trace::CollectiveKind;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Seconds below which SimGrid's defaults take two events for one (`surf/precision`, as `smpirun` sets it).
const SIMGRID_TIMING_PRECISION: f64 = 1e-9;

/// A choice that does not exist or cannot be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{option}: `{value}` {rule}")]
pub struct ChoiceError {
    /// Name of the option.
    pub option: String,
    /// What was written.
    pub value: String,
    /// What is wrong with it, and what would be right.
    pub rule: String,
    /// Whether the value is to be one of a list of names.
    pub named: bool,
}

impl ChoiceError {
    /// A value that is not one of a list; names the nearest.
    pub fn unknown(option: &str, value: &str, known: &[&str]) -> Self {
        let near = nearest(value, known.iter().copied());
        let hint = near.map_or(String::new(), |name| format!("; did you mean `{name}`?"));
        let rule = match known {
            [only] => format!("is not `{only}`, the only one there is"),
            known => format!("is not one of {}{hint}", known.join(", ")),
        };
        Self { option: option.to_owned(), value: value.to_owned(), rule, named: true }
    }

    /// What to do about it.
    pub fn help(&self) -> &'static str {
        if self.named { "choose one of the names" } else { "change the value so that the rule holds" }
    }
}

/// The model as written: every choice may be left out.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelChoice {
    /// `smpi`, `lv08`, `cm02` or `ideal`.
    pub network_model: Option<String>,
    /// Collective table: `mvapich2`, `ompi`, `mpich` or `default`.
    pub collectives: Option<String>,
    /// One algorithm for all calls of an operation, e.g. `alltoall = "bruck"`.
    #[serde(default)]
    pub collective: BTreeMap<String, String>,
    /// `exact`, `simgrid-lazy` or `simgrid-full`.
    pub sharing: Option<String>,
    /// Seconds; events closer than this happen together.
    pub timing_precision: Option<f64>,
    /// `simgrid`: the defaults of the two choices above are those of SimGrid.
    pub compat: Option<String>,
    /// Whether a flow also weighs on the links of the way back; the default is that of the network model.
    pub crosstraffic: Option<bool>,
    /// Whether the first collective pays for finding out who shares a host.
    pub smp_setup: Option<bool>,
}

/// The model in words, for results.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ModelDescription {
    /// Name of the network model.
    pub network_model: String,
    /// Name of the collective table.
    pub collectives: String,
    /// Overridden operations and their algorithms.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub collective: BTreeMap<String, String>,
    /// How links are shared.
    pub sharing: String,
    /// Seconds.
    pub timing_precision: f64,
    /// Whether acknowledgements weigh on the way back.
    pub crosstraffic: bool,
    /// Whether the SMP set-up is simulated.
    pub smp_setup: bool,
}

impl ModelChoice {
    /// These choices where they were made, those of `base` elsewhere.
    pub fn over(self, base: &ModelChoice) -> ModelChoice {
        let mut collective = base.collective.clone();
        collective.extend(self.collective);
        ModelChoice {
            network_model: self.network_model.or_else(|| base.network_model.clone()),
            collectives: self.collectives.or_else(|| base.collectives.clone()),
            collective,
            sharing: self.sharing.or_else(|| base.sharing.clone()),
            timing_precision: self.timing_precision.or(base.timing_precision),
            compat: self.compat.or_else(|| base.compat.clone()),
            crosstraffic: self.crosstraffic.or(base.crosstraffic),
            smp_setup: self.smp_setup.or(base.smp_setup),
        }
    }

    /// Checks the choices and fills in the defaults.
    ///
    /// # Errors
    /// [`ChoiceError`] for a name or a number that is not allowed.
    pub fn build(&self) -> Result<(Model, ModelDescription), ChoiceError> {
        let name = self.network_model.as_deref().unwrap_or("smpi");
        let mut network = NetworkModel::by_name(name)
            .ok_or_else(|| ChoiceError::unknown("network-model", name, &NetworkModel::NAMES))?;
        match self.crosstraffic {
            Some(true) => network.cross_traffic = Some(CROSS_TRAFFIC),
            Some(false) => network.cross_traffic = None,
            None => {}
        }
        let (sharing, timing_precision) = match self.compat.as_deref() {
            None => (Rule::Exact, TIMING_PRECISION),
            Some("simgrid") => (Rule::SimgridLazy, SIMGRID_TIMING_PRECISION),
            Some(other) => return Err(ChoiceError::unknown("compat", other, &["simgrid"])),
        };
        let sharing = match self.sharing.as_deref() {
            None => sharing,
            Some(name) => Rule::from_name(name)
                .ok_or_else(|| ChoiceError::unknown("sharing", name, &Rule::ALL.map(Rule::name)))?,
        };
        let timing_precision = self.timing_precision.unwrap_or(timing_precision);
        if !(timing_precision.is_finite() && timing_precision >= 0.0) {
            return Err(ChoiceError {
                option: "timing-precision".to_owned(),
                value: timing_precision.to_string(),
                rule: "is not a finite number of seconds, zero or more".to_owned(),
                named: false,
            });
        }
        let table = self.collectives.as_deref().unwrap_or("mvapich2");
        let table = Table::from_name(table)
            .ok_or_else(|| ChoiceError::unknown("collectives", table, &Table::ALL.map(Table::name)))?;
        let smp_setup = self.smp_setup.unwrap_or(false);
        let mut collectives = Selector::new(table, smp_setup);
        for (kind, algorithm) in &self.collective {
            let kind_names = CollectiveKind::ALL.map(CollectiveKind::name);
            let operation = CollectiveKind::ALL
                .into_iter()
                .find(|k| k.name() == kind)
                .ok_or_else(|| ChoiceError::unknown("collective", kind, &kind_names))?;
            collectives = collectives.with_override(operation, algorithm).map_err(|error| ChoiceError {
                option: "collective".to_owned(),
                value: format!("{kind}={algorithm}"),
                rule: format!("cannot be: {error}"),
                named: true,
            })?;
        }
        let description = ModelDescription {
            network_model: network.name.to_owned(),
            collectives: table.name().to_owned(),
            collective: self.collective.clone(),
            sharing: sharing.name().to_owned(),
            timing_precision,
            crosstraffic: network.cross_traffic.is_some(),
            smp_setup,
        };
        // Exact sharing keeps the ends of transfers apart, as SimGrid's full solver does.
        let transfers = if sharing == Rule::Exact { 0.0 } else { timing_precision };
        let precision = Precision { transfers, others: timing_precision };
        Ok((Model { network, mpi: MpiOptions::default(), collectives, sharing, precision }, description))
    }
}
