//! PolarStar: the star product of a polarity graph with loops and a supernode graph, of diameter at most 3.
//!
//! (K. Lakhotia, L. Monroe, K. Isham, M. Besta, N. Blach, T. Hoefler, F. Petrini, PolarStar: Expanding the Horizon of
//! Diameter-3 Networks, 2023.) The structure is the polarity graph of q, whose points that are orthogonal to themselves
//! have a loop; the supernode of degree k is an inductive quad of 2k + 2 switches or a Paley graph of 2k + 1. Degree
//! `q + 1 + k`. With the inductive quad all degrees are equal, since the loop of a point replaces its missing
//! cable. The Paley graph needs no loops for diameter 3, and its copies at those points have one cable less.

use super::galois::{Field, is_prime_power};
use super::legal::nearest;
use super::polarity;
use super::star_product::Supernode;
use crate::topology::family::Arguments;
use crate::topology::graph::MAX_SWITCHES;
use crate::topology::{Graph, Hosts, TopologyError};

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let hosts = arguments.hosts("p")?;
    let q = arguments.integer("q").unwrap_or(0);
    let field = usize::try_from(q).ok().filter(|&q| q <= 405).and_then(Field::new);
    let field = field.ok_or_else(|| {
        arguments.invalid("q", format!("it must be a prime power up to 405; {}", nearest(q, 2..=405, is_prime_power)))
    })?;
    let k = arguments.integer("k").unwrap_or(0);
    let legal = |legal: fn(usize) -> bool, rule: &str| match usize::try_from(k).ok().filter(|&k| k <= 1024 && legal(k))
    {
        Some(k) => Ok(k),
        None => Err(arguments.invalid("k", format!("{rule}; {}", nearest(k, 0..=1024, legal)))),
    };
    let n = field.q * field.q + field.q + 1;
    let limit = |k: usize, order: usize| {
        let switches = n as u128 * order as u128;
        if switches > MAX_SWITCHES as u128 {
            return Err(
                arguments.invalid("k", format!("that makes {switches} switches, and the limit is {MAX_SWITCHES}"))
            );
        }
        arguments.limit_arcs("k", switches * (field.q + 1 + k) as u128)
    };
    let (supernode, loops) = match arguments.text("supernode") {
        "iq" => {
            let k = legal(|k| k % 4 == 0 || k % 4 == 3, "the degree of an inductive quad is 0 or 3 modulo 4")?;
            limit(k, 2 * k + 2)?;
            (Supernode::inductive_quad(k as u32), true)
        }
        "paley" => {
            let k = legal(
                |k| k > 0 && k % 2 == 0 && is_prime_power(2 * k + 1),
                "2k + 1 must be a prime power that is 1 modulo 4",
            )?;
            limit(k, 2 * k + 1)?;
            (Supernode::paley(&Field::new(2 * k + 1).expect("2k + 1 is a prime power")), false)
        }
        _ => return Err(arguments.invalid("supernode", "it must be `iq` (inductive quad) or `paley`")),
    };
    let structure = polarity::cables(&field);
    let loops = if loops { polarity::own_orthogonal(&field) } else { Vec::new() };
    let cables = supernode.star(n, &structure, &loops);
    Ok(Graph::undirected(n * supernode.image.len(), cables)?.with_hosts(Hosts::Everywhere(hosts)))
}
