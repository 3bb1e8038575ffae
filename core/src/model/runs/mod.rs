//! The ledger: jobs, runs, requests, followers, the history of searches, and sums of all.

pub(super) mod follower;
pub(super) mod job;
pub(super) mod reading_order;
pub(super) mod request;
pub(super) mod run;
pub(super) mod search_history;
pub(super) mod tally;
