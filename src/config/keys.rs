//! Every key of `jobs.toml`, once: its section, shape, default and purpose. Unknown-key detection, suggestions,
//! environment variables, the JSON Schema and the tests of the shipped file all use this table. The code that uses a
//! value decides what it means.

use crate::export::{ExportKind, FilterMode, Format, Mode, Profile};
use crate::model::{
    AiWhen, AlertRule, CatchUp, ChannelKind, Engine, KINDS, Overlap, ReportFormat, ReportWindow, SmtpTls,
    SocialOperation, WebOperation, Window,
};
use crate::search::{Dialect, TOOLS};

/// A part of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Section {
    /// `[service]`.
    Service,
    /// `[providers.NAME]`.
    Provider,
    /// `[database]`.
    Database,
    /// `[scheduler]`.
    Scheduler,
    /// `[retention]`.
    Retention,
    /// `[web]`.
    Web,
    /// `[[topics]]`, and `[defaults]` except for the keys that name one topic.
    Topic,
    /// `[[reports]]`.
    Report,
    /// `[[channels]]`.
    Channel,
    /// `[[exports]]`.
    Export,
    /// `[[alerts]]`.
    Alert,
}

impl Section {
    /// The table's name in the file.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Service => "service",
            Self::Provider => "providers.NAME",
            Self::Database => "database",
            Self::Scheduler => "scheduler",
            Self::Retention => "retention",
            Self::Web => "web",
            Self::Topic => "topics",
            Self::Report => "reports",
            Self::Channel => "channels",
            Self::Export => "exports",
            Self::Alert => "alerts",
        }
    }
}

/// The form of a key's value.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    Text,
    /// A string like `"90s"`.
    Duration,
    /// Like `Duration`, or `"forever"`.
    Kept,
    /// A string like `"60/min"`.
    Rate,
    /// A number of bytes, or a string like `"15MB"`.
    Bytes,
    /// A whole number within bounds.
    Integer(i64, i64),
    Dollars,
    /// Dollars per day, also as a string.
    Budget,
    /// `true` or `false`.
    Flag,
    /// One of a closed list of strings.
    OneOf(fn() -> Vec<&'static str>),
    /// A list of strings.
    Texts,
    /// A list of strings of a closed list.
    SomeOf(fn() -> Vec<&'static str>),
    /// A list of strings: these, or names defined in the file.
    Named(fn() -> Vec<&'static str>),
    /// Like `SomeOf`, or one of them alone, or `"both"`.
    OneOrSomeOf(fn() -> Vec<&'static str>),
}

/// The word for both entries of a list of two.
pub(super) const BOTH: &str = "both";

#[derive(Debug, Clone, Copy)]
pub struct Key {
    pub section: Section,
    /// Name within the section, dotted (`web.limit`).
    pub name: &'static str,
    pub shape: Shape,
    /// Value in force if nothing is written, as TOML; `None` if there is none.
    pub default: Option<&'static str>,
    /// What it is for, in one sentence.
    pub doc: &'static str,
}

impl Key {
    /// The name with its section (`service.max_tries`).
    #[must_use]
    pub fn full(&self) -> String {
        format!("{}.{}", self.section.as_str(), self.name)
    }

    /// Whether it may be written under `[defaults]` too.
    #[must_use]
    pub fn has_default_section(&self) -> bool {
        self.section == Section::Topic && !matches!(self.name, "id" | "title" | "query")
    }

    /// The environment variable that overrides it, if its section occurs only once.
    #[must_use]
    pub fn variable(&self) -> Option<String> {
        matches!(
            self.section,
            Section::Service | Section::Database | Section::Scheduler | Section::Retention | Section::Web
        )
        .then(|| format!("TOPICWATCH_{}", self.full().replace('.', "_").to_ascii_uppercase()))
    }
}

macro_rules! names {
    ($list:ident) => {
        || $list::ALL.iter().map(|member| member.as_str()).collect()
    };
}

macro_rules! keys {
    ($($section:ident { $($name:literal $shape:expr, $default:expr, $doc:literal;)+ })+) => {
        /// The table, in the order of the shipped file.
        pub static KEYS: &[Key] = &[
            $($(Key { section: Section::$section, name: $name, shape: $shape, default: $default, doc: $doc },)+)+
        ];
    };
}

use Shape::{
    Budget, Bytes, Dollars, Duration, Flag, Integer, Kept, Named, OneOf, OneOrSomeOf, Rate, SomeOf, Text, Texts,
};

fn service_sources() -> Vec<&'static str> {
    vec!["social", "web", "ai"]
}

keys! {
    Service {
        "base_url" Text, None, "Where searches go: \"sandbox\" or the service's URL.";
        "dialect" OneOf(names!(Dialect)), Some("\"spec\""), "Variant of the API: as in its specification, or as deployed services provide it.";
        "platform" Text, Some("\"X\""), "The social platform, as it appears in request paths and tool names.";
        "api_key_env" Text, Some("\"TOPICWATCH_API_KEY\""), "Environment variable that holds the key.";
        "api_key_file" Text, None, "File that holds the key; only its owner may read it.";
        "call_timeout" Duration, Some("\"120s\""), "Timeout for one reply.";
        "max_concurrent" Integer(1, 256), Some("8"), "Calls in flight at the same time.";
        "rate_limit" Rate, Some("\"60/min\""), "Calls started per period, or \"unlimited\".";
        "max_tries" Integer(1, 20), Some("4"), "Tries per call, including the first.";
        "max_response_bytes" Bytes, Some("15000000"), "Size limit of a reply, after decompression.";
        "max_calls_per_day" Integer(1, 10_000_000), Some("500"), "Calls per UTC day, counted before each call.";
        "budget_per_day" Budget, None, "Dollars per UTC day; each call's price is counted before the call.";
        "prices.social" Dollars, Some("0.003"), "Dollars per social call if the reply states no cost.";
        "prices.web" Dollars, Some("0.001"), "Dollars per web call if the reply states no cost.";
        "prices.ai" Dollars, Some("0.004"), "Dollars per AI call if the reply states no cost.";
    }
    Provider {
        "kind" OneOf(|| KINDS.iter().map(|kind| kind.name).collect()), None, "Kind of provider.";
        "base_url" Text, None, "Its URL, if not the usual one; \"sandbox\" uses the built-in sandbox.";
        "user" Text, None, "User name, if the provider needs a login.";
        "key_env" Text, None, "Environment variable that holds its key or password.";
        "key_file" Text, None, "File that holds it; only its owner may read it.";
        "call_timeout" Duration, Some("\"60s\""), "Timeout for one reply.";
        "max_concurrent" Integer(1, 256), Some("4"), "Calls in flight at the same time.";
        "rate_limit" Rate, Some("\"60/min\""), "Calls started per period, or \"unlimited\".";
        "max_tries" Integer(1, 20), Some("3"), "Tries per call, including the first.";
        "max_response_bytes" Bytes, Some("15000000"), "Size limit of a reply, after decompression.";
        "max_calls_per_day" Integer(1, 10_000_000), Some("10000"), "Calls per UTC day, counted before each call.";
        "budget_per_day" Budget, None, "Dollars per UTC day; each call's price is counted before the call.";
        "price.call" Dollars, Some("0"), "Dollars per call; for kinds of a search service (desearch, spec) without any price, the default of [service].prices.";
        "price.result" Dollars, Some("0"), "Dollars per entry in a reply. Expected entries of a call: `limit`, at most one page; 20 for kinds without `limit`; 1 for an answer.";
        "price.tokens" Dollars, Some("0"), "Dollars per 1,000 tokens.";
        "allow_private" Flag, Some("false"), "Whether feed URLs may point into a private network.";
    }
    Database {
        "url" Text, Some("\"sqlite:topicwatch.db\""), "Where findings are stored: sqlite:PATH or postgres://USER@HOST/NAME.";
        "schema" Text, Some("\"topicwatch\""), "Schema on PostgreSQL.";
    }
    Scheduler {
        "max_concurrent_runs" Integer(1, 1_000), Some("16"), "Concurrent runs in one process.";
        "lease" Duration, Some("\"60s\""), "How long a claimed run may go without a heartbeat before it is taken over.";
        "shutdown_grace" Duration, Some("\"30s\""), "How long a shutdown waits for active runs.";
        "engine" OneOf(names!(Engine)), Some("\"local\""), "What distributes runs: the ledger, or graphile_worker on PostgreSQL.";
        "output_folder" Text, None, "Folder in which relative paths of reports and exports start; if unset, that of jobs.toml.";
    }
    Retention {
        "raw" Kept, Some("\"30d\""), "How long raw replies are kept.";
        "sightings" Kept, Some("\"90d\""), "How long every snapshot is kept; afterwards, one per topic and day.";
        "items" Kept, Some("\"400d\""), "How long an item's text is kept after it was last seen.";
        "runs" Kept, Some("\"400d\""), "How long searches, answers, and runs in which no stored item was first or last seen are kept.";
        "prune" Text, Some("\"17 3 * * *\""), "When old data is deleted (cron, UTC), or \"never\" (then only by `topicwatch db prune`).";
    }
    Web {
        "listen" Text, None, "Address of the web pages, such as \"127.0.0.1:8080\"; if unset, there are none.";
        "token_env" Text, Some("\"TOPICWATCH_WEB_TOKEN\""), "Environment variable that holds the token for the pages.";
        "token_file" Text, None, "File that holds the token; only its owner may read it.";
        "hosts" Texts, Some("[]"), "Host names the pages may be requested by, besides localhost and IP addresses.";
        "https" Flag, Some("false"), "Whether visitors use TLS through a proxy; login cookies are then never sent unencrypted.";
        "edit" Flag, None, "Whether the pages may edit this file; if unset, only those of `run` on a loopback address without `hosts`.";
    }
    Topic {
        "id" Text, None, "Short name, unique in the file: a-z, 0-9, - and _.";
        "title" Text, None, "Display name; defaults to the id.";
        "tags" Texts, Some("[]"), "Tags that group topics.";
        "query" Text, None, "Query for every source.";
        "sources" Named(service_sources), Some("[\"social\", \"web\", \"ai\"]"), "Sources to search: those of [service], and names of [providers]. Without [service], all providers.";
        "window" OneOf(names!(Window)), Some("\"PAST_24_HOURS\""), "How far back social searches look.";
        "model" Text, Some("\"NOVA\""), "Model of the AI search (dialect spec).";
        "response_order" Text, None, "Order of an AI reply, such as \"SUMMARY_FIRST\" (dialect spec); sent only when set.";
        "streaming" Flag, Some("false"), "Request the AI reply as a stream.";
        "social.query" Text, Some("\"{query}\""), "Query for the social source; {query} and {title} are filled in.";
        "social.limit" Integer(1, 200), None, "Posts per call, if the call takes a number: 1 to 100, for \"posts\" 10 to 200.";
        "social.operation" OneOf(names!(SocialOperation)), Some("\"search\""), "Which call serves the social source.";
        "web.query" Text, Some("\"{query}\""), "Query for the web source; {query} and {title} are filled in.";
        "web.limit" Integer(1, 200), Some("5"), "Pages per call, if the call takes a number: 1 to 100, for \"links\" 10 to 200.";
        "web.operation" OneOf(names!(WebOperation)), Some("\"search\""), "Which call serves the web source.";
        "ai.prompt" Text, Some("\"{query}\""), "Prompt for the AI source; {query} and {title} are filled in.";
        "ai.when" OneOf(names!(AiWhen)), Some("\"new\""), "When to ask the AI source: if something new was found, always, or once a day.";
        "ai.count" Integer(10, 200), None, "Results an AI answer is based on (dialect desearch).";
        "ai.tools" SomeOf(|| TOOLS.to_vec()), Some("[]"), "Tools an AI answer may use (dialect desearch).";
        "max_calls_per_day" Integer(1, 10_000_000), None, "Calls for the topic per UTC day, in addition to the service's limit.";
        "budget_per_day" Budget, None, "Dollars for the topic per UTC day, in addition to the service's limit.";
        "must" Texts, Some("[]"), "Items are hidden unless each of these occurs in title or text.";
        "exclude" Texts, Some("[]"), "Items in which one of these occurs are hidden.";
        "lang" Texts, Some("[]"), "Items known to be in another language are hidden.";
        "exclude_authors" Texts, Some("[]"), "Items of these authors are hidden.";
        "schedule" Text, None, "Cron expression with five fields, or six with seconds first.";
        "every" Duration, None, "Interval, instead of a schedule.";
        "timezone" Text, Some("\"UTC\""), "IANA time zone of the schedule, and of the days and times on the topic's pages.";
        "catch_up" OneOf(names!(CatchUp)), Some("\"latest\""), "Which missed slots to run afterwards.";
        "catch_up_window" Duration, Some("\"7d\""), "How far back missed slots are considered.";
        "max_catch_up_runs" Integer(1, 10_000), Some("100"), "Limit on the runs of one catch-up.";
        "overlap" OneOf(names!(Overlap)), Some("\"skip\""), "What happens to a slot while the previous run is still active.";
        "jitter" Duration, Some("\"0s\""), "Maximum delay of a start after its slot; for a topic and slot always the same.";
        "timeout" Duration, Some("\"5m\""), "Time limit of a run.";
        "max_attempts" Integer(1, 100), Some("3"), "Attempts at a run if its process dies.";
        "paused" Flag, Some("false"), "While true, the schedule is off.";
        "ping" Text, None, "URL to ping at start (/start), success and failure (/fail); {id} is filled in; a secret.";
        "ping_env" Text, None, "Environment variable that holds this URL.";
        "ping_allow_private" Flag, Some("false"), "Whether the URL may point into a private network.";
    }
    Report {
        "name" Text, None, "Short name, unique among the reports: a-z, 0-9, - and _.";
        "title" Text, None, "Display name; defaults to the name.";
        "topics" Texts, Some("[]"), "Topics, by id; all if neither topics nor tags are set.";
        "tags" Texts, Some("[]"), "Topics, by tag.";
        "schedule" Text, None, "Cron expression with five fields, or six with seconds first.";
        "every" Duration, None, "Interval, instead of a schedule.";
        "timezone" Text, Some("\"UTC\""), "IANA time zone of the schedule and of its days.";
        "window" OneOf(names!(ReportWindow)), Some("\"day\""), "The last whole local day, ISO week or month, or everything since the last delivered report.";
        "format" OneOrSomeOf(names!(ReportFormat)), Some("[\"html\"]"), "Format: html, markdown, or both.";
        "path" Text, Some("\"reports/{name}-{date}\""), "Path of its files, without extension; {name}, {date} (2026-03-11, 2026-W11, 2026-03) and {time} (0730+0100) are filled in. With window = \"since_last\", the default is reports/{name}-{date}-{time}.";
        "group" Text, None, "Tag of the topics whose share of voice is compared; all topics of the report if unset.";
        "channels" Texts, Some("[]"), "Channels it is delivered to.";
        "ping" Text, None, "URL to ping at start (/start), success and failure (/fail); {id} is filled in; a secret.";
        "ping_env" Text, None, "Environment variable that holds this URL.";
        "ping_allow_private" Flag, Some("false"), "Whether the URL may point into a private network.";
        "catch_up" OneOf(names!(CatchUp)), Some("\"latest\""), "Which missed slots to run afterwards.";
        "paused" Flag, Some("false"), "While true, the schedule is off.";
    }
    Channel {
        "name" Text, None, "Short name, unique among the channels.";
        "kind" OneOf(names!(ChannelKind)), None, "Kind of channel.";
        "host" Text, None, "E-mail: the mail server.";
        "port" Integer(1, 65_535), None, "E-mail: port; by default 587, 465 or 25, depending on `tls`.";
        "tls" OneOf(names!(SmtpTls)), Some("\"starttls\""), "E-mail: encryption of the connection.";
        "from" Text, None, "E-mail: the sender.";
        "to" Texts, None, "E-mail: the recipients.";
        "user" Text, None, "E-mail: user name for the login.";
        "password_env" Text, None, "E-mail: environment variable that holds the password.";
        "password_file" Text, None, "E-mail: file that holds the password; only its owner may read it.";
        "url" Text, None, "All but e-mail: the URL; for ntfy with its topic, for Apprise with /notify/ and its key, for Telegram only if not the public one.";
        "url_env" Text, None, "All but e-mail: environment variable that holds the URL, if it is a secret.";
        "secret_env" Text, None, "Webhook: environment variable that holds the secret that signs requests.";
        "secret_file" Text, None, "Webhook: file that holds the secret; only its owner may read it.";
        "token_env" Text, None, "ntfy, Telegram: environment variable that holds the access token; for Telegram, a bot token.";
        "token_file" Text, None, "ntfy, Telegram: file that holds the access token; only its owner may read it.";
        "chat" Text, None, "Telegram: the chat, by number (\"-1001234567890\") or the @name of a channel.";
        "tag" Text, None, "Apprise: only services with this tag, or \"all\"; if unset, those without a tag.";
        "allow_private" Flag, Some("false"), "All but e-mail: whether the URL may point into a private network.";
        "timeout" Duration, Some("\"30s\""), "Timeout for one try.";
        "max_tries" Integer(1, 20), Some("8"), "Tries per message; eight take about a day.";
        "paused" Flag, Some("false"), "While true, nothing is sent; messages wait.";
    }
    Export {
        "name" Text, None, "Short name, unique among the exports: a-z, 0-9, - and _; the cursor is stored under it.";
        "what" OneOf(names!(ExportKind)), None, "Which rows to export.";
        "mode" OneOf(names!(Mode)), Some("\"full\""), "All rows each time, or those since the last file (sightings, searches, answers, new).";
        "path" Text, None, "Path of the files; {name}, {date}, {topic} (one file each) and {run} are filled in; the extension sets the format.";
        "format" OneOf(names!(Format)), None, "File format; by default, from the extension of the path, or csv.";
        "profile" OneOf(names!(Profile)), Some("\"machine\""), "CSV for programs, or for spreadsheets.";
        "topics" Texts, Some("[]"), "Topics, by id; all if neither topics nor tags are set.";
        "tags" Texts, Some("[]"), "Topics, by tag.";
        "sources" Texts, Some("[]"), "Only items found by these sources.";
        "tones" Texts, Some("[]"), "Only items with this tone.";
        "authors" Texts, Some("[]"), "Only items by these authors (handles).";
        "search" Text, None, "Only items with these words, as for `export --search`.";
        "filtered" OneOf(names!(FilterMode)), Some("\"keep\""), "What to do with rows hidden by topic filters.";
        "since" Duration, None, "How far back from its slot a full export goes.";
        "schedule" Text, None, "Cron expression with five fields, or six with seconds first.";
        "every" Duration, None, "Interval, instead of a schedule.";
        "timezone" Text, Some("\"UTC\""), "IANA time zone of the schedule and of {date}.";
        "retain" Integer(1, 1_000_000), None, "How many of the newest editions keep their files; all if unset.";
        "ping" Text, None, "URL to ping at start (/start), success and failure (/fail); {id} is filled in; a secret.";
        "ping_env" Text, None, "Environment variable that holds this URL.";
        "ping_allow_private" Flag, Some("false"), "Whether the URL may point into a private network.";
        "catch_up" OneOf(names!(CatchUp)), Some("\"latest\""), "Which missed slots to run afterwards.";
        "timeout" Duration, Some("\"1h\""), "Time limit of a run.";
        "paused" Flag, Some("false"), "While true, the schedule is off.";
    }
    Alert {
        "name" Text, None, "Short name, unique among the alerts: a-z, 0-9, - and _; the cursor is stored under it.";
        "rule" OneOf(names!(AlertRule)), None, "What the alert looks for.";
        "topics" Texts, Some("[]"), "Topics, by id; if neither topics nor tags are set, all, or for a budget the service and providers.";
        "tags" Texts, Some("[]"), "Topics, by tag.";
        "sources" Named(service_sources), Some("[]"), "Only these sources; all if empty.";
        "words" Texts, Some("[]"), "Items: one of these must occur in title or text.";
        "min" Integer(1, 1_000_000), None, "Never fires below this many items, posts or slots; default 1 for items and missed, 10 for volume, 30 for negative.";
        "window" Duration, Some("\"24h\""), "Volume and negative: the time span that is counted and compared.";
        "failures" Integer(1, 1_000), Some("3"), "Source: this many failed searches …";
        "of" Integer(1, 1_000), Some("5"), "Source: … of this many latest searches.";
        "percent" Integer(1, 100), Some("80"), "Budget: percent of the day's calls or money.";
        "channels" Texts, Some("[]"), "Channels it notifies; if empty, it is only listed.";
        "cooldown" Duration, Some("\"1h\""), "Minimum time between two messages; events in between are sent together.";
        "quiet" Text, None, "Hours in which nothing is sent, such as \"22:00-07:00\"; messages are sent afterwards.";
        "timezone" Text, Some("\"UTC\""), "IANA time zone of the quiet hours, and of the hours and weekdays that are compared.";
        "recovery" Flag, Some("true"), "Whether to notify when it ends, too.";
        "paused" Flag, Some("false"), "While true, the alert is off; that time is never evaluated.";
    }
}

/// Keys of one section.
pub(super) fn of(section: Section) -> impl Iterator<Item = &'static Key> {
    KEYS.iter().filter(move |key| key.section == section)
}
