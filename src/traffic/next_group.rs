//! The worst case of minimal routing on a Dragonfly: every host sends to the hosts of the next group (J. Kim, W. Dally, S.
//! Scott, D. Abts, Technology-driven, Highly-scalable Dragonfly Topology, 2008, section 4.2).

use super::arguments::PatternArguments;
use super::{Flows, PatternInput, TrafficError};

struct NextGroup {
    size: u32,
    hosts: u32,
}

impl Flows for NextGroup {
    fn visit(&self, source: u32, visit: &mut dyn FnMut(u32, f64)) {
        let first = (source / self.size + 1) * self.size % self.hosts;
        let share = 1.0 / f64::from(self.size);
        (first..first + self.size).for_each(|to| visit(to, share));
    }
}

pub(super) fn build(
    arguments: &PatternArguments<'_>,
    setting: &PatternInput<'_>,
) -> Result<Box<dyn Flows>, TrafficError> {
    let hosts = setting.endpoints();
    let routers = setting.topology.spec.group();
    let own = routers.map(|routers| setting.host_switch.iter().filter(|&&switch| switch < routers).count() as u64);
    let Some(size) = arguments.integer("hosts")?.or(own) else {
        return Err(arguments.invalid("`hosts` is required where the topology has no groups, e.g. hosts=32"));
    };
    if size == 0 || size > u64::from(hosts) || !u64::from(hosts).is_multiple_of(size) {
        let rule = format!("a multiple of {size} hosts, those of a group");
        return Err(TrafficError::WrongHosts { pattern: arguments.canonical(), rule, hosts });
    }
    Ok(Box::new(NextGroup { size: size as u32, hosts }))
}

#[cfg(test)]
mod tests {
    use super::super::build;
    use super::*;

    fn of(pattern: &str, spec: &str, per_switch: u32, source: u32) -> Result<Vec<u32>, String> {
        let topology = crate::topology::build(spec).unwrap();
        let host_switch: Vec<u32> =
            (0..topology.graph.switches() as u32).flat_map(|s| std::iter::repeat_n(s, per_switch as usize)).collect();
        let traffic = build(pattern, &PatternInput::new(&topology, &host_switch)).map_err(|error| error.to_string())?;
        let (mut found, mut sum) = (Vec::new(), 0.0);
        traffic.flows.visit(source, &mut |to, share| {
            found.push(to);
            sum += share;
        });
        assert!((sum - 1.0_f64).abs() < 1e-12);
        Ok(found)
    }

    #[test]
    fn the_next_group_is_that_of_the_dragonfly_or_given() {
        // Groups of 3 switches with 2 hosts each: hosts 0 to 5 send to 6 to 11, the last group to the first.
        assert_eq!(of("next_group", "dragonfly:a=3,h=1", 2, 4).unwrap(), [6, 7, 8, 9, 10, 11]);
        assert_eq!(of("next_group", "dragonfly:a=3,h=1", 2, 23).unwrap(), [0, 1, 2, 3, 4, 5]);
        assert_eq!(of("bad_dragon:hosts=4", "torus:4x4", 1, 5).unwrap(), [8, 9, 10, 11]);
        assert!(of("next_group", "torus:4x4", 1, 5).unwrap_err().contains("`hosts` is required"));
        assert!(of("next_group:5", "torus:4x4", 1, 5).unwrap_err().contains("a multiple of 5 hosts"));
    }
}
