//! The element `cluster`: equal hosts joined in a star, a torus, a fat tree or a dragonfly.
//!
//! Links are numbered as they are created, so that the zones find them by arithmetic. As in SimGrid 3.32, a torus, a
//! fat tree or a dragonfly uses only the first hosts of the radical, one for each place of its shape; the links of a
//! cluster with the policy FATPIPE are nevertheless shared; and links have SimGrid's names.

use roxmltree::{Attribute, Node};

use super::super::error::PlatformError;
use super::super::units::{Bandwidth, Seconds};
use super::super::{Link, SharingPolicy};
use super::builder::{NamedLink, PlatformBuilder};
use super::dragonfly::{self, DragonflyZone};
use super::fat_tree::{self, FatTree, FatTreeLevel};
use super::leaves::Leaves;
use super::network::{Generated, Routing};
use super::points::{PointKind, ZoneId};
use super::radical;
use super::source::is_zero;
use super::star::Star;
use super::torus::{self, Torus};
use crate::ids::LinkId;
use crate::topology::families::xgft::MAX_LEVELS;

/// A cluster, checked.
struct Cluster<'a, 'input> {
    node: Node<'a, 'input>,
    id: &'a str,
    prefix: &'a str,
    suffix: &'a str,
    radicals: Vec<u32>,
    speed: f64,
    cores: u32,
    bandwidth: f64,
    latency: f64,
    split: bool,
    loopback: Option<(f64, f64)>,
    limiter: Option<f64>,
    backbone: Option<(f64, f64, SharingPolicy)>,
    router: Option<&'a str>,
}

const ATTRIBUTES: [&str; 18] = [
    "id",
    "prefix",
    "suffix",
    "radical",
    "speed",
    "core",
    "bw",
    "lat",
    "sharing_policy",
    "topology",
    "topo_parameters",
    "bb_bw",
    "bb_lat",
    "bb_sharing_policy",
    "router_id",
    "limiter_link",
    "loopback_bw",
    "loopback_lat",
];

impl<'a, 'input> PlatformBuilder<'a, 'input> {
    /// Reads a cluster, which is a zone of its own.
    pub(super) fn cluster(&mut self, node: Node<'a, 'input>, parent: Option<ZoneId>) -> Result<ZoneId, PlatformError> {
        let cluster = self.checked_cluster(node)?;
        let id = self.source.required(node, "id")?;
        let zone = self.new_zone(id, parent)?;
        let topology = node.attribute("topology").unwrap_or("FLAT");
        let routing: Box<dyn Generated> = match topology {
            "FLAT" => Box::new(self.flat(&cluster, zone)?),
            "TORUS" => Box::new(self.torus(&cluster, zone)?),
            "FAT_TREE" => Box::new(self.fat_tree(&cluster, zone)?),
            "DRAGONFLY" => Box::new(self.dragonfly(&cluster, zone)?),
            other => {
                let at = node.attribute_node("topology").map_or(node.range().start, |a| a.range().start);
                let message = format!("cluster topology `{other}` is not supported");
                return self.source.unsupported(at, message, "supported are FLAT, TORUS, FAT_TREE and DRAGONFLY");
            }
        };
        self.set_routing(zone, Routing::Generated(routing));
        Ok(zone)
    }

    fn checked_cluster(&self, node: Node<'a, 'input>) -> Result<Cluster<'a, 'input>, PlatformError> {
        let source = self.source;
        source.attributes(node, &ATTRIBUTES)?;
        source.properties_only(node)?;
        let given = |name: &str| node.attribute_node(name).filter(|attribute| !attribute.value().is_empty());
        let positive = |name: &str| match given(name).filter(|attribute| !is_zero(attribute.value())) {
            None => Ok(None),
            Some(attribute) => source.parsed::<Bandwidth>(attribute).map(|bandwidth| Some(bandwidth.value())),
        };
        let seconds = |name: &str| match given(name) {
            None => Ok(0.0),
            Some(attribute) => source.parsed::<Seconds>(attribute).map(Seconds::value),
        };
        let with_bandwidth = |bandwidth: &str, latency: &str| -> Result<Option<(f64, f64)>, PlatformError> {
            match (positive(bandwidth)?, seconds(latency)?) {
                (Some(bandwidth), latency) => Ok(Some((bandwidth, latency))),
                (None, seconds) if seconds > 0.0 => {
                    let message = format!("a latency without `{bandwidth}` would be a link that carries nothing");
                    source.wrong(node.range().start, message, &format!("add {bandwidth}=\"...\""))
                }
                (None, _) => Ok(None),
            }
        };
        let split = match self.policy(node, "sharing_policy", &["SHARED", "FATPIPE", "SPLITDUPLEX", "FULLDUPLEX"])? {
            None => true,
            Some(policy) => policy.ends_with("DUPLEX"),
        };
        let backbone_policy = match self.policy(node, "bb_sharing_policy", &["SHARED", "FATPIPE"])? {
            Some("FATPIPE") => SharingPolicy::FatPipe,
            _ => SharingPolicy::Shared,
        };
        Ok(Cluster {
            node,
            id: source.required(node, "id")?.value(),
            prefix: source.required(node, "prefix")?.value(),
            suffix: source.required(node, "suffix")?.value(),
            radicals: self.radicals(node)?,
            speed: self.speed(node)?,
            cores: source.cores(node)?,
            bandwidth: source.quantity::<Bandwidth>(node, "bw")?.value(),
            latency: source.quantity::<Seconds>(node, "lat")?.value(),
            split,
            loopback: with_bandwidth("loopback_bw", "loopback_lat")?,
            limiter: positive("limiter_link")?,
            backbone: with_bandwidth("bb_bw", "bb_lat")?
                .map(|(bandwidth, latency)| (bandwidth, latency, backbone_policy)),
            router: given("router_id").map(|attribute| attribute.value()),
        })
    }

    /// Reads a policy, which must be one of `known`.
    fn policy(
        &self,
        node: Node<'a, 'input>,
        name: &str,
        known: &[&'static str],
    ) -> Result<Option<&'static str>, PlatformError> {
        let Some(attribute) = node.attribute_node(name) else { return Ok(None) };
        match known.iter().find(|policy| **policy == attribute.value()) {
            Some(policy) => Ok(Some(policy)),
            None => {
                let message = format!("`{name}` is `{}`, which is not supported", attribute.value());
                self.source.unsupported(attribute.range().start, message, &format!("it may be {}", known.join(", ")))
            }
        }
    }

    /// Returns the numbers of the hosts of a cluster or cabinet.
    pub(super) fn radicals(&self, node: Node<'a, 'input>) -> Result<Vec<u32>, PlatformError> {
        let attribute = self.source.required(node, "radical")?;
        radical::expand(attribute.value()).or_else(|message| {
            let help = "write the numbers of the hosts, for example radical=\"0-15\" or radical=\"0-3,7\"";
            self.source.wrong(attribute.range_value().start, message, help)
        })
    }

    fn flat(&mut self, cluster: &Cluster<'a, 'input>, zone: ZoneId) -> Result<Star, PlatformError> {
        let (id, at) = (cluster.id, cluster.node.range().start);
        let backbone = match cluster.backbone {
            Some((bandwidth, latency, policy)) => {
                let link = Link { policy, ..Link::shared(format!("{id}_backbone"), bandwidth, latency) };
                Some(self.generated_link(at, link)?)
            }
            None => None,
        };
        let mut star = Star::default();
        for &radical in &cluster.radicals {
            let point = self.cluster_host(cluster, zone, radical)?;
            let name = format!("{id}_link_{radical}");
            if let Some((bandwidth, latency)) = cluster.loopback {
                let link = Link {
                    policy: SharingPolicy::FatPipe,
                    ..Link::shared(format!("{name}_loopback"), bandwidth, latency)
                };
                star.loop_back(point, &[self.generated_link(at, link)?]);
            }
            let limiter = match cluster.limiter {
                Some(bandwidth) => {
                    Some(self.generated_link(at, Link::shared(format!("{name}_limiter"), bandwidth, 0.0))?)
                }
                None => None,
            };
            let link = |suffix: &str| Link::shared(format!("{name}{suffix}"), cluster.bandwidth, cluster.latency);
            let (up, down) = if cluster.split {
                let (up, down) = (self.generated_link(at, link("_UP"))?, self.generated_link(at, link("_DOWN"))?);
                self.name_link(at, name.clone().into(), NamedLink::Split { up, down })?;
                (up, down)
            } else {
                let both = self.generated_link(at, link(""))?;
                (both, both)
            };
            let way_up: Vec<LinkId> = limiter.into_iter().chain([up]).chain(backbone).collect();
            let way_down: Vec<LinkId> = backbone.into_iter().chain([down]).chain(limiter).collect();
            star.connect(point, &way_up, &way_down);
        }
        let router = match cluster.router {
            Some(name) => name.to_owned(),
            None => format!("{}{id}_router{}", cluster.prefix, cluster.suffix),
        };
        self.new_point(at, router.into(), zone, PointKind::Router)?;
        Ok(star.complete(self.points_in(zone)))
    }

    fn cluster_host(
        &mut self,
        cluster: &Cluster<'a, 'input>,
        zone: ZoneId,
        radical: u32,
    ) -> Result<u32, PlatformError> {
        let name = format!("{}{radical}{}", cluster.prefix, cluster.suffix);
        self.new_host(cluster.node.range().start, name.into(), zone, cluster.speed, cluster.cores)
    }

    /// Creates the hosts of a torus, a fat tree or a dragonfly with their own links: loopback, limiter, and `cables`
    /// cables, which `cable` names for a host and a number.
    fn leaves(
        &mut self,
        cluster: &Cluster<'a, 'input>,
        zone: ZoneId,
        hosts: u32,
        cables: u32,
        cable: impl Fn(u32, u32) -> String,
    ) -> Result<Leaves, PlatformError> {
        let (id, at) = (cluster.id, cluster.node.range().start);
        let (loopback, limiter) = (cluster.loopback.is_some(), cluster.limiter.is_some());
        let stride = u32::from(loopback) + u32::from(limiter) + cables * (1 + u32::from(cluster.split));
        let leaves = Leaves { first: self.link_count(), stride, loopback, limiter, split: cluster.split };
        for host in 0..hosts {
            self.cluster_host(cluster, zone, cluster.radicals[host as usize])?;
            if let Some((bandwidth, latency)) = cluster.loopback {
                let name = format!("{id}_link_{}_loopback", cluster.radicals[host as usize]);
                let link = Link { policy: SharingPolicy::FatPipe, ..Link::shared(name, bandwidth, latency) };
                self.generated_link(at, link)?;
            }
            self.limiter(cluster, u64::from(host))?;
            for number in 0..cables {
                self.cluster_cable(cluster, cable(host, number), 1)?;
            }
        }
        Ok(leaves)
    }

    /// Creates a limiter with a number of its own, if the cluster has limiters.
    fn limiter(&mut self, cluster: &Cluster<'a, 'input>, number: u64) -> Result<Option<LinkId>, PlatformError> {
        let Some(bandwidth) = cluster.limiter else { return Ok(None) };
        let name = format!("{}_link_{number}_limiter", cluster.id);
        self.generated_link(cluster.node.range().start, Link::shared(name, bandwidth, 0.0)).map(Some)
    }

    /// Creates a cable of a cluster: one link, or one per direction.
    fn cluster_cable(
        &mut self,
        cluster: &Cluster<'a, 'input>,
        name: String,
        multiplicity: u32,
    ) -> Result<(), PlatformError> {
        let at = cluster.node.range().start;
        let bandwidth = cluster.bandwidth * f64::from(multiplicity);
        let link = |name| Link::shared(name, bandwidth, cluster.latency);
        if cluster.split {
            self.generated_link(at, link(format!("{name}_UP")))?;
            self.generated_link(at, link(format!("{name}_DOWN")))?;
        } else {
            self.generated_link(at, link(name))?;
        }
        Ok(())
    }

    /// Refuses a cluster with fewer hosts than its shape has places, or with too many links.
    fn check_shape(
        &self,
        cluster: &Cluster<'a, 'input>,
        hosts: u64,
        links: u64,
        parameters: Attribute<'a, 'input>,
    ) -> Result<(), PlatformError> {
        let at = parameters.range_value().start;
        if hosts > cluster.radicals.len() as u64 {
            let message = format!(
                "`{}` has {hosts} places, but `radical` names {} hosts",
                parameters.value(),
                cluster.radicals.len()
            );
            return self.source.wrong(at, message, "name as many hosts as there are places");
        }
        self.check_links(at, links)
    }

    fn torus(&mut self, cluster: &Cluster<'a, 'input>, zone: ZoneId) -> Result<Torus, PlatformError> {
        let parameters = self.source.required(cluster.node, "topo_parameters")?;
        let dimensions = self.numbers(parameters, parameters.value())?;
        let hosts = dimensions.iter().fold(1, |product: u64, &size| product.saturating_mul(u64::from(size)));
        self.check_shape(cluster, hosts, hosts.saturating_mul(2 * dimensions.len() as u64 + 2), parameters)?;
        let stride = |number: u32| dimensions[..number as usize].iter().product::<u32>();
        let name = |host: u32, number: u32| {
            let neighbour = torus::next(host, dimensions[number as usize], stride(number));
            format!("{}_link_from_{host}_to_{neighbour}", cluster.id)
        };
        let leaves = self.leaves(cluster, zone, hosts as u32, dimensions.len() as u32, name)?;
        Ok(Torus { dimensions, leaves })
    }

    fn fat_tree(&mut self, cluster: &Cluster<'a, 'input>, zone: ZoneId) -> Result<FatTree, PlatformError> {
        let parameters = self.source.required(cluster.node, "topo_parameters")?;
        let help = "write the number of levels, then children, parents and cables of each, from the hosts up: \
                    topo_parameters=\"2;4,4;1,2;1,2\"";
        let parts: Vec<&str> = parameters.value().split(';').collect();
        let &[levels, children, parents, cables] = parts.as_slice() else {
            let message = format!("`topo_parameters` has {} parts, and a fat tree has four", parts.len());
            return self.source.wrong(parameters.range_value().start, message, help);
        };
        let count = self.numbers(parameters, levels)?;
        let lists = [children, parents, cables].map(|list| self.numbers(parameters, list));
        let [children, parents, cables] = lists;
        let (children, parents, cables) = (children?, parents?, cables?);
        for list in [&children, &parents, &cables] {
            if count.len() != 1 || list.len() != count[0] as usize {
                let message = format!("`topo_parameters` says {levels} levels and has a list of {}", list.len());
                return self.source.wrong(parameters.range_value().start, message, help);
            }
        }
        if children.len() > MAX_LEVELS {
            let message = format!("a fat tree of {levels} levels: the limit is {MAX_LEVELS}");
            return self.source.wrong(parameters.range_value().start, message, help);
        }
        let shape = children.iter().zip(&parents).zip(&cables);
        let levels: Vec<FatTreeLevel> =
            shape.map(|((&children, &parents), &cables)| FatTreeLevel { children, parents, cables }).collect();
        let cables = (0..levels.len()).map(|level| fat_tree::cables_above(&levels, level));
        let switches = (1..=levels.len()).map(|level| fat_tree::nodes_on(&levels, level));
        let switches = switches.fold(0, u64::saturating_add);
        let links = cables.fold(switches, u64::saturating_add).saturating_mul(2);
        let hosts = fat_tree::nodes_on(&levels, 0);
        let ports = levels.iter().map(|level| u64::from(level.children.max(level.parents)) * u64::from(level.cables));
        let links = ports.fold(links, u64::max).saturating_add(2 * hosts);
        self.check_shape(cluster, hosts, links, parameters)?;
        let leaves = self.leaves(cluster, zone, hosts as u32, 0, |_, _| String::new())?;
        let switch_limiters = cluster.limiter.is_some().then_some(self.link_count());
        // SimGrid numbers switches downwards, from just below twice the number of hosts.
        let switch_number = |index: u64| (2 * hosts as i64 - 1 - index as i64) as i32;
        for index in 0..switches {
            self.limiter(cluster, i64::from(switch_number(index)) as u64)?;
        }
        let first_cable = self.link_count();
        let mut below = 0;
        for level in 0..levels.len() {
            let shape = levels[level];
            // The parents among the nodes above are those whose labels differ in only one digit.
            let step: u64 = levels[..level].iter().map(|l| u64::from(l.parents)).product();
            let nodes = fat_tree::nodes_on(&levels, level);
            let above = if level == 0 { 0 } else { below + nodes };
            for node in 0..nodes {
                let child = if level == 0 { node as i32 } else { switch_number(below + node) };
                let rest = node % step + node / (step * u64::from(shape.children)) * step * u64::from(shape.parents);
                for parent in 0..u64::from(shape.parents) {
                    let parent = switch_number(above + rest + parent * step);
                    for _ in 0..shape.cables {
                        let name = format!("link_from_{child}_{parent}_{}", self.counters.fat_tree_cables);
                        self.counters.fat_tree_cables += 1;
                        self.cluster_cable(cluster, name, 1)?;
                    }
                }
            }
            below = above;
        }
        let first_position = self.counters.fat_tree_hosts;
        self.counters.fat_tree_hosts += hosts as u32;
        let links_per_cable = 1 + u32::from(cluster.split);
        Ok(FatTree { levels, leaves, switch_limiters, first_cable, links_per_cable, first_position })
    }

    fn dragonfly(&mut self, cluster: &Cluster<'a, 'input>, zone: ZoneId) -> Result<DragonflyZone, PlatformError> {
        let parameters = self.source.required(cluster.node, "topo_parameters")?;
        let at = parameters.range_value().start;
        let help = "write groups, chassis and routers with the cables of their links, and hosts of a router: \
                    topo_parameters=\"3,4;3,2;3,1;2\"";
        let mut lists = Vec::new();
        for part in parameters.value().split(';') {
            lists.push(self.numbers(parameters, part)?);
        }
        let [a, b, c, d] = lists.as_slice() else {
            let message = format!("`topo_parameters` has {} parts, and a dragonfly has four", lists.len());
            return self.source.wrong(at, message, help);
        };
        let (&[groups, blue], &[chassis, black], &[routers, green], &[nodes]) =
            (a.as_slice(), b.as_slice(), c.as_slice(), d.as_slice())
        else {
            let message = format!("`{}` is not three pairs of numbers and a number", parameters.value());
            return self.source.wrong(at, message, help);
        };
        if groups > 1 && groups > routers {
            let message = format!("there are {groups} groups, but a chassis has only {routers} routers to reach them");
            return self.source.unsupported(
                at,
                message,
                "a dragonfly has at most as many groups as routers in a chassis",
            );
        }
        let product = |factors: &[u32]| factors.iter().fold(1, |p: u64, &f| p.saturating_mul(u64::from(f)));
        let pairs = |count: u32| dragonfly::pairs(u64::from(count));
        let hosts = product(&[groups, chassis, routers, nodes]);
        let all_routers = product(&[groups, chassis, routers]);
        let greens = product(&[groups, chassis]).saturating_mul(pairs(routers));
        let blacks = product(&[groups, routers]).saturating_mul(pairs(chassis));
        let links = [hosts, greens, blacks, pairs(groups), all_routers, hosts].into_iter();
        let links = links.fold(0, u64::saturating_add).saturating_mul(2);
        self.check_shape(cluster, hosts, links, parameters)?;
        let leaves = self.leaves(cluster, zone, hosts as u32, 0, |_, _| String::new())?;
        let router_limiters = cluster.limiter.is_some().then_some(self.link_count());
        for router in 0..all_routers {
            self.limiter(cluster, 2 * hosts - 1 - router)?;
        }
        let first_cable = self.link_count();
        let mut cable = |what: std::fmt::Arguments<'_>, multiplicity: u32| {
            let name = format!("{what}_{}", self.counters.dragonfly_cables);
            self.counters.dragonfly_cables += 1;
            self.cluster_cable(cluster, name, multiplicity)
        };
        for host in 0..hosts as u32 {
            let (router, node) = (host / nodes, host % nodes);
            cable(format_args!("local_link_from_router_{router}_to_node_{node}"), 1)?;
        }
        for place in 0..groups * chassis {
            for (low, high) in all_pairs(routers) {
                let place = place % chassis;
                cable(format_args!("green_link_in_chassis_{place}_between_routers_{low}_and_{high}"), green)?;
            }
        }
        for group in 0..groups {
            for (low, high) in all_pairs(chassis) {
                for blade in 0..routers {
                    cable(
                        format_args!("black_link_in_group_{group}_between_chassis_{low}_and_{high}_blade_{blade}"),
                        black,
                    )?;
                }
            }
        }
        for (low, high) in all_pairs(groups) {
            let (from, to) = (low * routers * chassis + high, high * routers * chassis + low);
            cable(format_args!("blue_link_between_group_{low}_and_{high}_routers_{from}_and_{to}"), blue)?;
        }
        let links_per_cable = 1 + u32::from(cluster.split);
        Ok(DragonflyZone { groups, chassis, routers, nodes, leaves, router_limiters, first_cable, links_per_cable })
    }

    /// Reads numbers of at least 1, separated by commas.
    fn numbers(&self, attribute: Attribute<'a, 'input>, list: &str) -> Result<Vec<u32>, PlatformError> {
        let numbers = list.split(',').map(|word| match word.trim().parse::<u32>() {
            Ok(number) if (1..=1 << 24).contains(&number) => Ok(number),
            _ => {
                let message =
                    format!("`{}` in `{}` is not a number from 1 to {}", word.trim(), attribute.name(), 1 << 24);
                let help = "sizes are separated by commas, and groups of sizes by semicolons";
                self.source.wrong(attribute.range_value().start, message, help)
            }
        });
        numbers.collect()
    }
}

/// Returns the pairs (low, high) of `count` items.
fn all_pairs(count: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..count).flat_map(move |low| (low + 1..count).map(move |high| (low, high)))
}
