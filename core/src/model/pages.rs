//! What pages are made of: topics as cards, processes that live, what waits. Rows that other readers show too are `rows`'.

use std::time::Duration;

use super::{Engagement, Paused, RunRow, Source, Span, Time, Topic, WindowFit};

/// How long the planner may take to look at a slot that has come; beyond it, the slot is overdue.
pub const LATE: Duration = Duration::from_secs(120);

/// A topic on the overview.
#[derive(Debug, Clone)]
pub struct TopicCard {
    pub topic: String,
    pub title: String,
    /// The stored definition; `None` when this version cannot read it.
    pub definition: Option<Topic>,
    /// Why nothing is planned for it, when it is paused.
    pub paused: Option<Paused>,
    /// Its next slot as the planner left it; `None` when there is none, or nobody has worked it out yet.
    pub next_slot: Option<Time>,
    /// Last finished run.
    pub last_run: Option<RunRow>,
    /// Begin of the last run that was `ok` or `partial`.
    pub last_success: Option<Time>,
    /// Items that are new since an instant, as a diff counts them but for the topic's filter.
    pub new: i64,
    /// Whether a run since then got a full reply: there may be more.
    pub new_at_least: bool,
}

impl TopicCard {
    /// The sources by which its items can be narrowed: those of the search service, and its providers.
    #[must_use]
    pub fn sources(&self) -> Vec<Source> {
        let providers = self.definition.iter().flat_map(|topic| &topic.providers).map(|one| one.source);
        Source::SERVICE.iter().copied().chain(providers).collect()
    }

    /// The zone in which its schedule is meant; UTC where this version cannot read it.
    #[must_use]
    pub fn timezone(&self) -> &str {
        self.definition.as_ref().map_or("UTC", Topic::timezone)
    }

    /// Whether it has a filter, which `new` knows nothing of.
    #[must_use]
    pub fn has_filter(&self) -> bool {
        self.definition.as_ref().is_some_and(|topic| !topic.filter.is_none())
    }

    /// Whether its slot has come and the planner has not looked at it in time.
    #[must_use]
    pub fn is_overdue(&self, now: Time) -> bool {
        self.paused.is_none() && self.next_slot.is_some_and(|at| at < now.minus(LATE))
    }
}

/// A process that runs what is due.
#[derive(Debug, Clone)]
pub struct LivingRow {
    pub id: String,
    /// What it does.
    pub role: String,
    /// When it began.
    pub started_at: Time,
    /// Its last sign of life.
    pub seen_at: Time,
    /// Until when it counts as alive without another.
    pub alive_until: Time,
}

/// No clock is ahead of another by more: a sign of life of a later time was written before the clock was set back.
pub const SIGN_AHEAD: Duration = Duration::from_secs(60);

impl LivingRow {
    /// Whether it said in time that it lives.
    #[must_use]
    pub fn is_alive(&self, now: Time) -> bool {
        self.alive_until > now && self.seen_at <= now.plus(SIGN_AHEAD)
    }
}

/// What the ledger says beside the counts of `StoreCounts`.
#[derive(Debug, Clone, Copy, Default)]
pub struct LedgerRow {
    /// Slots since an instant that were due and not run.
    pub missed: i64,
    /// When the longest overdue slot of a topic was due.
    pub overdue_since: Option<Time>,
    /// When the last run that readers see ended.
    pub last_end: Option<Time>,
}

/// A report or an edition of an export that was made.
#[derive(Debug, Clone)]
pub struct MadeRow {
    /// `report` or `export`.
    pub kind: String,
    /// The name of its job.
    pub name: String,
    /// Public id of its run.
    pub run: String,
    /// When it was made.
    pub made_at: Time,
    /// A report's subject.
    pub subject: String,
    /// An export's rows.
    pub rows: Option<i64>,
    /// Its files.
    pub files: Vec<MadeFile>,
}

/// A file that a run put in place.
#[derive(Debug, Clone)]
pub struct MadeFile {
    /// Where it was put.
    pub path: String,
    /// Whether a later run put another there.
    pub replaced: bool,
}

/// A sighting on an item's page.
#[derive(Debug, Clone, serde::Serialize)]
pub struct SeenRow {
    /// Public id of the run.
    pub run: String,
    pub topic: String,
    /// When it looked.
    #[serde(rename = "seen_at")]
    pub at: Time,
    pub source: Source,
    /// Place in the reply.
    pub rank: i64,
    /// Whether it lay in the window.
    pub fit: WindowFit,
    /// Reactions of that moment.
    pub engagement: Engagement,
}

/// What an item's words were.
#[derive(Debug, Clone, serde::Serialize)]
pub struct EarlierRow {
    /// Until they were seen changed.
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
}

/// What a topic found on a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DayCount {
    pub span: Span,
    pub items: i64,
    /// With near-copies counted once.
    pub unique: i64,
    /// How they sound, as far as that was judged.
    pub negative: i64,
    pub neutral: i64,
    pub positive: i64,
    /// Who judged it, the first and the last by name: none, one, or two where there were several.
    pub scorers: Vec<String>,
}

/// A run that brought something.
#[derive(Debug, Clone)]
pub struct Brought {
    pub seq: i64,
    pub topic: String,
    /// When it looked.
    pub at: Time,
}
