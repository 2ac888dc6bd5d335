//! Choices that have no counterpart in the packet model.

use super::choice::ModelChoice;
use super::choice_error::ChoiceError;

/// Refuses choices that have no counterpart in the packet model.
///
/// # Errors
/// [`ChoiceError`] names the first of them.
pub(super) fn refuse_factors(choice: &ModelChoice) -> Result<(), ChoiceError> {
    // Factors of a platform file count as well.
    let resolved = choice.config.as_ref().map(|config| config.under(choice));
    let choice = resolved.as_ref().unwrap_or(choice);
    let stands_for = |what: &str| format!("is not possible with the model packet: {what}");
    let protocol = "it stands for protocols and headers, which packets show themselves; leave it out";
    let shares = "packets share links by turns; leave it out";
    let text = |value: &Option<String>| value.clone();
    let number = |value: Option<f64>| value.map(|value| value.to_string());
    let given = [
        ("bandwidth-factor", text(&choice.bandwidth_factor), protocol),
        ("rate-bound", text(&choice.rate_bound), protocol),
        ("latency-factor", text(&choice.latency_factor), protocol),
        ("cap-factors", choice.cap_factors.map(|on| on.to_string()), protocol),
        ("message-latency", choice.message_latency.as_ref().map(ToString::to_string), protocol),
        ("packet-payload", choice.packet_payload.map(|bytes| bytes.to_string()), "it has an mtu; set that in packet"),
        (
            "packet-overhead",
            choice.packet_overhead.map(|bytes| bytes.to_string()),
            "it has a header; set that in packet",
        ),
        ("envelope", choice.envelope.map(|bytes| bytes.to_string()), "it has a header; set that in packet"),
        ("delivery", text(&choice.delivery), "each packet takes its own way; leave it out"),
        ("weight-s", number(choice.weight_s), shares),
        ("tcp-gamma", number(choice.tcp_gamma), "a window of packets is set in packet; leave it out"),
        ("crosstraffic", choice.crosstraffic.map(|traffic| traffic.to_string()), "acknowledgements are not modelled"),
        ("sharing", text(&choice.sharing).filter(|name| name != "exact"), shares),
        ("compat", text(&choice.compat), shares),
    ];
    match given.into_iter().find_map(|(option, value, why)| Some((option, value?, why))) {
        Some((option, value, why)) => Err(ChoiceError::wrong(option, value, stands_for(why))),
        None => Ok(()),
    }
}

/// Returns the choices without those that [`refuse_factors`] refuses.
pub(super) fn without_factors(choice: &ModelChoice) -> ModelChoice {
    ModelChoice {
        bandwidth_factor: None,
        latency_factor: None,
        rate_bound: None,
        cap_factors: None,
        message_latency: None,
        packet_payload: None,
        packet_overhead: None,
        envelope: None,
        delivery: None,
        weight_s: None,
        tcp_gamma: None,
        crosstraffic: None,
        sharing: None,
        compat: None,
        loggops: None,
        config: choice.config.as_ref().map(|config| Box::new(config.without_factors())),
        ..choice.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_refused_is_left_out() {
        let each = [
            "bandwidth_factor = '0:1'",
            "latency_factor = '0:1'",
            "rate_bound = '0:1'",
            "cap_factors = true",
            "message_latency = '1 us'",
            "packet_payload = 1448",
            "packet_overhead = 66",
            "delivery = 'in-order'",
            "weight_s = 1.0",
            "tcp_gamma = 1.0",
            "crosstraffic = true",
            "sharing = 'simgrid-full'",
            "compat = 'simgrid'",
        ];
        for line in each {
            let choice: ModelChoice = toml::from_str(line).expect(line);
            assert!(refuse_factors(&choice).is_err(), "{line}");
            assert_eq!(without_factors(&choice), ModelChoice::default(), "{line}");
        }
    }
}
