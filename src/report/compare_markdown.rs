//! Comparisons as tables in Markdown.

use super::cautions::cautions;
use super::findings;
use super::label::{self, short};
use super::markdown_parts::{captioned, escape, heading, model, row};
use super::network_words::described;
use super::number::{mops, percent, seconds};
use super::{across, basis, offers, ranges, routings, sensitivity, steady, tables};
use crate::result::critical::CriticalPath;
use crate::study::comparison::Comparison;
use crate::study::statistics::Statistic;
use std::io::{self, Write};

/// Formats a ratio as `1.020`, or with repetitions as `1.020 ± 0.031`, with half of the 95 % confidence interval.
fn ratio(of: &Statistic) -> String {
    match of.half_width.filter(|half| *half > 0.0) {
        Some(half) => format!("{:.3} ± {half:.3}", of.mean),
        None => format!("{:.3}", of.mean),
    }
}

/// Writes the report.
pub(super) fn write(c: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "# {}\n", escape(&c.title))?;
    if c.has_settings() {
        writeln!(out, "Settings; A2 is network A in setting 2:\n")?;
        for (number, setting) in (1..).zip(across::settings(c)) {
            writeln!(out, "{number}. {}", escape(setting))?;
        }
        writeln!(out, "\nNetworks:\n")?;
    }
    for entry in super::legend::entries(c) {
        let n = entry.columns[0];
        let baseline = if c.baselines[n] == n { " (baseline)" } else { "" };
        let seeds = if c.seeds[n].len() > 1 {
            let seeds: Vec<String> = c.seeds[n].iter().flatten().map(u64::to_string).collect();
            format!(", seeds {}", seeds.join(" "))
        } else {
            String::new()
        };
        writeln!(
            out,
            "- **{}** {}{baseline}: {}{seeds}",
            entry.letters,
            escape(&entry.name),
            escape(&described(&c.networks[n], entry.routing))
        )?;
    }
    if c.has_settings() {
        writeln!(out, "\nPerformance relative to the baseline network in the same setting (larger is better):\n")?;
    } else {
        writeln!(out, "\nPerformance relative to {} (larger is better):\n", short(c, c.baseline))?;
    }
    let letters: Vec<String> = (0..c.networks.len()).map(|n| short(c, n)).collect();
    let columns: Vec<&str> = std::iter::once("workload").chain(letters.iter().map(String::as_str)).collect();
    heading(out, &columns, 1)?;
    let mut line = |name: String, value: &dyn Fn(usize) -> String| {
        row(out, &std::iter::once(name).chain((0..c.networks.len()).map(value)).collect::<Vec<_>>())
    };
    for (w, workload) in c.workloads.iter().enumerate() {
        line(escape(&workload.name), &|n| ratio(&c.cell(w, n).ratio))?;
    }
    line("*arithmetic mean*".into(), &|n| ratio(&c.arithmetic[n]))?;
    line("**geometric mean**".into(), &|n| ratio(&c.geometric[n]))?;
    if c.has_weights() {
        let weights: Vec<String> =
            c.workloads.iter().zip(&c.weights).map(|(w, weight)| format!("{} {weight}", escape(&w.name))).collect();
        writeln!(out, "\nWeights in the means: {}.", weights.join(", "))?;
    }
    if c.has_repetitions() {
        writeln!(
            out,
            "\nMeans over the repetitions; the number after ± is half of the 95 % confidence interval of the mean. Parts of the time \
             and loads are those of the first repetition."
        )?;
        if c.is_extrapolated() {
            writeln!(out, "\n{}", steady::origin_of_intervals(c))?;
        }
    }
    if c.is_extrapolated() && !c.has_repetitions() {
        writeln!(out, "\n{}", steady::INTERVALS)?;
    }
    writeln!(out)?;
    cells(c, out)?;
    for shown in tables::with_packets(c) {
        captioned(out, &shown)?;
    }
    super::markdown_parts::jobs(out, &super::jobs::of_comparison(c))?;
    across_settings(c, out)?;
    ranking(c, out)?;
    sensitivity_table(c, out)?;
    procurement(c, out)?;
    for remark in cautions(c) {
        writeln!(out, "\n{}", escape(&remark))?;
    }
    for f in findings::equal_networks(c) {
        let who: Vec<String> = f.networks.iter().map(|&n| short(c, n)).collect();
        let workload = escape(&c.workloads[f.workload].name);
        writeln!(out, "\n{workload}: {} equal within 1 %: {}.", who.join(", "), f.reason)?;
    }
    if let Some(remark) = routings::different_rules(c) {
        writeln!(out, "\n{}", escape(&remark))?;
    }
    if let Some(remark) = basis::unvaried(c) {
        writeln!(out, "\n{remark}")?;
    }
    for remark in findings::unknown_operations(c).into_iter().chain([findings::CHAOS.to_owned()]) {
        writeln!(out, "\n{}", escape(&remark))?;
    }
    model(out, &c.model, &c.mapping, (&c.networks, &label::all(c)), &c.notes)
}

/// Writes the times and their parts.
fn cells(c: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    let mut columns = vec!["workload", "on", "time", "Mop/s"];
    columns.extend(c.is_extrapolated().then_some("± %"));
    columns.extend([
        "compute",
        "latency",
        "bandwidth",
        "waiting",
        "hops",
        "busiest link",
        "its load",
        "full for",
        "critical path: compute",
        "latency",
        "bandwidth",
    ]);
    heading(out, &columns, 2)?;
    for cell in &c.cells {
        let e = &cell.explanation;
        let s = &e.time_shares;
        let busiest = e.busiest_links.first();
        let unknown = || "-".to_owned();
        let path = e.critical_path.as_ref().filter(|path| path.seconds() > 0.0);
        let of_path = |part: fn(&CriticalPath) -> f64| path.map_or_else(unknown, |p| percent(part(p) / p.seconds()));
        let mut cells = vec![
            escape(&c.workloads[cell.workload].name),
            short(c, cell.network),
            seconds(cell.simulated_seconds),
            cell.mops.map_or_else(|| "unknown".to_owned(), mops),
        ];
        cells.extend(c.is_extrapolated().then(|| steady::percent_of_time(&cell.time)));
        cells.extend([
            percent(s.compute),
            percent(s.latency),
            percent(s.bandwidth),
            percent(s.waiting),
            e.average_hops.map_or_else(unknown, |h| format!("{h:.2}")),
            busiest.map_or_else(unknown, |l| escape(&l.link)),
            busiest.map_or_else(unknown, |l| percent(l.utilisation)),
            busiest.and_then(|l| l.saturated).map_or_else(unknown, percent),
            of_path(|p| p.compute_seconds),
            of_path(|p| p.latency_seconds),
            of_path(|p| p.bandwidth_seconds),
        ]);
        row(out, &cells)?;
    }
    if c.is_extrapolated() {
        writeln!(out, "\n{}", steady::PERCENT_OF_TIME)?;
    }
    Ok(())
}

/// Writes the stability of the rankings.
fn ranking(c: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    let Some(stability) = &c.ranking else { return Ok(()) };
    let samples = stability.perturbation.samples.len();
    writeln!(
        out,
        "\nRanking stability: {}, {samples} samples, seed {}.\n",
        ranges::varied(&stability.perturbation),
        stability.perturbation.seed
    )?;
    heading(out, &["workload", "ranking, fastest first", "ranking holds", "first stays"], 2)?;
    for ranking in &stability.rankings {
        let name = ranking.workload.map_or_else(|| "**geometric mean**".to_owned(), |w| escape(&c.workloads[w].name));
        let of = |count: usize, open| format!("{count}{}", ranges::open(open));
        let holds = of(ranking.holds, ranking.undecided);
        row(out, &[name, ranges::order(c, ranking), holds, of(ranking.winner_holds, ranking.winner_undecided)])?;
    }
    if let Some(sentence) = ranges::of_open(stability) {
        writeln!(out, "\n{sentence}")?;
    }
    if let Some(sentence) = offers::all_are_ranked(c) {
        writeln!(out, "\n{sentence}")?;
    }
    Ok(())
}

/// Writes the table of every network in every setting.
fn across_settings(c: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    let Some(shown) = across::shown(c) else { return Ok(()) };
    writeln!(
        out,
        "\n{}{}.\n",
        escape(&shown.title),
        if shown.rows.iter().any(|row| row.per_money.is_some()) { "; in brackets, for the money" } else { "" }
    )?;
    let settings: Vec<String> = shown.settings.iter().map(|name| escape(name)).collect();
    let mut columns = vec!["network"];
    columns.extend(settings.iter().map(String::as_str));
    columns.extend(shown.rows.first().and_then(|row| row.best).map(|_| "best setting"));
    heading(out, &columns, 1)?;
    for line in &shown.rows {
        let value = |s: usize| match &line.per_money {
            Some(per_money) => format!("{} ({})", steady::ratio(&line.values[s]), steady::ratio(&per_money[s])),
            None => steady::ratio(&line.values[s]),
        };
        let mut cells = vec![escape(&line.name)];
        cells.extend((0..settings.len()).map(value));
        cells.extend(line.best.map(|best| settings[best].clone()));
        row(out, &cells)?;
    }
    shown.sentences.iter().try_for_each(|sentence| writeln!(out, "\n{}", escape(sentence)))
}

/// Writes the effects of changed assumptions on the networks.
fn sensitivity_table(c: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    let Some(shown) = sensitivity::shown(c) else { return Ok(()) };
    writeln!(out, "\nSensitivity{}. {}\n", if c.has_settings() { " (first setting)" } else { "" }, sensitivity::RULE)?;
    let letters: Vec<String> = shown.networks.iter().map(|&n| short(c, n)).collect();
    let baseline = format!("speed of {}", short(c, c.baseline));
    let mut columns = vec!["assumption"];
    columns.extend(letters.iter().map(String::as_str));
    columns.extend([baseline.as_str(), "fastest"]);
    heading(out, &columns, 1)?;
    let mut cells = vec!["as stated".to_owned()];
    cells.extend(shown.stated.iter().map(steady::ratio));
    cells.extend(["1.000".to_owned(), shown.fastest.clone()]);
    row(out, &cells)?;
    for line in &shown.rows {
        let mut cells = vec![escape(&line.assumption)];
        cells.extend(line.moved.iter().map(|&moved| sensitivity::percent(moved)));
        let fastest = if line.changes { format!("**{}**", line.fastest) } else { line.fastest.clone() };
        let fastest = if line.undecided { format!("{fastest} (?)") } else { fastest };
        cells.extend([steady::ratio(&line.baseline), fastest]);
        row(out, &cells)?;
    }
    shown.sentences.iter().try_for_each(|sentence| writeln!(out, "\n{}", escape(sentence)))
}

/// Writes the table of offers.
fn procurement(c: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    let Some(offers) = offers::offers(c, "-") else { return Ok(()) };
    writeln!(out, "\nPerformance (geometric mean) for the money, best first; budget: {}.\n", offers.budget)?;
    heading(out, &offers.headings.iter().map(String::as_str).collect::<Vec<_>>(), 1)?;
    offers.rows.iter().try_for_each(|offer| row(out, offer))?;
    writeln!(out, "\n{}", offers.remark)
}
