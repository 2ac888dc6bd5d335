//! Figures of single things, before any replay: a topology with its floor plan and price, a collective with its messages.
//!
//! Verbs and reports show these figures; [`report`](crate::report) only puts them into words.

pub mod collectives;
mod error;
mod figures;
mod options;
mod planes;
mod route;
mod topology;

pub use collectives::CollectivesSurvey;
pub use error::SurveyError;
pub use figures::{CostSurvey, FloorSurvey, PlaneSurvey, Survey};
pub use options::{Effort, SurveyOptions};
pub use route::RouteSurvey;
