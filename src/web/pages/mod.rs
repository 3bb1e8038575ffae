//! The pages, one in a file: what it reads, and how that is shown. Who may see it was decided before.

pub(super) mod access;
pub(super) mod acks;
pub(super) mod actions;
pub(super) mod alerts;
pub(super) mod answers;
pub(super) mod days;
pub(super) mod editions;
pub(super) mod health;
pub(super) mod item;
mod item_view;
pub(super) mod login;
pub(super) mod marks;
pub(super) mod overview;
pub(super) mod runs;
pub(super) mod shared;
mod spread;
mod terms;
pub(super) mod topic;
