//! Saturation, bounds and fair rates against closed forms and slow solvers.

mod bounds;
mod closed_forms;
mod fair;
mod paths;
mod rails;
