//! Platform files of SimGrid, version 4.1: the part that describes an arbitrary network exactly.
//!
//! Read are one zone with `Full` routing, hosts (`speed`, `core`), routers, links (`bandwidth`, `latency`, `sharing_policy`
//! SHARED, FATPIPE or SPLITDUPLEX) and routes (`symmetrical`, and `link_ctn` with a `direction`). Everything else is refused
//! by name and place, never skipped: a platform that is read in part would predict something else.
//!
//! Rules of the format that are easy to get wrong:
//! - A SPLITDUPLEX link is two links, `NAME_UP` and `NAME_DOWN`, with the whole bandwidth each; a route has to say which. On
//!   other links SimGrid ignores the direction, and so does this reader.
//! - A route is symmetrical unless it says otherwise: the way back takes the same links in reverse order, UP and DOWN
//!   swapped. The route of a host to itself has no way back.
//! - Routers have no cost, and in a `Full` zone they are on no route between hosts.
//!
//! The document type that such files name is never fetched. One that declares something inside the file is refused, because
//! entities that expand to entities can fill any memory.

use roxmltree::{Attribute, Document, Node, ParsingOptions};
use std::collections::HashMap;
use std::fmt::Display;
use std::str::FromStr;

use super::error::PlatformError;
use super::parameters::{Loopback, MAX_HOSTS};
use super::static_routes::StaticRoutes;
use super::units::{Bandwidth, Seconds, Speed};
use super::{Host, Link, Platform, SharingPolicy};
use crate::ids::{HostId, LinkId};
use crate::topology::graph::MAX_ARCS;
use crate::topology::input::Located;

/// Largest number of nodes of a document: 67,108,864.
const MAX_NODES: u32 = 1 << 26;

/// Reads a platform from the text of a file; `file` is its name for messages. The loopback is for hosts that declare no
/// route to themselves.
///
/// # Errors
/// [`PlatformError::Unsupported`] for what SimGrid may understand and this reader does not, [`PlatformError::File`] for what is
/// wrong; both with the place.
pub fn parse(file: &str, text: &str, loopback: Loopback) -> Result<Platform, PlatformError> {
    refuse_declarations(file, text)?;
    let options = ParsingOptions { allow_dtd: true, nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|error| {
        let place = error.pos();
        PlatformError::File(Located {
            file: file.into(),
            line: place.row as usize,
            column: place.col as usize,
            // The message ends with the place, which ours begins with.
            message: error.to_string().trim_end_matches(&format!(" at {place}")).to_owned(),
            help: "check that the file is well-formed XML, for example with xmllint".into(),
        })
    })?;
    let mut reader = Reader {
        file,
        document: &document,
        points: HashMap::new(),
        link_names: HashMap::new(),
        hosts: Vec::new(),
        links: Vec::new(),
    };
    let routes = reader.read(document.root_element())?;
    let loopback_id = LinkId::new(reader.links.len());
    reader.links.push(Link {
        name: "loopback".into(),
        bandwidth: loopback.bandwidth.value(),
        latency: loopback.latency.value(),
        policy: SharingPolicy::FatPipe,
    });
    Ok(Platform {
        name: file.into(),
        hosts: reader.hosts,
        links: reader.links,
        loopback: Some(loopback_id),
        routes: Box::new(routes),
    })
}

/// Refuses a document type with declarations of its own: `<!DOCTYPE platform [ ... ]>`.
fn refuse_declarations(file: &str, text: &str) -> Result<(), PlatformError> {
    let mut rest = text.trim_start_matches('\u{feff}');
    loop {
        rest = rest.trim_start();
        let end = match rest {
            _ if rest.starts_with("<?") => rest.find("?>").map(|end| end + 2),
            _ if rest.starts_with("<!--") => rest.find("-->").map(|end| end + 3),
            _ => break,
        };
        // What is not closed, the parser complains about.
        let Some(end) = end else { return Ok(()) };
        rest = &rest[end..];
    }
    if !rest.starts_with("<!DOCTYPE") {
        return Ok(());
    }
    let mut quote = None;
    for (at, c) in rest.char_indices() {
        match (c, quote) {
            ('"' | '\'', None) => quote = Some(c),
            (_, Some(open)) if c == open => quote = None,
            ('>', None) => return Ok(()),
            ('[', None) => {
                let offset = text.len() - rest.len() + at;
                let before = &text[..offset];
                return Err(PlatformError::Unsupported(Located {
                    file: file.into(),
                    line: 1 + before.matches('\n').count(),
                    column: 1 + offset - before.rfind('\n').map_or(0, |newline| newline + 1),
                    message: "a document type with declarations inside the file is not supported".into(),
                    help: "platforms need no declarations; write `<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">`"
                        .into(),
                }));
            }
            _ => {}
        }
    }
    Ok(())
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

    fn parsed<T: FromStr<Err: Display>>(&self, attribute: Attribute<'a, 'input>) -> Result<T, PlatformError> {
        attribute.value().parse().or_else(|error: T::Err| {
            let message = format!("attribute `{}`: {error}", attribute.name());
            self.wrong(attribute.range_value().start, message, "units are those of SimGrid, e.g. 1.25GBps, 1us, 1Gf")
        })
    }
}

const ZONE_HELP: &str =
    "supported is one zone with routing=\"Full\" that has hosts, routers, links and routes between hosts";

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SMALL: &str = r#"<?xml version='1.0'?>
<!-- [two hosts] -->
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="world" routing="Full">
    <host id="h0" speed="1Gf"/> <host id="h1" speed="2Gf" core="4"/> <router id="s"/>
    <link id="a" bandwidth="1.25GBps" latency="1us" sharing_policy="SPLITDUPLEX"/>
    <link id="b" bandwidth="10Gbps"/>
    <link id="c" bandwidth="1Bps" latency="0" sharing_policy="FATPIPE"/>
    <route src="h0" dst="h1"><link_ctn id="a" direction="UP"/><link_ctn id="b"/></route>
    <route src="h1" dst="h1"><link_ctn id="c"/></route>
    <route src="h0" dst="s"><link_ctn id="b"/></route>
  </zone>
</platform>
"#;

    fn read(text: &str) -> Result<Platform, PlatformError> {
        parse("p.xml", text, Loopback::default())
    }

    fn route(platform: &Platform, from: u32, to: u32) -> Vec<&str> {
        let mut links = Vec::new();
        platform.route(HostId(from), HostId(to), &mut links).unwrap();
        links.iter().map(|link| platform.links[link.index()].name.as_str()).collect()
    }

    #[test]
    fn a_small_platform_by_hand() {
        let platform = read(SMALL).unwrap();
        assert_eq!(platform.hosts[1], Host { name: "h1".into(), switch: None, speed: 2e9, cores: 4 });
        let policies: Vec<_> = platform.links.iter().map(|link| (link.name.as_str(), link.policy)).collect();
        use SharingPolicy::{FatPipe, Shared};
        let expected = [("a_UP", Shared), ("a_DOWN", Shared), ("b", Shared), ("c", FatPipe), ("loopback", FatPipe)];
        assert_eq!(policies, expected);
        assert_eq!(route(&platform, 0, 1), ["a_UP", "b"]);
        // The way back takes the other half of the cable, in reverse order.
        assert_eq!(route(&platform, 1, 0), ["b", "a_DOWN"]);
        // A host's own route to itself comes before the loopback that the others have.
        assert_eq!(route(&platform, 1, 1), ["c"]);
        assert_eq!(route(&platform, 0, 0), ["loopback"]);
    }

    #[test]
    fn a_route_in_one_direction_has_no_way_back() {
        let platform =
            read(&SMALL.replace("dst=\"h1\"><link_ctn id=\"a\"", "dst=\"h1\" symmetrical=\"NO\"><link_ctn id=\"a\""))
                .unwrap();
        assert!(platform.route(HostId(0), HostId(1), &mut Vec::new()).is_ok());
        assert!(platform.route(HostId(1), HostId(0), &mut Vec::new()).is_err());
    }

    #[test]
    fn what_is_not_supported_is_refused_by_name_and_place() {
        for (from, to, expected) in [
            ("\"Full\"", "\"Floyd\"", "p.xml:5:20: zone routing `Floyd` is not supported yet"),
            ("\"4.1\"", "\"3\"", "p.xml:4:11: platform version `3`"),
            ("<router id=\"s\"/>", "<cluster id=\"s\"/>", "p.xml:6:70: element `cluster` inside `zone`"),
            ("<router id=\"s\"/>", "<router id=\"s\"><prop id=\"x\"/></router>", "element `prop` inside `router`"),
            ("speed=\"1Gf\"", "speed=\"1Gf\" pstate=\"1\"", "attribute `pstate` of `host`"),
            ("\"FATPIPE\"", "\"WIFI\"", "sharing policy `WIFI`"),
            ("<link_ctn id=\"c\"/>", "<link id=\"c\"/>", "element `link` inside `route`"),
            (
                "\"https://simgrid.org/simgrid.dtd\"",
                "\"a>[b\" [<!ENTITY x \"y\">]",
                "p.xml:3:34: a document type with declarations",
            ),
        ] {
            let text = SMALL.replacen(from, to, 1);
            assert_ne!(text, SMALL, "{from}");
            let error = read(&text).expect_err(&text);
            assert!(matches!(error, PlatformError::Unsupported(_)), "{error}");
            assert!(error.to_string().contains(expected), "{to}: {error}");
        }
    }

    #[test]
    fn mistakes_have_a_place() {
        for (from, to, expected) in [
            ("\"2Gf\"", "\"2GF\"", "p.xml:6:54: attribute `speed`: `2GF` is not a speed: there is no unit `GF`"),
            ("core=\"4\"", "core=\"0\"", "p.xml:6:59: `core` is `0`"),
            ("latency=\"1us\"", "latency=\"-1us\"", "it must be zero or more"),
            ("bandwidth=\"10Gbps\"", "", "`link` has no attribute `bandwidth`"),
            ("id=\"h1\"", "id=\"h0\"", "there is another host or router `h0`"),
            ("id=\"b\"", "id=\"a\"", "there is another link `a`"),
            ("id=\"a\" direction=\"UP\"", "id=\"a\"", "does not say which half"),
            ("direction=\"UP\"", "direction=\"LEFT\"", "`direction` is `LEFT`"),
            ("dst=\"h1\"><link_ctn id=\"c\"/>", "dst=\"h1\">", "the route has no link"),
            ("dst=\"s\"", "dst=\"t\"", "p.xml:12:21: there is no host or router `t`"),
            ("<link_ctn id=\"c\"/>", "<link_ctn id=\"d\"/>", "there is no link `d`"),
            ("src=\"h1\" dst=\"h1\"", "src=\"h1\" dst=\"h0\"", "p.xml:11:5: this route was declared before"),
            ("</zone>", "", "p.xml:14:1: expected 'zone' tag"),
            ("<platform version=\"4.1\">", "<platform version=\"4.1\">x", "there is text inside `platform`"),
            ("speed=\"1Gf\"", "speed=\"&x;\"", "unknown entity reference 'x'"),
        ] {
            let text = SMALL.replacen(from, to, 1);
            assert_ne!(text, SMALL, "{from}");
            let error = read(&text).expect_err(&text);
            assert!(matches!(error, PlatformError::File(_)), "{error}");
            assert!(error.to_string().contains(expected), "{to}: {error}");
        }
        assert!(read("<a/>").unwrap_err().to_string().contains("the document is a `a`"));
        assert!(read("<platform version='4.1'/>").unwrap_err().to_string().contains("no zone"));
        assert!(read("").is_err());
    }

    #[test]
    fn entities_cannot_fill_the_memory() {
        let mut bomb = String::from("<!DOCTYPE platform [<!ENTITY a0 \"ha\">");
        for level in 1..30 {
            let inner = format!("&a{};", level - 1).repeat(10);
            bomb.push_str(&format!("<!ENTITY a{level} \"{inner}\">"));
        }
        bomb.push_str("]><platform version=\"4.1\">&a29;</platform>");
        assert!(matches!(read(&bomb), Err(PlatformError::Unsupported(_))));
    }

    #[test]
    fn deep_nesting_is_an_error_and_not_a_crash() {
        let deep = format!("{}{}", "<zone>".repeat(200_000), "</zone>".repeat(200_000));
        assert!(read(&deep).is_err());
    }

    proptest! {
        #[test]
        fn nothing_panics(place in 0usize..1000, with in "[0-9a-z<>\"/!\\[\\]-]{0,3}", remove in 0usize..20) {
            let start = place.min(SMALL.len());
            let end = (start + remove).min(SMALL.len());
            let _ = read(&format!("{}{with}{}", &SMALL[..start], &SMALL[end..]));
        }
    }
}
