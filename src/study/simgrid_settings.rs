//! Settings of SimGrid platform files, converted to choices of the model.
//!
//! A setting that changes a replay is honoured, or refused by its name if its effect is not simulated. Settings that
//! SimGrid's replay does not read, or that concern something else (traces, stacks, plugins), are listed as ignored, as
//! are unknown ones.

use super::choice::{CrossTraffic, ModelChoice};
use super::choice_error::ChoiceError;
use super::simgrid_config::{FactorSetting, SimgridConfig};
use crate::platform::{PlatformError, Setting};
use crate::topology::input::Located;
use crate::trace::CollectiveKind;

/// Result of a file's settings.
#[derive(Debug, Default)]
pub(super) struct SimgridSettings {
    /// Choices of the model.
    pub model: ModelChoice,
    /// Settings without effect.
    pub ignored: Vec<String>,
}

/// Settings that a replay of SimGrid honours and that are not simulated here, with the values that have no effect.
const REFUSED: [(&str, &[&str], &str); 15] = [
    ("smpi/IB-penalty-factors", &[], "contention of InfiniBand by penalties is not simulated"),
    (
        "smpi/comp-adjustment-file",
        &[""],
        "computations are not adjusted by place; scale the trace (`mopsim trace scale`)",
    ),
    ("smpi/barrier-finalization", FALSE, "ranks end each for itself"),
    ("smpi/finalization-barrier", FALSE, "ranks end each for itself"),
    ("smpi/init", &["0", "0.0"], "`init` takes no time; let the ranks of the trace `sleep` first"),
    ("smpi/barrier-collectives", FALSE, "collectives have no barriers around them"),
    ("smpi/buffering", &["infty"], "buffers are unlimited"),
    ("network/optim", &["Lazy", "lazy"], "leave it out and give --sharing simgrid-full, which is `Full`"),
    ("network/latency-noise", &[], "latencies have no noise"),
    ("cpu/model", &["Cas01", "cas01"], "computations share cores as in `Cas01`"),
    ("maxmin/concurrency-limit", &["-1"], "any number of messages share a link at the same time"),
    ("cpu/solver", &["maxmin", "auto"], "cores are shared max-min"),
    ("network/solver", &["maxmin", "auto"], "links are shared max-min"),
    ("host/model", &["compound"], "hosts compute and communicate independently; `default` stands for --model lv08"),
    ("host/solver", &["maxmin", "auto"], "links are shared max-min"),
];

/// Plugins that influence the simulation; all others only observe it.
const ACTING_PLUGINS: [&str; 2] = ["host_dvfs", "cmonkey"];

const TRUE: &[&str] = &["1", "yes", "on", "true"];
const FALSE: &[&str] = &["0", "no", "off", "false"];

/// Reads the settings of a platform file, in their order: later ones override earlier ones.
///
/// # Errors
/// A setting that is refused or has an invalid value, with its place.
pub(super) fn read(settings: &[Setting]) -> Result<SimgridSettings, PlatformError> {
    let mut all = SimgridSettings::default();
    for setting in settings {
        let wrong = |message: String, help: &str| Located { message, help: help.into(), ..setting.place.clone() };
        take(&mut all, setting).map_err(|problem| match problem {
            Problem::Value(rule) => PlatformError::File(wrong(
                format!("setting `{}` is `{}`, and {rule}", setting.key, setting.value),
                "change the value, or leave the setting out",
            )),
            Problem::Refused(reason) => PlatformError::Unsupported(wrong(
                format!("setting `{}` with the value `{}` is not supported: {reason}", setting.key, setting.value),
                "it would change the result; leave it out to replay without it",
            )),
        })?;
        // These errors are detected only by building the model: an invalid table, or a name that does not exist.
        all.model.build().map_err(|ChoiceError { rule, .. }| {
            let message = format!("setting `{}` is `{}`, which {rule}", setting.key, setting.value);
            PlatformError::File(wrong(message, "change the value, or leave the setting out"))
        })?;
    }
    Ok(all)
}

enum Problem {
    Value(String),
    Refused(String),
}

fn take(all: &mut SimgridSettings, setting: &Setting) -> Result<(), Problem> {
    let (key, value) = (setting.key.as_str(), setting.value.trim());
    let model = &mut all.model;
    match key {
        "smpi/os" => model.send_overhead = text(value),
        "smpi/or" => model.recv_overhead = text(value),
        "smpi/ois" => model.isend_overhead = text(value),
        "smpi/bw-factor" => config(model).bandwidth.push(factor("smpi/bw-factor", value)),
        "network/bandwidth-factor" => config(model).bandwidth.push(factor("network/bandwidth-factor", value)),
        "smpi/lat-factor" => config(model).latency.push(factor("smpi/lat-factor", value)),
        "network/latency-factor" => config(model).latency.push(factor("network/latency-factor", value)),
        "smpi/async-small-thresh" => model.async_below = Some(bytes(value)?),
        "smpi/send-is-detached-thresh" => model.detached_below = Some(bytes(value)?),
        "smpi/test" => model.test_time = Some(number(value)?),
        "smpi/iprobe" => model.probe_time = Some(number(value)?),
        "smpi/iprobe-cpu-usage" => model.probe_cpu_usage = Some(number(value)?),
        "smpi/grow-injected-times" => model.growing_times = Some(switch(value)?),
        "smpi/simulate-computation" => {
            // Computations are simulated by default, and reports list only what differs.
            let is_simulated = switch(value)?;
            model.simulate_computation = (!is_simulated).then_some(false);
        }
        "smpi/coll-selector" => model.collectives = text(value),
        "network/weight-S" => model.weight_s = Some(number(value)?),
        "network/TCP-gamma" => model.tcp_gamma = Some(number(value)?),
        "network/crosstraffic" => model.crosstraffic = Some(cross_traffic(value)?),
        "network/model" => match value.to_ascii_lowercase().as_str() {
            name @ ("smpi" | "lv08" | "cm02") => config(model).network_model = text(name),
            _ => {
                let reason = "models are SMPI, LV08 and CM02, and `smpirun` ignores this setting";
                return Err(Problem::Refused(reason.to_owned()));
            }
        },
        "precision/timing" | "surf/precision" => config(model).timing_precision = Some(number(value)?),
        // SimGrid has no such settings, and refuses platforms with them.
        "mopsim/network-model" => model.network_model = text(value),
        "mopsim/delivery" => model.delivery = text(value),
        "mopsim/message-latency" => {
            let rule = |error| Problem::Value(format!("{error}"));
            model.message_latency = Some(value.parse().map_err(rule)?);
        }
        "mopsim/envelope" => model.envelope = Some(bytes(value)?),
        "mopsim/packet-payload" => model.packet_payload = Some(bytes(value)?),
        "mopsim/packet-overhead" => model.packet_overhead = Some(bytes(value)?),
        "mopsim/cap-factors" => model.cap_factors = Some(switch(value)?),
        "mopsim/rendezvous-trips" => {
            let rule = |_| Problem::Value("must be 0, 1 or 2".to_owned());
            model.rendezvous_trips = Some(value.parse().map_err(rule)?);
        }
        _ if key.starts_with("mopsim/") => {
            return Err(Problem::Refused("docs/models.md lists the settings that begin with `mopsim/`".to_owned()));
        }
        // This selects the algorithm for the completion of computations; without profiles all have the same results.
        "cpu/optim" if ["lazy", "ti", "full"].contains(&value.to_ascii_lowercase().as_str()) => {}
        "cpu/optim" => return Err(Problem::Value("is not one of Lazy, TI, Full".to_owned())),
        "plugin" if value.split([',', ' ']).any(|plugin| ACTING_PLUGINS.contains(&plugin)) => {
            return Err(Problem::Refused("hosts keep their speed, and all resources work".to_owned()));
        }
        // These are read with the platform.
        "network/loopback-bw" | "network/loopback-lat" => {}
        _ => {
            if let Some((_, harmless, reason)) = REFUSED.iter().find(|(name, ..)| *name == key) {
                let is_harmless = harmless.contains(&value);
                return if is_harmless { Ok(()) } else { Err(Problem::Refused((*reason).to_owned())) };
            }
            match key.strip_prefix("smpi/").and_then(CollectiveKind::from_name) {
                Some(kind) => drop(model.collective.insert(kind.name().to_owned(), value.to_owned())),
                None => all.ignored.push(key.to_owned()),
            }
        }
    }
    Ok(())
}

/// Returns the settings whose effect depends on the other choices of the model.
fn config(model: &mut ModelChoice) -> &mut SimgridConfig {
    model.config.get_or_insert_default()
}

fn factor(key: &'static str, value: &str) -> FactorSetting {
    FactorSetting { key, text: value.to_owned() }
}

fn text(value: &str) -> Option<String> {
    Some(value.to_owned())
}

fn bytes(value: &str) -> Result<u64, Problem> {
    value.parse().map_err(|_| Problem::Value("must be a number of bytes".to_owned()))
}

fn number(value: &str) -> Result<f64, Problem> {
    let number = value.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| Problem::Value("must be a number of zero or more".to_owned()))
}

fn cross_traffic(value: &str) -> Result<CrossTraffic, Problem> {
    match (switch(value), value.parse()) {
        (Ok(on), _) => Ok(CrossTraffic::Switched(on)),
        (_, Ok(share)) => Ok(CrossTraffic::Share(share)),
        _ => Err(Problem::Value("must be yes, no, or a share of the rate".to_owned())),
    }
}

fn switch(value: &str) -> Result<bool, Problem> {
    match value.to_ascii_lowercase().as_str() {
        value if TRUE.contains(&value) => Ok(true),
        value if FALSE.contains(&value) => Ok(false),
        _ => Err(Problem::Value("must be yes or no".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::message_latency::MessageLatency;

    fn settings(pairs: &[(&str, &str)]) -> Result<SimgridSettings, PlatformError> {
        let place = Located { file: "p.xml".into(), line: 3, column: 5, message: String::new(), help: String::new() };
        let setting =
            |&(key, value): &(&str, &str)| Setting { key: key.into(), value: value.into(), place: place.clone() };
        read(&pairs.iter().map(setting).collect::<Vec<_>>())
    }

    #[test]
    fn settings_that_change_a_replay_are_honoured() {
        let all = settings(&[
            ("smpi/os", "0:1e-6:2e-9;100:3e-6:0"),
            ("smpi/bw-factor", "0:0.5;1000:0.9"),
            ("network/latency-factor", "3"),
            ("smpi/async-small-thresh", "77"),
            ("smpi/send-is-detached-thresh", "78"),
            ("smpi/test", "2e-7"),
            ("network/crosstraffic", "no"),
            ("network/model", "CM02"),
            ("smpi/alltoall", "bruck"),
            ("smpi/reduce_scatter", "default"),
            ("smpi/coll-selector", "ompi"),
            ("smpi/simulate-computation", "0"),
        ])
        .unwrap();
        let (model, said) = all.model.build().unwrap();
        assert_eq!((model.mpi.async_below, model.mpi.detached_below, model.mpi.test_time), (77, 78, 2e-7));
        assert_eq!(model.mpi.send_overhead.at(50), 1e-6 + 2e-9 * 50.0);
        assert_eq!((model.network.bandwidth_factor.at(1), model.network.bandwidth_factor.at(1001)), (0.5, 0.9));
        assert_eq!((model.network.latency_factor.at(5), model.network.cross_traffic), (3.0, None));
        assert_eq!((model.network.name, said.collectives.as_str()), ("cm02", "ompi"));
        assert_eq!(said.parameters["async-below"], "77");
        assert!(!model.mpi.simulate_computation && said.parameters["simulate-computation"] == "false");
        assert_eq!(all.model.collective["alltoall"], "bruck");
        assert!(all.ignored.is_empty());
    }

    #[test]
    fn settings_that_simgrid_lacks_have_a_prefix() {
        let all = settings(&[
            ("mopsim/network-model", "ideal"),
            ("mopsim/packet-overhead", "3"),
            ("mopsim/packet-payload", "9"),
            ("mopsim/message-latency", "24us"),
            ("mopsim/envelope", "40"),
            ("mopsim/delivery", "in-order"),
            ("mopsim/rendezvous-trips", "2"),
            ("mopsim/cap-factors", "yes"),
            ("smpi/bw-factor", "0:1.5;100:0.5"),
            ("smpi/send-is-detached-thresh", "400"),
            ("network/crosstraffic", "0.03"),
        ]);
        let (model, said) = all.unwrap().model.build().unwrap();
        let network = &model.network;
        assert_eq!(
            (network.payload_share(), network.message_latency.clone(), network.envelope),
            (0.75, MessageLatency::constant(24e-6), 40)
        );
        assert_eq!((network.in_order, network.cross_traffic), (true, Some(0.03)));
        assert_eq!((network.bandwidth_factor.at(1), network.bandwidth_factor.at(101)), (1.0, 0.5));
        assert_eq!((model.mpi.async_below, model.mpi.detached_below, model.mpi.rendezvous_trips), (400, 400, 2));
        let names: Vec<&str> = said.parameters.keys().copied().collect();
        assert_eq!(
            names.join(" "),
            "bandwidth-factor cap-factors crosstraffic delivery detached-below envelope \
                                     message-latency packet-overhead packet-payload rendezvous-trips"
        );
    }

    #[test]
    fn others_are_listed_or_refused_by_name() {
        let all = settings(&[("tracing", "yes"), ("smpi/host-speed", "1"), ("contexts/stack-size", "16"), ("x/y", "")]);
        assert_eq!(all.unwrap().ignored, ["tracing", "smpi/host-speed", "contexts/stack-size", "x/y"]);
        let harmless = [
            ("cpu/optim", "Lazy"),
            ("cpu/optim", "TI"),
            ("smpi/simulate-computation", "yes"),
            ("smpi/finalization-barrier", "no"),
            ("smpi/init", "0"),
            ("maxmin/concurrency-limit", "-1"),
            ("host/model", "compound"),
        ];
        assert!(settings(&harmless).unwrap().ignored.is_empty());
        assert_eq!(settings(&[("plugin", "host_energy")]).unwrap().ignored, ["plugin"]);
        for (key, value, part) in [
            ("network/model", "IB", "`network/model` with the value `IB` is not supported: models are"),
            ("smpi/simulate-computation", "never", "must be yes or no"),
            ("network/optim", "Full", "--sharing simgrid-full"),
            ("smpi/barrier-finalization", "yes", "ranks end each for itself"),
            ("smpi/finalization-barrier", "yes", "ranks end each for itself"),
            ("smpi/init", "0.5", "`init` takes no time"),
            ("maxmin/concurrency-limit", "100", "any number of messages share a link"),
            ("host/model", "default", "`default` stands for --model lv08"),
            ("host/model", "ptask_L07", "hosts compute and communicate independently"),
            ("cpu/optim", "Fastest", "is not one of Lazy, TI, Full"),
            ("plugin", "host_energy,host_dvfs", "hosts keep their speed"),
            ("smpi/os", "x", "setting `smpi/os` is `x`, which cannot be read: `x`"),
            ("smpi/bw-factor", "0:0", "would never arrive"),
            ("smpi/alltoall", "brook", "setting `smpi/alltoall` is `brook`, which is not possible"),
            ("smpi/async-small-thresh", "-1", "must be a number of bytes"),
            ("smpi/iprobe", "-1", "must be a number of zero or more"),
            ("network/crosstraffic", "maybe", "must be yes, no, or a share of the rate"),
            ("network/crosstraffic", "1.5", "is not a share of the rate: from 0"),
            ("mopsim/delivery", "fifo", "is not one of in-order, concurrent"),
            ("mopsim/message-latency", "24 km", "setting `mopsim/message-latency` is `24 km`, and"),
            ("mopsim/message-latency", "1e9", "is more than 1e6 s"),
            ("mopsim/rendezvous-trips", "3", "is not 0 (none), 1"),
            ("mopsim/rendezvous-trips", "-1", "must be 0, 1 or 2"),
            ("mopsim/packet-payload", "0", "is not a number of bytes from 1"),
            ("mopsim/packets", "1", "docs/models.md lists the settings"),
        ] {
            let error = settings(&[(key, value)]).expect_err(key).to_string();
            assert!(error.starts_with("p.xml:3:5: ") && error.contains(part), "{error}");
        }
    }
}
