//! What readers get: runs, searches, items, sightings and answers as plain rows, without any database-made id. The store
//! makes them; exports, pages and the command line show them.

use super::{
    Engagement, Kind, Micros, RunState, SearchState, Source, Time, Tone, Trigger, Verdict, WindowFit, closed_list,
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

closed_list! {
    /// Who paused a topic.
    PausedBy {
        /// `paused = true` in the configuration.
        File = "file",
        /// `topicwatch topic pause`.
        Pause = "pause",
    }
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
    /// Id shown to users.
    pub run: String,
    /// What it is a run of: `topic:acme`, `report:daily`. Its id says it of scheduled ones.
    #[serde(skip)]
    pub job: String,
    pub topic: Option<String>,
    /// Why it exists.
    pub trigger: Trigger,
    pub state: RunState,
    pub reason: Option<String>,
    pub slot: Option<Time>,
    pub started_at: Option<Time>,
    pub finished_at: Option<Time>,
    pub attempt: i64,
    /// Sums over its searches.
    #[serde(flatten)]
    pub counts: Counts,
    /// Sum over its searches.
    pub unreadable: i64,
    /// Sum over its searches, lost attempts included.
    #[serde(rename = "cost_usd")]
    pub cost: Micros,
    pub error_class: Option<String>,
    pub error_text: Option<String>,
    pub seq: Option<i64>,
    /// When there is more of the calls or the money that was used up.
    pub clears_at: Option<Time>,
    /// Whether sightings of it were pruned.
    pub thinned: bool,
}

/// A search as readers see it.
#[derive(Debug, Clone, serde::Serialize)]
pub struct SearchRow {
    /// Public id of its run.
    pub run: String,
    /// Attempt of the run.
    pub attempt: i64,
    pub source: Source,
    pub operation: String,
    /// Words asked for.
    pub query: String,
    pub state: SearchState,
    /// Why it did not run, or why it looked back further than its topic says.
    pub reason: Option<String>,
    pub http_status: Option<i64>,
    pub tries: i64,
    pub started_at: Time,
    /// Duration of the last try, milliseconds.
    pub latency_ms: Option<i64>,
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
    pub error_class: Option<String>,
    pub error_text: Option<String>,
    /// The span its request named begins here; absent when it named none.
    pub asked_from: Option<Time>,
    /// And ends here.
    pub asked_until: Option<Time>,
    /// What it covered begins here; absent when it covered nothing, or is an instant.
    pub covered_from: Option<Time>,
    /// And ends here.
    pub covered_until: Option<Time>,
    /// When there is more of the calls or the money that was used up.
    pub clears_at: Option<Time>,
}

/// What a scorer said of an item's words. Scores of different scorers cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize)]
pub struct ItemTone {
    pub tone: Option<Tone>,
    /// In thousandths, from -1000 to 1000; written for readers from -1 to 1.
    #[serde(serialize_with = "of_one")]
    pub score: Option<i64>,
    /// The scorer's version.
    pub scorer: Option<String>,
}

fn of_one<S: serde::Serializer>(thousandths: &Option<i64>, serializer: S) -> Result<S::Ok, S::Error> {
    serde::Serialize::serialize(&thousandths.map(|score| score as f64 / 1_000.0), serializer)
}

/// An item as one topic knows it: one row per topic and item.
#[derive(Debug, Clone, serde::Serialize)]
pub struct ItemRow {
    pub topic: String,
    /// Public id of the item: its first key.
    pub key: String,
    /// Post or page.
    pub kind: Kind,
    /// Address as first seen.
    pub url: Option<String>,
    pub author: Option<String>,
    /// Name the author displays.
    pub author_name: Option<String>,
    pub title: Option<String>,
    /// Text or snippet.
    pub text: Option<String>,
    /// Language as given.
    pub lang: Option<String>,
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
    pub is_repost: Option<bool>,
    pub is_quote: Option<bool>,
    pub conversation_id: Option<String>,
    /// Reactions as of the latest sighting.
    pub engagement: Engagement,
    /// How often title or text changed; not told to who does not see all topics.
    pub revisions: Option<i64>,
    /// Public key of the item that its near-copies began with, its own when it is the first or alone; `None` while nobody
    /// has looked.
    pub cluster: Option<String>,
    /// How its words sound; absent while nobody judged.
    #[serde(flatten)]
    pub tone: ItemTone,
    /// When its words were pruned; `None` while they are here.
    pub pruned_at: Option<Time>,
    /// What it was marked as for this topic.
    pub mark: Option<Verdict>,
    /// How likely it is good for this topic, in thousandths; written for readers from 0 to 1. `None` where nobody learned it
    /// from marks.
    #[serde(serialize_with = "of_one")]
    pub relevance: Option<i64>,
    /// When it was starred, for every topic.
    pub starred_at: Option<Time>,
    /// What somebody wrote about it.
    pub note: Option<String>,
}

/// A sighting: one row per run, item and source.
#[derive(Debug, Clone, serde::Serialize)]
pub struct SightingRow {
    /// Public id of the run.
    pub run: String,
    pub topic: String,
    /// When the run looked.
    pub seen_at: Time,
    pub source: Source,
    /// Place in the reply, from 1.
    pub rank: i64,
    pub key: String,
    /// Post or page.
    pub kind: Kind,
    /// Whether it lay in the window.
    pub fit: WindowFit,
    /// Whether this run was the first of the topic to see it.
    pub new: bool,
    pub published_at: Option<Time>,
    pub url: Option<String>,
    pub author: Option<String>,
    pub title: Option<String>,
    /// Text or snippet.
    pub text: Option<String>,
    /// Language, when known.
    pub lang: Option<String>,
    /// Reactions of that moment.
    pub engagement: Engagement,
    /// Public key of the item that its near-copies began with, its own when it is the first or alone; `None` while nobody
    /// has looked.
    pub cluster: Option<String>,
    /// How the item's words sound today.
    #[serde(flatten)]
    pub tone: ItemTone,
    /// What the item is marked as for this topic today.
    pub mark: Option<Verdict>,
    /// How likely it is good for this topic, as in [`ItemRow`].
    #[serde(serialize_with = "of_one")]
    pub relevance: Option<i64>,
}

#[derive(Debug, Clone, serde::Serialize)]
pub struct AnswerRow {
    /// Public id of the run.
    pub run: String,
    pub topic: String,
    /// When the run looked.
    pub asked_at: Time,
    pub model: Option<String>,
    pub text: String,
    /// Whether it was cut.
    pub partial: bool,
    /// Keys of the items it rests on.
    pub cited: Vec<String>,
}

/// A topic's pause.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Paused {
    /// Who paused it. The file wins.
    pub by: PausedBy,
    /// When, for a pause from the command line.
    pub since: Option<Time>,
    /// Why, in the words of whoever paused it.
    pub reason: Option<String>,
}

/// How a topic stands.
#[derive(Debug, Clone, serde::Serialize)]
pub struct TopicStatus {
    pub topic: String,
    pub title: String,
    pub items: i64,
    /// Last finished run.
    pub last_run: Option<RunRow>,
    /// Begin of the last run that was `ok` or `partial`.
    pub last_success: Option<Time>,
    /// Slots up to here have rows.
    pub planned_until: Option<Time>,
    /// Why nothing is planned for it, when it is paused.
    pub paused: Option<Paused>,
}

/// What the searches of one source that the service billed cost together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BilledRow {
    pub source: Source,
    pub searches: i64,
    /// Their sum, tries included.
    pub cost: Micros,
}

/// How often the planned runs of a topic asked the AI source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedRow {
    pub topic: String,
    /// Runs that asked.
    pub asked: i64,
    /// Runs that asked or left it out because they had no reason to ask.
    pub considered: i64,
}
