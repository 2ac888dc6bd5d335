//! Defaults of a site in reports: what a result took from a config file or the environment, and from where.
//!
//! They are added to a report that is written already, by one rule for each format, so that no report can leave them out.

use super::markdown_parts::escape;
use crate::markup::escape_text;
use std::io;

/// A value that a result took from a config file or from the environment.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct SiteDefault {
    /// Key of the config file, e.g. `link_bandwidth`.
    pub key: &'static str,
    /// Value as written.
    pub value: String,
    /// Name of the variable or of the file.
    pub source: String,
}

/// Name of the member of JSON documents and of the column of CSV.
const NAME: &str = "site_defaults";

/// Returns the defaults in one line, those of a source together.
fn line(defaults: &[SiteDefault]) -> String {
    let mut sources: Vec<&str> = Vec::new();
    for default in defaults {
        if !sources.contains(&default.source.as_str()) {
            sources.push(&default.source);
        }
    }
    let of_source = |source: &str| {
        let own = defaults.iter().filter(|default| default.source == source);
        let own: Vec<String> = own.map(|default| format!("{} {}", default.key, default.value)).collect();
        format!("{} (from {source})", own.join(", "))
    };
    sources.into_iter().map(of_source).collect::<Vec<_>>().join("; ")
}

/// Adds the defaults to the end of a text.
pub(super) fn text(mut report: Vec<u8>, defaults: &[SiteDefault]) -> Vec<u8> {
    report.extend_from_slice(super::wrap::broken(&format!("Site defaults: {}.", line(defaults)), 0, 7).as_bytes());
    report.push(b'\n');
    report
}

/// Adds the defaults to the end of a Markdown document.
pub(super) fn markdown(mut report: Vec<u8>, defaults: &[SiteDefault]) -> Vec<u8> {
    let all = defaults.iter().map(|d| format!("- `{}`: {} (from {})\n", d.key, escape(&d.value), escape(&d.source)));
    report.extend_from_slice(format!("\nSite defaults:\n\n{}", all.collect::<String>()).as_bytes());
    report
}

/// Adds the defaults to a JSON document as its last member.
pub(super) fn json(mut report: Vec<u8>, defaults: &[SiteDefault]) -> Vec<u8> {
    let end = report.iter().rposition(|byte| *byte == b'}').expect("a document is an object");
    let body = report[..end].iter().rposition(|byte| !byte.is_ascii_whitespace()).map_or(0, |last| last + 1);
    let list = serde_json::to_string_pretty(defaults).expect("texts are JSON").replace('\n', "\n  ");
    report.truncate(body);
    report.extend_from_slice(format!(",\n  \"{NAME}\": {list}\n}}\n").as_bytes());
    report
}

/// Adds the defaults to CSV as its last column, the same in each row.
///
/// # Errors
/// If the report is no CSV.
pub(super) fn csv(report: &[u8], defaults: &[SiteDefault]) -> io::Result<Vec<u8>> {
    let all = line(defaults);
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(report);
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    for (row, record) in reader.byte_records().enumerate() {
        let mut record = record?;
        record.push_field(if row == 0 { NAME.as_bytes() } else { all.as_bytes() });
        writer.write_byte_record(&record)?;
    }
    writer.into_inner().map_err(|error| io::Error::other(error.to_string()))
}

/// Adds the defaults to the end of the main part of an HTML page.
pub fn html(page: &str, defaults: &[SiteDefault]) -> String {
    if defaults.is_empty() {
        return page.to_owned();
    }
    let all = defaults.iter().map(|d| {
        format!("<li><code>{}</code>: {} (from {})</li>", d.key, escape_text(&d.value), escape_text(&d.source))
    });
    let section = format!(
        "<section id=\"site-defaults\">\n<h2>Site defaults</h2>\n<p>Values that neither the command line nor a file of the \
         study sets:</p>\n<ul>\n{}\n</ul>\n</section>\n",
        all.collect::<Vec<_>>().join("\n")
    );
    match page.rfind("</main>") {
        Some(end) => format!("{}{section}{}", &page[..end], &page[end..]),
        None => format!("{page}{section}"),
    }
}
