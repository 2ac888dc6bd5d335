//! Tables on a whole study that text, Markdown and HTML share, in their order.

use super::routings::Shown;
use super::{cross_check, failures, ranges, routings};
use crate::study::comparison::Comparison;

/// Returns all tables of a study.
pub(super) fn all(c: &Comparison) -> Vec<Shown> {
    let tables = routings::shown(c).into_iter().chain(failures::shown(c));
    tables.chain(cross_check::shown(c)).chain(ranges::shown(c)).collect()
}
