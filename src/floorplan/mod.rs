//! Floor plans: positions of switches, and lengths of the cables between them.
//!
//! A floor plan assigns every switch to a slot of a cabinet and arranges the cabinets in a grid of rows and columns:
//! `c` cabinets in `ceil(sqrt c)` rows, cabinet `i` at row `i div columns`, column `i mod columns`. Cabinets of hosts
//! follow each cabinet of switches in its row and count as places of the grid. The [`FloorModel`] determines the length
//! of a cable: two models have hosts outside the cabinets of switches (`grid`), one has them in the same cabinets
//! ([`equality`]). All lengths are in metres.

use std::str::FromStr;

use crate::ids::SwitchId;
use crate::topology::families::dsnf::Dsnf;
use crate::topology::registry::SWITCHES_PER_CABINET;
use crate::topology::{Graph, Hosts, Rails, Topology};

pub(crate) mod cables;
pub mod equality;
pub(crate) mod grid;
pub mod latency;
pub mod svg;

pub use cables::Cables;

/// Measurement of cabinets and cables.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum FloorModel {
    /// Cabinets of 0.6 m by 2.1 m; 2 m within a cabinet, 4 m plus the distance between cabinets (the papers on DSN-F
    /// and Skywalk).
    #[default]
    Grid,
    /// The same grid with 1 m within a cabinet and 2 m of overhead, as in the paper on Slim Fly.
    SlimFly,
    /// Cabinets of 1 m by 1 m with the compute nodes in them, cables overhead (the paper on Equality).
    Equality,
}

impl FloorModel {
    /// Names, in the order of the values.
    pub const NAMES: [(&'static str, FloorModel); 3] =
        [("grid", FloorModel::Grid), ("slim_fly", FloorModel::SlimFly), ("equality", FloorModel::Equality)];

    /// Returns the name that is in [`FloorModel::NAMES`].
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, model)| *model == self).map_or("", |(name, _)| name)
    }
}

/// Order in which switches fill the cabinets.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Placement {
    /// In the order of their numbers.
    #[default]
    Vertex,
    /// By super-node, layer and level; for DSN-F only.
    SupernodeMajor,
}

impl Placement {
    /// Names, in the order of the values.
    pub const NAMES: [(&'static str, Placement); 2] =
        [("vertex", Placement::Vertex), ("supernode_major", Placement::SupernodeMajor)];
}

/// Reason why there is no floor plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FloorplanError {
    /// No model or placement has this name.
    #[error("there is no {what} `{name}`; there are {known}")]
    Unknown {
        /// Kind of the requested item.
        what: &'static str,
        /// The name as given.
        name: String,
        /// The known names.
        known: String,
    },
    /// A number breaks a rule.
    #[error("`{parameter}` is {value}, but {constraint}")]
    Invalid {
        /// Name of the option.
        parameter: &'static str,
        /// Value as given.
        value: String,
        /// The rule, as the end of a sentence.
        constraint: String,
    },
    /// The placement is for another family.
    #[error("placement `supernode_major` is only for dsnf, but the topology is {0}")]
    NoSupernodes(String),
}

fn named<T: Copy>(what: &'static str, name: &str, names: &[(&'static str, T)]) -> Result<T, FloorplanError> {
    let wanted = name.trim().to_lowercase().replace('-', "_");
    names.iter().find(|(name, _)| *name == wanted).map(|&(_, value)| value).ok_or_else(|| FloorplanError::Unknown {
        what,
        name: name.into(),
        known: names.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", "),
    })
}

impl FromStr for FloorModel {
    type Err = FloorplanError;

    fn from_str(text: &str) -> Result<Self, FloorplanError> {
        named("floor plan", text, &Self::NAMES)
    }
}

impl FromStr for Placement {
    type Err = FloorplanError;

    fn from_str(text: &str) -> Result<Self, FloorplanError> {
        named("placement", text, &Self::NAMES)
    }
}

/// Options of a floor plan, in addition to the topology.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FloorOptions {
    /// Measurement of cabinets and cables.
    pub model: FloorModel,
    /// Switches per cabinet of the grid models; default: the family's number (`z` of Skywalk, of the fully connected
    /// Dragonfly and of random swapping), otherwise 16.
    pub switches_per_cabinet: Option<u32>,
    /// Order in which switches fill the cabinets.
    pub placement: Placement,
    /// Hosts on each switch that has hosts attached; default: the family's number. They take room in the Equality
    /// model.
    pub endpoints_per_switch: Option<u32>,
    /// Grid models: hosts per host cabinet, at least 1. Every cabinet of switches is followed in its row by the number
    /// of host cabinets that the one with the most hosts needs. By default hosts take no room.
    pub hosts_per_cabinet: Option<u32>,
}

impl FloorOptions {
    /// Returns these options for a graph: the number of hosts that are vertices cannot be changed.
    #[must_use]
    pub fn on(self, graph: &Graph) -> Self {
        let endpoints_per_switch = self.endpoints_per_switch.filter(|_| !matches!(graph.hosts(), Hosts::Vertices(_)));
        Self { endpoints_per_switch, ..self }
    }
}

/// Position of every switch. A host that is a vertex of the graph is not a switch: it is placed with its first switch.
#[derive(Clone, PartialEq, Debug)]
pub struct FloorPlan {
    /// Measurement of cabinets and cables.
    pub model: FloorModel,
    /// Number of cabinets with switches.
    pub cabinets: usize,
    /// Number of rows of cabinets.
    pub rows: usize,
    /// Number of cabinets with switches per row; the last row may have fewer.
    pub columns: usize,
    /// Number of host cabinets next to each cabinet of switches; 0 if hosts take no room of their own.
    pub host_cabinets: usize,
    /// Number of hosts that are vertices of the graph: its first ones.
    host_vertices: u32,
    /// Hosts on each vertex, not counting those that are vertices; ports of hosts, if hosts have several.
    hosts_on: Vec<u32>,
    /// Hosts whose first port is on each switch, if hosts have several ports.
    homes: Option<Vec<u32>>,
    /// Cabinet of each vertex.
    cabinet: Vec<u32>,
    /// Slot of each vertex in its cabinet, from the top; slots of hosts are meaningful in the Equality model only.
    slot: Vec<u32>,
}

impl FloorPlan {
    /// Assigns the switches of a topology to cabinets.
    ///
    /// # Errors
    /// [`FloorplanError`] if a cabinet would hold no switch, the placement is for another family, or hosts have cables of
    /// their own and another number of them is requested.
    pub fn new(topology: &Topology, options: &FloorOptions) -> Result<Self, FloorplanError> {
        let graph = &*topology.graph;
        let host_vertices = (graph.switches() - graph.switch_vertices()) as u32;
        let mut order: Vec<u32> = (host_vertices..graph.switches() as u32).collect();
        if options.placement == Placement::SupernodeMajor {
            let dsnf = Dsnf::of(&topology.spec).ok_or_else(|| FloorplanError::NoSupernodes(topology.name()))?;
            order.sort_by_key(|&switch| {
                let at = dsnf.label(switch as usize);
                (at.supernode, at.layer, at.level)
            });
        }
        let per_cabinet = match options.switches_per_cabinet {
            Some(0) => {
                return Err(FloorplanError::Invalid {
                    parameter: "switches_per_cabinet",
                    value: "0".into(),
                    constraint: "it must be at least 1".into(),
                });
            }
            Some(count) if options.model == FloorModel::Equality => {
                return Err(FloorplanError::Invalid {
                    parameter: "switches_per_cabinet",
                    value: count.to_string(),
                    constraint: "floor plan `equality` fills cabinets of 42 units with switches and hosts".into(),
                });
            }
            Some(count) => count,
            None => topology.spec.cabinet().unwrap_or(SWITCHES_PER_CABINET),
        };
        let refuse_hosts = |value: u32, constraint: &str| {
            let (parameter, value) = ("hosts_per_cabinet", value.to_string());
            Err(FloorplanError::Invalid { parameter, value, constraint: constraint.into() })
        };
        match (options.hosts_per_cabinet, options.model) {
            (Some(0), _) => return refuse_hosts(0, "it must be at least 1"),
            (Some(count), FloorModel::Equality) => {
                return refuse_hosts(count, "floor plan `equality` has the hosts in the cabinets of their switches");
            }
            _ => {}
        }
        let mut plan = Self {
            model: options.model,
            cabinets: order.len().div_ceil(per_cabinet as usize),
            rows: 1,
            columns: 1,
            host_cabinets: 0,
            host_vertices,
            hosts_on: Vec::new(),
            homes: None,
            cabinet: vec![0; graph.switches()],
            slot: vec![0; graph.switches()],
        };
        match &topology.rails {
            None => plan.hosts_on = hosts_on(graph, options.endpoints_per_switch)?,
            Some(rails) => plan.attach(rails, options)?,
        }
        // The switch next to which a host vertex is placed.
        let home: Vec<u32> = (0..host_vertices)
            .map(|host| graph.neighbours(SwitchId(host)).next().map_or(host, |home| home.0))
            .collect();
        match options.model {
            FloorModel::Grid | FloorModel::SlimFly => {
                for (place, &switch) in (0..).zip(&order) {
                    plan.cabinet[switch as usize] = place / per_cabinet;
                    plan.slot[switch as usize] = place % per_cabinet;
                }
                for (host, &home) in home.iter().enumerate() {
                    plan.cabinet[host] = plan.cabinet[home as usize];
                }
            }
            FloorModel::Equality => equality::place(&mut plan, &order, &home),
        }
        if let Some(per_cabinet) = options.hosts_per_cabinet {
            let hosts = plan.hosts_in_cabinets();
            plan.host_cabinets = hosts.into_iter().max().unwrap_or(0).div_ceil(u64::from(per_cabinet)) as usize;
        }
        (plan.rows, plan.columns) = rows_and_columns(plan.cabinets, 1 + plan.host_cabinets);
        Ok(plan)
    }

    /// Places the hosts of a network with several ports per host at their first ports.
    fn attach(&mut self, rails: &Rails, options: &FloorOptions) -> Result<(), FloorplanError> {
        let refuse =
            |parameter, value: String, constraint: String| FloorplanError::Invalid { parameter, value, constraint };
        if options.model == FloorModel::Equality {
            let rule = "it has hosts in the cabinet of their switch, and these have several; use `grid`";
            return Err(refuse("floor_plan", "equality".into(), rule.into()));
        }
        let mut homes = rails.homes_with(options.endpoints_per_switch);
        let value = || options.endpoints_per_switch.map_or_else(|| "given".into(), |count| count.to_string());
        let places = rails.places(&homes).map_err(|rule| refuse("hosts_per_switch", value(), rule))?;
        self.hosts_on = rails.ports_on(&places);
        homes[1..].iter_mut().flatten().for_each(|hosts| *hosts = 0);
        self.homes = Some(homes.concat());
        Ok(())
    }

    /// Returns the number of hosts of each cabinet: those on its switches, and those that are vertices and belong to
    /// them.
    pub fn hosts_in_cabinets(&self) -> Vec<u64> {
        let mut hosts = vec![0; self.cabinets];
        for (vertex, &cabinet) in self.cabinet.iter().enumerate() {
            let is_host = u64::from((vertex as u32) < self.host_vertices);
            hosts[cabinet as usize] += is_host + u64::from(self.homes.as_ref().unwrap_or(&self.hosts_on)[vertex]);
        }
        hosts
    }

    /// Returns `true` if a vertex is a host.
    pub fn is_host(&self, vertex: SwitchId) -> bool {
        vertex.0 < self.host_vertices
    }

    /// Returns the switches, in the order of their numbers.
    pub fn switches(&self) -> impl Iterator<Item = SwitchId> + '_ {
        (self.host_vertices..self.cabinet.len() as u32).map(SwitchId)
    }

    /// Returns the number of hosts on a switch, not counting those that are vertices; of ports of hosts, if hosts have
    /// several.
    pub fn hosts_on(&self, switch: SwitchId) -> u32 {
        self.hosts_on[switch.index()]
    }

    /// Returns the number of hosts, on switches and as vertices.
    pub fn endpoints(&self) -> u64 {
        let on = self.homes.as_ref().unwrap_or(&self.hosts_on);
        u64::from(self.host_vertices) + on.iter().map(|&hosts| u64::from(hosts)).sum::<u64>()
    }

    /// Returns the cabinet of a switch.
    pub fn cabinet(&self, switch: SwitchId) -> usize {
        self.cabinet[switch.index()] as usize
    }

    /// Returns the slot of a switch in its cabinet, from the top.
    pub fn slot(&self, switch: SwitchId) -> usize {
        self.slot[switch.index()] as usize
    }

    /// Returns the row and column of a cabinet.
    pub fn position(&self, cabinet: usize) -> (usize, usize) {
        (cabinet / self.columns, cabinet % self.columns)
    }

    /// Returns the rows and columns between two cabinets.
    fn steps(&self, one: usize, other: usize) -> (f64, f64) {
        let ((row, column), (to_row, to_column)) = (self.position(one), self.position(other));
        (row.abs_diff(to_row) as f64, (column.abs_diff(to_column) * (1 + self.host_cabinets)) as f64)
    }

    /// Returns the length of a cable between two switches, in metres.
    pub fn length(&self, from: SwitchId, to: SwitchId) -> f64 {
        let (one, other) = (self.cabinet(from), self.cabinet(to));
        let (rows, columns) = self.steps(one, other);
        match self.model {
            FloorModel::Grid => grid::GRID.length(one == other, rows, columns),
            FloorModel::SlimFly => grid::SLIM_FLY.length(one == other, rows, columns),
            FloorModel::Equality => equality::length(one == other, rows, columns, self.slot(from), self.slot(to)),
        }
    }

    /// Returns the lengths of the cables between switches and the hosts on them, in metres; the grid models ignore
    /// these cables.
    pub fn endpoint_lengths(&self) -> Vec<f64> {
        match self.model {
            FloorModel::Grid | FloorModel::SlimFly => Vec::new(),
            FloorModel::Equality => equality::endpoint_lengths(self),
        }
    }

    /// Returns the lengths of all cables between switches.
    pub fn cables(&self, graph: &Graph) -> Cables {
        Cables::new(self, graph)
    }
}

/// Returns the number of hosts on each vertex, not counting those that are vertices.
fn hosts_on(graph: &Graph, wanted: Option<u32>) -> Result<Vec<u32>, FloorplanError> {
    if let Hosts::Vertices(_) = graph.hosts() {
        return match wanted {
            None | Some(..=1) => Ok(vec![0; graph.switches()]),
            Some(count) => Err(FloorplanError::Invalid {
                parameter: "endpoints",
                value: count.to_string(),
                constraint: "the hosts of this topology have cables of their own".into(),
            }),
        };
    }
    let mut hosts = graph.default_hosts();
    if let Some(count) = wanted {
        hosts.iter_mut().filter(|hosts| **hosts > 0).for_each(|hosts| *hosts = count);
    }
    Ok(hosts)
}

/// Returns the number of rows, and of cabinets with switches per row, if each of `c` of them takes `width` places in
/// its row: `ceil(sqrt (c width))` rows of `ceil(c / rows)`, without empty rows.
fn rows_and_columns(cabinets: usize, width: usize) -> (usize, usize) {
    let places = cabinets * width;
    let root = places.isqrt();
    let rows = if root * root < places { root + 1 } else { root }.max(1);
    let columns = cabinets.div_ceil(rows).max(1);
    if width == 1 { (rows, columns) } else { (cabinets.div_ceil(columns).max(1), columns) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::build;
    use proptest::prelude::*;

    #[test]
    fn cabinets_stand_in_a_grid_that_is_nearly_square() {
        let alone = [1, 2, 8, 16, 38].map(|cabinets| rows_and_columns(cabinets, 1));
        assert_eq!(alone, [(1, 1), (2, 1), (3, 3), (4, 4), (7, 6)]);
        // Four cabinets for each of eight: 32 places, six rows of up to two; the last two would be empty.
        assert_eq!(rows_and_columns(8, 4), (4, 2));
    }

    #[test]
    fn names_are_found_or_the_known_ones_are_named() {
        assert_eq!("Slim-Fly".parse::<FloorModel>().unwrap(), FloorModel::SlimFly);
        assert_eq!(FloorModel::SlimFly.name(), "slim_fly");
        let error = "cube".parse::<FloorModel>().unwrap_err().to_string();
        assert_eq!(error, "there is no floor plan `cube`; there are grid, slim_fly, equality");
        assert!("supernode-major".parse::<Placement>().is_ok() && "x".parse::<Placement>().is_err());
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let ring = build("ring:8").unwrap();
        let none = FloorOptions { switches_per_cabinet: Some(0), ..FloorOptions::default() };
        assert!(FloorPlan::new(&ring, &none).unwrap_err().to_string().contains("at least 1"));
        let units =
            FloorOptions { model: FloorModel::Equality, switches_per_cabinet: Some(4), ..FloorOptions::default() };
        assert!(FloorPlan::new(&ring, &units).unwrap_err().to_string().contains("cabinets of 42 units"));
        let major = FloorOptions { placement: Placement::SupernodeMajor, ..FloorOptions::default() };
        assert!(FloorPlan::new(&ring, &major).unwrap_err().to_string().contains("ring:n=8"));
    }

    #[test]
    fn lengths_by_hand() {
        // Eight switches, two per cabinet: four cabinets in two rows of two.
        let mesh = build("full_mesh:8").unwrap();
        let plan = |model| {
            let switches_per_cabinet = (model != FloorModel::Equality).then_some(2);
            let options = FloorOptions { model, switches_per_cabinet, ..FloorOptions::default() };
            FloorPlan::new(&mesh, &options).unwrap()
        };
        let lengths =
            |plan: &FloorPlan| [1, 2, 4, 6].map(|to| (plan.length(SwitchId(0), SwitchId(to)) * 1e6).round() / 1e6);
        assert_eq!(lengths(&plan(FloorModel::Grid)), [2.0, 4.6, 6.1, 6.7]);
        assert_eq!(lengths(&plan(FloorModel::SlimFly)), [1.0, 2.6, 4.1, 4.7]);
        // All eight in one cabinet, one below the other.
        assert_eq!(lengths(&plan(FloorModel::Equality)), [1.04445, 1.0889, 1.1778, 1.2667]);
    }

    #[test]
    fn cabinets_of_hosts_lengthen_cables_along_a_row() {
        // Eight switches with five hosts each, two in a cabinet; ten hosts need two cabinets of eight.
        let mesh = build("full_mesh:8").unwrap();
        let options = FloorOptions {
            switches_per_cabinet: Some(2),
            endpoints_per_switch: Some(5),
            hosts_per_cabinet: Some(8),
            ..FloorOptions::default()
        };
        let plan = FloorPlan::new(&mesh, &options).unwrap();
        assert_eq!((plan.host_cabinets, plan.hosts_in_cabinets()), (2, vec![10; 4]));
        // Twelve places: four rows of one group.
        assert_eq!((plan.rows, plan.columns), (4, 1));
        let wide = FloorOptions { hosts_per_cabinet: Some(1), ..options };
        let plan =
            FloorPlan::new(&build("full_mesh:64").unwrap(), &FloorOptions { switches_per_cabinet: Some(1), ..wide });
        let plan = plan.unwrap();
        // 64 groups of six places in 16 rows of four; a neighbour in the row is six columns away.
        assert_eq!((plan.host_cabinets, plan.rows, plan.columns), (5, 16, 4));
        assert!((plan.length(SwitchId(0), SwitchId(1)) - (4.0 + 6.0 * 0.6)).abs() < 1e-12);
        for (model, count) in [(FloorModel::Grid, 0), (FloorModel::Equality, 8)] {
            let wrong = FloorOptions { model, hosts_per_cabinet: Some(count), switches_per_cabinet: None, ..options };
            assert!(FloorPlan::new(&mesh, &wrong).unwrap_err().to_string().contains("hosts_per_cabinet"));
        }
    }

    #[test]
    fn hosts_take_no_place_of_a_switch() {
        // Eight leaves with four hosts each, four spines; a Clos network of 4 + 2 + 4 switches, whose 8 hosts are
        // vertices.
        let places = |spec: &str, model| {
            let switches_per_cabinet = (model == FloorModel::Grid).then_some(5);
            let options = FloorOptions { model, switches_per_cabinet, ..FloorOptions::default() };
            let plan = FloorPlan::new(&build(spec).unwrap(), &options).unwrap();
            (plan.switches().count(), plan.endpoints(), plan.cabinets)
        };
        assert_eq!(places("fat_tree2:8", FloorModel::Grid), (12, 32, 3));
        // 44 units.
        assert_eq!(places("fat_tree2:8", FloorModel::Equality), (12, 32, 2));
        assert_eq!(places("clos:m=2,n=2,r=4", FloorModel::Grid), (10, 8, 2));
        assert_eq!(places("clos:m=2,n=2,r=4", FloorModel::Equality), (10, 8, 1));
        let clos = build("clos:m=2,n=2,r=4").unwrap();
        let two = FloorOptions { endpoints_per_switch: Some(2), ..FloorOptions::default() };
        assert!(FloorPlan::new(&clos, &two).unwrap_err().to_string().contains("cables of their own"));
        let cables = FloorPlan::new(&clos, &FloorOptions::default()).unwrap().cables(&clos.graph);
        // Of 32 arcs 16 join hosts; the others are within a cabinet.
        assert_eq!((cables.between_switches().len(), cables.within_cabinets, cables.total), (16, 16, 32.0));
    }

    proptest! {
        #[test]
        fn every_switch_has_a_slot_of_its_own(n in 2usize..400, per in 1u32..40, p in 0u32..30, model in 0usize..3) {
            let ring = build(&format!("ring:{n}")).unwrap();
            let model = FloorModel::NAMES[model].1;
            let switches_per_cabinet = (model != FloorModel::Equality).then_some(per);
            let options = FloorOptions { model, switches_per_cabinet, endpoints_per_switch: Some(p), ..FloorOptions::default() };
            let plan = FloorPlan::new(&ring, &options).unwrap();
            let mut places: Vec<_> = (0..n as u32).map(SwitchId).map(|s| (plan.cabinet(s), plan.slot(s))).collect();
            prop_assert!(places.iter().all(|&(cabinet, _)| cabinet < plan.cabinets));
            prop_assert!(plan.cabinets <= plan.rows * plan.columns);
            places.sort_unstable();
            places.dedup();
            prop_assert_eq!(places.len(), n);
            let (there, back) = (plan.length(SwitchId(0), SwitchId(1)), plan.length(SwitchId(1), SwitchId(0)));
            prop_assert!(there > 0.0 && (there - back).abs() < 1e-12);
        }
    }
}
