//! Rows for the web pages: topic cards, running processes, pending work. Rows that other readers use too are in `rows`.

use std::time::Duration;

use crate::model::{Engagement, LATE, Paused, RunRow, Source, Span, Time, Topic, WindowFit};

/// A topic on the overview.
#[derive(Debug, Clone)]
pub struct TopicCard {
    pub topic: String,
    pub title: String,
    /// The stored definition; `None` when this version cannot read it.
    pub definition: Option<Topic>,
    /// Why it is paused; `None` if it is not.
    pub paused: Option<Paused>,
    /// All slots up to this time are in the ledger.
    pub planned_until: Option<Time>,
    /// Its next slot according to the planner; `None` if there is none or it is not computed yet.
    pub next_slot: Option<Time>,
    /// The last finished run.
    pub last_run: Option<RunRow>,
    /// When the last run that ended `ok` or `partial` started.
    pub last_success: Option<Time>,
    /// The number of items that are new since a given time, counted as a diff counts them but without the topic's
    /// filter.
    pub new: i64,
    /// Whether a source that finds items failed in the last run, wholly or in part, or returned nothing in error: there may
    /// be more items than it found.
    pub fails: bool,
    /// Whether `fails` is true, a run since then got a full reply, or searches since then missed time: there may be
    /// more items than are known. The store does not know the last reason; `compare` adds it.
    pub may_be_more: bool,
    /// Whether `new` is a lower bound for these reasons.
    pub new_at_least: bool,
    /// Items first seen since then that belong to a baseline. They are not in `new`.
    pub new_baseline: i64,
}

impl TopicCard {
    /// The sources by which its items can be filtered: those of the search service, and the topic's providers.
    #[must_use]
    pub fn sources(&self) -> Vec<Source> {
        let providers = self.definition.iter().flat_map(|topic| &topic.providers).map(|one| one.source);
        Source::SERVICE.iter().copied().chain(providers).collect()
    }

    /// The time zone of its schedule; UTC if this version cannot read the definition.
    #[must_use]
    pub fn timezone(&self) -> &str {
        self.definition.as_ref().map_or("UTC", Topic::timezone)
    }

    /// Whether a run began after an instant. Without one, `new` since then is meaningless.
    #[must_use]
    pub fn ran_since(&self, since: Time) -> bool {
        self.last_run.as_ref().and_then(|run| run.started_at).is_some_and(|at| at >= since)
    }

    /// Whether it has a filter, which `new` ignores.
    #[must_use]
    pub fn has_filter(&self) -> bool {
        self.definition.as_ref().is_some_and(|topic| !topic.filter.is_none())
    }

    /// Since when a slot is overdue, if one is.
    #[must_use]
    pub fn overdue_since(&self, now: Time) -> Option<Time> {
        self.next_slot.filter(|at| self.paused.is_none() && *at < now.minus(LATE))
    }
}

/// A process that runs due jobs.
#[derive(Debug, Clone)]
pub struct ProcessRow {
    pub id: String,
    /// Its role: `daemon` or `worker`.
    pub role: String,
    /// When it started.
    pub started_at: Time,
    /// Its last heartbeat.
    pub seen_at: Time,
    /// When it counts as dead unless another heartbeat arrives.
    pub alive_until: Time,
}

/// The most by which another machine's clock may be ahead. A heartbeat from a later time was written before the clock
/// was set back.
pub const SIGN_AHEAD: Duration = Duration::from_secs(60);

impl ProcessRow {
    /// Whether its last heartbeat is recent enough.
    #[must_use]
    pub fn is_alive(&self, now: Time) -> bool {
        self.alive_until > now && self.seen_at <= now.plus(SIGN_AHEAD)
    }
}

/// Figures of the ledger in addition to those of `StoreCounts`.
#[derive(Debug, Clone, Copy, Default)]
pub struct LedgerRow {
    /// Missed slots of a given span.
    pub missed: i64,
    /// When the longest overdue slot was due.
    pub overdue_since: Option<Time>,
    /// When the last run visible to readers ended.
    pub last_end: Option<Time>,
}

/// A report or an edition of an export.
#[derive(Debug, Clone)]
pub struct EditionRow {
    /// `report` or `export`.
    pub kind: String,
    /// The job's name.
    pub name: String,
    /// The public id of its run.
    pub run: String,
    /// When it was made.
    pub made_at: Time,
    /// The subject of a report.
    pub subject: String,
    /// The number of rows of an export.
    pub rows: Option<i64>,
    /// The files written.
    pub files: Vec<WrittenFile>,
}

/// A file that a run wrote.
#[derive(Debug, Clone)]
pub struct WrittenFile {
    pub path: String,
    /// Whether a later run replaced the file.
    pub replaced: bool,
}

/// A sighting, as shown on an item's page.
#[derive(Debug, Clone, serde::Serialize)]
pub struct ItemSightingRow {
    /// Public id of the run.
    pub run: String,
    pub topic: String,
    /// When the run searched.
    #[serde(rename = "seen_at")]
    pub at: Time,
    pub source: Source,
    /// The position in the reply.
    pub rank: i64,
    /// Whether it lay in the window.
    pub fit: WindowFit,
    /// Reactions at that time.
    pub engagement: Engagement,
}

/// An earlier version of an item's text.
#[derive(Debug, Clone, serde::Serialize)]
pub struct RevisionRow {
    /// When the change was seen.
    #[serde(rename = "replaced_at")]
    pub until: Time,
    pub title: Option<String>,
    pub text: Option<String>,
}

#[derive(Debug, Clone, serde::Serialize)]
pub struct CopyRow {
    pub key: String,
    pub author: Option<String>,
    pub title: Option<String>,
    pub text: Option<String>,
    pub published_at: Option<Time>,
    /// For the topic's filter.
    #[serde(skip)]
    pub lang: Option<String>,
}

/// Counts of a topic's items on one day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DayCount {
    pub span: Span,
    pub items: i64,
    /// Items, with near-copies counted once.
    pub unique: i64,
    /// Items by tone, as far as it is known.
    pub negative: i64,
    pub neutral: i64,
    pub positive: i64,
    /// The scorers: the first and the last by name if there were several.
    pub scorers: Vec<String>,
}

/// A run that found something.
#[derive(Debug, Clone)]
pub struct RunWithNewItems {
    pub seq: i64,
    pub topic: String,
    /// When the run searched.
    pub at: Time,
}
