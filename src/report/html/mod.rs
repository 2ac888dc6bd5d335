//! Comparisons as self-contained HTML files: no network, no fonts, and complete without the script of `view`.
//!
//! The page is a template of `templates/`; every kind of chart is a file that returns inline SVG. Charts are drawn here
//! instead of by a library because they have to be readable without colour, in light and dark mode and on paper, which
//! needs classes and patterns of the style sheet. Values in tables are `<data>` elements with the exact number; the
//! results are also included as the JSON of `--format json`.

mod bars;
mod calibrate;
mod curve_charts;
mod curves;
mod heat;
mod lanes;
mod offers;
pub mod packets;
mod parameters;
mod pareto;
mod parts;
mod price_list;
mod repetitions;
mod shared_tables;
mod split;
mod stability;
mod summary;
mod svg;
mod traffic;
mod view;

pub use calibrate::CalibrationPage;
pub use parameters::parameters;

use super::Reporter;
use super::cautions::cautions;
use super::findings;
use super::json::Json;
use super::label::short;
use super::number::{self, mops, percent, seconds};
use crate::markup::script_safe;
use crate::study::carried::SyntheticTraffic;
use crate::study::comparison::Comparison;
use crate::study::facts::NetworkFacts;
use crate::study::statistics::Statistic;
use crate::study::timeline::Timeline;
use minijinja::{Environment, Value, context};
use parts::{Exact, RESTS_ON_ALL, View, cables, exact};
use serde::Serialize;
use std::io::{self, Write};

/// Contents of the report.
#[derive(Debug)]
pub struct HtmlReport<'a> {
    /// Results of the study.
    pub comparison: &'a Comparison,
    /// Properties of each network, in their order.
    pub facts: Vec<NetworkFacts>,
    /// Parameters of each network, in words, from [`parameters()`].
    pub parameters: Vec<Vec<(&'static str, String)>>,
    /// Throughput of the networks under synthetic traffic, if the study requests it.
    pub carried: Vec<SyntheticTraffic>,
    /// Timeline of one cell.
    pub timeline: Option<Timeline>,
    /// Command that created the report, and the text of the study file.
    pub origin: Option<ReportOrigin>,
}

/// Information to reproduce a study.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReportOrigin {
    /// Command line.
    pub command: String,
    /// Text of the study file.
    pub study: String,
}

#[derive(Serialize)]
struct ShownNetwork<'a> {
    letter: String,
    /// Indices of its columns.
    columns: String,
    /// Attributes of the network's fill.
    fill: Value,
    name: String,
    topology: &'a str,
    baseline: bool,
    seed: Option<u64>,
    /// Seeds, if there are several.
    seeds: Option<String>,
    duplex: Option<&'a str>,
    routing: String,
    switches: Option<String>,
    hosts: String,
    cables: Option<String>,
    degree: Option<String>,
    diameter: Option<usize>,
    aspl: Option<Exact>,
    metres: Option<Exact>,
    dollars: Option<Exact>,
    watts: Option<Exact>,
    quoted: bool,
    quoted_watts: bool,
    sha256: Option<&'a str>,
    parameters: &'a [(&'static str, String)],
}

#[derive(Serialize)]
struct ResultRow<'a> {
    /// Index of the cell.
    at: usize,
    workload: &'a str,
    /// Number of rows of this workload, in the first of them; 0 in the others.
    span: usize,
    letter: String,
    network: &'a str,
    seconds: Exact,
    /// Half of the interval of an extrapolated time, in per cent.
    time_half_width: String,
    mops: Option<Exact>,
    relative: Exact,
    /// Half-width of the 95 % confidence interval, if there are repetitions.
    half_width: Option<Exact>,
    shares: [Exact; 4],
    hops: Option<Exact>,
    busiest: Option<&'a str>,
    load: Option<Exact>,
    full: Option<Exact>,
    critical: Option<String>,
}

impl HtmlReport<'_> {
    fn networks(&self) -> Vec<ShownNetwork<'_>> {
        let c = self.comparison;
        let row = |entry: super::legend::LegendEntry| {
            let n = entry.columns[0];
            network(c, &self.facts[n], &self.parameters[n], entry)
        };
        super::legend::entries(c).into_iter().map(row).collect()
    }

    fn rows(&self) -> Vec<ResultRow<'_>> {
        let c = self.comparison;
        let share = |s: f64| exact(s, percent);
        let row = |at: usize| {
            let cell = &c.cells[at];
            let e = &cell.explanation;
            let busiest = e.busiest_links.first();
            let s = &e.time_shares;
            ResultRow {
                at,
                workload: &c.workloads[cell.workload].name,
                span: if cell.network == 0 { c.networks.len() } else { 0 },
                letter: short(c, cell.network),
                network: &c.networks[cell.network].name,
                seconds: exact(cell.simulated_seconds, seconds),
                time_half_width: super::steady::percent_of_time(&cell.time),
                mops: cell.mops.map(|m| exact(m, mops)),
                relative: exact(cell.relative, |r| format!("{r:.3}")),
                half_width: cell.ratio.half_width.filter(|h| *h > 0.0).map(|h| exact(h, |h| format!("{h:.3}"))),
                shares: [share(s.compute), share(s.latency), share(s.bandwidth), share(s.waiting)],
                hops: e.average_hops.map(|h| exact(h, |h| format!("{h:.2}"))),
                busiest: busiest.map(|l| l.link.as_str()),
                load: busiest.map(|l| share(l.utilisation)),
                full: busiest.and_then(|l| l.saturated).map(share),
                critical: e.critical_path.as_ref().map(findings::critical_path),
            }
        };
        (0..c.cells.len()).map(row).collect()
    }

    /// Writes the file.
    ///
    /// # Errors
    /// If writing to `out` fails.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let c = self.comparison;
        let view = View { comparison: c, facts: &self.facts };
        let safe = Value::from_safe_string;
        let charts = |list: Vec<String>| list.into_iter().map(safe).collect::<Vec<Value>>();
        let mut environment = Environment::new();
        environment.set_trim_blocks(true);
        environment.set_lstrip_blocks(true);
        environment
            .add_template(
                "report.html",
                concat!(include_str!("templates/curves.html"), include_str!("templates/report.html")),
            )
            .and_then(|()| environment.add_template("view.html", include_str!("templates/view.html")))
            .map_err(|error| io::Error::other(format!("the templates of the report: {error}")))?;
        let template = environment.get_template("report.html").map_err(io::Error::other)?;
        let offers = offers::offers(&view);
        let data = view::data(&view);
        let controls = environment.get_template("view.html").map_err(io::Error::other)?;
        let controls = controls.render(context! { choices => data, offers => offers }).map_err(io::Error::other)?;
        let timeline = self.timeline.as_ref().map(|t| {
            let (workload, network) = (&c.workloads[t.workload], &c.networks[t.network]);
            let explanation = &c.cell(t.workload, t.network).explanation;
            lanes::draw((&t.lanes, &t.path), explanation, workload.ranks, &workload.name, &network.name)
        });
        let lanes = timeline.as_ref().map(|t| safe(t.svg.clone()));
        let equal: Vec<Value> = findings::equal_networks(c)
            .into_iter()
            .map(|f| {
                let letters: Vec<String> = f.networks.iter().map(|&n| short(c, n)).collect();
                context! { workload => c.workloads[f.workload].name, networks => letters.join(", "), reason => f.reason }
            })
            .collect();
        let performance = bars::performance(&view);
        let settings = super::across::settings(c);
        let view_json = script_safe(&serde_json::to_string(&data).map_err(io::Error::other)?);
        let any = |has: fn(&NetworkFacts) -> bool| self.facts.iter().any(has);
        let page = template
            .render(context! {
                title => c.title,
                style => safe(concat!(include_str!("templates/style.css"), include_str!("view/view.css")).to_owned()),
                definitions => safe(svg::definitions(c.of_settings().iter().map(Vec::len).max().unwrap_or(0))),
                policy => safe(view::policy()),
                script => safe(view::SCRIPT.to_owned()),
                view => safe(view_json),
                controls => safe(controls),
                rests_on_all => RESTS_ON_ALL,
                version => env!("CARGO_PKG_VERSION"),
                baseline => context! { letter => super::label::network(c, c.baseline), name => c.plain_names[c.baseline] },
                networks => self.networks(),
                platforms => findings::platforms(&c.networks, &super::label::all(c)),
                has => context! {
                    metres => any(|f| f.metres.is_some()),
                    dollars => any(|f| f.dollars.is_some()),
                    watts => any(|f| f.watts.is_some()),
                    full => c.cells.iter().any(|x| x.explanation.busiest_links.iter().any(|l| l.saturated.is_some())),
                    critical => c.cells.iter().any(|x| x.explanation.critical_path.is_some()),
                    mops => c.cells.iter().any(|x| x.mops.is_some()),
                    repetitions => c.has_repetitions(),
                    extrapolated => c.is_extrapolated(),
                    intervals => c.has_repetitions() || c.is_extrapolated(),
                    settings => c.has_settings(),
                    weights => c.has_weights(),
                    without_mops => c.cells.iter().any(|x| x.mops.is_none()),
                },
                replays => c.runs.len() * (1 + c.ranking.as_ref().map_or(0, |r| r.perturbation.samples.len())),
                currency => super::offers::sign(c),
                prices => offers.as_ref().map(|_| price_list::shown(c)),
                offers => offers,
                stability => stability::stability(c),
                repetitions => repetitions::rows(c),
                origin_of_intervals => super::steady::origin_of_intervals(c),
                precision => exact(c.model.timing_precision, |p| format!("{p:e} s")),
                workloads => c.workloads.iter().zip(&c.weights).map(|(w, weight)| context! {
                    name => w.name,
                    weight => weight,
                    title => w.title,
                    ranks => number::grouped(w.ranks as u64),
                    actions => number::grouped(w.actions),
                    operations => w.operations.map(|o| exact(o, |o| format!("{o:.4e}"))),
                    formula => w.formula,
                }).collect::<Vec<_>>(),
                summary => summary::summary(&view),
                tables => shared_tables::all(c),
                across => across(c),
                sensitivity => sensitivity(c),
                cautions => cautions(c),
                equal => equal,
                bars => performance.iter().enumerate().map(|(setting, chart)| context! {
                    setting => settings[setting],
                    wide => safe(bars::wide(chart)),
                    narrow => safe(bars::narrow(chart)),
                }).collect::<Vec<_>>(),
                legend => c.of_settings().first().into_iter().flatten().map(|&n| context! {
                    letter => super::label::network(c, n),
                    fill => safe(svg::network_fill(super::label::place(c, n).1)),
                    name => c.plain_names[n],
                    baseline => c.baselines[n] == n,
                }).collect::<Vec<_>>(),
                traffic => traffic::section(&view, &self.carried)?,
                packets => packets::of_study(c),
                split => charts(split::panels(&view)),
                pareto => charts(pareto::panels(&view)),
                heat => charts(heat::panels(&view)),
                heat_scale => safe(heat::scale(&view)),
                groups => crate::result::explain::PROFILE_GROUPS,
                timeline => timeline,
                lanes => lanes,
                rows => self.rows(),
                model => c.model,
                basis => super::basis::sentences(&c.model),
                mapping => c.mapping,
                notes => c.notes,
                origin => self.origin,
                json => safe(embedded_json(c)?),
            })
            .map_err(io::Error::other)?;
        out.write_all(page.as_bytes())
    }
}

fn network<'a>(
    c: &'a Comparison,
    f: &'a NetworkFacts,
    parameters: &'a [(&'static str, String)],
    entry: super::legend::LegendEntry,
) -> ShownNetwork<'a> {
    let n = entry.columns[0];
    let info = &c.networks[n];
    ShownNetwork {
        letter: entry.letters,
        columns: entry.columns.iter().map(usize::to_string).collect::<Vec<_>>().join(" "),
        fill: Value::from_safe_string(svg::network_fill(super::label::place(c, n).1)),
        name: entry.name,
        topology: &info.topology,
        baseline: n == c.baselines[n],
        seed: info.seed.filter(|_| c.seeds[n].len() < 2),
        seeds: (c.seeds[n].len() > 1)
            .then(|| c.seeds[n].iter().flatten().map(u64::to_string).collect::<Vec<_>>().join(", ")),
        duplex: info.duplex.as_deref(),
        routing: entry.routing,
        switches: f.switches.map(|s| number::grouped(s as u64)),
        hosts: number::grouped(info.hosts as u64),
        cables: f.cables.map(cables),
        degree: f.degrees.map(|(a, b)| if a == b { a.to_string() } else { format!("{a}–{b}") }),
        diameter: f.diameter,
        aspl: f.aspl.map(|a| exact(a, |a| format!("{a:.3}"))),
        metres: f.metres.map(|m| exact(m, |m| number::grouped(m.round() as u64))),
        dollars: f.dollars.map(|d| exact(d, |d| number::grouped(d.round() as u64))),
        watts: f.watts.map(|w| exact(w, |w| number::grouped(w.round() as u64))),
        quoted: c.costs[n].is_some_and(|cost| cost.quoted),
        quoted_watts: c.costs[n].is_some_and(|cost| cost.quoted_watts),
        sha256: f.edge_sha256.as_deref(),
        parameters,
    }
}

/// Returns a ratio for the template, with half of its interval if it follows from extrapolated times.
fn estimate(of: &Statistic) -> parts::Exact {
    exact(of.mean, |_| super::steady::ratio(of))
}

/// Returns the comparison across settings, for the template.
fn across(c: &Comparison) -> Option<Value> {
    let shown = super::across::shown(c)?;
    let row = |row: &super::across::NetworkRow| {
        let cell = |s: usize| {
            let money = row.per_money.as_ref().map(|values| estimate(&values[s]));
            context! { value => estimate(&row.values[s]), money => money, best => row.best == Some(s) }
        };
        context! { name => row.name, cells => (0..row.values.len()).map(cell).collect::<Vec<_>>() }
    };
    Some(context! {
        title => shown.title,
        settings => shown.settings,
        best => shown.rows.iter().any(|row| row.best.is_some()),
        money => shown.rows.iter().any(|row| row.per_money.is_some()),
        rows => shown.rows.iter().map(row).collect::<Vec<_>>(),
        sentences => shown.sentences,
    })
}

/// Returns the effects of changed assumptions on the networks, for the template.
fn sensitivity(c: &Comparison) -> Option<Value> {
    let shown = super::sensitivity::shown(c)?;
    let percent = super::sensitivity::percent;
    // Five strengths of a tone, up to 20 %.
    let tone =
        |moved: f64| format!("{}{}", if moved < 0.0 { "down" } else { "up" }, (moved.abs() * 25.0).round().min(5.0));
    let row = |row: &super::sensitivity::AssumptionRow| {
        let cell = |moved: &Option<Statistic>| {
            let value = moved.map(|moved| exact(moved.mean, |_| percent(Some(moved))));
            context! { value => value, tone => moved.map(|moved| tone(moved.mean)) }
        };
        context! {
            assumption => row.assumption,
            cells => row.moved.iter().map(cell).collect::<Vec<_>>(),
            baseline => estimate(&row.baseline),
            fastest => row.fastest,
            changes => row.changes,
            undecided => row.undecided,
        }
    };
    Some(context! {
        rule => super::sensitivity::RULE,
        letters => shown.networks.iter().map(|&n| short(c, n)).collect::<Vec<_>>(),
        baseline => short(c, c.baseline),
        stated => shown.stated.iter().map(estimate).collect::<Vec<_>>(),
        fastest => shown.fastest,
        rows => shown.rows.iter().map(row).collect::<Vec<_>>(),
        sentences => shown.sentences,
    })
}

/// Returns the results as JSON for a script element.
fn embedded_json(c: &Comparison) -> io::Result<String> {
    let mut json = Vec::new();
    Json.compare(c, &mut json)?;
    let json = String::from_utf8(json).map_err(io::Error::other)?;
    Ok(script_safe(&json))
}
