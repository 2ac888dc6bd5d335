//! The elements of a platform file, in two passes: what there is, then the routes between it.

use roxmltree::{Attribute, Node};
use std::borrow::Cow;
use std::collections::HashMap;

use super::super::error::PlatformError;
use super::super::parameters::Loopback;
use super::super::units::{Bandwidth, Seconds, Speed};
use super::super::{Host, Link, SharingPolicy};
use super::network::{Network, Point, PointId, PointKind, Routing, Zone, ZoneId};
use super::source::Source;
use crate::ids::{HostId, LinkId};

/// Most hosts, and links, of a platform in XML: 1,048,576 and 4,194,304. A few words of a cluster stand for any number
/// of them, and a host with its links takes some 800 bytes, so a short file must not ask for more than about a
/// gigabyte.
pub(super) const MAX_HOSTS: usize = 1 << 20;
const MAX_LINKS: usize = 1 << 22;

/// Most zones inside one another.
const MAX_DEPTH: u32 = 64;

/// Name of the link from a host to itself, as SimGrid calls it.
const LOOPBACK: &str = "__loopback__";

const ZONE_HELP: &str =
    "supported are zones with routing Full, Floyd, Dijkstra, DijkstraCache, Cluster or None, and clusters";

/// What the name of a link stands for.
#[derive(Clone, Copy)]
pub(super) enum NamedLink {
    One(LinkId),
    Split { up: LinkId, down: LinkId },
}

/// How a zone says that it finds its routes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Full,
    Floyd,
    Dijkstra,
    Cluster,
    None,
}

/// Numbers that SimGrid counts over the whole platform.
#[derive(Default)]
pub(super) struct Counters {
    pub(super) fat_tree_hosts: u32,
    pub(super) fat_tree_cables: u32,
    pub(super) dragonfly_cables: u32,
}

/// What is put together from a document.
pub(super) struct Builder<'a, 'input> {
    pub(super) source: Source<'a, 'input>,
    pub(super) counters: Counters,
    pub(super) zones: Vec<Zone>,
    /// Number of points in each zone.
    pub(super) sizes: Vec<u32>,
    pub(super) points: Vec<Point>,
    pub(super) point_of_host: Vec<PointId>,
    /// Hosts, routers and zones share their names; with the place of each declaration.
    pub(super) point_names: HashMap<Cow<'a, str>, (PointId, usize)>,
    pub(super) link_names: HashMap<Cow<'a, str>, (NamedLink, usize)>,
    pub(super) hosts: Vec<Host>,
    pub(super) links: Vec<Link>,
    /// Zones whose routes are read when all names are known.
    pub(super) pending: Vec<(ZoneId, Node<'a, 'input>, Kind)>,
}

/// What a document describes.
pub(super) struct Description {
    pub(super) hosts: Vec<Host>,
    pub(super) links: Vec<Link>,
    pub(super) loopback: LinkId,
    pub(super) network: Network,
}

/// Reads a document.
pub(super) fn read(source: Source<'_, '_>, loopback: Loopback) -> Result<Description, PlatformError> {
    let mut builder = Builder {
        source,
        counters: Counters::default(),
        zones: Vec::new(),
        sizes: Vec::new(),
        points: Vec::new(),
        point_of_host: Vec::new(),
        point_names: HashMap::new(),
        link_names: HashMap::new(),
        hosts: Vec::new(),
        links: Vec::new(),
        pending: Vec::new(),
    };
    let root = source.document.root_element();
    builder.platform(root)?;
    let loopback = Link { name: LOOPBACK.into(), ..Link::loopback(loopback) };
    let loopback = builder.generated_link(root.range().start, loopback)?;
    for (zone, node, kind) in std::mem::take(&mut builder.pending) {
        builder.routes(zone, node, kind, loopback)?;
    }
    let network = Network { zones: builder.zones, points: builder.points, point_of_host: builder.point_of_host };
    Ok(Description { hosts: builder.hosts, links: builder.links, loopback, network })
}

impl<'a, 'input> Builder<'a, 'input> {
    fn platform(&mut self, root: Node<'a, 'input>) -> Result<(), PlatformError> {
        let source = self.source;
        let at = root.range().start;
        if root.tag_name().name() != "platform" {
            let message = format!("the document is a `{}`, not a `platform`", root.tag_name().name());
            return source.wrong(at, message, "a platform file of SimGrid begins with `<platform version=\"4.1\">`");
        }
        source.attributes(root, &["version"])?;
        let version = source.required(root, "version")?;
        if !["4", "4.0", "4.1"].contains(&version.value()) {
            let message = format!("platform version `{}` is not supported", version.value());
            let help = "SimGrid's `simgrid_update_xml` rewrites older files to version 4.1";
            return source.unsupported(version.range().start, message, help);
        }
        let mut outermost = None;
        for element in source.elements(root)? {
            match element.tag_name().name() {
                "zone" | "AS" | "cluster" if outermost.replace(element).is_some() => {
                    let help = "put both into one zone with routing=\"Full\", and a zoneRoute between them";
                    return source.wrong(element.range().start, "there is a second outermost zone".into(), help);
                }
                "zone" | "AS" => self.zone(element, None)?,
                "cluster" => {
                    self.cluster(element, None)?;
                }
                _ => return source.refuse_element(element),
            }
        }
        let Some(zone) = outermost else { return source.wrong(at, "there is no zone".into(), ZONE_HELP) };
        if self.hosts.is_empty() {
            let help = "declare the hosts that ranks run on";
            return source.wrong(zone.range().start, "the zone has no host".into(), help);
        }
        Ok(())
    }

    fn zone(&mut self, node: Node<'a, 'input>, parent: Option<ZoneId>) -> Result<(), PlatformError> {
        let source = self.source;
        source.attributes(node, &["id", "routing"])?;
        let id = source.required(node, "id")?;
        let routing = source.required(node, "routing")?;
        let kind = match routing.value().to_ascii_lowercase().as_str() {
            "full" => Kind::Full,
            "floyd" => Kind::Floyd,
            "dijkstra" | "dijkstracache" => Kind::Dijkstra,
            "cluster" => Kind::Cluster,
            "none" => Kind::None,
            _ => {
                let message = format!("zone routing `{}` is not supported", routing.value());
                return source.unsupported(routing.range().start, message, ZONE_HELP);
            }
        };
        let zone = self.new_zone(id, parent)?;
        let mut inner = None;
        let mut leaf = None;
        let mut cabinets = Vec::new();
        for element in source.elements(node)? {
            let name = element.tag_name().name();
            match name {
                "zone" | "AS" | "cluster" => inner = inner.or(Some(element)),
                "host" | "router" | "cabinet" | "host_link" => leaf = leaf.or(Some(element)),
                _ => {}
            }
            if let (Some(zone), Some(point)) = (inner, leaf) {
                let message =
                    format!("a `{}` and a `{}` are in one zone", zone.tag_name().name(), point.tag_name().name());
                let help = "a zone has either hosts and routers or other zones; put the hosts into a zone of their own";
                return source.wrong(element.range().start, message, help);
            }
            match name {
                "prop" => source.property(element)?,
                "zone" | "AS" | "cluster" if kind == Kind::Cluster => {
                    let message = format!("a `{name}` is inside a zone with routing `Cluster`");
                    let help = "such a zone joins hosts; use routing=\"Full\" to join zones";
                    return source.wrong(element.range().start, message, help);
                }
                "zone" | "AS" => self.zone(element, Some(zone))?,
                "cluster" => {
                    self.cluster(element, Some(zone))?;
                }
                "host" => self.host(element, zone)?,
                "router" => {
                    source.attributes(element, &["id"])?;
                    source.empty(element)?;
                    let id = source.required(element, "id")?;
                    self.new_point(id.range().start, id.value().into(), zone, PointKind::Router)?;
                }
                "link" => self.link(element)?,
                "cabinet" | "host_link" | "backbone" if kind != Kind::Cluster => {
                    let message = format!("a `{name}` is in a zone whose routing is not `Cluster`");
                    return source.wrong(
                        element.range().start,
                        message,
                        "write routing=\"Cluster\", or declare routes",
                    );
                }
                "cabinet" => cabinets.push(element),
                // Read with the routes.
                "route" | "zoneRoute" | "ASroute" | "host_link" | "backbone" => {}
                _ => return source.refuse_element(element),
            }
        }
        // SimGrid makes the backbone and the hosts of cabinets at the end of the zone.
        for backbone in node.children().filter(|child| child.has_tag_name("backbone")) {
            self.backbone(backbone)?;
        }
        for cabinet in cabinets {
            self.cabinet(cabinet, zone)?;
        }
        self.pending.push((zone, node, kind));
        Ok(())
    }

    /// Makes a zone, which is a point of its parent.
    pub(super) fn new_zone(
        &mut self,
        id: Attribute<'a, 'input>,
        parent: Option<ZoneId>,
    ) -> Result<ZoneId, PlatformError> {
        let zone = ZoneId(self.zones.len() as u32);
        let depth = parent.map_or(0, |parent| self.zones[parent.0 as usize].depth + 1);
        if depth >= MAX_DEPTH {
            let message = format!("zones are more than {MAX_DEPTH} deep");
            return self.source.wrong(id.range().start, message, "use fewer zones inside one another");
        }
        let point = PointId(self.points.len() as u32);
        self.zones.push(Zone { parent, depth, point, routing: Routing::None });
        self.sizes.push(0);
        self.new_point(id.range().start, id.value().into(), parent.unwrap_or(zone), PointKind::Zone(zone))?;
        if parent.is_none() {
            // The outermost zone is no point of itself.
            self.sizes[zone.0 as usize] = 0;
        }
        Ok(zone)
    }

    pub(super) fn set_routing(&mut self, zone: ZoneId, routing: Routing) {
        self.zones[zone.0 as usize].routing = routing;
    }

    /// Number of points in a zone so far.
    pub(super) fn points_in(&self, zone: ZoneId) -> u32 {
        self.sizes[zone.0 as usize]
    }

    /// Makes a point; its number in the zone is the answer.
    pub(super) fn new_point(
        &mut self,
        at: usize,
        name: Cow<'a, str>,
        zone: ZoneId,
        kind: PointKind,
    ) -> Result<u32, PlatformError> {
        let point = PointId(self.points.len() as u32);
        if let Some(&(_, other)) = self.point_names.get(&name) {
            let line = self.source.line(other);
            let message = format!("there is another host or router `{name}`, or a zone, in line {line}");
            return self.source.wrong(at, message, "hosts, routers and zones have different names");
        }
        self.point_names.insert(name, (point, at));
        let local = self.sizes[zone.0 as usize];
        self.sizes[zone.0 as usize] += 1;
        self.points.push(Point { zone, local, kind });
        Ok(local)
    }

    pub(super) fn new_host(
        &mut self,
        at: usize,
        name: Cow<'a, str>,
        zone: ZoneId,
        speed: Speed,
        cores: u32,
    ) -> Result<u32, PlatformError> {
        if self.hosts.len() == MAX_HOSTS {
            return self.source.wrong(at, format!("more than {MAX_HOSTS} hosts"), "use fewer hosts");
        }
        let id = HostId::new(self.hosts.len());
        let point = PointId(self.points.len() as u32);
        self.hosts.push(Host { name: name.as_ref().into(), switch: None, speed: speed.value(), cores });
        let local = self.new_point(at, name, zone, PointKind::Host(id))?;
        self.point_of_host.push(point);
        Ok(local)
    }

    /// The speed of a host.
    pub(super) fn speed(&self, node: Node<'a, 'input>) -> Result<Speed, PlatformError> {
        let speed = self.source.required(node, "speed")?;
        if speed.value().contains(',') {
            let message = "a host has several speeds".into();
            let help = "performance states are not simulated; write the one that holds";
            return self.source.unsupported(speed.range_value().start, message, help);
        }
        self.source.parsed(speed)
    }

    fn host(&mut self, node: Node<'a, 'input>, zone: ZoneId) -> Result<(), PlatformError> {
        self.source.attributes(node, &["id", "speed", "core"])?;
        self.source.properties_only(node)?;
        let id = self.source.required(node, "id")?;
        let (speed, cores) = (self.speed(node)?, self.source.cores(node)?);
        self.new_host(id.range().start, id.value().into(), zone, speed, cores)?;
        Ok(())
    }

    fn cabinet(&mut self, node: Node<'a, 'input>, zone: ZoneId) -> Result<(), PlatformError> {
        let source = self.source;
        source.attributes(node, &["id", "prefix", "suffix", "radical", "speed", "bw", "lat"])?;
        source.empty(node)?;
        source.required(node, "id")?;
        let (prefix, suffix) = (source.required(node, "prefix")?.value(), source.required(node, "suffix")?.value());
        let speed = self.speed(node)?;
        let bandwidth = source.quantity::<Bandwidth>(node, "bw")?.value();
        let latency = source.quantity::<Seconds>(node, "lat")?.value();
        let at = node.range().start;
        for radical in self.radicals(node)? {
            let name = format!("{prefix}{radical}{suffix}");
            for direction in ["UP", "DOWN"] {
                let name = format!("link_{name}_{direction}");
                self.generated_link(at, Link::shared(name, bandwidth, latency))?;
            }
            self.new_host(at, name.into(), zone, speed, 1)?;
        }
        Ok(())
    }

    fn backbone(&mut self, node: Node<'a, 'input>) -> Result<(), PlatformError> {
        let source = self.source;
        source.attributes(node, &["id", "bandwidth", "latency"])?;
        source.empty(node)?;
        let name = source.required(node, "id")?.value().to_owned();
        let bandwidth = source.quantity::<Bandwidth>(node, "bandwidth")?.value();
        let latency = source.quantity::<Seconds>(node, "latency")?.value();
        self.generated_link(node.range().start, Link::shared(name, bandwidth, latency)).map(|_| ())
    }

    fn link(&mut self, node: Node<'a, 'input>) -> Result<(), PlatformError> {
        let source = self.source;
        source.attributes(node, &["id", "bandwidth", "latency", "sharing_policy"])?;
        source.properties_only(node)?;
        let id = source.required(node, "id")?;
        let bandwidth = source.quantity::<Bandwidth>(node, "bandwidth")?.value();
        let latency = match node.attribute_node("latency") {
            None => 0.0,
            Some(latency) => source.parsed::<Seconds>(latency)?.value(),
        };
        let at = id.range().start;
        let link = |suffix: &str, policy| {
            let name = format!("{}{suffix}", id.value());
            Link { policy, ..Link::shared(name, bandwidth, latency) }
        };
        match node.attribute("sharing_policy") {
            None | Some("SHARED") => self.generated_link(at, link("", SharingPolicy::Shared)).map(|_| ()),
            Some("FATPIPE") => self.generated_link(at, link("", SharingPolicy::FatPipe)).map(|_| ()),
            Some("SPLITDUPLEX" | "FULLDUPLEX") => {
                let up = self.generated_link(at, link("_UP", SharingPolicy::Shared))?;
                let down = self.generated_link(at, link("_DOWN", SharingPolicy::Shared))?;
                self.name_link(at, id.value().into(), NamedLink::Split { up, down })
            }
            Some(other) => {
                let message = format!("sharing policy `{other}` of link `{}` is not supported", id.value());
                source.unsupported(node.range().start, message, "supported are SHARED, FATPIPE and SPLITDUPLEX")
            }
        }
    }

    /// Number of links so far.
    pub(super) fn link_count(&self) -> u32 {
        self.links.len() as u32
    }

    /// Refuses more links than a platform may have.
    pub(super) fn check_links(&self, at: usize, more: u64) -> Result<(), PlatformError> {
        if more.saturating_add(self.links.len() as u64) > MAX_LINKS as u64 {
            return self.source.wrong(at, format!("more than {MAX_LINKS} links"), "use fewer links");
        }
        Ok(())
    }

    /// Makes a link under its own name.
    pub(super) fn generated_link(&mut self, at: usize, link: Link) -> Result<LinkId, PlatformError> {
        self.check_links(at, 1)?;
        let id = LinkId::new(self.links.len());
        self.name_link(at, link.name.clone().into(), NamedLink::One(id))?;
        self.links.push(link);
        Ok(id)
    }

    /// Gives a link a name.
    pub(super) fn name_link(&mut self, at: usize, name: Cow<'a, str>, link: NamedLink) -> Result<(), PlatformError> {
        if let Some(&(_, other)) = self.link_names.get(&name) {
            let message = format!("there is another link `{name}` in line {}", self.source.line(other));
            return self.source.wrong(at, message, "links have different names, also those in different zones");
        }
        self.link_names.insert(name, (link, at));
        Ok(())
    }
}
