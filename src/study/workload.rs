//! A trace that takes part in a comparison, with its operation count.

use super::comparison::WorkloadInfo;
use crate::trace::{Trace, TraceError, ti};
use std::path::Path;
use std::sync::Arc;

/// A workload, ready to be replayed any number of times.
#[derive(Debug, Clone)]
pub struct Workload {
    /// Name of the trace.
    pub name: String,
    /// The actions of its ranks.
    pub trace: Arc<Trace>,
    /// Its number of operations, where a side file gives it.
    pub operations: Option<f64>,
}

impl Workload {
    /// Reads a trace and its side file.
    ///
    /// # Errors
    /// [`TraceError`] if one of them cannot be read.
    pub fn read(path: &Path, options: &ti::Options) -> Result<Self, TraceError> {
        let trace = ti::read(path, options)?;
        Ok(Self {
            name: trace.name.clone(),
            operations: trace.side.as_ref().and_then(|side| side.operations),
            trace: Arc::new(trace),
        })
    }

    /// The workload as reports name it.
    pub fn info(&self) -> WorkloadInfo {
        let side = self.trace.side.as_ref();
        WorkloadInfo {
            name: self.name.clone(),
            title: side.and_then(|s| s.title.clone()),
            ranks: self.trace.ranks(),
            actions: self.trace.total_actions(),
            operations: self.operations,
            formula: side.and_then(|s| s.formula.clone()),
        }
    }
}
