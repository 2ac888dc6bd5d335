//! `mopsim packets`: latency and accepted traffic of networks, packet by packet.

use super::args::{Output, PacketSwitch, Packets};
use super::failure::Failure;
use super::files::{self, Outputs};
use super::progress::{self, Counting};
use super::{inputs, interrupt, options, print, say, side_files, slurm, study};
use mopsim::defaults::Version;
use mopsim::excerpt::excerpt;
use mopsim::ledger::Shard;
use mopsim::packets::Setup;
use mopsim::packets::choice::{Settings, SweepChoice};
use mopsim::packets::cycle::CycleEngine;
use mopsim::packets::outline::Outline;
use mopsim::packets::parameters::Parameters;
use mopsim::packets::points::{PointRecord, Points};
use mopsim::packets::results::{self, Identity, PointsFile};
use mopsim::packets::routing::{Deflection, Ready};
use mopsim::packets::series::Series;
use mopsim::packets::source::{ListedPacket, PacketList};
use mopsim::packets::statistics::Window;
use mopsim::packets::sweep::{self, CableDelay};
use mopsim::packets::work::{Part, Work};
use mopsim::packets::{PacketError, Wiring, deflection, routing};
use mopsim::platform::{HostsPerSwitch, PlatformParameters, RailPolicy};
use mopsim::printable::printable;
use mopsim::report::{html, packets as report};
use mopsim::topology::Topology;
use mopsim::topology::input::{MAX_FILE_BYTES, ReadError, read_text};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Flags of a sweep's report, and whether a value follows. All others are in the results files.
const OF_REPORT: [(&str, bool); 3] = [("--html", true), ("--json", true), ("--csv", true)];

pub fn run(arguments: &Packets, output: &Output) -> Result<(), Failure> {
    let (files, flags) = (&arguments.files, &arguments.results);
    Outputs::default()
        .report("--html", files.html.as_deref(), files.force)
        .report("--json", files.json.as_deref(), files.force)
        .report("--csv", files.csv.as_deref(), files.force)
        .continuing("--results", flags.results.as_deref())
        .check(|| files_read(arguments))?;
    let shard = flags.shard.unwrap_or(Shard::WHOLE);
    let written = Written { html: files.html.as_deref(), json: files.json.as_deref(), csv: files.csv.as_deref() };
    study::warn_of_unwritten(shard, &written, output);
    let version: Version =
        options::parse("defaults", arguments.switch.defaults.defaults.as_deref())?.unwrap_or_default();
    let settings = choice(arguments).build(arguments.seed)?;
    settings.check()?;
    if let Some(twice) =
        (1..arguments.routing.len()).find(|&at| arguments.routing[..at].contains(&arguments.routing[at]))
    {
        let message = format!("--routing {} is there twice", arguments.routing[twice]);
        return Err(Failure::input(message, "leave one of them out"));
    }
    let topologies = arguments
        .specs
        .iter()
        .map(|spec| topology(spec, arguments.seed, arguments.without.as_deref(), output.quiet))
        .collect::<Result<Vec<_>, _>>()?;
    if !output.quiet {
        for topology in &topologies {
            let name = topology.name();
            topology.remarks().iter().for_each(|remark| say(&format!("warning: {name}: {remark}")));
        }
    }
    let cycle = report::Cycle { ns: settings.cycle_ns(version), defaults: version };
    let cables = cables(arguments, cycle)?;
    let rail: Option<RailPolicy> = options::parse("rail", arguments.rail.as_deref())?;
    options::check_rail(rail.is_some(), topologies.iter().any(|topology| topology.rails.is_some()))?;
    let rail = rail.unwrap_or_default();
    let pool = options::pool_for(arguments.threads, &output.site)?;
    if let Some(file) = &arguments.packets {
        let waiting = progress::waiting(format!("sending the packets of {}", files::name(file)), output.quiet);
        let sheet = pool.install(|| list(arguments, file, &topologies, &settings, (cycle, cables, rail)));
        waiting.finish_and_clear();
        let sheet = sheet?;
        return print(|out| output.format.sheet(&sheet, out));
    }
    let hosts = arguments.hosts_per_switch.map(HostsPerSwitch::Uniform);
    let mut sweep = settings.sweep(topologies, hosts, cables, Path::new(""));
    sweep.routings.clone_from(&arguments.routing);
    sweep.rail = rail;
    let stop = interrupt::listen(flags.results.is_some(), output.quiet)?;
    let waiting = progress::waiting("building networks", output.quiet);
    let work = pool.install(|| Work::new(sweep));
    waiting.finish_and_clear();
    let work = work?;
    if let Some(folder) = &arguments.cluster.slurm {
        let pieces = work.pieces();
        let what = format!("{pieces} {} of the sweep", if pieces == 1 { "piece" } else { "pieces" });
        let work = slurm::ArrayWork { verb: "packets", what, pieces, of_report: &OF_REPORT, merges_study: false };
        return slurm::write(folder, arguments.cluster.shards, &work, files.force, output);
    }
    let (file, known) = match &flags.results {
        None => (None, Points::default()),
        Some(path) => {
            let identity = pool.install(|| Identity::of(&work, cycle.ns, version));
            let (file, known) = PointsFile::open(path, &identity, shard, flags.resume)?;
            (Some((file, path.as_path())), known)
        }
    };
    let counted = AtomicUsize::new(known.len());
    let keep = |record: &PointRecord| {
        file.as_ref().map_or(Ok(()), |(file, _)| file.append(record))?;
        counted.fetch_add(1, Ordering::Relaxed);
        Ok(())
    };
    let bar = bar(work.expected(&known, shard, 0), output.quiet);
    let done = |what: &str| ran(&bar, what);
    let part = Part { known: &known, shard, first_piece: 0, keep: &keep, done: &done, stop: &stop };
    let result = pool.install(|| work.run(&part));
    bar.finish_and_clear();
    let points = result?;
    let counted = counted.into_inner();
    let path = file.map(|(_, path)| path);
    let Some(points) = points else {
        let so_far = path.map_or_else(String::new, |path| format!(": {counted} runs are in {}", path.display()));
        return Err(Failure::interrupted(
            format!("interrupted{so_far}"),
            "give the same command with --resume to go on",
        ));
    };
    if let (Some(path), true) = (path, shard != Shard::WHOLE) {
        if let Some(failure) = points.first_failure() {
            return Err(PacketError::from(failure.clone()).into());
        }
        if !output.quiet {
            let path = path.display();
            say(&format!("shard {shard}: {counted} runs are in {path}; `mopsim merge` reports on all shards together"));
        }
        return Ok(());
    }
    let series = results::finished(&work, &points, path)?;
    report(&work.outline(), &series, cycle, &written, output)
}

/// Files of reports in addition to standard output.
pub struct Written<'a> {
    pub html: Option<&'a Path>,
    pub json: Option<&'a Path>,
    pub csv: Option<&'a Path>,
}

/// Prints the report on a sweep, and writes the requested files.
pub fn report(
    outline: &Outline,
    series: &[Series],
    cycle: report::Cycle,
    files: &Written<'_>,
    output: &Output,
) -> Result<(), Failure> {
    let sheet = report::sheet(outline, series, cycle);
    // A failure to write one does not lose the other.
    let printed = print(|out| output.format.sheet(&sheet, out));
    for (file, format) in [(files.json, "json"), (files.csv, "csv")] {
        if let (Some(file), Some(reporter)) = (file, mopsim::report::format(format)) {
            files::report(file, |out| reporter.sheet(&sheet, out))?;
        }
    }
    if let Some(file) = files.html {
        let page = html::packets::page(outline, series, cycle, Some(&side_files::command_line()))
            .map_err(|error| Failure::file("write", file, &error))?;
        files::report(file, |out| out.write_all(page.as_bytes()))?;
    }
    printed
}

/// Returns a progress bar for runs, of which the number is an estimate.
pub fn bar(runs: usize, quiet: bool) -> Counting {
    let template = "{bar:24} {pos}/{len} runs, {elapsed}, about {eta} to go; done: {msg}";
    progress::counting("the packets", runs as u64, template, quiet)
}

/// Shows that a run has ended.
pub fn ran(bar: &Counting, what: &str) {
    bar.inc(1);
    bar.set_message(printable(what).into_owned());
}

/// Returns the input files.
fn files_read(arguments: &Packets) -> Vec<PathBuf> {
    let here = Path::new("");
    let mut files: Vec<PathBuf> = arguments.specs.iter().flat_map(|spec| inputs::topology(spec, here)).collect();
    let all = arguments.pattern.iter().flat_map(|text| options::patterns(text));
    files.extend(all.flat_map(|pattern| inputs::pattern(&pattern, here)));
    files
}

fn topology(spec: &str, seed: u64, without: Option<&str>, quiet: bool) -> Result<Arc<Topology>, Failure> {
    let chosen = options::topology(spec, Some(seed), without)?;
    Ok(Arc::new(progress::building(&chosen.to_string(), quiet, || chosen.build())?))
}

/// Returns the choices of the options.
fn choice(arguments: &Packets) -> SweepChoice {
    let flags: &PacketSwitch = &arguments.switch;
    SweepChoice {
        patterns: Some(arguments.pattern.iter().flat_map(|text| options::patterns(text)).collect()),
        load: Some(arguments.load.clone()),
        routing: None,
        endpoints: arguments.endpoints,
        mode: Some(arguments.mode.clone()),
        warmup: Some(arguments.warmup),
        measure: Some(arguments.measure),
        seeds: Some(arguments.seeds),
        seed: Some(arguments.seed),
        process: Some(arguments.process.clone()),
        engine: Some(arguments.engine.clone()),
        saturation: Some(!arguments.no_saturation),
        allow_deadlock: arguments.allow_deadlock,
        preset: flags.preset.clone(),
        vcs: flags.vcs,
        vc_buffer: flags.vc_buffer,
        packet: flags.packet,
        switching: flags.switching.clone(),
        wait_for_tail_credit: flags.wait_for_tail_credit,
        hold_switch: flags.hold_switch,
        routing_delay: flags.routing_delay,
        vc_delay: flags.vc_delay,
        switch_delay: flags.switch_delay,
        crossing_delay: flags.crossing_delay,
        link_delay: flags.link_delay,
        host_delay: flags.host_delay,
        credit_delay: flags.credit_delay,
        speedup: flags.speedup,
        host_port: flags.host_port.clone(),
        count_routed: flags.count_routed,
        cycle_ns: flags.cycle_ns,
    }
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

/// Returns the cycles per metre of cables.
fn per_metre(cables: Option<CableDelay>) -> Option<f64> {
    cables.map(|cables| cables.cycles_per_metre)
}

/// Sends the packets of a list, and reports the arrival of each.
fn list(
    arguments: &Packets,
    file: &Path,
    topologies: &[Arc<Topology>],
    settings: &Settings,
    (cycle, cables, rail): (report::Cycle, Option<CableDelay>, RailPolicy),
) -> Result<mopsim::report::Sheet, Failure> {
    let ([topology], [] | [_]) = (topologies, &arguments.routing[..]) else {
        return Err(Failure::input(
            "--packets runs on one network with one routing",
            "give one SPEC and one --routing",
        ));
    };
    let Settings { conditions: switches, .. } = settings;
    let p = &switches.parameters;
    let hosts = arguments.hosts_per_switch.map(HostsPerSwitch::Uniform);
    let wiring = sweep::wiring(topology, hosts, p, cables)?;
    let list = read_list(file, &wiring, p.packet, rail)?;
    let default = routing::default_of(topology);
    let name = arguments.routing.first().unwrap_or(&default);
    let rules = match routing::ready(name, &wiring, switches.vcs, arguments.seed)? {
        Ready::Buffered(rules) => rules,
        Ready::Deflection(tables) => {
            return deflected(wiring, tables, list, (&switches.parameters, cycle, cables), arguments.seed);
        }
    };
    let switching = switches.switching.unwrap_or_else(|| rules.switching_for(list.largest));
    let mut parameters = Parameters { vcs: rules.vcs(), packet: list.largest, switching, ..p.clone() };
    if arguments.switch.vc_buffer.is_none() && arguments.switch.preset.is_none() {
        parameters.vc_buffer = parameters.vc_buffer.max(list.largest);
    }
    match rules.check(&parameters) {
        Err(PacketError::CyclicDependency { .. }) if arguments.allow_deadlock => {}
        other => {
            other?;
        }
    }
    let packets = list.len();
    let mut engine = CycleEngine::new(
        Setup {
            wiring,
            rule: rules.rule(),
            parameters: parameters.clone(),
            packets: mopsim::packets::source::PacketSource::Listed(Arc::new(list)),
            seed: arguments.seed,
            window: Window { from: 0, until: mopsim::packets::source::MAX_CYCLES },
            log: true,
        },
        rayon::current_num_threads(),
    )?;
    engine.run_until_empty(packets as u64)?;
    Ok(report::list(&topology.name(), name, &parameters, cycle, per_metre(cables), &engine.log()))
}

/// Sends the packets of a list without buffers.
fn deflected(
    wiring: Arc<Wiring>,
    tables: Deflection,
    list: PacketList,
    (parameters, cycle, cables): (&Parameters, report::Cycle, Option<CableDelay>),
    seed: u64,
) -> Result<mopsim::report::Sheet, Failure> {
    let topology = wiring.topology.name();
    let parameters = Parameters { vcs: 0, packet: list.largest, ..parameters.clone() };
    let network =
        deflection::DeflectionNetwork { wiring, tables, parameters: Parameters { vcs: 1, ..parameters.clone() } };
    let packets = list.len() as u64;
    let listed = mopsim::packets::source::PacketSource::Listed(Arc::new(list));
    let window = Window { from: 0, until: mopsim::packets::source::MAX_CYCLES };
    let mut engine = deflection::DeflectionEngine::new(&network, listed, seed, window, true)?;
    engine.run_until_empty(packets)?;
    let mut sheet = report::list(&topology, "deflection", &parameters, cycle, per_metre(cables), &engine.log());
    sheet.notes.push(network.note());
    Ok(sheet)
}

/// Reads a list of packets between hosts; where hosts have several ports, `rail` chooses those of each packet.
fn read_list(file: &Path, wiring: &Wiring, flits: u32, rail: RailPolicy) -> Result<PacketList, Failure> {
    let hosts = wiring.ports.as_ref().map_or(wiring.hosts(), |ports| ports.hosts());
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
            .map(|word| {
                word.parse().map_err(|_| wrong(format!("`{}` is not a whole number of 32 bits", excerpt(word))))
            })
            .collect::<Result<_, _>>()?;
        let (from, to, created, flits) = match numbers[..] {
            [from, to, created] => (from, to, created, flits),
            [from, to, created, flits] => (from, to, created, flits),
            _ => return Err(wrong(format!("it has {} numbers, and needs 3 or 4", numbers.len())).into()),
        };
        let packet = ListedPacket { id: packets.len() as u64, from, to, created, flits };
        packet.check(hosts).map_err(|error| wrong(error.to_string()))?;
        packets.push(packet);
    }
    if packets.is_empty() {
        return Err(Failure::input(
            format!("{} has no packets", file.display()),
            "a line is `source destination cycle [flits]`",
        ));
    }
    if let Some(ports) = &wiring.ports {
        // In turn by the time of creation, as messages of a replay.
        let mut order: Vec<usize> = (0..packets.len()).collect();
        order.sort_by_key(|&at| packets[at].created);
        let pairs = order.iter().map(|&at| (packets[at].from, packets[at].to));
        for (&at, (from, to)) in order.iter().zip(ports.of_packets(pairs, rail)) {
            (packets[at].from, packets[at].to) = (from, to);
        }
    }
    Ok(PacketList::new(packets, wiring.hosts())?)
}
