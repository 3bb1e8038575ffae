//! Alerts: readers that follow the runs in reading order, say what they saw, and whom to tell. The rules are pure (`rules`,
//! `saw`, `tell`); reading and keeping go through the store, one transaction for events, messages and cursor, so that a
//! kill at any instant loses nothing and tells nothing twice. How a message travels is `notify`'s.
//!
//! ```text
//! store.alert_runs -> read (store, compare) -> rules -> saw (what began, what ended) -> tell (when, to whom) -> store.keep_alert
//! ```

mod backtest;
mod look;
mod read;
mod rules;
mod saw;
mod tell;

pub use backtest::{Backtest, backtest};
pub use look::{Evaluated, look};
pub use tell::sample;
