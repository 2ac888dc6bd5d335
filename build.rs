//! How the program is linked.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |key: &str| std::env::var(format!("CARGO_CFG_TARGET_{key}")).unwrap_or_default();
    // An executable that can lie anywhere in memory has thousands of addresses in its tables (of functions, types and texts) to be
    // worked out at each start, in pages that are copied for that: half a millisecond, where a small replay takes two. At a
    // fixed place the linker does it once. Elsewhere (musl, macOS) the linker's defaults stay.
    if target("OS") == "linux" && target("ENV") == "gnu" {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
