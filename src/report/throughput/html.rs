//! Throughput as a self-contained HTML file, with the style of the reports of studies.

use super::{ThroughputReport, ThroughputTables, svg};
use crate::markup::{escape_text as escape, script_safe};
use std::fmt::Write;
use std::io;

const STYLE: &str = include_str!("../html/templates/style.css");

/// Returns the page: drawing, tables, remarks, and the results also as JSON.
///
/// # Errors
/// If the results cannot be written as JSON.
pub fn page(report: &ThroughputReport) -> io::Result<String> {
    let shown = ThroughputTables::new(report);
    let title = escape(&report.title);
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"mopsim {}\">\n\
         <title>{title}</title>\n<style>\n{STYLE}\n.drawing svg {{ max-width: 100%; height: auto; }}\n</style>\n</head>\n\
         <body>\n<header>\n<p class=\"eyebrow\">Throughput under synthetic traffic, at flow level</p>\n<h1>{title}</h1>\n\
         </header>\n<main>\n",
        env!("CARGO_PKG_VERSION")
    );
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
    let json = script_safe(&serde_json::to_string(report).map_err(io::Error::other)?);
    let _ = write!(
        page,
        "</ul>\n</section>\n</main>\n<script type=\"application/json\" id=\"results\">{json}</script>\n</body>\n</html>\n"
    );
    Ok(page)
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
