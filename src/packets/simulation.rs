//! A network under simulation, as a run sees it.

use super::error::PacketError;
use super::statistics::Counts;

/// A network under simulation, by any engine.
pub trait Simulation {
    /// Returns the first cycle that has not been simulated.
    fn cycle(&self) -> u32;

    /// Simulates all cycles before `cycle`, and perhaps some more.
    ///
    /// # Errors
    /// [`PacketError`] if the engine fails.
    fn run_to(&mut self, cycle: u32) -> Result<(), PacketError>;

    /// Returns the counts of the run so far.
    fn counts(&self) -> Counts;

    /// `true` if every measured packet has been created and has arrived.
    fn is_drained(&self) -> bool;

    /// `true` if packets are in the network and none has moved for `cycles` cycles.
    fn is_stuck(&self, cycles: u32) -> bool;

    /// Describes packets that wait for each other, once the network is stuck.
    fn waiting(&self) -> String;

    /// Returns the mean age in cycles of the packets in the network and of those that wait at hosts.
    fn mean_age(&self) -> f64;

    /// Returns the cycles by which hosts lag behind the packets that they have to send, mean over hosts that send.
    fn mean_lag(&self) -> f64;

    /// Returns the flits that arrived at each host in the window.
    fn accepted(&self) -> Vec<u32>;

    /// Returns the flits sent over each arc in the window.
    fn arc_flits(&self) -> Vec<u32>;
}
