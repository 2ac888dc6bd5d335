//! Sheets of calibrations: measured times and those of a fitted model.

use super::number::{self, counted, grouped};
use super::sheet::{Column, Datum, Rows, Sheet};
use crate::calibrate::{Fitted, Residual, Series, SeriesKind, errors};

/// Returns the sheet of the constants, and the residuals of all measurements.
pub fn sheet(series: &[Series], fitted: &Fitted, residuals: &[Residual]) -> Sheet {
    let column = |name, heading| Column { name, heading: Some(heading) };
    let rows = residuals.iter().map(|residual| {
        let series = &series[residual.series];
        vec![
            Datum::Text(series.file.display().to_string()),
            Datum::Text(series.kind.name().to_owned()),
            Datum::Count(residual.bytes.into()),
            Datum::Number(residual.measured * 1e6, 3),
            Datum::Number(residual.modelled * 1e6, 3),
            Datum::Number(100.0 * residual.difference(), 1),
        ]
    });
    let error = |kind: SeriesKind, which: usize| {
        Datum::number(errors(series, residuals, kind, Residual::error).map(|errors| 100.0 * errors[which]), 1)
    };
    let sections = fitted.sections.iter().map(|section| {
        vec![
            Datum::Count(section.above.into()),
            Datum::Number(section.fixed * 1e6, 3),
            Datum::Number(1.0 / (section.per_byte * 1e9), 4),
        ]
    });
    Sheet {
        schema: "mopsim.calibrate/1",
        title: format!(
            "Constants from {} series over links of {} and {}",
            series.len(),
            number::bandwidth(fitted.bandwidth),
            number::seconds(fitted.route_latency)
        ),
        facts: vec![
            ("message_latency", "latency of a message, us", Datum::Number(fitted.message_latency[0].1 * 1e6, 3)),
            (
                "send_overhead",
                "time of the sender, us",
                Datum::number(fitted.send_overhead.first().map(|first| first.1 * 1e6), 3),
            ),
            (
                "eager_up_to_bytes",
                "largest eager message, bytes",
                Datum::count(fitted.rendezvous.map(|limit| limit.eager_up_to.into())),
            ),
            (
                "rendezvous_trips",
                "control messages above that",
                Datum::count(fitted.rendezvous.map(|limit| limit.trips.into())),
            ),
            ("crosstraffic", "share taken on the way back", Datum::number(fitted.crosstraffic, 4)),
            ("ping_pong_median_error", "ping-pong: median error, %", error(SeriesKind::PingPong, 0)),
            ("ping_pong_largest_error", "ping-pong: largest error, %", error(SeriesKind::PingPong, 1)),
            ("stream_median_error", "stream: median error, %", error(SeriesKind::Stream, 0)),
            ("both_ways_median_error", "both ways: median error, %", error(SeriesKind::BothWays, 0)),
        ],
        tables: vec![
            Rows {
                name: "sections",
                columns: vec![
                    column("above_bytes", "messages above, bytes"),
                    column("fixed_us", "fixed, us"),
                    column("gigabytes_per_second", "GB/s"),
                ],
                rows: sections.collect(),
            },
            Rows {
                name: "points",
                columns: vec![
                    Column { name: "file", heading: None },
                    column("kind", "measured as"),
                    column("bytes", "bytes"),
                    column("measured_us", "measured, us"),
                    column("modelled_us", "model, us"),
                    column("difference_percent", "difference, %"),
                ],
                rows: rows.collect(),
            },
        ],
        detail: None,
        notes: notes(series, fitted, residuals),
    }
}

/// Relative error of a time from which on a note names it.
const FAR: f64 = 0.1;

/// Median relative error from which on a model does not describe its own measurements.
const USELESS: f64 = 0.25;

/// Returns the constants without a table of their own, sizes for which the model is far off, and what is open.
fn notes(series: &[Series], fitted: &Fitted, residuals: &[Residual]) -> Vec<String> {
    let mut notes = vec![format!(
        "a message takes {} besides its links and its sender{}",
        number::seconds(fitted.message_latency[0].1),
        match fitted.rendezvous {
            None => String::new(),
            Some(limit) => format!(
                "; above {} bytes its sender waits for the receiver, and the data leave after {}",
                grouped(limit.eager_up_to.into()),
                match limit.trips {
                    0 => "no control message".to_owned(),
                    trips => counted(trips.into(), "control message"),
                }
            ),
        }
    )];
    for kind in SeriesKind::ALL {
        let far: Vec<&Residual> =
            residuals.iter().filter(|one| series[one.series].kind == kind && one.error() > FAR).collect();
        if let Some(worst) = far.iter().max_by(|a, b| a.error().total_cmp(&b.error())) {
            notes.push(format!(
                "the model is more than {:.0} % off for {} of the {} times, most for {} bytes ({:+.1} %)",
                100.0 * FAR,
                far.len(),
                kind.name(),
                grouped(worst.bytes.into()),
                100.0 * worst.difference()
            ));
        }
    }
    for kind in SeriesKind::ALL {
        let median = errors(series, residuals, kind, Residual::error).map_or(0.0, |errors| errors[0]);
        if median > USELESS {
            notes.push(format!(
                "do not use this model before you have measured again, on quiet hosts: half of its {} times are more than {:.0} % off",
                kind.name(),
                100.0 * USELESS
            ));
        }
    }
    notes.extend(fitted.open.iter().map(|text| format!("not determined: {text}")));
    notes
}
