//! Comparison across settings: every network in every setting, relative to the baseline network in the first setting.
//!
//! Tables of one setting compare networks. Here settings are compared as well, to show whether a faster platform is
//! worth its price, and which mapping suits which network.

use super::comparison::{Comparison, InAll};
use super::mean;
use super::plan::Setting;
use super::statistics::Statistic;
use std::borrow::Cow;

/// Name of a part of a setting, and its accessor.
pub(crate) type Part = (&'static str, fn(&Setting) -> Cow<'_, str>);

/// Parts for which a study can have several values.
const AXES: [Part; 6] = [
    ("platform", |setting| setting.platform.as_deref().unwrap_or_default().into()),
    ("routing", |setting| setting.routing.as_deref().unwrap_or_default().into()),
    ("mapping", |setting| setting.mapping.as_str().into()),
    ("collectives", |setting| setting.collectives.as_str().into()),
    ("model", |setting| setting.model.as_deref().unwrap_or_default().into()),
    ("failures", |setting| setting.failures.as_ref().map_or(Cow::Borrowed(""), |failed| failed.name().into())),
];

/// Returns the parts in which the settings of a comparison differ.
pub(crate) fn parts(c: &Comparison) -> Vec<Part> {
    AXES.into_iter().filter(|(_, of)| c.settings.iter().any(|setting| of(setting) != of(&c.settings[0]))).collect()
}

/// Results of every network in every setting.
#[derive(Debug, Clone, PartialEq)]
pub struct Across {
    /// Column of the reference.
    pub reference: usize,
    /// Columns of the networks that are in every setting: for each setting, in the order of the study.
    pub columns: Vec<Vec<usize>>,
    /// Names of the networks that are in some settings only.
    pub omitted: Vec<String>,
    /// Weighted geometric mean over the workloads of the speedup over the reference: for each setting, for each
    /// network.
    pub relative: Vec<Vec<Statistic>>,
    /// `relative` per money, relative to the reference, if prices are known.
    pub per_money: Vec<Vec<Option<Statistic>>>,
    /// Index of the fastest setting of each network; the first among equals.
    pub best: Vec<usize>,
    /// Parts in which the settings differ.
    pub axes: Vec<Axis>,
}

/// A part of the settings that has several values.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// `platform`, `routing`, `mapping`, `collectives`, `model` or `failures`.
    pub name: &'static str,
    /// Values, in the order of the study.
    pub values: Vec<String>,
    /// Geometric mean of the speedup over the reference, over all settings with a value: for each value, for each
    /// network.
    pub relative: Vec<Vec<f64>>,
    /// Mean over these settings of the half widths of the network's extrapolated times, relative to them.
    pub widths: Vec<Vec<f64>>,
    /// Geometric mean of the money relative to the reference's, over all settings with a value, if prices are known.
    pub money: Vec<Vec<Option<f64>>>,
    /// Geometric mean of the purchase price, over all settings with a value, if it is known. A total cost may differ
    /// where this is one price for all values.
    pub price: Vec<Vec<Option<f64>>>,
}

impl Across {
    /// Compares all settings; `None` if there is only one.
    pub fn of(c: &Comparison) -> Option<Self> {
        let settings = c.of_settings();
        if settings.len() < 2 {
            return None;
        }
        let InAll { columns, omitted } = c.in_all(&settings);
        let reference = c.baselines[0];
        let money = |column: usize| {
            let of = |column: usize| c.costs[column].and_then(|cost| cost.money()).filter(|money| *money > 0.0);
            Some(of(column)? / of(reference)?)
        };
        let relative: Vec<Vec<Statistic>> =
            columns.iter().map(|of| of.iter().map(|&column| c.speedup(column, reference)).collect()).collect();
        let of_money: Vec<Vec<Option<f64>>> =
            columns.iter().map(|of| of.iter().map(|&column| money(column)).collect()).collect();
        let per_money = relative
            .iter()
            .zip(&of_money)
            .map(|(speeds, money)| speeds.iter().zip(money).map(|(speed, money)| Some(speed.per((*money)?))).collect());
        let networks = columns[0].len();
        let best = (0..networks).map(|network| mean::largest(columns.len(), |setting| relative[setting][network].mean));
        let settings: Vec<&Setting> = columns.iter().map(|of| &c.settings[of[0]]).collect();
        let axis = |(name, of): Part| {
            let mut values: Vec<String> = Vec::new();
            settings.iter().map(|setting| of(setting)).for_each(|value| {
                if !values.iter().any(|known| *known == value) {
                    values.push(value.into_owned());
                }
            });
            let with = |value: &str| -> Vec<usize> {
                (0..settings.len()).filter(|&setting| of(settings[setting]) == value).collect()
            };
            let mean = |values: Vec<f64>| mean::geometric(&values, &vec![1.0; values.len()]);
            let mean_of_all = |with: &[usize], of: &dyn Fn(usize) -> Option<f64>| {
                with.iter().map(|&setting| of(setting)).collect::<Option<Vec<f64>>>().and_then(mean)
            };
            let prices = |value: &String| -> Vec<Option<f64>> {
                let with = with(value);
                let of_network =
                    |network: usize| mean_of_all(&with, &|setting| c.costs[columns[setting][network]]?.dollars);
                (0..networks).map(of_network).collect()
            };
            let widths = |value: &String| -> Vec<f64> {
                let with = with(value);
                let of_network = |network: usize| {
                    let widths: Vec<f64> = with.iter().map(|&setting| c.widths[columns[setting][network]]).collect();
                    mean::arithmetic(&widths, &vec![1.0; widths.len()]).unwrap_or(0.0)
                };
                (0..networks).map(of_network).collect()
            };
            let means = |value: &String| -> (Vec<f64>, Vec<Option<f64>>) {
                let with = with(value);
                let of_network = |network: usize| {
                    let speed =
                        mean(with.iter().map(|&setting| relative[setting][network].mean).collect()).unwrap_or(1.0);
                    (speed, mean_of_all(&with, &|setting| of_money[setting][network]))
                };
                (0..networks).map(of_network).unzip()
            };
            let (relative, money) = values.iter().map(means).unzip();
            let price = values.iter().map(prices).collect();
            Axis { name, widths: values.iter().map(widths).collect(), values, relative, money, price }
        };
        let axes = AXES.map(axis).into_iter().filter(|axis| axis.values.len() > 1).collect();
        Some(Self { reference, best: best.collect(), per_money: per_money.collect(), axes, relative, columns, omitted })
    }
}

impl Axis {
    /// Returns the index of the best value for a network; the first among equals.
    pub fn best(&self, network: usize) -> usize {
        mean::largest(self.values.len(), |value| self.relative[value][network])
    }

    /// Returns the speedup of a network with one value over that with another.
    pub fn ratio(&self, network: usize, value: usize, other: usize) -> Statistic {
        let width = if value == other { 0.0 } else { self.widths[value][network] + self.widths[other][network] };
        Statistic::estimate(self.relative[value][network] / self.relative[other][network], width)
    }

    /// Returns the speedup of a network with its best value over its worst.
    pub fn spread(&self, network: usize) -> Statistic {
        let worst = mean::largest(self.values.len(), |value| -self.relative[value][network]);
        self.ratio(network, self.best(network), worst)
    }

    /// Returns `true` if the intervals of extrapolated times leave open which value is the best for a network.
    pub fn is_undecided(&self, network: usize) -> bool {
        let best = self.best(network);
        let others = (0..self.values.len()).filter(|&value| value != best);
        others.map(|value| self.ratio(network, value, best)).any(|ratio| ratio.is_above(1.0).is_none())
    }
}
