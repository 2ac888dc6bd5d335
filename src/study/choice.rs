//! The model as written, in a file or on the command line.

pub use super::choice_error::ChoiceError;
pub use super::cross_traffic::CrossTraffic;
pub use super::description::ModelDescription;
pub use super::loggops::{LogGopsChoice, is_loggops};
pub use super::packet_choice::PacketChoice;
use super::packet_choice::has_packets;
pub use super::simgrid_config::SimgridConfig;
pub use super::tables::CollectiveTable;
use crate::defaults::Version;
use crate::network::message_latency::MessageLatency;
use crate::trace::CollectiveKind;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The model as written; every choice is optional.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelChoice {
    /// File with further choices, which these override.
    pub file: Option<PathBuf>,
    /// One of [`NetworkModel::NAMES`](crate::network::model::NetworkModel::NAMES); `packet:routing=amin,vcs=6` has constants of
    /// [`Self::packet`].
    pub network_model: Option<String>,
    /// Collective table: `mvapich2`, `ompi`, `mpich`, `mpich4`, `default`, or `ompi:FILE` with a rule file.
    pub collectives: Option<String>,
    /// One algorithm for all calls of an operation, e.g. `alltoall = "bruck"`.
    #[serde(default)]
    pub collective: BTreeMap<String, String>,
    /// One of [`Rule::FORMS`](crate::network::sharing::Rule::FORMS).
    pub sharing: Option<String>,
    /// Seconds; events closer than this are simultaneous.
    pub timing_precision: Option<f64>,
    /// `simgrid`: the two choices above default to those of SimGrid.
    pub compat: Option<String>,
    /// Load of a flow on the links of the reverse route; default: that of the network model.
    pub crosstraffic: Option<CrossTraffic>,
    /// `true` if the first collective includes the cost of finding out which ranks share a host; default: only with
    /// what reproduces SimGrid.
    pub smp_setup: Option<bool>,
    /// Factor of the bandwidth by the size of the flow in bytes, `THRESHOLD:FACTOR;...` (`smpi/bw-factor`).
    #[serde(default, deserialize_with = "text_or_number")]
    pub bandwidth_factor: Option<String>,
    /// Factor of the latency by the size of the flow in bytes, `THRESHOLD:FACTOR;...` (`smpi/lat-factor`).
    #[serde(default, deserialize_with = "text_or_number")]
    pub latency_factor: Option<String>,
    /// Largest part of the bandwidth of its route that a flow alone reaches, by the size of the flow in bytes,
    /// `THRESHOLD:PART;...`; unlike a bandwidth factor it leaves the rest to other flows.
    #[serde(default, deserialize_with = "text_or_number")]
    pub rate_bound: Option<String>,
    /// Bytes that count as a second of latency in the share of a flow (`network/weight-S`).
    pub weight_s: Option<f64>,
    /// Largest TCP window in bytes; 0 for no bound (`network/TCP-gamma`).
    pub tcp_gamma: Option<f64>,
    /// `true` if bandwidth factors above 1 count as 1; default: that of the network model.
    pub cap_factors: Option<bool>,
    /// Time of every message between two hosts in addition to the latency of its route, `TIME` or by the size of the flow,
    /// `THRESHOLD:TIME;...`.
    pub message_latency: Option<MessageLatency>,
    /// Bytes that are added to every message.
    pub envelope: Option<u64>,
    /// Message bytes in a full packet; default: those of TCP if only the overhead is specified.
    pub packet_payload: Option<u64>,
    /// Bytes of headers, framing and gap per packet; 0 if links carry only messages.
    pub packet_overhead: Option<u64>,
    /// `in-order`: messages of a pair of ranks travel one after another, and messages for which the sender does not
    /// wait leave immediately. `concurrent`: they travel side by side.
    pub delivery: Option<String>,
    /// One-way trips of control messages before the data of a rendezvous message leave: 0, 1 or 2.
    pub rendezvous_trips: Option<u8>,
    /// Time of a blocking detached send, `THRESHOLD:SECONDS:SECONDS_PER_BYTE;...` (`smpi/os`).
    pub send_overhead: Option<String>,
    /// Time of a non-blocking send, in the same form (`smpi/ois`).
    pub isend_overhead: Option<String>,
    /// Time of a receive whose send was detached, in the same form (`smpi/or`).
    pub recv_overhead: Option<String>,
    /// Messages of fewer bytes travel before their receive is posted (`smpi/async-small-thresh`).
    pub async_below: Option<u64>,
    /// Senders of messages with fewer bytes do not wait (`smpi/send-is-detached-thresh`).
    pub detached_below: Option<u64>,
    /// Duration of a test in seconds (`smpi/test`).
    pub test_time: Option<f64>,
    /// Seconds between two polls for a message of unknown size (`smpi/iprobe`).
    pub probe_time: Option<f64>,
    /// Share of the core that polling uses, from 0 to 1 (`smpi/iprobe-cpu-usage`).
    pub probe_cpu_usage: Option<f64>,
    /// `true` if repeated failing tests and polls take longer and longer (`smpi/grow-injected-times`).
    pub growing_times: Option<bool>,
    /// `false` if computations take no time (`smpi/simulate-computation`).
    pub simulate_computation: Option<bool>,
    /// Measurements to which the constants were fitted, in words, for reports.
    pub calibration: Option<String>,
    /// Version of the defaults, from the study, the network or the command line.
    #[serde(skip)]
    pub defaults: Option<Version>,
    /// Constants of `loggops`.
    pub loggops: Option<LogGopsChoice>,
    /// Constants of `packet`.
    pub packet: Option<PacketChoice>,
    /// Settings of a SimGrid platform whose effect depends on the other choices.
    #[serde(skip)]
    pub config: Option<Box<SimgridConfig>>,
    /// Choices of the site, for what nothing else sets.
    #[serde(skip)]
    pub site: Option<Box<ModelChoice>>,
}

/// Reads text, or a number as its text.
fn text_or_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "a factor: a number, or text such as `0:0.8;65536:0.94`")]
    enum FactorText {
        Text(String),
        Whole(i64),
        Number(f64),
    }
    Option::<FactorText>::deserialize(deserializer).map(|written| {
        written.map(|written| match written {
            FactorText::Text(text) => text,
            FactorText::Whole(number) => number.to_string(),
            FactorText::Number(number) => number.to_string(),
        })
    })
}

/// Returns algorithms by the names of operations that traces have: `reduce_scatter` is `reducescatter`.
pub(super) fn by_operation(algorithms: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let name =
        |written: &String| CollectiveKind::from_name(written).map_or(written.clone(), |kind| kind.name().to_owned());
    algorithms.iter().map(|(kind, algorithm)| (name(kind), algorithm.clone())).collect()
}

impl ModelChoice {
    /// `true` if its network model is named, and has packets.
    pub(super) fn has_packets(&self) -> bool {
        self.network_model.as_deref().is_some_and(has_packets)
    }

    /// Resolves the name of a rule file, which is relative to `folder`.
    pub fn in_folder(mut self, folder: &Path) -> Self {
        self.collectives = self.collectives.map(|name| CollectiveTable::in_folder(name, folder));
        self
    }

    /// Returns these choices, with missing ones from `base`.
    pub fn over(self, base: &ModelChoice) -> ModelChoice {
        // Two spellings of an operation are one choice.
        let mut collective = by_operation(&base.collective);
        collective.extend(by_operation(&self.collective));
        ModelChoice {
            file: self.file.or_else(|| base.file.clone()),
            network_model: self.network_model.or_else(|| base.network_model.clone()),
            collectives: self.collectives.or_else(|| base.collectives.clone()),
            collective,
            sharing: self.sharing.or_else(|| base.sharing.clone()),
            timing_precision: self.timing_precision.or(base.timing_precision),
            compat: self.compat.or_else(|| base.compat.clone()),
            crosstraffic: self.crosstraffic.or(base.crosstraffic),
            smp_setup: self.smp_setup.or(base.smp_setup),
            bandwidth_factor: self.bandwidth_factor.or_else(|| base.bandwidth_factor.clone()),
            latency_factor: self.latency_factor.or_else(|| base.latency_factor.clone()),
            rate_bound: self.rate_bound.or_else(|| base.rate_bound.clone()),
            cap_factors: self.cap_factors.or(base.cap_factors),
            message_latency: self.message_latency.clone().or_else(|| base.message_latency.clone()),
            envelope: self.envelope.or(base.envelope),
            packet_payload: self.packet_payload.or(base.packet_payload),
            packet_overhead: self.packet_overhead.or(base.packet_overhead),
            delivery: self.delivery.or_else(|| base.delivery.clone()),
            rendezvous_trips: self.rendezvous_trips.or(base.rendezvous_trips),
            weight_s: self.weight_s.or(base.weight_s),
            tcp_gamma: self.tcp_gamma.or(base.tcp_gamma),
            send_overhead: self.send_overhead.or_else(|| base.send_overhead.clone()),
            isend_overhead: self.isend_overhead.or_else(|| base.isend_overhead.clone()),
            recv_overhead: self.recv_overhead.or_else(|| base.recv_overhead.clone()),
            async_below: self.async_below.or(base.async_below),
            detached_below: self.detached_below.or(base.detached_below),
            test_time: self.test_time.or(base.test_time),
            probe_time: self.probe_time.or(base.probe_time),
            probe_cpu_usage: self.probe_cpu_usage.or(base.probe_cpu_usage),
            growing_times: self.growing_times.or(base.growing_times),
            simulate_computation: self.simulate_computation.or(base.simulate_computation),
            calibration: self.calibration.or_else(|| base.calibration.clone()),
            defaults: self.defaults.or(base.defaults),
            loggops: self.loggops.or(base.loggops),
            packet: match (self.packet, &base.packet) {
                (Some(own), Some(base)) => Some(own.over(base)),
                (own, base) => own.or_else(|| base.clone()),
            },
            config: self.config.or_else(|| base.config.clone()),
            site: self.site.or_else(|| base.site.clone()),
        }
    }

    /// Returns the network model that is used where none is chosen: SimGrid's for its own sharing rules, else that of the
    /// defaults.
    pub fn default_network_model(&self) -> &'static str {
        if self.reproduces_simgrid() { "smpi" } else { self.defaults.unwrap_or_default().values().network_model }
    }

    /// Returns `true` if links are shared as in SimGrid, stale rates or rounding errors included.
    pub(super) fn reproduces_simgrid(&self) -> bool {
        [&self.compat, &self.sharing].into_iter().flatten().any(|choice| choice.starts_with("simgrid"))
    }
}
