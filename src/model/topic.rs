//! A watched topic as it is run: queries per source, schedule, policies. This is the definition that is stored, so that
//! a worker runs what was planned and not what its own file says.

use super::{TopicLimits, Window, closed_list};

closed_list! {
    /// Where a search goes.
    Source {
        /// Posts of a social platform.
        Social = "social",
        /// Pages of the web.
        Web = "web",
        /// A written summary, with the items it rests on.
        Ai = "ai",
    }
}

closed_list! {
    /// Which call serves the social source.
    SocialOperation {
        /// The contract's social search.
        Search = "search",
        Posts = "posts",
        /// Basic Social Search.
        Basic = "basic",
    }
}

closed_list! {
    /// Which call serves the web source.
    WebOperation {
        /// The contract's web search.
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
    /// What becomes of slots that passed while nothing ran.
    CatchUp {
        /// The latest runs, the others are recorded as missed.
        Latest = "latest",
        /// All run, within the window and the maximum.
        All = "all",
        /// None runs; all are recorded as missed.
        None = "none",
    }
}

closed_list! {
    /// What happens when a slot comes while the topic's last run still goes on.
    Overlap {
        /// The slot is recorded as skipped.
        Skip = "skip",
        /// One slot waits.
        BufferOne = "buffer_one",
        /// Runs side by side.
        Allow = "allow",
    }
}

/// When a job is due: a cron expression or a fixed period, never both.
#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Period {
    /// A cron expression as the user wrote it (checked by `schedule`).
    #[serde(rename = "schedule")]
    Cron(String),
    /// Every so many milliseconds, anchored to the epoch.
    #[serde(rename = "every_ms")]
    Every(u64),
}

/// A job's schedule and what happens around it. Durations are milliseconds.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SchedulePolicy {
    /// Cron expression or period.
    pub period: Period,
    /// IANA zone in which local times are meant.
    pub timezone: String,
    /// What happens to missed slots.
    pub catch_up: CatchUp,
    /// How far back missed slots are looked at.
    pub catch_up_window_ms: u64,
    /// At most this many caught-up runs at once.
    pub max_catch_up_runs: u32,
    /// What happens to a slot whose run would overlap another.
    pub overlap: Overlap,
    /// Deterministic spread after the slot; never moves the slot itself.
    pub jitter_ms: u64,
    /// Longest duration of a run.
    pub timeout_ms: u64,
    /// How often a run whose lease was lost is tried again.
    pub max_attempts: u32,
    /// Not planned while true.
    pub paused: bool,
}

impl SchedulePolicy {
    /// For whoever asks when something is due and runs nothing: only period and zone matter.
    #[must_use]
    pub fn only_when(period: Period, timezone: &str) -> Self {
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

/// What the social source is asked.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SocialQuery {
    pub query: String,
    pub operation: SocialOperation,
    /// How many posts are asked for, where the call takes a number.
    pub limit: Option<u32>,
}

/// What the web source is asked.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct WebQuery {
    pub query: String,
    pub operation: WebOperation,
    /// How many pages are asked for (`results_limit`).
    pub limit: u32,
}

/// What the AI source is asked.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct AiQuery {
    /// The prompt with its template filled in.
    pub prompt: String,
    /// Model name of the contract.
    pub model: String,
    /// Sent only when set.
    pub response_order: Option<String>,
    /// Asked as a stream.
    pub streaming: bool,
    /// When to ask at all.
    pub when: AiWhen,
    /// How many results it should rest on (`desearch`).
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
    /// Present when the social source is on.
    pub social: Option<SocialQuery>,
    /// Present when the web source is on.
    pub web: Option<WebQuery>,
    /// Present when the AI source is on.
    pub ai: Option<AiQuery>,
    /// When it runs; `None` means only when asked (`once`).
    pub schedule: Option<SchedulePolicy>,
    /// What it may ask in a UTC day, beside what holds for the whole service.
    #[serde(default, skip_serializing_if = "TopicLimits::is_none")]
    pub limits: TopicLimits,
    /// Which of its items are meant.
    #[serde(default, skip_serializing_if = "TopicFilter::is_none")]
    pub filter: TopicFilter,
}

impl Topic {
    /// The job name in the ledger.
    #[must_use]
    pub fn job(&self) -> String {
        format!("topic:{}", self.id)
    }

    /// The zone in which its schedule is meant and its days begin.
    #[must_use]
    pub fn timezone(&self) -> &str {
        self.schedule.as_ref().map_or("UTC", |policy| &policy.timezone)
    }

    /// The sources that are on, in the order in which a run asks them.
    #[must_use]
    pub fn sources(&self) -> Vec<Source> {
        let on = [
            (Source::Social, self.social.is_some()),
            (Source::Web, self.web.is_some()),
            (Source::Ai, self.ai.is_some()),
        ];
        on.into_iter().filter_map(|(source, on)| on.then_some(source)).collect()
    }

    /// The words a source is asked for.
    #[must_use]
    pub fn query(&self, source: Source) -> Option<&str> {
        match source {
            Source::Social => self.social.as_ref().map(|s| s.query.as_str()),
            Source::Web => self.web.as_ref().map(|w| w.query.as_str()),
            Source::Ai => self.ai.as_ref().map(|a| a.prompt.as_str()),
        }
    }
}

/// Which of a topic's items are meant. Applied when reading; what the entries mean is `filter`'s.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct TopicFilter {
    /// Each of these must occur in title or text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub must: Vec<String>,
    /// None of these may occur.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<String>,
    /// Languages; an item whose language is not known passes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lang: Vec<String>,
    /// Authors that are left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exclude_authors: Vec<String>,
}

impl TopicFilter {
    /// Whether it lets everything pass.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}
