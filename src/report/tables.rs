//! Tables on a whole study that text, Markdown and HTML share, in their order.

use super::captioned::CaptionedTable;
use super::{cross_check, failures, packet_curves, ranges, routings};
use crate::study::comparison::Comparison;

/// Returns all tables of a study, with those of packets, for formats without charts of them.
pub(super) fn with_packets(c: &Comparison) -> Vec<CaptionedTable> {
    all(c).into_iter().chain(packet_curves::shown(c)).collect()
}

/// Returns all tables of a study.
pub(super) fn all(c: &Comparison) -> Vec<CaptionedTable> {
    let tables = routings::shown(c).into_iter().chain(failures::shown(c));
    tables.chain(cross_check::shown(c)).chain(ranges::shown(c)).collect()
}
