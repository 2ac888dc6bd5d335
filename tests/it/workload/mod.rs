//! Generated traces against recorded ones.

mod graph500;
mod recorded;
mod requests;
