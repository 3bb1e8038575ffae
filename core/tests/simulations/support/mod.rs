//! Code that the simulations share: random counts, days of known events, and the tables in the docs.

pub mod doc_tables;
pub mod event_days;
pub mod random_counts;
#[path = "../../../../tests/it/support/replaced_page.rs"]
mod replaced_page;
