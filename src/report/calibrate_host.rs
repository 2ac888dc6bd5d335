//! Sheets of the speed of a host, alone or relative to the host of a recording.

use super::sheet::{Column, Datum, Rows, Sheet};
use crate::calibrate::HostSpeed;

/// Formats a speed in whole Gflop/s: its digits beyond are noise.
fn flops(speed: f64) -> String {
    format!("{:.0} Gflop/s", speed / 1e9)
}

/// Returns the sheet of a host's speed.
pub fn sheet(here: &HostSpeed, recorded: Option<&HostSpeed>) -> Sheet {
    let column = |name, heading| Column { name, heading: Some(heading) };
    let mut columns = vec![
        column("kernel", "kernel"),
        column("busy_cores", "busy cores"),
        column("giga_per_second", "Gflop/s or GB/s"),
        column("smallest", "range"),
        // Text has both ends of the range in one column.
        Column { name: "largest", heading: None },
    ];
    if recorded.is_some() {
        columns.extend([
            column("recorded", "recorded"),
            column("ratio", "ratio"),
            column("host_speed_gflops", "Gflop/s"),
        ]);
    }
    let compared = recorded.map(|recorded| here.relative_to(recorded));
    let rows = here.rates().into_iter().enumerate().map(|(i, (kernel, busy, rate))| {
        let mut row = vec![Datum::Text(kernel.to_owned()), Datum::Text(busy.to_owned())];
        let [median, least, most] = rate.map(|rate| rate / 1e9);
        row.extend([
            Datum::Number(median, 2),
            Datum::Shown(least, format!("{least:.1}-{most:.1}")),
            Datum::Number(most, 2),
        ]);
        if let (Some(compared), Some(recorded)) = (&compared, recorded) {
            row.extend([
                Datum::Number(recorded.rates()[i].2[0] / 1e9, 2),
                Datum::Number(compared[i].ratio, 3),
                Datum::Number(compared[i].host_speed() / 1e9, 1),
            ]);
        }
        row
    });
    let mut notes = vec![
        "rates are those of a core: of a matrix product in cache in Gflop/s, of a triad over memory in GB/s".to_owned(),
    ];
    match (&compared, recorded) {
        (Some([_, product, _, triad]), Some(recorded)) => {
            notes.push(format!(
                "replay recordings of {} with --host-speed \"{}\" (programs that compute in cache) to \"{}\" (programs \
                 limited by memory), if all cores are busy",
                recorded.host,
                flops(product.host_speed()),
                flops(triad.host_speed()),
            ));
            let widest = |range: [f64; 2], ratio: f64| (range[1] / ratio).max(ratio / range[0]) - 1.0;
            let spread = widest(product.range, product.ratio).max(widest(triad.range, triad.ratio));
            notes
                .push(format!("the ratios are uncertain by up to {:.0} % (spread of the repetitions)", 100.0 * spread));
        }
        _ => notes.push("measure the host of a recording as well, and compare them with --relative-to FILE".to_owned()),
    }
    let mut facts = vec![
        ("host", "host", Datum::Text(here.host.clone())),
        ("processor", "processor", Datum::Text(here.processor.clone())),
        ("cores", "cores", Datum::Count(here.cores.into())),
    ];
    if let Some(recorded) = recorded {
        facts.extend([
            ("recorded_host", "recorded host", Datum::Text(recorded.host.clone())),
            ("recorded_processor", "its processor", Datum::Text(recorded.processor.clone())),
            ("recorded_cores", "its cores", Datum::Count(recorded.cores.into())),
        ]);
    }
    Sheet {
        schema: "mopsim.calibrate-host/1",
        title: format!("Speed of {}", here.host),
        facts,
        tables: vec![Rows { name: "rates", columns, rows: rows.collect() }],
        detail: None,
        notes,
    }
}
