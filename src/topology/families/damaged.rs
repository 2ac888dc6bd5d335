//! A network in which something broke: cables and switches of a base are missing, or cables are slower.
//!
//! (The procedure is our own.) Switches keep their numbers. A switch that failed has no cables and no hosts. Random
//! failures are a prefix of a random order, so with one seed the cables that fail with 1 % also fail with 2 %. Switches
//! fail first, then cables among those that are left, then others become slower; each choice has an order of its own.

use crate::topology::damage::{Amount, RULE};
use crate::topology::family::Arguments;
use crate::topology::{Graph, Hosts, Randomness, Spec, Topology, TopologyError, derived_seed};
use std::sync::Arc;

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let base = base(arguments)?;
    let amount = |name: &str| match arguments.text(name) {
        "" => Ok(Amount::Count(0)),
        text => text.parse::<Amount>().map_err(|_| arguments.invalid(name, RULE)),
    };
    let (cables, switches, degraded) = (amount("cables")?, amount("switches")?, amount("degraded")?);
    let left = match (degraded.is_zero(), amount("bandwidth")?, arguments.get("bandwidth")) {
        (true, _, None) => 1.0,
        (_, Amount::Share(share), _) if share > 0.0 => share,
        _ => {
            return Err(
                arguments.invalid("bandwidth", "with `degraded` it must be the share that is left, such as `50 %`")
            );
        }
    };
    let intact = base.build().map_err(|error| arguments.invalid("base", format!("{error}")))?.graph;
    let mut broken = FailedParts::new(&intact);
    let without = arguments.text("without");
    if without.contains(',') && without.split(',').all(|item| item.trim().is_empty()) {
        return Err(arguments.invalid("without", "it names no cable and no switch"));
    }
    for item in without.split(',').map(str::trim).filter(|item| !item.is_empty()) {
        broken.remove(arguments, item)?;
    }
    let seed = arguments.seed().expect("the seed has a default");
    let choose = |what: u64, name: &str, amount: Amount, total: usize, mut among: Vec<u32>| {
        let count = amount.of(total);
        if count > among.len() {
            return Err(arguments.invalid(name, format!("only {} of {total} are left to choose from", among.len())));
        }
        if count > 0 {
            Randomness::new(derived_seed(seed, what)).shuffle(&mut among);
        }
        among.truncate(count);
        Ok(among)
    };
    let hosts_are = if let Hosts::Vertices(count) = intact.hosts() { *count } else { 0 };
    let alive = (hosts_are..intact.switches() as u32).filter(|&s| !broken.switches[s as usize]).collect();
    for switch in choose(0, "switches", switches, intact.switch_vertices(), alive)? {
        broken.switches[switch as usize] = true;
    }
    broken.remove_cables_of_switches();
    let kept = |broken: &FailedParts| -> Vec<u32> {
        (0..).zip(&broken.cables).filter(|&(_, &gone)| !gone).map(|(cable, _)| cable).collect()
    };
    for cable in choose(1, "cables", cables, intact.cables(), kept(&broken))? {
        broken.cables[cable as usize] = true;
    }
    let mut slower = vec![false; intact.cables()];
    for cable in choose(2, "degraded", degraded, intact.cables(), kept(&broken))? {
        slower[cable as usize] = true;
    }
    let kept = kept(&broken);
    let pairs = kept.iter().map(|&cable| broken.ends[cable as usize]).collect();
    let graph = Graph::with_parallel_cables(intact.switches(), intact.is_directed(), pairs)?;
    // Cables keep their order, so the remaining cables are numbered consecutively.
    let slower = (0..).zip(&kept).filter(|&(_, &cable)| slower[cable as usize]).map(|(place, _)| place).collect();
    let graph = graph.with_hosts_left(&intact, &broken.switches);
    if let Hosts::OnSwitches(counts) = graph.hosts()
        && counts.iter().all(|&count| count == 0)
    {
        return Err(TopologyError::Unbuildable {
            topology: crate::topology::family::canonical(arguments),
            reason: "every switch with hosts failed".into(),
        });
    }
    Ok(graph.with_slower_cables(slower, left))
}

/// Returns the specification of the intact network.
fn base(arguments: &Arguments) -> Result<Spec, TopologyError> {
    let base: Spec = arguments.text("base").parse().map_err(|error| arguments.invalid("base", format!("{error}")))?;
    if base.family().name == arguments.family.name {
        return Err(arguments.invalid(
            "base",
            "it must be an intact network; a damaged network cannot be damaged again, with --without or otherwise",
        ));
    }
    Ok(base)
}

/// Returns the intact network of a damaged one; `None` for other families, or if it cannot be built.
pub(crate) fn intact(spec: &Spec) -> Option<Topology> {
    base_of(spec)?.build().ok()
}

/// Returns the specification of the intact network of a damaged one; `None` for other families.
pub(crate) fn base_of(spec: &Spec) -> Option<Spec> {
    if spec.family().name == "damaged" { base(spec.arguments()).ok() } else { None }
}

/// Returns a network of which no cable and no switch is missing as its intact form, which has the same arcs; `None` for
/// other networks.
pub(crate) fn whole(topology: &Topology) -> Option<Topology> {
    let spec = base_of(&topology.spec)?;
    let arguments = topology.spec.arguments();
    let is_zero = |name: &&str| {
        let text = arguments.text(name);
        text.is_empty() || text.parse::<Amount>().is_ok_and(Amount::is_zero)
    };
    // An amount of 0 is none, and a list of 0 is switch 0.
    let nothing_fails = ["cables", "switches"].iter().all(is_zero) && arguments.text("without").is_empty();
    let is_given = |name: &&str| arguments.get(name).is_some();
    // The specification of a plane does not list what failed there: its cables are counted.
    let is_complete = || {
        let is_listed = ["cables", "switches", "without", "degraded"].iter().any(is_given);
        is_listed || spec.build().is_ok_and(|intact| intact.graph.cables() == topology.graph.cables())
    };
    (nothing_fails && is_complete()).then(|| Topology { spec, ..topology.clone() })
}

/// Cables and switches that failed.
struct FailedParts {
    /// Ends of the cables of the base, in ascending order.
    ends: Vec<(u32, u32)>,
    directed: bool,
    cables: Vec<bool>,
    switches: Vec<bool>,
    hosts_are: u32,
}

impl FailedParts {
    fn new(graph: &Graph) -> Self {
        let ends: Vec<(u32, u32)> = graph.cable_ends().map(|(u, v)| (u.0, v.0)).collect();
        let hosts_are = if let Hosts::Vertices(count) = graph.hosts() { *count } else { 0 };
        let (cables, switches) = (vec![false; ends.len()], vec![false; graph.switches()]);
        Self { ends, directed: graph.is_directed(), cables, switches, hosts_are }
    }

    /// Removes the cables of all failed switches, in one pass over the cables.
    fn remove_cables_of_switches(&mut self) {
        for (&(u, v), gone) in self.ends.iter().zip(&mut self.cables) {
            *gone |= self.switches[u as usize] || self.switches[v as usize];
        }
    }

    /// Removes `12`, `3-7`, or only the second of parallel cables with `3-7#2`. The cables of a switch are left to
    /// [`remove_cables_of_switches`](Self::remove_cables_of_switches).
    fn remove(&mut self, arguments: &Arguments, item: &str) -> Result<(), TopologyError> {
        let wrong = |rule: String| arguments.invalid("without", rule);
        let number = |text: &str| {
            let last = self.switches.len() - 1;
            let number = text.trim().parse::<u32>().ok().filter(|&switch| switch as usize <= last);
            number.ok_or_else(|| {
                wrong(format!("`{item}` must be a switch or two joined by `-`; the switches are 0 to {last}"))
            })
        };
        let Some((u, v)) = item.split_once('-') else {
            let switch = number(item)?;
            if switch < self.hosts_are {
                return Err(wrong(format!("`{item}` is a host; switches begin at {}", self.hosts_are)));
            }
            self.switches[switch as usize] = true;
            return Ok(());
        };
        let (v, copy) = match v.split_once('#') {
            None => (v, None),
            Some((v, text)) => match text.trim().parse::<usize>() {
                Ok(copy) if copy > 0 => (v, Some(copy)),
                _ => {
                    return Err(wrong(format!(
                        "`{item}`: the number after `#` must be that of a parallel cable, from 1"
                    )));
                }
            },
        };
        let (u, v) = (number(u)?, number(v)?);
        // One-way cables fail in both directions; of a trunk all cables fail, unless one is named.
        let mut most = 0;
        let mut found = false;
        for pair in if self.directed { vec![(u, v), (v, u)] } else { vec![(u.min(v), u.max(v))] } {
            let first = self.ends.partition_point(|&ends| ends < pair);
            let count = self.ends[first..].iter().take_while(|&&ends| ends == pair).count();
            most = count.max(most);
            let gone = match copy {
                None => 0..count,
                Some(copy) if copy <= count => copy - 1..copy,
                Some(_) => continue,
            };
            found |= !gone.is_empty();
            self.cables[first..][gone].fill(true);
        }
        match (found, most) {
            (true, _) => Ok(()),
            (false, 0) => Err(wrong(format!("no cable joins switches {u} and {v}"))),
            (false, most) => {
                Err(wrong(format!("`{item}`: the last cable between switches {u} and {v} is number {most}")))
            }
        }
    }
}

/// Returns a damaged network without its failed switches, which have neither cables nor hosts. A switch that only lost
/// its cables stays. Switches are renumbered, so it is for metrics only. `None` for other families, and if no switch
/// failed.
///
/// # Errors
/// [`TopologyError::Unbuildable`] if the graph is too large.
pub(crate) fn remaining(topology: &Topology) -> Result<Option<Topology>, TopologyError> {
    let graph = &topology.graph;
    if topology.spec.family().name != "damaged" {
        return Ok(None);
    }
    let counts = graph.default_hosts();
    let is_left = |switch: &u32| graph.failed_switches().binary_search(switch).is_err();
    let left: Vec<u32> = (0..graph.switches() as u32).filter(is_left).collect();
    if left.len() == graph.switches() || left.is_empty() {
        return Ok(None);
    }
    let mut number = vec![u32::MAX; graph.switches()];
    (0..).zip(&left).for_each(|(next, &switch)| number[switch as usize] = next);
    let pairs = graph.cable_ends().map(|(u, v)| (number[u.index()], number[v.index()])).collect();
    let rest = Graph::with_parallel_cables(left.len(), graph.is_directed(), pairs)?;
    let on_left: Vec<u32> = left.iter().map(|&switch| counts[switch as usize]).collect();
    let hosts = match graph.hosts() {
        Hosts::Vertices(count) => Hosts::Vertices(*count),
        _ if on_left.iter().all(|&count| count == on_left[0]) => Hosts::Everywhere(on_left[0]),
        _ => Hosts::OnSwitches(on_left),
    };
    Ok(Some(Topology { spec: topology.spec.clone(), graph: Arc::new(rest.with_hosts(hosts)), rails: None }))
}

#[cfg(test)]
mod tests {
    use crate::topology::TopologyError;
    use crate::topology::build;

    fn cables(spec: &str) -> Vec<(u32, u32)> {
        let graph = build(spec).unwrap_or_else(|error| panic!("{spec}: {error}")).graph;
        graph.cable_ends().map(|(u, v)| (u.0, v.0)).collect()
    }

    #[test]
    fn what_is_named_is_gone() {
        // A ring of six without the cable 2-3 and switch 5.
        let spec = "damaged:base=ring:6,without=\"3-2, 5\"";
        assert_eq!(cables(spec), [(0, 1), (1, 2), (3, 4)]);
        assert_eq!(build(spec).unwrap().graph.default_hosts(), [1, 1, 1, 1, 1, 0]);
        // One-way cables in both directions, and all cables of a trunk.
        assert_eq!(cables("damaged:base=\"hyperx:2x2,k=[2,1]\",without=0-1").len(), 4);
        assert_eq!(cables("damaged:base=\"hyperx:2x2,k=[2,1]\",without=1-0#2").len(), 5);
        assert_eq!(cables("damaged:base=\"hyperx:2x2,k=[2,1]\",without=\"0-1#1,0-1#2\"").len(), 4);
        for (wrong, rule) in [("0-1#3", "is number 2"), ("0-1#0", "from 1"), ("0-3#1", "no cable joins")] {
            let error = build(&format!("damaged:base=\"hyperx:2x2,k=[2,1]\",without={wrong}")).unwrap_err();
            assert!(error.to_string().contains(rule), "{error}");
        }
        let directed = build("imase_itoh:n=12,d=3").unwrap().graph;
        let (u, v) = directed.cable_ends().next().unwrap();
        assert!(cables(&format!("damaged:base=\"imase_itoh:n=12,d=3\",without={u}-{v}")).len() < directed.cables());
        // Hosts of trees and of Clos networks.
        let tree = build("damaged:base=fat_tree2:4,without=1").unwrap().graph;
        assert_eq!(tree.default_hosts(), [2, 0, 2, 2, 0, 0]);
        assert!(build("damaged:base=\"clos:m=3,n=2,r=3\",without=3").unwrap_err().to_string().contains("is a host"));
        assert!(build("damaged:base=\"clos:m=3,n=2,r=3\",without=13").is_ok());
    }

    /// Switch 0 is not an amount of 0: routes avoid it under every rule.
    #[test]
    fn a_network_without_its_first_switch_is_not_whole() {
        for base in ["torus:3x3", "hypercube:3", "dragonfly:a=4,h=2", "hyperx:3x3"] {
            let topology = build(&format!("damaged:base=\"{base}\",without=0")).unwrap();
            assert!(super::whole(&topology).is_none(), "{base}");
        }
        assert!(super::whole(&build("damaged:base=torus:3x3,cables=0").unwrap()).is_some());
    }

    #[test]
    fn what_fails_at_random_grows_with_the_amount() {
        let spec = |text: &str| format!("damaged:base=torus:8x8,{text}");
        let (intact, one, two) =
            (cables("torus:8x8"), cables(&spec("cables=5%,seed=3")), cables(&spec("cables=10%,seed=3")));
        assert_eq!((intact.len(), one.len(), two.len()), (128, 122, 115));
        assert!(two.iter().all(|cable| one.contains(cable)) && one.iter().all(|cable| intact.contains(cable)));
        assert_ne!(one, cables(&spec("cables=5%,seed=4")));
        let graph = build(&spec("switches=3")).unwrap().graph;
        assert_eq!(graph.default_hosts().iter().filter(|&&count| count == 0).count(), 3);
        // Degraded cables are still there.
        let graph = build(&spec("degraded=25%,bandwidth=40%")).unwrap().graph;
        let slow = (0..128).filter(|&cable| graph.bandwidth_share(crate::topology::CableId(cable)) < 1.0).count();
        assert_eq!((graph.cables(), slow), (128, 32));
        assert_eq!(graph.slowest_share(), 0.4);
    }

    #[test]
    fn a_switch_that_lost_its_cables_is_not_a_failed_one() {
        // Spine 4 of two has its four cables cut; spine 5 is taken out with its switch.
        let remaining = |spec: &str| super::remaining(&build(spec).unwrap()).unwrap().map(|left| left.graph.switches());
        assert_eq!(build("fat_tree2:4").unwrap().graph.switches(), 6);
        let cut = "0-4,1-4,2-4,3-4";
        assert_eq!(remaining(&format!("damaged:base=fat_tree2:4,without=\"{cut}\"")), None);
        assert_eq!(remaining(&format!("damaged:base=fat_tree2:4,without=\"{cut},5\"")), Some(5));
        assert_eq!(remaining("damaged:base=fat_tree2:4,without=\"4,5\""), Some(4));
        // The same in a plane of its own.
        let planes =
            build("damaged:base=\"rails:base=fat_tree2:4,planes=2\",without=\"6-10,7-10,8-10,9-10,11\"").unwrap();
        assert_eq!(planes.graph.failed_switches(), [11]);
        let of_planes = |at: usize| {
            let left = super::remaining(&planes.rails.as_ref().unwrap().planes[at].topology).unwrap();
            left.map(|left| left.graph.switches())
        };
        assert_eq!((of_planes(0), of_planes(1)), (None, Some(5)));
    }

    #[test]
    fn mistakes_are_named() {
        for (spec, rule) in [
            ("damaged:base=torus:4x4,without=0-2", "no cable joins switches 0 and 2"),
            ("damaged:base=torus:4x4,without=16", "the switches are 0 to 15"),
            ("damaged:base=torus:4x4,without=1-x", "the switches are 0 to 15"),
            ("damaged:base=torus:4x4,cables=33", "only 32 of 32"),
            ("damaged:base=torus:4x4,cables=101%", "a share from `0 %`"),
            ("damaged:base=torus:4x4,switches=-1", "a number such as `2`"),
            ("damaged:base=torus:4x4,degraded=3", "the share that is left"),
            ("damaged:base=torus:4x4,degraded=3,bandwidth=0%", "the share that is left"),
            ("damaged:base=torus:4x4,degraded=3,bandwidth=2", "the share that is left"),
            ("damaged:base=tours:4x4,cables=1", "did you mean `torus`"),
            ("damaged:base=\"damaged:base=ring:5,cables=1\",cables=1", "an intact network"),
            ("damaged:base=slimfly:6,cables=1", "prime power"),
        ] {
            let error = build(spec).map(|_| ()).unwrap_err().to_string();
            assert!(error.contains(rule), "{spec}: {error}");
        }
        assert!(matches!(build("damaged:base=ring:4,switches=4"), Err(TopologyError::Unbuildable { .. })));
        // Nothing broken: the intact network.
        assert_eq!(build("damaged:base=ring:4").unwrap().graph, build("ring:4").unwrap().graph);
    }
}
