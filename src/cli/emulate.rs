//! `mopsim emulate`: emulated networks in namespaces of this machine.

use super::args::{Cables, Emulate, EmulateCounters, EmulateDown, EmulateRun, EmulateUp, EmulateWhat, Output};
use super::failure::Failure;
use super::supervised::exit_code;
use super::{emulate_validate, options, print, progress, say};
use mopsim::emulate::build::{EmulatedNetwork, check_machine, congestion, down, sweep};
use mopsim::emulate::commands::Settings;
use mopsim::emulate::launch::{self, Launch};
use mopsim::emulate::{Choice, EmulateError, Ended, PACKETS_PER_CORE, Plan, Prefix, Stop, counters, parse_rate, watch};
use mopsim::engine::{self, replay};
use mopsim::mpi::mapping::Mapping;
use mopsim::platform::units::{Seconds, UnitError};
use mopsim::platform::{LinkKind, Platform};
use mopsim::record;
use mopsim::report::emulate as report;
use mopsim::study::choice::ModelChoice;
use mopsim::study::network::NetworkUnderTest;
use mopsim::study::workload::Workload;
use mopsim::trace::{self, Trace};
use std::path::Path;

/// Latency of a cable in seconds, in replays whose model has no latency of messages: a message takes about 24 us
/// through two kernels, whatever its distance, and this is that time divided by the mean distance of a small network.
const LATENCY: f64 = 1e-5;

pub fn run(arguments: &Emulate, output: &Output) -> Result<(), Failure> {
    match &arguments.what {
        EmulateWhat::Up(what) => up(what, output),
        EmulateWhat::Down(what) => take_down(what, output),
        EmulateWhat::Run(what) => run_program(what),
        EmulateWhat::Counters(what) => count(what, output),
        EmulateWhat::Validate(what) => emulate_validate::run(what, output),
    }
}

/// A network that can be built.
pub struct ReadyNetwork {
    pub choice: Choice,
    pub network: NetworkUnderTest,
    pub plan: Plan,
}

impl ReadyNetwork {
    /// Prepares a network, and refuses one that the machine cannot carry.
    pub fn new(spec: &str, cables: &Cables) -> Result<Self, Failure> {
        let wrong = |option: &str, error: UnitError| {
            Failure::input(format!("--{option}: {error}"), format!("write for example --{option} 5mbit"))
        };
        let host_rate = match cables.host_rate.as_deref() {
            Some("none") => Some("none".to_owned()),
            Some(text) => Some(parse_rate(text).map_err(|error| wrong("host-rate", error))?.to_string()),
            None => None,
        };
        let delay: Option<Seconds> = options::parse("delay", cables.delay.as_deref())?;
        let choice = Choice {
            spec: spec.to_owned(),
            routing: cables.routing.clone(),
            seed: cables.seed,
            hosts_per_switch: cables.hosts_per_switch,
            rate: parse_rate(&cables.rate).map_err(|error| wrong("rate", error))?,
            host_rate,
            delay: delay.map_or(0.0, Seconds::value),
        };
        let network = built(&choice, 0.0)?;
        let Some((topology, _)) = network.graph() else { unreachable!("it is a topology") };
        let plan = Plan::new(topology, &network.platform)?;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let budget = cables.packets.map_or(PACKETS_PER_CORE * cores as f64, |packets| packets as f64);
        plan.check_budget(&network.platform, budget)?;
        if cables.queue < 10_000 {
            let message = format!("--queue {}: it must be at least 10,000 bytes, six packets", cables.queue);
            return Err(Failure::input(message, "leave it out for a queue that drops nothing"));
        }
        Ok(Self { choice, network, plan })
    }

    /// Properties of the network's cables.
    pub fn settings(&self, cables: &Cables) -> Settings {
        let congestion = congestion();
        Settings { queue_bytes: cables.queue, delay: self.choice.delay, congestion, limited: true }
    }
}

/// The network for replays.
pub fn built(choice: &Choice, latency: f64) -> Result<NetworkUnderTest, Failure> {
    let choice = choice.network(latency).map_err(|error| Failure::input(error, "choose another rate"))?;
    Ok(choice.build(Path::new(""))?)
}

/// Replays a trace on an emulated network; returns its seconds, and the bytes on each cable.
pub fn predict(choice: &Choice, trace: &Trace, model: &ModelChoice) -> Result<(f64, Vec<u64>), Failure> {
    let (model, _): (engine::Model, _) = model.build()?;
    let latency = if model.network.message_latency.is_none() { LATENCY } else { 0.0 };
    let network = built(choice, latency)?;
    let platform: &Platform = &network.platform;
    let (ranks, hosts) = (trace.ranks(), platform.hosts.len());
    let rank_map =
        Mapping::RoundRobin.rank_map(ranks, hosts).map_err(|error| Failure::input(error, "use other hosts"))?;
    let outcome = replay(trace, platform, &rank_map, &model, &mut ())
        .map_err(|error| Failure::replay(&platform.name, &error, trace))?;
    let is_cable = |kind| matches!(kind, LinkKind::Cable | LinkKind::OfHost);
    let cables = platform.links.iter().zip(&outcome.links).filter(|(link, _)| is_cable(link.kind));
    Ok((outcome.simulated_seconds, cables.map(|(_, traffic)| traffic.bytes).collect()))
}

/// Returns a model by name or file, without the set-up for hosts with several ranks in the first collective.
pub fn model(name: &str) -> Result<ModelChoice, Failure> {
    let chosen = options::named_model(name)?;
    if chosen.build()?.0.network.loggops.is_some() {
        return Err(Failure::input(format!("--model {name}: it has no links"), "choose another model, such as tcp"));
    }
    Ok(ModelChoice { smp_setup: Some(false), ..chosen })
}

fn up(arguments: &EmulateUp, output: &Output) -> Result<(), Failure> {
    let prefix = Prefix::new(&arguments.prefix)?;
    let ready = ReadyNetwork::new(&arguments.spec, &arguments.cables)?;
    check_machine("up", &["ip", "tc", "sh"])?;
    let stop = Stop::listen();
    tell_swept(output)?;
    let settings = ready.settings(&arguments.cables);
    let platform = &ready.network.platform;
    let network = EmulatedNetwork::build(prefix, &ready.plan, platform, ready.choice, &settings, false, &stop)?;
    let sheet = report::up(&arguments.prefix, &network.state, &ready.plan, ready.plan.packets_per_second(platform));
    print(|out| output.format.sheet(&sheet, out))
}

/// Removes the remains of killed runs, and reports them.
pub fn tell_swept(output: &Output) -> Result<(), Failure> {
    for prefix in sweep()? {
        if !output.quiet {
            say(&format!("removed the network `{}` of a run that was killed", prefix.as_str()));
        }
    }
    Ok(())
}

fn take_down(arguments: &EmulateDown, output: &Output) -> Result<(), Failure> {
    let prefix = Prefix::new(&arguments.prefix)?;
    check_machine("down", &["ip"])?;
    let removed = down(prefix)?;
    tell_swept(output)?;
    print(|out| output.format.sheet(&report::down(&arguments.prefix, removed), out))
}

fn run_program(arguments: &EmulateRun) -> Result<(), Failure> {
    let prefix = Prefix::new(&arguments.prefix)?;
    let needed = ["ip", "unshare", "setpriv", "sh"];
    check_machine("run", &needed)?;
    let launcher = launch::check_command(&arguments.command)?;
    let compiler = record::find_compiler(arguments.mpicc.as_deref(), &arguments.command)?;
    let stop = Stop::listen();
    let mut network = EmulatedNetwork::open(prefix)?;
    let result = (|| {
        let scratch = network.scratch()?;
        let idle = launch::compile_idle(&compiler, &scratch)?;
        network.note_counters()?;
        let launch = Launch { preload: vec![idle], ..Launch::default() };
        let command = network.command(&arguments.command, launcher, &launch)?;
        watch(command, false, &stop, None).map_err(|error| {
            EmulateError::Launcher(format!("`{}` cannot be started: {error}", arguments.command[0].to_string_lossy()))
        })
    })();
    network.remove_scratch()?;
    match result?.ended {
        Ended::With(status) if status.success() => Ok(()),
        Ended::With(status) => {
            let code = exit_code(status);
            Err(Failure::command(code, format!("the command ended with {code}"), ""))
        }
        Ended::TimedOut | Ended::Interrupted => Err(EmulateError::Interrupted.into()),
    }
}

fn count(arguments: &EmulateCounters, output: &Output) -> Result<(), Failure> {
    let prefix = Prefix::new(&arguments.prefix)?;
    check_machine("counters", &["ip", "tc"])?;
    let network = EmulatedNetwork::open(prefix)?;
    let counts = counters::read(&network.state)?;
    let predicted = match &arguments.trace {
        None => None,
        Some(file) => {
            let how = trace::Options::default();
            let waiting = progress::counted(format!("reading {}", file.display()), &how.steps, output.quiet);
            let workload = Workload::read(file, &how);
            waiting.finish_and_clear();
            let bytes = predict(&network.state.choice, &workload?.trace, &model(&arguments.model)?)?.1;
            if bytes.len() != counts.len() {
                let message = format!("the network has {} links, and its replay {}", counts.len(), bytes.len());
                return Err(Failure::input(message, "build the network again with this version"));
            }
            Some(bytes)
        }
    };
    let sheet = report::counters(&network.state, &counts, predicted.as_deref());
    print(|out| output.format.sheet(&sheet, out))
}
