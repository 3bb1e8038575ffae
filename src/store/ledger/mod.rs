//! The ledger: which runs are due and when, who runs them, and the order in which they became readable. Findings are in
//! `items`.

pub(in crate::store) mod control_rows;
pub(in crate::store) mod controls;
pub(in crate::store) mod engine;
pub(in crate::store) mod job_rows;
pub(in crate::store) mod jobs;
pub(in crate::store) mod permits;
mod requests;
pub(in crate::store) mod rows;
mod runs;
mod topics;
