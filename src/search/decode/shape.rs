//! A whole JSON document to a reply: where its lists, its answer and its error are. Not here: what one entry is
//! (`entry`) and how a stream brings the same things in pieces (`stream`).

use super::node::{Node, Object, is_list_suffix};
use super::{Context, DecodeError, answer, entry, failure, malformed, nested};
use crate::model::{Answer, Found, Kind, Micros, Source};
use crate::search::{ErrorClass, Reply};

/// Wrappers around a list that are looked into (`{"data": {"search": {"organic_results": […]}}}`).
const MAX_WRAPPERS: u32 = 4;

/// What has been found so far, in a document or in a stream.
#[derive(Debug)]
pub(super) struct Gather {
    context: Context,
    pub(super) items: Vec<Found>,
    pub(super) unreadable: u32,
    pub(super) answer: Option<String>,
    pub(super) model: Option<String>,
    pub(super) cost: Option<Micros>,
    /// Whether a place for a list was there, filled or not.
    listed: bool,
    /// The first unknown member with a list in it.
    strange: Option<String>,
}

/// A reply from a complete document.
pub(super) fn reply(document: &Node, context: &Context) -> Result<Reply, DecodeError> {
    let mut gather = Gather::new(*context);
    match document {
        Node::Null => {}
        Node::List(_) => gather.list(None, document, MAX_WRAPPERS),
        Node::Object(object) => {
            gather.object(None, object, MAX_WRAPPERS);
            if !gather.listed && gather.answer.is_none() && context.source != Source::Ai {
                gather.lone(object);
            }
            return gather.judged(object);
        }
        Node::Text(text) => match nested(text, context.limits) {
            Some(inner @ (Node::Object(_) | Node::List(_))) => return reply(&inner, context),
            _ if context.source == Source::Ai => gather.answer = answer::text(document, context.limits),
            _ => return Err(malformed("the reply is a text where a list of results was expected".to_owned())),
        },
        Node::Bool(_) | Node::Number(_) => {
            return Err(malformed("the reply is a bare value where a list of results was expected".to_owned()));
        }
    }
    Ok(gather.finish(false))
}

/// A reply from the complete part of a document that was cut.
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
    let hint = "the next run asks again; if it repeats, a proxy may limit the size of replies".to_owned();
    Err(DecodeError { class: ErrorClass::Cut, text, hint })
}

/// Whether a name holds a list; with the kind that its entries have when they do not show it themselves.
#[expect(clippy::option_option, reason = "not a list's name, a list of anything, a list of one kind")]
pub(super) fn list_kind(name: &str) -> Option<Option<Kind>> {
    match name {
        "tweets" | "miner_tweets" => Some(Some(Kind::Post)),
        "search" | "search_results" | "organic_results" => Some(Some(Kind::Page)),
        "results" | "data" => Some(None),
        _ => is_list_suffix(name).then_some(None),
    }
}

impl Gather {
    pub(super) fn new(context: Context) -> Self {
        let (items, unreadable, answer, model, cost) = (Vec::new(), 0, None, None, None);
        Self { context, items, unreadable, answer, model, cost, listed: false, strange: None }
    }

    /// Everything in an object: its lists in document order, its answer, what is said about it.
    pub(super) fn object(&mut self, hint: Option<Kind>, object: &Object, wrappers: u32) {
        for (name, value) in &object.members {
            if let Some(kind) = list_kind(name) {
                self.list(kind.or(hint), value, wrappers);
            }
        }
        if self.context.source == Source::Ai && self.answer.is_none() {
            self.answer = answer::of(object, self.context.limits);
        }
        self.strange = self.strange.take().or_else(|| object.strange.clone());
        self.notes(object);
    }

    /// Model and cost.
    pub(super) fn notes(&mut self, object: &Object) {
        self.model = self.model.take().or_else(|| answer::model(object));
        self.cost = self.cost.or_else(|| answer::cost(object));
    }

    /// What stands where a list may stand.
    pub(super) fn list(&mut self, hint: Option<Kind>, value: &Node, wrappers: u32) {
        match value {
            Node::Null => self.listed = true,
            Node::List(list) => {
                self.listed = true;
                for item in &list.items {
                    self.entry(hint, item);
                }
                self.unreadable = self.unreadable.saturating_add(list.dropped);
            }
            Node::Object(object) if wrappers > 0 => {
                let wraps = object.members.iter().any(|(name, _)| list_kind(name).is_some());
                if !wraps && entry::is_entry(object, hint, self.context.source) && !self.is_answer(object) {
                    self.listed = true;
                    self.entry(hint, value);
                } else {
                    self.listed |= object.strange.is_none();
                    self.object(hint, object, wrappers - 1);
                }
            }
            Node::Text(text) if wrappers > 0 => {
                if let Some(inner) = nested(text, self.context.limits) {
                    self.list(hint, &inner, wrappers - 1);
                }
            }
            _ => {}
        }
    }

    /// An object with nothing but a text in it is an AI's answer in a wrapper, not a post.
    fn is_answer(&self, object: &Object) -> bool {
        let others = ["id", "url", "link", "title", "user", "created_at"];
        self.context.source == Source::Ai && others.iter().all(|name| object.get(name).is_none())
    }

    /// One entry of a list.
    pub(super) fn entry(&mut self, hint: Option<Kind>, entry: &Node) {
        match entry::read(entry, hint, &self.context) {
            Some(mut found) if self.items.len() < self.context.limits.max_items => {
                found.rank = u32::try_from(self.items.len()).unwrap_or(u32::MAX).saturating_add(1);
                self.items.push(found);
            }
            _ => self.unreadable = self.unreadable.saturating_add(1),
        }
    }

    /// A document that is one entry and no list.
    fn lone(&mut self, object: &Object) {
        if let Some(mut found) = entry::read(&Node::Object(object.clone()), None, &self.context) {
            found.rank = 1;
            self.items.push(found);
            self.listed = true;
        }
    }

    /// The reply, unless the document says that it is none.
    fn judged(self, object: &Object) -> Result<Reply, DecodeError> {
        let nothing = self.items.is_empty() && self.answer.is_none();
        let error = failure::of(object);
        if nothing && let Some(text) = error.clone().or_else(|| failure::detail(object)) {
            let hint = "the service refused or failed inside a success reply; the next run asks again".to_owned();
            return Err(DecodeError { class: ErrorClass::Service, text, hint });
        }
        if nothing
            && !self.listed
            && let Some(name) = &self.strange
        {
            return Err(malformed(format!("the reply has a list under an unknown name ({name:?}) and no known one")));
        }
        let mut reply = self.finish(error.is_some());
        reply.failure = error.map(|text| (ErrorClass::Service, text));
        Ok(reply)
    }

    /// What was gathered.
    pub(super) fn finish(self, partial: bool) -> Reply {
        let model = self.model;
        let answer = self.answer.map(|text| Answer { text, model, partial });
        Reply { items: self.items, answer, unreadable: self.unreadable, cost: self.cost, failure: None }
    }
}
