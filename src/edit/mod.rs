//! Pure: edits of the text of `jobs.toml`. Only the bytes of what changes are touched; comments, order, spacing and line
//! ends stay. What a key means, and whether the result is any good, is `config`'s.

mod comments;
mod entry;
mod jobs;
mod places;
#[cfg(test)]
mod tests;
mod text;
mod value;

pub use comments::without_comments;
pub use entry::{Entry, Kind, Refused};
pub use jobs::{Jobs, Removed, masked};
pub use value::Given;
