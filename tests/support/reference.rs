//! Reference values of topologies, computed by an independent generator.

/// Parsed `tests/data/topology.json.zst`.
pub fn topology_reference() -> serde_json::Value {
    let packed: &[u8] = include_bytes!("../data/topology.json.zst");
    let text = zstd::decode_all(packed).expect("the reference file is packed by zstd");
    serde_json::from_slice(&text).expect("the reference file is JSON")
}
