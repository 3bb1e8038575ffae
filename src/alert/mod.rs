//! Alerts: readers that follow the runs in reading order, say what they saw, and whom to tell. The rules are pure (`rules`,
//! `transitions`, `dispatch`); reading and keeping go through the store, one transaction for events, messages and cursor, so that a
//! kill at any instant loses nothing and tells nothing twice. How a message travels is `notify`'s.
//!
//! ```text
//! store.alert_runs -> read (store, compare) -> rules -> saw (what began, what ended) -> tell (when, to whom) -> store.keep_alert
//! ```

mod backtest;
mod dispatch;
mod evaluate;
mod measure;
mod read;
mod real_events;
mod replay;
mod rules;
mod transitions;
mod why;

pub use backtest::{Backtest, Trial, backtest, trial};
pub use dispatch::sample;
pub use evaluate::{Evaluated, evaluate};
pub use measure::{Measured, Measurement, measure};
pub use real_events::{BadEvents, real_events};
pub use replay::{Window, replay};
