//! Cost and power of a network: routers, cables, dollars, watts.
//!
//! Prices are data: [`PriceList`] reads a TOML file, and the presets in `data/prices` are part of the program.

mod bill;
mod prices;

pub use bill::Bill;
pub use prices::{CablePrices, HostPrices, Limits, Ownership, PRESETS, PriceList, Prices, PricesError, RouterPrices};
