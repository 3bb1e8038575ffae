//! Mistakes: what is wrong, at which place, what was probably meant, and how a terminal shows it without secrets.

pub(super) mod fault;
pub(super) mod location;
pub(super) mod mistake;
pub(super) mod other_words;
pub(super) mod redact;
pub(super) mod render;
pub(super) mod suggest;
