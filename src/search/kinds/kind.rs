//! The types of all kinds: the question with all that a kind needs, the calls that were made, and what was read from
//! them.

use bytes::Bytes;

use crate::model::{Micros, ProviderQuery, Remembered, Span, Time};
use crate::search::decode::DecodeError;
use crate::search::{ErrorClass, Reply, Request, Unsupported};

/// The maximum number of calls of one search, whatever its question says.
pub const MOST_PARTS: usize = 500;

/// A question to a provider, with all that its kind needs.
#[derive(Debug, Clone, Copy)]
pub struct ProviderRequest<'a> {
    pub query: &'a ProviderQuery,
    /// The span to search.
    pub span: Span,
    /// When the run started.
    pub now: Time,
    /// The memory that earlier searches of the topic stored.
    pub memory: &'a [Remembered],
    /// The run's new items, for a kind that writes about them.
    pub items: &'a [PromptItem],
}

/// An item of the run, for kinds that write about items. Only its key and its address are stored.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct PromptItem {
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

impl ProviderRequest<'_> {
    pub(in crate::search) fn memory_of(&self, name: &str) -> Option<&Remembered> {
        self.memory.iter().find(|one| one.name == name)
    }
}

/// One call of a search and its outcome.
#[derive(Debug, Clone)]
pub struct SearchCall {
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
    /// Returns a header by its name, in any case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// A call that failed after its retries.
#[derive(Debug, Clone)]
pub struct PartFailure {
    pub class: ErrorClass,
    pub status: Option<u16>,
    pub text: String,
    pub hint: String,
    /// Where a redirect points to.
    pub location: Option<String>,
    /// The earliest time for the next call, if the server gave one.
    pub not_before: Option<Time>,
    /// The part of a stream that arrived before it was cut.
    pub so_far: Option<Bytes>,
}

/// How much of the span the replies cover.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpanCoverage {
    /// All of it.
    Whole,
    /// From this instant on.
    Since(Time),
    /// From the first instant to the second.
    Between(Time, Time),
    /// From this instant on, unless the service cut the reply; only earlier replies to the question show whether it
    /// did.
    AsRecalled(Time),
    /// Nothing for certain.
    Nothing,
}

/// The result of reading all replies of a search.
#[derive(Debug, Clone)]
pub struct ReadResult {
    pub reply: Reply,
    pub coverage: SpanCoverage,
    /// Whether there was more than could be read.
    pub full: bool,
    /// State for the next search of the topic. It is stored with the run.
    pub memory: Vec<Remembered>,
    /// Tokens read and written, for a provider that bills by tokens.
    pub tokens: u64,
    /// A note for people.
    pub note: Option<String>,
    /// The hint for a failure.
    pub hint: Option<String>,
}

/// The address, if it is not the provider's, and the path of a call.
pub type CallTarget = (Option<String>, String);

/// How to talk to one kind of provider.
pub trait Kind: Sync {
    /// Its name in the table of kinds.
    fn name(&self) -> &'static str;

    /// The platform that the ids of its posts belong to.
    fn platform(&self, _query: &ProviderQuery) -> String {
        self.name().to_owned()
    }

    /// Returns how many of the run's items, from the first on, go into its question.
    fn prompt_item_count(&self, request: &ProviderRequest<'_>) -> usize {
        request.items.len()
    }

    /// Returns the next calls, which may run in parallel; none when everything wanted has arrived.
    ///
    /// # Errors
    /// [`Unsupported`] for a question that the kind cannot put into a request.
    fn next(&self, request: &ProviderRequest<'_>, parts: &[SearchCall]) -> Result<Vec<Request>, Unsupported>;

    /// Whether a call that waits for its turn must not be made any more, after these others failed.
    fn is_held_up(&self, _next: &CallTarget, _failed: &[SearchCall]) -> bool {
        false
    }

    /// Reads the replies. At least one call was made.
    ///
    /// # Errors
    /// If nothing in the replies could be kept.
    fn read(&self, request: &ProviderRequest<'_>, parts: &[SearchCall]) -> Result<ReadResult, DecodeError>;

    /// Returns the tokens that these replies report, for replies that cannot be kept: they are billed all the same.
    fn tokens(&self, _parts: &[SearchCall]) -> u64 {
        0
    }

    /// Returns the cost that these replies state, for replies that cannot be kept.
    fn billed(&self, _parts: &[SearchCall]) -> Option<Micros> {
        None
    }

    /// Returns what the next search should know about calls that did not end before the run did.
    fn remember_unended(
        &self,
        _request: &ProviderRequest<'_>,
        _parts: &[SearchCall],
        _unended: &[CallTarget],
    ) -> Vec<Remembered> {
        Vec::new()
    }

    /// The part of the memory that a replay needs to read these replies the same way. It is stored with them.
    fn replay_memory(&self, _request: &ProviderRequest<'_>) -> Vec<Remembered> {
        Vec::new()
    }
}

/// Builds a GET request below the provider's address.
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
        redirected_from: Vec::new(),
        headers: Vec::new(),
    }
}

/// Turns the failure of a part into the failure of the whole search.
pub(in crate::search) fn failed(failure: &PartFailure) -> DecodeError {
    DecodeError { class: failure.class, text: failure.text.clone(), hint: failure.hint.clone() }
}

/// The error for a reply in another format than the kind's.
pub(in crate::search) fn malformed(what: &str, hint: &str) -> DecodeError {
    DecodeError { class: ErrorClass::Malformed, text: what.to_owned(), hint: hint.to_owned() }
}
