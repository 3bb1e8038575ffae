//! The pages, one per file: what each reads, and how it is shown. Access was checked before.

pub(super) mod access;
pub(super) mod alerts;
pub(super) mod editions;
pub(super) mod health;
pub(super) mod items;
pub(super) mod jobs;
pub(super) mod keys;
pub(super) mod login;
pub(super) mod overview;
pub(super) mod runs;
pub(super) mod shared;
pub(super) mod topic;
