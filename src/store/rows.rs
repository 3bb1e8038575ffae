//! What goes into the store and what comes out of it, in the project's words: plain rows without any database-made id
//! that a reader could keep. (`RunRef::id` stays inside the process.)

use crate::model::{
    Answer, Finding, Kind, Micros, RunState, SearchState, Source, Time, Topic, Trigger, WindowFit, closed_list,
};

closed_list! {
    /// Whether a database holds invented or real findings; never both.
    Nature {
        /// Made by the sandbox.
        Sandbox = "sandbox",
        /// From a real service.
        Real = "real",
    }
}

/// A run held by this process: id, fencing token and what to do.
#[derive(Debug, Clone)]
pub struct RunRef {
    /// Inside the process only.
    pub(crate) id: i64,
    /// Public id: `job@slot` or a ULID.
    pub public_id: String,
    /// Fencing token of the claim.
    pub token: String,
    /// The stored definition that is to be run.
    pub topic: Topic,
    /// Slot, for planned runs.
    pub slot: Option<Time>,
    /// Why it exists.
    pub trigger: Trigger,
    /// Which attempt this is, from 1.
    pub attempt: i64,
}

/// A row to add to the ledger for a slot that came.
#[derive(Debug, Clone)]
pub struct PlannedSlot {
    /// The slot.
    pub slot: Time,
    /// Why it would run.
    pub trigger: Trigger,
    /// `Queued`, `Missed` or `Skipped`.
    pub state: RunState,
    /// Why it does not run.
    pub reason: Option<String>,
    /// From when on it may be claimed (slot plus jitter).
    pub due_at: Time,
}

/// The ledger rows of one job for the span (`from`, `until`].
#[derive(Debug, Clone)]
pub struct JobPlan {
    /// Topic id.
    pub topic: String,
    /// What `planned_until` was when the plan was made; if it moved since, the plan is dropped.
    pub from: Time,
    /// What it becomes.
    pub until: Time,
    /// Attempts a run may take.
    pub max_attempts: u32,
    /// Whether the job's runs may run at the same time; otherwise the oldest goes first and the others wait.
    pub side_by_side: bool,
    /// The rows.
    pub slots: Vec<PlannedSlot>,
}

/// A topic as the ledger knows it.
#[derive(Debug, Clone)]
pub struct PlannedTopic {
    /// The stored definition.
    pub topic: Topic,
    /// Slots up to here have rows.
    pub planned_until: Time,
    /// Runs queued or running now.
    pub active: u32,
}

/// A call about to be made.
#[derive(Debug, Clone)]
pub struct Call {
    /// Its source.
    pub source: Source,
    /// The operation's name.
    pub operation: &'static str,
    /// The words asked for.
    pub query: String,
    /// Price of one call.
    pub price: Micros,
}

/// Whether a call may be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    /// Counted; make it.
    Granted,
    /// The day's calls are used up; it was not counted.
    OverQuota,
}

/// What became of one search, to be stored with the run.
#[derive(Debug, Clone)]
pub struct SearchResult {
    /// Its source.
    pub source: Source,
    /// The operation's name.
    pub operation: &'static str,
    /// The words asked for.
    pub query: String,
    /// Its final state.
    pub state: SearchState,
    /// Why it did not run.
    pub reason: Option<String>,
    /// HTTP status.
    pub http_status: Option<u16>,
    /// Duration of the last try.
    pub latency_ms: Option<i64>,
    /// Entries without anything readable.
    pub unreadable: i64,
    /// As many entries as the request could get.
    pub saturated: bool,
    /// What was paid.
    pub cost: Micros,
    /// `billed`, `assumed` or `none`.
    pub cost_basis: &'static str,
    /// Error class and text.
    pub error: Option<(String, String)>,
    /// The reply as it came.
    pub raw: Option<RawRecord>,
}

/// A reply to keep.
#[derive(Debug, Clone)]
pub struct RawRecord {
    /// The request, as JSON without the key.
    pub request: String,
    /// Dialect spoken.
    pub dialect: &'static str,
    /// Kept headers as JSON.
    pub headers: String,
    /// gzip of the (possibly truncated) body.
    pub body: Vec<u8>,
    /// Length of the whole decoded body.
    pub bytes: i64,
    /// Whether the body was cut before it was compressed.
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
    /// Further entries of the same item per source.
    pub repeats: Vec<(Source, u32)>,
}

/// Everything a run found, to be stored in one transaction.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// When the run looked at the world: `first_seen` of what is new.
    pub seen_at: Time,
    /// When it ended.
    pub finished_at: Time,
    /// Final state.
    pub state: RunState,
    /// Reason for the state.
    pub reason: Option<String>,
    /// Error class and text, when failed.
    pub error: Option<(String, String)>,
    /// One per source.
    pub searches: Vec<SearchResult>,
    /// The items.
    pub items: Vec<SeenItem>,
    /// The summary, with the keys of the items it rests on.
    pub answer: Option<(Answer, Vec<String>)>,
    /// Version of the identity rules that made the keys.
    pub key_version: i64,
    /// Where the replies came from, when any came. A database that holds the other nature refuses the run.
    pub nature: Option<Nature>,
}

/// Counts of one source of a stored run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Counts {
    /// Readable entries of the reply.
    pub found: i64,
    /// First sightings for the topic; `found = new + duplicate`.
    pub new: i64,
    /// Known to the topic already, found by an earlier source of the run, or repeated in the reply.
    pub duplicate: i64,
    /// Of `found`, outside the window.
    pub outside: i64,
    /// Of `found`, without a date.
    pub undated: i64,
}

/// A run as readers see it.
#[derive(Debug, Clone, serde::Serialize)]
pub struct RunRow {
    /// Public id.
    pub run: String,
    /// Topic id.
    pub topic: Option<String>,
    /// Why it exists.
    pub trigger: Trigger,
    /// Its state.
    pub state: RunState,
    /// Why.
    pub reason: Option<String>,
    /// Its slot.
    pub slot: Option<Time>,
    /// Begun.
    pub started_at: Option<Time>,
    /// Ended.
    pub finished_at: Option<Time>,
    /// Attempts.
    pub attempt: i64,
    /// Sums over its searches.
    #[serde(flatten)]
    pub counts: Counts,
    /// Sum over its searches.
    pub unreadable: i64,
    /// Sum over its searches, lost attempts included.
    #[serde(rename = "cost_usd")]
    pub cost: Micros,
    /// Error class.
    pub error_class: Option<String>,
    /// Error text.
    pub error_text: Option<String>,
    /// Reading order.
    pub seq: Option<i64>,
}

/// A search as readers see it.
#[derive(Debug, Clone, serde::Serialize)]
pub struct SearchRow {
    /// Public id of its run.
    pub run: String,
    /// Attempt of the run.
    pub attempt: i64,
    /// Source.
    pub source: Source,
    /// Operation.
    pub operation: String,
    /// Words asked for.
    pub query: String,
    /// State.
    pub state: SearchState,
    /// Why it did not run.
    pub reason: Option<String>,
    /// HTTP status.
    pub http_status: Option<i64>,
    /// Calls made.
    pub tries: i64,
    /// Begun.
    pub started_at: Time,
    /// Duration of the last try, milliseconds.
    pub latency_ms: Option<i64>,
    /// Counts.
    #[serde(flatten)]
    pub counts: Counts,
    /// Entries without anything readable.
    pub unreadable: i64,
    /// As many as could be got.
    pub saturated: bool,
    /// Paid, or expected while unknown.
    #[serde(rename = "cost_usd")]
    pub cost: Micros,
    /// `billed`, `assumed` or `none`; absent while open.
    pub cost_basis: Option<String>,
    /// Error class.
    pub error_class: Option<String>,
    /// Error text.
    pub error_text: Option<String>,
}

/// An item as one topic knows it: one row per topic and item.
#[derive(Debug, Clone, serde::Serialize)]
pub struct ItemRow {
    /// Topic id.
    pub topic: String,
    /// Public id of the item: its first key.
    pub key: String,
    /// Post or page.
    pub kind: Kind,
    /// Address as first seen.
    pub url: Option<String>,
    /// Handle.
    pub author: Option<String>,
    /// Display name.
    pub author_name: Option<String>,
    /// Title.
    pub title: Option<String>,
    /// Text or snippet.
    pub text: Option<String>,
    /// Language as given.
    pub lang: Option<String>,
    /// Published.
    pub published_at: Option<Time>,
    /// First seen for this topic.
    pub first_seen: Time,
    /// The run that saw it first.
    pub first_run: String,
    /// Last seen for this topic.
    pub last_seen: Time,
    /// The run that saw it last.
    pub last_run: String,
    /// Runs of this topic that saw it.
    pub times_seen: i64,
    /// Repost.
    pub is_repost: Option<bool>,
    /// Quote.
    pub is_quote: Option<bool>,
    /// Thread.
    pub conversation_id: Option<String>,
    /// Latest reactions.
    pub engagement: crate::model::Engagement,
    /// How often title or text changed.
    pub revisions: i64,
}

/// A sighting: one row per run, item and source.
#[derive(Debug, Clone, serde::Serialize)]
pub struct SightingRow {
    /// Public id of the run.
    pub run: String,
    /// Topic id.
    pub topic: String,
    /// When the run looked.
    pub seen_at: Time,
    /// Source.
    pub source: Source,
    /// Place in the reply, from 1.
    pub rank: i64,
    /// Item key.
    pub key: String,
    /// Post or page.
    pub kind: Kind,
    /// Whether it lay in the window.
    pub fit: WindowFit,
    /// Whether this run was the first of the topic to see it.
    pub new: bool,
    /// Published.
    pub published_at: Option<Time>,
    /// Address.
    pub url: Option<String>,
    /// Handle.
    pub author: Option<String>,
    /// Title.
    pub title: Option<String>,
    /// Text or snippet.
    pub text: Option<String>,
    /// Reactions of that moment.
    pub engagement: crate::model::Engagement,
}

/// An answer.
#[derive(Debug, Clone, serde::Serialize)]
pub struct AnswerRow {
    /// Public id of the run.
    pub run: String,
    /// Topic id.
    pub topic: String,
    /// When the run looked.
    pub asked_at: Time,
    /// Model label.
    pub model: Option<String>,
    /// The text.
    pub text: String,
    /// Whether it was cut.
    pub partial: bool,
    /// Keys of the items it rests on.
    pub cited: Vec<String>,
}

/// What to read.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// These topics; empty means all.
    pub topics: Vec<String>,
    /// From this instant on (items: first seen; others: run begun).
    pub since: Option<Time>,
    /// Up to but not including this instant.
    pub until: Option<Time>,
}

/// How a topic stands.
#[derive(Debug, Clone, serde::Serialize)]
pub struct TopicStatus {
    /// Topic id.
    pub topic: String,
    /// Title.
    pub title: String,
    /// Items known.
    pub items: i64,
    /// Last finished run.
    pub last_run: Option<RunRow>,
    /// Begin of the last run that was `ok` or `partial`.
    pub last_success: Option<Time>,
    /// Slots up to here have rows.
    pub planned_until: Option<Time>,
}
