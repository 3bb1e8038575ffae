//! The file as it is written: where it is, its text and syntax, and its tables of known keys.

pub(super) mod discover;
pub(super) mod document;
pub(super) mod key_reader;
mod syntax;
pub(super) mod text;
mod walk;
