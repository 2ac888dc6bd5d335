//! stub
use super::*;
use crate::mpi::layout::Layout;
use crate::trace::*;
#[derive(Clone, Copy, Debug, Default)]
pub struct SmpKnown;
#[derive(Clone, Debug, Default)]
pub struct Selector;
impl Selector {
    pub fn initial_knowledge(&self) -> SmpKnown {
        SmpKnown
    }
    pub fn plan(
        &self,
        _c: &CollectiveCall,
        _t: &Trace,
        _l: &Layout,
        _r: u32,
        _s: &mut SmpKnown,
        _st: &mut Vec<Stage>,
    ) -> Option<&'static str> {
        None
    }
}
