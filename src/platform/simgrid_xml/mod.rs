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

use roxmltree::{Document, ParsingOptions};

use super::error::PlatformError;
use super::parameters::Loopback;
use super::{Link, Platform, SharingPolicy};
use crate::ids::LinkId;
use crate::topology::input::Located;

mod zone;

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
    let (hosts, mut links, routes) = zone::read(file, &document)?;
    let loopback_id = LinkId::new(links.len());
    links.push(Link {
        name: "loopback".into(),
        bandwidth: loopback.bandwidth.value(),
        latency: loopback.latency.value(),
        policy: SharingPolicy::FatPipe,
    });
    Ok(Platform { name: file.into(), hosts, links, loopback: Some(loopback_id), routes: Box::new(routes) })
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

#[cfg(test)]
mod tests {
    use super::super::Host;
    use super::*;
    use crate::ids::HostId;
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
