//! Traces made from traces: parts of them, and other speeds of computation.

mod cut;
mod iterations;
mod sequences;
#[cfg(test)]
mod tests;

pub use cut::{Cut, CutError, Dropped, Part, cut};
pub use iterations::{Iterations, iterations};

use super::{Action, Trace};

/// Multiplies all amounts of computation, those inside collectives included, by a factor that is positive and finite.
/// What would overflow stays at the largest number.
pub fn scale_compute(trace: &mut Trace, factor: f64) {
    let scale = |flops: &mut f64| *flops = (*flops * factor).min(f64::MAX);
    for action in trace.actions.iter_mut().flatten() {
        if let Action::Compute { flops } = action {
            scale(flops);
        }
    }
    trace.collectives.iter_mut().for_each(|call| scale(&mut call.flops));
}
