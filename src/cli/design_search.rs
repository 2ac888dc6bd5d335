//! `mopsim design search`: candidates of all families, bounds, replays, and the front of speed, price and power.

use super::args::{DesignSearch, Output};
use super::failure::Failure;
use super::files::{self, Outputs};
use super::progress::{self, Bars};
use super::{inputs, interrupt, options, print_report, say, study, topology};
use mopsim::cost::PriceList;
use mopsim::design::fit::Wanted;
use mopsim::design::space::{Candidate, Space, space};
use mopsim::ledger::Shard;
use mopsim::platform::{HostsPerSwitch, PlatformParameters};
use mopsim::printable::toml_string;
use mopsim::report::{design_search, number};
use mopsim::steps::Steps;
use mopsim::study::file::StudyFile;
use mopsim::study::network::{NetworkChoice, NetworkUnderTest};
use mopsim::study::procurement::Budget;
use mopsim::study::record::CellRecord;
use mopsim::study::results::ResultsFile;
use mopsim::study::search::{Effort, Entry, Search, Standing};
use mopsim::study::{Overrides, Study, StudyError, WrittenStudy};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use toml_edit::{DocumentMut, TomlError, Value};

pub fn run(arguments: &DesignSearch, output: &Output) -> Result<(), Failure> {
    let wanted = Wanted::new(arguments.hosts, arguments.radix, ["--hosts", "--radix"])?;
    check(arguments)?;
    let written = study::written(&arguments.workloads)?;
    if written.file.networks.is_empty() {
        let message =
            format!("{} has no [[networks]], and speeds are relative to one", files::name(&arguments.workloads));
        return Err(Failure::input(message, "add the network to compare with: [[networks]] with a topology"));
    }
    if !output.quiet {
        tell_unused(&written);
    }
    let read = || inputs::study(&written).into_iter().chain(arguments.prices.prices.clone());
    Outputs::default()
        .continuing("--results", arguments.results.as_deref())
        .creating("--write", arguments.write.as_deref(), arguments.force)
        .check(read)?;
    let pool = options::pool_for(arguments.threads, &output.site)?;
    let prices = arguments.prices.prices.as_deref().map(topology::prices).transpose()?;
    let of_site = output.site.price_list()?;
    let mut space = pool.install(|| candidates(arguments, wanted, output))?;
    space.remove_named(&written.file.networks.iter().flat_map(NetworkChoice::names).collect());
    let study = pool.install(|| read_study(written, &space, (prices, of_site), output))?;
    let names: BTreeSet<String> = space.candidates.iter().map(Candidate::name).collect();
    let of_study = study.plan.budget.unwrap_or_default();
    let limits = Budget {
        dollars: arguments.budget.or(of_study.dollars),
        watts: arguments.power.or(of_study.watts),
        ..of_study
    };
    let (kept, stop) = Kept::open(arguments, &study, output)?;
    let effort = Effort { stop, ..Effort::default() };
    let waiting = progress::counted("bounds and estimates of candidates", &effort.steps, output.quiet);
    let replays = usize::try_from(arguments.replays).unwrap_or(usize::MAX);
    let mut search = pool.install(|| Search::new(&study, &names, (limits, replays), &effort));
    waiting.finish_and_clear();
    let records = pool.install(|| replay(kept, &study, &mut search, &effort.stop, output))?;
    let entries = search.entries(&records);
    let (_, comparison) = search.compare(&records);
    let sheet = design_search::sheet(wanted, &space, &search, &entries, &comparison.notes);
    if let Some(file) = &arguments.write {
        let text = found(&study, &space, &entries, arguments, limits)?;
        files::replace(file, |out| out.write_all(text.as_bytes()))?;
        if !output.quiet {
            say(&format!("{}: a study of the front; `mopsim compare` runs it", file.display()));
        }
    }
    print_report(output, &study.from_site(), |out| output.format.sheet(&sheet, out))?;
    if comparison.unmatched {
        return Err(Failure::unmatched(&comparison.title, &comparison.notes));
    }
    Ok(())
}

/// Names the parts of the study that concern reports of `compare` only.
fn tell_unused(written: &WrittenStudy) {
    let StudyFile { check, sensitivity, throughput, packets, .. } = &written.file;
    let parts = [
        ("[check]", check.is_some()),
        ("[sensitivity]", sensitivity.is_some()),
        ("[throughput]", throughput.is_some()),
        ("[packets]", packets.is_some()),
    ];
    let unused: Vec<&str> = parts.into_iter().filter(|(_, given)| *given).map(|(name, _)| name).collect();
    if !unused.is_empty() {
        let (unused, file) = (unused.join(" and "), files::name(&written.path));
        say(&format!(
            "the search does not use {unused} of {file}: `mopsim compare` does, on the study of --write FILE"
        ));
    }
}

/// Checks what needs no file.
fn check(arguments: &DesignSearch) -> Result<(), Failure> {
    for (option, limit) in [("--budget", arguments.budget), ("--power", arguments.power)] {
        if let Some(limit) = limit
            && !(limit.is_finite() && limit > 0.0)
        {
            return Err(Failure::input(format!("{option} {limit}: it must be more than 0"), "change the value"));
        }
    }
    let folder = |file: &Path| {
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        folder.canonicalize().ok()
    };
    if let Some(file) = &arguments.write
        && folder(file) != folder(&arguments.workloads)
    {
        let message = format!("--write {}: it is not in the folder of the study", file.display());
        let help = format!(
            "names of files in {} are relative to its folder: write the new study there",
            arguments.workloads.display()
        );
        return Err(Failure::input(message, help));
    }
    Ok(())
}

fn candidates(arguments: &DesignSearch, wanted: Wanted, output: &Output) -> Result<Space, Failure> {
    let steps = Steps::default();
    let waiting = progress::counted("networks of all families", &steps, output.quiet);
    let list = PriceList::default();
    let space = space(wanted, &arguments.leave_out, &list.rates[0], &steps);
    waiting.finish_and_clear();
    let space = space?;
    if space.candidates.is_empty() {
        let message = format!(
            "no network connects {} hosts with {}-port switches: {} were tried",
            wanted.hosts, wanted.radix, space.tried
        );
        return Err(Failure::input(message, "take switches with more ports, fewer hosts, or leave out fewer families"));
    }
    Ok(space)
}

fn read_study(
    written: WrittenStudy,
    space: &Space,
    (prices, prices_of_site): (Option<PriceList>, Option<PriceList>),
    output: &Output,
) -> Result<Study, Failure> {
    let choice = |one: &Candidate| NetworkChoice {
        name: Some(one.name()),
        topology: Some(one.topology.clone()),
        parameters: PlatformParameters {
            hosts_per_switch: one.hosts_per_switch.map(HostsPerSwitch::Uniform),
            ..PlatformParameters::default()
        },
        ..NetworkChoice::default()
    };
    let overrides = Overrides {
        networks: space.candidates.iter().map(choice).collect(),
        prices,
        prices_of_site,
        only_as_stated: true,
        ..Overrides::default()
    };
    let study = study::built(written, overrides, output)?;
    if !output.quiet {
        // Candidates have the parameters of the study, and the same warnings.
        let of_networks: BTreeSet<String> = study.networks.iter().flat_map(NetworkUnderTest::warnings).collect();
        study::warn(&study, of_networks);
    }
    Ok(study)
}

/// Records of a search, and the file that they are in.
struct Kept {
    file: Option<(ResultsFile, PathBuf)>,
    records: BTreeMap<usize, CellRecord>,
}

impl Kept {
    /// Opens the results file, if there is one; also returns the flag that Ctrl-C sets.
    fn open(arguments: &DesignSearch, study: &Study, output: &Output) -> Result<(Self, Arc<AtomicBool>), Failure> {
        let (file, existing) = match &arguments.results {
            None => (None, Vec::new()),
            Some(path) => {
                let (file, kept) = ResultsFile::open(path, &study.identity(), Shard::WHOLE, arguments.resume)?;
                (Some((file, path.clone())), kept.records)
            }
        };
        let stop = interrupt::listen(file.is_some(), output.quiet)?;
        let records = existing.into_iter().map(|record| (record.cell, record)).collect();
        Ok((Self { file, records }, stop))
    }

    fn keep(&self, record: &CellRecord) -> Result<(), StudyError> {
        match &self.file {
            Some((file, _)) => Ok(file.append(record)?),
            None => Ok(()),
        }
    }

    /// Returns the end of a search that was interrupted, if it was.
    fn check(&self, is_interrupted: bool) -> Result<(), Failure> {
        let Some((_, path)) = self.file.as_ref().filter(|_| is_interrupted) else { return Ok(()) };
        let message = format!("interrupted: {} replays are in {}", self.records.len(), path.display());
        Err(Failure::interrupted(message, "give the same command with --resume to go on"))
    }
}

/// Runs the rounds of the search, and returns all records by cell.
fn replay(
    mut kept: Kept,
    study: &Study,
    search: &mut Search<'_>,
    stop: &Arc<AtomicBool>,
    output: &Output,
) -> Result<BTreeMap<usize, CellRecord>, Failure> {
    kept.check(stop.load(Ordering::Relaxed))?;
    let begin = Instant::now();
    let most = search.most_cells();
    let before = kept.records.len();
    let bars = Bars::new(study, &most, &most[before.min(most.len())..], output.quiet);
    let end = |failure: Failure| {
        bars.finish();
        failure
    };
    loop {
        let effort = Effort { stop: stop.clone(), ..Effort::default() };
        let bounding = bars.counted("bounds by the routes of candidates", &effort.steps);
        let cells = search.next_round(&kept.records, &effort);
        bounding.finish_and_clear();
        kept.check(stop.load(Ordering::Relaxed)).map_err(end)?;
        if cells.is_empty() {
            break;
        }
        let new = study.run_cells(&cells, stop, &bars, &|record| kept.keep(record));
        let new = new.map_err(|error| end(Failure::study(&error, &study.workloads)))?;
        let is_interrupted = new.len() < cells.len();
        kept.records.extend(new.into_iter().map(|record| (record.cell, record)));
        kept.check(is_interrupted).map_err(end)?;
    }
    bars.finish();
    let records = kept.records;
    if !output.quiet {
        let actions: u64 = records.values().map(|record| record.actions).sum();
        say(&format!(
            "{} replays, {} of them new, {} actions in {} of wall time",
            records.len(),
            records.len() - before,
            number::grouped(actions),
            number::seconds(begin.elapsed().as_secs_f64())
        ));
    }
    Ok(records)
}

/// Returns the text of the study with the limits and prices of the command line, without which its front would be another.
fn with_budget(text: &str, arguments: &DesignSearch, limits: Budget) -> Result<String, Failure> {
    let wrong = |error: String| {
        let message = format!("--write: no budget can be added to {}: {error}", arguments.workloads.display());
        Failure::input(message, "write the budget of the study as a table: [budget]")
    };
    let mut document: DocumentMut = text.parse().map_err(|error: TomlError| wrong(error.message().to_owned()))?;
    let amounts = [("dollars", arguments.budget.and(limits.dollars)), ("watts", arguments.power.and(limits.watts))];
    let mut given: Vec<(&str, Value)> =
        amounts.into_iter().filter_map(|(key, limit)| Some((key, limit?.into()))).collect();
    if let Some(file) = &arguments.prices.prices {
        let place = file.canonicalize().map_err(|error| Failure::file("read", file, &error))?;
        let folder = arguments.workloads.canonicalize().ok().and_then(|study| Some(study.parent()?.to_owned()));
        let own = folder.and_then(|folder| Some(place.strip_prefix(folder).ok()?.to_owned())).unwrap_or(place);
        given.push(("prices", own.to_string_lossy().into_owned().into()));
    }
    if given.is_empty() {
        return Ok(text.to_owned());
    }
    let budget = document.entry("budget").or_insert_with(toml_edit::table);
    let budget = budget.as_table_like_mut().ok_or_else(|| wrong("`budget` is no table".to_owned()))?;
    for (key, value) in given {
        // A study may call the first limit by either name.
        let key = if key == "dollars" && budget.contains_key("price") { "price" } else { key };
        budget.insert(key, value.into());
    }
    Ok(document.to_string())
}

/// Returns the study with the candidates on its front.
fn found(
    study: &Study,
    space: &Space,
    entries: &[Entry],
    arguments: &DesignSearch,
    limits: Budget,
) -> Result<String, Failure> {
    let mut text = with_budget(&study.text, arguments, limits)?;
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    let _ = write!(
        text,
        "\n# Found by `mopsim design search --hosts {} --radix {}`: the candidates on the front of speed, price and power.\n",
        arguments.hosts, arguments.radix
    );
    let is_found = |one: &&Candidate| {
        let mut own = entries.iter().filter(|entry| study.plan.columns[entry.column].network == one.name());
        own.any(|entry| entry.standing == Standing::Front)
    };
    for one in space.candidates.iter().filter(is_found) {
        let _ = write!(
            text,
            "\n[[networks]]\nname = {}\ntopology = {}\n",
            toml_string(&one.name()),
            toml_string(&one.topology)
        );
        if let Some(hosts) = one.hosts_per_switch {
            let _ = writeln!(text, "parameters = {{ hosts_per_switch = {hosts} }}");
        }
    }
    if let Err(error) = toml::from_str::<toml::Table>(&text) {
        let message =
            format!("--write: no networks can be added to {}: {}", arguments.workloads.display(), error.message());
        return Err(Failure::input(message, "write each network of the study as a table of its own: [[networks]]"));
    }
    Ok(text)
}
