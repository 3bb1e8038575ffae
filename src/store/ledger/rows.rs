//! What goes into the store: plans, claims, calls, outcomes. What comes out of it for readers are `model`'s rows. The
//! only database-made id here is that of a held run, which stays inside the process.

use crate::model::{
    Answer, Between, Exhausted, Finding, Judge, Kind, Micros, Nature, Remembered, RunState, SearchState, Source, Span,
    Time, Tone, Topic, Trigger, Verdict, Wanted,
};

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

impl RunRef {
    /// What it is held by.
    pub(crate) fn hold(&self) -> Hold {
        Hold { id: self.id, public_id: self.public_id.clone(), token: self.token.clone() }
    }
}

/// What a claimed run is held by, whatever its kind.
#[derive(Debug, Clone)]
pub(crate) struct Hold {
    pub(crate) id: i64,
    pub(crate) public_id: String,
    pub(crate) token: String,
}

/// A row to add to the ledger for a slot that came.
#[derive(Debug, Clone)]
pub struct PlannedSlot {
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
    /// The job's name.
    pub id: String,
    /// The topic that it is, if it is one.
    pub topic: Option<String>,
    /// What `planned_until` was when the plan was made; if it moved since, the plan is dropped.
    pub from: Time,
    /// What it becomes.
    pub until: Time,
    /// The first slot after that: nobody need look at the job before. `None` when there is none.
    pub next: Option<Time>,
    /// Attempts a run may take.
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
    /// The day's calls or money are used up; it was not counted.
    OverQuota(Exhausted),
}

/// What became of one search, to be stored with the run.
#[derive(Debug, Clone)]
pub struct SearchResult {
    pub source: Source,
    /// The operation's name.
    pub operation: &'static str,
    /// The words asked for.
    pub query: String,
    /// Its final state.
    pub state: SearchState,
    /// Why it did not run.
    pub reason: Option<String>,
    /// When there is more of what was used up.
    pub clears_at: Option<Time>,
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
    /// The span that its request named.
    pub asked: Option<Span>,
    /// What it covered.
    pub covered: Option<Span>,
    /// How late its new posts were, milliseconds, where that is known.
    pub late_ms: Option<i64>,
}

/// A reply to keep.
#[derive(Debug, Clone)]
pub struct RawRecord {
    /// The request, as JSON without the key.
    pub request: String,
    pub dialect: &'static str,
    /// Kept headers as JSON.
    pub headers: String,
    /// gzip of the (possibly truncated) body.
    pub body: Vec<u8>,
    /// Length of the whole decoded body.
    pub bytes: i64,
    /// Whether the body is not all of the reply: it came cut, or was cut to be kept.
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

/// A key that names an item of a topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownKey {
    pub key: String,
    /// Whether the item has an id or an address by now, so that equal words alone do not make another id the same.
    pub strong: bool,
}

/// Everything a run found, to be stored in one transaction.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// When the run looked at the world: `first_seen` of what is new, and the run's begin for whoever reads it.
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
    /// What providers' searches leave for the topic's next ones.
    pub memory: Vec<(Source, Remembered)>,
    /// Who judges the tone of new and changed words; nobody leaves it open.
    pub judge: Option<Judge>,
    /// Where the replies came from, when any came. A database that holds the other nature refuses the run.
    pub nature: Option<Nature>,
}

/// What to read. Whoever asks for rows that a part of it says nothing about refuses it beforehand; here it is passed over.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// These topics; empty means all.
    pub topics: Vec<String>,
    /// Topics with any of these tags; empty means all.
    pub tags: Vec<String>,
    /// What these sources showed; empty means all.
    pub sources: Vec<Source>,
    /// Items that sound like this; empty means all, judged or not.
    pub tones: Vec<Tone>,
    /// Items by these handles, whatever the case of their ASCII letters; empty means all.
    pub authors: Vec<String>,
    /// Items first seen from this instant on, older than their topic's window or not.
    pub new_since: Option<Time>,
    /// Only what runs with these places in the reading order brought, in that order.
    pub seq: Option<Between>,
    /// From this instant on (items: first seen; others: run begun).
    pub since: Option<Time>,
    /// Up to but not including this instant.
    pub until: Option<Time>,
    /// Items and sightings of items that have these words.
    pub words: Option<Wanted>,
    /// Items of these kinds; empty means all.
    pub kinds: Vec<Kind>,
    /// Items in these languages, `en` also `en-GB`; empty means all, told or not.
    pub languages: Vec<String>,
    /// Items marked so for their topic; empty means all, marked or not.
    pub marks: Vec<Verdict>,
    /// Only items with a star.
    pub starred: bool,
    /// Only items with a note.
    pub noted: bool,
}
