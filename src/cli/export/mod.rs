//! Verbs that hand data to other programs and people: exports, notifications, scores.

mod deliver;
pub(in crate::cli) mod deliveries;
mod emptied_message;
pub(in crate::cli) mod outbox;
pub(in crate::cli) mod outbox_args;
pub(in crate::cli) mod rows;
pub(in crate::cli) mod score;
pub(in crate::cli) mod verify;
mod waiting;
