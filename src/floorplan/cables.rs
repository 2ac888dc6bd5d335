//! The cables of a floor plan and their lengths.

use super::{FloorModel, FloorPlan};
use crate::ids::SwitchId;
use crate::topology::{ArcId, CableId, Graph};

/// Lengths of all cables between switches, in metres. A one-way cable counts as a cable.
#[derive(Clone, PartialEq, Debug)]
pub struct Cables {
    /// Length of each cable, by its number; 0 for cables to hosts that are vertices.
    lengths: Vec<f64>,
    /// Lengths of the cables between switches, if there are others.
    between_switches: Option<Vec<f64>>,
    /// Lengths of the cables to hosts that are vertices, in models that place them.
    to_hosts: Vec<f64>,
    /// Number of cables that stay within a cabinet.
    pub within_cabinets: usize,
    /// Sum of the lengths.
    pub total: f64,
    /// Length of the longest cable; 0 if there is none.
    pub longest: f64,
}

impl Cables {
    pub(super) fn new(plan: &FloorPlan, graph: &Graph) -> Self {
        let mut lengths = vec![0.0; graph.cables()];
        let mut between_switches = plan.is_host(SwitchId(0)).then(Vec::new);
        let mut to_hosts = Vec::new();
        let mut within_cabinets = 0;
        for arc in (0..graph.arcs() as u32).map(ArcId) {
            let (from, to) = (graph.tail(arc), graph.head(arc));
            // The second direction of a cable has the same length.
            if !graph.is_directed() && from >= to {
                continue;
            }
            if plan.is_host(from) || plan.is_host(to) {
                if plan.model == FloorModel::Equality {
                    to_hosts.push(plan.length(from, to));
                }
            } else {
                between_switches.iter_mut().for_each(|lengths: &mut Vec<f64>| lengths.push(plan.length(from, to)));
                lengths[graph.cable(arc).index()] = plan.length(from, to);
                within_cabinets += usize::from(plan.cabinet(from) == plan.cabinet(to));
            }
        }
        let total = lengths.iter().sum();
        let longest = lengths.iter().copied().fold(0.0, f64::max);
        Self { lengths, between_switches, to_hosts, within_cabinets, total, longest }
    }

    /// Returns the length of a cable.
    pub fn length(&self, cable: CableId) -> f64 {
        self.lengths[cable.index()]
    }

    /// Returns all lengths, by number of the cable; 0 for cables to hosts that are vertices.
    pub fn lengths(&self) -> &[f64] {
        &self.lengths
    }

    /// Returns the lengths of the cables between switches.
    pub fn between_switches(&self) -> &[f64] {
        self.between_switches.as_deref().unwrap_or(&self.lengths)
    }

    /// Returns the lengths of the cables to hosts that are vertices; none in the grid models, which ignore cables to
    /// hosts.
    pub fn to_hosts(&self) -> &[f64] {
        &self.to_hosts
    }

    /// Returns the mean length; 0 if there is no cable.
    pub fn average(&self) -> f64 {
        let count = self.between_switches().len();
        if count == 0 { 0.0 } else { self.total / count as f64 }
    }

    /// Returns the number of cables of up to 1, 2, 3, ... times `step` metres; each cable counts only in the first
    /// class that includes its length.
    pub fn histogram(&self, step: f64) -> Vec<u64> {
        let mut classes = Vec::new();
        for length in self.between_switches() {
            // Sums of tenths of metres are off by rounding; a cable of 5 m belongs to the class that ends there.
            let class = ((length / step - 1e-9).ceil().max(1.0) - 1.0) as usize;
            if classes.len() <= class {
                classes.resize(class + 1, 0);
            }
            classes[class] += 1;
        }
        classes
    }
}

#[cfg(test)]
mod tests {
    use crate::floorplan::{FloorOptions, FloorPlan};
    use crate::topology::build;

    #[test]
    fn a_ring_in_two_cabinets() {
        // 0-1 and 2-3 stay within cabinets of two switches; 1-2 and 3-0 go from one row to the next: 2.1 + 4 m.
        let ring = build("ring:4").unwrap();
        let options = FloorOptions { switches_per_cabinet: Some(2), ..FloorOptions::default() };
        let cables = FloorPlan::new(&ring, &options).unwrap().cables(&ring.graph);
        assert_eq!((cables.within_cabinets, cables.longest), (2, 6.1));
        assert!((cables.total - 16.2).abs() < 1e-12 && (cables.average() - 4.05).abs() < 1e-12);
        assert_eq!(cables.histogram(1.0), [0, 2, 0, 0, 0, 0, 2]);
        assert_eq!(cables.histogram(2.0), [2, 0, 0, 2]);
    }
}
