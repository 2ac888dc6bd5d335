//! The cables of a floor plan and their lengths.

use super::FloorPlan;
use crate::topology::{ArcId, CableId, Graph};

/// Lengths of all cables between switches, in metres. A one-way cable is a cable.
#[derive(Clone, PartialEq, Debug)]
pub struct Cables {
    /// Length of each cable, by its number.
    lengths: Vec<f64>,
    /// Cables that stay within a cabinet.
    pub within_cabinets: usize,
    /// Sum of the lengths.
    pub total: f64,
    /// The longest cable; 0 if there is none.
    pub longest: f64,
}

impl Cables {
    pub(super) fn new(plan: &FloorPlan, graph: &Graph) -> Self {
        let mut lengths = vec![0.0; graph.cables()];
        let mut within_cabinets = 0;
        for arc in (0..graph.arcs() as u32).map(ArcId) {
            let (from, to) = (graph.tail(arc), graph.head(arc));
            // The second direction of a cable says the same.
            if graph.is_directed() || from < to {
                lengths[graph.cable(arc).index()] = plan.length(from, to);
                within_cabinets += usize::from(plan.cabinet(from) == plan.cabinet(to));
            }
        }
        let total = lengths.iter().sum();
        let longest = lengths.iter().copied().fold(0.0, f64::max);
        Self { lengths, within_cabinets, total, longest }
    }

    /// Length of a cable.
    pub fn length(&self, cable: CableId) -> f64 {
        self.lengths[cable.index()]
    }

    /// All lengths, by number of the cable.
    pub fn lengths(&self) -> &[f64] {
        &self.lengths
    }

    /// The mean length; 0 if there is no cable.
    pub fn average(&self) -> f64 {
        if self.lengths.is_empty() { 0.0 } else { self.total / self.lengths.len() as f64 }
    }

    /// Number of cables of up to 1, 2, 3, ... times `step` metres, each counted once, in the first class that holds it.
    pub fn histogram(&self, step: f64) -> Vec<u64> {
        let mut classes = Vec::new();
        for length in &self.lengths {
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
    use crate::layout::{FloorOptions, FloorPlan};
    use crate::topology::build;

    #[test]
    fn a_ring_in_two_cabinets() {
        // 0-1, 2-3 stay within cabinets of two; 1-2 and 3-0 go from one row to the next: 2.1 + 4 m.
        let ring = build("ring:4").unwrap();
        let options = FloorOptions { switches_per_cabinet: Some(2), ..FloorOptions::default() };
        let cables = FloorPlan::new(&ring, &options).unwrap().cables(&ring.graph);
        assert_eq!((cables.within_cabinets, cables.longest), (2, 6.1));
        assert!((cables.total - 16.2).abs() < 1e-12 && (cables.average() - 4.05).abs() < 1e-12);
        assert_eq!(cables.histogram(1.0), [0, 2, 0, 0, 0, 0, 2]);
        assert_eq!(cables.histogram(2.0), [2, 0, 0, 2]);
    }
}
