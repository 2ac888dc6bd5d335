//! The maximum concurrent flow as a linear program, with one commodity for each source.
//!
//! Variables are x(s,a), what of the traffic of source s takes arc a, and the injection i. For each source s and each
//! other switch v, what enters v less what leaves it is i * D(s,v); the arcs of a link together carry at most its
//! capacity; i is as large as possible. A commodity for each pair of switches would say the same with n times as many
//! variables, since what one source sends can be taken apart into paths afterwards (R. Ahuja, T. Magnanti and J. Orlin,
//! Network Flows, chapter 17).
//!
//! Small programs are solved by microlp, a simplex method, larger ones by Clarabel, an interior-point method. With the
//! feature `large-lp` Clarabel factorises by supernodes, which some hundred switches need.

use super::{Concurrent, Problem};
use clarabel_settings::tune;
use good_lp::{
    Expression, IntoAffineExpression, Solution, SolverModel, Variable, clarabel, microlp, variable, variables,
};

/// Variables up to which the simplex method is taken.
const SIMPLEX: usize = 1500;
/// Variables up to which a program is solved without being asked for.
pub const QUICK: usize = 25_000;

/// Part by which a solver may be wrong: both end when they are nearer than a tenth of it.
const TOLERANCE: f64 = 1e-7;

/// Number of variables.
pub fn size(problem: &Problem) -> usize {
    problem.rows.len() * problem.arcs.len()
}

/// Which solver.
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
/// What the solver says.
pub fn solve(problem: &Problem) -> Result<Concurrent, String> {
    solve_with(problem, if size(problem) <= SIMPLEX { Solver::Simplex } else { Solver::InteriorPoint })
}

/// The injection.
///
/// # Errors
/// What the solver says.
pub fn solve_with(problem: &Problem, solver: Solver) -> Result<Concurrent, String> {
    variables! { program: injection >= 0; }
    let mut loads: Vec<Expression> = vec![Expression::with_capacity(problem.rows.len()); problem.links];
    let mut balances = Vec::with_capacity(problem.rows.len() * problem.switches);
    for (source, row) in &problem.rows {
        let mut balance: Vec<Expression> = vec![Expression::with_capacity(8); problem.switches];
        for (&(tail, head), &link) in problem.arcs.iter().zip(&problem.link) {
            // What comes back to its source has only used up capacity.
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
    // Switches that nothing reaches, and links that nothing takes, say nothing.
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

    /// Settings of Clarabel: its own.
    #[cfg(not(feature = "large-lp"))]
    pub(super) fn tune<S>(_: &mut S) {}
}
