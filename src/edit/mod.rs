//! Edits the text of `jobs.toml`. Pure. Changes only the bytes needed; comments, order, spacing and line ends stay.
//! `config` interprets and checks the result.

mod comments;
mod entry;
mod jobs;
mod lists;
mod table_index;
#[cfg(test)]
mod tests;
mod text;
mod value;

pub use comments::replace_comments;
pub use entry::{EditError, Entry, Kind};
pub use jobs::{Jobs, Removed, mask_key};
pub use value::{KeyValue, basic_string};
