//! Elements of a platform file, read in two passes: first the objects, then the routes between them.

use crate::excerpt::excerpt;
use roxmltree::Node;
use std::collections::HashMap;

use super::super::error::PlatformError;
use super::super::loaded::Setting;
use super::super::parameters::Loopback;
use super::super::units::{Bandwidth, FromSimGrid, Seconds, Speed, UnitError};
use super::super::{Host, Link, SharingPolicy};
use super::builder::{Counters, NamedLink, PlatformBuilder, ZoneRouting};
use super::network::Zones;
use super::points::{PointId, PointKind, ZoneId};
use super::source::{XmlSource, is_zero};
use crate::ids::LinkId;
use crate::topology::input::Located;

/// SimGrid's name of the link from a host to itself.
const LOOPBACK: &str = "__loopback__";

const ZONE_HELP: &str =
    "supported are zones with routing Full, Floyd, Dijkstra, DijkstraCache, Cluster, Vivaldi or None, and clusters";

/// Contents of a document.
pub(super) struct Description {
    pub(super) hosts: Vec<Host>,
    pub(super) links: Vec<Link>,
    pub(super) loopback: LinkId,
    pub(super) network: Zones,
    pub(super) settings: Vec<Setting>,
    pub(super) remarks: Vec<String>,
}

/// Reads a document.
pub(super) fn read(source: XmlSource<'_, '_>, loopback: Loopback) -> Result<Description, PlatformError> {
    let mut builder = PlatformBuilder {
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
        peer_latencies: 0,
    };
    let root = source.document.root_element();
    builder.platform(root)?;
    let loopback = Link { name: LOOPBACK.into(), ..Link::loopback(builder.loopback(loopback)?) };
    let loopback = builder.generated_link(root.range().start, loopback)?;
    for (zone, node, kind) in std::mem::take(&mut builder.pending) {
        builder.routes(zone, node, kind, loopback)?;
    }
    let network = Zones { zones: builder.zones, points: builder.points, point_of_host: builder.point_of_host };
    let PlatformBuilder { hosts, links, settings, disks, peer_latencies, .. } = builder;
    let of_disks = (disks > 0).then(|| format!("disks ({disks}): input and output are not simulated"));
    let of_peers = (peer_latencies > 0).then(|| {
        format!(
            "`lat` of peers ({peer_latencies}) has no effect, as in SimGrid 3.32: the latency is that of `coordinates`"
        )
    });
    let remarks = of_disks.into_iter().chain(of_peers).collect();
    Ok(Description { hosts, links, loopback, network, settings, remarks })
}

impl<'a, 'input> PlatformBuilder<'a, 'input> {
    fn platform(&mut self, root: Node<'a, 'input>) -> Result<(), PlatformError> {
        let source = self.source;
        let at = root.range().start;
        if root.tag_name().name() != "platform" {
            let message = format!("the document is a `{}`, not a `platform`", excerpt(root.tag_name().name()));
            return source.wrong(at, message, "a platform file of SimGrid begins with `<platform version=\"4.1\">`");
        }
        source.attributes(root, &["version"])?;
        let version = source.required(root, "version")?;
        if !["4", "4.0", "4.1"].contains(&version.value()) {
            let message = format!("platform version `{}` is not supported", excerpt(version.value()));
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
            "full" => ZoneRouting::Full,
            "floyd" => ZoneRouting::Floyd,
            "dijkstra" | "dijkstracache" => ZoneRouting::Dijkstra,
            "cluster" => ZoneRouting::Cluster,
            "vivaldi" => ZoneRouting::Vivaldi,
            // Alternative name since 3.26.
            "none" | "empty" => ZoneRouting::None,
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
                "zone" | "AS" | "cluster" if kind == ZoneRouting::Cluster => {
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
                "peer" if kind == ZoneRouting::Vivaldi => self.peer(element, zone)?,
                "link" => self.link(element)?,
                "cabinet" | "host_link" | "backbone" if kind != ZoneRouting::Cluster => {
                    let message = format!("a `{name}` is in a zone whose routing is not `Cluster`");
                    return source.wrong(
                        element.range().start,
                        message,
                        "write routing=\"Cluster\", or declare routes",
                    );
                }
                "cabinet" => cabinets.push(element),
                // Read together with the routes.
                "route" | "zoneRoute" | "ASroute" if kind == ZoneRouting::Vivaldi => {
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
        source.attributes(node, &["id", "speed", "coordinates", "bw_in", "bw_out", "lat"])?;
        self.peer_latencies += u32::from(node.attribute("lat").is_some());
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
}
