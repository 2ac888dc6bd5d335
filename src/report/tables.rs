//! Tables about a whole study that text, Markdown and HTML show alike, in their order.

use super::routings::Shown;
use super::{cross_check, failures, ranges, routings};
use crate::study::comparison::Comparison;

/// All tables that a study has.
pub(super) fn all(c: &Comparison) -> Vec<Shown> {
    let tables = routings::shown(c).into_iter().chain(failures::shown(c));
    tables.chain(cross_check::shown(c)).chain(ranges::shown(c)).collect()
}
