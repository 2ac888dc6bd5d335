//! Comparisons of packets with flows, for all formats.

use super::captioned::CaptionedTable;
use super::findings::list;
use super::label::short;
use super::named::Named;
use super::number::{brief_seconds, percent, seconds};
use super::steady;
use crate::result::explain::Blocking;
use crate::study::comparison::Comparison;
use crate::study::cross_check::{self, CrossCheck, CrossCheckCell, Flip, OpenPair};
use crate::study::plan::Setting;
use serde::Serialize;

/// Number of order changes that are named individually.
const NAMED: usize = 3;
/// Number of messages of a size class below which its ratio is not significant.
const FEW: u64 = 100;
/// Number of size classes that are named.
const SIZES: usize = 2;

/// Returns the comparison of packets with flows as text and table, for each pair of settings.
pub(super) fn shown(c: &Comparison) -> Vec<CaptionedTable> {
    cross_check::of(c).iter().flat_map(|check| [of(c, check), differences(c, check)]).collect()
}

/// Returns for each pair of settings a sentence on whether the order of the networks is the same.
pub(super) fn summary(c: &Comparison) -> Vec<String> {
    cross_check::of(c).iter().map(|check| verdict(c, check)).collect()
}

fn verdict(c: &Comparison, check: &CrossCheck) -> String {
    let [flows, packets] = &check.models;
    let range = check.range().map_or_else(String::new, |(least, most)| {
        format!("; times with packets are {least:.2} to {most:.2} times those with flows")
    });
    let place = place(c, check);
    let overall: Vec<&Flip> = check.flips.iter().filter(|flip| flip.workload.is_none()).collect();
    let of_workloads = check.flips.len() - overall.len();
    let modelled = check.networks.iter().filter(|network| network.packets.is_some()).count();
    if modelled < 2 {
        return format!(
            "Packets ({packets}) against flows ({flows}){place}: fewer than two networks are modelled by both."
        );
    }
    let some = |flips: &[&Flip]| {
        let named: Vec<String> = flips.iter().take(NAMED).map(|flip| in_words(c, check, flip)).collect();
        let rest = flips.len().saturating_sub(NAMED);
        if rest > 0 { format!("{}; {rest} more", named.join("; ")) } else { named.join("; ") }
    };
    let of_single: String = match of_workloads {
        0 => "overall and on every workload".into(),
        1 => "one pair changes places on a single workload".into(),
        more => format!("{more} pairs change places on single workloads"),
    };
    match overall.is_empty() {
        true => format!(
            "The ranking of the networks holds to within 1 % with packets ({packets} against {flows}{place}), {of_single}{range}."
        ),
        false => format!(
            "The ranking of the networks does not hold with packets ({packets} against {flows}{place}): {}{range}.",
            some(&overall)
        ),
    }
}

fn place(c: &Comparison, check: &CrossCheck) -> String {
    let of: [fn(&Setting) -> Option<&str>; 4] = [
        |setting| setting.platform.as_deref(),
        |setting| setting.routing.as_deref(),
        |setting| Some(&setting.mapping),
        |setting| Some(&setting.collectives),
    ];
    let differs =
        |of: &fn(&Setting) -> Option<&str>| c.settings.iter().any(|setting| of(setting) != of(&c.settings[0]));
    let parts = of.into_iter().filter(differs).filter_map(|of| of(&check.setting)).map(str::to_owned);
    let sample = check.sample.as_ref().map(|sample| iterations(sample.iterations));
    parts.chain(sample).map(|part| format!(", {part}")).collect()
}

fn iterations(number: usize) -> String {
    if number == 1 { "first iteration".into() } else { format!("first {number} iterations") }
}

/// Returns sentences on the iterations of a check, and on their difference from whole runs.
fn represented(c: &Comparison, check: &CrossCheck) -> Vec<String> {
    let Some(sample) = &check.sample else { return Vec::new() };
    let workloads = || c.workloads.iter().zip(&sample.of);
    let parts: Vec<String> = workloads().filter_map(|(w, of)| Some(format!("{} of {}", w.name, (*of)?))).collect();
    let whole: Vec<String> = workloads().filter(|(_, of)| of.is_none()).map(|(w, _)| w.name.clone()).collect();
    let mut sentences = Vec::new();
    if !parts.is_empty() {
        let times = "times, ratios and relative performance are those of these iterations";
        let iterations = iterations(sample.iterations);
        sentences.push(format!("Only the {iterations} ran, with flows too ({}): {times}.", parts.join(", ")));
    }
    if !whole.is_empty() {
        sentences.push(format!("Whole runs, because no more iterations are found in them: {}.", list(&whole)));
    }
    let apart = |cell: &CrossCheckCell| {
        Some((cell.relative[0].mean / cell.whole?.mean).ln().abs()).filter(|apart| apart.is_finite())
    };
    let of_parts = check.cells.iter().filter(|cell| sample.of[cell.workload].is_some());
    let most = of_parts.filter_map(|cell| Some((apart(cell)?, cell))).max_by(|a, b| a.0.total_cmp(&b.0));
    if let Some((_, cell)) = most {
        sentences.push(format!(
            "How well they represent whole runs: the relative performance with flows differs most for {} on {}, {:.3} against \
             {} in the whole run.",
            c.workloads[cell.workload].name,
            name(c, check, cell.network),
            cell.relative[0].mean,
            cell.whole.map_or_else(String::new, |whole| steady::ratio(&whole))
        ));
    }
    sentences
}

fn name(c: &Comparison, check: &CrossCheck, network: usize) -> String {
    c.plain_names[check.networks[network].flows].clone()
}

fn in_words(c: &Comparison, check: &CrossCheck, flip: &Flip) -> String {
    format!(
        "{} is {:.2} times as fast as {} with flows, {:.2} times with packets",
        name(c, check, flip.ahead),
        flip.lead[0],
        name(c, check, flip.behind),
        flip.lead[1]
    )
}

fn of(c: &Comparison, check: &CrossCheck) -> CaptionedTable {
    let [flows, packets] = &check.models;
    let headings = ["workload", "network", "flows", "packets", "ratio", "relative, flows", "relative, packets"];
    let mut rows = Vec::new();
    for w in 0..c.workloads.len() {
        for (number, network) in check.networks.iter().enumerate() {
            let first =
                [if number == 0 { c.workloads[w].name.clone() } else { String::new() }, short(c, network.flows)];
            let cell = check.cells.iter().find(|cell| (cell.workload, cell.network) == (w, number));
            let values = match cell {
                Some(cell) => [
                    seconds(cell.seconds[0].mean),
                    seconds(cell.seconds[1].mean),
                    steady::ratio(&cell.ratio()),
                    steady::ratio(&cell.relative[0]),
                    steady::ratio(&cell.relative[1]),
                ],
                None => {
                    let whole = check.sample.as_ref().is_none_or(|sample| sample.of[w].is_none());
                    let flows = c.cell(w, network.flows).simulated_seconds;
                    let time = if whole { seconds(flows) } else { String::new() };
                    [time, "not modelled".into(), String::new(), String::new(), String::new()]
                }
            };
            rows.push(first.into_iter().chain(values).collect());
        }
    }
    let mut sentences = vec![verdict(c, check)];
    sentences.extend(represented(c, check));
    let single: Vec<String> = check
        .flips
        .iter()
        .filter_map(|flip| Some(format!("{}: {}", c.workloads[flip.workload?].name, in_words(c, check, flip))))
        .take(NAMED)
        .collect();
    if !single.is_empty() {
        sentences.push(format!("On single workloads: {}.", single.join("; ")));
    }
    let open = |open: &OpenPair| {
        let [a, b] = open.networks.map(|network| name(c, check, network));
        let workload = open.workload.map_or("geometric mean", |w| &c.workloads[w].name);
        format!("{workload}: {a} and {b}")
    };
    if !check.open.is_empty() {
        sentences.push(format!(
            "Whether these pairs change places is not certain, because intervals overlap: {}.",
            check.open.iter().map(open).collect::<Vec<_>>().join("; ")
        ));
    }
    let missing: Vec<String> = (0..check.networks.len())
        .filter(|&network| check.networks[network].packets.is_none())
        .map(|network| name(c, check, network))
        .collect();
    if !missing.is_empty() {
        sentences.push(format!("Not modelled by packets: {}.", list(&missing)));
    }
    sentences.extend(steady::of_intervals(c).map(str::to_owned));
    CaptionedTable {
        title: format!("Packets ({packets}) against flows ({flows}){}", place(c, check)),
        sentences,
        headings: headings.map(str::to_owned).to_vec(),
        rows,
    }
}

/// Returns the largest differences between the two models, by cables and sizes of messages.
fn differences(c: &Comparison, check: &CrossCheck) -> CaptionedTable {
    let [flows, packets] = &check.models;
    let headings = ["workload", "network", "cable: busy with flows, packets", "messages: time with packets over flows"];
    let row = |cell: &CrossCheckCell| {
        let first = cell.network == 0;
        let workload = if first { c.workloads[cell.workload].name.clone() } else { String::new() };
        vec![workload, short(c, check.networks[cell.network].flows), cable(cell), sizes(cell)]
    };
    let rule = "Cables are those that are among the ten busiest with both, and of these the one whose busy time differs most. \
                Messages are those that ranks waited for, from start to arrival; of sizes with 100 messages or more, the two \
                that differ most.";
    CaptionedTable {
        title: format!("Where packets ({packets}) and flows ({flows}) differ most{}", place(c, check)),
        sentences: vec![rule.to_owned()],
        headings: headings.map(str::to_owned).to_vec(),
        rows: check.cells.iter().map(row).collect(),
    }
}

/// Returns the cable whose busy time differs most: seconds with flows and with packets.
fn cable(cell: &CrossCheckCell) -> String {
    match cell.cables.first() {
        Some((link, [flows, packets])) => format!("{link}: {}, {}", brief_seconds(*flows), brief_seconds(*packets)),
        None => "—".into(),
    }
}

/// Returns the classes of sizes whose mean times differ most, among those with enough messages.
fn sizes(cell: &CrossCheckCell) -> String {
    let mut classes: Vec<(u64, f64)> = cell
        .sizes
        .iter()
        .filter(|class| class.messages.iter().all(|&count| count >= FEW) && class.seconds[0] > 0.0)
        .map(|class| (class.up_to, class.seconds[1] / class.seconds[0]))
        .collect();
    classes.sort_by(|a, b| b.1.ln().abs().total_cmp(&a.1.ln().abs()).then(a.0.cmp(&b.0)));
    let named: Vec<String> =
        classes.iter().take(SIZES).map(|(up_to, ratio)| format!("{} {ratio:.2}", bytes(*up_to))).collect();
    if named.is_empty() { "—".into() } else { named.join(", ") }
}

/// Formats the sizes of a class: `2-4 KiB`.
fn bytes(up_to: u64) -> String {
    let unit = |bytes: u64| match bytes {
        0..1024 => format!("{bytes} B"),
        1024..0x10_0000 => format!("{} KiB", bytes >> 10),
        _ => format!("{} MiB", bytes >> 20),
    };
    match up_to {
        0 => "0 B".into(),
        _ => format!("to {}", unit(up_to)),
    }
}

/// Comparison of packets with flows for JSON.
#[derive(Serialize)]
pub(super) struct JsonCrossCheck {
    models: [String; 2],
    /// `true` if the order of the networks by the geometric mean is the same with both models.
    order_holds: bool,
    verdict: String,
    flips: Vec<JsonFlip>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    undecided: Vec<JsonOpenPair>,
    cells: Vec<JsonCell>,
    not_modelled: Vec<String>,
    /// Number of leading iterations that were replayed; null for whole runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    iterations: Option<usize>,
    /// Number of all iterations of each workload; null if its whole run was replayed.
    #[serde(skip_serializing_if = "Option::is_none")]
    of_iterations: Option<Vec<Option<usize>>>,
}

#[derive(Serialize)]
struct JsonFlip {
    workload: Option<String>,
    ahead: String,
    behind: String,
    /// Speedup of the first network over the second, with flows and with packets.
    lead: [f64; 2],
}

/// Two networks of which intervals of extrapolated times leave open whether their order differs.
#[derive(Serialize)]
struct JsonOpenPair {
    workload: Option<String>,
    networks: [String; 2],
}

#[derive(Serialize)]
struct JsonCell {
    workload: String,
    #[serde(flatten)]
    named: Named<String>,
    /// Simulated seconds with flows and with packets.
    simulated_seconds: [f64; 2],
    ratio: f64,
    /// Ends of the 95 % interval of the ratio, if times are extrapolated.
    #[serde(skip_serializing_if = "Option::is_none")]
    ratio_interval: Option<[f64; 2]>,
    relative: [f64; 2],
    /// Ends of the 95 % intervals of the relative performance, if times are extrapolated.
    #[serde(skip_serializing_if = "Option::is_none")]
    relative_intervals: Option<[[f64; 2]; 2]>,
    /// Relative performance of the whole run with flows, if only some iterations were replayed.
    #[serde(skip_serializing_if = "Option::is_none")]
    relative_of_whole_run: Option<f64>,
    /// Ends of its 95 % interval, if times are extrapolated.
    #[serde(skip_serializing_if = "Option::is_none")]
    relative_of_whole_run_interval: Option<[f64; 2]>,
    cables: Vec<JsonCable>,
    awaited_sizes: Vec<JsonSize>,
}

#[derive(Serialize)]
struct JsonCable {
    link: String,
    busy_seconds: [f64; 2],
}

#[derive(Serialize)]
struct JsonSize {
    up_to_bytes: u64,
    messages: [u64; 2],
    mean_seconds: [f64; 2],
}

/// Returns the pairs of settings for JSON.
pub(super) fn json(c: &Comparison) -> Vec<JsonCrossCheck> {
    let one = |check: CrossCheck| JsonCrossCheck {
        order_holds: check.order_holds(),
        verdict: verdict(c, &check),
        flips: check
            .flips
            .iter()
            .map(|flip| JsonFlip {
                workload: flip.workload.map(|w| c.workloads[w].name.clone()),
                ahead: name(c, &check, flip.ahead),
                behind: name(c, &check, flip.behind),
                lead: flip.lead,
            })
            .collect(),
        undecided: check
            .open
            .iter()
            .map(|open| JsonOpenPair {
                workload: open.workload.map(|w| c.workloads[w].name.clone()),
                networks: open.networks.map(|network| name(c, &check, network)),
            })
            .collect(),
        cells: check
            .cells
            .iter()
            .map(|cell| JsonCell {
                workload: c.workloads[cell.workload].name.clone(),
                named: name(c, &check, cell.network).into(),
                simulated_seconds: cell.seconds.map(|of| of.mean),
                ratio: cell.ratio().mean,
                ratio_interval: cell.ratio().interval(),
                relative: cell.relative.map(|of| of.mean),
                relative_intervals: cell
                    .relative
                    .iter()
                    .any(|of| of.extrapolated > 0.0)
                    .then(|| cell.relative.map(|of| of.ends())),
                relative_of_whole_run: cell.whole.map(|whole| whole.mean),
                relative_of_whole_run_interval: cell.whole.and_then(|whole| whole.interval()),
                cables: cell
                    .cables
                    .iter()
                    .map(|(link, busy_seconds)| JsonCable { link: link.clone(), busy_seconds: *busy_seconds })
                    .collect(),
                awaited_sizes: cell
                    .sizes
                    .iter()
                    .map(|class| JsonSize {
                        up_to_bytes: class.up_to,
                        messages: class.messages,
                        mean_seconds: class.seconds,
                    })
                    .collect(),
            })
            .collect(),
        not_modelled: (0..check.networks.len())
            .filter(|&network| check.networks[network].packets.is_none())
            .map(|network| name(c, &check, network))
            .collect(),
        iterations: check.sample.as_ref().map(|sample| sample.iterations),
        of_iterations: check.sample.as_ref().map(|sample| sample.of.clone()),
        models: check.models.clone(),
    };
    cross_check::of(c).into_iter().map(one).collect()
}

/// Returns a sentence on head-of-line blocking: its total, and the pair of links with the largest part.
pub(super) fn of_blocking(blocking: &Blocking) -> String {
    let Some(worst) = blocking.worst.first() else {
        return "no packet waited in its channel behind one for another link".into();
    };
    format!(
        "{} packets waited in their channel behind one for another link, {} in all; most of it packets for {} behind those for \
         {}, {}",
        super::number::grouped(blocking.packets),
        seconds(blocking.seconds),
        worst.wanted,
        worst.behind,
        seconds(worst.seconds)
    )
}

/// Returns a sentence on the packets of a replay.
pub(super) fn of_packets(counts: &crate::network::PacketCounts) -> String {
    let late = match counts.packets {
        0 => 0.0,
        packets => counts.out_of_order as f64 / packets as f64,
    };
    format!(
        "{} packets, {} through switches and host links; {} of them behind a later packet of their message",
        super::number::grouped(counts.packets),
        super::number::grouped(counts.hops),
        percent(late)
    )
}
