//! Hosts that failed together with their switches, and the numbers and names of those that are left.

use super::error::PlatformError;
use super::graph_links::numbered;
use super::{CheckedParameters, Platform};
use crate::ids::HostId;
use crate::topology::Graph;
use compact_str::CompactString;

/// A host that failed together with its switch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FailedHost {
    /// Number of the host before the failure, from 0.
    pub number: u32,
    /// Name of the host.
    pub name: CompactString,
}

/// Returns the names of the hosts that are left, `None` if they are numbered, and the hosts that failed. `hosts_on` is
/// the number of hosts that are left on each switch.
///
/// # Errors
/// [`PlatformError::InvalidParameter`] as [`CheckedParameters::hosts_on`].
pub(super) fn names_left(
    graph: &Graph,
    hosts_on: &[u32],
    parameters: &CheckedParameters,
) -> Result<(Option<Vec<CompactString>>, Vec<FailedHost>), PlatformError> {
    let Some(failed) = graph.failed_hosts() else {
        return Ok((graph.host_names(hosts_on).map(<[_]>::to_vec), Vec::new()));
    };
    let before = parameters.hosts_before_failures(graph)?;
    let is_named = !failed.names.is_empty() && before == failed.intact;
    let (mut left, mut lost) = (Vec::new(), Vec::new());
    for (number, is_failed) in (0..).zip(failed.of_hosts(&before)) {
        let name = if is_named { failed.names[number as usize].clone() } else { numbered("h", number) };
        if is_failed { lost.push(FailedHost { number, name }) } else { left.push(name) }
    }
    Ok((Some(left), lost))
}

impl Platform {
    /// Returns the number of hosts before any failed.
    pub fn intact_hosts(&self) -> usize {
        self.hosts.len() + self.failed.len()
    }

    /// Returns the number of each host among the hosts of the intact network.
    pub fn numbers(&self) -> impl Iterator<Item = u32> {
        (0..self.intact_hosts() as u32).filter(|&number| self.host_of_number(number).is_ok())
    }

    /// Returns the host that has this number among the hosts of the intact network.
    ///
    /// # Errors
    /// The failed host, if it is one. The number has to be less than [`Platform::intact_hosts`].
    pub fn host_of_number(&self, number: u32) -> Result<HostId, &FailedHost> {
        match self.failed.binary_search_by_key(&number, |host| host.number) {
            Ok(at) => Err(&self.failed[at]),
            Err(below) => Ok(HostId(number - below as u32)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::{PlatformParameters, hostfile};
    use crate::topology::{self, Hosts};

    fn platform(graph: Graph, toml: &str) -> Platform {
        let mut ring = topology::build("ring:4").unwrap();
        ring.graph = std::sync::Arc::new(graph);
        let parameters: PlatformParameters = toml::from_str(toml).unwrap();
        Platform::from_topology(&ring, &parameters.check().unwrap(), "bfs", 1).unwrap()
    }

    fn names(platform: &Platform) -> Vec<&str> {
        platform.hosts.iter().map(|host| host.name.as_str()).collect()
    }

    #[test]
    fn hosts_that_are_left_keep_numbers_and_names() {
        let graph = || topology::build("damaged:base=ring:4,without=1").unwrap().graph.as_ref().clone();
        let one = platform(graph(), "");
        assert_eq!(names(&one), ["h0", "h2", "h3"]);
        assert_eq!(one.intact_hosts(), 4);
        assert_eq!([0, 2, 3].map(|number| one.host_of_number(number).unwrap().0), [0, 1, 2]);
        assert_eq!(one.host_of_number(1).unwrap_err().name, "h1");
        assert_eq!(one.numbers().collect::<Vec<_>>(), [0, 2, 3]);
        // Other numbers of hosts on the switches, a number on the failed switch included.
        assert_eq!(names(&platform(graph(), "hosts_per_switch = 2")), ["h0", "h1", "h4", "h5", "h6", "h7"]);
        assert_eq!(names(&platform(graph(), "hosts_per_switch = [1, 3, 1, 1]")), ["h0", "h4", "h5"]);
        assert_eq!(names(&platform(graph().with_hosts_per_switch(2), "")), ["h0", "h1", "h4", "h5", "h6", "h7"]);
        let parameters: PlatformParameters = toml::from_str("hosts_per_switch = [0, 3, 0, 0]").unwrap();
        let error = parameters.check().unwrap().hosts_on(&graph()).unwrap_err().to_string();
        assert!(error.contains("a switch that is left must have a host"), "{error}");
    }

    #[test]
    fn names_of_files_stay() {
        let ring = topology::build("ring:4").unwrap().graph.as_ref().clone();
        let named = ring.with_hosts(Hosts::OnSwitches(vec![1, 2, 0, 1]));
        let named = named.with_host_names(["a", "b", "c", "d"].map(Into::into).to_vec());
        let is_failed = [false, true, false, false];
        let cables = topology::build("damaged:base=ring:4,without=1").unwrap().graph.as_ref().clone();
        let left = platform(cables.with_hosts_left(&named, &is_failed), "");
        assert_eq!(names(&left), ["a", "d"]);
        assert_eq!(
            left.failed.iter().map(|host| (host.number, host.name.as_str())).collect::<Vec<_>>(),
            [(1, "b"), (2, "c")]
        );
        // Host files go on naming those that failed, which get no rank.
        let listed = |text: &str| hostfile::parse("hosts", text, &left);
        assert_eq!(listed("d\nb:2\na").unwrap(), [HostId(1), HostId(0)]);
        assert!(listed("b\nc").unwrap_err().to_string().contains("all hosts of the file failed"));
        assert!(listed("e").unwrap_err().to_string().contains("has no host `e`"));
    }
}
