//! What papers print, beside what we find: closed forms, graphs, and whole studies. The pages in `docs/published` show
//! it.

mod figures;
mod formulas;
mod networks;
mod pages;
mod studies;
#[path = "../support/mod.rs"]
mod support;
mod topology;
