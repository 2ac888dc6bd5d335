//! The packet model: against BookSim 2, identities over all families, and as its users see it.

mod booksim;
mod cli;
mod deflection;
mod dsnf;
mod engines;
mod fair;
mod identities;
mod page;
mod ports;
mod rails;
mod replay;
mod results;
mod study;
mod study_results;
mod widened;
