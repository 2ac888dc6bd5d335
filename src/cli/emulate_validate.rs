//! `mopsim emulate validate`: measured times of MPI programs compared with those of their replays.

use super::args::{EmulateValidate, Output};
use super::emulate::{ReadyNetwork, model, predict, tell_swept};
use super::failure::Failure;
use super::supervised::exit_code;
use super::{files, print, say};
use mopsim::emulate::build::{EmulatedNetwork, check_machine};
use mopsim::emulate::commands::Settings;
use mopsim::emulate::compare::{Comparison, Predicted};
use mopsim::emulate::launch::{self, EAGER_LIMIT, Launch, PINNED};
use mopsim::emulate::{EmulateError, Ended, Prefix, Stop, Watched, counters, watch};
use mopsim::record;
use mopsim::report::emulate as report;
use mopsim::report::sheet::Datum;
use mopsim::study::choice::ModelChoice;
use mopsim::topology::input::read_bytes;
use mopsim::trace::{self, Trace, recording};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Largest file of commands, in bytes.
const MAX_COMMANDS: u64 = 1 << 20;

/// Number of lines of a failed program that are shown.
const SHOWN: usize = 8;

/// A program to measure.
struct MeasuredProgram {
    name: String,
    command: Vec<OsString>,
    launcher: usize,
}

/// Common parts of all runs of programs.
struct Runs<'a> {
    arguments: &'a EmulateValidate,
    stop: &'a Stop,
    compiler: PathBuf,
    is_quiet: bool,
}

pub fn run(arguments: &EmulateValidate, output: &Output) -> Result<(), Failure> {
    let prefix = Prefix::new(&arguments.prefix)?;
    if !(0.0..=60.0).contains(&arguments.pause) {
        let message = format!("--pause {}: it must be from 0 to 60 seconds", arguments.pause);
        return Err(Failure::input(message, "leave it out for 0.3 s"));
    }
    let models = models(arguments)?;
    let ready: Vec<ReadyNetwork> =
        arguments.specs.iter().map(|spec| ReadyNetwork::new(spec, &arguments.cables)).collect::<Result<_, _>>()?;
    check_machine("validate", &["ip", "tc", "sh", "unshare", "setpriv"])?;
    let programs = programs(arguments)?;
    let compiler = record::find_compiler(arguments.mpicc.as_deref(), &programs[0].command)?;
    let stop = Stop::listen();
    tell_swept(output)?;
    let runs = Runs { arguments, stop: &stop, compiler, is_quiet: output.quiet };

    let traces = runs.record_all(&prefix, &ready[0], &programs)?;
    let mut comparison = Comparison {
        programs: programs.iter().map(|program| program.name.clone()).collect(),
        networks: arguments.specs.clone(),
        measured: vec![Vec::new(); programs.len()],
        predicted: Vec::new(),
        overhead: vec![Vec::new(); programs.len()],
    };
    let mut carried = Vec::new();
    for network in &ready {
        let (seconds, bytes) = runs.measure_all(&prefix, network, &programs, &traces)?;
        seconds.into_iter().enumerate().for_each(|(program, seconds)| comparison.measured[program].push(seconds));
        carried.push(bytes);
    }
    for (index, (name, choice)) in models.iter().enumerate() {
        let mut predicted = Predicted { model: name.clone(), seconds: Vec::new() };
        for (program, trace) in traces.iter().enumerate() {
            let mut row = Vec::new();
            for (network, carried) in ready.iter().zip(&carried) {
                stop.check()?;
                let (seconds, bytes) = predict(&network.choice, trace, choice)?;
                row.push(seconds);
                if index == 0 {
                    let bytes: u64 = bytes.iter().sum();
                    let ratio = (bytes > 0).then(|| carried[program] / bytes as f64);
                    comparison.overhead[program].push(ratio);
                }
            }
            predicted.seconds.push(row);
        }
        comparison.predicted.push(predicted);
    }
    stop.check()?;
    let sheet = report::validate(&comparison, conditions(arguments, &traces), notes(arguments));
    print(|out| output.format.sheet(&sheet, out))
}

/// Returns the models, with the protocol and the algorithms of the measured programs unless their files choose others.
fn models(arguments: &EmulateValidate) -> Result<Vec<(String, ModelChoice)>, Failure> {
    let names = if arguments.model.is_empty() { vec!["tcp".to_owned()] } else { arguments.model.clone() };
    let held = |name: String| {
        let mut choice = model(&name)?;
        // Messages of exactly the limit are still sent eagerly.
        choice.detached_below = choice.detached_below.or(Some(arguments.eager_limit.unwrap_or(EAGER_LIMIT) + 1));
        if arguments.library_collectives {
            choice.collectives = choice.collectives.or(Some("ompi".to_owned()));
        } else {
            for (operation, _, algorithm) in PINNED {
                let chosen = choice.collective.entry(operation.replace('_', ""));
                chosen.or_insert_with(|| algorithm.to_owned());
            }
        }
        choice.build()?;
        Ok((name, choice))
    };
    names.into_iter().map(held).collect()
}

/// Returns the programs, from the command line or from a file.
fn programs(arguments: &EmulateValidate) -> Result<Vec<MeasuredProgram>, Failure> {
    let Some(file) = &arguments.commands else {
        let name = record::program_of(&arguments.command).unwrap_or_else(|| "program".to_owned());
        let launcher = launch::check_command(&arguments.command)?;
        return Ok(vec![MeasuredProgram { name, command: arguments.command.clone(), launcher }]);
    };
    let bytes = read_bytes(file, MAX_COMMANDS)?;
    let text = String::from_utf8_lossy(&bytes);
    let mut programs: Vec<MeasuredProgram> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let place = format!("{}:{}", file.display(), number + 1);
        let help = "write a line for each program, for example `halo: mpirun -n 16 ./halo 100`";
        let Some((name, command)) = line.split_once(": ") else {
            return Err(Failure::input(format!("{place}: there is no `NAME: ` in it"), help));
        };
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.+".contains(c);
        if name.is_empty() || name.starts_with('.') || !name.chars().all(is_plain) {
            let message = format!("{place}: `{name}` is no name of letters, digits, `-`, `_`, `.` and `+`");
            return Err(Failure::input(message, help));
        }
        if programs.iter().any(|program| program.name == name) {
            return Err(Failure::input(
                format!("{place}: there is another program `{name}`"),
                "give each its own name",
            ));
        }
        let command: Vec<OsString> = command.split_whitespace().map(OsString::from).collect();
        let launcher = launch::check_command(&command).map_err(|error| Failure::from(error).about(&place))?;
        programs.push(MeasuredProgram { name: name.to_owned(), command, launcher });
    }
    if programs.is_empty() {
        return Err(Failure::input(format!("{}: there is no program in it", file.display()), "write one on each line"));
    }
    Ok(programs)
}

fn conditions(arguments: &EmulateValidate, traces: &[Trace]) -> report::Conditions {
    let text = |text: &str| Datum::Text(text.to_owned());
    let ranks = traces.iter().map(|trace| trace.ranks() as u64).max().unwrap_or(0);
    let cables = &arguments.cables;
    vec![
        ("ranks", "ranks", Datum::Count(ranks)),
        ("rate", "rate of cables", text(&cables.rate)),
        ("host_rate", "rate of host links", text(cables.host_rate.as_deref().unwrap_or(&cables.rate))),
        ("repetitions", "repetitions", Datum::Count(arguments.repetitions.into())),
        ("eager_limit", "eager limit (bytes)", Datum::Count(arguments.eager_limit.unwrap_or(EAGER_LIMIT))),
        ("pinned_collectives", "collectives pinned", Datum::Flag(!arguments.library_collectives)),
        ("pause_seconds", "pause (s)", Datum::Number(arguments.pause, 1)),
    ]
}

fn notes(arguments: &EmulateValidate) -> Vec<String> {
    let mut notes = vec![
        "measured times are medians; an error of times and ratios is a factor less 1, so twice or half is 100 %"
            .to_owned(),
        "pairs are networks whose measured times differ by more than 10 %".to_owned(),
    ];
    if arguments.library_collectives {
        notes.push(
            "replays choose collectives by the table `ompi`, unless a model names another; it may differ from the Open MPI \
             that was measured"
                .to_owned(),
        );
    }
    notes
}

impl Runs<'_> {
    fn tell(&self, line: &str) {
        if !self.is_quiet {
            say(line);
        }
    }

    /// Records all programs on a network without rates.
    fn record_all(
        &self,
        prefix: &Prefix,
        ready: &ReadyNetwork,
        programs: &[MeasuredProgram],
    ) -> Result<Vec<Trace>, Failure> {
        let kept = |program: &MeasuredProgram| {
            let folder = self.arguments.recordings.as_ref()?.join(format!("{}.mrec", program.name));
            folder.is_dir().then_some(folder)
        };
        let read = |folder: &Path| trace::read(folder, &trace::Options::default()).map_err(Failure::from);
        let mut traces = Vec::new();
        let mut network = None;
        for program in programs {
            traces.push(match kept(program) {
                Some(folder) => read(&folder),
                None => {
                    if network.is_none() {
                        let settings =
                            Settings { limited: false, delay: 0.0, ..ready.settings(&self.arguments.cables) };
                        network = Some(self.build(prefix, ready, &settings)?);
                    }
                    let Some(network) = &mut network else { unreachable!("it was just built") };
                    self.tell(&format!("recording {}", program.name));
                    self.record(network, program).and_then(|folder| read(&folder))
                }
            });
            if traces.last().is_some_and(Result::is_err) {
                break;
            }
        }
        if let Some(network) = network {
            network.take_down()?;
        }
        traces.into_iter().collect()
    }

    fn build(&self, prefix: &Prefix, ready: &ReadyNetwork, settings: &Settings) -> Result<EmulatedNetwork, Failure> {
        let (plan, platform) = (&ready.plan, &ready.network.platform);
        Ok(EmulatedNetwork::build(prefix.clone(), plan, platform, ready.choice.clone(), settings, true, self.stop)?)
    }

    /// Records a program, and returns the folder.
    fn record(&self, network: &mut EmulatedNetwork, program: &MeasuredProgram) -> Result<PathBuf, Failure> {
        let scratch = network.scratch()?;
        let source = scratch.join("recorder");
        let folder = scratch.join(format!("{}.mrec", program.name));
        for folder in [&source, &folder] {
            fs::create_dir_all(folder).map_err(|error| Failure::file("make", folder, &error))?;
        }
        let library = record::compile(&self.compiler, &source)?;
        let idle = launch::compile_idle(&self.compiler, &scratch)?;
        let mut launch = self.launch(vec![library, idle]);
        launch.environment.push(("MOPSIM_RECORD_DIR".to_owned(), folder.clone().into()));
        if self.arguments.cpu_time {
            launch.environment.push(("MOPSIM_RECORD_CPU_TIME".to_owned(), "1".into()));
        }
        self.start(network, program, &launch)?;
        let summary = recording::summary(&folder)?;
        let whole = summary.recorded.iter().filter(|rank| rank.is_whole).count();
        if summary.ranks == 0 || whole != summary.ranks as usize {
            let message = format!("{}: {whole} of {} ranks were recorded", program.name, summary.ranks);
            let help = "the program must link the MPI library dynamically, and call MPI_Init and MPI_Finalize";
            return Err(Failure::input(message, help));
        }
        for name in ["begun", "second"] {
            let _ = fs::remove_file(folder.join(name));
        }
        match &self.arguments.recordings {
            None => Ok(folder),
            Some(all) => {
                let kept = all.join(format!("{}.mrec", program.name));
                files::copy_folder(&folder, &kept)?;
                Ok(kept)
            }
        }
    }

    fn launch(&self, preload: Vec<PathBuf>) -> Launch {
        Launch {
            preload,
            environment: Vec::new(),
            eager_limit: self.arguments.eager_limit,
            pinned: !self.arguments.library_collectives,
            urgent: true,
        }
    }

    /// Runs a program to its end.
    fn start(&self, network: &mut EmulatedNetwork, program: &MeasuredProgram, launch: &Launch) -> Result<(), Failure> {
        let command = network.command(&program.command, program.launcher, launch)?;
        let limit = Some(Duration::from_secs(self.arguments.timeout));
        let Watched { ended, output, errors } =
            watch(command, true, self.stop, limit).map_err(|error| EmulateError::Launcher(error.to_string()))?;
        let last = || {
            let lines: Vec<&str> =
                output.lines().chain(errors.lines()).filter(|line| !line.trim().is_empty()).collect();
            lines[lines.len().saturating_sub(SHOWN)..].join("\n  ")
        };
        match ended {
            Ended::Interrupted => Err(EmulateError::Interrupted.into()),
            Ended::TimedOut => {
                let message = format!("{} took longer than {} s", program.name, self.arguments.timeout);
                Err(Failure::input(message, "give it less to do, raise --rate, or raise --timeout"))
            }
            Ended::With(status) if status.success() => Ok(()),
            Ended::With(status) => {
                let message = format!("{} ended with {}:\n  {}", program.name, exit_code(status), last());
                Err(Failure::input(message, "run it alone first: mopsim emulate up, mopsim emulate run"))
            }
        }
    }

    /// Measures all programs on a network; returns the seconds of each repetition, and the bytes on all cables per run.
    fn measure_all(
        &self,
        prefix: &Prefix,
        ready: &ReadyNetwork,
        programs: &[MeasuredProgram],
        traces: &[Trace],
    ) -> Result<(Vec<Vec<f64>>, Vec<f64>), Failure> {
        let mut network = self.build(prefix, ready, &ready.settings(&self.arguments.cables))?;
        let result = self.measure(&mut network, programs, traces);
        network.take_down()?;
        result
    }

    fn measure(
        &self,
        network: &mut EmulatedNetwork,
        programs: &[MeasuredProgram],
        traces: &[Trace],
    ) -> Result<(Vec<Vec<f64>>, Vec<f64>), Failure> {
        let scratch = network.scratch()?;
        let libraries =
            vec![launch::compile_timer(&self.compiler, &scratch)?, launch::compile_idle(&self.compiler, &scratch)?];
        let mut seconds = vec![Vec::new(); programs.len()];
        let mut bytes = vec![0.0; programs.len()];
        // Programs alternate, so that a temporary disturbance of the machine does not affect all runs of one program.
        for repetition in 0..self.arguments.repetitions {
            for (index, program) in programs.iter().enumerate() {
                let folder = scratch.join(format!("times-{index}-{repetition}"));
                fs::create_dir_all(&folder).map_err(|error| Failure::file("make", &folder, &error))?;
                let mut launch = self.launch(libraries.clone());
                launch.environment.push(("MOPSIM_EMULATE_TIMES".to_owned(), folder.clone().into()));
                launch.environment.push(("MOPSIM_EMULATE_PAUSE".to_owned(), self.arguments.pause.to_string().into()));
                network.note_counters()?;
                self.start(network, program, &launch)?;
                let counts = counters::read(&network.state)?;
                let all: u64 = network.state.bytes_since(&counts).iter().sum();
                bytes[index] += all as f64 / f64::from(self.arguments.repetitions);
                let measured = launch::measured_seconds(&folder, traces[index].ranks()).map_err(|what| {
                    Failure::input(
                        format!("{}: {what}", program.name),
                        "it must use as many ranks as when it was recorded, and call MPI_Finalize",
                    )
                })?;
                self.tell(&format!("{} on {}: {measured:.3} s", program.name, network.state.choice.spec));
                seconds[index].push(measured);
            }
        }
        Ok((seconds, bytes))
    }
}
