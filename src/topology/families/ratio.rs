//! Oversubscription of fat trees: hosts over cables up at a leaf, written `down:up`.

use super::legal::nearest;
use crate::topology::TopologyError;
use crate::topology::family::Arguments;

/// Ports of a leaf of k ports: down to hosts, up to other switches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PortSplit {
    pub down: usize,
    pub up: usize,
}

/// Reads `ratio`, such as `3:1` or `3`; half of the k ports in each direction if it is missing.
pub(super) fn split(arguments: &Arguments, k: usize) -> Result<PortSplit, TopologyError> {
    if arguments.get("ratio").is_none() {
        return Ok(PortSplit { down: k / 2, up: k / 2 });
    }
    let text = arguments.text("ratio");
    let (down, up) = text.split_once(':').unwrap_or((text, "1"));
    let part = |text: &str| text.trim().parse::<usize>().ok().filter(|part| (1..=1 << 16).contains(part));
    let Some((down, up)) = part(down).zip(part(up)) else {
        return Err(arguments.invalid("ratio", "it must be hosts to cables up, such as `2:1`"));
    };
    let whole = down + up;
    let divides = |k: usize| (k * down).is_multiple_of(whole) && k.is_multiple_of(2);
    if !divides(k) {
        let sizes = nearest(k as i64, 2..=5790, divides);
        let rule = format!("{k} ports cannot be divided so; of the even k, {sizes}");
        return Err(arguments.invalid("ratio", rule));
    }
    Ok(PortSplit { down: k * down / whole, up: k * up / whole })
}

/// Reads `t`, the number of parallel cables from a switch to each switch of the top level: it divides the k ports of the
/// latter and the `up` ports of the former.
pub(super) fn trunk(arguments: &Arguments, k: usize, up: usize) -> Result<usize, TopologyError> {
    if arguments.get("t").is_none() {
        return Ok(1);
    }
    let t = arguments.count("t", 1, up.max(1))?;
    let divides = |t: usize| k.is_multiple_of(t) && up.is_multiple_of(t);
    if !divides(t) {
        let sizes = nearest(t as i64, 1..=up, divides);
        return Err(arguments.invalid("t", format!("it must divide {k} ports and {up} cables up: {sizes}")));
    }
    Ok(t)
}
