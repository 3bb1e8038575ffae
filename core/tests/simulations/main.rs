//! Tests that need only the pure rooms and compute much: simulations, and figures measured on real posts. They are here and
//! not in `tests/it`, because test builds optimise this crate.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, unreachable_pub, reason = "tests fail by panicking")]

mod cause_accuracy;
mod languages;
mod marks_learned;
mod sentiment;
mod support;
mod term_scripts;
mod terms_found;
mod usual_accuracy;
mod usual_limits;
