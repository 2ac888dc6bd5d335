//! The platform under construction: its zones, points and links, by the names of the document.

use roxmltree::{Attribute, Node};
use std::borrow::Cow;
use std::collections::HashMap;

use super::super::error::PlatformError;
use super::super::loaded::Setting;
use super::super::{Host, Link};
use super::bypass::Bypasses;
use super::network::{Routing, Zone};
use super::points::{Point, PointId, PointKind, ZoneId};
use super::source::XmlSource;
use super::vivaldi::VivaldiPoint;
use crate::ids::{HostId, LinkId};

/// Largest numbers of hosts and links of a platform in XML: 1,048,576 and 4,194,304. A short cluster element can
/// describe any number of them, and a host with its links takes about 800 bytes; the limits keep a short file from
/// allocating more than about a gigabyte.
pub(super) const MAX_HOSTS: usize = 1 << 20;
const MAX_LINKS: usize = 1 << 22;

/// Largest nesting depth of zones.
const MAX_DEPTH: u32 = 64;

/// Links that a name refers to.
#[derive(Clone, Copy)]
pub(super) enum NamedLink {
    One(LinkId),
    Split { up: LinkId, down: LinkId },
}

/// Declared routing of a zone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ZoneRouting {
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
pub(super) struct PlatformBuilder<'a, 'input> {
    pub(super) source: XmlSource<'a, 'input>,
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
    pub(super) pending: Vec<(ZoneId, Node<'a, 'input>, ZoneRouting)>,
    /// Coordinates and links of points of Vivaldi zones.
    pub(super) places: HashMap<PointId, VivaldiPoint>,
    pub(super) settings: Vec<Setting>,
    pub(super) disks: u32,
    /// Number of peers with the deprecated attribute `lat`, which has no effect.
    pub(super) peer_latencies: u32,
}

impl<'a, 'input> PlatformBuilder<'a, 'input> {
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
