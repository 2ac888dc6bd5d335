//! Choices of a site beneath those of the command line and of files.

use super::choice::ModelChoice;

/// Returns the choices with those of the site where nothing else sets them, and names the latter. A model of the site is
/// taken as a whole: its constants belong to no other model.
pub(super) fn over_site(own: &ModelChoice, site: &ModelChoice) -> (ModelChoice, Vec<&'static str>) {
    let mut from_site = Vec::new();
    let mut choice = ModelChoice { site: None, ..own.clone() };
    if choice.collectives.is_none() && site.collectives.is_some() {
        choice.collectives.clone_from(&site.collectives);
        from_site.push("collectives");
    }
    // SimGrid's rules come with SimGrid's model.
    if choice.network_model.is_none() && site.network_model.is_some() && !choice.reproduces_simgrid() {
        choice = choice.over(&ModelChoice { collectives: None, ..site.clone() });
        from_site.push("model");
    }
    (choice, from_site)
}
