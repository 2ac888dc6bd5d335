//! Notes below the tables of packet simulations.

use super::number::{counted, grouped};
use crate::packets::outline::Outline;
use crate::packets::parameters::{HostPort, Parameters};
use crate::packets::series::Series;
use crate::packets::source::Process;

/// Returns remarks, each with the names of what it is on; `None` if it is on all of `of` things.
pub(super) fn remarks(all: impl Iterator<Item = (String, String)>, of: usize) -> Vec<(String, Option<String>)> {
    let mut remarks: Vec<(String, Vec<String>)> = Vec::new();
    for (name, remark) in all {
        match remarks.iter_mut().find(|(known, _)| *known == remark) {
            Some((_, names)) if names.contains(&name) => {}
            Some((_, names)) => names.push(name),
            None => remarks.push((remark, vec![name])),
        }
    }
    let on = |names: Vec<String>| (names.len() < of).then(|| names.join(", "));
    remarks.into_iter().map(|(remark, names)| (remark, on(names))).collect()
}

/// Explains the short headings of the tables.
pub(super) fn headings_in_words(seeds: usize, all: &[Series]) -> Vec<String> {
    let port = match all.iter().any(|series| series.ports > 1) {
        true => "flits per host port and cycle (relative values: flits per host and cycle)",
        false => "flits per host and cycle",
    };
    let mut notes = vec![format!(
        "Loads are {port}, latencies cycles from creation to the arrival of the tail; in the first table \
         at the lowest load. carried: saturation, the highest load that is carried, searched to 1 %; at 1.0: accepted at an offered load of \
         1; rel.: relative to the first network. A run is saturated, and has no latency, if less than 0.97 of the load is accepted and \
         chance does not explain it, if hosts fall further and further behind, or if packet delays keep growing; its hops are those of the \
         packets that arrive, which have shorter paths. What is carried may exceed what all hosts can send in the long run by 3 %, and by more in short runs of few hosts."
    )];
    if seeds > 1 {
        notes.push(
            "+-: half of the 95 % confidence interval over seeds (Student's t); carried and at 1.0 are those of the first seed. Random \
             networks and patterns are drawn once, so the interval does not cover them."
                .into(),
        );
    }
    notes
}

/// States the flits and cycles of switches and links.
pub(super) fn switches_in_words(p: &Parameters) -> String {
    format!(
        "Flits per packet {}, per VC buffer {}; speed-up {}; cycles for routing {}, VC allocation {}, switch allocation {}, \
         crossing {}, link {}, host link {}, credit {}.",
        p.packet,
        p.vc_buffer,
        p.speedup,
        p.routing_delay,
        p.vc_delay,
        p.switch_delay,
        p.crossing_delay,
        p.link_delay,
        p.host_delay,
        p.credit_delay
    )
}

/// States what is not as by default, if anything is.
pub(super) fn special_in_words(
    p: &Parameters,
    process: Process,
    by_packets: bool,
    allow_deadlock: bool,
) -> Option<String> {
    let special = [
        (process == Process::Periodic, "packets created periodically"),
        (by_packets, "the engine of whole packets"),
        (p.hold_switch, "switches held for a packet"),
        (p.wait_for_tail_credit, "channels reassigned only once they are empty"),
        (p.count_routed, "routed flits counted"),
        (p.host_port == HostPort::Shared, "one port for the hosts of a switch"),
        (allow_deadlock, "rules that can deadlock allowed"),
    ];
    let special: Vec<&str> = special.into_iter().filter_map(|(is_set, what)| is_set.then_some(what)).collect();
    (!special.is_empty()).then(|| format!("Not the default: {}.", special.join(", ")))
}

/// States the switching of all series, by their names if it differs.
pub(super) fn switching_in_words(all: &[Series], names: &[String]) -> Option<String> {
    let of = |(own, series): (&String, &Series)| {
        let name = series.switching.map_or("without buffers", |switching| switching.name());
        (own.clone(), name.to_owned())
    };
    let groups = remarks(names.iter().zip(all).map(of), all.len());
    let in_words = |(name, on): (String, Option<String>)| match on {
        Some(names) => format!("{name} on {names}"),
        None => name,
    };
    let groups: Vec<String> = groups.into_iter().map(in_words).collect();
    (!groups.is_empty()).then(|| format!("Switching: {}.", groups.join("; ")))
}

/// Measured packets of a run below which means and saturation depend much on chance.
const FEW: f64 = 1000.0;

/// Returns a note if runs measure few packets.
pub(super) fn few_packets(sweep: &Outline, all: &[Series]) -> Option<String> {
    // A longer run of a saturated network measures no more.
    let measured = all.iter().flat_map(|series| &series.points).filter(|point| point.load > 0.0 && !point.saturated);
    let least = measured.map(|point| point.packets).min().filter(|&packets| (packets as f64) < FEW);
    let flits = f64::from(sweep.parameters.packet);
    let searched = all.iter().filter_map(|series| Some(series.saturation? * f64::from(series.hosts * series.ports)));
    let at_saturation = searched.map(|load| load * f64::from(sweep.measure) / flits).reduce(f64::min);
    match (least, at_saturation.filter(|&packets| packets < FEW)) {
        (_, Some(packets)) => Some(format!(
            "Runs measure about {packets:.0} packets at saturation, so what is carried is less exact than 1 %; raise --measure, and compare seeds."
        )),
        (Some(packets), None) => Some(format!(
            "At the lowest load, a run measures {}: means depend on chance; raise --measure.",
            counted(packets, "packet")
        )),
        (None, None) => None,
    }
}

/// Load of a cable from which it is busy all the time.
const FULL: f64 = 0.999;

/// Returns the lowest load that counts as carried although a cable is busy all the time.
pub(super) fn full_from(series: &Series) -> Option<f64> {
    let carried = series.points.iter().filter(|point| !point.saturated && point.cable_load_max >= FULL);
    carried.map(|point| point.load).reduce(f64::min)
}

/// Returns a note if hosts fall behind a full cable at a load that counts as carried, which is a mean over all hosts.
pub(super) fn full_cables(all: &[Series], names: &[String]) -> Option<String> {
    let full = names.iter().zip(all).filter_map(|(name, series)| Some((name, full_from(series)?)));
    let full: Vec<String> = full.map(|(name, load)| format!("{name} from a load of {load:.3} on")).collect();
    (!full.is_empty()).then(|| {
        format!(
            "A cable is busy all the time, although the load counts as carried, on {}: the mean of all hosts hides those that wait for that \
             cable and fall behind. `mopsim throughput` computes the load at which the first cable is full.",
            full.join(", ")
        )
    })
}

/// If neither a cable nor a host reaches this load, something else limits a saturated network.
const FREE: f64 = 0.95;

/// Returns a note on networks that saturate while no cable and no host is near its limit.
pub(super) fn free_cables(p: &Parameters, all: &[Series], names: &[String]) -> Option<String> {
    let most = |series: &Series| {
        let saturated = || series.points.iter().filter(|point| point.saturated);
        let cable = saturated().map(|point| point.cable_load_max).reduce(f64::max)?;
        let host = saturated().map(|point| point.accepted_most).fold(0.0, f64::max);
        (series.switching.is_some() && cable.max(host) < FREE).then_some(cable)
    };
    let free = names.iter().zip(all).filter_map(|(name, series)| Some((name, most(series)?, series)));
    let free: Vec<(&String, f64, &Series)> = free.collect();
    if free.is_empty() {
        return None;
    }
    let listed: Vec<String> = free.iter().map(|(name, cable, _)| format!("{name} ({cable:.2})")).collect();
    let round_trip = p.round_trip();
    // The channels of a cable together hold fewer flits than are on their way until a credit is back.
    let short = |(_, _, series): &&(&String, f64, &Series)| series.vcs.saturating_mul(p.vc_buffer) < round_trip;
    let advice = match free.iter().filter(short).map(|(_, _, series)| round_trip.div_ceil(series.vcs.max(1))).max() {
        Some(flits) => format!(
            "A credit returns {round_trip} cycles after its flit has left, and the buffers of a cable hold fewer flits: --vc-buffer {flits} \
             or more would carry more."
        ),
        None => "Virtual channels, buffers and the switch limit these networks; --speedup 2, longer packets (--packet), and more \
                 channels for each hop may carry more."
            .to_owned(),
    };
    Some(format!("Saturated runs with no full cable (load of the busiest): {}. {advice}", listed.join(", ")))
}

/// Returns a note if networks differ in their hosts.
pub(super) fn unequal_hosts(all: &[Series]) -> Option<String> {
    let hosts = || all.iter().map(|series| series.hosts);
    let (least, most) = (hosts().min()?, hosts().max()?);
    (least < most).then(|| {
        let (least, most) = (grouped(least.into()), grouped(most.into()));
        format!("Networks have {least} to {most} hosts; loads, and what is relative, are those of one host.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packets::parameters::Switching;
    use crate::packets::run::Outcome;

    #[test]
    fn hosts_behind_a_full_cable_are_named() {
        let point = |load, saturated, cable_load_max| Outcome { load, saturated, cable_load_max, ..Outcome::default() };
        let series = |points| Series { points, ..Series::default() };
        let free = series(vec![point(0.1, false, 0.6), point(0.2, true, 1.0)]);
        let held = series(vec![point(0.1, false, 0.9), point(0.15, false, 1.0), point(0.2, true, 1.0)]);
        let names = ["1", "2"].map(str::to_owned);
        assert_eq!(full_cables(std::slice::from_ref(&free), &names), None);
        assert!(full_cables(&[free, held], &names).unwrap().contains("on 2 from a load of 0.150 on:"));
    }
    #[test]
    fn what_saturates_without_a_full_cable_is_named() {
        let point = |cable_load_max, accepted_most| Outcome {
            saturated: true,
            cable_load_max,
            accepted_most,
            ..Outcome::default()
        };
        let series = |hosts, point| Series {
            hosts,
            vcs: 4,
            points: vec![point],
            switching: Some(Switching::Wormhole),
            ..Series::default()
        };
        let all = [series(64, point(0.667, 0.66)), series(16, point(1.0, 0.66)), series(16, point(0.5, 1.0))];
        let p = Parameters::default();
        let names = ["1", "2", "3"].map(str::to_owned);
        let note = free_cables(&p, &all, &names).unwrap();
        assert!(note.contains("(load of the busiest): 1 (0.67).") && note.contains("--speedup 2"), "{note}");
        assert_eq!(free_cables(&p, &all[1..], &names), None);
        // 80 cycles on the cable and back, and those of the switch.
        let far = Parameters { link_delay: 40, ..p };
        let note = free_cables(&far, &all, &names).unwrap();
        assert!(note.contains(&format!("--vc-buffer {} or more", far.round_trip().div_ceil(4))), "{note}");
        assert!(unequal_hosts(&all).unwrap().starts_with("Networks have 16 to 64 hosts;"));
        assert_eq!(unequal_hosts(&all[1..]), None);
    }
}
