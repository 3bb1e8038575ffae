//! Rebuilds the crate when a migration changes, is added or goes; the migrations themselves are embedded by the store.

fn main() {
    println!("cargo::rerun-if-changed=migrations");
}
