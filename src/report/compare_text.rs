//! Comparisons as text in 80 columns.

use super::cautions::cautions;
use super::findings;
use super::label::{self, short};
use super::network_words::described;
use super::number::{mops, percent, seconds};
use super::text::parts::{captioned, fitting, grid, model, notes, row, table, wrapped};
use super::wrap::width;
use super::{across, basis, offers, ranges, routings, sensitivity, steady, tables};
use crate::study::comparison::Comparison;
use crate::study::statistics::Statistic;
use comfy_table::{ColumnConstraint, Table};
use std::io::{self, Write};

/// Number of networks per table of ratios: with names of at most 20 characters they fill the width.
const COLUMNS: usize = 7;

/// Number of settings per table across settings.
const SETTINGS: usize = 4;

/// Keeps each cell on one line. A number broken over two lines would be read as two, so the table may exceed the page
/// instead.
fn unbroken(table: &mut Table) {
    table.column_iter_mut().for_each(|column| {
        column.set_constraint(ColumnConstraint::ContentWidth);
    });
}

fn ratio(ratio: f64) -> String {
    format!("{ratio:.3}")
}

/// Returns the relative performance of some networks, workload by workload, with its means.
fn ratios<'c>(c: &'c Comparison, networks: &[usize]) -> Table {
    let letters: Vec<String> = networks.iter().map(|&n| short(c, n)).collect();
    let heading: Vec<&str> = std::iter::once("workload").chain(letters.iter().map(String::as_str)).collect();
    let mut table = table(&heading);
    let mut line = |name: &str, value: &dyn Fn(usize) -> &'c Statistic| {
        let values = networks.iter().map(|&n| steady::ratio_in(c, value(n)));
        row(&mut table, &std::iter::once(name.to_owned()).chain(values).collect::<Vec<_>>());
    };
    for (w, workload) in c.workloads.iter().enumerate() {
        line(&workload.name, &|n| &c.cell(w, n).ratio);
    }
    line("arithmetic mean", &|n| &c.arithmetic[n]);
    line("geometric mean", &|n| &c.geometric[n]);
    table
}

/// Number of settings above which their comparison precedes the tables of each.
const MANY_SETTINGS: usize = 8;

/// Writes the report.
pub(super) fn write(c: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}\n", c.title)?;
    if c.has_settings() {
        writeln!(out, "Settings; A2 is network A in setting 2")?;
        for (number, setting) in (1..).zip(across::settings(c)) {
            fitting(out, &format!("  {number}  {setting}"), "     ")?;
        }
        writeln!(out, "\nNetworks")?;
    }
    for entry in super::legend::entries(c) {
        let n = entry.columns[0];
        let baseline = if c.baselines[n] == n { "   <- baseline" } else { "" };
        fitting(out, &format!("  {}  {}{baseline}", entry.letters, entry.name), "     ")?;
        fitting(out, &format!("     {}", described(&c.networks[n], entry.routing)), "     ")?;
        if c.seeds[n].len() > 1 {
            let seeds: Vec<String> = c.seeds[n].iter().flatten().map(u64::to_string).collect();
            fitting(out, &format!("     {} repetitions, seeds {}", seeds.len(), seeds.join(" ")), "     ")?;
        }
    }
    // Findings from several tables precede them.
    let is_long = c.of_settings().len() > MANY_SETTINGS;
    if is_long {
        writeln!(out)?;
        across_settings(c, out)?;
    }
    if c.has_settings() {
        writeln!(
            out,
            "\nPerformance relative to the baseline network in the same setting (baseline\ntime / time here: larger is better)"
        )?;
    } else {
        writeln!(
            out,
            "\nPerformance relative to {} (baseline time / time here: larger is better)",
            short(c, c.baseline)
        )?;
    }
    // A table never mixes settings.
    for setting in c.of_settings() {
        for some in setting.chunks(if c.is_extrapolated() { COLUMNS / 2 } else { COLUMNS }) {
            writeln!(out, "{}", ratios(c, some))?;
        }
    }
    if c.has_weights() {
        let weights: Vec<String> =
            c.workloads.iter().zip(&c.weights).map(|(w, weight)| format!("{} {weight}", w.name)).collect();
        wrapped(out, &format!("Weights in the means: {}.", weights.join(", ")), "")?;
    }
    writeln!(
        out,
        "\nSimulated time and Mop/s{}",
        if c.has_repetitions() { " (means over the repetitions)" } else { "" }
    )?;
    let mut columns = vec!["workload", "network", "time", "Mop/s"];
    columns.extend(c.is_extrapolated().then_some("± %"));
    columns.push("relative");
    let mut absolute = table(&columns);
    for cell in &c.cells {
        let name = if cell.network == 0 { c.workloads[cell.workload].name.clone() } else { String::new() };
        let mut cells = vec![
            name,
            short(c, cell.network),
            seconds(cell.simulated_seconds),
            cell.mops.map_or_else(|| "unknown".to_owned(), mops),
        ];
        cells.extend(c.is_extrapolated().then(|| steady::percent_of_time(&cell.time)));
        cells.push(steady::ratio_in(c, &cell.ratio));
        row(&mut absolute, &cells);
    }
    writeln!(out, "{absolute}")?;
    if c.is_extrapolated() {
        wrapped(out, steady::PERCENT_OF_TIME, "")?;
    }
    writeln!(out)?;
    explanations(c, out)?;
    if c.has_repetitions() {
        repetitions(c, out)?;
    }
    for shown in tables::with_packets(c) {
        captioned(out, &shown)?;
        shown.sentences.iter().try_for_each(|sentence| wrapped(out, sentence, ""))?;
        writeln!(out)?;
    }
    let jobs = super::jobs::of_comparison(c);
    super::text::parts::jobs(out, &jobs)?;
    if !jobs.is_empty() {
        writeln!(out)?;
    }
    if !is_long {
        across_settings(c, out)?;
    }
    ranking(c, out)?;
    sensitivity_table(c, out)?;
    procurement(c, out)?;
    for remark in cautions(c) {
        wrapped(out, &remark, "")?;
    }
    for finding in findings::equal_networks(c) {
        let who: Vec<String> = finding.networks.iter().map(|&n| short(c, n)).collect();
        let workload = &c.workloads[finding.workload].name;
        wrapped(out, &format!("{workload}: {} equal within 1 %: {}.", who.join(", "), finding.reason), "  ")?;
    }
    for remark in findings::unknown_operations(c) {
        wrapped(out, &remark, "")?;
    }
    if let Some(remark) = routings::different_rules(c) {
        wrapped(out, &remark, "")?;
    }
    if let Some(remark) = basis::unvaried(c) {
        wrapped(out, &remark, "")?;
    }
    model(out, &c.model, &c.mapping, (&c.networks, &label::all(c)))?;
    wrapped(out, findings::CHAOS, "")?;
    notes(out, &c.notes)
}

/// Writes the parts of the times, and the busiest links.
fn explanations(c: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    let first = if c.has_repetitions() { " (of the first repetition)" } else { "" };
    writeln!(out, "Where the time goes, in per cent{first}")?;
    let critical = c.cells.iter().any(|cell| cell.explanation.critical_path.is_some());
    let mut heading = vec!["workload", "", "C/L/B/W"];
    heading.extend(critical.then_some("path"));
    heading.extend(["hops", "busiest", "load"]);
    heading.extend(critical.then_some("full"));
    let mut table = table(&heading);
    let whole = |share: f64| format!("{:.0}", 100.0 * share);
    let joined = |shares: &[f64]| shares.iter().map(|&share| whole(share)).collect::<Vec<_>>().join("/");
    for cell in &c.cells {
        let name = if cell.network == 0 { c.workloads[cell.workload].name.clone() } else { String::new() };
        let e = &cell.explanation;
        let s = &e.time_shares;
        let busiest = e.busiest_links.first();
        let mut cells = vec![name, short(c, cell.network), joined(&[s.compute, s.latency, s.bandwidth, s.waiting])];
        if critical {
            let path = e.critical_path.as_ref().filter(|path| path.seconds() > 0.0);
            cells.push(path.map_or_else(String::new, |path| {
                joined(
                    &[path.compute_seconds, path.latency_seconds, path.bandwidth_seconds].map(|t| t / path.seconds()),
                )
            }));
        }
        cells.push(e.average_hops.map_or_else(String::new, |hops| format!("{hops:.2}")));
        cells.push(busiest.map_or_else(String::new, |link| link.link.clone()));
        cells.push(busiest.map_or_else(String::new, |link| whole(link.utilisation)));
        if critical {
            cells.push(busiest.and_then(|link| link.saturated).map_or_else(String::new, whole));
        }
        row(&mut table, &cells);
    }
    writeln!(out, "{table}")?;
    let text = if critical {
        "C/L/B/W: what the ranks do on average: they compute, wait for the latency of messages, for their bandwidth, or for \
         partners. Path: the same without waiting along the critical path. Hops: links that a message takes. Load: bytes of \
         the busiest link over what it could carry; full: share of the run in which messages used its whole capacity."
    } else {
        "C/L/B/W: what the ranks do on average: they compute, wait for the latency of messages, for their bandwidth, or for \
         partners. Hops: links that a message takes. Load: bytes of the busiest link over what it could carry."
    };
    wrapped(out, text, "")?;
    writeln!(out)
}

/// Writes the spread of repetitions.
fn repetitions(c: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "Repetitions: mean, standard deviation s, 95 % confidence interval of the mean")?;
    let mut spread = table(&["workload", "", "n", "time", "s", "relative", "s", "interval"]);
    let columns = |time: Option<&Statistic>, of: &Statistic| {
        let deviation = |t: &Statistic| t.standard_deviation.filter(|_| t.mean > 0.0).map(|s| percent(s / t.mean));
        [
            time.map_or_else(String::new, |t| seconds(t.mean)),
            time.and_then(deviation).unwrap_or_default(),
            ratio(of.mean),
            of.standard_deviation.map_or_else(String::new, |s| format!("{s:.3}")),
            of.interval().map_or_else(String::new, |[low, high]| format!("{low:.3}..{high:.3}")),
        ]
    };
    let mut line = |name: &str, n: usize, count: usize, columns: [String; 5]| {
        let name = if n == 0 { name.to_owned() } else { String::new() };
        let cells: Vec<String> = [name, short(c, n), count.to_string()].into_iter().chain(columns).collect();
        row(&mut spread, &cells);
    };
    for cell in &c.cells {
        let name = &c.workloads[cell.workload].name;
        line(name, cell.network, cell.time.count, columns(Some(&cell.time), &cell.ratio));
    }
    for (name, means) in [("arithmetic mean", &c.arithmetic), ("geometric mean", &c.geometric)] {
        for (n, mean) in means.iter().enumerate() {
            line(name, n, mean.count, columns(None, mean));
        }
    }
    writeln!(out, "{spread}")?;
    let text = "Repetition by repetition the time of the baseline with the same seed is divided by the time here; where \
                only one of the two is repeated, its repetitions go with the single run of the other.";
    wrapped(out, &format!("{text} {}", steady::origin_of_intervals(c)), "")?;
    writeln!(out)
}

/// Writes the stability of the rankings.
fn ranking(c: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    let Some(stability) = &c.ranking else { return Ok(()) };
    let samples = stability.perturbation.samples.len();
    wrapped(out, &format!("Ranking stability: {}", ranges::varied(&stability.perturbation)), "")?;
    let mut holds = table(&["workload", "ranking, fastest first", "ranking holds", "first stays"]);
    for ranking in &stability.rankings {
        let name = ranking.workload.map_or("geometric mean", |w| &c.workloads[w].name);
        let of = |count: usize, open| format!("{count} of {samples}{}", ranges::open(open));
        row(
            &mut holds,
            &[
                name.to_owned(),
                ranges::order(c, ranking),
                of(ranking.holds, ranking.undecided),
                of(ranking.winner_holds, ranking.winner_undecided),
            ],
        );
    }
    writeln!(out, "{holds}")?;
    let text = format!(
        "{samples} samples of a Latin hypercube, seed {}; each varies all networks in the same way.",
        stability.perturbation.seed
    );
    wrapped(out, &text, "")?;
    ranges::of_open(stability).map_or(Ok(()), |sentence| wrapped(out, sentence, ""))?;
    offers::all_are_ranked(c).map_or(Ok(()), |sentence| wrapped(out, sentence, ""))?;
    writeln!(out)
}

/// Writes the table of every network in every setting.
fn across_settings(c: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    let Some(shown) = across::shown(c) else { return Ok(()) };
    wrapped(out, &shown.title, "")?;
    let settings: Vec<usize> = (0..shown.settings.len()).collect();
    for some in settings.chunks(if c.is_extrapolated() { SETTINGS / 2 } else { SETTINGS }) {
        let mut heading = vec!["network"];
        heading.extend(some.iter().map(|&s| shown.settings[s].as_str()));
        let last = some.last() == settings.last();
        let best = |line: &across::NetworkRow| line.best.filter(|_| last).map(|best| shown.settings[best].clone());
        heading.extend(shown.rows.first().and_then(best).map(|_| "best setting"));
        let mut listed = table(&heading);
        for line in &shown.rows {
            let mut cells = vec![line.name.clone()];
            cells.extend(some.iter().map(|&s| steady::ratio(&line.values[s])));
            cells.extend(best(line));
            row(&mut listed, &cells);
            if let Some(per_money) = &line.per_money {
                let mut cells = vec!["  for the money".to_owned()];
                cells.extend(some.iter().map(|&s| steady::ratio(&per_money[s])));
                row(&mut listed, &cells);
            }
        }
        writeln!(out, "{listed}")?;
    }
    shown.sentences.iter().try_for_each(|sentence| wrapped(out, sentence, ""))?;
    writeln!(out)
}

/// Writes the effects of changed assumptions on the networks.
fn sensitivity_table(c: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    let Some(shown) = sensitivity::shown(c) else { return Ok(()) };
    writeln!(out, "Sensitivity{}", if c.has_settings() { " (first setting)" } else { "" })?;
    // Number of networks per table: the assumptions, the baseline's speed and the fastest network take a part of the
    // width, and each network takes one column.
    let names = shown.rows.iter().map(|line| line.assumption.len()).max().unwrap_or(0);
    let (others, column) = if c.is_extrapolated() { (33, 16) } else { (27, 10) };
    let networks = width().saturating_sub(names + others) / column;
    for some in shown.networks.chunks(networks.max(if c.is_extrapolated() { 1 } else { 2 })) {
        let letters: Vec<String> = some.iter().map(|&n| short(c, n)).collect();
        let mut heading = vec!["assumption"];
        heading.extend(letters.iter().map(String::as_str));
        let baseline = format!("speed of {}", short(c, c.baseline));
        heading.extend([baseline.as_str(), "fastest"]);
        let mut listed = table(&heading);
        let mut cells = vec!["as stated".to_owned()];
        cells.extend(some.iter().map(|&n| steady::ratio(&shown.stated[n])));
        cells.extend([ratio(1.0), shown.fastest.clone()]);
        row(&mut listed, &cells);
        for line in &shown.rows {
            let mut cells = vec![line.assumption.clone()];
            cells.extend(some.iter().map(|&n| sensitivity::percent(line.moved[n])));
            let changes = match (line.changes, line.undecided) {
                (true, true) => " (!?)",
                (false, true) => " (?)",
                (true, false) => " (!)",
                (false, false) => "",
            };
            cells.extend([steady::ratio(&line.baseline), format!("{}{changes}", line.fastest)]);
            row(&mut listed, &cells);
        }
        unbroken(&mut listed);
        writeln!(out, "{listed}")?;
    }
    wrapped(out, sensitivity::RULE, "")?;
    shown.sentences.iter().try_for_each(|sentence| wrapped(out, sentence, ""))?;
    writeln!(out)
}

/// Writes the table of offers.
fn procurement(c: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    let Some(offers) = offers::offers(c, "") else { return Ok(()) };
    writeln!(out, "Performance for the money (geometric mean), best first")?;
    fitting(out, &format!("Budget: {}.", offers.budget), "")?;
    grid(out, &offers.headings.iter().map(String::as_str).collect::<Vec<_>>(), &offers.rows)?;
    wrapped(out, &offers.remark, "")?;
    writeln!(out)
}
