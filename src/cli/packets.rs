//! `mopsim packets`: latency and accepted traffic of networks, packet by packet.

use super::args::{Output, PacketSwitch, Packets};
use super::failure::Failure;
use super::{options, print, progress};
use mopsim::defaults::Version;
use mopsim::packets::Setup;
use mopsim::packets::cycle::Engine;
use mopsim::packets::parameters::{self, HostPort, PRESETS, Parameters, Switching};
use mopsim::packets::routing::{Deflection, Ready};
use mopsim::packets::run::Mode;
use mopsim::packets::source::{ListedPacket, PacketList, Process};
use mopsim::packets::statistics::Window;
use mopsim::packets::sweep::{self, CableDelay, Sweep};
use mopsim::packets::{PacketError, Wiring, deadlock, deflection, routing};
use mopsim::platform::{HostsPerSwitch, PlatformParameters};
use mopsim::printable::printable;
use mopsim::report::packets as report;
use mopsim::topology::Topology;
use mopsim::topology::input::{MAX_FILE_BYTES, ReadError, read_text};
use mopsim::traffic;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A network, and the properties of its switches from `--preset` and the options.
struct Switches {
    parameters: Parameters,
    vcs: Option<u32>,
    switching: Option<Switching>,
    cycle: report::Cycle,
}

impl Switches {
    /// Sets what the packet engine needs, unless an option contradicts it, which that engine reports.
    fn hold_for_packets(&mut self, flags: &PacketSwitch) {
        let p = &mut self.parameters;
        (p.hold_switch, p.wait_for_tail_credit) = (true, true);
        if flags.vc_buffer.is_none() {
            p.vc_buffer = p.packet;
        }
        if flags.switching.is_none() {
            self.switching = Some(Switching::CutThrough);
        }
    }
}

pub fn run(arguments: &Packets, output: &Output) -> Result<(), Failure> {
    let by_packets = arguments.engine == "events";
    let mut switches = switches(&arguments.switch)?;
    if by_packets {
        switches.hold_for_packets(&arguments.switch);
    }
    let topologies = arguments
        .specs
        .iter()
        .map(|spec| topology(spec, arguments.seed, arguments.without.as_deref()))
        .collect::<Result<Vec<_>, _>>()?;
    let cables = cables(arguments, switches.cycle)?;
    let pool = options::pool(arguments.threads.or(output.site.threads).unwrap_or(0))?;
    if let Some(file) = &arguments.packets {
        let sheet = pool.install(|| list(arguments, file, &topologies, &switches, cables))?;
        return print(|out| output.format.sheet(&sheet, out));
    }
    let Switches { parameters, vcs, switching, cycle } = switches;
    let sweep = Sweep {
        topologies,
        hosts: arguments.hosts_per_switch.map(HostsPerSwitch::Uniform),
        cables,
        routings: arguments.routing.clone(),
        patterns: arguments.pattern.iter().flat_map(|text| patterns(text)).collect(),
        loads: sweep::loads(&arguments.load)?,
        seeds: (0..u64::from(arguments.seeds)).map(|index| arguments.seed.wrapping_add(index)).collect(),
        pattern_seed: arguments.seed,
        by_packets,
        mode: if arguments.mode == "latency" { Mode::Latency } else { Mode::Throughput },
        process: if arguments.process == "periodic" { Process::Periodic } else { Process::Bernoulli },
        warmup: arguments.warmup,
        measure: arguments.measure,
        parameters,
        vcs,
        switching,
        saturation: !arguments.no_saturation,
        allow_deadlock: arguments.allow_deadlock,
        folder: PathBuf::new(),
    };
    // A search for saturation takes about ten runs.
    let runs = sweep.runs() + if sweep.saturation { 10 * sweep.series() } else { 0 };
    let template = "{bar:24} {pos}/{len} runs, {elapsed}, about {eta} to go; done: {msg}";
    let bar = progress::counting("the packets", runs as u64, template, output.quiet);
    let result = pool.install(|| {
        sweep.run(&|what| {
            bar.inc(1);
            bar.set_message(printable(what).into_owned());
        })
    });
    bar.finish_and_clear();
    let sheet = report::sweep(&sweep, &result?, cycle);
    print(|out| output.format.sheet(&sheet, out))
}

fn topology(spec: &str, seed: u64, without: Option<&str>) -> Result<Arc<Topology>, Failure> {
    Ok(Arc::new(options::topology(spec, Some(seed), without)?.build()?))
}

/// Splits a list of patterns at commas. A part without the name of a pattern belongs to the previous parameters.
fn patterns(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for part in text.split(',') {
        let name = part.split(':').next().unwrap_or(part);
        match found.last_mut() {
            Some(last) if last.contains(':') && traffic::find(name).is_err() => {
                last.push(',');
                last.push_str(part);
            }
            _ => found.push(part.trim().to_owned()),
        }
    }
    found
}

/// Returns the properties of switches: the preset, overridden by the options.
fn switches(flags: &PacketSwitch) -> Result<Switches, Failure> {
    let mut parameters = Parameters::default();
    let version: Version = options::parse("defaults", flags.defaults.defaults.as_deref())?.unwrap_or_default();
    let (mut vcs, mut switching, mut cycle_ns) = (None, None, parameters::cycle_ns(version));
    if let Some(name) = &flags.preset {
        let wanted = name.to_lowercase().replace('_', "-");
        let Some(preset) = PRESETS.iter().find(|preset| preset.name == wanted) else {
            let names = PRESETS.iter().map(|preset| preset.name).collect::<Vec<_>>().join(", ");
            return Err(Failure::input(format!("there is no preset `{name}`"), format!("the presets are {names}")));
        };
        (preset.set)(&mut parameters);
        cycle_ns = preset.cycle_ns;
        switching = (parameters.switching != Switching::Wormhole).then_some(parameters.switching);
        vcs = (preset.name != "equality").then_some(parameters.vcs);
    }
    let set = |target: &mut u32, value: Option<u32>| {
        if let Some(value) = value {
            *target = value;
        }
    };
    set(&mut parameters.packet, flags.packet);
    if flags.preset.is_none() {
        parameters.vc_buffer = parameters.vc_buffer.max(parameters.packet);
    }
    set(&mut parameters.vc_buffer, flags.vc_buffer);
    set(&mut parameters.routing_delay, flags.routing_delay);
    set(&mut parameters.vc_delay, flags.vc_delay);
    set(&mut parameters.switch_delay, flags.switch_delay);
    set(&mut parameters.crossing_delay, flags.crossing_delay);
    set(&mut parameters.link_delay, flags.link_delay);
    set(&mut parameters.host_delay, flags.host_delay);
    set(&mut parameters.credit_delay, flags.credit_delay);
    set(&mut parameters.speedup, flags.speedup);
    parameters.wait_for_tail_credit |= flags.wait_for_tail_credit;
    parameters.hold_switch |= flags.hold_switch;
    parameters.count_routed |= flags.count_routed;
    match flags.host_port.as_deref() {
        Some("own") => parameters.host_port = HostPort::Own,
        Some(_) => parameters.host_port = HostPort::Shared,
        None => {}
    }
    vcs = flags.vcs.or(vcs);
    switching = match flags.switching.as_deref() {
        Some("wormhole") => Some(Switching::Wormhole),
        Some("not-full") => Some(Switching::NotFull),
        Some(_) => Some(Switching::CutThrough),
        None => switching,
    };
    cycle_ns = flags.cycle_ns.unwrap_or(cycle_ns);
    if !(cycle_ns.is_finite() && cycle_ns > 0.0) {
        let message = format!("--cycle-ns is {cycle_ns}, and must be more than 0");
        return Err(Failure::input(message, "2.56 is a flit of 256 bit at 100 Gbit/s"));
    }
    Parameters {
        vcs: vcs.unwrap_or(parameters.vcs),
        switching: switching.unwrap_or(parameters.switching),
        ..parameters.clone()
    }
    .check()?;
    Ok(Switches { parameters, vcs, switching, cycle: report::Cycle { ns: cycle_ns, defaults: version } })
}

/// Returns the latency of cables by length, if it was asked for.
fn cables(arguments: &Packets, cycle: report::Cycle) -> Result<Option<CableDelay>, Failure> {
    let floor = &arguments.floor;
    let parameters = PlatformParameters {
        hosts_per_switch: arguments.hosts_per_switch.map(HostsPerSwitch::Uniform),
        cable_delay: options::parse("cable-delay", arguments.cable_delay.as_deref())?,
        floor_plan: floor.floor_plan.clone(),
        placement: floor.placement.clone(),
        switches_per_cabinet: floor.switches_per_cabinet,
        hosts_per_cabinet: floor.hosts_per_cabinet,
        ..PlatformParameters::default()
    };
    let given = [&floor.floor_plan, &floor.placement].iter().any(|text| text.is_some())
        || floor.switches_per_cabinet.or(floor.hosts_per_cabinet).is_some();
    if arguments.cable_delay.is_none() {
        return match given {
            true => Err(Failure::input(
                "without --cable-delay the floor plan changes nothing",
                "--cable-delay \"5 ns\" sets the delay per metre",
            )),
            false => Ok(None),
        };
    }
    let checked = parameters.check().map_err(PacketError::from)?;
    Ok(checked.cables.map(|(delay, floor)| CableDelay { floor, cycles_per_metre: delay.value() * 1e9 / cycle.ns }))
}

/// Sends the packets of a list, and reports the arrival of each.
fn list(
    arguments: &Packets,
    file: &Path,
    topologies: &[Arc<Topology>],
    switches: &Switches,
    cables: Option<CableDelay>,
) -> Result<mopsim::report::Sheet, Failure> {
    let ([topology], [] | [_]) = (topologies, &arguments.routing[..]) else {
        return Err(Failure::input(
            "--packets runs on one network with one routing",
            "give one SPEC and one --routing",
        ));
    };
    let p = &switches.parameters;
    let hosts = arguments.hosts_per_switch.map(HostsPerSwitch::Uniform);
    let wiring = sweep::wiring(topology, hosts, p, cables)?;
    let list = read_list(file, wiring.hosts(), p.packet)?;
    let name = arguments.routing.first().map_or(routing::default_for(topology), String::as_str);
    let (rule, vcs) = match routing::ready(name, &wiring, switches.vcs, arguments.seed)? {
        Ready::Buffered(rule, vcs) => (rule, vcs),
        Ready::Deflection(tables) => return deflected(wiring, tables, list, switches, cables, arguments.seed),
    };
    let switching = switches.switching.unwrap_or_else(|| routing::switching_for(&*rule, vcs, list.largest));
    let mut parameters = Parameters { vcs, packet: list.largest, switching, ..p.clone() };
    if arguments.switch.vc_buffer.is_none() && arguments.switch.preset.is_none() {
        parameters.vc_buffer = parameters.vc_buffer.max(list.largest);
    }
    match deadlock::check(&wiring, &*rule, name, &parameters) {
        Err(PacketError::CyclicDependency { .. }) if arguments.allow_deadlock => {}
        other => {
            other?;
        }
    }
    let packets = list.len();
    let mut engine = Engine::new(
        Setup {
            wiring,
            rule: Arc::from(rule),
            parameters: parameters.clone(),
            packets: mopsim::packets::source::Packets::Listed(Arc::new(list)),
            seed: arguments.seed,
            window: Window { from: 0, until: mopsim::packets::source::MAX_CYCLES },
            log: true,
        },
        rayon::current_num_threads(),
    )?;
    engine.run_until_empty(packets as u64)?;
    Ok(report::list(&topology.name(), name, &parameters, switches.cycle, cables, &engine.log()))
}

/// Sends the packets of a list without buffers.
fn deflected(
    wiring: Arc<Wiring>,
    tables: Deflection,
    list: PacketList,
    switches: &Switches,
    cables: Option<CableDelay>,
    seed: u64,
) -> Result<mopsim::report::Sheet, Failure> {
    let topology = wiring.topology.name();
    let parameters = Parameters { vcs: 0, packet: list.largest, ..switches.parameters.clone() };
    let network = deflection::Network { wiring, tables, parameters: Parameters { vcs: 1, ..parameters.clone() } };
    let packets = list.len() as u64;
    let listed = mopsim::packets::source::Packets::Listed(Arc::new(list));
    let window = Window { from: 0, until: mopsim::packets::source::MAX_CYCLES };
    let mut engine = deflection::Engine::new(&network, listed, seed, window, true)?;
    engine.run_until_empty(packets)?;
    let mut sheet = report::list(&topology, "deflection", &parameters, switches.cycle, cables, &engine.log());
    sheet.notes.push(network.note());
    Ok(sheet)
}

fn read_list(file: &Path, hosts: u32, flits: u32) -> Result<PacketList, Failure> {
    let text = read_text(file, MAX_FILE_BYTES).map_err(|error| match error {
        ReadError::Io { ref source, .. } => Failure::file("read", file, source),
        other => other.into(),
    })?;
    let mut packets = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let content = line.split('#').next().unwrap_or("").trim();
        if content.is_empty() {
            continue;
        }
        let wrong = |reason: String| PacketError::List { file: file.display().to_string(), line: number + 1, reason };
        let numbers: Vec<u32> = content
            .split_whitespace()
            .map(|word| word.parse().map_err(|_| wrong(format!("`{word}` is not a whole number of 32 bits"))))
            .collect::<Result<_, _>>()?;
        let (from, to, created, flits) = match numbers[..] {
            [from, to, created] => (from, to, created, flits),
            [from, to, created, flits] => (from, to, created, flits),
            _ => return Err(wrong(format!("it has {} numbers, and needs 3 or 4", numbers.len())).into()),
        };
        if from.max(to) >= hosts {
            return Err(wrong(format!("host {} does not exist; the hosts are 0 to {}", from.max(to), hosts - 1)).into());
        }
        packets.push(ListedPacket { id: packets.len() as u64, from, to, created, flits });
    }
    if packets.is_empty() {
        return Err(Failure::input(
            format!("{} has no packets", file.display()),
            "a line is `source destination cycle [flits]`",
        ));
    }
    Ok(PacketList::new(packets, hosts)?)
}
