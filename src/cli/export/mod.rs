//! Verbs that hand data to others: files, notifications, scores.

pub(in crate::cli) mod outbox;
pub(in crate::cli) mod outbox_args;
pub(in crate::cli) mod rows;
pub(in crate::cli) mod score;
pub(in crate::cli) mod verify;
