//! Networks in words.

use crate::study::choice::ModelDescription;
use crate::study::network::NetworkInfo;

/// Returns the short name of a network in wide tables: A, B, .. Z, AA, AB ...
pub(super) fn letter(index: usize) -> String {
    let last = char::from(b'A' + (index % 26) as u8);
    if index < 26 { last.to_string() } else { letter(index / 26 - 1) + &last.to_string() }
}

/// Describes the routing: `static routing ecmp (seed 1)`. A seed is included only for a routing with its own: the
/// seed of a topology is part of its name, and the seeds of a network with `repetitions` are in a list.
pub(super) fn routing(network: &NetworkInfo, repetitions: bool) -> String {
    let own = network.seed.filter(|_| !repetitions && !network.topology.contains("seed="));
    let seed = own.map_or_else(String::new, |seed| format!(" (seed {seed})"));
    let rule = network.routing.as_deref().unwrap_or("as listed in the file");
    format!("{} routing {rule}{seed}", network.routing_nature)
}

/// Describes the topology, the directions of cables, and the routing.
pub(super) fn describe(network: &NetworkInfo, repetitions: bool) -> String {
    described(network, routing(network, repetitions))
}

/// Describes the network of a replay, with the routing of packets if its model has them.
pub(super) fn replayed(network: &NetworkInfo, model: &ModelDescription) -> String {
    match model.parameters.get("packet-routing") {
        Some(rule) => described(network, format!("packet routing {rule}")),
        None => describe(network, false),
    }
}

/// Describes the topology and the directions of cables, with a text on the routing.
pub(super) fn described(network: &NetworkInfo, routing: String) -> String {
    let mut parts = vec![network.topology.clone()];
    parts.extend(network.duplex.as_deref().map(|d| match d {
        "one-way" => "one-way cables".to_owned(),
        mode => format!("{mode} duplex"),
    }));
    parts.push(routing);
    parts.join(", ")
}
