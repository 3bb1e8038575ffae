//! The shared data types: topic, source, item, run and so on. No I/O and no decisions; modules exchange these values.

mod access;
mod alert;
mod alert_card;
mod allowance;
mod changes;
mod channel;
mod cluster;
mod exported;
mod invisible;
mod item;
mod job;
mod mark;
mod message;
mod money;
mod page_token;
mod pages;
mod ping;
mod provider;
mod provider_kinds;
mod pulse;
mod report;
mod request;
mod retention;
mod rows;
mod run;
mod saved_search;
mod search_history;
mod source;
mod span;
mod story;
mod tally;
mod term;
mod text_query;
mod time;
mod tone;
mod topic;
mod verdict;

pub use access::{LinkRow, Role, SharedKind, TokenRow, secret_hash};
pub use alert::{
    AlertEvent, AlertEventKind, AlertLine, AlertRule, AlertRun, AlertSpec, AlertStanding, Firing, Quiet, Searched,
};
pub use alert_card::{Acked, AlertCard, FiringAt, topic_of};
pub use allowance::{Budget, DayLimits, Exhausted, ServiceLimits, TopicLimits, Used};
pub use changes::{Between, Edit, FirstSight, Growth, ItemHead, LastSight, Question, Snapshot, Snapshots};
pub use channel::{
    ChannelKind, ChannelSpec, ChannelWay, EmailSpec, HookForm, SecretPlace, SmtpTls, WebhookSpec, shown_url,
};
pub use cluster::{Choice, ClusterRow, Head, Marks, Room, Volume, Wording};
pub use exported::{NewRow, SearchedRow};
pub use invisible::{is_hidden, is_hidden_after, is_joiner};
pub use item::{
    Answer, ENTRY_DIGITS, Engagement, Finding, Found, Kind, TEXT_KEY_PREFIX, Window, WindowFit, page_of_entry,
    time_of_post_id,
};
pub use job::{Job, JobKind};
pub use mark::{Asked, Mark, Met, Reaction, Words};
pub use message::{Message, OutboxState, Posted, Undelivered};
pub use money::Micros;
pub use page_token::{BadToken, Position, page_token, position_of};
pub use pages::{
    Brought, CopyRow, DayCount, EarlierRow, LATE, LedgerRow, LivingRow, MadeFile, MadeRow, SIGN_AHEAD, SeenRow,
    TopicCard,
};
pub use ping::PingSpec;
pub use provider::{AskKey, AskShape, AskValue, Brings, Login, ProviderKind, ProviderQuery, Reach, Remembered};
pub use provider_kinds::{KINDS, about_items, brings, covers_spans, judges_gone};
pub use pulse::{Heartbeat, Pulse};
pub use report::{ReportFormat, ReportSpec, ReportWindow};
pub use request::{ControlRequest, Request, RequestKind, RequestState};
pub use retention::{PrunedDay, PrunedDays, Retention, Trimmed};
pub use rows::{
    AnswerRow, AskedRow, BilledRow, Counts, ItemRow, ItemTone, Nature, Paused, PausedBy, RunRow, SearchRow,
    SightingRow, TopicStatus,
};
pub use run::{Engine, PAUSED, RunState, SearchState, Trigger};
pub use saved_search::{BadNote, LONGEST_NOTE, MOST_SEARCHES, SavedSearch, as_note};
pub use search_history::{Look, LookSearch, Recall, Watched};
pub use source::{SERVICE, Source};
pub use span::{LookBack, Span, spell};
pub use story::{InSource, InTopic, Linking, STORY_WORDS, StoryItem, StoryRows, Tie};
pub use tally::{Latest, StoreCounts, Tallied, TallyRun, TallySearch};
pub use term::{NAME_SIGN, SITE_SIGN, TAG_SIGN, TermKind, bare_term, shown_term};
pub use text_query::{Phrase, Readable, Tokenise, Tokens, Wanted};
pub use time::{Clock, Time};
pub use tone::{Judge, Judged, Tone};
pub use topic::{
    AiQuery, AiWhen, CatchUp, Overlap, Period, SchedulePolicy, SocialOperation, SocialQuery, Topic, TopicFilter,
    WebOperation, WebQuery,
};
pub use verdict::{MarkRow, Marked, Through, Verdict};

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
