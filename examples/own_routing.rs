//! Routes of one's own: on a torus, half of the pairs go along the second dimension first. A trace is replayed with these
//! routes and with the ones that mopsim computes.
//!
//! `cargo run --release --example own_routing`

use mopsim::engine::replay;
use mopsim::ids::{HostId, LinkId, SwitchId};
use mopsim::mpi::rank_map::RankMap;
use mopsim::platform::{Platform, PlatformParameters, RouteTable};
use mopsim::study::choice::ModelChoice;
use mopsim::topology::Topology;
use mopsim::{topology, trace};
use std::error::Error;
use std::path::Path;
use std::sync::Arc;

const SIDE: u32 = 8;

/// Dimension order, which is the other one for pairs whose numbers have an odd sum: O1TURN (Seo et al., ISCA 2005) with a
/// fixed choice in place of a random one.
pub struct BothOrders {
    topology: Topology,
    /// The routes that the platform had, for the links of hosts.
    before: Arc<dyn RouteTable>,
}

/// Next coordinate on the shorter way around a ring.
fn step(from: u32, to: u32) -> u32 {
    let ahead = (to + SIDE - from) % SIDE;
    if ahead <= SIDE / 2 { (from + 1) % SIDE } else { (from + SIDE - 1) % SIDE }
}

impl RouteTable for BothOrders {
    fn route(&self, from: HostId, to: HostId, links: &mut Vec<LinkId>) -> bool {
        if from == to {
            return self.before.route(from, to, links);
        }
        // Host h is on switch h, whose coordinates are h / SIDE and h % SIDE.
        let [mut here, there] = [from.0, to.0].map(|host| [host / SIDE, host % SIDE]);
        let order = if (from.0 + to.0).is_multiple_of(2) { [0, 1] } else { [1, 0] };
        links.extend(self.before.host_links(from)[0]);
        for dimension in order {
            while here[dimension] != there[dimension] {
                let mut next = here;
                next[dimension] = step(here[dimension], there[dimension]);
                let [a, b] = [here, next].map(|[x, y]| SwitchId(x * SIDE + y));
                let arc = self.topology.graph.find_arc(a, b).expect("neighbours in a torus have a cable");
                // With a capacity for each direction (duplex full), a link has the number of its arc.
                links.push(LinkId(arc.0));
                here = next;
            }
        }
        links.extend(self.before.host_links(to)[1]);
        true
    }

    fn host_links(&self, host: HostId) -> [Option<LinkId>; 2] {
        self.before.host_links(host)
    }
}

/// Simulated seconds with mopsim's dimension order, and with both orders.
pub fn seconds() -> Result<[f64; 2], Box<dyn Error>> {
    let trace = trace::read(Path::new("traces/ft.A.64.ti.zst"), &trace::Options::default())?;
    let torus = topology::build("torus:8x8")?;
    let mut platform = Platform::from_topology(&torus, &PlatformParameters::default().check()?, "dimension-order", 1)?;
    let (model, _) = ModelChoice::default().build()?;
    let rank_map = RankMap::one_each(trace.ranks());
    let own = replay(&trace, &platform, &rank_map, &model, &mut ())?.simulated_seconds;
    platform.routes = Arc::new(BothOrders { topology: torus, before: platform.routes.clone() });
    let both = replay(&trace, &platform, &rank_map, &model, &mut ())?.simulated_seconds;
    Ok([own, both])
}

/// Prints both times.
pub fn main() -> Result<(), Box<dyn Error>> {
    let [own, both] = seconds()?;
    println!("dimension order {own:.6} s, both orders {both:.6} s");
    Ok(())
}
