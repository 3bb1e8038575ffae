//! Input types of the store: plans, claims, calls, outcomes. Output rows for readers are in `model`. The only database
//! id here is that of a held run, which stays inside the process.

use crate::model::{
    Answer, DataOrigin, Finding, Kind, LimitExceeded, Mark, Micros, Remembered, RunState, Scorer, SearchState,
    SeqRange, Source, Span, TextQuery, Time, Tone, Topic, Trigger,
};

/// A run held by this process: id, fencing token and what to do.
#[derive(Debug, Clone)]
pub struct RunRef {
    /// The database's id; stays inside the process.
    pub(crate) id: i64,
    /// Public id: `job@slot` or a ULID.
    pub public_id: String,
    /// Fencing token of the claim.
    pub token: String,
    /// The stored definition to run.
    pub topic: Topic,
    /// The slot of a planned run.
    pub slot: Option<Time>,
    /// What triggered it.
    pub trigger: Trigger,
    /// Which attempt this is, from 1.
    pub attempt: i64,
}

impl RunRef {
    /// Returns the claim of this run.
    pub(crate) fn claim(&self) -> RunClaim {
        RunClaim { id: self.id, public_id: self.public_id.clone(), token: self.token.clone() }
    }
}

/// The claim of a run of any kind.
#[derive(Debug, Clone)]
pub(crate) struct RunClaim {
    pub(crate) id: i64,
    pub(crate) public_id: String,
    pub(crate) token: String,
}

/// A row to add to the ledger for a slot whose time has come.
#[derive(Debug, Clone)]
pub struct PlannedSlot {
    pub slot: Time,
    /// What would trigger it.
    pub trigger: Trigger,
    /// `Queued`, `Missed` or `Skipped`.
    pub state: RunState,
    /// Why it does not run.
    pub reason: Option<String>,
    /// When it may be claimed: slot plus jitter.
    pub due_at: Time,
}

/// The ledger rows of one job for the span (`from`, `until`].
#[derive(Debug, Clone)]
pub struct JobPlan {
    /// The job's name.
    pub id: String,
    /// The topic, if the job is one.
    pub topic: Option<String>,
    /// `planned_until` when the plan was made. If it has moved since, the plan is dropped.
    pub from: Time,
    /// The new `planned_until`.
    pub until: Time,
    /// The first slot after that; the job need not be checked before. `None` if there is none.
    pub next: Option<Time>,
    /// The most attempts per run.
    pub max_attempts: u32,
    /// Whether the job's runs may run at the same time; otherwise the oldest goes first and the others wait.
    pub side_by_side: bool,
    pub slots: Vec<PlannedSlot>,
}

/// A call about to be made.
#[derive(Debug, Clone)]
pub struct Call {
    pub source: Source,
    /// The operation's name.
    pub operation: &'static str,
    pub query: String,
    /// Price of one call.
    pub price: Micros,
}

/// Whether a call may be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    /// Counted; make it.
    Granted,
    /// The day's calls or money are used up; the call was not counted.
    OverQuota(LimitExceeded),
}

/// The result of one search, to be stored with the run.
#[derive(Debug, Clone)]
pub struct SearchResult {
    pub source: Source,
    /// The operation's name.
    pub operation: &'static str,
    pub query: String,
    /// Its final state.
    pub state: SearchState,
    /// Why it did not run.
    pub reason: Option<String>,
    /// When the exhausted limit is available again.
    pub clears_at: Option<Time>,
    pub http_status: Option<u16>,
    /// Duration of the last try.
    pub latency_ms: Option<i64>,
    /// Entries that could not be read.
    pub unreadable: i64,
    /// Whether the reply had as many entries as the request could return.
    pub saturated: bool,
    /// The cost.
    pub cost: Micros,
    /// `billed`, `assumed` or `none`.
    pub cost_basis: &'static str,
    /// Error class and text.
    pub error: Option<(String, String)>,
    /// The raw reply.
    pub raw: Option<RawRecord>,
    /// The span that its request named.
    pub requested_span: Option<Span>,
    /// The span that it covered.
    pub covered: Option<Span>,
    /// How late its new posts were, in milliseconds, if known.
    pub late_ms: Option<i64>,
}

/// A raw reply to store.
#[derive(Debug, Clone)]
pub struct RawRecord {
    /// The request, as JSON without the key.
    pub request: String,
    pub dialect: &'static str,
    /// The stored headers, as JSON.
    pub headers: String,
    /// The gzip-compressed body, possibly truncated.
    pub body: Vec<u8>,
    /// Length of the whole decoded body.
    pub bytes: i64,
    /// Whether the body is incomplete: it arrived cut, or was cut for storage.
    pub truncated: bool,
}

/// One item as a run saw it: its keys and its sightings, at most one per source.
#[derive(Debug, Clone)]
pub struct SeenItem {
    /// Keys, the strongest first; never empty.
    pub keys: Vec<String>,
    /// Whether the first key is more than a text fingerprint.
    pub strong: bool,
    /// Post or page.
    pub kind: Kind,
    /// Sightings in source order, one per source.
    pub sightings: Vec<Finding>,
    /// The number of further entries of the same item, per source.
    pub repeats: Vec<(Source, u32)>,
}

/// A key that names an item of a topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownKey {
    pub key: String,
    /// Whether the item has an id or address, so that equal words alone must not merge it with another id.
    pub strong: bool,
}

/// Everything a run found, to be stored in one transaction.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// When the run searched. Becomes the `first_seen` of new items and the start time of the run.
    pub seen_at: Time,
    /// When it ended.
    pub finished_at: Time,
    pub state: RunState,
    /// Reason for the state.
    pub reason: Option<String>,
    /// Error class and text, when failed.
    pub error: Option<(String, String)>,
    /// One per source.
    pub searches: Vec<SearchResult>,
    pub items: Vec<SeenItem>,
    /// The summary, with the keys of the items it rests on.
    pub answer: Option<(Answer, Vec<String>)>,
    /// Version of the identity rules that made the keys.
    pub key_version: i64,
    /// The state that searches of providers store for the topic's next searches.
    pub memory: Vec<(Source, Remembered)>,
    /// Judges the tone of new and changed words; `None` leaves it open.
    pub judge: Option<Scorer>,
    /// The origin of the replies, if there were any. A database of the other origin refuses the run.
    pub origin: Option<DataOrigin>,
}

/// Selects the rows to read. Callers must reject fields that do not apply to their kind of rows; here such fields are
/// ignored.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// These topics; empty means all.
    pub topics: Vec<String>,
    /// Topics with any of these tags; empty means all.
    pub tags: Vec<String>,
    /// Items found by these sources; empty means all.
    pub sources: Vec<Source>,
    /// Items with these tones; empty means all, judged or not.
    pub tones: Vec<Tone>,
    /// Items by these handles, ignoring the case of ASCII letters; empty means all.
    pub authors: Vec<String>,
    /// Items first seen from this instant on, even if older than their topic's window.
    pub new_since: Option<Time>,
    /// Only what runs in this range of the reading order found, in that order.
    pub seq: Option<SeqRange>,
    /// From this instant on (items: first seen; others: start of the run).
    pub since: Option<Time>,
    /// Up to but not including this instant.
    pub until: Option<Time>,
    /// Items, and sightings of items, that contain these words.
    pub words: Option<TextQuery>,
    /// Items of these kinds; empty means all.
    pub kinds: Vec<Kind>,
    /// Items in these languages, where `en` includes `en-GB`; empty means all, known or not.
    pub languages: Vec<String>,
    /// Items with these marks for their topic; empty means all, marked or not.
    pub marks: Vec<Mark>,
    /// Only items with a star.
    pub starred: bool,
    /// Only items with a note.
    pub noted: bool,
}
