//! What every kind is made of: the question with all that a kind needs to know, the calls that were made, and what they say.

use bytes::Bytes;

use crate::model::{ProviderQuery, Remembered, Span, Time};
use crate::search::decode::DecodeError;
use crate::search::{ErrorClass, Reply, Request, Unsupported};

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
    /// The run's new items, for a kind that writes about them.
    pub items: &'a [GivenItem],
}

/// An item of the run, as a kind is given it that writes about items. A kept one has only its key and its address.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct GivenItem {
    pub key: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    #[serde(skip)]
    pub title: Option<String>,
    #[serde(skip)]
    pub text: Option<String>,
    #[serde(skip)]
    pub author: Option<String>,
    #[serde(skip)]
    pub at: Option<Time>,
}

impl Asked<'_> {
    pub(in crate::search) fn remembered(&self, name: &str) -> Option<&Remembered> {
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
    /// What came of a stream before it was cut.
    pub so_far: Option<Bytes>,
}

/// How much of the span the replies show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// All of it.
    Whole,
    /// From this instant on.
    Since(Time),
    /// From this instant on, unless the service cut the reply; only earlier replies to the question tell.
    AsRecalled(Time),
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
    /// Tokens that were read and written, where that is what costs.
    pub tokens: u64,
    /// What a person should know of it.
    pub note: Option<String>,
    /// What to do about a failure.
    pub hint: Option<String>,
}

/// How a kind is spoken to.
pub trait Kind: Sync {
    /// Its name in the table of kinds.
    fn name(&self) -> &'static str;

    /// The platform whose ids its posts have.
    fn platform(&self, _query: &ProviderQuery) -> String {
        self.name().to_owned()
    }

    /// How many of the run's items, from the first on, go into its question.
    fn given(&self, asked: &Asked<'_>) -> usize {
        asked.items.len()
    }

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

    /// The part of the memory that a replay needs to read these replies in the same way. It is kept with them.
    fn decisive(&self, _asked: &Asked<'_>) -> Vec<Remembered> {
        Vec::new()
    }
}

/// A GET below the provider's address.
pub(in crate::search) fn get(query: &ProviderQuery, path: &str, parameters: Vec<(String, String)>) -> Request {
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
pub(in crate::search) fn failed(failure: &PartFailure) -> DecodeError {
    DecodeError { class: failure.class, text: failure.text.clone(), hint: failure.hint.clone() }
}

/// A reply in another form than the kind's.
pub(in crate::search) fn malformed(what: &str, hint: &str) -> DecodeError {
    DecodeError { class: ErrorClass::Malformed, text: what.to_owned(), hint: hint.to_owned() }
}
