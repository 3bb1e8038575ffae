//! A streamed reply, put together frame by frame: texts, lists, completion, errors, and whether it came to its end. The
//! bytes are cut into payloads by `framing`; entries and answers are read by the same functions as in a plain reply.
//!
//! A stream has ended well when it brought a completion or `[DONE]`. Without either, an answer is partial and the reply
//! failed as cut, also where only text chunks came: a deployment that never says where its text ends cannot be told
//! from one that broke off. Streams of posts or pages alone need no such sign.

use super::framing::{Framing, Payload};
use super::node::{Node, Object};
use super::payload::{Piece, is_frame, read};
use super::shape::{Gather, list_kind};
use super::{Context, answer, failure, lenient, nested};
use crate::model::Source;
use crate::search::{ErrorClass, Reply};

/// Wrappers around a list inside a frame.
const MAX_WRAPPERS: u32 = 4;

/// Reads a stream piece by piece; the pieces may be cut anywhere, inside a character too.
#[derive(Debug)]
pub struct StreamDecoder {
    framing: Framing,
    state: State,
}

#[derive(Debug)]
struct State {
    context: Context,
    gather: Gather,
    /// Chunks of the role `summary`.
    summary: Chunks,
    /// All chunks.
    all: Chunks,
    completion: Option<String>,
    completed: bool,
    done: bool,
    /// Whether the stream ended inside a frame.
    torn: bool,
    error: Option<String>,
}

/// Text that comes in pieces, up to a number of characters.
#[derive(Debug)]
struct Chunks {
    text: String,
    room: usize,
    any: bool,
}

impl Chunks {
    fn push(&mut self, chunk: &str) {
        let kept = super::field::capped(chunk, self.room);
        self.room -= kept.chars().count();
        self.text.push_str(kept);
        self.any = true;
    }
}

impl StreamDecoder {
    /// A decoder for one reply.
    #[must_use]
    pub fn new(context: Context) -> Self {
        let chunks = || Chunks { text: String::new(), room: context.limits.max_field_chars, any: false };
        let state = State {
            context,
            gather: Gather::new(context),
            summary: chunks(),
            all: chunks(),
            completion: None,
            completed: false,
            done: false,
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

    /// The reply, once the body has ended. `failure` says whether it broke; what came before is kept.
    #[must_use]
    pub fn finish(self) -> Reply {
        let mut state = self.state;
        self.framing.finish(&mut |payload| state.payload(&payload));
        state.reply()
    }
}

impl State {
    fn payload(&mut self, payload: &Payload<'_>) {
        let (bytes, last) = match *payload {
            Payload::Event { bytes, last } => (bytes, last),
            Payload::Broken { last } => return self.broken(last),
        };
        let text = lenient::text(bytes);
        let lines = text.trim_end().split('\n').count();
        if lines > 1 {
            // Looked through before anything is kept: when one of several events without blank lines between them is
            // broken, each line counts for itself.
            let faults = read(&text, self.context.limits, &mut |_| {});
            if faults.open || faults.bad > 0 {
                for (index, line) in text.split('\n').enumerate() {
                    self.take(line, last && index + 1 == lines);
                }
                return;
            }
        }
        self.take(&text, last);
    }

    fn take(&mut self, payload: &str, last: bool) {
        let faults = read(payload, self.context.limits, &mut |piece| match piece {
            Piece::Done => self.done = true,
            Piece::Value(node) => self.value(&node, true),
        });
        self.gather.unreadable = self.gather.unreadable.saturating_add(faults.bad);
        if faults.open {
            self.broken(last);
        }
    }

    fn broken(&mut self, last: bool) {
        if last {
            self.torn = true;
        } else {
            self.gather.unreadable = self.gather.unreadable.saturating_add(1);
        }
    }

    /// One value: a frame, frames in a list, a text with a frame in it, or an entry.
    fn value(&mut self, node: &Node, unwrap: bool) {
        match node {
            Node::Object(object) => self.frame(object),
            Node::Text(text) => match nested(text, self.context.limits).filter(|_| unwrap) {
                Some(inner) => self.value(&inner, false),
                None => self.chunk(None, text),
            },
            Node::List(list) => {
                let frames = is_frame(node);
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
        self.gather.notes(object);
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
                (kind, content) => match (list_kind(kind), content) {
                    (Some(hint), Some(content)) => self.gather.list(hint, content, MAX_WRAPPERS),
                    (Some(hint), None) => self.gather.object(hint, object, MAX_WRAPPERS),
                    (None, _) => {}
                },
            },
            _ => self.document(object),
        }
    }

    /// A frame without a type: a whole reply in one event, or the error body of a web framework.
    fn document(&mut self, object: &Object) {
        let (items, answered) = (self.gather.items.len(), self.gather.answer.take());
        self.gather.object(None, object, MAX_WRAPPERS);
        match self.gather.answer.take() {
            Some(text) => {
                self.completed = true;
                self.completion = Some(text);
            }
            None if self.gather.items.len() == items => {
                if let Some(text) = failure::detail(object) {
                    self.error.get_or_insert(text);
                }
            }
            None => {}
        }
        self.gather.answer = answered;
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

    fn reply(self) -> Reply {
        let ended = self.completed || self.done;
        let asked_for_text = self.context.source == Source::Ai;
        let cut = !self.done && (self.torn || (!ended && (asked_for_text || self.all.any)));
        let failure = match self.error {
            Some(text) => Some((ErrorClass::Service, text)),
            None if cut && self.torn => Some((ErrorClass::Cut, "the stream ended inside a frame".to_owned())),
            None if cut => Some((ErrorClass::Cut, "the stream ended without a completion".to_owned())),
            None => None,
        };
        let partial = !ended || matches!(failure, Some((ErrorClass::Service, _)));
        let chunks = [self.summary.text, self.all.text].into_iter().find(|text| !text.trim().is_empty());
        let mut gather = self.gather;
        gather.answer = self.completion.or(chunks).filter(|_| asked_for_text);
        Reply { failure, ..gather.finish(partial) }
    }
}
