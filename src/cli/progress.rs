//! Progress on standard error, drawn by indicatif: nothing of it where standard error is no terminal.

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use mopsim::engine::Counter;
use mopsim::study::{Progress, Study};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// Replays that are shown one by one; on a machine with more cores the others only count.
const SHOWN: usize = 16;

/// A bar for the whole study, and below it one for each replay that runs.
pub struct Bars {
    all: MultiProgress,
    total: ProgressBar,
    replays: AtomicUsize,
    of: usize,
    /// Actions of the replays of each workload: what the remaining time is estimated from.
    actions: BTreeMap<String, u64>,
    running: Mutex<Vec<(String, ProgressBar)>>,
}

impl Bars {
    /// Bars for the cells that are missing, among all that the process is responsible for.
    pub fn new(study: &Study, cells: &[usize], missing: &[usize], quiet: bool) -> Self {
        let all = MultiProgress::with_draw_target(if quiet {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        });
        let sum = |cells: &[usize]| cells.iter().map(|&cell| study.actions_of(cell)).sum::<u64>();
        let (length, to_do) = (sum(cells), sum(missing));
        // A long replay is worth more of the bar than a short one, and what was there before took no time.
        let total = all.add(ProgressBar::new(length).with_position(length - to_do));
        total.reset_eta();
        let style = ProgressStyle::with_template("{bar:24} {msg}, {elapsed}, about {eta} to go");
        total.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        total.enable_steady_tick(Duration::from_millis(200));
        let bars = Self {
            all,
            total,
            replays: AtomicUsize::new(cells.len() - missing.len()),
            of: cells.len(),
            actions: study.plan.workloads.iter().map(|w| (w.name.clone(), w.actions)).collect(),
            running: Mutex::new(Vec::new()),
        };
        bars.count(0);
        bars
    }

    fn count(&self, more: usize) {
        let replays = self.replays.fetch_add(more, Ordering::Relaxed) + more;
        self.total.set_message(format!("{replays}/{} replays", self.of));
    }

    fn running(&self) -> std::sync::MutexGuard<'_, Vec<(String, ProgressBar)>> {
        self.running.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Removes the bars.
    pub fn finish(&self) {
        self.running().drain(..).for_each(|(_, bar)| bar.finish_and_clear());
        self.total.finish_and_clear();
    }
}

impl Progress for Bars {
    fn begins(&self, workload: &str, network: &str) {
        let mut running = self.running();
        if running.len() >= SHOWN || self.all.is_hidden() {
            return;
        }
        let name = format!("{workload} on {network}");
        let bar = self.all.add(ProgressBar::new_spinner());
        let style = ProgressStyle::with_template("  {spinner} {elapsed:>4}  {wide_msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        bar.set_message(name.clone());
        bar.enable_steady_tick(Duration::from_millis(200));
        running.push((name, bar));
    }

    fn ended(&self, workload: &str, network: &str) {
        let name = format!("{workload} on {network}");
        let mut running = self.running();
        // Repetitions have one name: any of them may go.
        if let Some(index) = running.iter().position(|(shown, _)| *shown == name) {
            let (_, bar) = running.remove(index);
            bar.finish_and_clear();
            self.all.remove(&bar);
        }
        drop(running);
        self.total.inc(self.actions.get(workload).copied().unwrap_or(0));
        self.count(1);
    }
}

/// A sign of life for what has no end that is known beforehand.
pub fn waiting(what: impl Into<Cow<'static, str>>, quiet: bool) -> ProgressBar {
    let spinner = if quiet { ProgressBar::hidden() } else { ProgressBar::new_spinner() };
    let style = ProgressStyle::with_template("{spinner} {msg}, {elapsed}");
    spinner.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
    spinner.set_message(what);
    spinner.enable_steady_tick(Duration::from_millis(200));
    spinner
}

/// A bar that counts to `length`. `template` is one of indicatif.
pub fn counting(length: u64, template: &str, quiet: bool) -> ProgressBar {
    let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let bar = ProgressBar::with_draw_target(Some(length), target);
    bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// A bar that follows the actions of a replay.
pub struct Replaying {
    bar: ProgressBar,
    watch: Option<(Arc<AtomicBool>, JoinHandle<()>)>,
}

impl Replaying {
    /// A bar for so many actions, and the counter that it follows: an observer of the replay.
    pub fn new(actions: u64, quiet: bool) -> (Self, Counter) {
        let bar = counting(actions, "{bar:24} {percent} % of the actions, {elapsed}, about {eta} to go", quiet);
        let counter = Counter::default();
        let watch = (!bar.is_hidden()).then(|| {
            let (bar, counter, stop) = (bar.clone(), counter.clone(), Arc::new(AtomicBool::new(false)));
            let stopped = stop.clone();
            let watch = move || {
                while !stopped.load(Ordering::Relaxed) {
                    bar.set_position(counter.load(Ordering::Relaxed));
                    std::thread::park_timeout(Duration::from_millis(200));
                }
            };
            (stop, std::thread::spawn(watch))
        });
        (Self { bar, watch }, counter)
    }
}

impl Drop for Replaying {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.watch.take() {
            stop.store(true, Ordering::Relaxed);
            thread.thread().unpark();
            // It cannot fail, and the bar is only for looking at.
            let _ = thread.join();
        }
        self.bar.finish_and_clear();
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
