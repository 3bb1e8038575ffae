//! Verbs for the database and the process: back up, move, prune, erase, health.

pub(in crate::cli) mod backup;
pub(in crate::cli) mod db;
pub(in crate::cli) mod db_move;
pub(in crate::cli) mod forget;
mod forget_text;
pub(in crate::cli) mod health;
pub(in crate::cli) mod migrate;
pub(in crate::cli) mod prune;
pub(in crate::cli) mod replay;
pub(in crate::cli) mod rescore;
