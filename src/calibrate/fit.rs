//! From measured times to constants.
//!
//! A ping-pong is taken apart into sections of message sizes, in each of which the time is `a + b * size`: protocols change at
//! some sizes, as between eager and rendezvous. The sections are those of the least Bayesian information criterion over all
//! divisions, found by dynamic programming over the measured sizes, with relative errors, since times span five decades. This is
//! the piecewise regression that Degomme and others calibrate SMPI with (Simulating MPI Applications: The SMPI Approach, IEEE
//! TPDS 28(8), 2017, section 4), with the division found instead of given.
//!
//! A stream of small messages shows what a sender needs for each of them, and opposite streams what they take from each
//! other. Without a stream, opposite ones are compared with the ping-pong.

use super::series::{BOTH_RANKS_ON, Series, SeriesKind};
use crate::study::ping;
use crate::study::statistics::median;
use crate::user_error::UserError;

/// Most sections of a division.
const MOST_SECTIONS: usize = 8;

/// Measured sizes of a section, at the least: a line through two points has no error that could count against it.
const LEAST_POINTS: usize = 3;

/// Relative error below which measurements are exact: the last digit that benchmarks print.
const DIGITS: f64 = 1e-3;

/// Largest message in bytes for which a stream shows what the sender needs, rather than the network.
const SMALL: u32 = 1024;

/// Factor between two series of one kind from which on they were hardly measured on the same network.
const FAR: f64 = 1.5;

/// Most sizes: sections are chosen in a time that grows with their third power.
const MOST_POINTS: usize = 1000;

/// Part by which messages may be faster than the bandwidth of their route: benchmarks round, and bandwidths are nominal.
const FASTER: f64 = 0.05;

/// Part of a control message that a jump may lack.
const LACKING: f64 = 0.1;

/// Route between the two hosts, with the speeds of the platform of later replays.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Route {
    /// Bandwidth of its slowest link in bytes per second; `None`: that of the largest messages.
    pub bandwidth: Option<f64>,
    /// Latencies of its links together, in seconds; `None`: they are part of the time of a message.
    pub latency: Option<f64>,
}

/// Range of message sizes in which the time is linear.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Section {
    /// The section begins above this size in bytes; the first one at the smallest size.
    pub above: u32,
    /// Seconds of a message without bytes.
    pub fixed: f64,
    /// Seconds of a byte.
    pub per_byte: f64,
}

impl Section {
    /// Returns `true` if bytes take most of the time of a message of this size.
    fn shows_rate(&self, bytes: u32) -> bool {
        self.per_byte * f64::from(bytes) > self.fixed
    }

    /// Returns the part of a bandwidth that messages reach, at most 1.
    fn part_of(&self, bandwidth: f64) -> f64 {
        (1.0 / (self.per_byte * bandwidth)).min(1.0)
    }
}

/// Messages whose sender waits for the receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rendezvous {
    /// Largest message in bytes that is sent without an announcement.
    pub eager_up_to: u32,
    /// Control messages before the data: 0, 1 or 2.
    pub trips: u32,
}

/// Constants that were fitted.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    /// The route, with its bandwidth.
    pub bandwidth: f64,
    /// Latency of the route in seconds.
    pub route_latency: f64,
    /// Part of the bandwidth that is left for data: what messages reach whose time is that of their bytes.
    pub data_share: f64,
    /// Sections of the ping-pong, ascending.
    pub sections: Vec<Section>,
    /// Seconds of a message besides the route and [`Self::send_overhead`]: above a size, seconds.
    pub message_latency: Vec<(u32, f64)>,
    /// Seconds of a sender for an eager message: above a size, seconds.
    pub send_overhead: Vec<(u32, f64)>,
    /// Where messages begin to be announced; `None`: the measurements do not show it.
    pub rendezvous: Option<Rendezvous>,
    /// Share of its rate that a message takes in the other direction; `None`: not measured.
    pub crosstraffic: Option<f64>,
    /// Constants that could not be determined, with the measurements that would.
    pub open: Vec<String>,
    /// Series that were used.
    pub used: Vec<String>,
}

/// Why no constants follow from measurements.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FitError {
    /// There is no ping-pong.
    #[error("no ping-pong is among the measurements, without which there is no latency")]
    NoPingPong,
    /// There are too few sizes.
    #[error("the number of different sizes of the ping-pong is {0}, and a line needs {LEAST_POINTS}")]
    TooFew(usize),
    /// There are too many sizes.
    #[error("the number of different sizes of the ping-pong is {0}, and at most {MOST_POINTS} are fitted")]
    TooMany(usize),
    /// Messages were faster than the route.
    #[error("the fastest message takes {measured:e} s, and its route {route:e} s: it cannot be faster than its links")]
    FasterThanRoute {
        /// Measured seconds of the fastest message.
        measured: f64,
        /// Seconds of the route.
        route: f64,
    },
    /// The time does not depend on the size.
    #[error("the largest message, of {bytes} bytes, takes hardly longer than the smallest: no bandwidth follows")]
    NoBandwidth {
        /// Size of the largest message.
        bytes: u32,
    },
    /// Messages were faster than the bandwidth of the route.
    #[error(
        "a message of {bytes} bytes arrives at {} GB/s, and its route has {} GB/s: a message cannot be faster than its links",
        rounded(measured / 1e9), rounded(bandwidth / 1e9)
    )]
    FasterThanBandwidth {
        /// Size of the message.
        bytes: u32,
        /// Measured bytes per second.
        measured: f64,
        /// Bytes per second of the route.
        bandwidth: f64,
    },
}

impl UserError for FitError {
    fn help(&self) -> String {
        let help = match self {
            Self::NoPingPong => "also pass the output of osu_latency, IMB-MPI1 PingPong or NetPIPE",
            Self::TooMany(_) => "leave out some of the rows",
            Self::TooFew(_) => "measure more sizes, for example 1 B to 4 MiB in powers of two",
            Self::FasterThanBandwidth { .. } => {
                "give the bandwidth of the slowest link between the two hosts with --link-bandwidth; without it, that of the largest messages is taken"
            }
            Self::NoBandwidth { .. } => {
                "start the two ranks on cores of their own (ranks that take turns on one core wait as long for any size), measure larger messages, for example up to 4 MiB, or give --link-bandwidth"
            }
            Self::FasterThanRoute { .. } => "give the latency of the links between the two hosts with --link-latency",
        };
        help.to_owned()
    }
}

/// Returns the median time of each size, by ascending size.
fn points(series: &[&Series]) -> Vec<(u32, f64)> {
    let mut all: Vec<(u32, f64)> = series.iter().flat_map(|series| series.points.iter().copied()).collect();
    all.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    // Of several measurements of a size the median: one that was disturbed counts for little.
    all.chunk_by(|a, b| a.0 == b.0)
        .filter_map(|same| Some((same[0].0, median(same.iter().map(|point| point.1))?)))
        .collect()
}

/// Returns a remark on series of one kind that are far apart.
fn disagreement(series: &[&Series]) -> Option<String> {
    let factor = |first: &Series, other: &Series| {
        let of = |size: u32| first.points.iter().find(|point| point.0 == size).map(|point| point.1);
        let ratios = other.points.iter().filter_map(|point| Some(point.1 / of(point.0)?));
        let middle = median(ratios.filter(|ratio| ratio.is_finite() && *ratio > 0.0))?;
        Some(middle.max(1.0 / middle))
    };
    let pairs = (0..series.len()).flat_map(|second| (0..second).map(move |first| [first, second]));
    let factors = pairs.filter_map(|pair| Some((pair, factor(series[pair[0]], series[pair[1]])?)));
    let ([first, second], factor) = factors.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|most| most.1 > FAR)?;
    let [first, second] = [series[first], series[second]];
    let which = match first.file == second.file {
        true => format!("which of the measurements in {}", first.file.display()),
        false => format!("which of {} and {}", first.file.display(), second.file.display()),
    };
    Some(format!(
        "{which} is right: {} times differ by a factor of {factor:.1}, and the median of each size is used",
        first.kind.name()
    ))
}

/// Part of the bandwidth of the links below which that bandwidth is hardly the right one.
const HARDLY: f64 = 0.5;

/// Returns remarks on what measurements were taken of.
fn circumstances(series: &[Series], reached: f64, route: Route) -> Vec<String> {
    let mut found = Vec::new();
    if let Some((_, host)) = series.iter().find_map(|series| series.program.split_once(BOTH_RANKS_ON)) {
        found.push(format!(
            "any constant of the network: both ranks ran on {host}, so these are times of its memory; start them on two hosts"
        ));
    }
    if series.iter().any(|series| series.program.starts_with("OSU MPI-")) {
        found.push("how long messages between buffers in host memory take: the buffers were those of a device".into());
    }
    match route.bandwidth {
        None => found.push(
            "the bandwidth of the links: it is the highest that was measured or that follows from the largest messages; \
             --link-bandwidth gives it"
                .into(),
        ),
        Some(given) if reached < HARDLY * given => found.push(format!(
            "whether the links have {} GB/s: no message reached more than {} GB/s (is --link-bandwidth in bytes where bits \
             are meant?)",
            rounded(given / 1e9),
            rounded(reached / 1e9)
        )),
        Some(_) => {}
    }
    if route.latency.is_none() {
        found.push(
            "the latency of the links: all of it is part of message_latency, so a replay counts the latencies of its own links \
             in addition; --link-latency gives it"
                .into(),
        );
    }
    found
}

/// The line through some points with the least sum of squared relative errors, of at least `floor` seconds for a message without
/// bytes and `least` seconds for each byte, and that sum.
fn line(points: &[(u32, f64)], floor: f64, least: f64) -> (f64, f64, f64) {
    let (mut w, mut wx, mut wxx, mut wy, mut wxy) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for &(size, time) in points {
        let (x, weight) = (f64::from(size), 1.0 / (time * time));
        w += weight;
        wx += weight * x;
        wxx += weight * x * x;
        wy += weight * time;
        wxy += weight * x * time;
    }
    let spread = w * wxx - wx * wx;
    let free = if spread > 0.0 { (w * wxy - wx * wy) / spread } else { least };
    let mut slope = free.max(least);
    let mut fixed = (wy - slope * wx) / w;
    if fixed < floor && wxx > 0.0 {
        // No message arrives before its route allows it: a rate that falls with the size would make it do so.
        (fixed, slope) = (floor, ((wxy - floor * wx) / wxx).max(least));
    }
    let error = |&(size, time): &(u32, f64)| ((fixed + slope * f64::from(size)) / time - 1.0).powi(2);
    (fixed, slope, points.iter().map(error).sum())
}

/// Returns the bandwidth that the largest messages show, in bytes per second: that of their section, in which the constant part
/// of the time does not count. `shortest` is the least time of any message.
///
/// # Errors
/// [`FitError::NoBandwidth`] if the time hardly depends on the size.
fn bandwidth_of(ping_pong: &[(u32, f64)], shortest: f64, floor: f64) -> Result<f64, FitError> {
    let (bytes, longest) = ping_pong[ping_pong.len() - 1];
    if longest < 2.0 * shortest {
        return Err(FitError::NoBandwidth { bytes });
    }
    let last = *sections(ping_pong, floor.min(shortest), 0.0).last().expect("there are points");
    // A section in which bytes take little of the time shows no bandwidth.
    Ok(if last.shows_rate(bytes) { 1.0 / last.per_byte } else { 0.0 })
}

/// Divides points into sections, whose lines have at least `floor` seconds for a message without bytes and `least` for each byte.
fn sections(points: &[(u32, f64)], floor: f64, least: f64) -> Vec<Section> {
    let n = points.len();
    let most = MOST_SECTIONS.min(n / LEAST_POINTS).max(1);
    // cost[k][i]: the least error of the first i points in k + 1 sections, and where the last of these begins.
    let mut cost = vec![vec![(f64::INFINITY, 0); n + 1]; most];
    let mut error = vec![vec![f64::INFINITY; n + 1]; n];
    for (from, row) in error.iter_mut().enumerate() {
        for (to, cell) in row.iter_mut().enumerate().skip(from + LEAST_POINTS.min(n)) {
            *cell = line(&points[from..to], floor, least).2;
        }
    }
    for to in 0..=n {
        cost[0][to] = (error[0][to], 0);
    }
    for k in 1..most {
        for to in 0..=n {
            let before = (0..to).map(|from| (cost[k - 1][from].0 + error[from][to], from));
            cost[k][to] = before.fold((f64::INFINITY, 0), |best, new| if new.0 < best.0 { new } else { best });
        }
    }
    let count = n as f64;
    // Three numbers a section: two of the line, and where it begins.
    let criterion =
        |k: usize| count * (cost[k][n].0 / count + DIGITS * DIGITS).ln() + 3.0 * (k + 1) as f64 * count.ln();
    let best = (0..most).fold(0, |best, k| if criterion(k) < criterion(best) { k } else { best });
    let (mut to, mut found) = (n, Vec::new());
    for k in (0..=best).rev() {
        let from = cost[k][to].1;
        let (fixed, per_byte, _) = line(&points[from..to], floor, least);
        let above = if from == 0 { 0 } else { points[from - 1].0 };
        found.push(Section { above, fixed, per_byte });
        to = from;
    }
    found.reverse();
    found
}

/// Fits constants to measured series.
///
/// # Errors
/// [`FitError`].
pub fn fit(series: &[Series], route: Route) -> Result<Fitted, FitError> {
    let of = |kind: SeriesKind| -> Vec<&Series> { series.iter().filter(|series| series.kind == kind).collect() };
    let ping_pong: Vec<(u32, f64)> =
        points(&of(SeriesKind::PingPong)).into_iter().filter(|point| point.1 > 0.0).collect();
    if ping_pong.is_empty() {
        return Err(FitError::NoPingPong);
    }
    if ping_pong.len() < LEAST_POINTS {
        return Err(FitError::TooFew(ping_pong.len()));
    }
    if ping_pong.len() > MOST_POINTS {
        return Err(FitError::TooMany(ping_pong.len()));
    }
    let stream = points(&of(SeriesKind::Stream));
    let both = points(&of(SeriesKind::BothWays));
    let latency = route.latency.unwrap_or(0.0);
    let rates = stream.iter().chain(&ping_pong).filter(|(size, _)| *size > 0);
    let rates = rates.map(|&(size, time)| (size, f64::from(size) / time));
    let (bytes, measured) = rates.max_by(|a, b| a.1.total_cmp(&b.1)).ok_or(FitError::TooFew(1))?;
    let shortest = ping_pong.iter().map(|point| point.1).fold(f64::INFINITY, f64::min);
    let bandwidth = match route.bandwidth {
        Some(bandwidth) if measured > bandwidth * (1.0 + FASTER) => {
            return Err(FitError::FasterThanBandwidth { bytes, measured, bandwidth });
        }
        Some(bandwidth) => bandwidth,
        None => bandwidth_of(&ping_pong, shortest, latency)?.max(measured),
    };
    let mut open = circumstances(series, measured, route);
    open.extend(SeriesKind::ALL.into_iter().filter_map(|kind| disagreement(&of(kind))));
    let least = 1.0 / bandwidth;
    if shortest < latency {
        return Err(FitError::FasterThanRoute { measured: shortest, route: latency });
    }
    let mut sections = sections(&ping_pong, latency, least);
    // Small messages show what every message takes; lines through larger ones say little about a message without bytes.
    let base = sections[0].fixed;
    // A sender that sends as fast as it can needs this long for a small message, unless the network is what holds it up. The
    // time of a stream includes the latencies of its last message and of the answer, as in the benchmarks.
    let gaps = stream.iter().filter(|(size, _)| *size <= SMALL).map(|&(size, time)| {
        let bytes = at(&sections, size).per_byte.min(time / f64::from(size)) * f64::from(size);
        let window = ping::WINDOW as f64;
        ((time - bytes) * window - 2.0 * base) / (window - 1.0)
    });
    let gap = match median(gaps) {
        None => {
            open.push(
                "how long a sender needs for a message: it is part of message_latency; the output of osu_bw, IMB-MPI1 Uniband or \
                 --run has it"
                    .into(),
            );
            0.0
        }
        Some(gap) if gap > base => {
            open.push(
                "how long a sender needs for a message: the stream is slower than the ping-pong, so messages do not follow each \
                 other in it; osu_bw has to send a window of messages (-W 64)"
                    .into(),
            );
            0.0
        }
        // A sender cannot need what the links of the route take.
        Some(gap) => gap.clamp(0.0, base - latency),
    };
    let message_latency = (base - latency - gap).max(0.0);
    let control = latency + message_latency;
    let rendezvous = rendezvous(&sections, base, control);
    if let Some(limit) = rendezvous {
        // Announced messages cannot be faster than their control messages.
        let floor = control * f64::from(limit.trips) + latency;
        let ends: Vec<u32> = sections.iter().skip(1).map(|section| section.above).chain([u32::MAX]).collect();
        for (section, end) in sections.iter_mut().zip(ends).filter(|(section, _)| section.above >= limit.eager_up_to) {
            let own: Vec<(u32, f64)> =
                ping_pong.iter().copied().filter(|point| point.0 > section.above && point.0 <= end).collect();
            (section.fixed, section.per_byte, _) = line(&own, floor, least);
        }
    }
    // What is left of a section's constant is protocol time: of the sender while it does not wait, of the message afterwards.
    let (mut send_overhead, mut latencies) = (Vec::new(), Vec::new());
    for section in &sections {
        let announced = rendezvous.filter(|limit| section.above >= limit.eager_up_to);
        let (own, latency) = match announced {
            // A sender that waits has no time of its own: the time of the announcement is part of the message.
            Some(limit) => (0.0, section.fixed - control * f64::from(limit.trips) - latency),
            // A line may also begin below that of small messages.
            None => (gap + (section.fixed - base).max(0.0), message_latency + (section.fixed - base).min(0.0)),
        };
        note_change(&mut send_overhead, section.above, own);
        note_change(&mut latencies, section.above, latency);
    }
    match rendezvous {
        None => open.push("the eager limit: no section begins with a jump; detached_below has its default".into()),
        Some(limit) => {
            let next = ping_pong.iter().find(|point| point.0 > limit.eager_up_to).map_or(u32::MAX, |point| point.0);
            if next > limit.eager_up_to + 1 {
                open.push(format!(
                    "where between {} and {next} bytes the eager limit is: no size between them was measured, and the model sends \
                     messages of up to {} bytes eagerly",
                    limit.eager_up_to, limit.eager_up_to
                ));
            }
            if stream.is_empty() {
                open.push(format!(
                    "the number of control messages ({} fit): without a stream, the time of the sender counts as their latency",
                    limit.trips
                ));
            }
        }
    }
    let alone = |&(size, _): &(u32, f64)| (size, at(&sections, size).per_byte * f64::from(size));
    let one_way = if stream.is_empty() { both.iter().map(alone).collect() } else { stream.clone() };
    let data_share = data_share(&sections, ping_pong[ping_pong.len() - 1].0, bandwidth);
    let alone = sections.last().map_or(data_share, |last| last.part_of(bandwidth).min(data_share));
    let crosstraffic = share_of_the_way_back(&one_way, &both, data_share / alone);
    if crosstraffic.is_none() {
        open.push(
            "what messages in opposite directions take from each other: not measured, taken as 0; the output of osu_bibw, IMB-MPI1 Biband or \
             --run has it"
                .into(),
        );
    }
    open.push("how latency grows with the number of switches: the latencies of links are those of the platform".into());
    Ok(Fitted {
        bandwidth,
        route_latency: latency,
        data_share,
        sections,
        message_latency: latencies,
        send_overhead,
        rendezvous,
        crosstraffic,
        open,
        used: series.iter().map(|series| series.program.clone()).collect(),
    })
}

/// Returns the section of a size.
fn at(sections: &[Section], size: u32) -> &Section {
    sections.iter().rev().find(|section| section.above < size).unwrap_or(&sections[0])
}

/// Returns where messages begin to be announced: at the section before which the constant grows most, by half a message or
/// more. `base` is the constant of the smallest messages, `control` the seconds of a message without bytes and without its
/// sender's time.
fn rendezvous(sections: &[Section], base: f64, control: f64) -> Option<Rendezvous> {
    let jump = |pair: &[Section]| pair[1].fixed - pair[0].fixed;
    let most = sections.windows(2).max_by(|a, b| jump(a).total_cmp(&jump(b)))?;
    // No more control messages than fit into the constant: the sender's time can be added to them, but not taken off.
    let trips = || ((most[1].fixed - base) / control + LACKING).floor().clamp(0.0, 2.0) as u32;
    let is_jump = control > 0.0 && jump(most) >= control / 2.0;
    is_jump.then(|| Rendezvous { eager_up_to: most[1].above, trips: trips() })
}

/// Appends the seconds of messages above a size if they differ from those of smaller messages.
fn note_change(sections: &mut Vec<(u32, f64)>, above: u32, seconds: f64) {
    let own = seconds.max(0.0);
    if sections.last().is_none_or(|last| (last.1 - own).abs() > DIGITS * own.max(last.1)) {
        sections.push((above, own));
    }
}

/// Share of the rate on the way back below which it is none, because benchmarks print no more digits.
const LEAST_SHARE: f64 = 1e-3;

/// Largest share of the rate on the way back: models take less than the whole.
const LARGEST_SHARE: f64 = 0.999;

/// Returns the part of the bandwidth that is left for data: the largest of the sections in which bytes take most of the time of
/// the largest message, or else that of the last one. Small messages may take the same time whatever their size.
fn data_share(sections: &[Section], largest: u32, bandwidth: f64) -> f64 {
    let ends = sections.iter().skip(1).map(|section| section.above).chain([largest]);
    let wide = sections.iter().zip(ends).filter(|(section, end)| section.shows_rate(*end));
    let most = wide.map(|(section, _)| section.part_of(bandwidth)).max_by(f64::total_cmp);
    most.or_else(|| Some(sections.last()?.part_of(bandwidth))).unwrap_or(1.0)
}

/// From the largest messages of both series: a stream with an opposite one gets `1 / (1 + share)` of what links have for data,
/// which is `spare` times what one stream reaches alone.
fn share_of_the_way_back(one_way: &[(u32, f64)], both: &[(u32, f64)], spare: f64) -> Option<f64> {
    let same = |&(size, time): &(u32, f64)| Some(time / one_way.iter().find(|point| point.0 == size)?.1);
    let ratio = median(both.iter().rev().filter_map(same).take(3))?;
    let share = (ratio * spare - 1.0).clamp(0.0, LARGEST_SHARE);
    // Streams that do not disturb each other show no more than that.
    Some(if ratio - 1.0 < LEAST_SHARE { 0.0 } else { share })
}

impl Fitted {
    /// Returns the parts of the bandwidth that the messages of each section reach alone: above a size, at most 1.
    fn parts(&self) -> Vec<(u32, f64)> {
        let part = |section: &Section| rounded(section.part_of(self.bandwidth)).min(self.factor());
        self.sections.iter().map(|section| (section.above, part(section))).collect()
    }

    /// Returns [`Self::data_share`] with the digits of model files.
    pub(super) fn factor(&self) -> f64 {
        rounded(self.data_share)
    }

    /// Largest parts of the bandwidth that a message reaches, in the notation of model files; `None` if all reach the same.
    pub(super) fn bound_text(&self) -> Option<String> {
        let (parts, most) = (self.parts(), self.factor());
        let text = |part: &(u32, f64)| format!("{}:{}", part.0, part.1);
        let differs = parts.iter().any(|part| part.1 < most);
        differs.then(|| parts.iter().map(text).collect::<Vec<_>>().join(";"))
    }

    /// Time of a message in the notation of model files.
    pub(super) fn latency_text(&self) -> String {
        match self.message_latency[..] {
            [(_, seconds)] => format!("{} s", rounded(seconds)),
            _ => {
                let section = |&(above, seconds): &(u32, f64)| format!("{above}:{} s", rounded(seconds));
                self.message_latency.iter().map(section).collect::<Vec<_>>().join(";")
            }
        }
    }

    /// Time of a sender in the notation of model files; `None` without any.
    pub(super) fn overhead_text(&self) -> Option<String> {
        if self.send_overhead.iter().all(|section| section.1 == 0.0) {
            return None;
        }
        let section = |&(above, seconds): &(u32, f64)| format!("{above}:{}:0", rounded(seconds));
        Some(self.send_overhead.iter().map(section).collect::<Vec<_>>().join(";"))
    }
}

/// Four significant digits: no benchmark has more.
pub(super) fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().expect("a number")
}
