//! Rows for readers: runs, searches, items, sightings and answers, without database ids. The store makes them; exports,
//! pages and the command line show them.

use std::time::Duration;

use crate::model::{
    Counts, Engagement, Kind, Mark, Micros, RunState, SearchState, Source, Time, Tone, Trigger, WindowFit, closed_list,
};

/// How long the planner may take to process a due slot. After that the slot is overdue.
pub const LATE: Duration = Duration::from_secs(120);

closed_list! {
    /// Whether a database holds invented or real findings. It never holds both.
    DataOrigin {
        /// From the sandbox.
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

/// A run as readers see it.
#[derive(Debug, Clone, serde::Serialize)]
pub struct RunRow {
    /// Id shown to users.
    pub run: String,
    /// The job's name: `topic:acme`, `report:daily`. The id of a scheduled run contains it.
    pub job: String,
    pub topic: Option<String>,
    /// Why the run exists.
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
    /// When the used-up limit of calls or money resets.
    pub clears_at: Option<Time>,
    /// Whether some of its sightings were pruned.
    pub thinned: bool,
}

impl RunRow {
    /// Whether its counts say something: those of any of its searches do. If they were deleted, its state decides.
    #[must_use]
    pub fn has_counts<'s>(&self, searches: impl IntoIterator<Item = &'s SearchRow>) -> bool {
        let own: Vec<&SearchRow> = searches.into_iter().filter(|search| search.run == self.run).collect();
        let searched =
            self.topic.is_some() && matches!(self.state, RunState::Ok | RunState::Partial | RunState::Failed);
        self.counts.found > 0
            || own.iter().any(|search| search.state.has_counts(search.counts.found))
            || own.is_empty() && searched
    }
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
    /// The query text.
    pub query: String,
    pub state: SearchState,
    /// Why it was not made, why it covers nothing, or why it looked back further than its topic's window.
    pub reason: Option<String>,
    pub http_status: Option<i64>,
    pub tries: i64,
    pub started_at: Time,
    /// Duration of the last try, milliseconds.
    pub latency_ms: Option<i64>,
    #[serde(flatten)]
    pub counts: Counts,
    /// The number of unreadable entries.
    pub unreadable: i64,
    /// Whether the reply was as long as it could be.
    pub saturated: bool,
    /// Whether the reply was empty although posts of the time asked for are known or certain: it proves nothing.
    #[serde(skip)]
    pub empty_in_error: bool,
    /// The price paid, or the expected price if not known.
    #[serde(rename = "cost_usd")]
    pub cost: Micros,
    /// `billed`, `assumed` or `none`; absent while open.
    pub cost_basis: Option<String>,
    pub error_class: Option<String>,
    pub error_text: Option<String>,
    /// Start of the span that its request asked for; `None` if it asked for none.
    pub asked_from: Option<Time>,
    /// End of that span.
    pub asked_until: Option<Time>,
    /// Start of the span that it covered; `None` if it covered nothing, or only an instant.
    pub covered_from: Option<Time>,
    /// End of that span.
    pub covered_until: Option<Time>,
    /// When the used-up limit of calls or money resets.
    pub clears_at: Option<Time>,
}

/// The tone of an item's text. Scores of different scorers cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize)]
pub struct ItemTone {
    pub tone: Option<Tone>,
    /// In thousandths, from -1000 to 1000. Serialised as a number from -1 to 1.
    #[serde(serialize_with = "serialize_thousandths")]
    pub score: Option<i64>,
    /// The scorer's version.
    pub scorer: Option<String>,
}

fn serialize_thousandths<S: serde::Serializer>(thousandths: &Option<i64>, serializer: S) -> Result<S::Ok, S::Error> {
    serde::Serialize::serialize(&thousandths.map(|score| score as f64 / 1_000.0), serializer)
}

/// An item in one topic: one row per topic and item.
#[derive(Debug, Clone, serde::Serialize)]
pub struct ItemRow {
    pub topic: String,
    /// Public id of the item: its first key.
    pub key: String,
    /// Post or page.
    pub kind: Kind,
    /// The URL as first seen.
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
    /// Reactions at the latest sighting.
    pub engagement: Engagement,
    /// How often title or text changed; hidden from readers who may not see all topics.
    pub revisions: Option<i64>,
    /// The public key of the first item of its near-copies; its own if it is the first or alone; `None` if not compared
    /// yet.
    pub cluster: Option<String>,
    /// The tone of its text; empty if not scored yet.
    #[serde(flatten)]
    pub tone: ItemTone,
    /// When its text was pruned; `None` if it was not.
    pub pruned_at: Option<Time>,
    /// How it was marked for this topic.
    pub mark: Option<Mark>,
    /// The probability that it is good for this topic, in thousandths. Serialised as a number from 0 to 1. `None` if
    /// there is no model learned from marks.
    #[serde(serialize_with = "serialize_thousandths")]
    pub relevance: Option<i64>,
    /// When it was starred, for every topic.
    pub starred_at: Option<Time>,
    /// A user's note.
    pub note: Option<String>,
}

/// A sighting: one row per run, item and source.
#[derive(Debug, Clone, serde::Serialize)]
pub struct SightingRow {
    /// Public id of the run.
    pub run: String,
    pub topic: String,
    /// When the run searched.
    pub seen_at: Time,
    pub source: Source,
    /// The position in the reply, from 1.
    pub rank: i64,
    pub key: String,
    /// Post or page.
    pub kind: Kind,
    /// Whether it lay in the window.
    pub fit: WindowFit,
    /// Whether this is the topic's first run that saw it.
    pub new: bool,
    pub published_at: Option<Time>,
    pub url: Option<String>,
    pub author: Option<String>,
    pub title: Option<String>,
    /// Text or snippet.
    pub text: Option<String>,
    /// Language, when known.
    pub lang: Option<String>,
    /// Reactions at that time.
    pub engagement: Engagement,
    /// The public key of the first item of its near-copies; its own if it is the first or alone; `None` if not compared
    /// yet.
    pub cluster: Option<String>,
    /// The tone of the item's text today.
    #[serde(flatten)]
    pub tone: ItemTone,
    /// How the item is marked for this topic today.
    pub mark: Option<Mark>,
    /// The probability that it is good for this topic, as in [`ItemRow`].
    #[serde(serialize_with = "serialize_thousandths")]
    pub relevance: Option<i64>,
}

#[derive(Debug, Clone, serde::Serialize)]
pub struct AnswerRow {
    /// Public id of the run.
    pub run: String,
    pub topic: String,
    /// When the run searched.
    pub asked_at: Time,
    pub model: Option<String>,
    pub text: String,
    /// Whether the answer is incomplete.
    pub partial: bool,
    /// The keys of the cited items.
    pub cited: Vec<String>,
}

/// A topic's pause.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Paused {
    /// Who paused it. The file takes precedence.
    pub by: PausedBy,
    /// When, for a pause from the command line.
    pub since: Option<Time>,
    /// Why, in that person's words.
    pub reason: Option<String>,
}

/// The state of a topic.
#[derive(Debug, Clone, serde::Serialize)]
pub struct TopicStatus {
    pub topic: String,
    pub title: String,
    pub items: i64,
    /// The last finished run.
    pub last_run: Option<RunRow>,
    /// When the last run that ended `ok` or `partial` started.
    pub last_success: Option<Time>,
    /// All slots up to this time are in the ledger.
    pub planned_until: Option<Time>,
    /// Its next slot according to the planner; `None` if there is none or it is not computed yet.
    pub next_slot: Option<Time>,
    /// Why it is paused; `None` if it is not.
    pub paused: Option<Paused>,
}

impl TopicStatus {
    /// Since when its next slot is overdue, if it is.
    #[must_use]
    pub fn overdue_since(&self, now: Time) -> Option<Time> {
        self.next_slot.filter(|at| self.paused.is_none() && *at < now.minus(LATE))
    }
}

/// The cost of one source's searches: those that the service billed, and separately those whose cost was assumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BilledCostRow {
    pub source: Source,
    /// The searches that were billed.
    pub searches: i64,
    /// Their calls, retries included.
    pub calls: i64,
    /// Their total cost, retries included.
    pub cost: Micros,
    /// The highest cost of one call: an average over the calls of its search, retries included.
    pub highest_call: Micros,
    /// The highest bill of a search that made one call.
    pub highest_single: Micros,
    /// The highest bill of a search, retries included.
    pub highest_bill: Micros,
    /// The searches whose reply stated no cost. It was assumed to be the price configured at that time.
    pub assumed_searches: i64,
    /// Their calls, retries included.
    pub assumed_calls: i64,
}

/// How often scheduled runs of a topic asked the AI source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AiUsageRow {
    pub topic: String,
    /// The number of runs that asked.
    pub asked: i64,
    /// The number of runs that asked, or had no reason to ask.
    pub considered: i64,
}
