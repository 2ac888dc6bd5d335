//! Recognition of files that this program has written: only these are replaced without a request.
//!
//! HTML, SVG and timelines name their generator, JSON its schema. CSV has no place for that, and is recognised by its
//! headings.

use super::csv::TRACE;
use super::throughput::csv::HEADINGS as THROUGHPUT_HEADINGS;
use super::trace_matrix::HEADINGS as MATRIX_HEADINGS;
use crate::calibrate::{HOST_MARK, MARK};
use crate::markup::GENERATOR;

/// Beginning of every HTML page: the generator, without the version.
const HTML: &str = "<meta name=\"generator\" content=\"mopsim ";

/// Text at the beginning of every timeline.
pub(super) const TIMELINE: &str = "\"otherData\":{\"generator\":\"mopsim\"}";

/// Beginnings of the schemas of results files.
const RESULTS: [&str; 2] = ["mopsim.results/", "mopsim.packet-results/"];

/// Number of bytes of a file that are examined.
pub const HEAD: usize = 1 << 14;

/// Kind of a report. A report replaces only one of its kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReportKind {
    /// Page.
    Html,
    /// Drawing.
    Svg,
    /// JSON, also that of a timeline.
    Json,
    /// Table.
    Csv,
    /// File of a model or a host.
    Toml,
}

/// Returns the kind of a file that begins with these bytes, of which there are up to [`HEAD`], if it is a report of this
/// program.
pub fn kind(head: &[u8]) -> Option<ReportKind> {
    let text = String::from_utf8_lossy(head);
    let text = text.trim_start();
    let line = text.lines().next().unwrap_or_default();
    if text.starts_with("<!DOCTYPE html>") {
        return text.contains(HTML).then_some(ReportKind::Html);
    }
    if text.starts_with('{') {
        let begin: String = text.chars().take(200).filter(|c| !c.is_whitespace()).collect();
        // Results files took long to make, and are continued, not replaced.
        let is_results = RESULTS.iter().any(|schema| begin.starts_with(&format!("{{\"schema\":\"{schema}")));
        let is_ours = (begin.starts_with("{\"schema\":\"mopsim.") && !is_results) || line.contains(TIMELINE);
        return is_ours.then_some(ReportKind::Json);
    }
    if text.starts_with("<svg") {
        return line.contains(GENERATOR).then_some(ReportKind::Svg);
    }
    if line.starts_with(MARK) || line.starts_with(HOST_MARK) {
        return Some(ReportKind::Toml);
    }
    // Files of earlier versions have fewer columns.
    let is_matrix =
        line.strip_prefix(MATRIX_HEADINGS).is_some_and(|more| more.is_empty() || more.strip_prefix(',') == Some(TRACE));
    let is_table = is_matrix
        || line.starts_with(THROUGHPUT_HEADINGS)
        || line.starts_with(super::csv::COMPARE_HEADINGS)
        || line.starts_with(super::packets::HEADINGS);
    is_table.then_some(ReportKind::Csv)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_wrote_is_not_ours() {
        for text in [
            "",
            "precious",
            "<!DOCTYPE html>\n<title>mopsim</title>",
            "{\"schema\": \"other\"}",
            "{\"schema\":\"mopsim.results/2\",\"title\":\"x\"}",
            "{\"schema\":\"mopsim.packet-results/1\"}",
            "<svg/>",
            "a,b\n1,2\n",
        ] {
            assert_eq!(kind(text.as_bytes()), None, "{text}");
        }
        assert_eq!(kind(b"{\n  \"schema\": \"mopsim.compare/1\"\n}"), Some(ReportKind::Json));
        assert_eq!(kind(b"{\n  \"schema\": \"mopsim.packets/2\"\n}"), Some(ReportKind::Json));
        // Of this version and of earlier ones.
        for text in ["from,to,messages,bytes\n", "from,to,messages,bytes,trace\n0,1,1,8,t\n"] {
            assert_eq!(kind(text.as_bytes()), Some(ReportKind::Csv), "{text}");
        }
        assert_eq!(kind(b"from,to,messages,bytes_per_second\n"), None);
        assert_eq!(kind(format!("{THROUGHPUT_HEADINGS},saturation\n").as_bytes()), Some(ReportKind::Csv));
    }
}
