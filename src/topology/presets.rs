//! Presets: short names for families with the sizes that one kind of switch allows.
//!
//! A preset becomes the specification of a family when it is read, so reports show that specification, and routing,
//! floor plans and metrics are those of the family. A preset is one line of [`PRESETS`].

use super::error::TopologyError;
use super::family::{Absent, Arguments, Family, Kind, Parameter, normalised};
use super::graph::Graph;
use super::spec::Spec;

/// Preset that expands to the specification of a family.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// Its name, parameters and help, in the form of a family.
    pub family: Family,
    /// Returns the specification of the family for the arguments of the preset.
    expand: fn(&Arguments) -> Result<String, TopologyError>,
}

const fn parameter(name: &'static str, kind: Kind, absent: Absent, help: &'static str) -> Parameter {
    Parameter { name, kind, absent, help }
}

const RADIX: Absent = Absent::Default("64");

/// All presets.
#[rustfmt::skip]
pub const PRESETS: &[Preset] = &[
    Preset {
        family: Family { name: "slingshot", aliases: &[], help: "Dragonfly whose groups fill the ports of R-port switches", parameters: &[parameter("radix", Kind::Integer, RADIX, "ports of a switch: a quarter to hosts, radix/2 switches in a group"), parameter("g", Kind::Integer, Absent::Allowed, "groups; as many as there can be if left out"), parameter("t", Kind::Integer, Absent::Allowed, "cables between two groups; as many as there are ports if left out"), parameter("p", Kind::Integer, Absent::Allowed, "hosts on each switch; radix/4 if left out")], build },
        expand: slingshot,
    },
    Preset {
        family: Family { name: "infiniband", aliases: &[], help: "fat tree of switches of an InfiniBand generation", parameters: &[parameter("radix", Kind::Text, RADIX, "ports of a switch, or edr (36), hdr (40), ndr (64), xdr (144)"), parameter("levels", Kind::Integer, Absent::Default("2"), "2 or 3"), parameter("ratio", Kind::Text, Absent::Allowed, "hosts to cables up at a leaf, e.g. 3:1; 1:1 if left out")], build },
        expand: infiniband,
    },
];

/// Returns the preset of this name. `-` and `_` are equivalent, as are capital and small letters.
pub fn find(name: &str) -> Option<&'static Preset> {
    let name = normalised(name);
    PRESETS.iter().find(|preset| preset.family.name == name)
}

impl Preset {
    /// Returns the specification of a family for the arguments of this preset.
    pub(super) fn spec(&self, arguments: &Arguments) -> Result<Spec, TopologyError> {
        (self.expand)(arguments)?.parse()
    }
}

/// Builds the graph of a preset's specification.
fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let preset = find(arguments.family.name).expect("only presets have this builder");
    preset.spec(arguments)?.build().map(|topology| (*topology.graph).clone())
}

/// Returns a Slingshot: R/4 ports of a switch to hosts, R/2 - 1 to the other switches of its group, and R/4 + 1 to
/// other groups.
///
/// With 64 ports these are 16, 31 and 17, so that there are up to 545 groups and 279,040 hosts (D. De Sensi et al., An
/// In-Depth Analysis of the Slingshot Interconnect, 2020, section II). With fewer groups all global ports are used, as
/// far as they divide evenly over the pairs of groups.
fn slingshot(arguments: &Arguments) -> Result<String, TopologyError> {
    let radix = arguments.integer("radix").unwrap_or(0);
    if !(8..=1024).contains(&radix) || radix % 4 != 0 {
        let near = (radix.clamp(8, 1024) / 4 * 4, ((radix.clamp(8, 1021) + 3) / 4) * 4);
        let near = if near.0 == near.1 { near.0.to_string() } else { format!("{} and {}", near.0, near.1) };
        let rule = format!("it must be a multiple of 4 from 8 to 1024, such as {near}");
        return Err(arguments.invalid("radix", rule));
    }
    let (a, h) = (radix / 2, radix / 4 + 1);
    let p = arguments.integer("p").unwrap_or(radix / 4);
    if !(1..=radix / 4).contains(&p) {
        return Err(arguments.invalid("p", format!("a switch has {} ports for hosts", radix / 4)));
    }
    let most = a * h + 1;
    let g = arguments.integer("g").unwrap_or(most);
    if !(2..=most).contains(&g) {
        return Err(arguments.invalid("g", format!("it must be from 2 to {most}")));
    }
    let ports = a * h / (g - 1);
    let t = arguments.integer("t").unwrap_or(ports);
    if !(1..=ports).contains(&t) {
        return Err(
            arguments.invalid("t", format!("{} cables out of a group leave 1 to {ports} to each other group", a * h))
        );
    }
    let trunk = if t == 1 { String::new() } else { format!(",t={t}") };
    Ok(format!("dragonfly:a={a},h={h},g={g},p={p}{trunk}"))
}

/// Returns an InfiniBand network, a fat tree of two or three levels. Ports of a switch by generation: SB7800 (EDR) 36,
/// QM8700 (HDR) 40, QM9700 (NDR) 64, Q3400 (XDR) 144.
fn infiniband(arguments: &Arguments) -> Result<String, TopologyError> {
    let text = arguments.text("radix");
    let radix = match text.to_lowercase().as_str() {
        "edr" => 36,
        "hdr" => 40,
        "ndr" => 64,
        "xdr" => 144,
        other => match other.parse::<u32>() {
            Ok(radix) if radix % 2 == 0 && (2..=404).contains(&radix) => radix,
            _ => {
                return Err(arguments
                    .invalid("radix", "it must be edr, hdr, ndr or xdr, or an even number of ports from 2 to 404"));
            }
        },
    };
    let levels = arguments.integer("levels").unwrap_or(0);
    if !(2..=3).contains(&levels) {
        return Err(arguments.invalid("levels", "it must be 2 or 3"));
    }
    let ratio = arguments.text("ratio");
    let ratio = if ratio.is_empty() { String::new() } else { format!(",ratio=\"{}\"", ratio.replace('"', "\"\"")) };
    Ok(format!("fat_tree{levels}:k={radix}{ratio}"))
}

#[cfg(test)]
mod tests {
    use super::super::build;

    fn canonical(text: &str) -> String {
        text.parse::<super::Spec>().unwrap_or_else(|error| panic!("{text}: {error}")).to_string()
    }

    #[test]
    fn presets_are_specifications_of_families() {
        assert_eq!(canonical("slingshot"), "dragonfly:a=32,h=17,g=545,p=16");
        assert_eq!(canonical("slingshot:g=74"), "dragonfly:a=32,h=17,g=74,p=16,t=7");
        assert_eq!(canonical("Slingshot:radix=8,g=3,p=1,t=1"), "dragonfly:a=4,h=3,g=3,p=1");
        assert_eq!(canonical("infiniband:hdr"), "fat_tree2:k=40");
        assert_eq!(canonical("infiniband:radix=64,levels=3,ratio=3:1"), "fat_tree3:k=64,ratio=3:1");
        // The largest Slingshot: 545 groups of 512 hosts.
        let hosts: u32 = build("slingshot").unwrap().graph.default_hosts().iter().sum();
        assert_eq!(hosts, 279_040);
        let edr: u32 = build("infiniband:edr,3").unwrap().graph.default_hosts().iter().sum();
        assert_eq!(edr, 11_664);
    }

    #[test]
    fn mistakes_name_what_there_is() {
        for (text, rule) in [
            ("slingshot:radix=10", "such as 8 and 12"),
            ("slingshot:radix=9223372036854775807", "multiple of 4"),
            ("slingshot:g=546", "from 2 to 545"),
            ("slingshot:g=1", "from 2 to 545"),
            ("slingshot:g=3,t=273", "1 to 272"),
            ("slingshot:p=17", "16 ports for hosts"),
            ("infiniband:fdr", "edr, hdr, ndr or xdr"),
            ("infiniband:levels=4", "2 or 3"),
            ("infiniband:36,2,5:2", "the nearest are 28 and 42"),
            ("infiniband:q=3", "no parameter `q`"),
            ("slingsot", "did you mean `slingshot`"),
        ] {
            let error = build(text).unwrap_err().to_string();
            assert!(error.contains(rule), "{text}: {error}");
        }
    }
}
