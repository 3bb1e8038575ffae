//! Answer text that comes in pieces, put together up to a number of characters. Which frames bring which pieces is
//! `stream`'s.

use super::context::Limits;
use super::node::Node;
use super::{answer, field};

/// Pieces one after the other.
#[derive(Debug)]
pub(super) struct Chunks {
    text: String,
    room: usize,
    /// Whether there was any, be it empty.
    pub(super) any: bool,
}

impl Chunks {
    pub(super) fn new(limits: Limits) -> Self {
        Self { text: String::new(), room: limits.max_field_chars, any: false }
    }

    pub(super) fn push(&mut self, chunk: &str) {
        let kept = field::capped(chunk, self.room);
        self.room -= kept.chars().count();
        self.text.push_str(kept);
        self.any = true;
    }

    /// All of it; `None` when nothing but white space came.
    pub(super) fn text(self) -> Option<String> {
        Some(self.text).filter(|text| !text.trim().is_empty())
    }
}

/// Pieces in frames of no type, which some deployments send as what is new and others as all so far.
#[derive(Debug)]
pub(super) struct Untyped {
    limits: Limits,
    joined: Chunks,
    last: String,
    /// As a whole reply would be read.
    whole: Option<String>,
    /// Whether each piece began with the one before.
    repeats: bool,
    /// Whether a piece began with more than a single mark, which is chance: `**Bold**` in two pieces.
    repeated: bool,
    /// Pieces with anything in them.
    pub(super) count: u32,
    /// Whether they came as `completion`.
    completions: bool,
}

impl Untyped {
    pub(super) fn new(limits: Limits) -> Self {
        let joined = Chunks::new(limits);
        Self {
            limits,
            joined,
            last: String::new(),
            whole: None,
            repeats: true,
            repeated: false,
            count: 0,
            completions: true,
        }
    }

    /// Adds the piece of a frame, which came under `name`; `whole` is what the frame says as a reply of its own.
    pub(super) fn push(&mut self, name: &str, piece: &str, whole: Option<String>) {
        if piece.is_empty() {
            return;
        }
        let piece = field::capped(piece, self.limits.max_field_chars);
        self.repeats &= piece.starts_with(&self.last);
        self.repeated |= self.last.chars().nth(1).is_some() || self.last.starts_with(char::is_alphanumeric);
        self.completions &= name == "completion";
        self.joined.push(piece);
        piece.clone_into(&mut self.last);
        self.whole = whole;
        self.count = self.count.saturating_add(1);
    }

    /// Whether a text under `name` is all of the answer: a completion after pieces of another name.
    pub(super) fn ends_with(&self, name: &str) -> bool {
        name == "completion" && self.count > 0 && !self.completions
    }

    /// The answer: of one frame what it says, of several the pieces joined, or the last when each held all so far.
    pub(super) fn text(self) -> Option<String> {
        match self.count {
            0 => None,
            1 => self.whole,
            _ if self.repeats && self.repeated => answer::text(&Node::Text(self.last), self.limits),
            _ => answer::text(&Node::Text(self.joined.text()?), self.limits),
        }
    }
}
