//! Printed figures of papers compared with our results: closed forms, graphs, and whole studies. The pages in
//! `docs/published` show the comparison.

mod design_search;
mod emulated;
mod errors;
mod failures;
mod figures;
mod flits;
mod formulas;
mod long_runs;
mod networks;
#[path = "../support/no_config.rs"]
mod no_config;
mod packets;
mod pages;
mod planes;
mod procurement;
#[path = "../support/reference.rs"]
mod reference;
mod studies;
mod topology;
mod validation;
