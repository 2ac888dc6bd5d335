//! Builds networks with `ip` and `tc`, and takes them down.

use super::commands::{self, Settings};
use super::state::{LinkPlace, Record, SCHEMA, prefixes};
use super::{Choice, EmulateError, Plan, Prefix, State, Stop};
use crate::executable::{OF_ROOT, in_path};
use crate::platform::{Link, Platform};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Debian's packages of the programs that are run.
const PACKAGES: [(&str, &str); 7] = [
    ("ip", "iproute2"),
    ("tc", "iproute2"),
    ("unshare", "util-linux"),
    ("setpriv", "util-linux"),
    ("mpirun", "openmpi-bin"),
    ("mpicc", "libopenmpi-dev"),
    ("sh", "dash"),
];

/// Checks that this process may build networks, and that the programs are there.
///
/// # Errors
/// [`EmulateError::NotLinux`], [`EmulateError::NotRoot`], [`EmulateError::NoProgram`].
pub fn check_machine(verb: &'static str, programs: &[&str]) -> Result<(), EmulateError> {
    if !cfg!(target_os = "linux") {
        return Err(EmulateError::NotLinux);
    }
    #[cfg(unix)]
    if !rustix::process::geteuid().is_root() {
        return Err(EmulateError::NotRoot { verb });
    }
    programs.iter().try_for_each(|program| find(program).map(drop))
}

/// Finds a program in PATH.
///
/// # Errors
/// [`EmulateError::NoProgram`] with the package that has it.
pub fn find(program: &str) -> Result<std::path::PathBuf, EmulateError> {
    in_path(Path::new(program), &OF_ROOT).ok_or_else(|| {
        let base = Path::new(program).file_name().unwrap_or_default().to_string_lossy();
        let package =
            PACKAGES.iter().find(|(name, _)| base.starts_with(name)).map_or("coreutils", |(_, package)| package);
        EmulateError::NoProgram { program: program.to_owned(), package }
    })
}

/// Runs a program with this text as its input.
fn run(words: &[&str], input: &str) -> Result<Output, EmulateError> {
    let failed = |message: String| EmulateError::Command { command: words.join(" "), message };
    let mut command = Command::new(find(words[0])?);
    command.args(&words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // Ctrl-C is for this process, which then undoes what was done so far.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn().map_err(|error| failed(error.to_string()))?;
    let mut pipe = child.stdin.take();
    let text = input.to_owned();
    // In a thread: a program that writes much before it reads all would wait forever.
    let writer = std::thread::spawn(move || pipe.as_mut().map(|pipe| pipe.write_all(text.as_bytes())));
    let output = child.wait_with_output().map_err(|error| failed(error.to_string()))?;
    let _ = writer.join();
    if output.status.success() {
        return Ok(output);
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    // `ip` reports the error first, then the line of its input.
    let line = errors.lines().find_map(|line| line.strip_prefix("Command failed -:")?.parse::<usize>().ok());
    let at = line.and_then(|line| input.lines().nth(line - 1)).map_or(String::new(), |line| format!(" (in `{line}`)"));
    let first = errors.lines().find(|line| !line.trim().is_empty()).unwrap_or("no message").trim();
    Err(failed(format!("{first}{at}")))
}

/// Names of all network namespaces of the machine.
fn namespaces() -> Result<Vec<String>, EmulateError> {
    let output = run(&["ip", "netns", "list"], "")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(text.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect())
}

/// A network that this process works on.
#[derive(Debug)]
pub struct EmulatedNetwork {
    /// Prefix of its namespaces.
    pub prefix: Prefix,
    /// Record of the network.
    pub record: Record,
    /// Contents of the record.
    pub state: State,
}

impl EmulatedNetwork {
    /// Opens a network that is up.
    ///
    /// # Errors
    /// [`EmulateError::NotUp`] and others.
    pub fn open(prefix: Prefix) -> Result<Self, EmulateError> {
        let record = Record::take(&prefix)?;
        let state = record.up()?;
        Ok(Self { prefix, record, state })
    }

    /// Builds a network. One of the same prefix is replaced, unless processes run in it. After an error or a signal
    /// nothing is left.
    ///
    /// # Errors
    /// [`EmulateError::Foreign`], [`EmulateError::InUse`], [`EmulateError::Command`], [`EmulateError::NoDelay`].
    pub fn build(
        prefix: Prefix,
        plan: &Plan,
        platform: &Platform,
        choice: Choice,
        settings: &Settings,
        temporary: bool,
        stop: &Stop,
    ) -> Result<Self, EmulateError> {
        let record = Record::take(&prefix)?;
        if let Some(old) = record.read()? {
            // Processes of a run whose mopsim was killed have no one to wait for them.
            let orphaned = old.temporary || !old.complete;
            match processes(&old.spaces)?.first() {
                Some((pid, name)) if !orphaned => {
                    let count = processes(&old.spaces)?.len();
                    let example = format!("{name} ({pid})");
                    return Err(EmulateError::InUse { prefix: prefix.as_str().to_owned(), count, example });
                }
                _ => drop(Self { prefix: prefix.clone(), record, state: old }.take_down()?),
            }
            return Self::build(prefix, plan, platform, choice, settings, temporary, stop);
        }
        if let Some(name) = namespaces()?.into_iter().find(|name| prefix.is_of(name)) {
            record.forget();
            return Err(EmulateError::Foreign(name));
        }
        let space = |index: usize| prefix.space(&plan.spaces[index]);
        let links = plan.place.iter().zip(&platform.links).filter_map(|(place, link)| {
            let (cable, end) = (*place)?;
            let of = &plan.cables[cable];
            Some(LinkPlace {
                link: link.name.to_string(),
                space: space(of.spaces[end]),
                device: commands::device(cable),
                one_way: of.links[1 - end].is_none(),
            })
        });
        let links: Vec<LinkPlace> = links.collect();
        let mut network = Self {
            state: State {
                schema: SCHEMA.to_owned(),
                spaces: (0..plan.spaces.len()).map(space).chain([prefix.control()]).collect(),
                complete: false,
                temporary,
                topology: platform.name.clone(),
                choice,
                hosts: plan.hosts.iter().map(|host| space(*host)).collect(),
                before: vec![0; links.len()],
                links,
                scratch: None,
            },
            prefix,
            record,
        };
        // Before anything exists, so that whatever a kill leaves behind is known to the next run.
        network.record.write(&network.state)?;
        match network.set_up(plan, platform, settings, stop) {
            Ok(()) => {
                network.state.complete = true;
                network.record.write(&network.state)?;
                Ok(network)
            }
            Err(error) => {
                network.take_down()?;
                Err(error)
            }
        }
    }

    fn set_up(&self, plan: &Plan, platform: &Platform, settings: &Settings, stop: &Stop) -> Result<(), EmulateError> {
        let [spaces, devices] = commands::create(plan, &self.prefix);
        run(&["ip", "-batch", "-"], &spaces)?;
        stop.check()?;
        // Before devices exist: they take the settings of `default`.
        let kernel = commands::kernel_settings();
        for name in &self.state.spaces {
            run(&["ip", "netns", "exec", name, "sh", "-s"], &kernel)?;
            stop.check()?;
        }
        run(&["ip", "-batch", "-"], &devices)?;
        run(&["ip", "-n", &self.prefix.control(), "-batch", "-"], &commands::bridge(plan))?;
        for (index, space) in plan.spaces.iter().enumerate() {
            let name = self.prefix.space(space);
            run(&["ip", "-n", &name, "-batch", "-"], &commands::configure(plan, index, settings))?;
            let shape = commands::shape(plan, platform, index, settings);
            if !shape.is_empty() {
                run(&["tc", "-n", &name, "-batch", "-"], &shape).map_err(|error| match error {
                    EmulateError::Command { message, .. } if settings.delay > 0.0 && message.contains("netem") => {
                        EmulateError::NoDelay(message)
                    }
                    error => error,
                })?;
            }
            stop.check()?;
        }
        Ok(())
    }

    /// Removes the network, and ends the processes in it.
    ///
    /// # Errors
    /// [`EmulateError::Command`].
    pub fn take_down(self) -> Result<Removed, EmulateError> {
        let processes = processes(&self.state.spaces)?.len();
        remove(&self.state.spaces)?;
        if let Some(folder) = &self.state.scratch {
            let _ = std::fs::remove_dir_all(folder);
        }
        self.record.forget();
        Ok(Removed { spaces: self.state.spaces.len(), processes })
    }
}

/// Extent of a network that was removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Removed {
    /// Namespaces.
    pub spaces: usize,
    /// Processes that were ended.
    pub processes: usize,
}

/// Removes the network of a prefix, complete or not; none if there is none.
///
/// # Errors
/// [`EmulateError::Busy`], [`EmulateError::Command`].
pub fn down(prefix: Prefix) -> Result<Option<Removed>, EmulateError> {
    let record = Record::take(&prefix)?;
    let state = match record.read() {
        Ok(Some(state)) => state,
        Ok(None) => {
            record.forget();
            return Ok(None);
        }
        // The record shows that mopsim built a network of this name, so its namespaces are ours.
        Err(EmulateError::Unreadable { .. }) => {
            let spaces = namespaces()?.into_iter().filter(|name| prefix.is_of(name));
            let spaces: Vec<String> = spaces.collect();
            let removed = Removed { spaces: spaces.len(), processes: processes(&spaces)?.len() };
            remove(&spaces)?;
            record.forget();
            return Ok(Some(removed));
        }
        Err(error) => return Err(error),
    };
    EmulatedNetwork { prefix, record, state }.take_down().map(Some)
}

/// Removes networks that ended with the process that built them and are still there: that process was killed. Others are
/// left alone, and so are those of processes that run.
///
/// # Errors
/// [`EmulateError::Command`].
pub fn sweep() -> Result<Vec<Prefix>, EmulateError> {
    let mut swept = Vec::new();
    for prefix in prefixes() {
        let Ok(record) = Record::take(&prefix) else { continue };
        let Ok(Some(state)) = record.read() else { continue };
        if state.temporary || !state.complete {
            EmulatedNetwork { prefix: prefix.clone(), record, state }.take_down()?;
            swept.push(prefix);
        }
    }
    Ok(swept)
}

/// Processes in namespaces: number and name.
fn processes(spaces: &[String]) -> Result<Vec<(i32, String)>, EmulateError> {
    let there = namespaces()?;
    let mut found = Vec::new();
    for space in spaces.iter().filter(|space| there.contains(space)) {
        let output = run(&["ip", "netns", "pids", space], "")?;
        for pid in String::from_utf8_lossy(&output.stdout).lines().filter_map(|line| line.trim().parse().ok()) {
            let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
            found.push((pid, name.trim().to_owned()));
        }
    }
    Ok(found)
}

/// Ends the processes in namespaces, then removes these.
fn remove(spaces: &[String]) -> Result<(), EmulateError> {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process};
        let own = i32::try_from(std::process::id()).unwrap_or(0);
        for signal in [Signal::TERM, Signal::KILL] {
            let running = processes(spaces)?;
            if running.is_empty() {
                break;
            }
            for (pid, _) in running.iter().filter(|(pid, _)| *pid != own) {
                let _ = Pid::from_raw(*pid).map(|pid| kill_process(pid, signal));
            }
            let begin = Instant::now();
            while begin.elapsed() < Duration::from_secs(3) && !processes(spaces)?.is_empty() {
                std::thread::sleep(Duration::from_millis(50));
            }
        }
    }
    let there = namespaces()?;
    let batch: String =
        spaces.iter().filter(|space| there.contains(space)).map(|space| format!("netns del {space}\n")).collect();
    run(&["ip", "-batch", "-"], &batch).map(drop)
}

/// Runs a program in a namespace and returns what it writes.
///
/// # Errors
/// [`EmulateError::Command`].
pub fn ask(words: &[&str]) -> Result<String, EmulateError> {
    Ok(String::from_utf8_lossy(&run(words, "")?.stdout).into_owned())
}

/// The congestion control that all networks use, if this kernel has it.
pub fn congestion() -> Option<String> {
    let known = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control").ok()?;
    known.split_whitespace().find(|name| *name == "cubic").map(str::to_owned)
}

/// Bandwidth of a link in Mbit/s.
pub fn megabits(link: &Link) -> f64 {
    link.bandwidth * 8e-6
}
