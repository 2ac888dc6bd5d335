//! A fitted model as a file for `--model FILE`.

use super::fit::{Fitted, rounded};
use std::fmt::Write;

/// First line of written files, which distinguishes them from other files.
pub const MARK: &str = "# Network model, written by mopsim calibrate";

impl Fitted {
    /// Returns the constants as TOML. `residuals` describes how well they reproduce the measurements.
    pub fn toml(&self, residuals: &str) -> String {
        let mut out = format!("{MARK} {}.\n", env!("CARGO_PKG_VERSION"));
        let mut line = |text: std::fmt::Arguments<'_>| {
            out.write_fmt(text).and_then(|()| out.write_char('\n')).expect("writing to memory succeeds");
        };
        line(format_args!("#"));
        line(format_args!(
            "# Measured over links of {:e} B/s, {:e} s of latency in all.",
            self.bandwidth, self.route_latency
        ));
        for text in &self.open {
            line(format_args!("# Not determined: {text}."));
        }
        line(format_args!(""));
        line(format_args!("network_model = \"ideal\""));
        let text = format!("{}; {residuals}", self.used.join(", "));
        line(format_args!("calibration = {}", toml::Value::String(text)));
        line(format_args!("message_latency = \"{}\"", self.latency_text()));
        line(format_args!("bandwidth_factor = \"0:{}\"", self.factor()));
        if let Some(bound) = self.bound_text() {
            line(format_args!("rate_bound = \"{bound}\""));
        }
        line(format_args!("cap_factors = true"));
        if let Some(overhead) = self.overhead_text() {
            line(format_args!("send_overhead = \"{overhead}\""));
            line(format_args!("isend_overhead = \"{overhead}\""));
        }
        match self.crosstraffic {
            Some(share) if share > 0.0 => line(format_args!("crosstraffic = {}", rounded(share))),
            _ => line(format_args!("crosstraffic = false")),
        }
        if let Some(limit) = self.rendezvous {
            line(format_args!("detached_below = {}", u64::from(limit.eager_up_to) + 1));
            line(format_args!("rendezvous_trips = {}", limit.trips));
        }
        line(format_args!("delivery = \"in-order\""));
        out
    }
}
