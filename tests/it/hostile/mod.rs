//! A hostile or unlucky world: damaged and crafted input, full disks, files in the way.

mod faults;
mod memory;
mod outputs;
mod results_files;
mod secrets;
mod text;
