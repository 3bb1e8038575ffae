//! The ledger: which runs are due and when, who runs them, and the order in which they became readable. Findings are in
//! `items`.

pub(in crate::store) mod allowance;
pub(in crate::store) mod control_rows;
pub(in crate::store) mod controls;
pub(in crate::store) mod engine;
#[cfg(feature = "graphile")]
mod graphile;
pub(in crate::store) mod hands;
pub(in crate::store) mod job_rows;
pub(in crate::store) mod jobs;
pub(in crate::store) mod lease;
pub(in crate::store) mod limits;
mod requests;
pub(in crate::store) mod rows;
mod runs;
pub(in crate::store) mod shares;
mod topics;
