//! An alert of `[[alerts]]` and its stored state: events, what fires now, and runs as alerts see them. Plain data; the
//! `alert` module decides when an alert fires.

use std::time::Duration;

use crate::model::{
    Counts, Delivery, Micros, QuietHours, RunState, SERVICE, SIGN_AHEAD, SearchState, SeqRange, Source, Time,
    TopicLimits, closed_list,
};

closed_list! {
    /// What an alert checks.
    AlertRule {
        /// New items: all, or those that contain given words.
        Items = "items",
        /// More new items than usual at this hour of this weekday.
        Volume = "volume",
        /// A larger share of negative items than usual.
        Negative = "negative",
        /// A source that fails, is silent, or brings nothing new.
        Source = "source",
        /// Slots missed in a row.
        Missed = "missed",
        /// Calls or money used today.
        Budget = "budget",
    }
}

closed_list! {
    AlertEventKind {
        /// The condition began.
        Fired = "fired",
        /// The condition ended.
        Recovered = "recovered",
    }
}

/// Prefix of the id of an alert's job; its name follows.
const JOB: &str = "alert:";

/// The id of the job of an alert, and the name of its cursor.
#[must_use]
pub fn alert_job(name: &str) -> String {
    format!("{JOB}{name}")
}

/// The name of the alert to which a job belongs, or an event or a message by its id. `None` if it is not an alert's.
#[must_use]
pub fn alert_of(id: &str) -> Option<&str> {
    id.strip_prefix(JOB)?.split('/').next()
}

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct AlertSpec {
    /// Unique in the file.
    pub name: String,
    /// What it checks.
    pub rule: AlertRule,
    /// Ids of the topics it checks. If `topics` and `tags` are both empty, it checks all.
    pub topics: Vec<String>,
    /// Tags of the topics it checks.
    pub tags: Vec<String>,
    /// At least one of these words must occur.
    pub words: Vec<String>,
    /// The sources it checks.
    pub sources: Vec<Source>,
    /// The minimum number of items or slots.
    pub least: u32,
    /// The length of the counted span, in milliseconds.
    pub window_ms: u64,
    /// The number of failed searches …
    pub failures: u32,
    /// … among this many latest searches.
    pub of: u32,
    /// Percent of a budget.
    pub share: u32,
    /// The channels it notifies.
    pub channels: Vec<String>,
    /// The minimum time between two messages, in milliseconds.
    pub cooldown_ms: u64,
    /// The hours in which nothing is sent.
    pub quiet: Option<QuietHours>,
    /// The time zone of the quiet hours and of the compared hours and weekdays.
    pub timezone: String,
    /// Whether to notify when the condition ends, too.
    pub recovery: bool,
    /// The service's limits per day.
    pub service: TopicLimits,
    /// The other providers' limits per day.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub providers: Vec<(Source, TopicLimits)>,
    /// For a budget alert, the least that a call of each source in use may cost, in micro-dollars.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prices: Vec<(Source, i64)>,
    /// Whether the alert is paused.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub paused: bool,
}

impl AlertSpec {
    /// The name of its job and of its cursor.
    #[must_use]
    pub fn job(&self) -> String {
        alert_job(&self.name)
    }

    /// Whether it checks a topic with this id and these tags.
    #[must_use]
    pub fn matches_topic(&self, topic: &str, tags: &[String]) -> bool {
        (self.topics.is_empty() && self.tags.is_empty())
            || self.topics.iter().any(|id| id == topic)
            || self.tags.iter().any(|tag| tags.contains(tag))
    }

    /// Whether it checks budgets of topics. Without a topic or tag, it checks those of the service and of providers.
    #[must_use]
    pub fn checks_topic_budgets(&self) -> bool {
        self.rule == AlertRule::Budget && !(self.topics.is_empty() && self.tags.is_empty())
    }

    /// Whether it checks the budget of this provider, or with the name `service` that of the service.
    #[must_use]
    pub fn checks_provider_budget(&self, provider: &str) -> bool {
        let checks = self.rule == AlertRule::Budget && !self.checks_topic_budgets();
        checks && (provider == SERVICE || self.providers.iter().any(|(name, _)| name.as_str() == provider))
    }

    /// The lowest cost of a paid call of these sources; `None` if none of their prices is known. Free calls fit into
    /// any limit.
    #[must_use]
    pub fn cheapest_call(&self, is_one: impl Fn(Source) -> bool) -> Option<Micros> {
        let prices = self.prices.iter().filter(|(source, price)| *price > 0 && is_one(*source));
        prices.map(|(_, price)| Micros(*price)).min()
    }

    /// The end of the quiet hours that an instant is in; `None` if it is in none.
    #[must_use]
    pub fn quiet_until(&self, at: Time) -> Option<Time> {
        self.quiet.and_then(|quiet| quiet.end(at, &self.timezone))
    }

    /// The end of the cooldown after a message; `None` if there is no cooldown now. A message sent while the clock was
    /// ahead starts no cooldown: otherwise the cooldown would last until that time.
    #[must_use]
    pub fn cooling_until(&self, sent_at: Option<Time>, now: Time) -> Option<Time> {
        let sent_at = sent_at.filter(|at| *at <= now.plus(SIGN_AHEAD))?;
        Some(sent_at.plus(Duration::from_millis(self.cooldown_ms))).filter(|until| *until > now)
    }

    /// Whether it checks a source.
    #[must_use]
    pub fn checks_source(&self, source: Source) -> bool {
        self.sources.is_empty() || self.sources.contains(&source)
    }
}

/// A line of an event's details: text and, optionally, a link.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct AlertLine {
    /// One line of text.
    pub text: String,
    /// The link's address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The key of the item it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// An event of an alert: a condition began or ended.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct AlertEvent {
    /// The id, made of alert, kind, run (or day) and subject. The same however often and by whichever process it is detected.
    pub event: String,
    /// The alert's name.
    pub alert: String,
    /// The subject: a topic, `TOPIC/SOURCE` or `TOPIC/unrelated`; for a budget `TOPIC/DATE`, `PROVIDER/DATE` or
    /// `service/DATE`.
    pub subject: String,
    /// Whether the condition began or ended.
    pub kind: AlertEventKind,
    pub at: Time,
    /// One line of text.
    pub summary: String,
    /// Details of the summary: items, or a sentence.
    pub lines: Vec<AlertLine>,
    /// The message that reports the event; `None` while it waits for one.
    pub message: Option<String>,
    /// The delivery state of that message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivery: Option<Delivery>,
    /// Why no message is sent.
    pub muted: Option<String>,
    /// When somebody acknowledged the event.
    pub acked_at: Option<Time>,
}

impl AlertEvent {
    /// The event in one line; marks the end of a condition with `over: `.
    #[must_use]
    pub fn summary_line(&self) -> String {
        match self.kind {
            AlertEventKind::Fired => self.summary.clone(),
            AlertEventKind::Recovered => format!("over: {}", self.summary),
        }
    }
}

/// A condition that holds now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Firing {
    /// What it is about.
    pub subject: String,
    pub since: Time,
    /// Whether somebody acknowledged it. If so, its end is not reported.
    pub acked: bool,
    /// Why its start was not reported; if so, its end is not reported either. Known while it is evaluated.
    pub muted: Option<String>,
}

impl Firing {
    /// Why the start of a held-back condition was not reported: most posts of a window were not about the question, so
    /// nothing was judged. It is stored and listed, but it is not an alarm.
    pub const UNRELATED: &str = "unrelated posts";

    /// Whether it is held back, and so not an alarm.
    #[must_use]
    pub fn is_held_back(&self) -> bool {
        self.muted.as_deref() == Some(Self::UNRELATED)
    }

    /// Whether it is about a UTC day that is over, such as `service/2026-03-11`. A budget's alert ends with the day,
    /// even if no process has checked since.
    #[must_use]
    pub fn is_over(&self, now: Time) -> bool {
        let shape = |(at, byte): (usize, u8)| if matches!(at, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() };
        let is_day = |part: &&str| part.len() == 10 && part.bytes().enumerate().all(shape);
        let day = self.subject.rsplit_once('/').map(|(_, day)| day).filter(is_day);
        day.is_some_and(|day| *day < *now.utc_date())
    }
}

/// The stored state of an alert.
#[derive(Debug, Clone, Default)]
pub struct AlertState {
    /// The number of the last run it checked, and when it checked it; `None` before the first check.
    pub cursor: Option<(i64, Time)>,
    /// When it last queued a message.
    pub sent_at: Option<Time>,
    /// The delivery state of that message.
    pub delivery: Option<Delivery>,
    /// The end of the snooze.
    pub snoozed_until: Option<Time>,
    pub firing: Vec<Firing>,
    /// Events not reported yet, the earliest first.
    pub waiting: Vec<AlertEvent>,
    /// The total number of events not reported yet.
    pub waiting_in_all: i64,
}

/// A run, as far as alerts need it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlertRun {
    /// Id shown to users.
    pub run: String,
    pub topic: String,
    /// Its number in reading order.
    pub seq: i64,
    /// How it ended.
    pub state: RunState,
    /// When it started, or when it was due if it did not start.
    pub at: Time,
}

impl AlertRun {
    /// The run alone, as a range in reading order.
    #[must_use]
    pub fn as_range(&self) -> SeqRange {
        SeqRange { since: self.seq - 1, until: self.seq }
    }
}

/// A search, as far as a source's health needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchHealth {
    pub source: Source,
    /// How it ended.
    pub state: SearchState,
    /// When its run started.
    pub at: Time,
    /// The counts of its reply.
    pub counts: Counts,
    /// A lower bound of the new items that are not older than the window.
    pub fresh: i64,
    /// Whether the span it asked for was in the past.
    pub past: bool,
    /// Whether the reply was empty although posts of the time asked for are known or certain: it proves nothing.
    pub empty_in_error: bool,
    /// The error class, or why the search was not made.
    pub trouble: Option<String>,
}
