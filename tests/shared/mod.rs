//! Where the reference data is, for tests that need more of it than the repository holds.

use std::path::PathBuf;

/// The folder with the reference data: `MOPSIM_SHARED`, or `../shared` beside the package. Without it the test says so and
/// is skipped.
pub fn folder(test: &str) -> Option<PathBuf> {
    let folder = match std::env::var_os("MOPSIM_SHARED") {
        Some(folder) => PathBuf::from(folder),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"),
    };
    if folder.join("corpus/platforms").is_dir() {
        return Some(folder);
    }
    eprintln!("{test}: skipped, because there is no reference data in {} (set MOPSIM_SHARED)", folder.display());
    None
}
