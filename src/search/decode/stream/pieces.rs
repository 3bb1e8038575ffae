//! Joins answer text that comes in pieces, up to a number of characters. `stream` decides which frames hold pieces.

use crate::search::decode::answer;
use crate::search::decode::context::Limits;
use crate::search::decode::entry::field;
use crate::search::decode::json::node::Node;

/// Pieces joined in order.
#[derive(Debug)]
pub(in crate::search::decode) struct JoinedText {
    text: String,
    room: usize,
    /// Whether any piece came, even an empty one.
    pub(in crate::search::decode) any: bool,
}

impl JoinedText {
    pub(in crate::search::decode) fn new(limits: Limits) -> Self {
        Self { text: String::new(), room: limits.max_field_chars, any: false }
    }

    pub(in crate::search::decode) fn push(&mut self, chunk: &str) {
        let kept = field::truncate(chunk, self.room);
        self.room -= kept.chars().count();
        self.text.push_str(kept);
        self.any = true;
    }

    /// Returns the joined text. `None` when it is only white space.
    pub(in crate::search::decode) fn text(self) -> Option<String> {
        Some(self.text).filter(|text| !text.trim().is_empty())
    }
}

/// Pieces in frames without a type. Some deployments send only new text, others all text so far.
#[derive(Debug)]
pub(in crate::search::decode) struct UntypedPieces {
    limits: Limits,
    joined: JoinedText,
    last: String,
    /// The last frame, read as a whole reply.
    full_reply: Option<String>,
    /// Whether each piece began with the one before.
    repeats: bool,
    /// Whether some repeated piece was more than a single punctuation mark. Repeating one mark is chance: `**Bold**` in
    /// two pieces.
    repeated: bool,
    /// The number of non-empty pieces.
    pub(in crate::search::decode) count: u32,
    /// Whether all pieces came as `completion`.
    completions: bool,
}

impl UntypedPieces {
    pub(in crate::search::decode) fn new(limits: Limits) -> Self {
        let joined = JoinedText::new(limits);
        Self {
            limits,
            joined,
            last: String::new(),
            full_reply: None,
            repeats: true,
            repeated: false,
            count: 0,
            completions: true,
        }
    }

    /// Adds a frame's piece, found under `name`; `full_reply` is the frame read as a reply of its own.
    pub(in crate::search::decode) fn push(&mut self, name: &str, piece: &str, full_reply: Option<String>) {
        if piece.is_empty() {
            return;
        }
        let piece = field::truncate(piece, self.limits.max_field_chars);
        self.repeats &= piece.starts_with(&self.last);
        self.repeated |= self.last.chars().nth(1).is_some() || self.last.starts_with(char::is_alphanumeric);
        self.completions &= name == "completion";
        self.joined.push(piece);
        piece.clone_into(&mut self.last);
        self.full_reply = full_reply;
        self.count = self.count.saturating_add(1);
    }

    /// Whether a text under `name` is the whole answer: a completion after pieces of another name.
    pub(super) fn is_completion(&self, name: &str) -> bool {
        name == "completion" && self.count > 0 && !self.completions
    }

    /// Returns the answer: the reply in a single frame, the pieces joined, or the last piece if each held all text so
    /// far.
    pub(in crate::search::decode) fn text(self) -> Option<String> {
        match self.count {
            0 => None,
            1 => self.full_reply,
            _ if self.repeats && self.repeated => answer::text(&Node::Text(self.last), self.limits),
            _ => answer::text(&Node::Text(self.joined.text()?), self.limits),
        }
    }
}
