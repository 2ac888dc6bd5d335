//! Progress on standard error, drawn by indicatif on terminals only.

use indicatif::{HumanDuration, MultiProgress, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use mopsim::engine::Counter;
use mopsim::memory;
use mopsim::printable::printable;
use mopsim::steps::Steps;
use mopsim::study::{Progress, Study};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// Number of replays that are shown individually; on a machine with more cores the others are only counted.
const SHOWN: usize = 16;

/// A bar for the whole study, and one for each running replay below it.
pub struct Bars {
    all: MultiProgress,
    total: ProgressBar,
    replays: AtomicUsize,
    of: usize,
    /// Actions of the replays of each workload, from which the remaining time is estimated.
    actions: BTreeMap<String, u64>,
    running: Mutex<Vec<(String, ProgressBar)>>,
    quiet: bool,
    _telling: Option<mpsc::Sender<()>>,
}

impl Bars {
    /// Creates bars for the missing cells, among all cells of the process.
    pub fn new(study: &Study, cells: &[usize], missing: &[usize], quiet: bool) -> Self {
        let all = MultiProgress::with_draw_target(if quiet {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        });
        let sum = |cells: &[usize]| cells.iter().map(|&cell| study.actions_of(cell)).sum::<u64>();
        let (length, to_do) = (sum(cells), sum(missing));
        // Long replays count more than short ones, and existing results took no time.
        let total = all.add(ProgressBar::new(length).with_position(length - to_do));
        total.reset_eta();
        let style = ProgressStyle::with_template("{bar:24} {msg}, {elapsed}, about {eta} to go");
        total.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        tick(&total);
        let bars = Self {
            _telling: tell("the study".to_owned(), &total, quiet, not_done),
            all,
            total,
            replays: AtomicUsize::new(cells.len() - missing.len()),
            of: cells.len(),
            actions: {
                let parts = study.samples.iter().flatten().map(|part| (part.name.clone(), part.trace.total_actions()));
                study.plan.workloads.iter().map(|w| (w.name.clone(), w.actions)).chain(parts).collect()
            },
            running: Mutex::new(Vec::new()),
            quiet,
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

    /// Shows progress of other work below the bars, as [`counted`] does.
    pub fn counted(&self, what: &'static str, steps: &Steps) -> Waiting {
        Waiting::on(self.all.add(spinner(self.quiet)), what.into(), self.quiet, not_done).follow(steps, self.quiet)
    }

    /// Prints a line above the bars.
    pub fn say(&self, text: &str) {
        self.all.suspend(|| super::say(text));
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
        bar.set_message(printable(&name).into_owned());
        tick(&bar);
        running.push((name, bar));
    }

    fn ended(&self, workload: &str, network: &str) {
        let name = format!("{workload} on {network}");
        let mut running = self.running();
        // Repetitions have the same name: any of them may be removed.
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

/// Redraws a bar periodically; a hidden bar needs no thread for that.
fn tick(bar: &ProgressBar) {
    if !bar.is_hidden() {
        bar.enable_steady_tick(Duration::from_millis(200));
    }
}

/// Seconds after which continuing work is reported if there is no terminal.
const PATIENCE: [u64; 4] = [10, 60, 600, 3600];

/// Progress of work without a known end: a spinner on a terminal, otherwise some lines.
pub struct Waiting {
    spinner: ProgressBar,
    done: Option<mpsc::Sender<()>>,
    following: Option<Following>,
}

impl Waiting {
    /// Shows the work by this spinner; `unknown` describes it as in [`tell`].
    fn on(spinner: ProgressBar, what: Cow<'static, str>, quiet: bool, unknown: fn(u64) -> String) -> Self {
        let what = printable(&what).into_owned();
        // The remaining time is shown only after the first step, from which it is estimated.
        let to_go = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
            if state.len().is_some_and(|length| length > state.pos()) && state.pos() > 0 {
                let _ = write!(out, ", about {:#} to go", HumanDuration(state.eta()));
            }
        };
        let style = ProgressStyle::with_template("{spinner} {msg}, {elapsed}{to_go}");
        let style = style.unwrap_or_else(|_| ProgressStyle::default_spinner()).with_key("to_go", to_go);
        spinner.set_style(style);
        spinner.set_message(what.clone());
        tick(&spinner);
        let done = tell(what, &spinner, quiet, unknown);
        Self { spinner, done, following: None }
    }

    /// Counts the steps of the work.
    fn follow(self, steps: &Steps, quiet: bool) -> Self {
        let steps = steps.clone();
        let count = move || {
            let (done, expected) = steps.now();
            (done, (expected > 0).then_some(expected))
        };
        let following = (!quiet).then(|| Following::new(&self.spinner, count));
        Self { following, ..self }
    }

    /// Removes the spinner when the work is completed.
    pub fn finish_and_clear(mut self) {
        self.following = None;
        self.done = None;
        self.spinner.finish_and_clear();
    }
}

/// Updates a bar from a counter elsewhere, until it is dropped.
struct Following(Arc<AtomicBool>, Option<JoinHandle<()>>);

impl Following {
    /// Starts the updates. `count` returns the number of completed steps, and the number of expected ones if it is
    /// known.
    fn new(bar: &ProgressBar, count: impl Fn() -> (u64, Option<u64>) + Send + 'static) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let (bar, stopped) = (bar.clone(), stop.clone());
        let follow = move || {
            while !stopped.load(Ordering::Relaxed) {
                let (done, expected) = count();
                if let Some(expected) = expected {
                    // The time before the first step is no measure of the steps.
                    if bar.length().is_none() {
                        bar.reset_eta();
                    }
                    bar.set_length(expected);
                }
                bar.set_position(done);
                std::thread::park_timeout(Duration::from_millis(200));
            }
        };
        // Without the thread the bar does not move, which is harmless.
        Self(stop, std::thread::Builder::new().spawn(follow).ok())
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
        if let Some(thread) = self.1.take() {
            thread.thread().unpark();
            // The thread cannot fail, and the bar is only informative.
            let _ = thread.join();
        }
    }
}

/// Words for work of which nothing is known.
const NOT_DONE: &str = "not done yet";

fn not_done(_: u64) -> String {
    NOT_DONE.to_owned()
}

/// Reports periodically on standard error that work continues, and the remaining time if `bar` counts it, until the
/// sender is dropped. `unknown` describes work of which nothing is counted, after some seconds. On a terminal, bars do that.
fn tell(what: String, bar: &ProgressBar, quiet: bool, unknown: fn(u64) -> String) -> Option<mpsc::Sender<()>> {
    if quiet || std::io::stderr().is_terminal() {
        return None;
    }
    let bar = bar.clone();
    let (done, is_done) = mpsc::channel::<()>();
    let _ = std::thread::Builder::new().spawn(move || {
        let mut before = 0;
        for seconds in PATIENCE {
            if is_done.recv_timeout(Duration::from_secs(seconds - before)) != Err(mpsc::RecvTimeoutError::Timeout) {
                return;
            }
            before = seconds;
            let to_go = match bar.length() {
                // The time of the first pieces is no measure of much longer ones.
                Some(_) if bar.eta() > Duration::from_secs(86_400) => "more than a day to go".to_owned(),
                // All steps have begun, and the last ones last.
                Some(_) if bar.position() > 0 && bar.eta() < Duration::from_secs(1) => NOT_DONE.to_owned(),
                Some(_) if bar.position() > 0 => format!("about {} s to go", bar.eta().as_secs()),
                _ => unknown(seconds),
            };
            super::say(&format!("{what}: {seconds} s so far, {to_go}"));
        }
    });
    Some(done)
}

/// Shows progress of work without a known end.
pub fn waiting(what: impl Into<Cow<'static, str>>, quiet: bool) -> Waiting {
    Waiting::on(spinner(quiet), what.into(), quiet, not_done)
}

/// Shows progress of work that counts its steps, with the remaining time once their number is known.
pub fn counted(what: impl Into<Cow<'static, str>>, steps: &Steps, quiet: bool) -> Waiting {
    waiting(what, quiet).follow(steps, quiet)
}

/// Builds networks, and shows that if it takes long, with the estimated time of the largest.
pub fn building<T>(what: &str, quiet: bool, build: impl FnOnce() -> T) -> T {
    memory::expect_network();
    let estimate = |so_far: u64| match memory::estimated_seconds() {
        Some(seconds) if seconds > so_far as f64 => {
            format!("{NOT_DONE}; the estimate for its links is {seconds:.0} s")
        }
        _ => NOT_DONE.to_owned(),
    };
    let waiting = Waiting::on(spinner(quiet), format!("building {what}").into(), quiet, estimate);
    let built = build();
    waiting.finish_and_clear();
    built
}

fn spinner(quiet: bool) -> ProgressBar {
    if quiet { ProgressBar::hidden() } else { ProgressBar::new_spinner() }
}

/// A bar that counts, or lines if there is no terminal.
pub struct Counting {
    bar: ProgressBar,
    _telling: Option<mpsc::Sender<()>>,
}

impl Deref for Counting {
    type Target = ProgressBar;

    fn deref(&self) -> &ProgressBar {
        &self.bar
    }
}

/// Creates a bar that counts to `length`. `template` is one of indicatif, `what` the name of the work in lines.
pub fn counting(what: &str, length: u64, template: &str, quiet: bool) -> Counting {
    let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let bar = ProgressBar::with_draw_target(Some(length), target);
    bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
    tick(&bar);
    Counting { _telling: tell(what.to_owned(), &bar, quiet, not_done), bar }
}

/// A bar that follows the actions of a replay.
pub struct Replaying {
    bar: Counting,
    following: Option<Following>,
}

impl Replaying {
    /// Creates a bar for `actions` actions, and the counter that it follows: an observer of the replay.
    pub fn new(actions: u64, quiet: bool) -> (Self, Counter) {
        let bar =
            counting("the replay", actions, "{bar:24} {percent} % of the actions, {elapsed}, about {eta} to go", quiet);
        let counter = Counter::default();
        let count = counter.clone();
        let following = (!quiet).then(|| Following::new(&bar, move || (count.begun(), None)));
        (Self { bar, following }, counter)
    }
}

impl Drop for Replaying {
    fn drop(&mut self) {
        self.following = None;
        self.bar.finish_and_clear();
    }
}

/// A bar that counts results, and advances within a result with its steps.
pub struct Answers {
    bar: Counting,
    following: Option<Following>,
    /// Number of completed results, and the completed and expected steps at the time of the last one.
    before: Arc<Mutex<(u64, u64, u64)>>,
    steps: Steps,
    of: usize,
}

impl Answers {
    /// Parts of the bar per result.
    const PARTS: u64 = 1000;

    /// Creates a bar for `answers` results, whose steps are counted.
    pub fn new(answers: usize, steps: &Steps, quiet: bool) -> Self {
        let length = answers as u64 * Self::PARTS;
        let bar = counting("throughput", length, "{bar:24} {elapsed}, about {eta} to go; {msg}", quiet);
        bar.set_message(format!("0/{answers}"));
        let before = Arc::new(Mutex::new((0, 0, 0)));
        let (count, counted) = (steps.clone(), before.clone());
        let position = move || {
            let (answers, done, expected) = *counted.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let now = count.now();
            let part = (now.0 - done) as f64 / (now.1 - expected).max(1) as f64;
            (answers * Self::PARTS + (part.min(0.999) * Self::PARTS as f64) as u64, None)
        };
        let following = (!quiet).then(|| Following::new(&bar, position));
        Self { bar, following, before, steps: steps.clone(), of: answers }
    }

    /// Adds completed results.
    pub fn done(&self, what: &str, answers: usize) {
        let mut before = self.before.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let (done, expected) = self.steps.now();
        *before = (before.0 + answers as u64, done, expected);
        self.bar.set_message(format!("{}/{}: {}", before.0, self.of, printable(what)));
    }
}

impl Drop for Answers {
    fn drop(&mut self) {
        self.following = None;
        self.bar.finish_and_clear();
    }
}

/// A bar that counts the generations of a search.
pub struct Generations(ProgressBar);

impl Generations {
    /// Creates a bar for `generations` generations.
    pub fn new(generations: u32, quiet: bool) -> Self {
        let bar = if quiet { ProgressBar::hidden() } else { ProgressBar::new(generations.into()) };
        let style = ProgressStyle::with_template("{bar:24} generation {pos}/{len}, {elapsed}  {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self(bar)
    }

    /// Shows the progress of the search.
    pub fn show(&self, generation: u32, best: &str) {
        self.0.set_position(generation.into());
        self.0.set_message(best.to_owned());
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.0.finish_and_clear();
    }
}
