//! The shared data types: topic, source, item, run and so on. No I/O and no decisions; modules exchange these values.

mod access;
mod address;
mod alert;
mod alert_card;
mod allowance;
mod changes;
mod channel;
mod cluster;
mod exported;
mod follower;
mod invisible;
mod item;
mod job;
mod mark;
mod message;
mod money;
mod nearest;
mod numbers;
mod page_token;
mod pages;
mod ping;
mod provider;
mod provider_kinds;
mod quiet_hours;
mod report;
mod report_rows;
mod request;
mod retention;
mod rows;
mod run;
mod saved_search;
mod search_history;
mod short_text;
mod source;
mod source_activity;
mod source_results;
mod span;
mod story;
mod tally;
mod term;
mod text_query;
mod time;
mod tone;
mod topic;

pub use access::{LinkRow, Role, SharedKind, TokenRow, secret_hash};
pub use address::without_secrets;
pub use alert::{
    AlertEvent, AlertEventKind, AlertLine, AlertRule, AlertRun, AlertSpec, AlertState, Firing, SearchHealth, alert_job,
    alert_of,
};
pub use alert_card::{Acked, AlertCard, TopicFiring, subject_topic};
pub use allowance::{Budget, DayLimits, LimitExceeded, ServiceLimits, TopicLimits, Usage};
pub use changes::{Edit, FirstSighting, Growth, ItemSummary, LastSighting, Question, SeqRange, Snapshot, Snapshots};
pub use channel::{
    ChannelKind, ChannelSpec, EmailSpec, SecretSource, SmtpTls, Transport, WebhookFormat, WebhookSpec, redact_url,
};
pub use cluster::{Assignment, ClusterHead, ClusterRow, Fingerprint, ItemText, KeyTableLimits, Volume};
pub use exported::{FirstSightingRow, SearchExportRow};
pub use follower::Follower;
pub use invisible::{is_invisible, is_invisible_after, is_joiner};
pub use item::{
    Answer, ENTRY_DIGITS, Engagement, Finding, Kind, ReplyEntry, TEXT_KEY_PREFIX, Window, WindowFit,
    author_of_text_key, page_key_of_entry, time_of_post_id,
};
pub use job::{Job, JobKind};
pub use mark::{Mark, MarkChange, MarkRow, MarkedVia, NewMark};
pub use message::{Delivery, Message, OutboxEntry, OutboxState, Undelivered};
pub use money::{Micros, SearchCost};
pub use nearest::nearest;
pub use numbers::number;
pub use page_token::{BadToken, Position, page_token, parse_page_token};
pub use pages::{
    CopyRow, DayCount, EditionRow, ItemSightingRow, LedgerRow, ProcessRow, RevisionRow, RunWithNewItems, SIGN_AHEAD,
    TopicCard, WrittenFile,
};
pub use ping::PingSpec;
pub use provider::{
    CallCount, Login, LookBackKind, ProviderKind, ProviderQuery, QueryKey, QueryKeyType, QueryValue, Remembered,
    ResultKind,
};
pub use provider_kinds::{BLUESKY_PAGE, DESEARCH_URL, HACKER_NEWS_PAGE, KINDS};
pub use quiet_hours::QuietHours;
pub use report::{ReportFormat, ReportSpec, ReportWindow};
pub use report_rows::{CountedItem, EngagementAt, ItemContent, ResolvedKey, SearchSummary};
pub use request::{ControlRequest, Request, RequestKind, RequestState};
pub use retention::{PrunedDay, PrunedDays, PrunedSummary, Retention};
pub use rows::{
    AiUsageRow, AnswerRow, BilledCostRow, Counts, DataOrigin, ItemRow, ItemTone, LATE, Paused, PausedBy, RunRow,
    SearchRow, SightingRow, TopicStatus,
};
pub use run::{Engine, PAUSED, RunState, SearchState, Trigger};
pub use saved_search::{BadNote, LONGEST_NOTE, MOST_SEARCHES, SavedSearch, parse_note};
pub use search_history::{CoverageSearch, LISTED_NOTHING, NO_COMMON_TIME, QueryHistory, RunSearch, WatchedTopic};
pub use short_text::{excerpt, one_line, visible_words};
pub use source::{SERVICE, Source};
pub use source_activity::{AnsweredSearch, SourceActivity};
pub use source_results::{about_items, covers_spans, detects_removal, result_kind};
pub use span::{LookBack, Span, format_duration};
pub use story::{LinkSource, STORY_WORDS, SourceSighting, StoryItem, StoryRows, Tie, TopicSighting};
pub use tally::{MetricSum, SourceLatest, StoreCounts, TallyRun, TallySearch};
pub use term::{NAME_SIGN, SITE_SIGN, TAG_SIGN, TermKind, bare_term, format_term};
pub use text_query::{Phrase, SearchableItem, TextQuery, Tokenise, Tokens};
pub use time::{Clock, Time};
pub use tone::{Scorer, Tone, ToneScore};
pub use topic::{
    AiQuery, AiWhen, CatchUp, Overlap, Period, SchedulePolicy, SocialOperation, SocialQuery, Topic, TopicFilter,
    Unscheduled, WebOperation, WebQuery,
};

/// Defines an enum of states or kinds. Each member has one spelling in the database, in files and on the command line.
#[macro_export]
macro_rules! closed_list {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        pub enum $name { $($(#[$vmeta])* #[serde(rename = $text)] $variant),+ }

        impl $name {
            /// Every member, in declaration order.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            /// The spelling used in tables, files and options.
            #[must_use]
            pub fn as_str(self) -> &'static str { match self { $($name::$variant => $text),+ } }

            /// Parses the spelling; `None` for anything else.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> { match text { $($text => Some($name::$variant),)+ _ => None } }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.pad(self.as_str()) }
        }
    };
}
pub use closed_list;
