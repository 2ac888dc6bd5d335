//! Tests of the reader with small documents, valid and invalid.

use super::super::{Host, SharingPolicy};
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
    let expected = [("a_UP", Shared), ("a_DOWN", Shared), ("b", Shared), ("c", FatPipe), ("__loopback__", FatPipe)];
    assert_eq!(policies, expected);
    assert_eq!(route(&platform, 0, 1), ["a_UP", "b"]);
    // The reverse route takes the other direction of the cable, in reverse order.
    assert_eq!(route(&platform, 1, 0), ["b", "a_DOWN"]);
    // A host's own route to itself overrides the default loopback.
    assert_eq!(route(&platform, 1, 1), ["c"]);
    assert_eq!(route(&platform, 0, 0), ["__loopback__"]);
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
        ("\"Full\"", "\"Wifi\"", "p.xml:5:20: zone routing `Wifi` is not supported"),
        ("\"4.1\"", "\"3\"", "p.xml:4:11: platform version `3`"),
        ("<router id=\"s\"/>", "<peer id=\"s\"/>", "p.xml:6:70: element `peer` inside `zone`"),
        ("<router id=\"s\"/>", "<router id=\"s\"><prop id=\"x\"/></router>", "element `prop` inside `router`"),
        ("speed=\"1Gf\"", "speed=\"1Gf\" power=\"1\"", "attribute `power` of `host`"),
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

/// Returns a document with this content in an outermost zone with routing `Full`.
fn outer(content: &str) -> String {
    format!("<platform version=\"4.1\">\n<zone id=\"w\" routing=\"Full\">\n{content}\n</zone>\n</platform>")
}

#[test]
fn ways_through_zones_are_put_together() {
    let text = outer(
        "<AS id='A' routing='Floyd'><host id='a' speed='1f'/><router id='g'/>\
         <link id='x' bandwidth='1Bps'/><route src='a' dst='g'><link_ctn id='x'/></route></AS>\
         <cluster id='c' prefix='n' suffix='' radical='0-1' speed='1f' bw='2Bps' lat='3s' router_id='r'/>\
         <link id='m' bandwidth='1Bps'/>\
         <ASroute src='A' dst='c' gw_src='g' gw_dst='r'><link_ctn id='m'/></ASroute>",
    );
    let platform = read(&text).unwrap();
    assert_eq!(route(&platform, 0, 2), ["x", "m", "c_link_1_DOWN"]);
    assert_eq!(route(&platform, 1, 0), ["c_link_0_UP", "m", "x"]);
    assert_eq!(route(&platform, 0, 0), ["__loopback__"]);
    // A host of a flat cluster without a loopback sends to itself over its own cable.
    assert_eq!(route(&platform, 1, 1), ["c_link_0_UP", "c_link_0_DOWN"]);
    // A host of a torus has no path to itself.
    let torus = "<platform version='4.1'><cluster id='c' prefix='n' suffix='' radical='0-3' speed='1f' bw='2Bps' \
                 lat='3s' topology='TORUS' topo_parameters='2,2'/></platform>";
    let torus = read(torus).unwrap();
    assert!(torus.route(HostId(1), HostId(1), &mut Vec::new()).is_err());
    assert_eq!(route(&torus, 1, 2), ["c_link_from_0_to_1_DOWN", "c_link_from_0_to_2_UP"]);
}

/// A bypass applies to one direction, and overrides the route of its zone; between zones, the paths to and from its
/// gateways are added.
#[test]
fn bypasses_come_first() {
    let text = outer(
        "<zone id='A' routing='Full'><host id='a' speed='1f'/><host id='b' speed='1f'/><router id='g'/>\
         <link id='x' bandwidth='1Bps'/><link id='y' bandwidth='1Bps'/>\
         <route src='a' dst='g'><link_ctn id='x'/></route><route src='a' dst='b'><link_ctn id='x'/></route>\
         <bypassRoute src='a' dst='b'><link_ctn id='y'/></bypassRoute></zone>\
         <cluster id='c' prefix='n' suffix='' radical='0-1' speed='1f' bw='2Bps' lat='3s' router_id='r'/>\
         <link id='m' bandwidth='1Bps'/><link id='n' bandwidth='1Bps'/>\
         <zoneRoute src='A' dst='c' gw_src='g' gw_dst='r'><link_ctn id='m'/></zoneRoute>\
         <bypassASroute src='A' dst='c' gw_src='g' gw_dst='r'><link_ctn id='n'/></bypassASroute>",
    );
    let platform = read(&text).unwrap();
    assert_eq!((route(&platform, 0, 1), route(&platform, 1, 0)), (vec!["y"], vec!["x"]));
    assert_eq!(route(&platform, 0, 2), ["x", "n", "c_link_0_DOWN"]);
    assert_eq!(route(&platform, 2, 0), ["c_link_0_UP", "m", "x"]);
}

#[test]
fn a_host_has_the_speed_of_its_state() {
    let speed = |host: &str| read(&outer(&format!("<host id='h' {host}/>"))).unwrap().hosts[0].speed;
    assert_eq!(speed("speed='1Gf, 2Gf,0f'"), 1e9);
    assert_eq!(speed("speed='1Gf, 2Gf,0f' pstate='1'"), 2e9);
    assert_eq!(speed("speed='1Gf, 2Gf,0f' pstate='2'"), 0.0);
}

#[test]
fn points_of_a_vivaldi_zone_are_as_far_as_their_coordinates() {
    let text = "<platform version='4.1'><zone id='w' routing='Vivaldi'>\
                <host id='a' speed='1f' coordinates='0 0 1'/><host id='b' speed='1f' coordinates='3 4 -2'/>\
                <peer id='c' speed='1f' coordinates='0 0 0' bw_in='1Bps' bw_out='2Bps'/></zone></platform>";
    let platform = read(text).unwrap();
    let extra = |from: u32, to: u32| platform.routes.extra_latency(HostId(from), HostId(to));
    assert_eq!((route(&platform, 0, 1), extra(0, 1)), (vec![], 0.008));
    assert_eq!((route(&platform, 2, 0), extra(2, 0)), (vec!["link_c_UP"], 0.001));
    assert_eq!(route(&platform, 1, 2), ["link_c_DOWN"]);
    let bandwidth = |name: &str| platform.links.iter().find(|link| link.name == name).unwrap().bandwidth;
    assert_eq!((bandwidth("link_c_UP"), bandwidth("link_c_DOWN")), (2.0, 1.0));
}

/// Settings are passed on unchanged, with their positions; disks are counted. Blank lines may precede the XML
/// declaration, and do not change positions.
#[test]
fn settings_and_remarks_are_handed_on() {
    let inside = "<host id='h' speed='1f'><disk id='d'><prop id='size' value='1'/></disk></host>";
    let text = outer(inside).replace(
        "<zone",
        "<config id='General'>\n<prop id='smpi/os' value='0:1:2'/>\n<prop id='network/loopback-bw' value='7Bps'/></config><zone",
    );
    let text = format!("\n \n<?xml version='1.0'?>\n{text}");
    let loaded = parse_all("p.xml", &text, Loopback::default()).unwrap();
    let said: Vec<_> = loaded.settings.iter().map(|s| (s.key.as_str(), s.value.as_str(), s.place.line)).collect();
    assert_eq!(said, [("smpi/os", "0:1:2", 6), ("network/loopback-bw", "7Bps", 7)]);
    assert_eq!(loaded.settings[0].place.column, 7);
    assert_eq!(loaded.remarks, ["disks (1): input and output are not simulated"]);
    assert_eq!(loaded.platform.links.last().unwrap().bandwidth, 7.0);
    let error = read(&text.replace("7Bps", "0Bps")).unwrap_err().to_string();
    assert!(error.starts_with("p.xml:7:7: `network/loopback-bw`: `0Bps` is not a bandwidth"), "{error}");
    let error = read(&text.replace("speed='1f'", "speed='x'")).unwrap_err().to_string();
    assert!(error.starts_with("p.xml:8:"), "{error}");
}

#[test]
fn mistakes_in_zones_and_clusters_have_a_place() {
    let cluster = |attributes: &str| {
        let text = "<cluster id='c' prefix='n' suffix='' speed='1f' bw='2Bps' lat='3s' radical='0-3'";
        outer(&format!("{text} {attributes}/>")).replace("radical='0-3' radical", "radical")
    };
    let two = "<zone id='A' routing='None'><host id='a' speed='1f'/></zone>\
               <zone id='B' routing='None'><host id='b' speed='1f'/></zone><link id='m' bandwidth='1Bps'/>";
    let cases = [
        (outer("<config id='x'/>"), "element `config` inside `zone`"),
        (outer("<host id='h' speed='1f'/>").replace("</zone>", "</zone><config/>"), "`config` is behind a zone"),
        (outer("").replace("<zone", "<config><prop id='x'/></config><zone"), "`prop` has no attribute `value`"),
        (outer("<host id='h' speed='1f,2f' pstate='2'/>"), "`pstate` is `2`, and `speed` has 2 of them"),
        (outer("<host id='h' speed='1f,x'/>"), "attribute `speed`: `x` is not a speed"),
        (outer("<host id='h' speed='1f' coordinates='1 2'/>"), "has to be three numbers"),
        (outer("<peer id='h' speed='1f' coordinates='1 2 3' bw_in='1Bps' bw_out='1Bps'/>"), "element `peer`"),
        (outer("<host id='h' speed='1f'/><bypassRoute src='w' dst='w'/>"), "`w` is a zone"),
        (cluster("radical='0-4000000000'"), "p.xml:3:"),
        (cluster("radical='0-999999999'"), "more than 1048576 hosts"),
        (cluster("radical='3-0'"), "ends before it begins"),
        (cluster("topology='TORUS'"), "no attribute `topo_parameters`"),
        (cluster("topology='TORUS' topo_parameters='4,0'"), "`0` in `topo_parameters`"),
        (cluster("topology='TORUS' topo_parameters='3,2'"), "has 6 places, but `radical` names 4 hosts"),
        (cluster("topology='TORUS' topo_parameters='9999999,9999999,9999999'"), "places"),
        (cluster("topology='FAT_TREE' topo_parameters='2;2,2;1,2'"), "has 3 parts"),
        (cluster("topology='FAT_TREE' topo_parameters='2;2,2;1,2;1'"), "has a list of 1"),
        (
            cluster(&format!("topology='FAT_TREE' topo_parameters='65;{0};{0};{0}'", vec!["1"; 65].join(","))),
            "the limit is 64",
        ),
        (cluster("topology='FAT_TREE' topo_parameters='1;4;16777216;16777216'"), "more than 4194304 links"),
        (cluster("topology='DRAGONFLY' topo_parameters='4,1;1,1;1,1;1'"), "4 groups"),
        (cluster("topology='DRAGONFLY' topo_parameters='1,1;1;1,1;1'"), "three pairs"),
        (cluster("topology='RING'"), "topology `RING`"),
        (cluster("sharing_policy='WIFI'"), "`sharing_policy` is `WIFI`"),
        (cluster("bb_lat='1s'"), "a latency without `bb_bw`"),
        (cluster("availability_file='x'"), "attribute `availability_file`"),
        (outer(&format!("{two}<route src='A' dst='B'><link_ctn id='m'/></route>")), "`A` is a zone"),
        (outer(&format!("{two}<zoneRoute src='A' dst='b' gw_src='a' gw_dst='b'/>")), "`b` is no zone"),
        (outer(&format!("{two}<zoneRoute src='A' dst='B' gw_src='b' gw_dst='b'/>")), "gateway `b` is not in"),
        (outer(&format!("{two}<zoneRoute src='A' dst='B' gw_src='A' gw_dst='b'/>")), "gateway `A` is a zone"),
        (outer(&format!("{two}<zoneRoute src='w' dst='B' gw_src='a' gw_dst='b'/>")), "`w` is not in this zone"),
        (outer(&format!("{two}<bypassZoneRoute/>")), "`bypassZoneRoute` has no attribute `src`"),
        (outer(&format!("{two}<host id='h' speed='1f'/>")), "a `zone` and a `host` are in one zone"),
        (outer("<host id='h' speed='1f'/>\n<host id='h' speed='1f'/>"), "zone, in line 3"),
        (outer("<host id='h' speed='1f'/>\n<host id='w' speed='1f'/>"), "zone, in line 2"),
        (outer("<host id='h' speed='1f' state_file='x'/>"), "attribute `state_file`"),
        (outer("<host id='h' speed='1f'><prop id='smpi/os' value='1'/></host>"), "property `smpi/os`"),
        (outer("<host id='h' speed='1f'><mount id='d'/></host>"), "element `mount`"),
        (outer("<cabinet id='h'/>"), "routing is not `Cluster`"),
        (outer("<trace id='h'/>"), "element `trace`"),
        (outer(""), "the zone has no host"),
        (format!("{}{}", &outer(two)[..outer(two).len() - 11], "<cluster/></platform>"), "second outermost zone"),
    ];
    for (text, expected) in cases {
        let error = read(&text).err().unwrap_or_else(|| panic!("{text}")).to_string();
        assert!(error.contains(expected), "{text}\n{error}");
    }
    let open: String = (0..100).map(|depth| format!("<zone id='z{depth}' routing='Full'>")).collect();
    let deep = format!("<platform version='4.1'>{open}{}</platform>", "</zone>".repeat(100));
    assert!(read(&deep).unwrap_err().to_string().contains("more than 64 deep"));
}
