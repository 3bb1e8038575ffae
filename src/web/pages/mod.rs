//! The pages, one in a file: what it reads, and how that is shown. Who may see it was decided before.

pub(super) mod acks;
pub(super) mod actions;
pub(super) mod alerts;
pub(super) mod answers;
pub(super) mod days;
pub(super) mod editions;
pub(super) mod health;
pub(super) mod item;
mod item_view;
pub(super) mod items;
pub(super) mod jobs;
pub(super) mod kept;
pub(super) mod keys;
pub(super) mod login;
pub(super) mod marks;
pub(super) mod overview;
pub(super) mod progress;
mod run_state;
pub(super) mod runs;
pub(super) mod searches;
mod spread;
mod terms;
pub(super) mod topic;
pub(super) mod topic_edit;
mod topic_fields;
mod topic_form;
pub(super) mod topic_report;
