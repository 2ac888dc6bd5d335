//! The maximum concurrent flow as a linear program, with one commodity for each source.
//!
//! Variables are x(s,a), the traffic of source s on arc a, and the injection i. For each source s and each other switch
//! v, inflow at v minus outflow is i * D(s,v); the arcs of a link together carry at most its capacity; i is maximised.
//! One commodity for each pair of switches would be equivalent with n times as many variables, since the flow of one
//! source can be decomposed into paths afterwards (R. Ahuja, T. Magnanti and J. Orlin, Network Flows, chapter 17).
//!
//! Small programs are solved by microlp, a simplex method, larger ones by Clarabel, an interior-point method. With the
//! feature `large-lp` Clarabel factorises by supernodes, which some hundred switches need.

use super::problem::{Concurrent, Problem};
use clarabel_settings::tune;
use good_lp::{
    Expression, IntoAffineExpression, Solution, SolverModel, Variable, clarabel, microlp, variable, variables,
};

/// Largest number of variables for the simplex method.
const SIMPLEX: usize = 1500;
/// Largest number of variables of a program that is solved by default.
pub const QUICK: usize = 25_000;

/// Part by which a solver may be wrong: both stop when they are within a tenth of it.
const TOLERANCE: f64 = 1e-7;

/// Returns the number of variables.
pub fn size(problem: &Problem) -> usize {
    problem.rows.len() * problem.arcs.len()
}

/// Solver of linear programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Solver {
    /// microlp.
    Simplex,
    /// Clarabel.
    InteriorPoint,
}

/// Solves the program with the solver that fits its size.
///
/// # Errors
/// The message of the solver.
pub fn solve(problem: &Problem) -> Result<Concurrent, String> {
    solve_with(problem, if size(problem) <= SIMPLEX { Solver::Simplex } else { Solver::InteriorPoint })
}

/// Solves the program with a given solver.
///
/// # Errors
/// The message of the solver.
pub fn solve_with(problem: &Problem, solver: Solver) -> Result<Concurrent, String> {
    variables! { program: injection >= 0; }
    let mut loads: Vec<Expression> = vec![Expression::with_capacity(problem.rows.len()); problem.links];
    let mut balances = Vec::with_capacity(problem.rows.len() * problem.switches);
    for (source, row) in &problem.rows {
        let mut balance: Vec<Expression> = vec![Expression::with_capacity(8); problem.switches];
        for (&(tail, head), &link) in problem.arcs.iter().zip(&problem.link) {
            // Traffic that returns to its source would only use up capacity.
            if head == *source {
                continue;
            }
            let x: Variable = program.add(variable().min(0.0));
            loads[link as usize].add_mul(1.0, x);
            balance[head as usize].add_mul(1.0, x);
            if tail != *source {
                balance[tail as usize].add_mul(-1.0, x);
            }
        }
        row.iter().for_each(|&(to, demand)| balance[to as usize].add_mul(-demand, injection));
        balance.swap_remove(*source as usize);
        balances.extend(balance);
    }
    // Switches that are unreachable, and links without traffic, need no constraint.
    let has_terms = |expression: &Expression| expression.linear_coefficients().next().is_some();
    let loads = loads.into_iter().filter(has_terms).map(|load| load.leq(1.0));
    let balances = balances.into_iter().filter(has_terms).map(|balance| balance.eq(0.0));
    let constraints = loads.chain(balances);
    let unsolved = |error: good_lp::ResolutionError| error.to_string();
    let (value, method) = match solver {
        Solver::Simplex => {
            let mut model = program.maximise(injection).using(microlp);
            constraints.for_each(|constraint| {
                model.add_constraint(constraint);
            });
            (model.solve().map_err(unsolved)?.value(injection), "lp simplex")
        }
        Solver::InteriorPoint => {
            let mut model = program.maximise(injection).using(clarabel);
            constraints.for_each(|constraint| {
                model.add_constraint(constraint);
            });
            tune(model.settings());
            (model.solve().map_err(unsolved)?.value(injection), "lp interior-point")
        }
    };
    Ok(Concurrent { lower: value * (1.0 - TOLERANCE), upper: value * (1.0 + TOLERANCE), method })
}

mod clarabel_settings {
    #[cfg(feature = "large-lp")]
    use clarabel::solver::DefaultSettingsBuilder;

    /// Settings of Clarabel. One thread, since sums by several depend on their number.
    #[cfg(feature = "large-lp")]
    pub(super) fn tune(settings: &mut DefaultSettingsBuilder<f64>) {
        settings.direct_solve_method("faer".to_owned()).max_threads(1);
    }

    /// Keeps the default settings of Clarabel.
    #[cfg(not(feature = "large-lp"))]
    pub(super) fn tune<S>(_: &mut S) {}
}
