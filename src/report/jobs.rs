//! Interference between jobs, for all formats.

use super::captioned::CaptionedTable;
use super::label::short;
use super::number::{grouped, percent, seconds};
use crate::study::comparison::{Comparison, Run};
use crate::study::jobs::{Interference, JobTimes};
use crate::study::statistics::Statistic;
use serde::Serialize;

/// A job in JSON.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct JobJson<'a> {
    #[serde(flatten)]
    times: &'a JobTimes,
    slowdown: Option<f64>,
    slowdown_beside: Vec<Option<f64>>,
    aggressor: Option<&'a str>,
    aggressor_costs_seconds: Option<f64>,
    /// Time with the other jobs on the baseline over that on this network; in comparisons.
    #[serde(skip_serializing_if = "Option::is_none")]
    relative: Option<f64>,
    /// Packets of the job that waited in their channel behind packets for another link, by the job of the latter; empty
    /// without packets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    waited_behind: Vec<Behind<'a>>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Behind<'a> {
    job: &'a str,
    packets: u64,
    seconds: f64,
}

/// Returns all jobs for JSON; `baseline` has those of the baseline network.
pub(super) fn json<'a>(jobs: &'a Interference, baseline: Option<&Interference>) -> Vec<JobJson<'a>> {
    let of = |(number, times): (usize, &'a JobTimes)| {
        let aggressor = times.aggressor();
        JobJson {
            times,
            slowdown: times.slowdown(),
            slowdown_beside: (0..jobs.jobs.len()).map(|other| times.slowdown_beside(other)).collect(),
            aggressor: aggressor.map(|(other, _)| jobs.jobs[other].job.as_str()),
            aggressor_costs_seconds: aggressor.map(|(_, cost)| cost),
            relative: baseline.and_then(|baseline| relative(times, baseline.jobs.get(number)?)),
            waited_behind: jobs
                .head_of_line
                .iter()
                .filter(|blocked| blocked.job == times.job)
                .map(|blocked| Behind { job: &blocked.behind, packets: blocked.packets, seconds: blocked.seconds })
                .collect(),
        }
    };
    jobs.jobs.iter().enumerate().map(of).collect()
}

fn relative(times: &JobTimes, baseline: &JobTimes) -> Option<f64> {
    Some(baseline.together_seconds? / times.together_seconds.filter(|&seconds| seconds > 0.0)?)
}

fn ratio(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"))
}

/// Formats a ratio as `1.165`, or with repetitions as `1.165 ± 0.107`.
fn interval(value: Option<Statistic>) -> String {
    match value {
        Some(Statistic { mean, half_width: Some(half), .. }) => format!("{mean:.3} ± {half:.3}"),
        other => ratio(other.map(|value| value.mean)),
    }
}

fn time(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), seconds)
}

/// Returns the job that causes the largest delay, and that delay as `+1.200 ms (12.0 %)`.
fn worst(jobs: &Interference, times: &JobTimes) -> [String; 2] {
    match times.aggressor() {
        Some((other, cost)) => {
            let part = times.alone_seconds.map_or(0.0, |alone| cost / alone);
            [jobs.jobs[other].job.clone(), format!("+{} ({})", seconds(cost), percent(part))]
        }
        None => ["-", "-"].map(str::to_owned),
    }
}

/// Returns the sentence on the placements of jobs and the parameters of background traffic.
fn placements(jobs: &Interference) -> String {
    let of = |times: &JobTimes| format!("{} {}", times.job, times.placement);
    format!("Placement: {}.", jobs.jobs.iter().map(of).collect::<Vec<_>>().join("; "))
}

/// Returns the tables of one replay: times, and the interference matrix.
pub(super) fn of_replay(jobs: &Interference) -> Vec<CaptionedTable> {
    let mut rows = Vec::new();
    for times in &jobs.jobs {
        let start = match (times.repeats, times.start_seconds) {
            (true, 0.0) => "repeats".to_owned(),
            (true, start) => format!("{}, repeats", seconds(start)),
            (false, start) => seconds(start),
        };
        let mut cells = vec![
            times.job.clone(),
            times.ranks.to_string(),
            start,
            time(times.alone_seconds),
            time(times.together_seconds),
            ratio(times.slowdown()),
        ];
        cells.extend(worst(jobs, times));
        rows.push(cells);
    }
    let headings = ["job", "ranks", "start", "alone", "together", "slowdown", "aggressor", "its cost"];
    let mut shown = vec![CaptionedTable {
        title: "Jobs, alone and together".to_owned(),
        headings: headings.map(str::to_owned).to_vec(),
        rows,
        sentences: vec![placements(jobs)],
    }];
    shown.extend(matrix(jobs));
    shown.extend(blocking(jobs));
    shown
}

/// Returns the waiting times of each job's packets behind those of each job; `None` if no packets were observed.
fn blocking(jobs: &Interference) -> Option<CaptionedTable> {
    if jobs.head_of_line.is_empty() {
        return None;
    }
    let names = || jobs.jobs.iter().map(|times| times.job.clone());
    let cell = |job: &str, behind: &str| {
        let found = jobs.head_of_line.iter().find(|blocked| blocked.job == job && blocked.behind == behind);
        found.map_or_else(|| "-".to_owned(), |b| format!("{} ({})", seconds(b.seconds), grouped(b.packets)))
    };
    let rows = names().map(|job| {
        let cells: Vec<String> = names().map(|behind| cell(&job, &behind)).collect();
        std::iter::once(job).chain(cells).collect()
    });
    Some(CaptionedTable {
        title: "Time of packets of the job of a line behind those of a job (packets)".to_owned(),
        headings: std::iter::once("behind".to_owned()).chain(names()).collect(),
        rows: rows.collect(),
        sentences: vec![
            "Head-of-line blocking: the packet before in the channel was for another link. Times of all packets added up."
                .to_owned(),
        ],
    })
}

/// Returns the slowdown of each job with each other one; `None` if pairs were not replayed.
fn matrix(jobs: &Interference) -> Option<CaptionedTable> {
    let measured = jobs.jobs.iter().any(|times| times.beside_seconds.iter().any(Option::is_some));
    if jobs.jobs.len() < 3 || !measured {
        return None;
    }
    let names = jobs.jobs.iter().map(|times| times.job.clone());
    let rows = jobs.jobs.iter().filter(|times| !times.repeats).map(|times| {
        let cells = (0..jobs.jobs.len()).map(|other| ratio(times.slowdown_beside(other)));
        std::iter::once(times.job.clone()).chain(cells).collect()
    });
    Some(CaptionedTable {
        title: "Slowdown of the job in each row with one other job".to_owned(),
        headings: std::iter::once("beside".to_owned()).chain(names).collect(),
        rows: rows.collect(),
        sentences: Vec::new(),
    })
}

/// Returns the jobs of a run.
fn of_run(run: &Run) -> Option<&Interference> {
    run.record.jobs.as_ref()
}

/// Returns the jobs of the run that this one is compared with: the same repetition if the baseline has one.
pub(super) fn baseline_of<'a>(c: &'a Comparison, run: &Run) -> Option<&'a Interference> {
    let mut all =
        c.runs.iter().filter(|other| other.workload == run.workload && other.network == c.baselines[run.network]);
    let same = all.clone().find(|other| other.repetition == run.repetition);
    same.or_else(|| all.next()).and_then(of_run)
}

/// Returns the tables of a comparison: one for each set of jobs, with all networks, and a matrix for each network.
pub(super) fn of_comparison(c: &Comparison) -> Vec<CaptionedTable> {
    let mut shown = Vec::new();
    for workload in 0..c.workloads.len() {
        let all: Vec<(&Run, &Interference)> =
            c.runs.iter().filter(|run| run.workload == workload).filter_map(|run| Some((run, of_run(run)?))).collect();
        let runs: Vec<(&Run, &Interference)> = all.iter().copied().filter(|(run, _)| run.repetition == 0).collect();
        let Some(&(_, first)) = runs.first() else { continue };
        let mut rows = Vec::new();
        for (number, times) in first.jobs.iter().enumerate().filter(|(_, times)| !times.repeats) {
            for (at, (run, jobs)) in runs.iter().enumerate() {
                let repetitions = all.iter().filter(|(other, _)| other.network == run.network);
                let mean = |value: &dyn Fn(&Run, &JobTimes) -> Option<f64>| {
                    let values = repetitions.clone().map(|(run, jobs)| value(run, jobs.jobs.get(number)?));
                    values.collect::<Option<Vec<f64>>>().map(|values| Statistic::of(&values))
                };
                let seconds_of =
                    |value: fn(&JobTimes) -> Option<f64>| time(mean(&|_, own| value(own)).map(|all| all.mean));
                let against = |run: &Run, own: &JobTimes| relative(own, baseline_of(c, run)?.jobs.get(number)?);
                let mut cells = vec![
                    if at == 0 { times.job.clone() } else { String::new() },
                    short(c, run.network),
                    seconds_of(|own| own.alone_seconds),
                    seconds_of(|own| own.together_seconds),
                    interval(mean(&|_, own| own.slowdown())),
                    interval(mean(&against)),
                ];
                cells.extend(worst(jobs, &jobs.jobs[number]));
                rows.push(cells);
            }
        }
        let headings = ["job", "network", "alone", "together", "slowdown", "relative", "aggressor", "its cost"];
        let mut sentences = vec!["Relative: time together with the others on the baseline over that here.".to_owned()];
        if c.has_repetitions() {
            sentences.push(
                "Means over the repetitions, with half of the 95 % confidence interval after ±; aggressors are those of the first \
                 repetition."
                    .to_owned(),
            );
        }
        let placed = placements(first);
        sentences.push(if c.has_settings() {
            placed.replacen("Placement", "Placement, whatever the mapping", 1)
        } else {
            placed
        });
        shown.push(CaptionedTable {
            title: format!("Jobs of {}, alone and together", c.workloads[workload].name),
            headings: headings.map(str::to_owned).to_vec(),
            rows,
            sentences,
        });
        for (run, jobs) in runs {
            let tables = matrix(jobs).into_iter().chain(blocking(jobs));
            shown.extend(tables.map(|table| CaptionedTable {
                title: format!("{} on {}", table.title, short(c, run.network)),
                ..table
            }));
        }
    }
    shown
}
