//! Platforms against routes of other programs.

mod reference;
mod simgrid;
mod smpirun;
