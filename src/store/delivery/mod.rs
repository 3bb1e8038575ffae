//! Output for people: the outbox of messages, and editions of exports. `notify` delivers.

pub(in crate::store) mod edition;
pub(in crate::store) mod editions;
pub(in crate::store) mod messages;
pub(in crate::store) mod outbox;
