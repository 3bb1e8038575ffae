//! An alert of `[[alerts]]`, and what becomes of it: events, what fires now, runs as far as alerts look at them. Plain data;
//! when one fires is `alert`'s to say.

use super::{Between, Counts, RunState, SearchState, Source, Time, TopicLimits, closed_list};

closed_list! {
    /// What an alert looks for.
    AlertRule {
        /// New items, all or those with some words.
        Items = "items",
        /// More new items than usual at that hour of that weekday.
        Volume = "volume",
        /// A larger share of negative ones than usual.
        Negative = "negative",
        /// A source that fails, or fell silent, or brings nothing new.
        Source = "source",
        /// Slots that were missed.
        Missed = "missed",
        /// Calls or money of the day.
        Budget = "budget",
    }
}

closed_list! {
    AlertEventKind {
        /// It is so.
        Fired = "fired",
        /// It is so no more.
        Recovered = "recovered",
    }
}

/// Hours of a local day in which nothing is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Quiet {
    /// Minute of the day they begin at.
    pub from: u16,
    /// Minute of the day they end at; before `from` it is that of the next day.
    pub until: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct AlertSpec {
    /// Unique in the file.
    pub name: String,
    /// What it looks for.
    pub rule: AlertRule,
    /// Topics it looks at; all when neither these nor tags are named.
    pub topics: Vec<String>,
    /// The same by tag.
    pub tags: Vec<String>,
    /// Words of which one must occur.
    pub words: Vec<String>,
    /// Sources it looks at.
    pub sources: Vec<Source>,
    /// Items (or slots) that are the least.
    pub least: u32,
    /// The span that is counted, milliseconds.
    pub window_ms: u64,
    /// So many failed searches …
    pub failures: u32,
    /// … of so many of the latest.
    pub of: u32,
    /// Hundredths of a budget.
    pub share: u32,
    /// Whom it tells.
    pub channels: Vec<String>,
    /// Least time between two messages, milliseconds.
    pub cooldown_ms: u64,
    /// When nothing is sent.
    pub quiet: Option<Quiet>,
    /// Zone of the quiet hours and of hours and weekdays that are compared.
    pub timezone: String,
    /// Whether the end is told, too.
    pub recovery: bool,
    /// What the service may be asked in a day.
    pub service: TopicLimits,
    /// What each other provider may be asked in a day.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub providers: Vec<(Source, TopicLimits)>,
    /// Whether it looks at nothing for now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub paused: bool,
}

impl AlertSpec {
    /// The job's name, which is the cursor's, too.
    #[must_use]
    pub fn job(&self) -> String {
        format!("alert:{}", self.name)
    }

    /// Whether it looks at a topic with these tags.
    #[must_use]
    pub fn concerns(&self, topic: &str, tags: &[String]) -> bool {
        (self.topics.is_empty() && self.tags.is_empty())
            || self.topics.iter().any(|id| id == topic)
            || self.tags.iter().any(|tag| tags.contains(tag))
    }

    /// Whether it looks at a source.
    #[must_use]
    pub fn looks_at(&self, source: Source) -> bool {
        self.sources.is_empty() || self.sources.contains(&source)
    }
}

/// A line of what an event tells: words, and where they lead.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct AlertLine {
    /// Text of one line.
    pub text: String,
    /// Where it leads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The item it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// Something that an alert saw.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct AlertEvent {
    /// Alert, run (or day) and subject: the same whoever sees it, and however often.
    pub event: String,
    /// The alert's name.
    pub alert: String,
    /// What it is about: a topic, a topic's source, or the service.
    pub subject: String,
    /// Whether it began or ended.
    pub kind: AlertEventKind,
    pub at: Time,
    /// Text of one line.
    pub summary: String,
    /// What it rests on.
    pub lines: Vec<AlertLine>,
    /// The message that told of it; `None` while it waits.
    pub message: Option<String>,
    /// Why nobody is told.
    pub muted: Option<String>,
    /// When somebody said that they know.
    pub acked_at: Option<Time>,
}

impl AlertEvent {
    /// Its one line, which tells an end as one.
    #[must_use]
    pub fn said(&self) -> String {
        match self.kind {
            AlertEventKind::Fired => self.summary.clone(),
            AlertEventKind::Recovered => format!("over: {}", self.summary),
        }
    }
}

/// What fires now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Firing {
    /// What it is about.
    pub subject: String,
    pub since: Time,
    /// Whether somebody said that they know: then its end is not told.
    pub acked: bool,
}

/// How an alert stands.
#[derive(Debug, Clone, Default)]
pub struct AlertStanding {
    /// The number of the last run it looked at, and when; `None` before its first look.
    pub cursor: Option<(i64, Time)>,
    /// When it sent something last.
    pub sent_at: Option<Time>,
    /// Until when nobody is told.
    pub snoozed_until: Option<Time>,
    pub firing: Vec<Firing>,
    /// Events of which nobody was told yet, the earliest first.
    pub waiting: Vec<AlertEvent>,
    /// How many there are of those in all.
    pub waiting_in_all: i64,
}

/// A run as alerts look at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlertRun {
    /// Id shown to users.
    pub run: String,
    pub topic: String,
    /// Its place in the reading order.
    pub seq: i64,
    /// How it ended.
    pub state: RunState,
    /// When it began; when it was due, of one that did not.
    pub at: Time,
}

impl AlertRun {
    /// The run alone, as a stretch of the reading order.
    #[must_use]
    pub fn alone(&self) -> Between {
        Between { since: self.seq - 1, until: self.seq }
    }
}

/// A search as far as a source's health is concerned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Searched {
    pub source: Source,
    /// What became of it.
    pub state: SearchState,
    /// When its run began.
    pub at: Time,
    /// What it held.
    pub counts: Counts,
    /// Of the new, how many at least were not older than the window.
    pub fresh: i64,
    /// The span it asked for was over.
    pub past: bool,
    /// Error class, or why it was not made.
    pub trouble: Option<String>,
}
