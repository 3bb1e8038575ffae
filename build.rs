//! Rebuilds the crate when a migration changes, is added or is removed; the store embeds the migrations. Also links the
//! programs of debug builds at a fixed address.

fn main() {
    println!("cargo::rerun-if-changed=migrations");
    println!("cargo::rerun-if-changed=build.rs");
    // Tests start thousands of programs. A position-independent one has 200,000 relocations to apply at its start,
    // which take longer than the rest of the start.
    let is = |variable: &str, value: &str| std::env::var(variable).is_ok_and(|held| held == value);
    if is("PROFILE", "debug") && is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
        println!("cargo::rustc-link-arg-tests=-no-pie");
    }
}
