//! What is handed to people: the outbox of messages, and editions of exports. Delivering is `notify`'s.

pub(in crate::store) mod edition;
pub(in crate::store) mod editions;
pub(in crate::store) mod messages;
pub(in crate::store) mod outbox;
