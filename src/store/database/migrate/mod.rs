//! The tables of a database: the migrations, and whether a database has them.

#[cfg(test)]
mod dialects;
pub(in crate::store) mod migrated;
pub(in crate::store) mod migrations;
#[cfg(test)]
mod upgrade;
