//! Bundlefly: the star product of a graph of McKay, Miller and Siran and a Paley graph, of diameter 3.
//!
//! (F. Lei, D. Dong, X. Liao, J. Duato, Bundlefly: A Low-Diameter Topology for Multicore Fiber, 2020.) The structure is
//! the Slim Fly graph of q, whose vertices become copies of the Paley graph of m elements; the m cables between two
//! copies are one bundle, a multicore fibre. `2*q^2*m` switches of degree `(3q - delta)/2 + (m - 1)/2`.

use super::galois::{Field, is_prime_power};
use super::legal::nearest;
use super::slimfly;
use super::star_product::Supernode;
use crate::topology::family::Arguments;
use crate::topology::graph::MAX_SWITCHES;
use crate::topology::{Graph, Hosts, TopologyError};

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let hosts = arguments.hosts("p")?;
    let field = |name, legal: fn(usize) -> bool, rule: &str| {
        let value = arguments.integer(name).unwrap_or(0);
        let legal_value = usize::try_from(value).ok().filter(|&value| value <= 281 && legal(value));
        legal_value
            .and_then(Field::new)
            .ok_or_else(|| arguments.invalid(name, format!("it must be {rule}; {}", nearest(value, 3..=281, legal))))
    };
    let structure = field("q", |q| q >= 3 && is_prime_power(q), "a prime power from 3 to 281")?;
    let order = field("m", |m| m % 4 == 1 && is_prime_power(m), "a prime power from 5 to 281 that is 1 modulo 4")?;
    let (q, m) = (structure.q, order.q);
    let switches = 2 * q * q * m;
    if switches > MAX_SWITCHES {
        return Err(arguments.invalid("m", format!("that makes {switches} switches, and the limit is {MAX_SWITCHES}")));
    }
    arguments.limit_arcs("m", switches as u128 * (3 * q).div_ceil(2) as u128 + (switches * (m - 1) / 2) as u128)?;
    let supernode = Supernode::paley(&order);
    // f is applied to the vertices of the end with the smaller number.
    let cables: Vec<(u32, u32)> =
        Graph::undirected(2 * q * q, slimfly::cables(&structure))?.cable_ends().map(|(u, v)| (u.0, v.0)).collect();
    let graph = Graph::undirected(switches, supernode.star(2 * q * q, &cables, &[]))?;
    Ok(graph.with_hosts(Hosts::Everywhere(hosts)))
}
