//! Timelines of cells: a lane for each rank, and the critical path across them.

use super::svg::{PARTS, escape};
use crate::report::findings::critical_path;
use crate::report::number::{percent, seconds};
use crate::result::critical::CriticalPathFinder;
use crate::result::explain::Explanation;
use crate::result::lanes::{Doing, Lanes};
use serde::Serialize;
use std::fmt::Write;

/// Largest number of lanes that are drawn.
const MOST: usize = 128;

/// Largest number of messages of the critical path that are drawn.
const MOST_STEPS: usize = 4000;

/// Number of messages of the critical path from which on it is drawn as a hairline.
const DENSE: usize = 150;

/// Timeline for the template.
#[derive(Serialize)]
pub(super) struct Timeline {
    pub workload: String,
    pub network: String,
    pub svg: String,
    /// Description of the drawing in words.
    pub words: String,
    pub marks: Vec<String>,
    pub first_rank: usize,
    pub last_rank: usize,
    pub every: usize,
    pub critical: bool,
    pub height: usize,
}

/// Width of the page in pixels, for the size of patterns.
const PAGE: f64 = 1040.0;

/// Describes the parts of the time, and the critical path.
fn words(e: &Explanation) -> String {
    let shares = &e.time_shares;
    let path =
        e.critical_path.as_ref().map_or_else(String::new, |path| format!(" Critical path: {}.", critical_path(path)));
    format!(
        "In words: averaged over the ranks, compute takes {} of the run, latency {}, bandwidth {} and waiting {}.{path}",
        percent(shares.compute),
        percent(shares.latency),
        percent(shares.bandwidth),
        percent(shares.waiting)
    )
}

/// Draws the observed ranks.
pub(super) fn draw(
    (lanes, path): (&Lanes, &CriticalPathFinder),
    explanation: &Explanation,
    ranks: usize,
    workload: &str,
    network: &str,
) -> Timeline {
    let every = ranks.div_ceil(MOST).max(1);
    let shown: Vec<usize> = (0..ranks).step_by(every).collect();
    // One path for each kind: rectangles of one unit of time and rank. The drawing is stretched to the page.
    let mut paths: Vec<String> = vec![String::new(); Doing::ALL.len()];
    for (y, &rank) in shown.iter().enumerate() {
        let lane = lanes.lane(rank);
        let mut at = 0;
        while at < lane.len() {
            let length = lane[at..].iter().take_while(|d| **d == lane[at]).count();
            if let Some(kind) = Doing::ALL.iter().position(|d| *d == lane[at]) {
                let _ = write!(paths[kind], "M{at} {y}h{length}v.85h-{length}z");
            }
            at += length;
        }
    }
    let height = (shown.len() * 6).clamp(60, 640);
    // The drawing is stretched to the page, so its patterns are shrunk by as much: about six pixels each way.
    let (across, down) = (0.75 * lanes.steps as f64 / PAGE, 0.75 * shown.len() as f64 / height as f64);
    let mut body = String::from("<defs>");
    for (name, over) in PARTS {
        let _ = write!(
            body,
            "<pattern id=\"lane-{name}\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\" \
             patternTransform=\"scale({across:.4} {down:.4})\"><rect width=\"8\" height=\"8\" class=\"fill-{name}\"/>{over}</pattern>"
        );
    }
    body.push_str("</defs>");
    for ((name, _), path) in PARTS.iter().zip(&paths).filter(|(_, path)| !path.is_empty()) {
        let _ = write!(body, "<path d=\"{path}\" fill=\"url(#lane-{name})\"/>");
    }
    let steps = path.steps().filter(|s| !s.is_empty() && s.len() <= MOST_STEPS && lanes.seconds > 0.0);
    let critical = steps.is_some();
    if let (Some(steps), Some(last)) = (steps, path.path().map(|path| path.last_rank)) {
        let x = |time: f64| (time / lanes.seconds * lanes.steps as f64).clamp(0.0, lanes.steps as f64);
        let y = |rank: u32| f64::from(rank) / every as f64 + 0.42;
        // A path that crosses the lanes frequently, as in an all-to-all, would hide them.
        let dense = if steps.len() > DENSE { " dense" } else { "" };
        let mut path = String::new();
        let _ = write!(path, "M0 {:.2}", y(steps[0].posted_by));
        for step in &steps {
            // Along the lane of the rank until its message starts, then across to the rank that the message releases.
            let _ = write!(path, "L{:.2} {:.2}", x(step.started), y(step.posted_by));
            let _ = write!(path, "L{:.2} {:.2}", x(step.started + step.seconds), y(step.set_free));
        }
        let _ = write!(path, "L{} {:.2}", lanes.steps, y(last));
        let _ = write!(
            body,
            "<path d=\"{path}\" class=\"critical-casing{dense}\"/><path d=\"{path}\" class=\"critical{dense}\"/>"
        );
    }
    let title = format!("What the ranks of {workload} on {network} do over time");
    let description = format!(
        "A lane for each of {} ranks, over {}. The table of results has the shares of compute, latency, bandwidth and waiting.",
        shown.len(),
        seconds(lanes.seconds)
    );
    let svg = format!(
        "<svg class=\"lanes\" viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\" role=\"img\" \
         aria-labelledby=\"lanes-t lanes-d\"><title id=\"lanes-t\">{}</title><desc id=\"lanes-d\">{}</desc>{body}</svg>",
        lanes.steps,
        shown.len(),
        escape(&title),
        escape(&description)
    );
    Timeline {
        workload: workload.to_owned(),
        network: network.to_owned(),
        svg,
        words: words(explanation),
        marks: (0..=4).map(|i| seconds(lanes.seconds * f64::from(i) / 4.0)).collect(),
        first_rank: 0,
        last_rank: shown.last().copied().unwrap_or(0),
        every,
        critical,
        height,
    }
}
