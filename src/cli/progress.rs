//! Progress on standard error, drawn by indicatif: nothing of it where standard error is no terminal.

use indicatif::{ProgressBar, ProgressStyle};
use mopsim::study::Progress;
use std::time::Duration;

/// A bar that counts finished replays.
pub struct Bar(ProgressBar);

impl Bar {
    /// A bar for so many replays.
    pub fn new(replays: usize, quiet: bool) -> Self {
        let bar = if quiet { ProgressBar::hidden() } else { ProgressBar::new(replays as u64) };
        let style = ProgressStyle::with_template("{bar:24} {pos}/{len} replays, {elapsed} of about {duration}  {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.enable_steady_tick(Duration::from_millis(200));
        Self(bar)
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.0.finish_and_clear();
    }
}

impl Progress for Bar {
    fn begins(&self, workload: &str, network: &str) {
        self.0.set_message(format!("{workload} on {network}"));
    }

    fn ended(&self, _: &str, _: &str) {
        self.0.inc(1);
    }
}

/// A bar that counts the generations of a search.
pub struct Generations(ProgressBar);

impl Generations {
    /// A bar for so many generations.
    pub fn new(generations: u32, quiet: bool) -> Self {
        let bar = if quiet { ProgressBar::hidden() } else { ProgressBar::new(generations.into()) };
        let style = ProgressStyle::with_template("{bar:24} generation {pos}/{len}, {elapsed}  {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self(bar)
    }

    /// Shows how far the search is.
    pub fn show(&self, generation: u32, best: &str) {
        self.0.set_position(generation.into());
        self.0.set_message(best.to_owned());
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.0.finish_and_clear();
    }
}
