//! The input of `ip` and `tc` that builds a network.

use super::{Plan, Prefix};
use crate::platform::Platform;
use std::fmt::Write;

/// Subnet of the hosts.
pub const HOST_NET: &str = "10.10.0.0/16";

/// Subnet of the launcher and its daemons, which has no limits.
pub const CONTROL_NET: &str = "10.11.0.0/16";

/// Next hop of all routes: every device has a permanent neighbour of that address, so nothing has to be resolved.
const NEXT_HOP: &str = "169.254.0.1";

/// First table of routes per source.
const FIRST_TABLE: usize = 1000;

/// Bytes that a token bucket lets pass immediately: one full packet, and as little more as possible.
pub const BURST: u32 = 1800;

/// Properties of all cables.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// Bytes that wait at an end before packets are dropped.
    pub queue_bytes: u64,
    /// Delay of each direction of a cable, in seconds.
    pub delay: f64,
    /// Congestion control of TCP; none leaves the kernel's default.
    pub congestion: Option<String>,
    /// `true` if cables have rates.
    pub limited: bool,
}

/// Address of a host.
pub fn host_address(host: usize) -> String {
    format!("10.10.{}.{}", (host + 1) >> 8, (host + 1) & 255)
}

/// Address of a namespace in the network of the launcher.
fn control_address(space: usize) -> String {
    format!("10.11.{}.{}", (space + 1) >> 8, (space + 1) & 255)
}

/// Hardware address of an end of a cable.
fn hardware_address(cable: usize, end: usize) -> String {
    format!("02:00:00:{:02x}:{:02x}:{end:02x}", cable >> 8 & 255, cable & 255)
}

/// Name of the device of a cable, at both of its ends.
pub fn device(cable: usize) -> String {
    format!("c{cable}")
}

/// Creates all namespaces, and the devices in them.
pub fn create(plan: &Plan, prefix: &Prefix) -> [String; 2] {
    let (mut spaces, mut devices) = (String::new(), String::new());
    let control = prefix.control();
    for name in plan.spaces.iter().map(|space| prefix.space(space)).chain([control.clone()]) {
        let _ = writeln!(spaces, "netns add {name}");
    }
    for (index, cable) in plan.cables.iter().enumerate() {
        let [a, b] = cable.spaces.map(|space| prefix.space(&plan.spaces[space]));
        let [mac_a, mac_b] = [0, 1].map(|end| hardware_address(index, end));
        let name = device(index);
        let _ = writeln!(
            devices,
            "link add {name} netns {a} address {mac_a} type veth peer name {name} netns {b} address {mac_b}"
        );
    }
    for (index, space) in plan.spaces.iter().enumerate() {
        let name = prefix.space(space);
        let _ = writeln!(devices, "link add control netns {name} type veth peer name n{index} netns {control}");
    }
    for &space in &plan.hosts {
        if plan.spaces[space].starts_with('s') {
            // A place for the address: Open MPI leaves addresses of the loopback device out.
            let name = prefix.space(&plan.spaces[space]);
            let _ = writeln!(devices, "link add host netns {name} type veth peer name stub netns {name}");
        }
    }
    [spaces, devices]
}

/// Addresses, neighbours, rules and routes of a namespace.
pub fn configure(plan: &Plan, space: usize, settings: &Settings) -> String {
    let mut text = String::from("link set lo up\nlink set control up\n");
    let _ = writeln!(text, "addr add {}/16 dev control", control_address(space));
    for (index, cable) in plan.cables.iter().enumerate() {
        for end in (0..2).filter(|end| cable.spaces[*end] == space) {
            let name = device(index);
            let other = hardware_address(index, 1 - end);
            let _ = writeln!(text, "link set {name} txqueuelen 2000 up");
            let _ = writeln!(text, "neigh add {NEXT_HOP} lladdr {other} dev {name} nud permanent");
        }
    }
    let own = plan.hosts.iter().position(|host| *host == space);
    if let Some(host) = own {
        let address = host_address(host);
        let name = match plan.cables.iter().position(|cable| cable.spaces[0] == space) {
            Some(cable) if plan.spaces[space].starts_with('h') => device(cable),
            _ => {
                text.push_str("link set host up\nlink set stub up\n");
                "host".to_owned()
            }
        };
        let _ = writeln!(text, "addr add {address}/32 dev {name}");
    }
    let mut rules = Vec::new();
    for hop in &plan.routes[space] {
        let table = hop.source.map_or(String::new(), |source| {
            if !rules.contains(&source) {
                rules.push(source);
                let (address, table) = (host_address(source), FIRST_TABLE + source);
                let _ = writeln!(text, "rule add from {address} lookup {table} pref {}", 100 + source);
            }
            format!(" table {}", FIRST_TABLE + source)
        });
        let (to, name) = (host_address(hop.destination), device(hop.cable));
        let source = match own {
            Some(host) if hop.source.is_none() => {
                let congestion = settings.congestion.as_ref().map_or(String::new(), |name| format!(" congctl {name}"));
                // A window that grows during a run would let the first messages be slower than later ones.
                format!(" src {} initcwnd 400{congestion}", host_address(host))
            }
            _ => String::new(),
        };
        let _ = writeln!(text, "route add {to}/32 via {NEXT_HOP} dev {name} onlink{source}{table}");
    }
    text
}

/// Token buckets, and delays if there are any, of a namespace.
pub fn shape(plan: &Plan, platform: &Platform, space: usize, settings: &Settings) -> String {
    let mut text = String::new();
    for (index, cable) in plan.cables.iter().enumerate() {
        for end in (0..2).filter(|end| cable.spaces[*end] == space) {
            let Some(link) = cable.links[end].filter(|_| settings.limited) else { continue };
            let (name, rate) = (device(index), (8.0 * platform.links[link.index()].bandwidth).round());
            let bucket = format!("tbf rate {rate}bit burst {BURST} limit {}", settings.queue_bytes);
            if settings.delay > 0.0 {
                let packets = (settings.queue_bytes / 64).clamp(1000, 1_000_000);
                let microseconds = (1e6 * settings.delay).round();
                let _ =
                    writeln!(text, "qdisc add dev {name} root handle 1: netem delay {microseconds}us limit {packets}");
                let _ = writeln!(text, "qdisc add dev {name} parent 1: handle 2: {bucket}");
            } else {
                let _ = writeln!(text, "qdisc add dev {name} root {bucket}");
            }
        }
    }
    text
}

/// The bridge that the launcher reaches its daemons by.
pub fn bridge(plan: &Plan) -> String {
    let mut text = String::from(
        "link set lo up\nlink add bridge type bridge\naddr add 10.11.255.254/16 dev bridge\nlink set bridge up\n",
    );
    for space in 0..plan.spaces.len() {
        let _ = writeln!(text, "link set n{space} master bridge up");
    }
    text
}

/// Settings of the kernel in a namespace, as a script of the shell. `proc` files that a kernel does not have are left out.
pub fn kernel_settings() -> String {
    let settings = [
        ("net/ipv4/ip_forward", "1"),
        ("net/ipv4/conf/all/rp_filter", "0"),
        ("net/ipv4/conf/default/rp_filter", "0"),
        ("net/ipv4/conf/all/send_redirects", "0"),
        ("net/ipv4/conf/default/send_redirects", "0"),
        ("net/ipv6/conf/all/disable_ipv6", "1"),
        ("net/ipv6/conf/default/disable_ipv6", "1"),
        // A connection that was idle would begin slowly again.
        ("net/ipv4/tcp_slow_start_after_idle", "0"),
        ("net/ipv4/tcp_no_metrics_save", "1"),
        // Larger buffers let one flow fill the queue of its first cable before others come.
        ("net/ipv4/tcp_wmem", "4096 16384 262144"),
    ];
    let lines = settings.map(|(file, value)| format!("f=/proc/sys/{file}; [ ! -e $f ] || echo {value} >$f"));
    lines.join("\n")
}
