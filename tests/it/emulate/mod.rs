//! Emulated networks. Tests that build one need root and iproute2, and are skipped where these are missing.

mod live;
mod refused;
