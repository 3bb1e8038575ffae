//! The formats of exports, with compression, archives and escaping.

mod archive;
pub(super) mod atom;
pub(super) mod csv;
pub(super) mod format;
pub(super) mod gzip;
mod jsonl;
pub(super) mod out;
pub(super) mod xlsx;
mod xml;
