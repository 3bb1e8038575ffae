//! Rebuilds the crate when a migration changes, is added or goes; the migrations themselves are embedded by the store. And has
//! programs of a debug build linked at a fixed address.

fn main() {
    println!("cargo::rerun-if-changed=migrations");
    println!("cargo::rerun-if-changed=build.rs");
    // Tests start thousands of programs. Moved to another address, each has two hundred thousand places to correct first,
    // which takes longer than all else of its start.
    let is = |variable: &str, value: &str| std::env::var(variable).is_ok_and(|held| held == value);
    if is("PROFILE", "debug") && is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
        println!("cargo::rustc-link-arg-tests=-no-pie");
    }
}
