//! Alerts: follow the runs in reading order, record events, and decide whom to notify. The rules are pure (`rules`,
//! `transitions`, `dispatch`). Reading and storing go through the store, with events, messages and cursor in one
//! transaction, so that a kill at any instant loses nothing and sends nothing twice. `notify` delivers the messages.
//!
//! ```text
//! store.alert_runs -> read (store, compare) -> rules -> transitions (begun, ended) -> dispatch (when, to whom) ->
//! store.store_alert_change
//! ```

mod backtest;
mod dispatch;
mod earlier_windows;
mod evaluate;
mod explain;
mod measure;
mod outages;
mod read;
mod real_events;
mod replay;
mod rules;
mod transitions;

pub use backtest::{Backtest, NO_BUDGET_BACKTEST, Trial, backtest, trial};
pub use dispatch::test_messages;
pub use evaluate::{Evaluated, begin, evaluate};
pub use measure::{MeasuredRule, Measurement, measure};
pub use real_events::{EventsError, parse_events};
pub use replay::{Window, replay};
