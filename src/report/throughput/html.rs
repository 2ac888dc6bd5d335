//! Throughput as a self-contained HTML file, with the style of the reports of studies.

use super::{Grid, ThroughputReport, ThroughputTables, label, short, svg, without_seed};
use crate::markup::{escape_text as escape, script_safe};
use crate::report::findings::list;
use crate::throughput::load::SAME;
use crate::traffic;
use std::fmt::Write;
use std::io;

const STYLE: &str = include_str!("../html/templates/style.css");

/// Meaning of the quantities, which titles of tables only name.
const QUANTITIES: [(&str, &str); 4] = [
    (
        "saturation",
        "injection of every host at which the first link is full, as a share of the bandwidth of a link between switches",
    ),
    (
        "fair sharing",
        "what a host sends on average if all offer as much as their links carry, and flows share links max-min fairly",
    ),
    (
        "lowest bound",
        "least of the injections that no routing on this network can exceed: by its host links, by the lengths of paths, by cuts, \
         and with --bound over all paths",
    ),
    ("zero-load latency", "mean time of a packet that meets no other one"),
];

/// Returns the page: summary, drawing, tables, remarks, and the results also as JSON. `command` is the command line that
/// repeats it.
///
/// # Errors
/// If the results cannot be written as JSON.
pub fn page(report: &ThroughputReport, command: Option<&str>) -> io::Result<String> {
    let shown = ThroughputTables::new(report);
    let title = escape(&report.title);
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"mopsim {}\">\n\
         <title>{title}</title>\n<style>\n{STYLE}\n{}</style>\n</head>\n\
         <body>\n<header>\n<p class=\"eyebrow\">Throughput under synthetic traffic, at flow level</p>\n<h1>{title}</h1>\n\
         </header>\n<main>\n",
        env!("CARGO_PKG_VERSION"),
        drawing_style()
    );
    let answers = summary(report);
    if !answers.is_empty() {
        page.push_str("<section>\n<h2>Summary</h2>\n");
        for answer in &answers {
            let _ = writeln!(page, "<p class=\"verdict\">{}</p>", escape(answer));
        }
        page.push_str("</section>\n");
    }
    // Writing to memory succeeds.
    if !shown.legend.is_empty() {
        page.push_str("<section>\n<h2>Networks</h2>\n<ul>\n");
        for (letter, lines) in &shown.legend {
            let _ = writeln!(page, "<li><b>{letter}</b> {}</li>", escape(&lines.join(": ")));
        }
        page.push_str("</ul>\n</section>\n");
    }
    if !shown.facts.is_empty() {
        let rows = shown.facts.iter().map(|(name, value)| vec![(*name).to_owned(), value.clone()]).collect::<Vec<_>>();
        page.push_str("<section>\n<h2>Result</h2>\n");
        table(&mut page, &[], &rows);
        page.push_str("</section>\n");
    }
    let _ = writeln!(page, "<section class=\"drawing\">\n<h2>Drawing</h2>\n{}</section>", svg::draw(report));
    page.push_str("<section>\n<h2>Numbers</h2>\n");
    for shown in &shown.tables {
        let _ = writeln!(page, "<h3>{}</h3>", escape(&shown.title));
        table(&mut page, &shown.headings, &shown.rows);
    }
    page.push_str("</section>\n<section>\n<h2>Method</h2>\n<ul class=\"remarks\">\n");
    for note in &shown.notes {
        let _ = writeln!(page, "<li>{}.</li>", escape(note));
    }
    page.push_str("</ul>\n<dl class=\"facts\">\n");
    let _ = writeln!(page, "<dt>mopsim</dt><dd>{}</dd>", env!("CARGO_PKG_VERSION"));
    for (name, meaning) in
        QUANTITIES.map(|(name, meaning)| (name.to_owned(), meaning)).into_iter().chain(patterns(report))
    {
        let _ = writeln!(page, "<dt>{}</dt><dd>{}</dd>", escape(&name), escape(meaning));
    }
    page.push_str("</dl>\n");
    if let Some(command) = command {
        let _ = writeln!(page, "<h3>To repeat it</h3>\n<pre><code>{}</code></pre>", escape(command));
    }
    let json = script_safe(&serde_json::to_string(report).map_err(io::Error::other)?);
    let _ = write!(
        page,
        "</section>\n</main>\n<footer>\n<p>Made with mopsim {}. The same input gives the same page. The results are in this file once more, as \
         JSON (element <code>results</code>).</p>\n</footer>\n<script type=\"application/json\" id=\"results\">{json}</script>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION")
    );
    Ok(page)
}

/// Returns the style of the drawing: a file of its own is on white, while the page may be dark.
fn drawing_style() -> String {
    let mut style =
        ".drawing svg { max-width: 100%; height: auto; } .drawing svg > rect[width=\"100%\"] { fill: var(--paper); }\n\
                     .drawing line { stroke: var(--grid); } main li { overflow-wrap: anywhere; }\n"
            .to_owned();
    for (number, colour) in svg::COLOURS.iter().enumerate() {
        let _ = writeln!(
            style,
            ".drawing [fill=\"{colour}\"] {{ fill: var(--net{number}); }} .drawing [stroke=\"{colour}\"] {{ stroke: var(--net{number}); }}"
        );
    }
    style
}

/// Returns a sentence for each pattern: the networks with the highest saturation.
fn summary(report: &ThroughputReport) -> Vec<String> {
    let grid = Grid::new(report);
    let several = grid.contenders.len() > 1;
    let of_pattern = |(pattern, name): (usize, &&str)| {
        let cells = || (0..grid.contenders.len()).filter_map(|c| Some((c, grid.cell(c, pattern)?)));
        let most = cells().filter_map(|(_, cell)| cell.saturation).reduce(f64::max)?;
        let best: Vec<_> =
            cells().filter(|(_, cell)| cell.saturation.is_some_and(|own| own * (1.0 + SAME) >= most)).collect();
        let names: Vec<String> = best
            .iter()
            .map(
                |(contender, cell)| {
                    if several { format!("{} {}", short(*contender), cell.network) } else { cell.network.clone() }
                },
            )
            .collect();
        let bytes = best.first().and_then(|(_, cell)| cell.saturation_bytes_per_second)?;
        let verb = match best.len() {
            _ if !several => "saturates",
            1 => "carries most, and saturates",
            _ => "carry most, and saturate",
        };
        Some(format!(
            "Under {} traffic, {} {verb} at {most:.4} of a link, {:.3} Gbit/s per host.",
            label(&grid.patterns, name),
            list(&names),
            bytes * 8e-9
        ))
    };
    grid.patterns.iter().enumerate().filter_map(of_pattern).collect()
}

/// Returns the patterns of a report and their meaning, each once.
fn patterns(report: &ThroughputReport) -> Vec<(String, &'static str)> {
    let mut known: Vec<(String, &'static str)> = Vec::new();
    for cell in &report.cells {
        let name = without_seed(&cell.pattern).split(':').next().unwrap_or_default();
        if let Ok(kind) = traffic::find(name)
            && known.iter().all(|(other, _)| other != name)
        {
            known.push((name.to_owned(), kind.help));
        }
    }
    known
}

fn table(page: &mut String, headings: &[String], rows: &[Vec<String>]) {
    page.push_str("<div class=\"scroll\" tabindex=\"0\"><table>\n");
    let class = |column: usize| if column > 0 && !headings.is_empty() { " class=\"n\"" } else { "" };
    if !headings.is_empty() {
        page.push_str("<thead><tr>");
        for (column, heading) in headings.iter().enumerate() {
            let _ = write!(page, "<th scope=\"col\"{}>{}</th>", class(column), escape(heading));
        }
        page.push_str("</tr></thead>\n");
    }
    page.push_str("<tbody>\n");
    for row in rows {
        page.push_str("<tr>");
        for (column, cell) in row.iter().enumerate() {
            let _ = match column {
                0 => write!(page, "<th scope=\"row\">{}</th>", escape(cell)),
                _ => write!(page, "<td{}>{}</td>", class(column), escape(cell)),
            };
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody></table></div>\n");
}
