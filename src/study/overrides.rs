//! Choices of the command line, which override those of the study file.

use super::choice::ModelChoice;
use super::network::NetworkChoice;
use super::perturb::Amplitudes;
use super::placement::Placement;
use crate::cost::PriceList;
use crate::steps::Steps;

/// Command-line additions to a study file; they override the file.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    /// Model choices.
    pub model: ModelChoice,
    /// Choices for all networks.
    pub network: NetworkChoice,
    /// Networks in addition to those of the file, with absolute file names.
    pub networks: Vec<NetworkChoice>,
    /// Placement of ranks.
    pub placement: Placement,
    /// Seed of everything random.
    pub seed: Option<u64>,
    /// Amplitudes and number of perturbations.
    pub perturb: Option<(Amplitudes, usize)>,
    /// Patterns of synthetic traffic, if there are any.
    pub patterns: Vec<String>,
    /// Price list to use.
    pub prices: Option<PriceList>,
    /// Price list of the site, where neither the command line nor the study has one.
    pub prices_of_site: Option<PriceList>,
    /// `true` if assumptions are changed one at a time.
    pub sensitivity: bool,
    /// `true` to repeat every replay with packets.
    pub cross_check: bool,
    /// Number of leading iterations that are repeated with packets.
    pub check_iterations: Option<usize>,
    /// Relative half width of the time per iteration at which replays end early.
    pub until_steady: Option<f64>,
    /// `true` to leave out what is run in addition to the study as stated: sensitivity, checks with packets, synthetic traffic.
    pub only_as_stated: bool,
    /// Counter of workloads that are read and networks that are built.
    pub steps: Steps,
}
