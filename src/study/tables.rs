//! Tables of collectives by name, with rule files.

use super::choice_error::{ChoiceError, ChoiceFault};
use crate::ledger::sha256::hexadecimal;
use crate::mpi::collective::select::{RuleFile, Selector, Table};
use crate::topology::input::read_text;
use crate::user_error::UserError;
use sha2::{Digest as _, Sha256};
use std::path::Path;
use std::sync::Arc;

/// Largest rule file, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// Table whose library reads rule files, as the prefix of a file name.
const WITH_RULES: &str = "ompi:";

/// A table of collectives, and the rules of a file that go before it.
#[derive(Debug, Clone)]
pub struct CollectiveTable {
    /// Name for reports: that of the table; with a rule file, also its name and the beginning of its SHA-256 digest.
    pub name: String,
    /// The table.
    pub table: Table,
    /// Rules of the file.
    pub rules: Option<Arc<RuleFile>>,
}

/// Returns the error for a name that is no table. Two selectors of SimGrid are not simulated, and similar names would be wrong.
fn unknown_table(name: &str) -> ChoiceError {
    let known = Table::ALL.map(Table::name);
    let of_simgrid = match name {
        "impi" => "the choices of Intel MPI; mpich4 is nearest, as Intel MPI is derived from MPICH",
        "automatic" => "runs all algorithms and takes the fastest; choose one by --collective KIND=ALGORITHM",
        _ => return ChoiceError::unknown("collectives", name, &known),
    };
    let rule =
        format!("is a selector of SimGrid that is not simulated ({of_simgrid}); tables are {}", known.join(", "));
    ChoiceError { option: "collectives".to_owned(), value: name.to_owned(), rule, fault: ChoiceFault::Name }
}

impl CollectiveTable {
    /// Returns the table with a name, such as `ompi`, or that of Open MPI with a rule file, as in `ompi:rules.conf`.
    ///
    /// # Errors
    /// [`ChoiceError`] for an unknown name, or a file that cannot be read.
    pub fn find(name: &str) -> Result<Self, ChoiceError> {
        if let Some(file) = name.strip_prefix(WITH_RULES) {
            return Self::with_file(Path::new(file)).map_err(|(fault, rule)| ChoiceError {
                option: "collectives".to_owned(),
                value: name.to_owned(),
                rule,
                fault,
            });
        }
        let table = Table::from_name(name).ok_or_else(|| unknown_table(name))?;
        Ok(Self { name: name.to_owned(), table, rules: None })
    }

    fn with_file(file: &Path) -> Result<Self, (ChoiceFault, String)> {
        let wrong = |rule: String| (ChoiceFault::Value, rule);
        let Some(short) = file.file_name() else {
            return Err(wrong("names no rule file; write for example ompi:rules.conf".to_owned()));
        };
        let text = read_text(file, MAX_BYTES).map_err(|error| match error.is_io() {
            true => (ChoiceFault::File, format!("names no readable file: {error}")),
            false => wrong(format!("has no rules: {error}")),
        })?;
        let rules =
            RuleFile::parse(&text).map_err(|error| wrong(format!("has bad rules: {}:{error}", file.display())))?;
        let digest = hexadecimal(&Sha256::digest(text.as_bytes())[..4]);
        Ok(Self {
            name: format!("{WITH_RULES}{}@{digest}", short.to_string_lossy()),
            table: Table::Ompi,
            rules: Some(Arc::new(rules)),
        })
    }

    /// Returns the name of a table whose rule file, if it has one, is relative to `folder`.
    pub fn in_folder(name: String, folder: &Path) -> String {
        match name.strip_prefix(WITH_RULES) {
            Some(file) if !file.is_empty() => format!("{WITH_RULES}{}", folder.join(file).display()),
            _ => name,
        }
    }

    /// Returns the selector that follows the rules and the table.
    pub fn selector(&self, smp_setup: bool) -> Selector {
        let selector = Selector::new(self.table, smp_setup);
        match &self.rules {
            Some(rules) => selector.with_rules(Arc::clone(rules)),
            None => selector,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_of_simgrid_that_are_not_simulated_are_named() {
        for (name, part) in [("impi", "mpich4 is nearest"), ("automatic", "choose one by --collective")] {
            let error = CollectiveTable::find(name).unwrap_err().to_string();
            assert!(
                error.contains("is a selector of SimGrid that is not simulated") && error.contains(part),
                "{error}"
            );
            assert!(!error.contains("did you mean"), "{error}");
        }
    }
}
