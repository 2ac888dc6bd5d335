//! Recordings of real MPI programs.

mod hostile;
mod messages;
mod threads;
