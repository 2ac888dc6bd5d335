//! Common parts of `compare` and `merge`: a study from a file and flags, and the report on it.

use super::args::{Output, StudyFlags};
use super::failure::Failure;
use super::packets::Written;
use super::{inputs, options, packets, print_report, progress, say, side_files, topology};
use mopsim::ledger::Shard;
use mopsim::packets::points::{PointRecord, Points};
use mopsim::packets::work::Part;
use mopsim::report::number;
use mopsim::steps::Steps;
use mopsim::study::comparison::Comparison;
use mopsim::study::network::{NetworkChoice, NetworkUnderTest};
use mopsim::study::packet_sweep::PacketCurves;
use mopsim::study::perturb;
use mopsim::study::results::ResultsFile;
use mopsim::study::{Overrides, Study, WrittenStudy, mapping};
use mopsim::topology::Spec;
use mopsim::traffic;
use mopsim::user_error::UserError;
use rayon::ThreadPool;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

/// Returns the changes of the flags to the study, checked as far as possible without its file.
pub fn overrides(flags: &StudyFlags) -> Result<Overrides, Failure> {
    let perturb = match &flags.perturbation.perturb {
        None => None,
        Some(text) => {
            let amplitudes = perturb::amplitudes(text).map_err(|rule| {
                Failure::input(format!("--perturb `{text}` {rule}"), "give a value that the rule above allows")
            })?;
            Some((amplitudes, flags.perturbation.samples as usize))
        }
    };
    let overrides = Overrides {
        steps: Steps::default(),
        model: options::model(&flags.model)?,
        network: options::network(&flags.network)?,
        networks: networks(flags)?,
        placement: options::placement(&flags.network, &flags.placement),
        seed: flags.network.seed,
        perturb,
        patterns: flags.files.pattern.clone(),
        sensitivity: flags.sensitivity,
        cross_check: flags.cross_check,
        check_iterations: flags.check_iterations,
        until_steady: flags.until_steady,
        only_as_stated: false,
        prices: flags.prices.prices.as_deref().map(topology::prices).transpose()?,
        prices_of_site: None,
    };
    // Before the study is read, a wrong choice can only be from the command line.
    overrides.model.build()?;
    mapping(overrides.placement.rule.as_deref(), overrides.seed)?;
    for pattern in &overrides.patterns {
        traffic::check(pattern)
            .map_err(|error| Failure::input(format!("--pattern {pattern}: {error}"), error.help()))?;
    }
    Ok(overrides)
}

/// Reads a study file, but not yet the files that it names.
pub fn written(file: &Path) -> Result<WrittenStudy, Failure> {
    WrittenStudy::read(file).map_err(|error| Failure::study(&error, &[]))
}

/// Builds a study with the changes of the flags.
pub fn read(flags: &StudyFlags, written: WrittenStudy, output: &Output) -> Result<Study, Failure> {
    let mut overrides = overrides(flags)?;
    overrides.prices_of_site = output.site.price_list()?;
    let mut study = built(written, overrides, output)?;
    let has_several = |network: &NetworkUnderTest| network.topology.as_ref().is_some_and(|t| t.rails.is_some());
    options::check_rail(options::asks_for_rail(&flags.network), study.networks.iter().any(has_several))?;
    side_files::check_cell(&flags.files, &study)?;
    study.explain = !flags.no_explain;
    if !output.quiet {
        if study.traffic.is_some() && flags.files.html.is_none() {
            say("the study asks for throughput under synthetic traffic, which only the report of --html FILE shows");
        }
        warn(&study, study.networks.iter().flat_map(NetworkUnderTest::warnings));
    }
    Ok(study)
}

/// Reads the traces of a study and builds its networks, with the parameters and the model of the site where nothing else
/// sets them.
pub fn built(written: WrittenStudy, mut overrides: Overrides, output: &Output) -> Result<Study, Failure> {
    let file = written.path.clone();
    overrides.network.site = output.site.parameters.clone();
    overrides.model = output.site.beneath(overrides.model);
    let steps = overrides.steps.clone();
    let waiting = progress::counted("reading traces and building networks", &steps, output.quiet);
    let study = Study::build(written, overrides);
    waiting.finish_and_clear();
    study.map_err(|error| Failure::study(&error, &[]).in_study(&file))
}

/// Prints these warnings about networks, and those about the traces of a study.
pub fn warn(study: &Study, of_networks: impl IntoIterator<Item = String>) {
    of_networks.into_iter().for_each(|warning| say(&format!("warning: {warning}")));
    let of_traces = study.workloads.iter().flat_map(|w| &w.trace.warnings);
    of_traces.for_each(|warning| say(&format!("warning: {warning}")));
    study.warnings().for_each(|warning| say(&format!("warning: {warning}")));
}

/// Returns the networks of the command line. Their files are relative to the working folder, those of a study to its
/// own.
fn networks(flags: &StudyFlags) -> Result<Vec<NetworkChoice>, Failure> {
    let here = std::env::current_dir().map_err(|error| Failure::file("find", Path::new("."), &error))?;
    let topologies = flags.topology.iter().map(|text| {
        let spec: Spec = text.parse()?;
        let mut found = spec.clone();
        found.resolve_files(&here);
        // A topology without a file is kept as written: a missing seed stays open, and the study may vary it.
        let (name, topology) = match found.to_string() {
            found if found == spec.to_string() => (None, text.clone()),
            found => (Some(text.clone()), found),
        };
        Ok(NetworkChoice { name, topology: Some(topology), ..NetworkChoice::default() })
    });
    let platforms = flags.platform.iter().map(|file| {
        Ok(NetworkChoice {
            name: Some(file.display().to_string()),
            platform: Some(here.join(file)),
            ..NetworkChoice::default()
        })
    });
    topologies.chain(platforms).collect()
}

/// Returns the input files: the study, and all files that it and the flags name.
pub fn files_read(flags: &StudyFlags, written: &WrittenStudy) -> Vec<PathBuf> {
    let mut files = inputs::study(written);
    files.extend([&flags.placement.hostfile, &flags.placement.rankfile].into_iter().flatten().cloned());
    files.extend(networks(flags).unwrap_or_default().iter().flat_map(|choice| inputs::network(choice, Path::new(""))));
    files.extend(flags.prices.prices.clone());
    files.extend(flags.files.pattern.iter().flat_map(|pattern| inputs::pattern(pattern, Path::new(""))));
    files
}

/// Packets of the table `[packets]` of a study.
pub struct Swept {
    /// Curves, if the study has the table; those of a shard lack runs.
    pub curves: Option<PacketCurves>,
    /// Number of runs in the results file, if the study has the table and the file.
    pub runs: Option<usize>,
    /// `true` if the runs were stopped before their end.
    pub is_stopped: bool,
}

/// Runs the packets of the table `[packets]` that a shard lacks, if the study has one. `known` are the runs in the results
/// file.
pub fn packets(
    study: &Study,
    known: &Points,
    (shard, file): (Shard, Option<(&ResultsFile, &Path)>),
    pool: &ThreadPool,
    stop: &AtomicBool,
    output: &Output,
) -> Result<Swept, Failure> {
    if study.sweep.is_none() {
        return Ok(Swept { curves: None, runs: None, is_stopped: false });
    }
    let begin = Instant::now();
    let bar = packets::bar(study.packet_runs(known, shard), output.quiet);
    let counted = AtomicUsize::new(known.len());
    let keep = |record: &PointRecord| {
        file.map_or(Ok(()), |(file, _)| file.append_run(record))?;
        counted.fetch_add(1, Ordering::Relaxed);
        Ok(())
    };
    let done = |what: &str| packets::ran(&bar, what);
    let part = Part { known, shard, first_piece: study.cells(), keep: &keep, done: &done, stop };
    let curves = pool.install(|| study.packet_curves(&part, file.map(|(_, path)| path)));
    bar.finish_and_clear();
    let curves = curves?;
    if !output.quiet {
        let runs = number::grouped((counted.load(Ordering::Relaxed) - known.len()) as u64);
        say(&format!("packets: {runs} runs in {} of wall time", number::seconds(begin.elapsed().as_secs_f64())));
    }
    let runs = file.map(|_| counted.into_inner());
    Ok(Swept { is_stopped: curves.is_none(), curves, runs })
}

/// Warns of flags without effect on a shard, which ends without a report. They are not errors: the same command, with
/// another number, makes all shards and the report.
pub fn warn_of_unwritten(shard: Shard, files: &Written<'_>, output: &Output) {
    if shard == Shard::WHOLE || output.quiet {
        return;
    }
    let given = [
        ("--html", files.html.is_some()),
        ("--json", files.json.is_some()),
        ("--csv", files.csv.is_some()),
        ("--format", !output.is_text()),
    ];
    let given: Vec<&str> = given.into_iter().filter(|(_, given)| *given).map(|(option, _)| option).collect();
    if !given.is_empty() {
        let options = given.join(", ");
        say(&format!("warning: a shard has no report: what {options} asks for is written by `mopsim merge`"));
    }
}

/// Prints the report, and writes the requested files.
pub fn report(flags: &StudyFlags, study: &Study, comparison: &Comparison, output: &Output) -> Result<(), Failure> {
    // A failure to write one does not lose the other.
    let printed = print_report(output, &study.from_site(), |out| output.format.compare(comparison, out));
    side_files::write(flags, study, comparison, output)?;
    printed?;
    if comparison.unmatched {
        return Err(Failure::unmatched(&comparison.title, &comparison.notes));
    }
    Ok(())
}
