//! Residuals of a fitted model: the measurements are replayed under it.

use super::CalibrateError;
use super::fit::{Fitted, rounded};
use super::series::{Series, SeriesKind};
use crate::platform::parameters::PlatformParameters;
use crate::platform::units::{Bandwidth, Seconds};
use crate::study::choice::ModelChoice;
use crate::study::ping;
use crate::study::statistics::median;

/// A measured and a modelled time of one message.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Residual {
    /// Index of the series.
    pub series: usize,
    /// Bytes of the message.
    pub bytes: u32,
    /// Measured seconds.
    pub measured: f64,
    /// Seconds of the model.
    pub modelled: f64,
}

impl Residual {
    /// Relative error of the model: above 0 if it is too slow.
    pub fn difference(&self) -> f64 {
        self.modelled / self.measured - 1.0
    }

    /// Size of the relative error.
    pub fn error(&self) -> f64 {
        self.difference().abs()
    }

    /// Factor between the two times, 1 or more.
    pub fn factor(&self) -> f64 {
        let ratio = self.modelled / self.measured;
        ratio.max(1.0 / ratio)
    }
}

/// Replays each measured message under the fitted model.
///
/// # Errors
/// [`CalibrateError::NoModel`] if the constants are beyond the limits of a model, [`CalibrateError::Replay`] if a
/// message cannot be replayed.
pub fn residuals(series: &[Series], fitted: &Fitted) -> Result<Vec<Residual>, CalibrateError> {
    let choice: ModelChoice =
        toml::from_str(&fitted.toml("")).map_err(|error| CalibrateError::NoModel(error.message().to_owned()))?;
    let (model, _) = choice.build().map_err(|error| CalibrateError::NoModel(error.to_string()))?;
    let parameters = PlatformParameters {
        link_bandwidth: Bandwidth::new(fitted.bandwidth).ok(),
        link_latency: Seconds::new(fitted.route_latency).ok(),
        ..PlatformParameters::default()
    };
    let platform = ping::two_hosts(&parameters).map_err(|error| CalibrateError::NoModel(error.to_string()))?;
    let mut all = Vec::new();
    for (number, series) in series.iter().enumerate() {
        for &(bytes, measured) in series.points.iter().filter(|point| point.1 > 0.0) {
            let modelled = match series.kind {
                SeriesKind::PingPong => ping::one_way(&platform, &model, bytes)?,
                SeriesKind::Stream => ping::stream(&platform, &model, bytes, false)?,
                SeriesKind::BothWays => ping::stream(&platform, &model, bytes, true)?,
            };
            all.push(Residual { series: number, bytes, measured, modelled });
        }
    }
    Ok(all)
}

/// The median and the largest value of a `measure`, such as [`Residual::error`], over one kind of measurements; `None` if there
/// are none.
pub fn errors(
    series: &[Series],
    residuals: &[Residual],
    kind: SeriesKind,
    measure: fn(&Residual) -> f64,
) -> Option<[f64; 2]> {
    let of_kind = residuals.iter().filter(|residual| series[residual.series].kind == kind);
    let errors: Vec<f64> = of_kind.map(measure).collect();
    Some([median(errors.iter().copied())?, errors.iter().copied().fold(0.0, f64::max)])
}

/// The errors of all kinds in words, for the model file.
pub fn in_words(series: &[Series], residuals: &[Residual]) -> String {
    let of = |kind: SeriesKind| {
        let [median, most] = errors(series, residuals, kind, Residual::error)?;
        let percent = |value: f64| rounded(value * 100.0);
        Some(format!("{} {:.1} % (median) and {:.1} % (most)", kind.name(), percent(median), percent(most)))
    };
    let all: Vec<String> = SeriesKind::ALL.into_iter().filter_map(of).collect();
    format!("{} points, off by: {}", residuals.len(), all.join(", "))
}
