//! The events that the loop reports.

use super::Planned;
use crate::collect::Done;

/// Events of the loop.
#[derive(Debug)]
pub enum Event {
    /// A run ended.
    Ended(Done),
    /// The ledger was brought up to the present. Has the next slots by topic.
    Planned(Planned),
    /// No new run starts any more.
    Stopping,
}
