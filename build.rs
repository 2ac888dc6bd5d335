//! How the program is linked, what reads OTF2 archives if the feature `libotf2` is on, and which tests have their data.

use std::path::{Path, PathBuf};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |key: &str| std::env::var(format!("CARGO_CFG_TARGET_{key}")).unwrap_or_default();
    // An executable that can lie anywhere in memory has thousands of addresses in its tables (of functions, types and
    // texts) to be worked out at each start, in pages that are copied for that: half a millisecond, where a small
    // replay takes two. At a fixed place the linker does it once. Elsewhere (musl, macOS) the linker's defaults stay,
    // and where glibc is linked statically: the flag would contradict the `-static-pie` of rustc, and the program crash
    // when it starts.
    let is_static = target("FEATURE").split(',').any(|feature| feature == "crt-static");
    if target("OS") == "linux" && target("ENV") == "gnu" && !is_static {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
    look_for_reference_data();
    #[cfg(feature = "libotf2")]
    otf2::compile();
}

/// Tests over the reference data that is too large for the repository are ignored where it is not found: so `cargo
/// test` counts them as such, instead of calling them passed.
fn look_for_reference_data() {
    println!("cargo::rustc-check-cfg=cfg(no_reference_data)");
    println!("cargo::rerun-if-env-changed=MOPSIM_SHARED");
    let folder = std::env::var_os("MOPSIM_SHARED").map_or_else(|| Path::new("../shared").to_owned(), PathBuf::from);
    let platforms = folder.join("corpus/platforms");
    if platforms.is_dir() {
        println!("cargo::rerun-if-changed={}", platforms.display());
    } else {
        // That it appears is not watched: cargo takes a name that is not there for changed, and would compile all anew
        // each time.
        println!("cargo::rustc-cfg=no_reference_data");
    }
    println!("cargo::rustc-check-cfg=cfg(no_measurements)");
    let measured = folder.join("reality/measured");
    if measured.is_dir() {
        println!("cargo::rerun-if-changed={}", measured.display());
    } else {
        println!("cargo::rustc-cfg=no_measurements");
    }
}

#[cfg(feature = "libotf2")]
#[path = "src/trace/otf2/config.rs"]
mod config;

#[cfg(feature = "libotf2")]
mod otf2 {
    use super::config::flags;

    const CONFIG: &str = "src/trace/otf2/config.rs";
    const SOURCE: &str = "src/trace/otf2/library.c";

    /// Compiles the C part with the flags that the library's own `otf2-config` tells, or with none where it is not
    /// found.
    pub fn compile() {
        println!("cargo::rerun-if-changed={SOURCE}");
        println!("cargo::rerun-if-changed={CONFIG}");
        println!("cargo::rerun-if-env-changed=OTF2_CONFIG");
        let mut build = cc::Build::new();
        build.file(SOURCE).std("c11").warnings(true).extra_warnings(true);
        for flag in flags("--cppflags") {
            match flag.strip_prefix("-I") {
                Some(folder) => drop(build.include(folder)),
                None => drop(build.flag(&flag)),
            }
        }
        if let Err(error) = build.try_compile("mopsim_otf2") {
            println!(
                "cargo::error=the feature libotf2 needs a C compiler and the headers of OTF2 (3.0 is tested): install \
                 libotf2-trace-dev, or put otf2-config into the path or into OTF2_CONFIG ({error})"
            );
            return;
        }
        for flag in flags("--ldflags") {
            if let Some(folder) = flag.strip_prefix("-L") {
                println!("cargo::rustc-link-search=native={folder}");
            }
        }
        println!("cargo::rustc-link-lib=otf2");
    }
}
