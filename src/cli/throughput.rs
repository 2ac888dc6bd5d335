//! `mopsim throughput`: what networks carry under synthetic traffic.

use super::args::{Floor, Output};
use super::failure::Failure;
use super::files::{self, Outputs};
use super::{inputs, options, print};
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use mopsim::platform::HostsPerSwitch;
use mopsim::report::ThroughputReport;
use mopsim::report::throughput::{html, svg};
use mopsim::study::toml_file;
use mopsim::throughput::ThroughputError;
use mopsim::throughput::study::{NetworkEntry, StudyFile};
use mopsim::traffic::PATTERNS;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Debug, Args)]
#[command(after_help = help())]
pub struct Throughput {
    /// Topologies, e.g. torus:8x8 random:n=64,d=6; or a study file (TOML) that names networks and patterns
    #[arg(required = true, value_name = "SPEC")]
    pub specs: Vec<String>,
    /// Who sends to whom, e.g. uniform, transpose, tornado:k=8, hotspot:nodes=[0,5] (may be repeated) [default: uniform]
    #[arg(long, value_name = "PATTERN")]
    pub pattern: Vec<String>,
    /// Traffic matrix as one more pattern: rows of numbers, or lines `source destination weight` below such a heading
    #[arg(long, value_name = "FILE")]
    pub matrix: Vec<PathBuf>,
    /// What the ranks of a trace send to each other, as one more pattern; rank r is host r
    #[arg(long, value_name = "TRACE")]
    pub from_trace: Vec<PathBuf>,
    /// Table that says of which messages the collectives of a trace consist: mvapich2, ompi, mpich or default
    /// [default: mvapich2]
    #[arg(long, value_name = "TABLE")]
    pub collectives: Option<String>,
    /// How messages find their way: a routing of `mopsim topology --route`, or split (evenly over all shortest paths); may
    /// be repeated [default: bfs; d_mod_k for trees and Clos networks]
    #[arg(long, value_name = "RULE")]
    pub routing: Vec<String>,
    /// Hosts on each switch that bears hosts (in trees: on each leaf) [default: those of the topology, mostly 1]
    #[arg(long, value_name = "N")]
    pub hosts_per_switch: Option<u32>,
    /// Only the first so many hosts take part
    #[arg(long, value_name = "N")]
    pub endpoints: Option<u32>,
    /// Seed of random topologies, patterns and routings that have none of their own [default: 1]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Bound on what any routing can: auto (linear program where it takes seconds), quick (no program), lp, or flow (encloses
    /// the value, for larger networks) [default: auto]
    #[arg(long, value_name = "METHOD")]
    pub bound: Option<String>,
    /// How near the two values of --bound flow are to be, e.g. 0.02 [default: 0.01]
    #[arg(long, value_name = "PART", allow_hyphen_values = true)]
    pub bound_gap: Option<f64>,
    /// Number of bottleneck links to show [default: 5]
    #[arg(long, value_name = "N")]
    pub links: Option<usize>,
    #[command(flatten)]
    pub speeds: Speeds,
    #[command(flatten)]
    pub floor: Floor,
    #[command(flatten)]
    pub files: ThroughputFiles,
    /// Number of threads; 0: one for each core. The result does not depend on it
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(0..=4096))]
    pub threads: usize,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Speeds")]
pub struct Speeds {
    /// Bandwidth of a link between switches [default: 96 Gbit/s]
    #[arg(long, allow_hyphen_values = true, value_name = "BANDWIDTH")]
    pub link_bandwidth: Option<String>,
    /// Bandwidth of the link between a host and its switch, or none [default: that of the other links]
    #[arg(long, allow_hyphen_values = true, value_name = "BANDWIDTH")]
    pub host_link_bandwidth: Option<String>,
    /// Whether the directions of a two-way cable have a capacity each: full or shared [default: full]
    #[arg(long, value_name = "MODE")]
    pub duplex: Option<String>,
    /// Delay of a switch, e.g. "20 ns" [default: 60 ns]
    #[arg(long, allow_hyphen_values = true, value_name = "TIME")]
    pub switch_delay: Option<String>,
    /// Delay of a metre of cable [default: 5 ns]
    #[arg(long, allow_hyphen_values = true, value_name = "TIME")]
    pub cable_delay: Option<String>,
    /// Size of a packet, for the estimate of latency under load [default: 1056]
    #[arg(long, value_name = "BYTES")]
    pub packet_bytes: Option<u32>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Files")]
pub struct ThroughputFiles {
    /// Write a report for readers, too: one HTML file that needs nothing else
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Draw saturation and latency under load (SVG)
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Write the results as JSON, too
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write the results as CSV, too
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
}

/// Examples, and the list of patterns.
fn help() -> String {
    let mut text = String::from(
        "\
Examples:
  mopsim throughput torus:8x8 --pattern transpose --pattern tornado:k=8
  mopsim throughput torus:16x16 hypercube:8 --hosts-per-switch 8 --routing split
  mopsim throughput random:n=64,d=6 --from-trace traces/lu.A.64.it10.ti.zst
  mopsim throughput studies/throughput-256.toml --svg throughput.svg

Injection is what every source sends, in units of a link's bandwidth. At
saturation the first link is full. docs/throughput.md tells what is computed how.

Patterns:
",
    );
    for kind in PATTERNS {
        let parameters = kind.parameters.iter().map(|name| format!("[{name}]")).collect::<Vec<_>>().join(",");
        let name = if parameters.is_empty() { kind.name.to_owned() } else { format!("{}:{parameters}", kind.name) };
        let mut line = format!("  {name:<26}");
        if name.len() > 26 {
            text.push_str(&format!("  {name}\n"));
            line = " ".repeat(28);
        }
        let mut width = 28;
        for word in kind.help.split(' ') {
            if width + 1 + word.len() > 80 {
                text.push_str(line.trim_end());
                text.push('\n');
                line = " ".repeat(28);
                width = 28;
            }
            line.push(' ');
            line.push_str(word);
            width += 1 + word.len();
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text.pop();
    text
}

pub fn run(arguments: &Throughput, output: &Output) -> Result<(), Failure> {
    let files = &arguments.files;
    Outputs::reading(files_read(arguments))
        .replacing("--html", files.html.as_deref())
        .replacing("--svg", files.svg.as_deref())
        .replacing("--json", files.json.as_deref())
        .replacing("--csv", files.csv.as_deref())
        .check()?;
    let (study, file) = read(arguments)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(arguments.threads).build().map_err(|error| {
        Failure::input(format!("cannot start {} threads: {error}", arguments.threads), "Ask for fewer threads.")
    })?;
    let bar = ProgressBar::with_draw_target(
        Some(study.cells() as u64),
        if output.quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() },
    );
    let style = ProgressStyle::with_template("{bar:24} {pos}/{len}, {elapsed}; done: {msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.enable_steady_tick(Duration::from_millis(200));
    let result = pool.install(|| {
        study.run(&mut |what, cells| {
            bar.inc(cells as u64);
            bar.set_message(what.to_owned());
        })
    });
    bar.finish_and_clear();
    let cells = result.map_err(|failed| {
        let failure = Failure::from(*failed.error).about(&failed.network);
        match &file {
            Some(file) => failure.in_study(file),
            None => failure,
        }
    })?;
    let report = ThroughputReport::new(study.title.clone(), &study.speeds, cells);
    if let Some(file) = &files.html {
        let page = html::page(&report);
        files::replace(file, |out| out.write_all(page.as_bytes()))?;
    }
    if let Some(file) = &files.svg {
        let drawing = svg::draw(&report);
        files::replace(file, |out| out.write_all(drawing.as_bytes()))?;
    }
    for (file, format) in [(&files.json, "json"), (&files.csv, "csv")] {
        if let (Some(file), Some(reporter)) = (file, mopsim::report::format(format)) {
            files::replace(file, |out| reporter.throughput(&report, out))?;
        }
    }
    print(|out| options::reporter(output.format).throughput(&report, out))
}

/// The files that are read.
fn files_read(arguments: &Throughput) -> Vec<PathBuf> {
    let here = Path::new("");
    let mut files: Vec<PathBuf> = arguments
        .specs
        .iter()
        .flat_map(|spec| {
            if spec.ends_with(".toml") {
                inputs::throughput_study(Path::new(spec))
            } else {
                inputs::topology(spec, here)
            }
        })
        .collect();
    files.extend(arguments.matrix.iter().cloned());
    files.extend(arguments.from_trace.iter().flat_map(|file| inputs::trace(file)));
    files.extend(arguments.pattern.iter().flat_map(|pattern| inputs::pattern(pattern, here)));
    files
}

/// The study of the file, if one is given, with the flags over it.
fn read(arguments: &Throughput) -> Result<(mopsim::throughput::study::Study, Option<PathBuf>), Failure> {
    let is_study = |spec: &&String| Path::new(spec).extension().is_some_and(|extension| extension == "toml");
    let studies: Vec<&String> = arguments.specs.iter().filter(is_study).collect();
    if studies.len() > 1 {
        return Err(Failure::input("several study files are given", "give one; networks may stand beside it as SPEC"));
    }
    let flags = flags(arguments)?;
    let Some(file) = studies.first().map(PathBuf::from) else {
        return Ok((flags.check(PathBuf::new())?, None));
    };
    let written: StudyFile = toml_file::read(&file).map_err(|error| {
        if error.is_io() {
            return Failure::unreadable(&error, "check the path and its permissions");
        }
        Failure::input(error, "docs/throughput.md shows a whole study file")
    })?;
    // Files named on the command line are found from here, those in the study from where it is.
    let folder = file.parent().unwrap_or(Path::new("")).to_owned();
    let study = flags.over(written).check(folder).map_err(|error| Failure::from(error).in_study(&file))?;
    Ok((study, Some(file)))
}

/// The flags as a study.
fn flags(arguments: &Throughput) -> Result<StudyFile, Failure> {
    // Names of files on the command line are made absolute: those in a study file are relative to it.
    let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
    let in_file = |kind: &'static str| move |path: &PathBuf| format!("{kind}:{}", absolute(path).display());
    let mut patterns = arguments.pattern.clone();
    patterns.extend(arguments.matrix.iter().map(in_file("matrix")));
    patterns.extend(arguments.from_trace.iter().map(in_file("trace")));
    let list = |given: &[String]| (!given.is_empty()).then(|| given.to_vec());
    let speeds = &arguments.speeds;
    let no_host_links = speeds.host_link_bandwidth.as_deref() == Some("none");
    let host_link = speeds.host_link_bandwidth.as_deref().filter(|_| !no_host_links);
    let networks = arguments.specs.iter().filter(|spec| !spec.ends_with(".toml"));
    Ok(StudyFile {
        patterns: list(&patterns),
        routings: list(&arguments.routing),
        networks: networks.map(|spec| NetworkEntry { topology: spec.clone(), ..NetworkEntry::default() }).collect(),
        hosts_per_switch: arguments.hosts_per_switch.map(HostsPerSwitch::Uniform),
        endpoints: arguments.endpoints,
        seed: arguments.seed,
        link_bandwidth: options::parse("link-bandwidth", speeds.link_bandwidth.as_deref())?,
        host_link_bandwidth: options::parse("host-link-bandwidth", host_link)?,
        host_links: no_host_links.then_some(false),
        duplex: options::parse("duplex", speeds.duplex.as_deref())?,
        switch_delay: options::parse("switch-delay", speeds.switch_delay.as_deref())?,
        cable_delay: options::parse("cable-delay", speeds.cable_delay.as_deref())?,
        packet_bytes: speeds.packet_bytes,
        floor_plan: arguments.floor.floor_plan.clone(),
        switches_per_cabinet: arguments.floor.switches_per_cabinet,
        placement: arguments.floor.placement.clone(),
        bound: arguments.bound.clone(),
        bound_gap: arguments.bound_gap,
        collectives: arguments.collectives.clone(),
        links: arguments.links,
        ..StudyFile::default()
    })
}

impl From<ThroughputError> for Failure {
    fn from(error: ThroughputError) -> Self {
        let help = error.help();
        if error.is_io() { Self::unreadable(&error, help) } else { Self::input(error, help) }
    }
}
