//! Temporary files in the folder of the output files: `.mopsim-PID-NAME.part`, renamed when they are complete.
//!
//! They are removed on every signal that a process can handle. Files left behind by `kill -9` are recognised by the
//! next run that writes into the folder: they have such a name and no lock, since locks end with their process.
//! O_TMPFILE would leave nothing even then, but a file without a name cannot replace another one in one step.

use std::fs::{self, File, OpenOptions, Permissions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Temporary files of this process that have not been renamed yet.
static PARTS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

const BEGIN: &str = ".mopsim-";
const END: &str = ".part";

/// A temporary file for a target, removed when dropped.
pub struct TemporaryFile {
    path: PathBuf,
    target: PathBuf,
    /// Permissions of the replaced file.
    permissions: Option<Permissions>,
    /// Owner and group of the replaced file.
    #[cfg(unix)]
    owner: Option<(u32, u32)>,
}

impl TemporaryFile {
    /// Creates the file, after removing remains of killed runs from the folder.
    pub fn create(target: PathBuf) -> io::Result<(Self, File)> {
        sweep(super::files::folder_of(&target));
        remove_on_signals();
        let name = target.file_name().unwrap_or_default();
        // The name may have the maximum length, so only its checksum fits.
        let check = crc32fast::hash(name.as_encoded_bytes());
        let path = target.with_file_name(format!("{BEGIN}{}-{check:08x}{END}", std::process::id()));
        let found = fs::metadata(&target).ok();
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        if found.is_some() {
            // No other user may read the file before it has the permissions of the target.
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        parts().push(path.clone());
        let part = Self {
            path,
            target,
            #[cfg(unix)]
            owner: found.as_ref().map(|found| {
                use std::os::unix::fs::MetadataExt;
                (found.uid(), found.gid())
            }),
            permissions: found.map(|found| found.permissions()),
        };
        loop {
            let file = options.open(&part.path)?;
            // File systems without locks are used without a lock: nothing is swept there either.
            let _ = file.try_lock();
            // A sweep may have happened between the two.
            if part.path.exists() {
                return Ok((part, file));
            }
        }
    }

    /// Writes the file to the disk, and renames it. After a power failure there is the old file or the new one.
    pub fn rename(self, file: &File) -> io::Result<()> {
        #[cfg(unix)]
        if let Some((user, group)) = self.owner {
            // Only an administrator can change the owner; for other users it is the same anyway.
            let _ = std::os::unix::fs::fchown(file, Some(user), Some(group));
        }
        if let Some(permissions) = &self.permissions {
            file.set_permissions(permissions.clone())?;
        }
        file.sync_all()?;
        fs::rename(&self.path, &self.target)?;
        parts().retain(|part| *part != self.path);
        // Not every file system supports this for folders, and the file exists either way.
        let _ = File::open(super::files::folder_of(&self.target)).and_then(|folder| folder.sync_all());
        Ok(())
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        let mut parts = parts();
        let before = parts.len();
        parts.retain(|part| *part != self.path);
        if parts.len() < before {
            // The file is useless; failure to remove it is no worse than the reason for removing it.
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn parts() -> std::sync::MutexGuard<'static, Vec<PathBuf>> {
    PARTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the temporary files of this process, which ends without running destructors.
pub fn remove_all() {
    for part in parts().drain(..) {
        let _ = fs::remove_file(part);
    }
}

/// Removes the temporary files when memory is exhausted, possibly during a change of the list.
pub fn remove_if_free() {
    if let Ok(parts) = PARTS.try_lock() {
        for part in parts.iter() {
            let _ = fs::remove_file(part);
        }
    }
}

/// Removes temporary files of processes that have ended.
fn sweep(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        let middle = name.strip_prefix(BEGIN).and_then(|name| name.strip_suffix(END)).and_then(|m| m.split_once('-'));
        let is_part = middle.is_some_and(|(process, check)| {
            process.parse::<u32>().is_ok() && check.len() == 8 && check.bytes().all(|byte| byte.is_ascii_hexdigit())
        });
        if !is_part || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        // A lock shows that a process still writes the file; without locks this is unknown, and the file stays.
        let Ok(file) = OpenOptions::new().write(true).open(entry.path()) else { continue };
        match file.try_lock() {
            Ok(()) => drop(fs::remove_file(entry.path())),
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => {}
        }
    }
}

/// Removes the temporary files on signals that end the process.
#[cfg(unix)]
fn remove_on_signals() {
    use signal_hook::consts::{SIGALRM, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU};
    static LISTENING: std::sync::Once = std::sync::Once::new();
    // In a Python program, signals belong to that program. Its remains are swept by the next write.
    if super::INVOCATION.get().is_none() {
        return;
    }
    LISTENING.call_once(|| {
        let all = [SIGALRM, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU];
        // An ignored signal (nohup) stays ignored.
        let wanted: Vec<i32> = all.into_iter().filter(|&signal| !is_ignored(signal)).collect();
        let Ok(mut signals) = signal_hook::iterator::Signals::new(wanted) else { return };
        let _ = std::thread::Builder::new().spawn(move || {
            for signal in signals.forever() {
                remove_all();
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            }
        });
    });
}

#[cfg(not(unix))]
fn remove_on_signals() {}

/// Returns `true` if the process was started with the signal ignored.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
