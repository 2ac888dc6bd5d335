//! `mopsim compare`: runs a study and reports on it, as a whole, in parts, or after an interruption.

use super::args::{Compare, CompareFiles, Output};
use super::failure::Failure;
use super::packets::Written;
use super::progress::Bars;
use super::{interrupt, options, say, side_files, slurm, study};
use mopsim::ledger::Shard;
use mopsim::report::number;
use mopsim::study::record::CellRecord;
use mopsim::study::results::{Kept, ResultsFile};
use std::time::Instant;

/// Passages of packets through switches and host links per second on one core, for estimates of the remaining time.
const PACKET_HOPS: f64 = 3e6;

/// Flags of the report of a study, and whether a value follows.
const OF_REPORT: [(&str, bool); 5] =
    [("--html", true), ("--json", true), ("--csv", true), ("--timeline-cell", true), ("--pattern", true)];

pub fn run(arguments: &Compare, output: &Output) -> Result<(), Failure> {
    let flags = &arguments.results;
    let written = study::written(&arguments.study.study)?;
    side_files::outputs(&arguments.study.files)
        .continuing("--results", flags.results.as_deref())
        .check(|| study::files_read(&arguments.study, &written))?;
    let shard = flags.shard.unwrap_or(Shard::WHOLE);
    let CompareFiles { html, json, csv, .. } = &arguments.study.files;
    let written_to = Written { html: html.as_deref(), json: json.as_deref(), csv: csv.as_deref() };
    study::warn_of_unwritten(shard, &written_to, output);
    // One pool for all: where the system refuses threads, rayon's global one panics.
    let pool = options::pool_for(arguments.threads, &output.site)?;
    let study = pool.install(|| study::read(&arguments.study, written, output))?;
    if let Some(folder) = &arguments.cluster.slurm {
        let (cells, packets) = (study.cells(), study.packet_pieces());
        let of_packets = if packets > 0 { " and the packets of [packets]" } else { "" };
        let what = format!("{}{of_packets}", number::counted(cells as u64, "replay"));
        let work = slurm::ArrayWork {
            verb: "compare",
            what,
            pieces: cells + packets,
            of_report: &OF_REPORT,
            merges_study: true,
        };
        return slurm::write(folder, arguments.cluster.shards, &work, arguments.study.files.force, output);
    }
    let (file, kept) = match &flags.results {
        None => (None, Kept::default()),
        Some(path) => {
            let (file, kept) = ResultsFile::open(path, &study.identity(), shard, flags.resume)?;
            (Some((file, path)), kept)
        }
    };
    let Kept { mut records, points } = kept;
    let mut done = vec![false; study.cells()];
    records.iter().for_each(|record| done[record.cell] = true);
    let ours: Vec<usize> = (0..study.cells()).filter(|&cell| shard.has(cell)).collect();
    let missing: Vec<usize> = ours.iter().copied().filter(|&cell| !done[cell]).collect();

    let stop = interrupt::listen(file.is_some(), output.quiet)?;
    let begin = Instant::now();
    let bars = Bars::new(&study, &ours, &missing, output.quiet);
    let keep = |record: &CellRecord| match &file {
        Some((file, _)) => Ok(file.append(record)?),
        None => Ok(()),
    };
    let run = |cells: &[usize]| {
        let result = pool.install(|| study.run_cells(cells, &stop, &bars, &keep));
        result.map_err(|error| Failure::study(&error, &study.workloads))
    };
    // Flows run first: the time of packets is estimated from their messages.
    let (packets, flows): (Vec<usize>, Vec<usize>) = missing.iter().partition(|&&cell| study.has_packets(cell));
    let mut new = run(&flows).inspect_err(|_| bars.finish())?;
    if !output.quiet && !packets.is_empty() && new.len() == flows.len() {
        let hops = packets.iter().filter_map(|&cell| study.packet_hops(cell, records.iter().chain(&new)));
        let hops: Vec<f64> = hops.collect();
        if !hops.is_empty() {
            let hops: f64 = hops.iter().sum();
            let threads = pool.current_num_threads().min(packets.len()) as f64;
            bars.say(&format!(
                "{} replays with packets: about {} packet hops, {} at {} a second and core",
                packets.len(),
                number::grouped(hops as u64),
                number::seconds(hops / PACKET_HOPS / threads),
                number::grouped(PACKET_HOPS as u64)
            ));
        }
    }
    if new.len() == flows.len() {
        new.extend(run(&packets).inspect_err(|_| bars.finish())?);
    }
    bars.finish();
    if !output.quiet {
        let actions: u64 = new.iter().map(|record| record.actions).sum();
        say(&format!(
            "{}, {} actions in {} of wall time",
            number::counted(new.len() as u64, "replay"),
            number::grouped(actions),
            number::seconds(begin.elapsed().as_secs_f64())
        ));
    }
    records.extend(new);
    let so_far = |runs: &str| match &file {
        Some((_, path)) => format!("{} of {} replays{runs} are in {}", records.len(), ours.len(), path.display()),
        None => String::new(),
    };
    let interrupted = |so_far: String| {
        let message = if so_far.is_empty() { "interrupted".to_owned() } else { format!("interrupted: {so_far}") };
        Failure::interrupted(message, "give the same command with --resume to go on")
    };
    if records.len() < ours.len() {
        return Err(interrupted(so_far("")));
    }
    let kept = file.as_ref().map(|(file, path)| (file, path.as_path()));
    let swept = study::packets(&study, &points, (shard, kept), &pool, &stop, output)?;
    let runs = swept.runs.map_or_else(String::new, |runs| format!(" and {runs} runs of packets"));
    if swept.is_stopped {
        return Err(interrupted(so_far(&runs)));
    }
    if shard != Shard::WHOLE {
        if !output.quiet {
            say(&format!("shard {shard}: {}; `mopsim merge` reports on all shards together", so_far(&runs)));
        }
        return Ok(());
    }
    records.sort_by_key(|record| record.cell);
    let mut comparison = study.compare(&records);
    comparison.packets = swept.curves;
    pool.install(|| study::report(&arguments.study, &study, &comparison, output))
}
