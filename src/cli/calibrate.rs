//! `mopsim calibrate`: constants of a network model from measured message times.

use super::args::{Calibrate, Output};
use super::failure::Failure;
use super::files::{self, Outputs};
use super::{options, print, say, side_files, supervised};
use mopsim::calibrate::{self, Route, Series};
use mopsim::platform::units::{Bandwidth, Seconds};
use mopsim::record as recorder;
use mopsim::report::calibrate as report;
use mopsim::report::html::CalibrationPage;
use mopsim::report::model::{self, Curve, ModelLink};
use std::path::Path;
use std::process::Command;

pub fn run(arguments: &Calibrate, output: &Output) -> Result<(), Failure> {
    if arguments.host {
        return super::calibrate_host::run(arguments, output);
    }
    if arguments.run && arguments.command.is_empty() {
        let help = "give the command that starts two ranks, e.g. `mopsim calibrate --run -- mpirun -n 2 --host a,b`";
        return Err(Failure::input("--run has no command", help));
    }
    Outputs::default()
        .report("--output", arguments.output.as_deref(), arguments.force)
        .report("--svg", arguments.svg.as_deref(), arguments.force)
        .report("--html", arguments.html.as_deref(), arguments.force)
        .creating("--measurements", arguments.measurements.as_deref(), arguments.force)
        .check(|| arguments.files.clone())?;
    let bandwidth: Option<Bandwidth> = options::parse("link-bandwidth", arguments.link_bandwidth.as_deref())?;
    let latency: Option<Seconds> = options::parse("link-latency", arguments.link_latency.as_deref())?;
    let route = Route { bandwidth: bandwidth.map(Bandwidth::value), latency: latency.map(Seconds::value) };
    let mut series: Vec<Series> = Vec::new();
    for file in &arguments.files {
        series.extend(calibrate::read(file)?);
    }
    if arguments.run {
        let text = measured(arguments)?;
        if let Some(file) = &arguments.measurements {
            files::report(file, |out| out.write_all(text.as_bytes()))?;
        }
        let name = arguments.measurements.as_deref().unwrap_or(Path::new("--run"));
        series.extend(calibrate::read_from(&text, name)?);
    }
    let fitted = calibrate::fit(&series, route)?;
    let residuals = calibrate::residuals(&series, &fitted)?;
    let toml = fitted.toml(&calibrate::in_words(&series, &residuals));
    if let Some(file) = &arguments.output {
        files::report(file, |out| out.write_all(toml.as_bytes()))?;
        if !output.quiet {
            say(&format!("{0} is for --model, or for model = \"{0}\" of a study or a network", files::name(file)));
        }
    }
    if let Some(file) = &arguments.svg {
        let curves = curves(&series, &residuals);
        let link = ModelLink { bandwidth: fitted.bandwidth, latency: fitted.route_latency };
        files::report(file, |out| out.write_all(model::svg(link, &curves).as_bytes()))?;
    }
    if let Some(file) = &arguments.html {
        let command = side_files::command_line();
        let page = CalibrationPage {
            series: &series,
            fitted: &fitted,
            residuals: &residuals,
            toml: &toml,
            command: Some(&command),
        };
        files::report(file, |out| page.write(out))?;
    }
    print(|out| output.format.sheet(&report::sheet(&series, &fitted, &residuals), out))
}

/// Returns the measured and modelled times of each series.
fn curves(series: &[Series], residuals: &[calibrate::Residual]) -> Vec<Curve> {
    let mut curves = Vec::new();
    for (number, series) in series.iter().enumerate() {
        let of = |value: fn(&calibrate::Residual) -> f64| {
            let own = residuals.iter().filter(|residual| residual.series == number && residual.bytes > 0);
            let mut points: Vec<(u32, f64)> = own.map(|residual| (residual.bytes, value(residual))).collect();
            points.sort_by_key(|point| point.0);
            points
        };
        let name = series.kind.name();
        for (what, points) in
            [("measured", of(|residual| residual.measured)), ("model", of(|residual| residual.modelled))]
        {
            curves.push(Curve { name: format!("{name}, {what}"), points });
        }
    }
    curves
}

/// Compiles the benchmark, starts it by the user's command, and returns its output.
fn measured(arguments: &Calibrate) -> Result<String, Failure> {
    let compiler = recorder::find_compiler(arguments.mpicc.as_deref(), &arguments.command)?;
    let stop = supervised::StopSignal::listen();
    let folder = tempfile::tempdir().map_err(|error| Failure::file("make", &std::env::temp_dir(), &error))?;
    let compiled =
        recorder::compile_program(&compiler, folder.path(), calibrate::PROGRAM_NAME, calibrate::PROGRAM, &["-O2"]);
    // The terminal sends Ctrl-C to the compiler as well, which then fails.
    stop.check()?;
    let (first, rest) = arguments.command.split_first().expect("it was checked that there is a command");
    let name = first.to_string_lossy().into_owned();
    let mut command = Command::new(first);
    command.args(rest).arg(compiled?);
    let (status, text) = supervised::output(command, &stop)?.map_err(|error| {
        Failure::input(format!("`{name}` cannot be started: {error}"), "check the command behind --")
    })?;
    if !status.success() {
        let help = "what the command printed says why; it has to start two ranks of the program that is appended to it";
        return Err(Failure::input(format!("`{name}` ends with {status}"), help));
    }
    Ok(text)
}
