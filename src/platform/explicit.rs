//! Platforms as plain lists, in JSON: every arc and every route is written out, and nothing is derived by rules.
//!
//! | member | meaning |
//! |---|---|
//! | `name` | name for reports; default the name of the file |
//! | `switches` | number of switches |
//! | `hosts` | the switch of each host; the hosts are called `h0`, `h1`, ... |
//! | `host_flops` | flop/s of a core, for all hosts or a list; hosts have one core |
//! | `loopback` | `{"bandwidth_Bps", "latency_s", "policy"}` of the link from a host to itself; default that of the loader |
//! | `arcs` | one-way links `[from switch, to switch, bytes per second, seconds]` |
//! | `routes` | `{"s-d": [arc, ...]}` from host s to host d; pairs may be missing, and then have no route |
//! | `price`, `watts` | optional: price and power of the network, for comparisons of offers |
//!
//! Other members are refused. The arcs of a route must form a chain from the switch of its source to that of its
//! destination. The route between two hosts on one switch may be empty; it then consists of the loopback, as in
//! platforms built from a topology.

use compact_str::format_compact;
use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::collections::HashMap;
use std::fmt;

use super::error::PlatformError;
use super::loaded::Loaded;
use super::parameters::{Loopback, MAX_HOSTS};
use super::static_routes::{MAX_ROUTE_LINKS, StaticRoutes};
use super::units::{Bandwidth, Seconds, Speed};
use super::{Host, Link, Platform, SharingPolicy};
use crate::ids::{HostId, LinkId, SwitchId};
use crate::topology::graph::{MAX_ARCS, MAX_SWITCHES};
use crate::topology::input::Located;
use crate::topology::locate::located;
use std::sync::Arc;

const SHAPE_HELP: &str = "an explicit platform has the members switches, hosts, host_flops, arcs and routes, and may have \
                          name, loopback, price and watts";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenPlatform {
    name: Option<String>,
    switches: u64,
    hosts: Vec<u32>,
    host_flops: HostSpeeds,
    loopback: Option<WrittenLoopback>,
    arcs: Vec<WrittenArc>,
    routes: WrittenRoutes,
    price: Option<f64>,
    watts: Option<f64>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "a positive number of flop/s, or a list with one for each host")]
enum HostSpeeds {
    All(Speed),
    Each(Vec<Speed>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenLoopback {
    #[serde(rename = "bandwidth_Bps")]
    bandwidth: Bandwidth,
    #[serde(rename = "latency_s")]
    latency: Seconds,
    policy: WrittenPolicy,
}

#[derive(Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum WrittenPolicy {
    Shared,
    FatPipe,
}

/// An arc, written as `[from, to, bandwidth, latency]`.
struct WrittenArc {
    from: u32,
    to: u32,
    bandwidth: Bandwidth,
    latency: Seconds,
}

impl<'de> Deserialize<'de> for WrittenArc {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ArcVisitor;
        impl<'de> Visitor<'de> for ArcVisitor {
            type Value = WrittenArc;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an arc [from, to, bandwidth, latency]")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<WrittenArc, A::Error> {
                let arc = (seq.next_element()?, seq.next_element()?, seq.next_element()?, seq.next_element()?);
                match (arc, seq.next_element::<IgnoredAny>()?) {
                    ((Some(from), Some(to), Some(bandwidth), Some(latency)), None) => {
                        Ok(WrittenArc { from, to, bandwidth, latency })
                    }
                    _ => Err(A::Error::custom("an arc is [from, to, bandwidth, latency], four numbers")),
                }
            }
        }
        deserializer.deserialize_seq(ArcVisitor)
    }
}

/// Routes in flat arrays: route `r` has the arcs `arcs[ends[r - 1]..ends[r]]`.
struct WrittenRoutes {
    pairs: Vec<(u32, u32)>,
    ends: Vec<usize>,
    arcs: Vec<u32>,
}

impl<'de> Deserialize<'de> for WrittenRoutes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RoutesVisitor;
        impl<'de> Visitor<'de> for RoutesVisitor {
            type Value = WrittenRoutes;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object of routes, {\"s-d\": [arc, ...]}")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<WrittenRoutes, A::Error> {
                let mut routes = WrittenRoutes { pairs: Vec::new(), ends: Vec::new(), arcs: Vec::new() };
                while let Some(key) = map.next_key::<std::borrow::Cow<'de, str>>()? {
                    let pair = key.split_once('-').and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)));
                    let Some(pair) = pair else {
                        return Err(A::Error::custom(format!("`{key}` is not a pair of hosts like `0-17`")));
                    };
                    routes.arcs.extend(map.next_value::<Vec<u32>>()?);
                    routes.pairs.push(pair);
                    routes.ends.push(routes.arcs.len());
                }
                Ok(routes)
            }
        }
        deserializer.deserialize_map(RoutesVisitor)
    }
}

/// Reads a platform from the text of a file; `file` is its name for messages.
///
/// # Errors
/// [`PlatformError::File`] with the position of the error.
pub fn parse(file: &str, text: &str, loopback: Loopback) -> Result<Platform, PlatformError> {
    Ok(parse_all(file, text, loopback)?.platform)
}

/// Reads a platform with its price and power from the text of a file, like [`parse`].
///
/// # Errors
/// [`PlatformError::File`] with the position of the error.
pub fn parse_all(file: &str, text: &str, loopback: Loopback) -> Result<Loaded, PlatformError> {
    let written: WrittenPlatform = serde_json::from_str(text)
        .map_err(|error| PlatformError::File(Located::from_json(file, &error, SHAPE_HELP)))?;
    let reader = PlatformReader { file, text, written: &written };
    let platform = reader.platform(loopback)?;
    for (key, value) in [("price", written.price), ("watts", written.watts)] {
        if let Some(value) = value.filter(|value| *value < 0.0) {
            let message = format!("`{key}` is {value}, and must be zero or more");
            return reader.wrong(key, None, message, "give the amount, or leave the member out");
        }
    }
    Ok(Loaded { price: written.price, watts: written.watts, ..Loaded::from(platform) })
}

struct PlatformReader<'a> {
    file: &'a str,
    text: &'a str,
    written: &'a WrittenPlatform,
}

impl PlatformReader<'_> {
    fn wrong<T>(&self, key: &str, index: Option<usize>, message: String, help: &str) -> Result<T, PlatformError> {
        Err(PlatformError::File(located(self.file, self.text, key, index, message, help)))
    }

    fn platform(&self, default_loopback: Loopback) -> Result<Platform, PlatformError> {
        let switches = self.written.switches;
        if switches == 0 || switches > MAX_SWITCHES as u64 {
            let message = format!("`switches` is {switches}, and must be from 1 to {MAX_SWITCHES}");
            return self.wrong("switches", None, message, "give the number of switches");
        }
        let hosts = self.hosts()?;
        let mut links = self.links()?;
        let loopback = LinkId::new(links.len());
        links.push(match &self.written.loopback {
            Some(WrittenLoopback { bandwidth, latency, policy }) => Link {
                policy: match policy {
                    WrittenPolicy::Shared => SharingPolicy::Shared,
                    WrittenPolicy::FatPipe => SharingPolicy::FatPipe,
                },
                ..Link::loopback(Loopback { bandwidth: *bandwidth, latency: *latency })
            },
            None => Link::loopback(default_loopback),
        });
        Ok(Platform {
            name: self.written.name.clone().unwrap_or_else(|| self.file.into()),
            hosts,
            failed: Vec::new(),
            links,
            loopback: Some(loopback),
            routes: Arc::new(self.routes(loopback)?),
        })
    }

    fn hosts(&self) -> Result<Vec<Host>, PlatformError> {
        let WrittenPlatform { hosts, host_flops, switches, .. } = self.written;
        if hosts.is_empty() || hosts.len() > MAX_HOSTS {
            let message = format!("there are {} hosts, and must be from 1 to {MAX_HOSTS}", hosts.len());
            return self.wrong("hosts", None, message, "list the switch of each host");
        }
        if let HostSpeeds::Each(speeds) = host_flops
            && speeds.len() != hosts.len()
        {
            let message = format!("there are {} speeds for {} hosts", speeds.len(), hosts.len());
            return self.wrong("host_flops", None, message, "give one speed, or one for each host");
        }
        if let Some(index) = hosts.iter().position(|&switch| u64::from(switch) >= *switches) {
            let message = format!("hosts[{index}] is on switch {}, but `switches` is {switches}", hosts[index]);
            return self.wrong("hosts", Some(index), message, "switches have the numbers 0 to switches - 1");
        }
        let speed = |index: usize| match host_flops {
            HostSpeeds::All(speed) => speed.value(),
            HostSpeeds::Each(speeds) => speeds[index].value(),
        };
        let host = |(index, &switch)| Host {
            name: format_compact!("h{index}"),
            switch: Some(SwitchId(switch)),
            speed: speed(index),
            cores: 1,
        };
        Ok(hosts.iter().enumerate().map(host).collect())
    }

    fn links(&self) -> Result<Vec<Link>, PlatformError> {
        let WrittenPlatform { arcs, switches, .. } = self.written;
        if arcs.len() > MAX_ARCS {
            let message = format!("there are {} arcs, and may be {MAX_ARCS}", arcs.len());
            return self.wrong("arcs", None, message, "this is not a platform that can be simulated");
        }
        let mut copies = HashMap::new();
        let mut links = Vec::with_capacity(arcs.len() + 1);
        for (index, arc) in arcs.iter().enumerate() {
            if arc.from == arc.to || u64::from(arc.from.max(arc.to)) >= *switches {
                let message = format!("arcs[{index}] joins {} to {}, but `switches` is {switches}", arc.from, arc.to);
                let help = "an arc joins two different switches, which have the numbers 0 to switches - 1";
                return self.wrong("arcs", Some(index), message, help);
            }
            // The names of parallel arcs are `3->17`, `3->17#2`, ...
            let copies = copies.entry((arc.from, arc.to)).and_modify(|copies| *copies += 1).or_insert(1_u32);
            let copy = if *copies > 1 { format!("#{copies}") } else { String::new() };
            let name = format!("{}->{}{copy}", arc.from, arc.to);
            links.push(Link::shared(name, arc.bandwidth.value(), arc.latency.value()));
        }
        Ok(links)
    }

    fn routes(&self, loopback: LinkId) -> Result<StaticRoutes, PlatformError> {
        let WrittenPlatform { hosts, arcs, routes, .. } = self.written;
        let mut declared = StaticRoutes::default();
        let mut start = 0;
        for (index, (&(from, to), &end)) in routes.pairs.iter().zip(&routes.ends).enumerate() {
            let wrong = |message: String, help: &str| {
                self.wrong("routes", Some(index), format!("route {from}-{to}: {message}"), help)
            };
            let (Some(&first), Some(&last)) = (hosts.get(from as usize), hosts.get(to as usize)) else {
                let message = format!("there are only {} hosts", hosts.len());
                return wrong(message, "hosts have the numbers 0 to the number of hosts - 1");
            };
            let links = &routes.arcs[start..end];
            start = end;
            let mut at = first;
            for &arc in links {
                let chain = "the arcs of a route lead from the switch of its source to that of its destination";
                let Some(link) = arcs.get(arc as usize) else {
                    return wrong(format!("there is no arc {arc}, only {} arcs", arcs.len()), chain);
                };
                if link.from != at {
                    return wrong(format!("arc {arc} begins at switch {}, but the route is at {at}", link.from), chain);
                }
                at = link.to;
            }
            if at != last {
                let message = format!("it ends at switch {at}, but host {to} is on switch {last}");
                return wrong(message, "the arcs of a route lead to the switch of its destination");
            }
            let declaration = if links.is_empty() {
                declared.declare(HostId(from), HostId(to), [loopback])
            } else {
                declared.declare(HostId(from), HostId(to), links.iter().map(|&arc| LinkId(arc)))
            };
            if declaration.is_none() {
                return wrong(format!("more than {MAX_ROUTE_LINKS} links on all routes"), "declare fewer routes");
            }
        }
        declared.complete().or_else(|twice| {
            let (from, to) = routes.pairs[twice];
            let message = format!("route {from}-{to} is declared twice");
            self.wrong("routes", Some(twice), message, "declare each pair of hosts once")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::user_error::UserError;
    use proptest::prelude::*;

    const SMALL: &str = r#"{"name":"pair","switches":2,"hosts":[0,1,1],"host_flops":1e9,
"loopback":{"bandwidth_Bps":2e9,"latency_s":1e-9,"policy":"FATPIPE"},
"arcs":[[0,1,5e9,1e-7],[1,0,5e9,2e-7],[0,1,1,0]],
"routes":{"0-1":[2],
"1-0":[1],
"1-2":[]}}"#;

    fn read(text: &str) -> Result<Platform, PlatformError> {
        parse("p.json", text, Loopback::default())
    }

    fn route(platform: &Platform, from: u32, to: u32) -> Option<Vec<u32>> {
        let mut links = Vec::new();
        platform.route(HostId(from), HostId(to), &mut links).ok()?;
        Some(links.iter().map(|link| link.0).collect())
    }

    #[test]
    fn lists_become_a_platform() {
        let platform = read(SMALL).unwrap();
        let names: Vec<_> = platform.links.iter().map(|link| link.name.as_str()).collect();
        assert_eq!(names, ["0->1", "1->0", "0->1#2", "loopback"]);
        assert_eq!(platform.hosts[2], Host { name: "h2".into(), switch: Some(SwitchId(1)), speed: 1e9, cores: 1 });
        let loopback = &platform.links[3];
        assert!(loopback.policy == SharingPolicy::FatPipe && loopback.bandwidth > 1.9e9 && loopback.latency > 0.0);
        assert_eq!(route(&platform, 0, 1), Some(vec![2]));
        assert_eq!(route(&platform, 1, 2), Some(vec![3]));
        assert_eq!(route(&platform, 0, 0), Some(vec![3]));
        assert_eq!(route(&platform, 2, 1), None);
        let error = platform.route(HostId(2), HostId(1), &mut Vec::new()).unwrap_err();
        assert_eq!(error.to_string(), "no route from host `h2` to host `h1`");
    }

    #[test]
    fn mistakes_have_a_place() {
        for (from, to, expected) in [
            ("\"switches\":2", "\"switches\":0", "p.json:1:27: `switches` is 0"),
            ("[0,1,1]", "[0,1,2]", "p.json:1:42: hosts[2] is on switch 2, but `switches` is 2"),
            ("[0,1,1]", "[]", "there are 0 hosts"),
            ("1e9,", "0,", "positive number"),
            ("1e9,", "[1e9],", "1 speeds for 3 hosts"),
            ("[1,0,5e9", "[1,1,5e9", "p.json:3:24: arcs[1] joins 1 to 1"),
            ("[1,0,5e9", "[1,0,-5e9", "p.json:3:32: `-5000000000.0` is not a bandwidth"),
            ("[1,0,5e9,2e-7]", "[1,0,5e9]", "four numbers"),
            ("\"1-0\":[1]", "\"1-0\":[0]", "p.json:5:7: route 1-0: arc 0 begins at switch 0, but the route is at 1"),
            ("\"1-0\":[1]", "\"1-0\":[7]", "there is no arc 7"),
            ("\"1-0\":[1]", "\"1-0\":[]", "it ends at switch 1, but host 0 is on switch 0"),
            ("\"1-0\":[1]", "\"0-1\":[0]", "p.json:5:7: route 0-1 is declared twice"),
            ("\"1-0\":[1]", "\"1-9\":[1]", "there are only 3 hosts"),
            ("\"1-0\":[1]", "\"x\":[1]", "`x` is not a pair"),
            ("1e9,", "1e9,\"price\":-5,", "`price` is -5, and must be zero or more"),
            ("\"name\"", "\"nam\"", "unknown field `nam`"),
            ("FATPIPE", "FAT", "unknown variant `FAT`"),
        ] {
            let text = SMALL.replacen(from, to, 1);
            assert_ne!(text, SMALL, "{from}");
            let error = read(&text).expect_err(&text);
            assert!(error.to_string().contains(expected), "{to}: {error}");
            assert!(!error.help().is_empty() && !error.is_io());
        }
    }

    proptest! {
        #[test]
        fn nothing_panics(place in 0usize..300, with in "[0-9,\"{}\\[\\]-]{0,3}", remove in 0usize..6) {
            let start = place.min(SMALL.len());
            let end = (start + remove).min(SMALL.len());
            let _ = read(&format!("{}{with}{}", &SMALL[..start], &SMALL[end..]));
        }
    }
}
