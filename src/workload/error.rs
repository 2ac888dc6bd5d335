//! Errors of workloads.

use super::limits::RUNS_AWAY;
use super::recorder::TOO_MANY_ACTIONS;
use super::rephrase::way_out;
use crate::printable::counted;
use crate::user_error::UserError;
use std::io;
use std::path::PathBuf;

/// Reason why a workload cannot be generated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkloadError {
    /// There is no program with this name.
    #[error("there is no workload `{name}`")]
    Unknown {
        /// Name as given.
        name: String,
        /// The most similar known name.
        nearest: Option<&'static str>,
    },
    /// The operating system refused the file.
    #[error("{}: {error}", .path.display())]
    File {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        #[source]
        error: io::Error,
    },
    /// The program has an error or exceeds a limit: `file:line:column: message`, then the lines around it.
    #[error("{0}")]
    Program(String),
    /// A parameter has an invalid value.
    #[error("{name} = {value}: {reason}")]
    Parameter {
        /// Name of the parameter.
        name: String,
        /// The value as given.
        value: String,
        /// Description of the error.
        reason: String,
        /// The valid values.
        help: String,
    },
    /// The program has no such parameter.
    #[error("`{program}` has no parameter `{name}`")]
    NoSuchParameter {
        /// Name of the program.
        program: String,
        /// Name as given.
        name: String,
        /// Parameters of the program.
        known: Vec<String>,
    },
    /// The application does not support this number of ranks.
    #[error("`{program}` does not run on {}{}", counted((*.ranks).into(), "rank"), .reason.as_ref().map(|r| format!(": {r}")).unwrap_or_default())]
    Ranks {
        /// Name of the program.
        program: String,
        /// The number of ranks.
        ranks: u32,
        /// The program's reason, or the rule that it states.
        reason: Option<String>,
        /// The nearest legal numbers below and above.
        nearest: (Option<u32>, Option<u32>),
    },
}

impl UserError for WorkloadError {
    fn help(&self) -> String {
        match self {
            Self::Unknown { nearest: Some(nearest), .. } => {
                format!("did you mean `{nearest}`? `mopsim workload` lists all; a file of your own ends in .star")
            }
            Self::Unknown { nearest: None, .. } => {
                "`mopsim workload` lists all; the name of a file of your own ends in .star".to_owned()
            }
            Self::File { .. } => "check the path, its permissions and the disk".to_owned(),
            Self::Program(text) if text.contains(RUNS_AWAY) => {
                "if it is meant to take so long, --max-steps N raises the limit".to_owned()
            }
            Self::Program(text) if text.contains(TOO_MANY_ACTIONS) => {
                "--max-actions N raises the limit; fewer iterations make a shorter trace".to_owned()
            }
            Self::Program(text) => way_out(text).to_owned(),
            Self::Parameter { help, .. } => help.clone(),
            Self::NoSuchParameter { known, .. } if known.is_empty() => "it has no parameters".to_owned(),
            Self::NoSuchParameter { known, .. } => format!("its parameters are {}", known.join(", ")),
            Self::Ranks { nearest, .. } => match nearest {
                (Some(below), Some(above)) => format!("the nearest valid numbers of ranks are {below} and {above}"),
                (Some(one), None) | (None, Some(one)) => format!("the nearest valid number of ranks is {one}"),
                (None, None) => "no number of ranks near it is legal with these parameters".to_owned(),
            },
        }
    }

    fn is_io(&self) -> bool {
        matches!(self, Self::File { .. })
    }
}
