//! Assembles a streamed reply frame by frame: texts, lists, completion, errors, and whether it is complete. `framing`
//! splits the bytes into payloads, and `pieces` joins text. Entries and answers are read by the same functions as in a
//! plain reply.
//!
//! A stream is complete when it brought a completion, an end mark (`[DONE]`, `"done": true`, a `finish_reason`), or one
//! frame that is a whole reply. Otherwise an answer is partial and the reply failed as cut. This also holds where only
//! pieces of text came: a deployment that never marks the end looks the same as one that broke off. Streams of posts or
//! pages alone need no end mark.

pub(super) mod framing;
pub(super) mod payload;
mod pieces;

use super::context::Context;
use super::document::{ReplyBuilder, list_kind};
use super::error::{DecodeError, cut_text, malformed};
use super::json::lenient;
use super::json::lenient::parse_nested;
use super::json::node::{List, Node, Object};
use super::{answer, failure};
use crate::model::Source;
use crate::search::{ErrorClass, Reply};
use framing::{Framing, Payload};
use payload::{PayloadPart, is_frame, read};
use pieces::{JoinedText, UntypedPieces};

/// The maximum number of wrappers around a list inside a frame.
const MAX_WRAPPERS: u32 = 4;

/// Decodes a stream piece by piece. The pieces may be cut anywhere, even inside a character.
#[derive(Debug)]
pub struct StreamDecoder {
    framing: Framing,
    state: State,
}

#[derive(Debug)]
struct State {
    context: Context,
    gather: ReplyBuilder,
    /// Pieces with the role `summary`.
    summary: JoinedText,
    all: JoinedText,
    /// Pieces in frames without a type.
    untyped: UntypedPieces,
    /// All events unchanged. They are the answer if the stream turns out to be plain words.
    words: JoinedText,
    /// Whether an event was plain words, and whether one was a frame.
    worded: bool,
    framed: bool,
    completion: Option<String>,
    completed: bool,
    done: bool,
    /// Whether a frame said that more follows.
    goes_on: bool,
    /// The number of broken frames.
    broken: u32,
    /// Whether the stream ended inside a frame.
    torn: bool,
    error: Option<String>,
}

impl StreamDecoder {
    /// Creates a decoder for one reply.
    #[must_use]
    pub fn new(context: Context) -> Self {
        let limits = context.limits;
        let state = State {
            context,
            gather: ReplyBuilder::new(context),
            summary: JoinedText::new(limits),
            all: JoinedText::new(limits),
            untyped: UntypedPieces::new(limits),
            words: JoinedText::new(limits),
            worded: false,
            framed: false,
            completion: None,
            completed: false,
            done: false,
            goes_on: false,
            broken: 0,
            torn: false,
            error: None,
        };
        Self { framing: Framing::new(), state }
    }

    /// Takes the next bytes of the body.
    pub fn push(&mut self, bytes: &[u8]) {
        let state = &mut self.state;
        self.framing.push(bytes, &mut |payload| state.payload(&payload));
    }

    /// Returns the reply, once the body has ended. `failure` is set if it broke; what came before is kept.
    ///
    /// # Errors
    /// `Malformed` when nothing in it could be read although it did not break.
    pub fn finish(self) -> Result<Reply, DecodeError> {
        let mut state = self.state;
        self.framing.finish(&mut |payload| state.payload(&payload));
        state.reply()
    }
}

impl State {
    fn payload(&mut self, payload: &Payload<'_>) {
        let (bytes, last, failed) = match *payload {
            Payload::Event { bytes, last, failed } => (bytes, last, failed),
            Payload::Broken { last } => return self.broken(last),
        };
        let text = lenient::text(bytes);
        if failed {
            self.error.get_or_insert_with(|| failure::error_event_message(&text, self.context.limits));
            return;
        }
        self.collect_words(&text);
        let lines = text.trim_end().split('\n').count();
        if lines > 1 {
            // First a dry run: if one of several events without blank lines between them is broken, read each line on
            // its own.
            let faults = read(&text, self.context.limits, &mut |_| {});
            if faults.open || faults.bad > 0 {
                for (index, line) in text.split('\n').enumerate() {
                    self.read_payload(line, last && index + 1 == lines);
                }
                return;
            }
        }
        self.read_payload(&text, last);
    }

    /// Keeps an event unchanged, in case all of them turn out to be plain words.
    fn collect_words(&mut self, event: &str) {
        let content = event.trim_start();
        if content.is_empty() || content.starts_with(['{', '[', '"']) {
            if !content.starts_with("[DONE]") {
                self.words.push(event);
            }
            return;
        }
        self.worded = true;
        // Without a blank line before it, `[DONE]` is part of the same event.
        let ended = event.trim_end().strip_suffix("[DONE]").and_then(|rest| rest.strip_suffix('\n'));
        self.done |= ended.is_some();
        self.words.push(ended.unwrap_or(event));
    }

    fn read_payload(&mut self, payload: &str, last: bool) {
        let faults = read(payload, self.context.limits, &mut |piece| match piece {
            PayloadPart::Done => self.done = true,
            PayloadPart::Value(node) => self.value(&node, true),
        });
        self.broken = self.broken.saturating_add(faults.bad);
        if faults.open {
            self.broken(last);
        }
    }

    fn broken(&mut self, last: bool) {
        if last {
            self.torn = true;
        } else {
            self.broken = self.broken.saturating_add(1);
        }
    }

    /// Reads one value: a frame, frames in a list, a text with a frame in it, or an entry.
    fn value(&mut self, node: &Node, unwrap: bool) {
        match node {
            Node::Object(object) => self.frame(object),
            Node::Text(text) => match parse_nested(text, self.context.limits).filter(|_| unwrap) {
                Some(inner) => self.value(&inner, false),
                None => self.chunk(None, text),
            },
            Node::List(list) => {
                let frames = is_frame(node);
                self.framed |= list.items.iter().any(|item| matches!(item, Node::Object(_)));
                self.gather.known |= !frames;
                for item in &list.items {
                    match item {
                        Node::Object(object) if frames => self.frame(object),
                        _ => self.gather.entry(None, item),
                    }
                }
                self.gather.unreadable = self.gather.unreadable.saturating_add(list.dropped);
            }
            Node::Null | Node::Bool(_) | Node::Number(_) => {}
        }
    }

    fn frame(&mut self, object: &Object) {
        self.framed = true;
        self.gather.read_metadata(object);
        match object.get("done") {
            Some(Node::Bool(true)) => self.done = true,
            Some(Node::Bool(false)) => self.goes_on = true,
            _ => {}
        }
        if let Some(text) = failure::of(object) {
            self.error.get_or_insert(text);
            return;
        }
        let content = object.get("content");
        match object.get("type") {
            Some(Node::Text(kind)) => match (kind.as_str(), content) {
                ("text", Some(Node::Text(text))) => {
                    let role = match object.get("role") {
                        Some(Node::Text(role)) => Some(role.as_str()),
                        _ => None,
                    };
                    self.chunk(role, text);
                }
                ("completion", content) => self.complete(content.or_else(|| object.get("completion"))),
                (kind, content) => {
                    let known = match (list_kind(kind), content) {
                        (Some(hint), Some(content)) => self.gather.list(hint, content, MAX_WRAPPERS),
                        (Some(hint), None) => self.gather.object(hint, object, MAX_WRAPPERS),
                        (None, _) => false,
                    };
                    self.gather.known |= known;
                    if !known && list_kind(kind).is_some() && content.is_some() {
                        self.gather.unreadable = self.gather.unreadable.saturating_add(1);
                    }
                }
            },
            _ => match object.get("choices") {
                Some(Node::List(choices)) => self.choices(choices),
                _ => self.document(object),
            },
        }
    }

    /// Reads a frame without a type: a piece of the answer, a whole reply in one event, or the error body of a web
    /// framework.
    fn document(&mut self, object: &Object) {
        let (items, answered) = (self.gather.items.len(), self.gather.answer.take());
        let known = self.gather.object(None, object, MAX_WRAPPERS);
        let full_reply = std::mem::replace(&mut self.gather.answer, answered);
        let piece = answer::answer_part(object).filter(|_| self.context.source == Source::Ai);
        match (piece, full_reply) {
            (Some((name, piece)), full_reply) if self.untyped.is_completion(name) => {
                self.completed = true;
                self.completion = full_reply.or_else(|| Some(piece.to_owned()));
            }
            (Some((name, piece)), full_reply) => self.untyped.push(name, piece, full_reply),
            (None, Some(full_reply)) => self.untyped.push("", &full_reply.clone(), Some(full_reply)),
            (None, None) if self.gather.items.len() == items => {
                if let Some(text) = failure::detail(object) {
                    self.error.get_or_insert(text);
                }
            }
            (None, None) => {}
        }
        self.gather.known |= known;
    }

    /// Reads the pieces of the first of several answers, and whether it ended.
    fn choices(&mut self, choices: &List) {
        for choice in &choices.items {
            let Node::Object(choice) = choice else { continue };
            if matches!(choice.get("index"), Some(Node::Number(index)) if index.as_u64() != Some(0)) {
                continue;
            }
            if let Some(Node::Object(delta)) = choice.get("delta")
                && let Some(Node::Text(text)) = delta.get("content")
            {
                self.chunk(None, text);
            }
            self.done |= matches!(choice.get("finish_reason"), Some(Node::Text(reason)) if !reason.is_empty());
        }
    }

    fn complete(&mut self, content: Option<&Node>) {
        self.completed = true;
        if let Some(text) = content.and_then(|content| answer::text(content, self.context.limits)) {
            self.completion = Some(text);
        }
    }

    fn chunk(&mut self, role: Option<&str>, text: &str) {
        if role == Some("summary") {
            self.summary.push(text);
        }
        self.all.push(text);
    }

    fn reply(mut self) -> Result<Reply, DecodeError> {
        let asked_for_text = self.context.source == Source::Ai;
        let in_words = self.worded && !self.framed;
        if in_words {
            // The words that looked like JSON were plain words, too.
            (self.gather, self.torn, self.broken) = (ReplyBuilder::new(self.context), false, 0);
        }
        // A single frame is a whole reply, unless something shows that more was to come.
        let is_full_reply = self.untyped.count == 1 && !(self.goes_on || self.torn || self.context.cut.is_some());
        let ended = self.completed || self.done || is_full_reply;
        let spoke = self.completed || self.all.any || self.untyped.count > 0 || in_words;
        let understood = self.gather.known || (asked_for_text && spoke);
        let unended = !ended && (asked_for_text || self.all.any);
        let in_pieces = self.completion.is_none();

        let mut gather = self.gather;
        gather.unreadable = gather.unreadable.saturating_add(self.broken);
        gather.answer = match self.completion {
            _ if !asked_for_text => None,
            Some(text) => Some(text),
            None if in_words => self.words.text(),
            None => self.untyped.text().or_else(|| self.summary.text()).or_else(|| self.all.text()),
        };
        let has_gaps = self.broken > 0 && in_pieces && gather.answer.is_some();
        let failure = match (self.error, self.context.cut) {
            (Some(text), _) => Some((ErrorClass::Service, text)),
            (None, Some(class)) if !self.done => Some((class, cut_text(class))),
            _ if self.torn && !self.done => Some((ErrorClass::Cut, "the stream ended inside a frame".to_owned())),
            _ if !understood && gather.items.is_empty() && (self.framed || self.done || !asked_for_text) => {
                return Err(malformed("nothing in the reply's stream could be read".to_owned()));
            }
            _ if unended => Some((ErrorClass::Cut, "the stream ended without a completion".to_owned())),
            _ if has_gaps => {
                let text =
                    format!("{} of the stream's frames could not be read: the answer may have gaps", self.broken);
                Some((ErrorClass::Malformed, text))
            }
            _ => None,
        };
        if failure.is_none() {
            gather.known = true;
            gather.check_not_malformed()?;
        }
        let partial = !ended || has_gaps || matches!(failure, Some((ErrorClass::Service, _)));
        Ok(Reply { failure, ..gather.finish(partial) })
    }
}
