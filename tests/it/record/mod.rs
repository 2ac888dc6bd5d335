//! Recordings of real MPI programs.

mod messages;
mod threads;
