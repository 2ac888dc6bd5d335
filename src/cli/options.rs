//! Conversion of flags to choices.

use super::args::{ModelFlags, NetworkFlags, OnOff, PlacementFiles, Ports};
use super::failure::Failure;
use super::site::Site;
use mopsim::network::model::NetworkModel;
use mopsim::platform::parameters::{HostsPerSwitch, PlatformParameters};
use mopsim::study::Placement;
use mopsim::study::choice::is_loggops;
use mopsim::study::choice::{ChoiceError, ModelChoice};
use mopsim::study::model_file;
use mopsim::study::network::NetworkChoice;
use mopsim::study::packet_choice::has_packets;
use mopsim::topology::Spec;
use mopsim::topology::damage::Damage;
use mopsim::trace::{self, CollectiveKind};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::path::Path;

/// Returns the placement of ranks that the flags specify.
pub fn placement(rule: &NetworkFlags, files: &PlacementFiles) -> Placement {
    Placement { rule: rule.mapping.clone(), hostfile: files.hostfile.clone(), rankfile: files.rankfile.clone() }
}

/// Converts the network flags to choices; missing ones are left open.
pub fn network(flags: &NetworkFlags) -> Result<NetworkChoice, Failure> {
    let parameters = PlatformParameters {
        hosts_per_switch: flags.hosts_per_switch.map(HostsPerSwitch::Uniform),
        host_speed: parse("host-speed", flags.host_speed.as_deref())?,
        cores: flags.cores,
        link_bandwidth: parse("link-bandwidth", flags.link_bandwidth.as_deref())?,
        link_latency: parse("link-latency", flags.link_latency.as_deref())?,
        switch_delay: parse("switch-delay", flags.switch_delay.as_deref())?,
        cable_delay: parse("cable-delay", flags.cable_delay.as_deref())?,
        floor_plan: flags.floor.floor_plan.clone(),
        placement: flags.floor.placement.clone(),
        switches_per_cabinet: flags.floor.switches_per_cabinet,
        hosts_per_cabinet: flags.floor.hosts_per_cabinet,
        host_link_bandwidth: parse("host-link-bandwidth", flags.host_link_bandwidth.as_deref())?,
        host_link_latency: parse("host-link-latency", flags.host_link_latency.as_deref())?,
        duplex: parse("duplex", flags.duplex.as_deref())?,
        rail: parse("rail", flags.rail.as_deref())?,
        ..PlatformParameters::default()
    };
    Ok(NetworkChoice {
        routing: flags.routing.clone(),
        without: flags.without.clone(),
        seed: flags.seed,
        parameters,
        defaults: parse("defaults", flags.defaults.defaults.as_deref())?,
        ..ports(&flags.ports)?
    })
}

/// Returns topologies with the planes and host ports of the flags: without any, the one that a list of planes forms.
pub fn with_ports(topologies: &[String], flags: &Ports) -> Result<Vec<String>, Failure> {
    let one = |topology: Option<&String>| {
        let choice = NetworkChoice { topology: topology.cloned(), ..ports(flags)? };
        let folded = choice.folded()?.and_then(|folded| folded.topology);
        Ok(folded.or_else(|| topology.cloned()).unwrap_or_default())
    };
    if topologies.is_empty() { Ok(vec![one(None)?]) } else { topologies.iter().map(|spec| one(Some(spec))).collect() }
}

/// Converts the flags of planes and host ports to choices.
fn ports(flags: &Ports) -> Result<NetworkChoice, Failure> {
    Ok(NetworkChoice {
        planes: parse("planes", flags.planes.as_deref())?,
        host_ports: flags.host_ports,
        host_ports_at: flags.host_ports_at.clone(),
        ..NetworkChoice::default()
    })
}

/// Parses a topology of the command line, with the seed for random ones and without the failed parts.
pub fn topology(text: &str, seed: Option<u64>, without: Option<&str>) -> Result<Spec, Failure> {
    let mut spec: Spec = text.parse()?;
    if let Some(seed) = seed
        && !spec.seed_given()
    {
        spec.set_seed(seed);
    }
    match without {
        None => Ok(spec),
        Some(without) => Ok(Damage { without: Some(without.to_owned()), ..Damage::default() }.of(&spec)?),
    }
}

/// Parses the value of an option, if present.
pub fn parse<T>(option: &str, text: Option<&str>) -> Result<Option<T>, Failure>
where
    T: std::str::FromStr,
    T::Err: std::fmt::Display,
{
    text.map(|text| {
        text.parse().map_err(|error| {
            Failure::input(format!("--{option} `{text}`: {error}"), format!("see --{option} in --help for its form"))
        })
    })
    .transpose()
}

/// Largest number of threads: more than any machine has cores would only cost memory.
pub const MOST_THREADS: usize = 4096;

/// Creates the pool for a flag, or else for the default of the site.
pub fn pool_for(flag: Option<usize>, site: &Site) -> Result<ThreadPool, Failure> {
    pool(flag.or(site.threads).unwrap_or(0))
}

/// Creates a pool of `threads` threads; 0 for one per core.
pub fn pool(threads: usize) -> Result<ThreadPool, Failure> {
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| Failure::input(format!("cannot start {threads} threads: {error}"), "Ask for fewer threads."))
}

/// Returns options for reading a trace, from flags that all readers of traces have.
pub fn reading(ranks: Option<usize>, files_anywhere: bool, max_unpacked_bytes: Option<u64>) -> trace::Options {
    let mut how = trace::Options { ranks, files_anywhere, ..trace::Options::default() };
    if let Some(limit) = max_unpacked_bytes {
        how.max_unpacked_bytes = limit;
        // An explicit limit also replaces that of the ratio.
        how.max_unpacking_ratio = u64::MAX;
    }
    how
}

/// Returns the choices of a network model by its name, or those of a file.
pub fn named_model(name: &str) -> Result<ModelChoice, Failure> {
    if has_packets(name) || is_loggops(name) || NetworkModel::by_name(name).is_some() {
        return Ok(ModelChoice { network_model: Some(name.to_owned()), ..ModelChoice::default() });
    }
    let path = Path::new(name);
    if name.contains(['/', '.']) || path.exists() {
        return model_file::read(path).map_err(Failure::from);
    }
    Err(ChoiceError::unknown("model", name, &NetworkModel::NAMES).into())
}

/// `true` if flags choose among the ports of a host without stating how many there are: one plane is a number of them.
pub fn asks_for_rail(flags: &NetworkFlags) -> bool {
    flags.rail.is_some() && flags.ports.planes.is_none() && flags.ports.host_ports.is_none()
}

/// Refuses a policy for hosts with several ports where no host has them.
pub fn check_rail(is_given: bool, has_several: bool) -> Result<(), Failure> {
    if !is_given || has_several {
        return Ok(());
    }
    Err(Failure::input(
        "--rail chooses among the ports of a host, and no host has several",
        "leave it out, or give a network such as \"rails:base=torus:4x4,planes=2\"",
    ))
}

/// Converts the model flags to choices; missing ones are left open.
pub fn model(flags: &ModelFlags) -> Result<ModelChoice, Failure> {
    let base = flags.model.as_deref().map_or_else(|| Ok(ModelChoice::default()), named_model)?;
    let mut choice = ModelChoice {
        collectives: flags.collectives.clone(),
        sharing: flags.sharing.clone(),
        timing_precision: flags.timing_precision,
        compat: flags.compat.clone(),
        crosstraffic: flags.crosstraffic,
        smp_setup: flags.smp_setup.map(|s| s == OnOff::On),
        ..ModelChoice::default()
    };
    for pair in &flags.collective {
        let Some((kind, algorithm)) = pair.split_once('=') else {
            let message = format!("--collective `{pair}` is not of the form KIND=ALGORITHM");
            return Err(Failure::input(message, "write for example --collective alltoall=bruck"));
        };
        let operation = CollectiveKind::from_name(kind).map_or(kind, |known| known.name());
        if let Some(other) = choice.collective.insert(operation.to_owned(), algorithm.to_owned()) {
            let message = format!("--collective {kind} is there twice, with `{other}` and `{algorithm}`");
            return Err(Failure::input(message, "give one algorithm for all calls of an operation"));
        }
    }
    Ok(choice.over(&base))
}

/// Splits a list of patterns at commas. A part without the name of a pattern belongs to the previous parameters.
pub fn patterns(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for part in text.split(',') {
        let name = part.split(':').next().unwrap_or(part);
        match found.last_mut() {
            Some(last) if last.contains(':') && mopsim::traffic::find(name).is_err() => {
                last.push(',');
                last.push_str(part);
            }
            _ => found.push(part.trim().to_owned()),
        }
    }
    found
}
