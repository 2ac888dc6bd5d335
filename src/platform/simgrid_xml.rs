//! x
use super::*;
/// x
pub fn parse(_file: &str, _text: &str, _loopback: Loopback) -> Result<Platform, PlatformError> {
    todo!()
}
