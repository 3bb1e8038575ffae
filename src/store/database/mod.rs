//! The two databases: opening one, its files, connections and errors, and how a statement is run on the open one. The
//! statements themselves belong to each subject.

#[macro_use]
mod macros;
pub(in crate::store) mod cells;
mod clock;
pub(in crate::store) mod connect;
pub(in crate::store) mod copying;
pub(in crate::store) mod error;
pub(in crate::store) mod handle;
pub(in crate::store) mod migrate;
pub(in crate::store) mod postgres;
mod recent;
pub(in crate::store) mod sqlite;
