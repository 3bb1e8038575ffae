//! A watched topic as it is run: queries per source, schedule, policies. This is the definition that is stored, so that
//! a worker runs what was planned and not what its own file says.

use super::{Brings, ProviderQuery, Source, TopicLimits, Window, closed_list};

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
    /// What providers beside the search service are asked, in the order of the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub providers: Vec<ProviderQuery>,
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

    /// The sources that are on, in the order in which a run asks them: what finds items first, what answers last.
    #[must_use]
    pub fn sources(&self) -> Vec<Source> {
        let named = |answers: bool| {
            let of = self.providers.iter().filter(move |one| (one.brings() == Brings::Answer) == answers);
            of.map(|one| one.source)
        };
        let social = self.social.iter().map(|_| Source::Social);
        let web = self.web.iter().map(|_| Source::Web);
        let ai = self.ai.iter().map(|_| Source::Ai);
        social.chain(web).chain(named(false)).chain(ai).chain(named(true)).collect()
    }

    /// Whether a source is on that finds items; one that only answers finds nothing new by itself.
    #[must_use]
    pub fn finds(&self) -> bool {
        self.social.is_some() || self.web.is_some() || self.providers.iter().any(|one| one.brings() != Brings::Answer)
    }

    /// The question to a provider.
    #[must_use]
    pub fn provider(&self, source: Source) -> Option<&ProviderQuery> {
        self.providers.iter().find(|one| one.source == source)
    }

    /// What a source of this topic finds; `None` when the source is off.
    #[must_use]
    pub fn brings(&self, source: Source) -> Option<Brings> {
        match source {
            Source::Social => self.social.as_ref().map(|_| Brings::Posts),
            Source::Web => self.web.as_ref().map(|_| Brings::Pages),
            Source::Ai => self.ai.as_ref().map(|_| Brings::Answer),
            other => self.provider(other).map(ProviderQuery::brings),
        }
    }

    /// The words a source is asked for.
    #[must_use]
    pub fn query(&self, source: Source) -> Option<String> {
        match source {
            Source::Social => self.social.as_ref().map(|s| s.query.clone()),
            Source::Web => self.web.as_ref().map(|w| w.query.clone()),
            Source::Ai => self.ai.as_ref().map(|a| a.prompt.clone()),
            other => self.provider(other).map(ProviderQuery::words),
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
