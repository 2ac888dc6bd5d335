//! The elements of a platform file: one `Full` zone with its hosts, routers, links and routes.

use roxmltree::{Attribute, Document, Node};
use std::collections::HashMap;

use super::super::error::PlatformError;
use super::super::parameters::MAX_HOSTS;
use super::super::static_routes::StaticRoutes;
use super::super::units::{Bandwidth, FromSimGrid, Seconds, Speed};
use super::super::{Host, Link, SharingPolicy};
use crate::ids::{HostId, LinkId};
use crate::topology::graph::MAX_ARCS;
use crate::topology::input::Located;

/// Reads the hosts, links and routes of a document; `file` is its name for messages.
pub(super) fn read(file: &str, document: &Document<'_>) -> Result<(Vec<Host>, Vec<Link>, StaticRoutes), PlatformError> {
    let mut reader = Reader {
        file,
        document,
        points: HashMap::new(),
        link_names: HashMap::new(),
        hosts: Vec::new(),
        links: Vec::new(),
    };
    let routes = reader.read(document.root_element())?;
    Ok((reader.hosts, reader.links, routes))
}

/// What a name of a route's end stands for.
#[derive(Clone, Copy)]
enum Point {
    Host(HostId),
    Router,
}

/// What the name of a link stands for.
#[derive(Clone, Copy)]
enum NamedLink {
    One(LinkId),
    Split { up: LinkId, down: LinkId },
}

struct Reader<'a, 'input> {
    file: &'a str,
    document: &'a Document<'input>,
    points: HashMap<&'a str, Point>,
    link_names: HashMap<&'a str, NamedLink>,
    hosts: Vec<Host>,
    links: Vec<Link>,
}

impl<'a, 'input> Reader<'a, 'input> {
    fn located(&self, at: usize, message: String, help: &str) -> Located {
        let place = self.document.text_pos_at(at);
        Located {
            file: self.file.into(),
            line: place.row as usize,
            column: place.col as usize,
            message,
            help: help.into(),
        }
    }

    fn wrong<T>(&self, at: usize, message: String, help: &str) -> Result<T, PlatformError> {
        Err(PlatformError::File(self.located(at, message, help)))
    }

    fn unsupported<T>(&self, at: usize, message: String, help: &str) -> Result<T, PlatformError> {
        Err(PlatformError::Unsupported(self.located(at, message, help)))
    }

    fn read(&mut self, root: Node<'a, 'input>) -> Result<StaticRoutes, PlatformError> {
        let at = root.range().start;
        if root.tag_name().name() != "platform" {
            let message = format!("the document is a `{}`, not a `platform`", root.tag_name().name());
            return self.wrong(at, message, "a platform file of SimGrid begins with `<platform version=\"4.1\">`");
        }
        self.attributes(root, &["version"])?;
        let version = self.required(root, "version")?;
        if version.value() != "4.1" {
            let message = format!("platform version `{}` is not supported", version.value());
            let help = "SimGrid's `simgrid_update_xml` rewrites older files to version 4.1";
            return self.unsupported(version.range().start, message, help);
        }
        let mut zone = None;
        for element in self.elements(root)? {
            if element.tag_name().name() != "zone" {
                return self.refuse_element(element);
            }
            if zone.replace(element).is_some() {
                return self.wrong(element.range().start, "there is a second zone".into(), ZONE_HELP);
            }
        }
        let Some(zone) = zone else { return self.wrong(at, "there is no zone".into(), ZONE_HELP) };
        self.zone(zone)
    }

    fn zone(&mut self, zone: Node<'a, 'input>) -> Result<StaticRoutes, PlatformError> {
        self.attributes(zone, &["id", "routing"])?;
        self.required(zone, "id")?;
        let routing = self.required(zone, "routing")?;
        if routing.value() != "Full" {
            let message = format!("zone routing `{}` is not supported yet", routing.value());
            return self.unsupported(routing.range().start, message, ZONE_HELP);
        }
        let elements = self.elements(zone)?;
        for &element in &elements {
            match element.tag_name().name() {
                "host" => self.host(element)?,
                "router" => self.router(element)?,
                "link" => self.link(element)?,
                "route" => {}
                _ => return self.refuse_element(element),
            }
        }
        if self.hosts.is_empty() {
            return self.wrong(
                zone.range().start,
                "the zone has no host".into(),
                "declare the hosts that ranks run on",
            );
        }
        let mut routes = StaticRoutes::default();
        let mut places = Vec::new();
        for route in elements.into_iter().filter(|element| element.tag_name().name() == "route") {
            self.route(route, &mut routes, &mut places)?;
        }
        routes.complete().or_else(|twice| {
            let message = "this route was declared before, perhaps as the way back of a symmetrical one".into();
            self.wrong(places[twice], message, "declare a pair once, or both directions with symmetrical=\"NO\"")
        })
    }

    fn host(&mut self, node: Node<'a, 'input>) -> Result<(), PlatformError> {
        self.attributes(node, &["id", "speed", "core"])?;
        self.empty(node)?;
        let id = self.required(node, "id")?;
        let speed: Speed = self.parsed(self.required(node, "speed")?)?;
        let cores = match node.attribute_node("core") {
            None => 1,
            Some(core) => match core.value().trim().parse::<u32>() {
                Ok(cores) if cores >= 1 => cores,
                _ => {
                    let message = format!("`core` is `{}`, and must be a number of cores, at least 1", core.value());
                    return self.wrong(core.range().start, message, "write for example core=\"4\"");
                }
            },
        };
        if self.hosts.len() == MAX_HOSTS {
            return self.wrong(node.range().start, format!("more than {MAX_HOSTS} hosts"), "use fewer hosts");
        }
        self.name_point(id, Point::Host(HostId::new(self.hosts.len())))?;
        self.hosts.push(Host { name: id.value().into(), switch: None, speed: speed.value(), cores });
        Ok(())
    }

    fn router(&mut self, node: Node<'a, 'input>) -> Result<(), PlatformError> {
        self.attributes(node, &["id"])?;
        self.empty(node)?;
        self.name_point(self.required(node, "id")?, Point::Router)
    }

    fn name_point(&mut self, id: Attribute<'a, 'input>, point: Point) -> Result<(), PlatformError> {
        if self.points.insert(id.value(), point).is_some() {
            let message = format!("there is another host or router `{}`", id.value());
            return self.wrong(id.range().start, message, "hosts and routers have different names");
        }
        Ok(())
    }

    fn link(&mut self, node: Node<'a, 'input>) -> Result<(), PlatformError> {
        self.attributes(node, &["id", "bandwidth", "latency", "sharing_policy"])?;
        self.empty(node)?;
        let id = self.required(node, "id")?;
        let bandwidth: Bandwidth = self.parsed(self.required(node, "bandwidth")?)?;
        let latency = match node.attribute_node("latency") {
            None => 0.0,
            Some(latency) => self.parsed::<Seconds>(latency)?.value(),
        };
        if self.links.len() + 2 > MAX_ARCS {
            return self.wrong(node.range().start, format!("more than {MAX_ARCS} links"), "use fewer links");
        }
        let first = LinkId::new(self.links.len());
        let mut push = |suffix: &str, policy| {
            let name = format!("{}{suffix}", id.value());
            self.links.push(Link { name, bandwidth: bandwidth.value(), latency, policy });
        };
        let named = match node.attribute("sharing_policy") {
            None | Some("SHARED") => {
                push("", SharingPolicy::Shared);
                NamedLink::One(first)
            }
            Some("FATPIPE") => {
                push("", SharingPolicy::FatPipe);
                NamedLink::One(first)
            }
            Some("SPLITDUPLEX") => {
                push("_UP", SharingPolicy::Shared);
                push("_DOWN", SharingPolicy::Shared);
                NamedLink::Split { up: first, down: LinkId(first.0 + 1) }
            }
            Some(other) => {
                let message = format!("sharing policy `{other}` is not supported");
                let help = "the sharing policies are SHARED, FATPIPE and SPLITDUPLEX";
                return self.unsupported(node.range().start, message, help);
            }
        };
        if self.link_names.insert(id.value(), named).is_some() {
            let message = format!("there is another link `{}`", id.value());
            return self.wrong(id.range().start, message, "links have different names");
        }
        Ok(())
    }

    /// Declares a route, and the way back of a symmetrical one; notes the place of each declaration.
    fn route(
        &self,
        node: Node<'a, 'input>,
        routes: &mut StaticRoutes,
        places: &mut Vec<usize>,
    ) -> Result<(), PlatformError> {
        self.attributes(node, &["src", "dst", "symmetrical"])?;
        let (from, to) = (self.point(node, "src")?, self.point(node, "dst")?);
        let symmetrical = match node.attribute("symmetrical") {
            None | Some("YES" | "yes") => true,
            Some("NO" | "no") => false,
            Some(other) => {
                let message = format!("`symmetrical` is `{other}`, and must be YES or NO");
                return self.wrong(node.range().start, message, "write symmetrical=\"NO\" for one direction");
            }
        };
        let mut there = Vec::new();
        let mut back = Vec::new();
        for element in self.elements(node)? {
            let (link, reverse) = self.link_of_route(element)?;
            there.push(link);
            back.push(reverse);
        }
        let at = node.range().start;
        if there.is_empty() {
            return self.wrong(
                at,
                "the route has no link".into(),
                "name its links in order with `<link_ctn id=\"...\"/>`",
            );
        }
        let (Point::Host(from), Point::Host(to)) = (from, to) else { return Ok(()) };
        let mut declared = routes.declare(from, to, there);
        places.push(at);
        if symmetrical && from != to {
            declared = declared.and_then(|()| routes.declare(to, from, back.into_iter().rev()));
            places.push(at);
        }
        match declared {
            Some(()) => Ok(()),
            None => self.wrong(at, "there are too many links on all routes".into(), "declare fewer routes"),
        }
    }

    /// A link on a route, and what stands for it on the way back.
    fn link_of_route(&self, node: Node<'a, 'input>) -> Result<(LinkId, LinkId), PlatformError> {
        if node.tag_name().name() != "link_ctn" {
            return self.refuse_element(node);
        }
        self.attributes(node, &["id", "direction"])?;
        self.empty(node)?;
        let id = self.required(node, "id")?;
        let Some(&link) = self.link_names.get(id.value()) else {
            let message = format!("there is no link `{}`", id.value());
            let help =
                "declare the link in the zone; the halves of a SPLITDUPLEX link are named by its id and a direction";
            return self.wrong(id.range().start, message, help);
        };
        match (link, node.attribute("direction")) {
            (_, Some(other)) if !["UP", "DOWN", "NONE"].contains(&other) => {
                let message = format!("`direction` is `{other}`, and must be UP, DOWN or NONE");
                self.wrong(node.range().start, message, "only SPLITDUPLEX links have directions")
            }
            (NamedLink::One(link), _) => Ok((link, link)),
            (NamedLink::Split { up, down }, Some("UP")) => Ok((up, down)),
            (NamedLink::Split { up, down }, Some("DOWN")) => Ok((down, up)),
            (NamedLink::Split { .. }, _) => {
                let message = format!("link `{}` is SPLITDUPLEX, and the route does not say which half", id.value());
                self.wrong(node.range().start, message, "add direction=\"UP\" or direction=\"DOWN\"")
            }
        }
    }

    fn point(&self, route: Node<'a, 'input>, end: &str) -> Result<Point, PlatformError> {
        let name = self.required(route, end)?;
        match self.points.get(name.value()) {
            Some(&point) => Ok(point),
            None => {
                let message = format!("there is no host or router `{}`", name.value());
                self.wrong(name.range().start, message, "routes join hosts and routers of the same zone")
            }
        }
    }

    /// The elements inside another; text between them is a mistake.
    fn elements(&self, node: Node<'a, 'input>) -> Result<Vec<Node<'a, 'input>>, PlatformError> {
        for child in node.children().filter(Node::is_text) {
            if child.text().is_some_and(|text| !text.trim().is_empty()) {
                let message = format!("there is text inside `{}`", node.tag_name().name());
                return self.wrong(child.range().start, message, "platforms have elements and attributes only");
            }
        }
        Ok(node.children().filter(Node::is_element).collect())
    }

    fn empty(&self, node: Node<'a, 'input>) -> Result<(), PlatformError> {
        match self.elements(node)?.first() {
            None => Ok(()),
            Some(&inner) => self.refuse_element(inner),
        }
    }

    fn refuse_element<T>(&self, node: Node<'a, 'input>) -> Result<T, PlatformError> {
        let inside = node.parent_element().map_or("", |parent| parent.tag_name().name());
        let message = format!("element `{}` inside `{inside}` is not supported yet", node.tag_name().name());
        self.unsupported(node.range().start, message, ZONE_HELP)
    }

    /// Refuses attributes that this reader does not know.
    fn attributes(&self, node: Node<'a, 'input>, known: &[&str]) -> Result<(), PlatformError> {
        match node.attributes().find(|attribute| !known.contains(&attribute.name())) {
            None => Ok(()),
            Some(other) => {
                let message = format!("attribute `{}` of `{}` is not supported", other.name(), node.tag_name().name());
                self.unsupported(other.range().start, message, &format!("supported are {}", known.join(", ")))
            }
        }
    }

    fn required(&self, node: Node<'a, 'input>, name: &str) -> Result<Attribute<'a, 'input>, PlatformError> {
        match node.attribute_node(name) {
            Some(attribute) => Ok(attribute),
            None => {
                let message = format!("`{}` has no attribute `{name}`", node.tag_name().name());
                self.wrong(node.range().start, message, &format!("add {name}=\"...\""))
            }
        }
    }

    fn parsed<T: FromSimGrid>(&self, attribute: Attribute<'a, 'input>) -> Result<T, PlatformError> {
        T::from_simgrid(attribute.value()).or_else(|error| {
            let message = format!("attribute `{}`: {error}", attribute.name());
            self.wrong(attribute.range_value().start, message, "units are those of SimGrid, e.g. 1.25GBps, 1us, 1Gf")
        })
    }
}

const ZONE_HELP: &str =
    "supported is one zone with routing=\"Full\" that has hosts, routers, links and routes between hosts";
