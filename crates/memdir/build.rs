//! Asks for a static link without relocations where `scripts/link-static` is the linker.
//!
//! A position-independent, dynamically linked program spends most of its start letting the loader map libraries
//! and patch tens of thousands of addresses. The workspace's `.cargo/config.toml` names that linker on Linux; a
//! build without it (another platform, an install from the registry) is linked in the ordinary way.

#![expect(clippy::disallowed_methods, reason = "a build script talks to Cargo")]

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=RUSTC_LINKER");
    println!("cargo::rustc-env=MEMDIR_TARGET={}", std::env::var("TARGET").unwrap_or_default());
    let linker = std::env::var("RUSTC_LINKER").unwrap_or_default();
    if linker.ends_with("scripts/link-static") {
        println!("cargo::rustc-link-arg-bins=-static");
        println!("cargo::rustc-link-arg-bins=-no-pie");
        // A release aborts on a panic, so it needs no tables for unwinding the stack.
        if std::env::var("PROFILE").is_ok_and(|profile| profile == "release") {
            println!("cargo::rustc-link-arg-bins=-Wl,--no-eh-frame-hdr");
        }
    }
}
