//! The columns of each export, in order. They are a contract with everyone who loads the files: columns are only ever
//! added, at the end, and `origin` always follows last. The tables of docs/reference/exports.md are generated from
//! these.

mod answers;
mod changes;
mod daily;
mod items;
mod new;
mod runs;
mod searches;
mod sightings;
mod terms;

pub(super) use answers::ANSWERS;
pub(super) use changes::{CHANGES, ChangeKind, ChangeRow};
pub(super) use daily::{DAILY, DailyRow};
pub(super) use items::ITEMS;
pub(super) use new::NEW;
pub(super) use runs::RUNS;
pub(super) use searches::SEARCHES;
pub(super) use sightings::SIGHTINGS;
pub(super) use terms::{TERMS, TermNewsRow};
