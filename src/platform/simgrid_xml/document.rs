//! Elements of a platform file, read in two passes: first the objects, then the routes between them.

use roxmltree::{Attribute, Node};
use std::borrow::Cow;
use std::collections::HashMap;

use super::super::error::PlatformError;
use super::super::load::Setting;
use super::super::parameters::Loopback;
use super::super::units::{Bandwidth, FromSimGrid, Seconds, Speed, UnitError};
use super::super::{Host, Link, SharingPolicy};
use super::bypass::Bypasses;
use super::cluster::is_zero;
use super::network::{Network, Point, PointId, PointKind, Routing, Zone, ZoneId};
use super::source::Source;
use super::vivaldi::Place;
use crate::ids::{HostId, LinkId};
use crate::topology::input::Located;

/// Largest numbers of hosts and links of a platform in XML: 1,048,576 and 4,194,304. A short cluster element can
/// describe any number of them, and a host with its links takes about 800 bytes; the limits keep a short file from
/// allocating more than about a gigabyte.
pub(super) const MAX_HOSTS: usize = 1 << 20;
const MAX_LINKS: usize = 1 << 22;

/// Largest nesting depth of zones.
const MAX_DEPTH: u32 = 64;

/// SimGrid's name of the link from a host to itself.
const LOOPBACK: &str = "__loopback__";

const ZONE_HELP: &str =
    "supported are zones with routing Full, Floyd, Dijkstra, DijkstraCache, Cluster, Vivaldi or None, and clusters";

/// Links that a name refers to.
#[derive(Clone, Copy)]
pub(super) enum NamedLink {
    One(LinkId),
    Split { up: LinkId, down: LinkId },
}

/// Declared routing of a zone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Full,
    Floyd,
    Dijkstra,
    Cluster,
    Vivaldi,
    None,
}

/// Numbers that SimGrid counts over the whole platform.
#[derive(Default)]
pub(super) struct Counters {
    pub(super) fat_tree_hosts: u32,
    pub(super) fat_tree_cables: u32,
    pub(super) dragonfly_cables: u32,
}

/// State of building a platform from a document.
pub(super) struct Builder<'a, 'input> {
    pub(super) source: Source<'a, 'input>,
    pub(super) counters: Counters,
    pub(super) zones: Vec<Zone>,
    /// Number of points in each zone.
    pub(super) sizes: Vec<u32>,
    pub(super) points: Vec<Point>,
    pub(super) point_of_host: Vec<PointId>,
    /// Names of hosts, routers and zones, which share a namespace, with the position of each declaration.
    pub(super) point_names: HashMap<Cow<'a, str>, (PointId, usize)>,
    pub(super) link_names: HashMap<Cow<'a, str>, (NamedLink, usize)>,
    pub(super) hosts: Vec<Host>,
    pub(super) links: Vec<Link>,
    /// Zones whose routes are read when all names are known.
    pub(super) pending: Vec<(ZoneId, Node<'a, 'input>, Kind)>,
    /// Coordinates and links of points of Vivaldi zones.
    pub(super) places: HashMap<PointId, Place>,
    settings: Vec<Setting>,
    disks: u32,
}

/// Contents of a document.
pub(super) struct Description {
    pub(super) hosts: Vec<Host>,
    pub(super) links: Vec<Link>,
    pub(super) loopback: LinkId,
    pub(super) network: Network,
    pub(super) settings: Vec<Setting>,
    pub(super) remarks: Vec<String>,
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
        places: HashMap::new(),
        settings: Vec::new(),
        disks: 0,
    };
    let root = source.document.root_element();
    builder.platform(root)?;
    let loopback = Link { name: LOOPBACK.into(), ..Link::loopback(builder.loopback(loopback)?) };
    let loopback = builder.generated_link(root.range().start, loopback)?;
    for (zone, node, kind) in std::mem::take(&mut builder.pending) {
        builder.routes(zone, node, kind, loopback)?;
    }
    let network = Network { zones: builder.zones, points: builder.points, point_of_host: builder.point_of_host };
    let Builder { hosts, links, settings, disks, .. } = builder;
    let remarks =
        (disks > 0).then(|| format!("disks ({disks}): input and output are not simulated")).into_iter().collect();
    Ok(Description { hosts, links, loopback, network, settings, remarks })
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
                "config" if outermost.is_some() => {
                    let message = "the `config` is behind a zone, which it would come too late for".into();
                    return source.wrong(element.range().start, message, "put it in front of the first zone");
                }
                "config" => self.config(element)?,
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
            "vivaldi" => Kind::Vivaldi,
            // Alternative name since 3.26.
            "none" | "empty" => Kind::None,
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
                "host" | "router" | "peer" | "cabinet" | "host_link" => leaf = leaf.or(Some(element)),
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
                    source.attributes(element, &["id", "coordinates"])?;
                    source.empty(element)?;
                    let id = source.required(element, "id")?;
                    let point = PointId(self.points.len() as u32);
                    self.new_point(id.range().start, id.value().into(), zone, PointKind::Router)?;
                    self.coordinates(element, point)?;
                }
                "peer" if kind == Kind::Vivaldi => self.peer(element, zone)?,
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
                // Read together with the routes.
                "route" | "zoneRoute" | "ASroute" if kind == Kind::Vivaldi => {
                    let message = format!("a `{name}` is in a zone with routing `Vivaldi`");
                    let help = "points of such a zone are joined by their coordinates";
                    return source.unsupported(element.range().start, message, help);
                }
                "route" | "zoneRoute" | "ASroute" | "host_link" | "backbone" => {}
                "bypassRoute" | "bypassZoneRoute" | "bypassASroute" => {}
                _ => return source.refuse_element(element),
            }
        }
        // SimGrid creates the backbone and the hosts of cabinets at the end of the zone.
        for backbone in node.children().filter(|child| child.has_tag_name("backbone")) {
            self.backbone(backbone)?;
        }
        for cabinet in cabinets {
            self.cabinet(cabinet, zone)?;
        }
        self.pending.push((zone, node, kind));
        Ok(())
    }

    /// Creates a zone, which is a point of its parent.
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
        self.zones.push(Zone { parent, depth, point, routing: Routing::None, bypasses: Bypasses::new() });
        self.sizes.push(0);
        self.new_point(id.range().start, id.value().into(), parent.unwrap_or(zone), PointKind::Zone(zone))?;
        if parent.is_none() {
            // The outermost zone is not a point of itself.
            self.sizes[zone.0 as usize] = 0;
        }
        Ok(zone)
    }

    pub(super) fn set_routing(&mut self, zone: ZoneId, routing: Routing) {
        self.zones[zone.0 as usize].routing = routing;
    }

    /// Returns the number of points in a zone so far.
    pub(super) fn points_in(&self, zone: ZoneId) -> u32 {
        self.sizes[zone.0 as usize]
    }

    /// Creates a point, and returns its number in the zone.
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
        speed: f64,
        cores: u32,
    ) -> Result<u32, PlatformError> {
        if self.hosts.len() == MAX_HOSTS {
            return self.source.wrong(at, format!("more than {MAX_HOSTS} hosts"), "use fewer hosts");
        }
        let id = HostId::new(self.hosts.len());
        let point = PointId(self.points.len() as u32);
        self.hosts.push(Host { name: name.as_ref().into(), switch: None, speed, cores });
        let local = self.new_point(at, name, zone, PointKind::Host(id))?;
        self.point_of_host.push(point);
        Ok(local)
    }

    /// Returns the speed of a host in flop/s: that of its performance state, which never changes here. In a state of
    /// speed 0 no computation ends.
    pub(super) fn speed(&self, node: Node<'a, 'input>) -> Result<f64, PlatformError> {
        let speed = self.source.required(node, "speed")?;
        let mut states = Vec::new();
        for state in speed.value().split(',') {
            states.push(match Speed::from_simgrid(state) {
                Ok(speed) => speed.value(),
                Err(_) if is_zero(state) => 0.0,
                Err(error) => {
                    let message = format!("attribute `speed`: {error}");
                    let help = "units are those of SimGrid, e.g. 1.25GBps, 1us, 1Gf";
                    return self.source.wrong(speed.range_value().start, message, help);
                }
            });
        }
        let Some(chosen) = node.attribute_node("pstate") else { return Ok(states[0]) };
        match chosen.value().trim().parse::<usize>().ok().and_then(|state| states.get(state)) {
            Some(&speed) => Ok(speed),
            None => {
                let message = format!("`pstate` is `{}`, and `speed` has {} of them", chosen.value(), states.len());
                self.source.wrong(chosen.range().start, message, "states count from 0")
            }
        }
    }

    fn host(&mut self, node: Node<'a, 'input>, zone: ZoneId) -> Result<(), PlatformError> {
        self.source.attributes(node, &["id", "speed", "core", "pstate", "coordinates"])?;
        for inner in self.source.elements(node)? {
            match inner.tag_name().name() {
                "prop" => self.source.property(inner)?,
                "disk" => {
                    self.source.properties_only(inner)?;
                    self.disks += 1;
                }
                _ => return self.source.refuse_element(inner),
            }
        }
        let id = self.source.required(node, "id")?;
        let (speed, cores) = (self.speed(node)?, self.source.cores(node)?);
        let point = PointId(self.points.len() as u32);
        self.new_host(id.range().start, id.value().into(), zone, speed, cores)?;
        self.coordinates(node, point)
    }

    /// Stores the coordinates of a point, if it has any.
    fn coordinates(&mut self, node: Node<'a, 'input>, point: PointId) -> Result<(), PlatformError> {
        let Some(attribute) = node.attribute_node("coordinates").filter(|a| !a.value().trim().is_empty()) else {
            return Ok(());
        };
        let numbers =
            attribute.value().split_whitespace().map(|word| word.parse().ok().filter(|n: &f64| n.is_finite()));
        match numbers.collect::<Option<Vec<f64>>>().as_deref() {
            Some(&[x, y, height]) => {
                self.places.entry(point).or_default().coordinates = Some([x, y, height]);
                Ok(())
            }
            _ => {
                let message = format!("`coordinates` is `{}`, and has to be three numbers", attribute.value());
                self.source.wrong(attribute.range().start, message, "write for example coordinates=\"25.5 9.4 1.4\"")
            }
        }
    }

    /// Reads a host with a link for sending and one for receiving.
    fn peer(&mut self, node: Node<'a, 'input>, zone: ZoneId) -> Result<(), PlatformError> {
        let source = self.source;
        source.attributes(node, &["id", "speed", "coordinates", "bw_in", "bw_out"])?;
        source.properties_only(node)?;
        let id = source.required(node, "id")?;
        source.required(node, "coordinates")?;
        let at = id.range().start;
        let (speed, point) = (self.speed(node)?, PointId(self.points.len() as u32));
        self.new_host(at, id.value().into(), zone, speed, 1)?;
        let mut link = |direction: &str, bandwidth: &str| {
            let bandwidth = source.quantity::<Bandwidth>(node, bandwidth)?.value();
            self.generated_link(at, Link::shared(format!("link_{}_{direction}", id.value()), bandwidth, 0.0))
        };
        let links = (link("UP", "bw_out")?, link("DOWN", "bw_in")?);
        self.places.entry(point).or_default().links = Some(links);
        self.coordinates(node, point)
    }

    /// Reads the settings of the model, unchanged.
    fn config(&mut self, node: Node<'a, 'input>) -> Result<(), PlatformError> {
        let source = self.source;
        source.attributes(node, &["id"])?;
        for element in source.elements(node)? {
            if element.tag_name().name() != "prop" {
                return source.refuse_element(element);
            }
            source.attributes(element, &["id", "value"])?;
            source.empty(element)?;
            let (key, value) = (source.required(element, "id")?, source.required(element, "value")?);
            let place = source.located(key.range().start, String::new(), "");
            self.settings.push(Setting { key: key.value().to_owned(), value: value.value().to_owned(), place });
        }
        Ok(())
    }

    /// Returns the loopback of hosts that declare none: that of the caller, or that of the file if the caller has the
    /// default.
    fn loopback(&self, asked: Loopback) -> Result<Loopback, PlatformError> {
        let mut loopback = asked;
        for Setting { key, value, place } in &self.settings {
            let wrong = |error: UnitError| {
                let (message, help) =
                    (format!("`{key}`: {error}"), "write a number, or one with a unit of SimGrid".into());
                PlatformError::File(Located { message, help, ..place.clone() })
            };
            match key.as_str() {
                _ if asked != Loopback::default() => {}
                "network/loopback-bw" => loopback.bandwidth = Bandwidth::from_simgrid(value).map_err(wrong)?,
                "network/loopback-lat" => loopback.latency = Seconds::from_simgrid(value).map_err(wrong)?,
                _ => {}
            }
        }
        Ok(loopback)
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

    /// Returns the number of links so far.
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

    /// Creates a link under its own name.
    pub(super) fn generated_link(&mut self, at: usize, link: Link) -> Result<LinkId, PlatformError> {
        self.check_links(at, 1)?;
        let id = LinkId::new(self.links.len());
        self.name_link(at, link.name.clone().into(), NamedLink::One(id))?;
        self.links.push(link);
        Ok(id)
    }

    /// Assigns a name to a link.
    pub(super) fn name_link(&mut self, at: usize, name: Cow<'a, str>, link: NamedLink) -> Result<(), PlatformError> {
        if let Some(&(_, other)) = self.link_names.get(&name) {
            let message = format!("there is another link `{name}` in line {}", self.source.line(other));
            return self.source.wrong(at, message, "links have different names, also those in different zones");
        }
        self.link_names.insert(name, (link, at));
        Ok(())
    }
}
