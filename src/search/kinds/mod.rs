//! Kinds of providers beside the search service. A kind is two pure functions: which request comes next after what came
//! back so far, and what all that came back says. The calls are made by `collect`, through the same client as all others.
//! What a kind brings and may be asked is declared in `model/provider.rs`; to add one, write its file here and name it in
//! [`KINDS`].

mod bluesky;
mod call;
mod date;
mod feeds;
mod hackernews;
mod markup;
mod searxng;

use bytes::Bytes;

pub use call::call_all;

use super::{ErrorClass, Reply, Request, Unsupported};
use crate::model::{ProviderQuery, Remembered, Span, Time};
use crate::search::decode::DecodeError;

/// Most calls of one search, whatever its question says.
pub const MOST_PARTS: usize = 500;

/// A question to a provider, with all that its kind needs to know.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    pub query: &'a ProviderQuery,
    /// What is looked at.
    pub span: Span,
    /// When the run began.
    pub now: Time,
    /// What earlier searches of the topic remembered.
    pub memory: &'a [Remembered],
}

impl Asked<'_> {
    fn remembered(&self, name: &str) -> Option<&Remembered> {
        self.memory.iter().find(|one| one.name == name)
    }
}

/// One call of a search and what came of it.
#[derive(Debug, Clone)]
pub struct Part {
    pub request: Request,
    pub reply: Result<PartReply, PartFailure>,
}

/// A reply to one call.
#[derive(Debug, Clone)]
pub struct PartReply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Bytes,
}

impl PartReply {
    /// A header by its name in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// A call that failed, after its tries.
#[derive(Debug, Clone)]
pub struct PartFailure {
    pub class: ErrorClass,
    pub status: Option<u16>,
    pub text: String,
    pub hint: String,
    /// Where a redirect points to.
    pub location: Option<String>,
}

/// How much of the span the replies show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// All of it.
    Whole,
    /// From this instant on.
    Since(Time),
    /// Nothing that could be said.
    Nothing,
}

/// What all replies of a search say.
#[derive(Debug, Clone)]
pub struct Read {
    pub reply: Reply,
    pub shown: Shown,
    /// There was more than could be read.
    pub full: bool,
    /// What the next search of the topic should know; kept when the run is.
    pub memory: Vec<Remembered>,
    /// What a person should know of it.
    pub note: Option<String>,
    /// What to do about a failure.
    pub hint: Option<String>,
}

/// How a kind is spoken to.
pub trait Kind: Sync {
    /// Its name in the table of kinds.
    fn name(&self) -> &'static str;

    /// The next calls, which may be made side by side; none when all that is wanted came.
    ///
    /// # Errors
    /// [`Unsupported`] for a question that the kind cannot put into a request.
    fn next(&self, asked: &Asked<'_>, parts: &[Part]) -> Result<Vec<Request>, Unsupported>;

    /// What the replies say. At least one call was made.
    ///
    /// # Errors
    /// Replies of which nothing could be kept.
    fn read(&self, asked: &Asked<'_>, parts: &[Part]) -> Result<Read, DecodeError>;
}

static KINDS: &[&dyn Kind] = &[&hackernews::HackerNews, &searxng::Searxng, &feeds::Feeds, &bluesky::Bluesky];

/// How the kind of this name is spoken to.
#[must_use]
pub fn named(name: &str) -> Option<&'static dyn Kind> {
    KINDS.iter().copied().find(|kind| kind.name() == name)
}

/// A GET below the provider's address.
fn get(query: &ProviderQuery, path: &str, parameters: Vec<(String, String)>) -> Request {
    Request {
        source: query.source,
        method: "GET",
        path: path.to_owned(),
        query: parameters,
        body: None,
        limit: None,
        streaming: false,
        address: None,
        headers: Vec::new(),
    }
}

/// A failure of a part as that of the whole.
fn failed(failure: &PartFailure) -> DecodeError {
    DecodeError { class: failure.class, text: failure.text.clone(), hint: failure.hint.clone() }
}

/// A reply in another form than the kind's.
fn malformed(what: &str, hint: &str) -> DecodeError {
    DecodeError { class: ErrorClass::Malformed, text: what.to_owned(), hint: hint.to_owned() }
}

#[cfg(test)]
mod tests {
    use crate::model::ProviderKind;

    #[test]
    fn every_kind_is_declared_once_and_every_declared_kind_can_be_spoken_to() {
        let declared: Vec<&str> = crate::model::KINDS.iter().map(|kind| kind.name).collect();
        let mut spoken: Vec<&str> = super::KINDS.iter().map(|kind| kind.name()).collect();
        spoken.sort_by_key(|name| declared.iter().position(|one| one == name));
        assert_eq!(declared, spoken);
        for kind in crate::model::KINDS {
            assert!(kind.asks.iter().any(|key| key.name == kind.needs), "{}", kind.name);
            assert!(ProviderKind::named(kind.name).is_some());
        }
    }
}
