//! Traces derived from others: parts, merged jobs, and other speeds of computation.

mod cut;
mod graphs;
mod iterations;
mod merge;
mod period;
mod sequences;
mod simgrid;
#[cfg(test)]
mod tests;

pub use cut::{Cut, CutError, Dropped, Part, cut};
pub use graphs::ScaleError;
pub use iterations::{Iterations, iterations, why_no_iterations};
pub use merge::{MergeError, merge};
pub use simgrid::{Unreadable, for_simgrid, unreadable_by_simgrid};

use super::{Action, Trace};

/// Multiplies all amounts of computation, including those inside collectives and in graphs, by a factor that is 0 or more
/// and finite. Calculations of graphs are rounded to nanoseconds.
///
/// # Errors
/// [`ScaleError`] if an amount would be too large for a number; then the trace stays as it is.
pub fn scale_compute(trace: &mut Trace, factor: f64) -> Result<(), ScaleError> {
    let of_action = |action: Action| if let Action::Compute { flops } = action { flops } else { 0.0 };
    let amounts = trace.actions.iter().flatten().map(of_action).chain(trace.collectives.iter().map(|call| call.flops));
    if let Some(flops) = amounts.into_iter().find(|flops| !(flops * factor).is_finite()) {
        return Err(ScaleError::Flops { flops, factor });
    }
    graphs::scale(trace, factor)?;
    let scale = |flops: &mut f64| *flops *= factor;
    for actions in &mut trace.actions {
        actions.change(|action| {
            if let Action::Compute { flops } = action {
                scale(flops);
            }
        });
    }
    trace.collectives.iter_mut().for_each(|call| scale(&mut call.flops));
    Ok(())
}
