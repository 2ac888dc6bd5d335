//! Pages of `docs/published`: tables between two comments are generated here, and a test fails if a page differs.
//!
//! `MOPSIM_UPDATE_PAGES=1 cargo test --release --test published -- --include-ignored` updates them.

use std::path::PathBuf;
use std::sync::Mutex;

/// Tests run in parallel, and several write to one page.
static WRITING: Mutex<()> = Mutex::new(());

/// A page with its current text.
pub struct Page {
    path: PathBuf,
    text: String,
}

/// Returns `true` if pages are updated.
pub fn updating() -> bool {
    std::env::var_os("MOPSIM_UPDATE_PAGES").is_some()
}

/// Returns the folder of the pages.
pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/published")
}

impl Page {
    /// Opens the page of that name.
    pub fn open(name: &str) -> Self {
        let path = folder().join(format!("{name}.md"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self { path, text }
    }

    /// Returns the line with this beginning.
    pub fn line(&self, begin: &str) -> Option<&str> {
        self.text.lines().find(|line| line.starts_with(begin))
    }

    /// Checks that the block of that name has this content, or writes it. Lines are filled as in all documents.
    pub fn put(&self, name: &str, content: &str) {
        let content = filled(content);
        let (begin, end) = (format!("<!-- {name} -->\n"), format!("\n<!-- end of {name} -->"));
        let parts = |text: &str| {
            let (before, rest) = text.split_once(&begin)?;
            let (within, after) = rest.split_once(&end)?;
            Some([before, within, after].map(str::to_owned))
        };
        let place = self.path.display();
        if updating() {
            let _alone = WRITING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let text = std::fs::read_to_string(&self.path).expect("the page is there");
            let [before, _, after] = parts(&text).unwrap_or_else(|| panic!("{place}: no block {name}"));
            std::fs::write(&self.path, format!("{before}{begin}{content}{end}{after}")).expect("written");
            return;
        }
        let [_, within, _] = parts(&self.text).unwrap_or_else(|| panic!("{place}: no block {name}"));
        let pairs = within.lines().zip(content.lines());
        for (line, (stands, ours)) in pairs.enumerate() {
            assert_eq!(
                stands, ours,
                "{place}, line {line} of {name}: the page is stale (see tests/published/pages.rs)"
            );
        }
        assert_eq!(within, content, "{place}, {name}: the page is stale (see tests/published/pages.rs)");
    }
}

/// Columns of documents.
const COLUMNS: usize = 160;

/// Breaks prose into lines of at most [`COLUMNS`] characters; rows of tables are left as they are.
fn filled(content: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in content.lines() {
        if line.starts_with('|') {
            lines.push(line.to_owned());
            continue;
        }
        lines.push(String::new());
        for word in line.split_whitespace() {
            let last = lines.last_mut().expect("one was added");
            if last.is_empty() {
                word.clone_into(last);
            } else if last.chars().count() + 1 + word.chars().count() <= COLUMNS {
                last.push(' ');
                last.push_str(word);
            } else {
                lines.push(word.to_owned());
            }
        }
    }
    lines.join("\n")
}
