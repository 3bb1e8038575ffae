//! Deliveries: reports, messages of the outbox, channels and pings.

pub(super) mod channel;
pub(super) mod message;
pub(super) mod ping;
pub(super) mod report;
