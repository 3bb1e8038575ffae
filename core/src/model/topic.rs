//! The definition of a watched topic: queries per source, schedule, policies. It is stored in the database, so that a
//! worker runs the planned topics, not those of its own file.

use std::time::Duration;

use super::{ProviderQuery, ResultKind, Source, TopicLimits, Window, closed_list};

closed_list! {
    /// The API operation that serves the social source.
    SocialOperation {
        /// The API contract's social search.
        Search = "search",
        Posts = "posts",
        /// Basic Social Search.
        Basic = "basic",
    }
}

closed_list! {
    /// The API operation that serves the web source.
    WebOperation {
        /// The API contract's web search.
        Search = "search",
        /// Web Link Search.
        Links = "links",
        /// Basic Web Search.
        Basic = "basic",
    }
}

closed_list! {
    /// When the AI source is asked.
    AiWhen {
        /// Only when the run found something new.
        New = "new",
        /// In every run.
        Always = "always",
        /// In the first run of a local day.
        Daily = "daily",
    }
}

closed_list! {
    /// The policy for slots that were missed while nothing was running.
    CatchUp {
        /// The latest slot runs; the others are recorded as missed.
        Latest = "latest",
        /// All run, up to the window and the maximum.
        All = "all",
        /// None runs; all are recorded as missed.
        None = "none",
    }
}

closed_list! {
    /// The policy for a slot that is due while the topic's last run is still in progress.
    Overlap {
        /// The slot is recorded as skipped.
        Skip = "skip",
        /// One slot waits.
        BufferOne = "buffer_one",
        /// Both run at the same time.
        Allow = "allow",
    }
}

/// When a job is due: either a cron expression or a fixed period.
#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Period {
    /// A cron expression as the user wrote it; `schedule` validated it.
    #[serde(rename = "schedule")]
    Cron(String),
    /// A period in milliseconds, anchored to the epoch.
    #[serde(rename = "every_ms")]
    Every(u64),
}

/// A job's schedule and its policies. Durations are in milliseconds.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SchedulePolicy {
    /// Cron expression or period.
    pub period: Period,
    /// IANA time zone of the schedule.
    pub timezone: String,
    /// The policy for missed slots.
    pub catch_up: CatchUp,
    /// How far back missed slots are considered.
    pub catch_up_window_ms: u64,
    /// The most catch-up runs at once.
    pub max_catch_up_runs: u32,
    /// The policy for a slot whose run would overlap another.
    pub overlap: Overlap,
    /// Deterministic delay after the slot; never moves the slot itself.
    pub jitter_ms: u64,
    /// The longest duration of a run.
    pub timeout_ms: u64,
    /// The most attempts of a run whose lease is lost.
    pub max_attempts: u32,
    /// Not planned while true.
    pub paused: bool,
}

impl SchedulePolicy {
    /// A policy for computing when something is due, without running it: only period and zone matter.
    #[must_use]
    pub fn timing_only(period: Period, timezone: &str) -> Self {
        Self {
            period,
            timezone: timezone.to_owned(),
            catch_up: CatchUp::Latest,
            catch_up_window_ms: 0,
            max_catch_up_runs: 1,
            overlap: Overlap::Skip,
            jitter_ms: 0,
            timeout_ms: 0,
            max_attempts: 1,
            paused: false,
        }
    }
}

/// Settings for the runs of a topic without a schedule.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Unscheduled {
    /// IANA time zone of its days.
    pub timezone: String,
    /// The longest duration of a run, in milliseconds.
    pub timeout_ms: u64,
}

impl Default for Unscheduled {
    fn default() -> Self {
        Self { timezone: "UTC".to_owned(), timeout_ms: 300_000 }
    }
}

impl Unscheduled {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// The query to the social source.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SocialQuery {
    pub query: String,
    pub operation: SocialOperation,
    /// The number of posts to request, if the operation accepts one.
    pub limit: Option<u32>,
}

/// The query to the web source.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct WebQuery {
    pub query: String,
    pub operation: WebOperation,
    /// The number of pages to request (`results_limit`).
    pub limit: u32,
}

/// The query to the AI source.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct AiQuery {
    /// The prompt, with its template filled in.
    pub prompt: String,
    /// Model name of the API contract.
    pub model: String,
    /// Sent only when set.
    pub response_order: Option<String>,
    /// Whether to ask for a stream.
    pub streaming: bool,
    /// When to ask at all.
    pub when: AiWhen,
    /// The number of results to base the answer on (`desearch`).
    pub count: Option<u32>,
    /// Tools it may use (`desearch`).
    pub tools: Vec<String>,
}

/// A watched topic.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Topic {
    /// Slug, unique in the file.
    pub id: String,
    /// Name shown to people.
    pub title: String,
    pub tags: Vec<String>,
    /// How far back social searches look.
    pub window: Window,
    /// Present if the social source is on.
    pub social: Option<SocialQuery>,
    /// Present if the web source is on.
    pub web: Option<WebQuery>,
    /// Present if the AI source is on.
    pub ai: Option<AiQuery>,
    /// Queries to providers other than the search service, in the order of the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub providers: Vec<ProviderQuery>,
    /// When it runs; `None` means only on request (`once`).
    pub schedule: Option<SchedulePolicy>,
    /// Settings for its runs if it has no schedule.
    #[serde(default, skip_serializing_if = "Unscheduled::is_default")]
    pub unscheduled: Unscheduled,
    /// Its limits per UTC day, in addition to those of the whole service.
    #[serde(default, skip_serializing_if = "TopicLimits::is_none")]
    pub limits: TopicLimits,
    /// Which items to keep when reading.
    #[serde(default, skip_serializing_if = "TopicFilter::is_none")]
    pub filter: TopicFilter,
}

impl Topic {
    /// The job name in the ledger.
    #[must_use]
    pub fn job(&self) -> String {
        format!("topic:{}", self.id)
    }

    /// The time zone of its schedule and of its days.
    #[must_use]
    pub fn timezone(&self) -> &str {
        self.schedule.as_ref().map_or(&self.unscheduled.timezone, |policy| &policy.timezone)
    }

    /// The longest duration of a run.
    #[must_use]
    pub fn run_timeout(&self) -> Duration {
        let of_schedule = self.schedule.as_ref().map(|policy| policy.timeout_ms);
        Duration::from_millis(of_schedule.unwrap_or(self.unscheduled.timeout_ms))
    }

    /// The enabled sources in the order in which a run asks them: those that find items first, those that answer last.
    #[must_use]
    pub fn sources(&self) -> Vec<Source> {
        let named = |answers: bool| {
            let of = self.providers.iter().filter(move |one| (one.result_kind() == ResultKind::Answer) == answers);
            of.map(|one| one.source)
        };
        let social = self.social.iter().map(|_| Source::Social);
        let web = self.web.iter().map(|_| Source::Web);
        let ai = self.ai.iter().map(|_| Source::Ai);
        social.chain(web).chain(named(false)).chain(ai).chain(named(true)).collect()
    }

    /// Whether an enabled source finds items. Sources that only answer find none.
    #[must_use]
    pub fn finds_items(&self) -> bool {
        self.social.is_some()
            || self.web.is_some()
            || self.providers.iter().any(|one| one.result_kind() != ResultKind::Answer)
    }

    /// The query to a provider.
    #[must_use]
    pub fn provider(&self, source: Source) -> Option<&ProviderQuery> {
        self.providers.iter().find(|one| one.source == source)
    }

    /// The kind of data that a source of this topic returns; `None` if the source is off.
    #[must_use]
    pub fn result_kind(&self, source: Source) -> Option<ResultKind> {
        match source {
            Source::Social => self.social.as_ref().map(|_| ResultKind::Posts),
            Source::Web => self.web.as_ref().map(|_| ResultKind::Pages),
            Source::Ai => self.ai.as_ref().map(|_| ResultKind::Answer),
            other => self.provider(other).map(ProviderQuery::result_kind),
        }
    }

    /// The query text of a source.
    #[must_use]
    pub fn query(&self, source: Source) -> Option<String> {
        match source {
            Source::Social => self.social.as_ref().map(|s| s.query.clone()),
            Source::Web => self.web.as_ref().map(|w| w.query.clone()),
            Source::Ai => self.ai.as_ref().map(|a| a.prompt.clone()),
            other => self.provider(other).map(ProviderQuery::query_text),
        }
    }
}

/// Which of a topic's items are relevant. Applied when reading; `filter` interprets the entries.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct TopicFilter {
    /// Each of these must occur in title or text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub must: Vec<String>,
    /// None of these may occur.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<String>,
    /// Allowed languages. An item without a known language passes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lang: Vec<String>,
    /// Authors whose items are hidden.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exclude_authors: Vec<String>,
}

impl TopicFilter {
    /// Whether the filter is empty.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}
