//! Converts a whole JSON document to a reply: finds its lists, its answer and its error. `entry` reads single entries,
//! and `stream` reads streams.

use super::context::Context;
use super::error::{DecodeError, all_unreadable, malformed};
use super::json::lenient::parse_nested;
use super::json::node::{Node, Object, is_list_suffix};
use super::{answer, entry, failure};
use crate::model::{Answer, Kind, Micros, ReplyEntry, Source};
use crate::search::{ErrorClass, Reply};

/// The maximum number of wrappers opened around a list (`{"data": {"search": {"organic_results": […]}}}`).
const MAX_WRAPPERS: u32 = 4;

/// The findings so far in a document or a stream.
#[derive(Debug)]
pub(super) struct ReplyBuilder {
    context: Context,
    pub(super) items: Vec<ReplyEntry>,
    pub(super) unreadable: u32,
    pub(super) answer: Option<String>,
    pub(super) model: Option<String>,
    pub(super) cost: Option<Micros>,
    /// Whether something of a known shape was there, even if empty.
    pub(super) known: bool,
    /// The first list name under which something else was found.
    misplaced: Option<String>,
    /// The first unknown member with a list in it.
    strange: Option<String>,
    /// The first unknown member of any kind.
    unknown: Option<String>,
}

/// Builds a reply from a complete document.
pub(super) fn reply(document: &Node, context: &Context) -> Result<Reply, DecodeError> {
    let mut gather = ReplyBuilder::new(*context);
    match document {
        Node::Null => gather.known = true,
        Node::List(_) => gather.known = gather.list(None, document, MAX_WRAPPERS),
        Node::Object(object) => {
            gather.known = gather.object(None, object, MAX_WRAPPERS);
            if !gather.known && context.source != Source::Ai {
                gather.single_entry(object);
            }
            return gather.into_reply(object);
        }
        Node::Text(text) => match parse_nested(text, context.limits) {
            Some(inner @ (Node::Object(_) | Node::List(_))) => return reply(&inner, context),
            _ if context.source == Source::Ai => {
                gather.known = true;
                gather.answer = answer::text(document, context.limits);
            }
            _ => return Err(malformed("the reply is a text instead of a list of results".to_owned())),
        },
        Node::Bool(_) | Node::Number(_) => {
            return Err(malformed("the reply is a bare value instead of a list of results".to_owned()));
        }
    }
    gather.check_not_malformed()?;
    Ok(gather.finish(false))
}

/// Builds a reply from the complete part of a document that was cut.
pub(super) fn cut_reply(rest: Option<&Node>, context: &Context) -> Result<Reply, DecodeError> {
    let text = "the reply was cut short".to_owned();
    if let Some(Ok(mut kept)) = rest.map(|rest| reply(rest, context))
        && (!kept.items.is_empty() || kept.answer.is_some())
    {
        if let Some(answer) = &mut kept.answer {
            answer.partial = true;
        }
        kept.failure = Some((ErrorClass::Cut, text));
        return Ok(kept);
    }
    let hint = "the next run tries again; if this repeats, a proxy may limit the size of replies".to_owned();
    Err(DecodeError { class: ErrorClass::Cut, text, hint })
}

/// Whether a name holds a list, and the kind of its entries when they do not show it themselves.
#[expect(clippy::option_option, reason = "not a list's name, a list of anything, a list of one kind")]
pub(super) fn list_kind(name: &str) -> Option<Option<Kind>> {
    match name {
        "tweets" | "miner_tweets" => Some(Some(Kind::Post)),
        "search" | "search_results" | "organic_results" => Some(Some(Kind::Page)),
        "results" | "data" => Some(None),
        _ => is_list_suffix(name).then_some(None),
    }
}

impl ReplyBuilder {
    pub(super) fn new(context: Context) -> Self {
        let (items, unreadable, answer, model, cost) = (Vec::new(), 0, None, None, None);
        let (known, misplaced, strange, unknown) = (false, None, None, None);
        Self { context, items, unreadable, answer, model, cost, known, misplaced, strange, unknown }
    }

    /// Collects everything in an object: its lists in document order, its answer, model and cost. Returns whether any
    /// of it has a known shape.
    pub(super) fn object(&mut self, hint: Option<Kind>, object: &Object, wrappers: u32) -> bool {
        let mut known = object.is_empty();
        for (name, value) in &object.members {
            let Some(kind) = list_kind(name) else { continue };
            if self.list(kind.or(hint), value, wrappers) {
                known = true;
            } else {
                self.unreadable = self.unreadable.saturating_add(1);
                self.misplaced.get_or_insert_with(|| name.to_string());
            }
        }
        if self.context.source == Source::Ai {
            if self.answer.is_none() {
                self.answer = answer::of(object, self.context.limits);
            }
            known |= self.answer.is_some() || answer::is_empty_answer(object);
        }
        self.strange = self.strange.take().or_else(|| object.strange.clone());
        self.unknown = self.unknown.take().or_else(|| object.unknown.clone());
        self.read_metadata(object);
        known
    }

    /// Collects model and cost.
    pub(super) fn read_metadata(&mut self, object: &Object) {
        self.model = self.model.take().or_else(|| answer::model(object));
        self.cost = self.cost.or_else(|| answer::cost(object));
    }

    /// Reads a value in place of a list. Returns false when it is neither a list, nor one in a wrapper, nor a way to
    /// say that there is none.
    pub(super) fn list(&mut self, hint: Option<Kind>, value: &Node, wrappers: u32) -> bool {
        match value {
            Node::Null => true,
            Node::List(list) => {
                for item in &list.items {
                    self.entry(hint, item);
                }
                self.unreadable = self.unreadable.saturating_add(list.dropped);
                true
            }
            Node::Object(object) if wrappers > 0 => {
                let wraps = object.members.iter().any(|(name, _)| list_kind(name).is_some());
                if !wraps && entry::is_entry(object, hint, self.context.source) && !self.is_answer(object) {
                    self.entry(hint, value);
                    true
                } else {
                    self.object(hint, object, wrappers - 1)
                }
            }
            Node::Text(text) if wrappers > 0 => {
                parse_nested(text, self.context.limits).is_some_and(|inner| self.list(hint, &inner, wrappers - 1))
            }
            _ => false,
        }
    }

    /// Whether an object is an AI's answer in a wrapper, not a post: it has nothing but a text.
    fn is_answer(&self, object: &Object) -> bool {
        let others = ["id", "url", "link", "title", "user", "created_at"];
        self.context.source == Source::Ai && others.iter().all(|name| object.get(name).is_none())
    }

    /// Reads one entry of a list.
    pub(super) fn entry(&mut self, hint: Option<Kind>, entry: &Node) {
        match entry::read(entry, hint, &self.context) {
            Some(mut found) if self.items.len() < self.context.limits.max_items => {
                found.rank = u32::try_from(self.items.len()).unwrap_or(u32::MAX).saturating_add(1);
                self.items.push(found);
            }
            _ => self.unreadable = self.unreadable.saturating_add(1),
        }
    }

    /// Reads a document that is a single entry instead of a list.
    fn single_entry(&mut self, object: &Object) {
        if let Some(mut found) = entry::read(&Node::Object(object.clone()), None, &self.context) {
            found.rank = 1;
            self.items.push(found);
            self.known = true;
        }
    }

    /// Whether nothing was found.
    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty() && self.answer.is_none()
    }

    /// Rejects an empty reply that does not say in a known shape that nothing was found: a changed format must not look
    /// like "nothing found".
    pub(super) fn check_not_malformed(&self) -> Result<(), DecodeError> {
        if !self.is_empty() {
            return Ok(());
        }
        if let Some(name) = &self.misplaced {
            return Err(malformed(format!("{name:?} in the reply is not a list of results")));
        }
        if self.unreadable > 0 {
            return Err(all_unreadable(self.unreadable.into()));
        }
        if self.known {
            return Ok(());
        }
        Err(malformed(match (&self.strange, &self.unknown) {
            (Some(name), _) => {
                format!("the reply has a list under an unknown name ({name:?}) and none under a known name")
            }
            (None, Some(name)) => format!("the reply has an unknown member ({name:?}) and no known one"),
            (None, None) => "the reply has no known member with results".to_owned(),
        }))
    }

    /// Returns the reply, unless the document reports an error.
    fn into_reply(self, object: &Object) -> Result<Reply, DecodeError> {
        let error = failure::of(object);
        let of_empty = || failure::find_error_of_empty(object, self.known);
        if self.is_empty()
            && let Some(text) = error.clone().or_else(|| failure::detail(object)).or_else(of_empty)
        {
            let hint = "the service reported an error with a success status; the next run tries again".to_owned();
            return Err(DecodeError { class: ErrorClass::Service, text, hint });
        }
        self.check_not_malformed()?;
        let mut reply = self.finish(error.is_some());
        reply.failure = error.map(|text| (ErrorClass::Service, text));
        Ok(reply)
    }

    /// Builds the reply from the gathered parts.
    pub(super) fn finish(self, partial: bool) -> Reply {
        let model = self.model;
        let answer = self.answer.map(|text| Answer { text, model, partial });
        Reply { items: self.items, answer, unreadable: self.unreadable, cost: self.cost, failure: None }
    }
}
