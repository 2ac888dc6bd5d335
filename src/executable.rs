//! Executables of the machine.

use std::path::{Path, PathBuf};

/// Folders of root's tools, which the PATH of other users may lack.
pub const OF_ROOT: [&str; 2] = ["/usr/sbin", "/sbin"];

/// Returns the file that a command name refers to: a path as it is, or the first file of that name in the folders of PATH
/// and then in `more`.
pub fn in_path(name: &Path, more: &[&str]) -> Option<PathBuf> {
    if name.components().count() > 1 {
        return name.is_file().then(|| name.to_path_buf());
    }
    let path = std::env::var_os("PATH");
    let folders = path.iter().flat_map(std::env::split_paths).chain(more.iter().map(PathBuf::from));
    folders.map(|folder| folder.join(name)).find(|file| file.is_file())
}
