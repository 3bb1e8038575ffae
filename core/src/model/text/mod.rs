//! Text and words: terms, searches by words, invisible characters, and text made short or safe to show.

pub(super) mod address;
pub(super) mod invisible;
pub(super) mod language;
pub(super) mod nearest;
pub(super) mod numbers;
pub(super) mod shell_word;
pub(super) mod short_text;
pub(super) mod term;
pub(super) mod text_query;
pub(super) mod whole_characters;
