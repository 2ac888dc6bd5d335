//! From choices to the model: names and numbers are checked, and defaults filled in.

use super::choice::{ModelChoice, by_operation};
use super::choice_error::{ChoiceError, ChoiceFault};
use super::cross_traffic::CrossTraffic;
use super::description::{CALIBRATION, ModelDescription};
use super::loggops::{LogGopsChoice, is_loggops};
use super::packet_choice::{PacketChoice, has_packets};
use super::packet_refusals::refuse_factors;
use super::site::over_site;
use super::tables::CollectiveTable;
use crate::engine::{Model, TIMING_PRECISION};
use crate::mpi::MpiOptions;
use crate::network::Precision;
use crate::network::model::{LogGops, NetworkModel, Packets};
use crate::network::sharing::Rule;
use crate::piecewise::{Factors, MOST, Overhead, PiecewiseError};
use crate::printable;
use crate::trace::CollectiveKind;
use std::collections::BTreeMap;

/// Seconds below which SimGrid's defaults consider two events simultaneous (`surf/precision`, as set by `smpirun`).
const SIMGRID_TIMING_PRECISION: f64 = 1e-9;

/// Largest timing precision in seconds: a thousand times what any latency is, and a million times SimGrid's default.
const MOST_PRECISION: f64 = 1e-3;

/// Largest constant of a network model, as for all rates.
const LARGEST: f64 = 1e30;

/// Largest part of a packet or envelope, in bytes.
const MOST_IN_A_PACKET: u64 = 1 << 30;

/// Smallest factor of the bandwidth.
const LEAST_FACTOR: f64 = 1e-12;

/// Longest time of a call, in seconds.
const LONGEST: f64 = 1e6;

fn factors(
    option: &'static str,
    text: Option<&str>,
    into: &mut Factors,
    said: &mut BTreeMap<&'static str, String>,
) -> Result<(), ChoiceError> {
    let Some(text) = text else { return Ok(()) };
    // One number is a factor for all sizes.
    let number = text.trim().parse::<f64>().ok().filter(|factor| (0.0..=MOST).contains(factor));
    *into = match number {
        Some(factor) => Factors::constant(factor),
        None => text.parse().map_err(|error: PiecewiseError| {
            let (option, value, rule) = (option.to_owned(), text.to_owned(), format!("cannot be read: {error}"));
            ChoiceError { option, value, rule, fault: ChoiceFault::Value }
        })?,
    };
    if option != "latency-factor" && into.least() < LEAST_FACTOR {
        let rule = format!("has a factor below {LEAST_FACTOR:e}, with which a message would never arrive");
        return Err(ChoiceError { option: option.to_owned(), value: text.to_owned(), rule, fault: ChoiceFault::Value });
    }
    said.insert(option, text.to_owned());
    Ok(())
}

fn overhead(
    option: &'static str,
    text: Option<&str>,
    into: &mut Overhead,
    said: &mut BTreeMap<&'static str, String>,
) -> Result<(), ChoiceError> {
    let Some(text) = text else { return Ok(()) };
    *into = text.parse().map_err(|error: PiecewiseError| {
        let (option, value, rule) = (option.to_owned(), text.to_owned(), format!("cannot be read: {error}"));
        ChoiceError { option, value, rule, fault: ChoiceFault::Value }
    })?;
    said.insert(option, text.to_owned());
    Ok(())
}

impl ModelChoice {
    /// Replaces constants of the models by those of the choice; returns them in words.
    fn constants(
        &self,
        network: &mut NetworkModel,
        mpi: &mut MpiOptions,
    ) -> Result<BTreeMap<&'static str, String>, ChoiceError> {
        let mut said = BTreeMap::new();
        self.packets(network, &mut said)?;
        factors("bandwidth-factor", self.bandwidth_factor.as_deref(), &mut network.bandwidth_factor, &mut said)?;
        if let Some(cap) = self.cap_factors {
            network.cap_factors = cap;
            said.insert("cap-factors", cap.to_string());
        }
        if network.cap_factors {
            network.bandwidth_factor = network.bandwidth_factor.clone().capped(1.0);
        }
        if self.rate_bound.is_some() {
            let mut parts = Factors::constant(1.0);
            factors("rate-bound", self.rate_bound.as_deref(), &mut parts, &mut said)?;
            network.rate_bound = Some(parts.capped(1.0));
        }
        factors("latency-factor", self.latency_factor.as_deref(), &mut network.latency_factor, &mut said)?;
        overhead("send-overhead", self.send_overhead.as_deref(), &mut mpi.send_overhead, &mut said)?;
        overhead("isend-overhead", self.isend_overhead.as_deref(), &mut mpi.isend_overhead, &mut said)?;
        overhead("recv-overhead", self.recv_overhead.as_deref(), &mut mpi.recv_overhead, &mut said)?;
        let mut number = |option: &'static str, value: Option<f64>, most: f64| -> Result<Option<f64>, ChoiceError> {
            let Some(value) = value else { return Ok(None) };
            if !(0.0..=most).contains(&value) {
                let rule = match most {
                    1.0 => "is not between 0 and 1".to_owned(),
                    most => format!("is not between 0 and {most:e}"),
                };
                let value = printable::number(value);
                return Err(ChoiceError { option: option.to_owned(), value, rule, fault: ChoiceFault::Value });
            }
            said.insert(option, value.to_string());
            Ok(Some(value))
        };
        if let Some(weight) = number("weight-s", self.weight_s, LARGEST)? {
            network.weight_s = Some(weight);
        }
        if let Some(gamma) = number("tcp-gamma", self.tcp_gamma, LARGEST)? {
            if gamma > 0.0 && gamma < 1.0 {
                let (option, value) = ("tcp-gamma".to_owned(), gamma.to_string());
                let rule = "is less than a byte; 0 is no window".to_owned();
                return Err(ChoiceError { option, value, rule, fault: ChoiceFault::Value });
            }
            network.tcp_gamma = (gamma > 0.0).then_some(gamma);
        }
        mpi.test_time = number("test-time", self.test_time, LONGEST)?.unwrap_or(mpi.test_time);
        mpi.probe_time = number("probe-time", self.probe_time, LONGEST)?.unwrap_or(mpi.probe_time);
        mpi.probe_cpu_usage = number("probe-cpu-usage", self.probe_cpu_usage, 1.0)?.unwrap_or(mpi.probe_cpu_usage);
        if mpi.probe_time == 0.0 || mpi.probe_cpu_usage == 0.0 {
            let (option, value) = match mpi.probe_time {
                0.0 => ("probe-time", mpi.probe_time),
                _ => ("probe-cpu-usage", mpi.probe_cpu_usage),
            };
            let rule = "would let a receive of unknown size look for ever within an instant".to_owned();
            return Err(ChoiceError {
                option: option.to_owned(),
                value: value.to_string(),
                rule,
                fault: ChoiceFault::Value,
            });
        }
        match self.delivery.as_deref() {
            None => {}
            Some("in-order") => network.in_order = true,
            Some("concurrent") => network.in_order = false,
            Some(other) => return Err(ChoiceError::unknown("delivery", other, &["in-order", "concurrent"])),
        }
        if let Some(delivery) = &self.delivery {
            said.insert("delivery", delivery.clone());
        }
        if let Some(trips) = self.rendezvous_trips {
            if trips > 2 {
                let (option, value) = ("rendezvous-trips".to_owned(), trips.to_string());
                let rule =
                    "is not 0 (none), 1 (the receiver's clear-to-send) or 2 (the sender's request-to-send as well)"
                        .to_owned();
                return Err(ChoiceError { option, value, rule, fault: ChoiceFault::Value });
            }
            mpi.rendezvous_trips = trips;
            said.insert("rendezvous-trips", trips.to_string());
        }
        if let Some(bytes) = self.async_below {
            mpi.async_below = bytes;
            said.insert("async-below", bytes.to_string());
        }
        if let Some(bytes) = self.detached_below {
            mpi.detached_below = bytes;
            said.insert("detached-below", bytes.to_string());
        }
        // On a connection, and as packets, data for which the sender does not wait is already in transit.
        if network.sends_eagerly() && self.async_below.is_none() {
            mpi.async_below = mpi.detached_below;
        }
        if let Some(grow) = self.growing_times {
            mpi.growing_times = grow;
            said.insert("growing-times", grow.to_string());
        }
        if let Some(simulated) = self.simulate_computation {
            mpi.simulate_computation = simulated;
            said.insert("simulate-computation", simulated.to_string());
        }
        if let Some(calibration) = &self.calibration {
            said.insert(CALIBRATION, calibration.clone());
        }
        Ok(said)
    }

    /// Replaces the model's overhead of a message and its packets, and its time per message.
    fn packets(
        &self,
        network: &mut NetworkModel,
        said: &mut BTreeMap<&'static str, String>,
    ) -> Result<(), ChoiceError> {
        let wrong = |option: &str, value: String, rule: String| {
            Err(ChoiceError { option: option.to_owned(), value, rule, fault: ChoiceFault::Value })
        };
        if let Some(latency) = &self.message_latency {
            if latency.longest() > LONGEST {
                return wrong("message-latency", latency.to_string(), format!("is more than {LONGEST:e} s"));
            }
            network.message_latency = latency.clone();
            said.insert("message-latency", latency.to_string());
        }
        for (option, bytes, least) in [
            ("envelope", self.envelope, 0),
            ("packet-payload", self.packet_payload, 1),
            ("packet-overhead", self.packet_overhead, 0),
        ] {
            let Some(bytes) = bytes else { continue };
            if !(least..=MOST_IN_A_PACKET).contains(&bytes) {
                let rule = format!("is not a number of bytes from {least} to {MOST_IN_A_PACKET}");
                return wrong(option, bytes.to_string(), rule);
            }
            said.insert(option, bytes.to_string());
        }
        network.envelope = self.envelope.unwrap_or(network.envelope);
        if self.packet_payload.is_some() || self.packet_overhead.is_some() {
            let known = network.packets.unwrap_or(Packets::TCP);
            network.packets = Some(Packets {
                payload: self.packet_payload.unwrap_or(known.payload),
                overhead: self.packet_overhead.unwrap_or(known.overhead),
            });
        }
        Ok(())
    }

    /// Checks the choices and fills in the defaults.
    ///
    /// # Errors
    /// [`ChoiceError`] for a name or a number that is not allowed.
    pub fn build(&self) -> Result<(Model, ModelDescription), ChoiceError> {
        if let Some(config) = &self.config {
            return config.under(self).build();
        }
        if let Some(site) = &self.site {
            let (choice, from_site) = over_site(self, site);
            let (model, description) = choice.build()?;
            return Ok((model, ModelDescription { from_site, ..description }));
        }
        let text = self.network_model.as_deref().unwrap_or_else(|| self.default_network_model());
        let (mut inline, mut inline_loggops) = (PacketChoice::default(), LogGopsChoice::default());
        let name = match text.split_once(':') {
            Some((name, constants)) if has_packets(text) => {
                inline = PacketChoice::parse(constants)?;
                name
            }
            Some((name, constants)) if is_loggops(text) => {
                inline_loggops = LogGopsChoice::parse(constants)?;
                name
            }
            _ => text,
        };
        let mut network = NetworkModel::by_name(name)
            .ok_or_else(|| ChoiceError::unknown("network-model", name, &NetworkModel::NAMES))?;
        if network.packet_level.is_some() {
            refuse_factors(self)?;
        }
        if let Some(chosen) = self.crosstraffic {
            network.cross_traffic = chosen.share()?;
        }
        let mut mpi = MpiOptions::default();
        let mut parameters = self.constants(&mut network, &mut mpi)?;
        if let Some(CrossTraffic::Share(share)) = self.crosstraffic {
            parameters.insert("crosstraffic", share.to_string());
        }
        match (&mut network.loggops, self.loggops) {
            (Some(constants), chosen) => {
                *constants = inline_loggops.over(&chosen.unwrap_or_default()).build();
                let LogGops { latency, o, g, gap_per_byte, overhead_per_byte, eager_up_to } = *constants;
                let text = format!(
                    "L={latency:e} o={o:e} g={g:e} G={gap_per_byte:e} O={overhead_per_byte:e} s, S={eager_up_to} bytes"
                );
                parameters.insert("loggops", text);
            }
            (None, Some(_)) => {
                let rule = "is not `loggops`, the model that has these constants";
                return Err(ChoiceError::wrong("loggops", name, rule));
            }
            (None, None) => {}
        }
        match (&mut network.packet_level, &self.packet) {
            (Some(level), given) => {
                *level = inline.over(&given.clone().unwrap_or_default()).build(&mut parameters)?;
            }
            (None, Some(_)) => {
                let rule = "is not `packet`, the model that has these constants";
                return Err(ChoiceError::wrong("packet", name, rule));
            }
            (None, None) => {}
        }
        let (sharing, timing_precision) = match self.compat.as_deref() {
            None => (Rule::Exact, TIMING_PRECISION),
            Some("simgrid") => (Rule::SimgridLazy, SIMGRID_TIMING_PRECISION),
            Some(other) => return Err(ChoiceError::unknown("compat", other, &["simgrid"])),
        };
        let sharing = match self.sharing.as_deref() {
            None => sharing,
            Some(name) => Rule::from_name(name).ok_or_else(|| ChoiceError::sharing(name))?,
        };
        if network.in_order && sharing.is_simgrid() {
            let (option, value) = ("delivery".to_owned(), "in-order".to_owned());
            let rule = format!(
                "is not possible with sharing `{}`, which reproduces SimGrid; choose sharing `exact`, or delivery `concurrent`",
                sharing
            );
            return Err(ChoiceError { option, value, rule, fault: ChoiceFault::Value });
        }
        let timing_precision = self.timing_precision.unwrap_or(timing_precision);
        if !(0.0..=MOST_PRECISION).contains(&timing_precision) {
            return Err(ChoiceError {
                option: "timing-precision".to_owned(),
                value: printable::number(timing_precision),
                rule: format!("is not a number of seconds from 0 to {MOST_PRECISION}"),
                fault: ChoiceFault::Value,
            });
        }
        let chosen = CollectiveTable::find(self.collectives.as_deref().unwrap_or("mvapich2"))?;
        // A run of SMPI has it; measured networks, by which other models are judged, do not (decision 43).
        let as_smpi = network.is_of_simgrid() || self.reproduces_simgrid();
        let smp_setup = self.smp_setup.unwrap_or(as_smpi && self.defaults.unwrap_or_default().values().smp_setup);
        let mut collectives = chosen.selector(smp_setup);
        let overridden = by_operation(&self.collective);
        for (kind, algorithm) in &overridden {
            let kind_names = CollectiveKind::ALL.map(CollectiveKind::name);
            let operation =
                CollectiveKind::from_name(kind).ok_or_else(|| ChoiceError::unknown("collective", kind, &kind_names))?;
            collectives = collectives.with_override(operation, algorithm).map_err(|error| ChoiceError {
                option: "collective".to_owned(),
                value: format!("{kind}={algorithm}"),
                rule: format!("is not possible: {error}"),
                fault: ChoiceFault::Name,
            })?;
        }
        let description = ModelDescription {
            network_model: network.name.to_owned(),
            collectives: chosen.name,
            collective: overridden,
            sharing: if network.packet_level.is_some() { "packets".to_owned() } else { sharing.to_string() },
            timing_precision,
            crosstraffic: network.cross_traffic.is_some(),
            smp_setup,
            parameters,
            from_site: Vec::new(),
        };
        // Exact sharing distinguishes the completions of transfers, as SimGrid's full solver does.
        let transfers = if sharing.is_simgrid() { timing_precision } else { 0.0 };
        let precision = Precision { transfers, others: timing_precision };
        Ok((Model { network, mpi, collectives, sharing, precision, medium: None, noise: None }, description))
    }
}
