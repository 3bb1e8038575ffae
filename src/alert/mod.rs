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
mod read;
mod rules;
mod transitions;
mod why;

pub use backtest::{Backtest, backtest};
pub use dispatch::sample;
pub use evaluate::{Evaluated, evaluate};
