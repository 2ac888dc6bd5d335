//! Settings of a SimGrid platform whose effect depends on how the model is chosen elsewhere.
//!
//! `smpirun` fixes the network model and the timing precision on its command line, and SimGrid then ignores those of the
//! platform file. SimGrid 3.32 has factors of SMPI (`smpi/bw-factor`, `smpi/lat-factor`) besides those of the other models
//! (`network/bandwidth-factor`, `network/latency-factor`), and each model reads only its own; release 3.34 merged them.
//! Whether a replay reproduces 3.32 is known only together with the choices of the command line or the study, so
//! these settings are kept as written until the model is built. Resolving them while the file is read was rejected: the
//! file is read before those choices are combined.

use super::choice::ModelChoice;
use super::description::ModelDescription;
use crate::network::model::NetworkModel;

/// Settings of a `config` that the model resolves.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SimgridConfig {
    /// `network/model`: `smpi`, `lv08` or `cm02`.
    pub(super) network_model: Option<String>,
    /// `precision/timing`, under either of its names, in seconds.
    pub(super) timing_precision: Option<f64>,
    /// Factors of the bandwidth, in the order of the file.
    pub(super) bandwidth: Vec<FactorSetting>,
    /// Factors of the latency, in the order of the file.
    pub(super) latency: Vec<FactorSetting>,
}

/// A setting with factors.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FactorSetting {
    /// Name of the setting.
    pub key: &'static str,
    /// Value as written.
    pub text: String,
}

impl FactorSetting {
    /// Returns `true` if SimGrid 3.32 reads the setting with this network model, one of SimGrid's. Steps in a setting of
    /// `network/` exist only since 3.34, which reads them with every model.
    fn applies(&self, model: &str) -> bool {
        let is_of_smpi = self.key.starts_with("smpi/");
        match model {
            "smpi" => is_of_smpi || self.has_new_form(),
            _ => !is_of_smpi,
        }
    }

    /// Returns `true` if only SimGrid 3.34 and later can read the setting.
    fn has_new_form(&self) -> bool {
        self.key.starts_with("network/") && self.text.contains(':')
    }
}

impl SimgridConfig {
    /// Returns the choices, with those of the file where nothing else sets them and SimGrid would follow the file.
    pub(super) fn under(&self, own: &ModelChoice) -> ModelChoice {
        let mut choice = ModelChoice { config: None, ..own.clone() };
        let as_smpirun = choice.reproduces_simgrid();
        if !as_smpirun {
            choice.network_model = choice.network_model.or_else(|| self.network_model.clone());
            choice.timing_precision = choice.timing_precision.or(self.timing_precision);
        }
        let model = choice.network_model.as_deref().unwrap_or("smpi").to_ascii_lowercase();
        // SimGrid 3.32 keeps the factors of its models apart.
        let apart = as_smpirun && NetworkModel::names_one_of_simgrid(&model);
        let last = |settings: &[FactorSetting]| {
            let found = settings.iter().rev().find(|setting| !apart || setting.applies(&model));
            found.map(|setting| setting.text.clone())
        };
        choice.bandwidth_factor = choice.bandwidth_factor.or_else(|| last(&self.bandwidth));
        choice.latency_factor = choice.latency_factor.or_else(|| last(&self.latency));
        choice
    }

    /// Returns the settings besides factors, for models that have none.
    pub(super) fn without_factors(&self) -> Self {
        Self { bandwidth: Vec::new(), latency: Vec::new(), ..self.clone() }
    }

    /// Returns notes about settings that this model does not follow, or follows as a later release of SimGrid does.
    pub(super) fn notes(&self, model: &ModelDescription) -> Vec<String> {
        let mut notes = Vec::new();
        let as_smpirun = model.sharing.starts_with("simgrid");
        let name = model.network_model.as_str();
        if let Some(written) = self.network_model.as_deref().filter(|written| as_smpirun && *written != name) {
            notes.push(format!(
                "setting network/model = {} is not followed: `smpirun` overrides it with SMPI; --model {written} is its \
                 --cfg=network/model:{}",
                written.to_uppercase(),
                written.to_uppercase()
            ));
        }
        if let Some(written) = self.timing_precision.filter(|&written| as_smpirun && written != model.timing_precision)
        {
            notes.push(format!(
                "setting precision/timing = {written:e} is not followed: `smpirun` overrides it with 1e-9; \
                 --timing-precision {written:e} is its --cfg=surf/precision:{written:e}"
            ));
        }
        if !NetworkModel::names_one_of_simgrid(name) {
            return notes;
        }
        for setting in self.bandwidth.iter().chain(&self.latency) {
            let FactorSetting { key, text } = setting;
            let upper = name.to_uppercase();
            if setting.has_new_form() {
                notes.push(format!(
                    "setting {key} has steps and is followed as by SimGrid 3.34 and later; 3.32 refuses it"
                ));
            } else if !setting.applies(name) && as_smpirun {
                notes.push(format!(
                    "setting {key} = {text} has no effect on {upper}, as in SimGrid 3.32; since 3.34 it has"
                ));
            } else if !setting.applies(name) {
                notes.push(format!(
                    "setting {key} = {text} is followed as by SimGrid 3.34 and later; in 3.32, and with --compat simgrid, it \
                     has no effect on {upper}"
                ));
            }
        }
        notes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(bandwidth: &[(&'static str, &str)]) -> SimgridConfig {
        let factor = |&(key, text): &(&'static str, &str)| FactorSetting { key, text: text.to_owned() };
        SimgridConfig {
            network_model: Some("cm02".to_owned()),
            timing_precision: Some(1e-5),
            bandwidth: bandwidth.iter().map(factor).collect(),
            latency: Vec::new(),
        }
    }

    fn choice(text: &str, config: &SimgridConfig) -> ModelChoice {
        ModelChoice { config: Some(Box::new(config.clone())), ..toml::from_str(text).expect("a model") }
    }

    #[test]
    fn smpirun_overrides_model_and_precision() {
        let config = config(&[]);
        let (_, plain) = choice("", &config).build().unwrap();
        assert_eq!((plain.network_model.as_str(), plain.timing_precision), ("cm02", 1e-5));
        assert!(config.notes(&plain).is_empty());
        let (_, compat) = choice("compat = 'simgrid'", &config).build().unwrap();
        assert_eq!((compat.network_model.as_str(), compat.timing_precision), ("smpi", 1e-9));
        let notes = config.notes(&compat).join("\n");
        assert!(notes.contains("network/model = CM02 is not followed") && notes.contains("--model cm02"), "{notes}");
        assert!(notes.contains("precision/timing = 1e-5 is not followed"), "{notes}");
        let (_, own) =
            choice("compat = 'simgrid'\nnetwork_model = 'cm02'\ntiming_precision = 1e-5", &config).build().unwrap();
        assert_eq!((own.network_model.as_str(), own.timing_precision), ("cm02", 1e-5));
        assert!(config.notes(&own).is_empty());
    }

    #[test]
    fn factors_belong_to_their_models_in_simgrid_3_32() {
        let constant = config(&[("smpi/bw-factor", "0:0.5"), ("network/bandwidth-factor", "0.25")]);
        let steps = config(&[("smpi/bw-factor", "0:0.5"), ("network/bandwidth-factor", "0:0.125")]);
        for (text, config, factor, note) in [
            ("compat = 'simgrid'", &constant, "0:0.5", "network/bandwidth-factor = 0.25 has no effect on SMPI"),
            (
                "compat = 'simgrid'\nnetwork_model = 'lv08'",
                &constant,
                "0.25",
                "smpi/bw-factor = 0:0.5 has no effect on LV08",
            ),
            ("compat = 'simgrid'", &steps, "0:0.125", "has steps and is followed as by SimGrid 3.34"),
            ("network_model = 'smpi'", &constant, "0.25", "bandwidth-factor = 0.25 is followed as by SimGrid 3.34"),
            ("network_model = 'ideal'", &constant, "0.25", ""),
        ] {
            let (_, description) = choice(text, config).build().unwrap();
            assert_eq!(description.parameters["bandwidth-factor"], factor, "{text}");
            let notes = config.notes(&description).join("\n");
            assert!(notes.contains(note) && (!note.is_empty() || notes.is_empty()), "{text}: {notes}");
        }
        // A choice of the user overrides both.
        let own = choice("compat = 'simgrid'\nbandwidth_factor = 2", &constant).build().unwrap().1;
        assert_eq!(own.parameters["bandwidth-factor"], "2");
    }
}
