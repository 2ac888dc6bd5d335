//! Both ends of each link of a platform that was built from a topology.

use super::{LinkKind, Platform};
use crate::ids::{HostId, LinkId};
use crate::topology::{ArcId, Graph};

/// End of a link.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Vertex {
    /// A switch of the graph, or a host that is a vertex of it.
    Switch(u32),
    /// A host with a link of its own.
    Host(u32),
}

/// Reason why a link does not have two ends.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoEnds {
    /// Both directions of a cable share one link.
    #[error("the directions of cable {link} share its bandwidth")]
    Shared {
        /// Name of the link.
        link: String,
    },
}

/// Ends of each link, in the order of the links; `None` for the loopback.
pub type Ends = Vec<Option<(Vertex, Vertex)>>;

/// Returns the ends of all links of a platform that was built from this graph with a link per direction.
///
/// # Errors
/// [`NoEnds::Shared`] if a link has both directions of a cable.
pub fn link_ends(graph: &Graph, platform: &Platform) -> Result<Ends, NoEnds> {
    let mut ends = vec![None; platform.links.len()];
    let shared = |link: LinkId| NoEnds::Shared { link: platform.links[link.index()].name.to_string() };
    let cables = platform.links.iter().filter(|link| link.kind == LinkKind::Cable).count();
    if cables != graph.arcs() {
        return Err(shared(LinkId::new(0)));
    }
    for arc in (0..graph.arcs() as u32).map(ArcId) {
        // The name of a shared cable is `3--17`.
        if platform.links[arc.index()].name.contains("--") {
            return Err(shared(LinkId::new(arc.index())));
        }
        ends[arc.index()] = Some((Vertex::Switch(graph.tail(arc).0), Vertex::Switch(graph.head(arc).0)));
    }
    for (index, host) in platform.hosts.iter().enumerate() {
        let id = HostId::new(index);
        let first = host.switch.map(|switch| (switch, platform.routes.host_links(id)));
        for (switch, links) in first.into_iter().chain(platform.routes.further_ports(id)) {
            let [Some(up), Some(down)] = links else { continue };
            if up == down {
                return Err(shared(up));
            }
            let (host, switch) = (Vertex::Host(index as u32), Vertex::Switch(switch.0));
            ends[up.index()] = Some((host, switch));
            ends[down.index()] = Some((switch, host));
        }
    }
    Ok(ends)
}
