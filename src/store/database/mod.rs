//! The two databases: opening one, its files, connections and errors, and how a statement is run on the open one. The
//! statements themselves belong to each subject.

#[macro_use]
mod macros;
pub(in crate::store) mod address;
pub(in crate::store) mod cells;
mod certificates;
mod clock;
pub(in crate::store) mod copying;
mod disk_room;
pub(in crate::store) mod error;
pub(in crate::store) mod handle;
mod in_place;
pub(in crate::store) mod locks;
pub(in crate::store) mod migrated;
pub(in crate::store) mod migrations;
pub(in crate::store) mod open;
pub(in crate::store) mod open_postgres;
pub(in crate::store) mod postgres;
mod read_only;
mod refused_writes;
pub(in crate::store) mod sqlite;
pub(in crate::store) mod tls;
#[cfg(test)]
mod upgrade;
