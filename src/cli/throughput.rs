//! `mopsim throughput`: throughput of networks under synthetic traffic.

use super::args::{Output, Throughput, ThroughputFiles};
use super::failure::Failure;
use super::files::{self, Outputs};
use super::site::Site;
use super::{inputs, options, print, progress, side_files, write_report};
use mopsim::platform::HostsPerSwitch;
use mopsim::report::ThroughputReport;
use mopsim::report::site::{self, SiteDefault};
use mopsim::report::throughput::{html, svg};
use mopsim::study::toml_file;
use mopsim::throughput::study::{NetworkEntry, NetworkError, StudyFile};
use mopsim::topology::Spec;
use mopsim::traffic;
use mopsim::user_error::UserError;
use std::path::{Path, PathBuf};

pub fn run(arguments: &Throughput, output: &Output) -> Result<(), Failure> {
    let files = &arguments.files;
    let written = written(arguments)?;
    Outputs::default()
        .report("--html", files.html.as_deref(), files.force)
        .report("--svg", files.svg.as_deref(), files.force)
        .report("--json", files.json.as_deref(), files.force)
        .report("--csv", files.csv.as_deref(), files.force)
        .check(|| files_read(arguments, written.as_ref()))?;
    let (study, file, defaults) = read(arguments, written, &output.site)?;
    options::check_rail(arguments.speeds.rail.is_some(), study.has_several_ports())?;
    let pool = options::pool_for(arguments.threads, &output.site)?;
    let bar = progress::Answers::new(study.cells(), &study.options.steps, output.quiet);
    let result = pool.install(|| study.run(&mut |what, cells| bar.done(what, cells)));
    drop(bar);
    let failure = |failed: NetworkError| {
        let failure = Failure::from(*failed.error).about(&failed.network);
        match &file {
            Some(file) => failure.in_study(file),
            None => failure,
        }
    };
    let (cells, unanswered) = result.map_err(&failure)?;
    let reasons = unanswered.iter().map(ToString::to_string).collect();
    let report = ThroughputReport::new(study.title.clone(), &study.speeds, cells, reasons);
    // A failure to write one does not lose the other.
    let printed =
        print(|out| write_report(output.format, &defaults, out, |out| output.format.throughput(&report, out)));
    write(files, &report, &defaults)?;
    printed?;
    // Unanswered requests are in the report; scripts recognise them by the exit code.
    unanswered.into_iter().next().map_or(Ok(()), |first| Err(failure(first)))
}

/// Writes the requested files.
fn write(files: &ThroughputFiles, report: &ThroughputReport, defaults: &[SiteDefault]) -> Result<(), Failure> {
    if let Some(file) = &files.html {
        let page = html::page(report, Some(&side_files::command_line()))
            .map_err(|error| Failure::file("write", file, &error))?;
        let page = site::html(&page, defaults);
        files::report(file, |out| out.write_all(page.as_bytes()))?;
    }
    if let Some(file) = &files.svg {
        let drawing = svg::draw(report);
        files::report(file, |out| out.write_all(drawing.as_bytes()))?;
    }
    for (file, format) in [(&files.json, "json"), (&files.csv, "csv")] {
        if let (Some(file), Some(reporter)) = (file, mopsim::report::format(format)) {
            files::report(file, |out| write_report(reporter, defaults, out, |out| reporter.throughput(report, out)))?;
        }
    }
    Ok(())
}

/// Study file, and its contents.
type WrittenThroughput = (PathBuf, StudyFile);

/// Returns the study file of the command line, if there is one.
fn written(arguments: &Throughput) -> Result<Option<WrittenThroughput>, Failure> {
    let studies: Vec<&String> = arguments.specs.iter().filter(|spec| is_study(spec)).collect();
    if studies.len() > 1 {
        return Err(Failure::input("several study files are given", "give one; networks may follow as SPEC"));
    }
    let Some(file) = studies.first().map(PathBuf::from) else { return Ok(None) };
    match toml_file::read(&file) {
        Ok(study) => Ok(Some((file, study))),
        Err(error) if error.is_io() => Err(Failure::unreadable(&error, "check the path and its permissions")),
        Err(error) => Err(Failure::input(error, "docs/throughput.md shows a whole study file")),
    }
}

/// Returns the input files.
fn files_read(arguments: &Throughput, written: Option<&WrittenThroughput>) -> Vec<PathBuf> {
    let here = Path::new("");
    let networks = arguments.specs.iter().filter(|spec| !is_study(spec));
    let mut files: Vec<PathBuf> = networks.flat_map(|spec| inputs::topology(spec, here)).collect();
    files.extend(written.iter().flat_map(|(file, study)| inputs::throughput_study(file, study)));
    files.extend(arguments.matrix.iter().cloned());
    files.extend(arguments.from_trace.iter().flat_map(|file| inputs::trace(file)));
    let patterns = arguments.pattern.iter().flat_map(|text| options::patterns(text));
    files.extend(patterns.flat_map(|pattern| inputs::pattern(&pattern, here)));
    files
}

/// Fills in the defaults of the site where nothing else sets a value, and returns those that were taken.
fn with_site(mut study: StudyFile, site: &Site) -> (StudyFile, Vec<SiteDefault>) {
    let of_site = &site.parameters;
    let mut taken = Vec::new();
    fn fill<T: Clone>(own: &mut Option<T>, of_site: &Option<T>, key: &'static str, taken: &mut Vec<&'static str>) {
        if own.is_none() && of_site.is_some() {
            own.clone_from(of_site);
            taken.push(key);
        }
    }
    fill(&mut study.link_bandwidth, &of_site.link_bandwidth, "link_bandwidth", &mut taken);
    if study.host_links.is_none() {
        fill(&mut study.host_link_bandwidth, &of_site.host_link_bandwidth, "host_link_bandwidth", &mut taken);
    }
    fill(&mut study.duplex, &of_site.duplex, "duplex", &mut taken);
    fill(&mut study.switch_delay, &of_site.switch_delay, "switch_delay", &mut taken);
    fill(&mut study.cable_delay, &of_site.cable_delay, "cable_delay", &mut taken);
    // Only the messages of a trace depend on it.
    if study.patterns.iter().flatten().any(|pattern| pattern.starts_with("trace")) {
        fill(&mut study.collectives, &site.model.collectives, "collectives", &mut taken);
    }
    (study, site.used(&taken))
}

/// Study, its file if there is one, and the defaults of the site that it rests on.
type Read = (mopsim::throughput::study::Study, Option<PathBuf>, Vec<SiteDefault>);

/// Checks the study of the file, if there is one, with overrides of the flags.
fn read(arguments: &Throughput, written: Option<WrittenThroughput>, site: &Site) -> Result<Read, Failure> {
    if arguments.bound_gap.is_some() && arguments.bound.as_deref().is_some_and(|bound| bound != "flow") {
        return Err(Failure::input("--bound-gap is for --bound flow", "leave it out, or ask for --bound flow"));
    }
    let flags = flags(arguments, written.is_some())?;
    let Some((file, written)) = written else {
        let (study, defaults) = with_site(flags, site);
        return Ok((study.check(PathBuf::new())?, None, defaults));
    };
    // Files on the command line are relative to the working folder, those in the study to its own.
    let folder = file.parent().unwrap_or(Path::new("")).to_owned();
    let (study, defaults) = with_site(flags.over(written), site);
    let study = study.check(folder).map_err(|error| Failure::from(error).in_study(&file))?;
    Ok((study, Some(file), defaults))
}

/// Returns `true` if an argument names a study instead of a topology.
fn is_study(argument: &str) -> bool {
    Path::new(argument).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"))
}

/// Returns a specification whose file, if any, is relative to the working folder, wherever the study is. An invalid one
/// is unchanged, so that the error shows it.
fn found_from_here(spec: &str) -> String {
    let (Ok(mut parsed), Ok(here)) = (spec.parse::<Spec>(), std::env::current_dir()) else { return spec.to_owned() };
    let before = parsed.to_string();
    parsed.resolve_files(&here);
    let after = parsed.to_string();
    if after == before { spec.to_owned() } else { after }
}

/// Converts the flags to a study, which may be combined with one from a file.
fn flags(arguments: &Throughput, beside_study: bool) -> Result<StudyFile, Failure> {
    // File names of the command line become absolute, because those in a study file are relative to it.
    let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
    let in_file = |kind: &'static str| move |path: &PathBuf| format!("{kind}:{}", absolute(path).display());
    let here = std::env::current_dir().unwrap_or_default();
    let pattern = |text: String| if beside_study { traffic::found_from(&text, &here) } else { text };
    let all = arguments.pattern.iter().flat_map(|text| options::patterns(text));
    let mut patterns: Vec<String> = all.map(pattern).collect();
    patterns.extend(arguments.matrix.iter().map(in_file("matrix")));
    patterns.extend(arguments.from_trace.iter().map(in_file("trace")));
    let list = |given: &[String]| (!given.is_empty()).then(|| given.to_vec());
    let speeds = &arguments.speeds;
    let networks = arguments.specs.iter().filter(|spec| !is_study(spec));
    let topology = |spec: &String| if beside_study { found_from_here(spec) } else { spec.clone() };
    let entry = |spec: &String| {
        let topology = match &arguments.without {
            None => topology(spec),
            Some(without) => options::topology(&topology(spec), arguments.seed, Some(without))?.to_string(),
        };
        Ok::<_, Failure>(NetworkEntry { topology, ..NetworkEntry::default() })
    };
    Ok(StudyFile {
        patterns: list(&patterns),
        routings: list(&arguments.routing),
        networks: networks.map(entry).collect::<Result<_, _>>()?,
        hosts_per_switch: arguments.hosts_per_switch.map(HostsPerSwitch::Uniform),
        endpoints: arguments.endpoints,
        seed: arguments.seed,
        link_bandwidth: options::parse("link-bandwidth", speeds.link_bandwidth.as_deref())?,
        host_link_bandwidth: options::parse("host-link-bandwidth", speeds.host_link_bandwidth.as_deref())?,
        defaults: options::parse("defaults", arguments.defaults.defaults.as_deref())?,
        duplex: options::parse("duplex", speeds.duplex.as_deref())?,
        switch_delay: options::parse("switch-delay", speeds.switch_delay.as_deref())?,
        cable_delay: options::parse("cable-delay", speeds.cable_delay.as_deref())?,
        packet_bytes: speeds.packet_bytes,
        rail: options::parse("rail", speeds.rail.as_deref())?,
        floor_plan: arguments.floor.floor_plan.clone(),
        switches_per_cabinet: arguments.floor.switches_per_cabinet,
        hosts_per_cabinet: arguments.floor.hosts_per_cabinet,
        placement: arguments.floor.placement.clone(),
        bound: arguments.bound.clone(),
        bound_gap: arguments.bound_gap,
        collectives: arguments.collectives.clone(),
        links: arguments.links,
        ..StudyFile::default()
    })
}
