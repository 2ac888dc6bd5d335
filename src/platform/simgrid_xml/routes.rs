//! The second pass over a document: reads the routes of its zones, when all names are known.

use roxmltree::{Attribute, Node};

use super::super::error::PlatformError;
use super::builder::{NamedLink, PlatformBuilder, ZoneRouting};
use super::bypass::Bypass;
use super::declared::{DeclaredRoutes, RouteRule};
use super::dijkstra::Dijkstra;
use super::edges::Edges;
use super::floyd::{self, Floyd};
use super::network::Routing;
use super::points::{PointId, PointKind, ZoneId};
use super::star::Star;
use super::vivaldi::Vivaldi;
use crate::ids::LinkId;

const TOO_MANY: &str = "there are too many links on all routes";

impl<'a, 'input> PlatformBuilder<'a, 'input> {
    /// Reads the routes of a zone.
    pub(super) fn routes(
        &mut self,
        zone: ZoneId,
        node: Node<'a, 'input>,
        kind: ZoneRouting,
        loopback: LinkId,
    ) -> Result<(), PlatformError> {
        self.bypasses(zone, node)?;
        if kind == ZoneRouting::Vivaldi {
            let points = (0..).zip(&self.points).filter(|(_, point)| point.zone == zone);
            // The outermost zone contains itself, but is not a point of itself.
            let points = points.filter(|(_, point)| point.kind != PointKind::Zone(zone));
            let places = points.map(|(id, _)| self.places.get(&PointId(id)).copied().unwrap_or_default()).collect();
            self.set_routing(zone, Routing::Generated(Box::new(Vivaldi(places))));
            return Ok(());
        }
        if kind == ZoneRouting::Cluster {
            let star = self.star(zone, node)?;
            self.set_routing(zone, Routing::Generated(Box::new(star)));
            return Ok(());
        }
        let source = self.source;
        let points = self.points_in(zone);
        let mut edges = Edges::default();
        let mut places = Vec::new();
        let mut has_zones = false;
        for element in node.children().filter(Node::is_element) {
            let name = element.tag_name().name();
            has_zones |= ["zone", "AS", "cluster"].contains(&name);
            let between_zones = match name {
                "route" => false,
                "zoneRoute" | "ASroute" => true,
                _ => continue,
            };
            if kind == ZoneRouting::None {
                let message = format!("a `{name}` is in a zone with routing `None`");
                return source.wrong(element.range().start, message, "write routing=\"Full\"");
            }
            self.route(zone, element, between_zones, &mut edges, &mut places)?;
        }
        if kind == ZoneRouting::None {
            return Ok(());
        }
        let at = node.range().start;
        if kind == ZoneRouting::Floyd && points > floyd::MAX_POINTS {
            let message = format!("a Floyd zone has {points} points, and may have {}", floyd::MAX_POINTS);
            return source.unsupported(at, message, "use routing=\"Dijkstra\", which finds ways when they are needed");
        }
        let order = (kind == ZoneRouting::Dijkstra).then(|| edges.order_of_mention(points));
        if !has_zones && edges.add_loopbacks(points, loopback).is_none() {
            return source.wrong(at, TOO_MANY.into(), "declare fewer routes");
        }
        let edges = edges.complete().or_else(|(twice, before)| {
            let line = source.line(places[before]);
            let message = format!(
                "this route was declared before, perhaps as the way back of a symmetrical one: see line {line}"
            );
            let help = "declare a pair once, or both directions with symmetrical=\"NO\"";
            source.wrong(places[twice], message, help)
        })?;
        let rule = match (kind, order) {
            (ZoneRouting::Floyd, _) => RouteRule::Floyd(Floyd::new(&edges, points)),
            (_, Some(order)) => RouteRule::Dijkstra(Dijkstra::new(order)),
            _ => RouteRule::Full,
        };
        self.set_routing(zone, Routing::Declared(DeclaredRoutes::new(edges, rule)));
        Ok(())
    }

    /// Reads the routes of a zone that override its others.
    fn bypasses(&mut self, zone: ZoneId, node: Node<'a, 'input>) -> Result<(), PlatformError> {
        let source = self.source;
        for element in node.children().filter(Node::is_element) {
            let known: &[&str] = match element.tag_name().name() {
                "bypassRoute" => &["src", "dst"],
                "bypassZoneRoute" | "bypassASroute" => &["src", "dst", "gw_src", "gw_dst"],
                _ => continue,
            };
            source.attributes(element, known)?;
            let (from, to) = (source.required(element, "src")?, source.required(element, "dst")?);
            let (start, end) = (self.point(from)?, self.point(to)?);
            let joins_zones = known.len() > 2;
            for (attribute, point) in [(from, start), (to, end)] {
                let is_zone = matches!(self.points[point.0 as usize].kind, PointKind::Zone(_));
                if is_zone != joins_zones {
                    let what = if is_zone { "a zone" } else { "no zone" };
                    let message = format!("`{}` is {what}", attribute.value());
                    let help = "a `bypassRoute` joins hosts and routers, a `bypassZoneRoute` joins zones";
                    return source.wrong(attribute.range().start, message, help);
                }
            }
            let gateways = match joins_zones {
                true => Some((self.gateway(element, "gw_src", start)?, self.gateway(element, "gw_dst", end)?)),
                false => None,
            };
            let (links, _) = self.links_of_route(element)?;
            let bypass = Bypass { links, gateways };
            if self.zones[zone.0 as usize].bypasses.insert((start, end), bypass).is_some() {
                let message = "this bypass was declared before".into();
                return source.wrong(element.range().start, message, "declare a pair once");
            }
        }
        Ok(())
    }

    /// Declares a route, twice if it is symmetrical, and stores the position of each declaration.
    fn route(
        &self,
        zone: ZoneId,
        node: Node<'a, 'input>,
        between_zones: bool,
        edges: &mut Edges,
        places: &mut Vec<usize>,
    ) -> Result<(), PlatformError> {
        let source = self.source;
        let known: &[&str] = if between_zones {
            &["src", "dst", "gw_src", "gw_dst", "symmetrical"]
        } else {
            &["src", "dst", "symmetrical"]
        };
        source.attributes(node, known)?;
        let from = self.end(zone, node, "src", between_zones)?;
        let to = self.end(zone, node, "dst", between_zones)?;
        let gateways = if between_zones {
            let (a, b) = (self.gateway(node, "gw_src", from)?, self.gateway(node, "gw_dst", to)?);
            if a == b {
                let message = "a route between zones leads from a gateway to itself".into();
                return source.wrong(node.range().start, message, "name a gateway in each of the two zones");
            }
            Some((a, b))
        } else {
            None
        };
        let symmetrical = match node.attribute("symmetrical") {
            None | Some("YES" | "yes") => true,
            Some("NO" | "no") => false,
            Some(other) => {
                let message = format!("`symmetrical` is `{other}`, and must be YES or NO");
                return source.wrong(node.range().start, message, "write symmetrical=\"NO\" for one direction");
            }
        };
        let (there, back) = self.links_of_route(node)?;
        let at = node.range().start;
        let local = |point: PointId| self.points[point.0 as usize].local;
        let (from, to) = (local(from), local(to));
        let mut declared = edges.declare(from, to, gateways, there);
        places.push(at);
        if symmetrical && from != to {
            let swapped = gateways.map(|(a, b)| (b, a));
            declared = declared.and_then(|()| edges.declare(to, from, swapped, back.into_iter().rev()));
            places.push(at);
        }
        match declared {
            Some(()) => Ok(()),
            None => source.wrong(at, TOO_MANY.into(), "declare fewer routes"),
        }
    }

    /// Returns the links of a route, and their counterparts on the reverse route.
    fn links_of_route(&self, node: Node<'a, 'input>) -> Result<(Vec<LinkId>, Vec<LinkId>), PlatformError> {
        let mut there = Vec::new();
        let mut back = Vec::new();
        for element in self.source.elements(node)? {
            let (link, reverse) = self.link_of_route(element)?;
            there.push(link);
            back.push(reverse);
        }
        if there.is_empty() {
            let message = "the route has no link".into();
            let help = "name its links in order with `<link_ctn id=\"...\"/>`";
            return self.source.wrong(node.range().start, message, help);
        }
        Ok((there, back))
    }

    /// Returns a link of a route, and its counterpart on the reverse route.
    fn link_of_route(&self, node: Node<'a, 'input>) -> Result<(LinkId, LinkId), PlatformError> {
        let source = self.source;
        if node.tag_name().name() != "link_ctn" {
            return source.refuse_element(node);
        }
        source.attributes(node, &["id", "direction"])?;
        source.empty(node)?;
        let id = source.required(node, "id")?;
        let Some(&(link, _)) = self.link_names.get(id.value()) else {
            let message = format!("there is no link `{}`", id.value());
            let help =
                "declare the link in a zone; the halves of a SPLITDUPLEX link are named by its id and a direction";
            return source.wrong(id.range().start, message, help);
        };
        match (link, node.attribute("direction")) {
            (_, Some(other)) if !["UP", "DOWN", "NONE"].contains(&other) => {
                let message = format!("`direction` is `{other}`, and must be UP, DOWN or NONE");
                source.wrong(node.range().start, message, "only SPLITDUPLEX links have directions")
            }
            (NamedLink::One(link), None | Some("NONE")) => Ok((link, link)),
            (NamedLink::One(_), Some(direction)) => {
                let message = format!("link `{}` is not SPLITDUPLEX and has no direction `{direction}`", id.value());
                source.wrong(node.range().start, message, "leave the direction out; SimGrid refuses it, too")
            }
            (NamedLink::Split { up, down }, Some("UP")) => Ok((up, down)),
            (NamedLink::Split { up, down }, Some("DOWN")) => Ok((down, up)),
            (NamedLink::Split { .. }, _) => {
                let message = format!("link `{}` is SPLITDUPLEX, and the route does not say which half", id.value());
                source.wrong(node.range().start, message, "add direction=\"UP\" or direction=\"DOWN\"")
            }
        }
    }

    fn point(&self, attribute: Attribute<'a, 'input>) -> Result<PointId, PlatformError> {
        match self.point_names.get(attribute.value()) {
            Some(&(point, _)) => Ok(point),
            None => {
                let message = format!("there is no host or router `{}`, and no zone", attribute.value());
                let help = "routes join hosts and routers of one zone, zone routes join zones";
                self.source.wrong(attribute.range().start, message, help)
            }
        }
    }

    /// Returns an end of a route: a host or router of the zone, or a zone in it.
    fn end(
        &self,
        zone: ZoneId,
        route: Node<'a, 'input>,
        name: &str,
        between_zones: bool,
    ) -> Result<PointId, PlatformError> {
        let attribute = self.source.required(route, name)?;
        let id = self.point(attribute)?;
        let point = self.points[id.0 as usize];
        let is_zone = matches!(point.kind, PointKind::Zone(_));
        let outermost = self.zones[zone.0 as usize].point == id;
        if point.zone == zone && !outermost && is_zone == between_zones {
            return Ok(id);
        }
        let message = match (is_zone == between_zones, between_zones) {
            (true, _) => format!("`{}` is not in this zone", attribute.value()),
            (false, true) => format!("`{}` is no zone", attribute.value()),
            (false, false) => format!("`{}` is a zone", attribute.value()),
        };
        let help =
            "a `route` joins hosts and routers of its zone; a `zoneRoute` joins zones that are directly in its zone";
        self.source.wrong(attribute.range().start, message, help)
    }

    /// Returns a gateway: a host or router somewhere in a zone.
    fn gateway(&self, route: Node<'a, 'input>, name: &str, end: PointId) -> Result<PointId, PlatformError> {
        let attribute = self.source.required(route, name)?;
        let id = self.point(attribute)?;
        let wrong = |message: String| {
            let help = "a gateway is a host or router inside the zone that the route leaves or enters";
            self.source.wrong(attribute.range().start, message, help)
        };
        let point = self.points[id.0 as usize];
        if let PointKind::Zone(_) = point.kind {
            return wrong(format!("gateway `{}` is a zone", attribute.value()));
        }
        let mut around = Some(point.zone);
        while let Some(zone) = around {
            if self.points[end.0 as usize].kind == PointKind::Zone(zone) {
                return Ok(id);
            }
            around = self.zones[zone.0 as usize].parent;
        }
        wrong(format!("gateway `{}` is not in the zone at its end of the route", attribute.value()))
    }

    /// Reads the links of a zone with routing `Cluster`.
    fn star(&mut self, zone: ZoneId, node: Node<'a, 'input>) -> Result<Star, PlatformError> {
        let source = self.source;
        let mut star = Star::default();
        let elements = || node.children().filter(Node::is_element);
        let mut backbone = None;
        for element in elements().filter(|element| element.has_tag_name("backbone")) {
            let id = source.required(element, "id")?;
            let Some(&(NamedLink::One(link), _)) = self.link_names.get(id.value()) else { continue };
            if backbone.replace(link).is_some() {
                return source.wrong(element.range().start, "there is a second backbone".into(), "a zone has one");
            }
        }
        let mut connect = |point: u32, up: LinkId, down: LinkId, at: usize| {
            let up: Vec<LinkId> = [up].into_iter().chain(backbone).collect();
            let down: Vec<LinkId> = backbone.into_iter().chain([down]).collect();
            match star.connect(point, &up, &down) {
                true => Ok(()),
                false => source.wrong(at, "this host has its links already".into(), "a host has one `host_link`"),
            }
        };
        for element in elements() {
            match element.tag_name().name() {
                "host_link" => {
                    source.attributes(element, &["id", "up", "down"])?;
                    source.empty(element)?;
                    let host = self.end(zone, element, "id", false)?;
                    let link = |name| {
                        let attribute = source.required(element, name)?;
                        match self.link_names.get(attribute.value()) {
                            Some(&(NamedLink::One(link), _)) => Ok(link),
                            _ => {
                                let message = format!("there is no link `{}`", attribute.value());
                                let help = "declare it; the halves of a SPLITDUPLEX link are ID_UP and ID_DOWN";
                                source.wrong(attribute.range().start, message, help)
                            }
                        }
                    };
                    let at = element.range().start;
                    connect(self.points[host.0 as usize].local, link("up")?, link("down")?, at)?;
                }
                "cabinet" => {
                    let (prefix, suffix) = (source.required(element, "prefix")?, source.required(element, "suffix")?);
                    for radical in self.radicals(element)? {
                        let name = format!("{}{radical}{}", prefix.value(), suffix.value());
                        let half = |direction| match self.link_names.get(format!("link_{name}_{direction}").as_str()) {
                            Some(&(NamedLink::One(link), _)) => Some(link),
                            _ => None,
                        };
                        let host = self.point_names.get(name.as_str()).map(|&(point, _)| point);
                        if let (Some(host), Some(up), Some(down)) = (host, half("UP"), half("DOWN")) {
                            connect(self.points[host.0 as usize].local, up, down, element.range().start)?;
                        }
                    }
                }
                _ => {}
            }
        }
        for element in elements() {
            match element.tag_name().name() {
                "route" => {
                    source.attributes(element, &["src", "dst", "symmetrical"])?;
                    let (from, to) = (self.end(zone, element, "src", false)?, self.end(zone, element, "dst", false)?);
                    let at = element.range().start;
                    if from != to {
                        let message = "a zone with routing `Cluster` has no routes between hosts".into();
                        return source.wrong(
                            at,
                            message,
                            "messages go over the links of the hosts; or use routing=\"Full\"",
                        );
                    }
                    let (links, _) = self.links_of_route(element)?;
                    if !star.loop_back(self.points[from.0 as usize].local, &links) {
                        let message = "this route was declared before".into();
                        return source.wrong(at, message, "declare the route of a host to itself once");
                    }
                }
                "zoneRoute" | "ASroute" => return source.refuse_element(element),
                _ => {}
            }
        }
        Ok(star.complete(self.points_in(zone)))
    }
}
