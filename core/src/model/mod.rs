//! The shared data types: topic, source, item, run and so on. No I/O and no decisions; modules exchange these values.

mod access;
mod alerts;
mod allowance;
mod delivery;
mod items;
mod money;
mod reading;
mod retention;
mod runs;
mod sources;
mod span;
mod text;
mod time;
mod topic;

pub use access::{AccessChanges, LinkRow, Role, SharedKind, TokenRow, secret_hash};
pub use alerts::alert::{
    AlertEvent, AlertEventKind, AlertLine, AlertRule, AlertRun, AlertSpec, AlertState, Firing, SearchHealth, alert_job,
    alert_of,
};
pub use alerts::alert_card::{Acked, AlertCard, TopicFiring, subject_topic};
pub use alerts::quiet_hours::QuietHours;
pub use allowance::{Budget, DayLimits, LimitExceeded, PaidUsage, ServiceLimits, TopicLimits, Usage, UsageByProvider};
pub use delivery::channel::{
    ChannelKind, ChannelSpec, EmailSpec, SecretSource, SmtpTls, Transport, WebhookFormat, WebhookSpec, redact_url,
};
pub use delivery::message::{Delivery, Message, OutboxEntry, OutboxState, Undelivered};
pub use delivery::ping::PingSpec;
pub use delivery::report::{ReportFormat, ReportSpec, ReportWindow};
pub use items::changes::{
    Edit, FirstSighting, Growth, ItemSummary, LastSighting, Question, SeqRange, Snapshot, Snapshots,
};
pub use items::cluster::{Assignment, ClusterHead, ClusterRow, Fingerprint, ItemText, KeyTableLimits, Volume};
pub use items::item::{
    Answer, ENTRY_DIGITS, Engagement, Finding, Kind, ReplyEntry, TEXT_KEY_PREFIX, Window, WindowFit,
    author_of_text_key, page_key_of_entry, page_keys_of_post, time_of_post_id,
};
pub use items::mark::{Mark, MarkChange, MarkRow, MarkedVia, NewMark};
pub use items::saved_search::{BadNote, LONGEST_NOTE, MOST_SEARCHES, SavedSearch, parse_note};
pub use items::story::{LinkSource, STORY_WORDS, SourceSighting, StoryItem, StoryRows, Tie, TopicSighting};
pub use items::tone::{Scorer, Tone, ToneScore};
pub use money::{Micros, SearchCost};
pub use reading::counts::Counts;
pub use reading::exported::{FirstSightingRow, RunExportRow, SearchExportRow};
pub use reading::lower_bounds::missed_items;
pub use reading::page_token::{BadToken, Position, page_token, parse_page_token};
pub use reading::pages::{
    CopyRow, DayCount, EditionRow, ItemSightingRow, LedgerRow, ProcessRow, RevisionRow, RunWithNewItems, SIGN_AHEAD,
    TopicCard, WrittenFile,
};
pub use reading::report_rows::{CountedItem, EngagementAt, ItemContent, ResolvedKey, SearchSummary};
pub use reading::rows::{
    AiUsageRow, AnswerRow, BilledCostRow, DataOrigin, ItemRow, ItemTone, LATE, Paused, PausedBy, RunRow, SearchRow,
    SightingRow, TopicStatus,
};
pub use retention::{PrunedDay, PrunedDays, PrunedSummary, Retention};
pub use runs::follower::Follower;
pub use runs::job::{Job, JobKind};
pub use runs::reading_order::runs_in_order;
pub use runs::request::{ControlRequest, Request, RequestKind, RequestState};
pub use runs::run::{Engine, PAUSED, RECORDED_AHEAD, RUN_AHEAD, RunState, SearchState, Trigger};
pub use runs::search_history::{
    CoverageSearch, EMPTY_REPLY, LISTED_NOTHING, NO_COMMON_TIME, QueryHistory, RunSearch, WatchedTopic,
};
pub use runs::tally::{MetricSum, SourceLatest, StoreCounts, TallyRun, TallySearch};
pub use sources::provider::{
    CallCount, Login, LookBackKind, ProviderKind, ProviderQuery, QueryKey, QueryKeyType, QueryValue, Remembered,
    ResultKind,
};
pub use sources::provider_kinds::{BLUESKY_PAGE, DESEARCH_URL, HACKER_NEWS_PAGE, KINDS};
pub use sources::source::{SERVICE, Source};
pub use sources::source_activity::{AnsweredSearch, SourceActivity};
pub use sources::source_results::{about_items, covers_spans, detects_removal, result_kind};
pub use span::{BACKFILL_AFTER, LookBack, Span, format_duration, is_backfill};
pub use text::address::without_secrets;
pub use text::invisible::{is_invisible, is_invisible_after, is_joiner};
pub use text::language::{equal_language_tags, is_language_tag, usual_language_code};
pub use text::nearest::nearest;
pub use text::numbers::number;
pub use text::shell_word::shell_word;
pub use text::short_text::{excerpt, is_blank, one_line, visible_words};
pub use text::term::{NAME_SIGN, SITE_SIGN, TAG_SIGN, TermKind, bare_term, format_term};
pub use text::text_query::{Phrase, SearchableItem, TextQuery, Tokenise, Tokens};
pub use text::whole_characters::{whole_characters, whole_start};
pub use time::{Clock, Time};
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
