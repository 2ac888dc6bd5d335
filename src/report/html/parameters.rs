//! Hosts, links and their speeds, in words.

use crate::platform::Platform;
use crate::platform::speeds::PlatformSpeeds;
use crate::report::findings::{host_links, host_ports};
use crate::report::number::{bandwidth, flops, grouped, seconds};
use crate::study::network::NetworkUnderTest;

/// Returns names and values of the parameters of a network.
pub fn parameters(network: &NetworkUnderTest) -> Vec<(&'static str, String)> {
    let (platform, speeds): (&Platform, &PlatformSpeeds) = (&network.platform, &network.info.speeds);
    let mut out = vec![("hosts", grouped(platform.hosts.len() as u64))];
    let mut add = |name, value: Option<String>| out.extend(value.map(|v| (name, v)));
    add("speed of a core", speeds.core_flops.map(|v| v.text(flops)));
    add("cores of a host", speeds.cores.map(|v| v.text(|cores| cores.to_string())));
    add("links between switches", Some(grouped(speeds.links as u64)));
    add("their bandwidth", speeds.link_bandwidth.map(|v| v.text(bandwidth)));
    if let Some(p) = &network.info.parameters {
        add("their latency", Some(seconds(p.link_latency)));
        add("delay of a switch", Some(seconds(p.switch_delay)));
        add("delay of a metre of cable", Some(seconds(p.cable_delay)));
        add("floor plan", Some(p.floor_plan.to_owned()));
        add("host links", Some(host_links(p)));
        add("ports of a host", p.rails.as_ref().map(host_ports));
    } else if speeds.host_links > 0 {
        add("number of host links", Some(grouped(speeds.host_links as u64)));
        add("bandwidth of host links", speeds.host_link_bandwidth.map(|v| v.text(bandwidth)));
        add("latency of host links", speeds.host_link_latency.map(|v| v.text(seconds)));
    }
    add("latency of a link with switch and cable", speeds.link_latency.map(|v| v.text(seconds)));
    let defaults = network.info.parameters.as_ref().map(|p| p.defaults.to_owned());
    if let Some(loopback) = platform.loopback {
        let link = &platform.links[loopback.index()];
        add("within a host", Some(format!("{}, {}", bandwidth(link.bandwidth), seconds(link.latency))));
    }
    add("version of the defaults", defaults);
    out
}
