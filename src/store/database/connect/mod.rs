//! Opens a database and keeps it open: its address, encryption, locks, and whether it is still there and takes writes.

pub(in crate::store) mod address;
pub(in crate::store::database) mod certificates;
pub(in crate::store::database) mod disk_room;
pub(in crate::store::database) mod in_place;
pub(in crate::store) mod locks;
pub(in crate::store) mod open;
pub(in crate::store) mod open_postgres;
pub(in crate::store) mod probe;
mod read_only;
pub(in crate::store::database) mod refused_writes;
pub(in crate::store) mod tls;
