//! Calibrations as a self-contained HTML page: measured and modelled times with their ratios, constants, and what
//! the measurements leave open.

use super::parts::{Exact, exact};
use super::svg::Svg;
use crate::calibrate::{Fitted, Residual, Series, SeriesKind, errors};
use crate::report::calibrate::sheet;
use crate::report::number::{self, grouped};
use crate::report::sheet::Datum;
use minijinja::{Environment, Value, context};
use std::fmt::Write as _;
use std::io::{self, Write};

/// Contents of the page.
#[derive(Debug, Clone, Copy)]
pub struct CalibrationPage<'a> {
    /// Measurements.
    pub series: &'a [Series],
    /// Constants that follow from them.
    pub fitted: &'a Fitted,
    /// Measured and modelled times, as [`residuals`](crate::calibrate::residuals) returns them.
    pub residuals: &'a [Residual],
    /// Model file.
    pub toml: &'a str,
    /// Command line that repeats the calibration.
    pub command: Option<&'a str>,
}

impl CalibrationPage<'_> {
    /// Writes the page.
    ///
    /// # Errors
    /// If writing to `out` fails.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let (series, fitted) = (self.series, self.fitted);
        let safe = Value::from_safe_string;
        let mut environment = Environment::new();
        environment.set_trim_blocks(true);
        environment.set_lstrip_blocks(true);
        environment
            .add_template("calibrate.html", include_str!("templates/calibrate.html"))
            .map_err(|error| io::Error::other(format!("the template of the page: {error}")))?;
        let (bandwidth, latency) = (gigabits(fitted.bandwidth), number::brief_seconds(fitted.route_latency));
        let own = sheet(series, fitted, self.residuals);
        // Errors are in a table of their own.
        let facts = own.facts.iter().filter(|fact| !fact.0.ends_with("_error")).map(|(_, name, value)| {
            let value = match *value {
                Datum::Number(value, digits) => Some(exact(value, |v| format!("{v:.digits$}"))),
                Datum::Count(value) => Some(count(value)),
                _ => None,
            };
            context! { name, value }
        });
        let page = environment
            .get_template("calibrate.html")
            .and_then(|template| {
                template.render(context! {
                    title => "Network model from measured message times",
                    style => safe(include_str!("templates/style.css").to_owned()),
                    version => env!("CARGO_PKG_VERSION"),
                    bandwidth,
                    latency,
                    verdict => self.verdict(),
                    kinds => self.kinds(),
                    open => fitted.open,
                    sources => series.iter().enumerate().map(|(i, series)| context! {
                        colour => colour(i),
                        kind => series.kind.name(),
                        program => series.program,
                        file => series.file.display().to_string(),
                    }).collect::<Vec<_>>(),
                    panels => self.shown().map(|kind| context! {
                        caption => caption(kind),
                        svg => safe(self.panel(kind)),
                    }).collect::<Vec<_>>(),
                    facts => facts.collect::<Vec<_>>(),
                    sections => fitted.sections.iter().map(|section| context! {
                        above => count(section.above.into()),
                        fixed => exact(section.fixed * 1e6, |v| format!("{v:.3}")),
                        rate => exact(1.0 / (section.per_byte * 1e9), |v| format!("{v:.4}")),
                    }).collect::<Vec<_>>(),
                    points => self.residuals.iter().map(|residual| context! {
                        file => series[residual.series].file.display().to_string(),
                        kind => series[residual.series].kind.name(),
                        bytes => count(residual.bytes.into()),
                        measured => exact(residual.measured * 1e6, |v| format!("{v:.3}")),
                        modelled => exact(residual.modelled * 1e6, |v| format!("{v:.3}")),
                        difference => exact(difference(residual), signed),
                    }).collect::<Vec<_>>(),
                    toml => self.toml,
                    command => self.command,
                })
            })
            .map_err(io::Error::other)?;
        out.write_all(page.as_bytes())
    }

    /// Kinds of measurements that have points.
    fn shown(&self) -> impl Iterator<Item = SeriesKind> {
        SeriesKind::ALL.into_iter().filter(|&kind| self.of(kind).next().is_some())
    }

    /// Points of one kind.
    fn of(&self, kind: SeriesKind) -> impl Iterator<Item = &Residual> {
        self.residuals.iter().filter(move |residual| self.series[residual.series].kind == kind)
    }

    /// The errors in a sentence.
    fn verdict(&self) -> String {
        let of = |kind: SeriesKind| {
            let [median, _] = errors(self.series, self.residuals, kind, Residual::factor)?;
            Some(format!("{} for {}", factor(median), kind.name()))
        };
        let all: Vec<String> = SeriesKind::ALL.into_iter().filter_map(of).collect();
        format!("Median factor between model and measurement: {}.", all.join(", "))
    }

    /// Rows of the table of errors.
    fn kinds(&self) -> Vec<Value> {
        let row = |kind: SeriesKind| {
            let [median, most] = errors(self.series, self.residuals, kind, Residual::factor).unwrap_or([f64::NAN; 2]);
            let worst = self.of(kind).max_by(|a, b| a.factor().total_cmp(&b.factor()));
            let factor = |value: f64| exact(value, factor);
            context! {
                name => kind.name(),
                points => self.of(kind).count(),
                median => factor(median),
                most => factor(most),
                at => worst.map_or(String::new(), |worst| size(worst.bytes)),
            }
        };
        self.shown().map(row).collect()
    }

    /// Draws the times of one kind, and below them the ratios of the two.
    fn panel(&self, kind: SeriesKind) -> String {
        let all: Vec<&Residual> = self.of(kind).collect();
        let plot = Plot::of(&all);
        let mut svg = Svg::new(WIDTH, HEIGHT);
        plot.axes(&mut svg);
        // The model as a line through its times of the measured sizes.
        let mut modelled: Vec<(u32, f64)> = all.iter().map(|residual| (residual.bytes, residual.modelled)).collect();
        modelled.sort_by_key(|point| point.0);
        let mut path = String::new();
        for (i, &(bytes, seconds)) in modelled.iter().enumerate() {
            let _ = write!(path, "{}{:.1} {:.1}", if i == 0 { 'M' } else { 'L' }, plot.x(bytes), plot.time(seconds));
        }
        for residual in &all {
            let (x, colour) = (plot.x(residual.bytes), colour(residual.series));
            let title = format!(
                "{}: measured {}, model {}, {}",
                size(residual.bytes),
                number::seconds(residual.measured),
                number::seconds(residual.modelled),
                signed(difference(residual))
            );
            for y in [plot.time(residual.measured), plot.ratio(residual.modelled / residual.measured)] {
                svg.raw(&format!(
                    "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.6\" class=\"mark stroke-net{colour}\" style=\"stroke-width:1.4\">\
                     <title>{title}</title></circle>"
                ));
            }
        }
        svg.raw(&format!("<path d=\"{path}\" class=\"critical\"/>"));
        let description = format!("{} points; the table of all measurements has the numbers.", all.len());
        svg.finish(&format!("calibrate-{}", kind as usize), "chart", caption(kind), &description)
    }
}

/// Caption of the drawing of a kind.
fn caption(kind: SeriesKind) -> &'static str {
    match kind {
        SeriesKind::PingPong => "Ping-pong: time of one message there",
        SeriesKind::Stream => "Stream: time per message, many in one direction",
        SeriesKind::BothWays => "Both ways: time per message, many in each direction",
    }
}

/// Colour of a series: one of the style sheet's eight.
fn colour(series: usize) -> usize {
    series % super::svg::PATTERNS
}

/// Time of the model beyond the measured one, in per cent of that.
fn difference(residual: &Residual) -> f64 {
    100.0 * residual.difference()
}

/// Formats a difference: `+3.1 %`.
fn signed(percent: f64) -> String {
    format!("{percent:+.1} %").replace('-', "−")
}

/// Formats the factor between two times: `1.03 ×`.
fn factor(factor: f64) -> String {
    format!("{factor:.2} ×")
}

/// Formats a bandwidth in bytes/s with three digits: `71.0 Gbit/s`.
fn gigabits(bandwidth: f64) -> String {
    let value = bandwidth * 8.0 / 1e9;
    let decimals = (2.0 - value.log10().floor()).clamp(0.0, 9.0) as usize;
    format!("{value:.decimals$} Gbit/s")
}

/// Formats a size in binary units, if they are whole ones.
fn size(bytes: u32) -> String {
    match bytes {
        _ if bytes >= 1 << 20 && bytes.is_multiple_of(1 << 20) => format!("{} MiB", bytes >> 20),
        _ if bytes >= 1 << 10 && bytes.is_multiple_of(1 << 10) => format!("{} KiB", bytes >> 10),
        _ => format!("{} B", grouped(bytes.into())),
    }
}

/// A count and its exact number.
fn count(value: u64) -> Exact {
    exact(value as f64, |_| grouped(value))
}

const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 58.0;
const RIGHT: f64 = 14.0;
/// Top and bottom of the times, and of the ratios below them.
const TIMES: (f64, f64) = (10.0, 250.0);
const RATIOS: (f64, f64) = (276.0, 356.0);

/// Ratios at the ends of the scale: the first one that all points fit into, or the last.
const ENDS: [f64; 7] = [1.05, 1.2, 1.5, 2.0, 4.0, 10.0, 100.0];

/// Scales of a drawing.
struct Plot {
    /// Binary logarithms of the sizes at both ends of the axis.
    sizes: (f64, f64),
    /// Decades of seconds at both ends of the axis.
    decades: (i32, i32),
    /// Largest ratio of the two times on the scale; the smallest is its inverse.
    most: f64,
}

impl Plot {
    fn of(points: &[&Residual]) -> Self {
        let bounds = |values: &mut dyn Iterator<Item = f64>| {
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
        };
        let (small, large) = bounds(&mut points.iter().map(|point| place(point.bytes)));
        let times = points.iter().flat_map(|point| [point.measured, point.modelled]);
        let (short, long) = bounds(&mut times.filter(|time| *time > 0.0));
        let decade = |value: f64| if value.is_finite() { value.log10() } else { -6.0 };
        let (low, high) = (decade(short).floor() as i32, decade(long).ceil() as i32);
        let far = bounds(&mut points.iter().map(|point| point.factor())).1;
        let most = ENDS.into_iter().find(|most| far <= *most).unwrap_or(ENDS[ENDS.len() - 1]);
        Self { sizes: (small, large.max(small + 1.0)), decades: (low, high.max(low + 1)), most }
    }

    fn x(&self, bytes: u32) -> f64 {
        let part = (place(bytes) - self.sizes.0) / (self.sizes.1 - self.sizes.0);
        LEFT + 6.0 + part * (WIDTH - LEFT - RIGHT - 12.0)
    }

    fn time(&self, seconds: f64) -> f64 {
        let (low, high) = (f64::from(self.decades.0), f64::from(self.decades.1));
        let part = ((seconds.log10() - low) / (high - low)).clamp(0.0, 1.0);
        TIMES.1 - part * (TIMES.1 - TIMES.0)
    }

    fn ratio(&self, ratio: f64) -> f64 {
        let part = (ratio.ln() / self.most.ln()).clamp(-1.0, 1.0);
        f64::midpoint(RATIOS.0, RATIOS.1) - part * (RATIOS.1 - RATIOS.0) / 2.0
    }

    fn axes(&self, svg: &mut Svg) {
        let right = WIDTH - RIGHT;
        for decade in self.decades.0..=self.decades.1 {
            let y = self.time(10_f64.powi(decade));
            svg.line(LEFT, y, right, y, "grid");
            svg.text(LEFT - 6.0, y + 4.0, "axis end", &decade_name(decade));
        }
        let most = self.most;
        for (ratio, class, name) in [
            (1.0 / most, "grid", format!("÷ {most}")),
            (1.0, "baseline", "equal".to_owned()),
            (most, "grid", format!("× {most}")),
        ] {
            let y = self.ratio(ratio);
            svg.line(LEFT, y, right, y, class);
            svg.text(LEFT - 6.0, y + 4.0, "axis end", &name);
        }
        // Powers of two, as many as have room for their names.
        let (first, last) = (self.sizes.0.ceil() as u32, self.sizes.1.floor() as u32);
        let step = [1, 2, 5, 10].into_iter().find(|step| (last - first.min(last)) / step <= 6).unwrap_or(10);
        for power in (first..=last).filter(|power| power.is_multiple_of(step)) {
            let bytes = 1_u32 << power.min(31);
            let x = self.x(bytes);
            for (top, bottom) in [TIMES, RATIOS] {
                svg.line(x, top, x, bottom, "grid");
            }
            svg.text(x, RATIOS.1 + 18.0, "axis middle", &size(bytes));
        }
        svg.text(f64::midpoint(LEFT, right), HEIGHT - 6.0, "axis middle", "size of the message");
    }
}

/// Place of a size on the axis: its binary logarithm. A message without bytes is one place before one of a byte.
fn place(bytes: u32) -> f64 {
    if bytes == 0 { -1.0 } else { f64::from(bytes).log2() }
}

/// Formats `10^decade` seconds with a unit.
fn decade_name(decade: i32) -> String {
    let units = [("s", 0), ("ms", -3), ("us", -6), ("ns", -9)];
    let (unit, least) = units.into_iter().find(|&(_, least)| decade >= least).unwrap_or(("ns", -9));
    let value = 10_f64.powi(decade - least);
    format!("{value} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bandwidths_have_three_digits() {
        let shown = [71.041_734, 200.0, 0.94, 1234.5, 2.5].map(|value| gigabits(value * 1e9 / 8.0));
        assert_eq!(shown, ["71.0 Gbit/s", "200 Gbit/s", "0.940 Gbit/s", "1234 Gbit/s", "2.50 Gbit/s"]);
    }
}
