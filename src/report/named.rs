//! Networks by name in JSON.

use serde::Serialize;

/// Name of a network, without its setting: `network`, and `topology` as in documents of version 1, where that key was the
/// specification in other verbs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Named<N> {
    topology: N,
    network: N,
}

impl<N: Clone> From<N> for Named<N> {
    fn from(name: N) -> Self {
        Self { topology: name.clone(), network: name }
    }
}
