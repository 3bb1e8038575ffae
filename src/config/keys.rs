//! Every key of `jobs.toml`, once: its section, shape, default and purpose. Unknown-key detection, suggestions,
//! environment variables, the JSON Schema and the tests of the shipped file all use this table. What a value means is
//! decided where it is used.

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
        "base_url" Text, None, "Where searches go: \"sandbox\", or the service's address.";
        "dialect" OneOf(names!(Dialect)), Some("\"spec\""), "How the service is spoken to: by its contract, or as deployed services do.";
        "platform" Text, Some("\"X\""), "The social platform, as it stands in request paths and tool names.";
        "api_key_env" Text, Some("\"TOPICWATCH_API_KEY\""), "Name of the environment variable that holds the key.";
        "api_key_file" Text, None, "File that holds the key, readable by its owner only.";
        "call_timeout" Duration, Some("\"120s\""), "Longest wait for one reply.";
        "max_concurrent" Integer(1, 256), Some("8"), "Calls in flight at the same time.";
        "rate_limit" Rate, Some("\"60/min\""), "Calls started per time, or \"unlimited\".";
        "max_tries" Integer(1, 20), Some("4"), "Tries of one call, the first included.";
        "max_response_bytes" Bytes, Some("15000000"), "Largest reply that is read, after decompression.";
        "max_calls_per_day" Integer(1, 10_000_000), Some("500"), "Calls per UTC day, counted before each call.";
        "budget_per_day" Budget, None, "Dollars per UTC day, counted before each call at its price.";
        "prices.social" Dollars, Some("0.003"), "Dollars a social call is counted at when the reply names no cost.";
        "prices.web" Dollars, Some("0.001"), "Dollars a web call is counted at when the reply names no cost.";
        "prices.ai" Dollars, Some("0.004"), "Dollars an AI call is counted at when the reply names no cost.";
    }
    Provider {
        "kind" OneOf(|| KINDS.iter().map(|kind| kind.name).collect()), None, "What it is.";
        "base_url" Text, None, "Where it is, when that is not the usual place; \"sandbox\" is the stand-in.";
        "user" Text, None, "Who logs in, where somebody does.";
        "key_env" Text, None, "Name of the environment variable that holds its key or password.";
        "key_file" Text, None, "File that holds it, readable by its owner only.";
        "call_timeout" Duration, Some("\"60s\""), "Longest wait for one reply.";
        "max_concurrent" Integer(1, 256), Some("4"), "Calls in flight at the same time.";
        "rate_limit" Rate, Some("\"60/min\""), "Calls started per time, or \"unlimited\".";
        "max_tries" Integer(1, 20), Some("3"), "Tries of one call, the first included.";
        "max_response_bytes" Bytes, Some("15000000"), "Largest reply that is read, after decompression.";
        "max_calls_per_day" Integer(1, 10_000_000), Some("10000"), "Calls per UTC day, counted before each call.";
        "budget_per_day" Budget, None, "Dollars per UTC day, counted before each call at its price.";
        "price.call" Dollars, Some("0"), "Dollars a call is counted at.";
        "price.result" Dollars, Some("0"), "Dollars an entry of a reply is counted at.";
        "price.tokens" Dollars, Some("0"), "Dollars 1,000 tokens are counted at.";
        "allow_private" Flag, Some("false"), "Whether addresses of feeds may lead into a private network.";
    }
    Database {
        "url" Text, Some("\"sqlite:topicwatch.db\""), "Where findings are kept: sqlite:PATH or postgres://USER@HOST/NAME.";
        "schema" Text, Some("\"topicwatch\""), "Schema on PostgreSQL.";
    }
    Scheduler {
        "max_concurrent_runs" Integer(1, 1_000), Some("16"), "Runs at the same time in one process.";
        "lease" Duration, Some("\"60s\""), "How long a claimed run is left alone without a sign of life.";
        "shutdown_grace" Duration, Some("\"30s\""), "How long a stop waits for runs that are going on.";
        "engine" OneOf(names!(Engine)), Some("\"local\""), "What distributes runs: the ledger, or graphile_worker on PostgreSQL.";
    }
    Retention {
        "raw" Kept, Some("\"30d\""), "How long replies are kept as they came.";
        "sightings" Kept, Some("\"90d\""), "How long every snapshot is kept; afterwards one a day of each topic.";
        "items" Kept, Some("\"400d\""), "How long the words of an item are kept after it was last seen.";
        "runs" Kept, Some("\"400d\""), "How long searches, answers and runs without lasting finds are kept.";
        "prune" Text, Some("\"17 3 * * *\""), "When what is too old goes, in UTC, or \"never\" (then only by `topicwatch db prune`).";
    }
    Web {
        "listen" Text, None, "Address of the pages, such as \"127.0.0.1:8080\"; left out, there are none.";
        "token_env" Text, Some("\"TOPICWATCH_WEB_TOKEN\""), "Name of the environment variable that holds the token of the pages.";
        "token_file" Text, None, "File that holds the token, readable by its owner only.";
        "hosts" Texts, Some("[]"), "Names under which the pages may be asked for, beside localhost and addresses.";
        "https" Flag, Some("false"), "Whether visitors come over TLS, by a proxy: what a browser keeps of a login is then never sent in clear.";
        "edit" Flag, None, "Whether pages may change this file; when left out, only those of `run` on a loopback address without `hosts`.";
    }
    Topic {
        "id" Text, None, "Short name, unique in the file: a-z, 0-9, - and _.";
        "title" Text, None, "Name for people; the id when left out.";
        "tags" Texts, Some("[]"), "Words to group topics by.";
        "query" Text, None, "What to search for, in every source.";
        "sources" Named(service_sources), Some("[\"social\", \"web\", \"ai\"]"), "Which sources are asked: those of [service], and names of [providers]. Without [service], all providers.";
        "window" OneOf(names!(Window)), Some("\"PAST_24_HOURS\""), "How far back social searches look.";
        "model" Text, Some("\"NOVA\""), "Model of the AI search (dialect spec).";
        "response_order" Text, None, "Order of an AI reply, such as \"SUMMARY_FIRST\" (dialect spec); sent only when set.";
        "streaming" Flag, Some("false"), "Ask for the AI reply as a stream.";
        "social.query" Text, Some("\"{query}\""), "What the social source is asked; {query} and {title} are filled in.";
        "social.limit" Integer(1, 200), None, "Posts per call, where the call takes a number: 1 to 100, \"posts\" 10 to 200.";
        "social.operation" OneOf(names!(SocialOperation)), Some("\"search\""), "Which call serves the social source.";
        "web.query" Text, Some("\"{query}\""), "What the web source is asked; {query} and {title} are filled in.";
        "web.limit" Integer(1, 200), Some("5"), "Pages per call, where the call takes a number: 1 to 100, \"links\" 10 to 200.";
        "web.operation" OneOf(names!(WebOperation)), Some("\"search\""), "Which call serves the web source.";
        "ai.prompt" Text, Some("\"{query}\""), "What the AI source is asked; {query} and {title} are filled in.";
        "ai.when" OneOf(names!(AiWhen)), Some("\"new\""), "Ask the AI source when something new was found, always, or once a day.";
        "ai.count" Integer(10, 200), None, "Results an AI answer rests on (dialect desearch).";
        "ai.tools" SomeOf(|| TOOLS.to_vec()), Some("[]"), "Tools an AI answer may use (dialect desearch).";
        "max_calls_per_day" Integer(1, 10_000_000), None, "Calls of the topic per UTC day, beside those of the service.";
        "budget_per_day" Budget, None, "Dollars of the topic per UTC day, beside those of the service.";
        "must" Texts, Some("[]"), "Each of these must occur in title or text, or the item is hidden from what is read.";
        "exclude" Texts, Some("[]"), "An item in which one of these occurs is hidden.";
        "lang" Texts, Some("[]"), "An item known to be in another language is hidden.";
        "exclude_authors" Texts, Some("[]"), "Items of these authors are hidden.";
        "schedule" Text, None, "Cron expression of five fields, or six with seconds first.";
        "every" Duration, None, "Period, instead of a schedule.";
        "timezone" Text, Some("\"UTC\""), "IANA time zone in which the schedule is meant.";
        "catch_up" OneOf(names!(CatchUp)), Some("\"latest\""), "Which of the slots that passed while nothing ran are made up for.";
        "catch_up_window" Duration, Some("\"7d\""), "How far back missed slots are looked at.";
        "max_catch_up_runs" Integer(1, 10_000), Some("100"), "Most runs made up for at once.";
        "overlap" OneOf(names!(Overlap)), Some("\"skip\""), "What happens to a slot while the last run still goes on.";
        "jitter" Duration, Some("\"0s\""), "Spread of starts after the slot, the same each time for a topic.";
        "timeout" Duration, Some("\"5m\""), "Longest duration of a run.";
        "max_attempts" Integer(1, 100), Some("3"), "Attempts at a run whose process died.";
        "paused" Flag, Some("false"), "Not run by its schedule while true.";
        "ping" Text, None, "URL to ping at start (/start), success and failure (/fail); {id} is filled in; a secret.";
        "ping_env" Text, None, "Name of the environment variable that holds this address.";
        "ping_allow_private" Flag, Some("false"), "Whether it may lead into a private network.";
    }
    Report {
        "name" Text, None, "Short name, unique among the reports: a-z, 0-9, - and _.";
        "title" Text, None, "Name for people; the name when left out.";
        "topics" Texts, Some("[]"), "Topics that it is about, by id; all, when no tags are named either.";
        "tags" Texts, Some("[]"), "Topics that it is about, by tag.";
        "schedule" Text, None, "Cron expression of five fields, or six with seconds first.";
        "every" Duration, None, "Period, instead of a schedule.";
        "timezone" Text, Some("\"UTC\""), "IANA time zone of the schedule and of its days.";
        "window" OneOf(names!(ReportWindow)), Some("\"day\""), "The last whole local day, ISO week or month, or all since the last one that was delivered.";
        "format" OneOrSomeOf(names!(ReportFormat)), Some("[\"html\"]"), "What it is written as: html, markdown, or both.";
        "path" Text, Some("\"reports/{name}-{date}\""), "Where its files go, without ending; {name}, {date} (2026-03-11, 2026-W11, 2026-03) and {time} (0730+0100) are filled in. With window = \"since_last\" it is reports/{name}-{date}-{time} unless named.";
        "group" Text, None, "Tag of the topics whose share of voice is compared; all of the report when left out.";
        "channels" Texts, Some("[]"), "Whom it is delivered to.";
        "ping" Text, None, "URL to ping at start (/start), success and failure (/fail); {id} is filled in; a secret.";
        "ping_env" Text, None, "Name of the environment variable that holds this address.";
        "ping_allow_private" Flag, Some("false"), "Whether it may lead into a private network.";
        "catch_up" OneOf(names!(CatchUp)), Some("\"latest\""), "Which of the slots that passed while nothing ran are made up for.";
        "paused" Flag, Some("false"), "Not made by its schedule while true.";
    }
    Channel {
        "name" Text, None, "Short name, unique among the channels.";
        "kind" OneOf(names!(ChannelKind)), None, "What it is.";
        "host" Text, None, "E-mail: the mail server.";
        "port" Integer(1, 65_535), None, "E-mail: its port; 587, 465 or 25 by `tls` when left out.";
        "tls" OneOf(names!(SmtpTls)), Some("\"starttls\""), "E-mail: how the server is spoken to.";
        "from" Text, None, "E-mail: the sender.";
        "to" Texts, None, "E-mail: the recipients.";
        "user" Text, None, "E-mail: who logs in.";
        "password_env" Text, None, "E-mail: name of the environment variable that holds the password.";
        "password_file" Text, None, "E-mail: file that holds the password, readable by its owner only.";
        "url" Text, None, "All but e-mail: the address; of ntfy with its topic, of Apprise with /notify/ and its key; of Telegram only when it is not the public one.";
        "url_env" Text, None, "All but e-mail: name of the environment variable that holds the address, when it is a secret.";
        "secret_env" Text, None, "Webhook: name of the environment variable that holds the secret requests are signed with.";
        "secret_file" Text, None, "Webhook: file that holds the secret, readable by its owner only.";
        "token_env" Text, None, "ntfy, Telegram: name of the environment variable that holds the access token; of Telegram that of a bot.";
        "token_file" Text, None, "ntfy, Telegram: file that holds the access token, readable by its owner only.";
        "chat" Text, None, "Telegram: the chat, by its number (\"-1001234567890\") or the @name of a channel.";
        "tag" Text, None, "Apprise: only services with this tag, or \"all\"; left out, those without a tag.";
        "allow_private" Flag, Some("false"), "All but e-mail: whether it may lead into a private network.";
        "timeout" Duration, Some("\"30s\""), "Longest time of one try.";
        "max_tries" Integer(1, 20), Some("8"), "Tries of one message; eight take about a day.";
        "paused" Flag, Some("false"), "Nothing is sent while true; messages wait.";
    }
    Export {
        "name" Text, None, "Short name, unique among the exports: a-z, 0-9, - and _; the cursor is kept under it.";
        "what" OneOf(names!(ExportKind)), None, "Which rows.";
        "mode" OneOf(names!(Mode)), Some("\"full\""), "All rows each time, or those since the last file (sightings, searches, answers, new).";
        "path" Text, None, "Where files go; {name}, {date}, {topic} (a file for each) and {run} are filled in, the ending says the format.";
        "format" OneOf(names!(Format)), None, "How they are written; by the ending of the path, or csv, when left out.";
        "profile" OneOf(names!(Profile)), Some("\"machine\""), "CSV for programs, or for spreadsheets.";
        "topics" Texts, Some("[]"), "Topics that it is about, by id; all, when no tags are named either.";
        "tags" Texts, Some("[]"), "Topics that it is about, by tag.";
        "sources" Texts, Some("[]"), "Only what these sources showed.";
        "tones" Texts, Some("[]"), "Only items with this tone.";
        "authors" Texts, Some("[]"), "Only items by these handles.";
        "search" Text, None, "Only items with these words, as `export --search` takes them.";
        "filtered" OneOf(names!(FilterMode)), Some("\"keep\""), "What to do with rows that topics' filters hide.";
        "since" Duration, None, "How far back a full export goes from its slot.";
        "schedule" Text, None, "Cron expression of five fields, or six with seconds first.";
        "every" Duration, None, "Period, instead of a schedule.";
        "timezone" Text, Some("\"UTC\""), "IANA time zone of the schedule and of {date}.";
        "retain" Integer(1, 1_000_000), None, "How many of the newest editions keep their files; all when left out.";
        "ping" Text, None, "URL to ping at start (/start), success and failure (/fail); {id} is filled in; a secret.";
        "ping_env" Text, None, "Name of the environment variable that holds this address.";
        "ping_allow_private" Flag, Some("false"), "Whether it may lead into a private network.";
        "catch_up" OneOf(names!(CatchUp)), Some("\"latest\""), "Which of the slots that passed while nothing ran are made up for.";
        "timeout" Duration, Some("\"1h\""), "Longest duration of a run.";
        "paused" Flag, Some("false"), "Not made by its schedule while true.";
    }
    Alert {
        "name" Text, None, "Short name, unique among the alerts: a-z, 0-9, - and _; the cursor is kept under it.";
        "rule" OneOf(names!(AlertRule)), None, "What it looks for.";
        "topics" Texts, Some("[]"), "Topics that it is about, by id; all, when no tags are named either.";
        "tags" Texts, Some("[]"), "Topics that it is about, by tag.";
        "sources" Named(service_sources), Some("[]"), "Only what these sources show; all when empty.";
        "words" Texts, Some("[]"), "Items: one of these must occur in title or text.";
        "min" Integer(1, 1_000_000), None, "Items, posts or slots below which it says nothing: 1 of items and missed, 10 of volume, 30 of negative.";
        "window" Duration, Some("\"24h\""), "Volume and negative: the span that is counted and compared.";
        "failures" Integer(1, 1_000), Some("3"), "Source: so many failed searches …";
        "of" Integer(1, 1_000), Some("5"), "Source: … of so many of its latest.";
        "percent" Integer(1, 100), Some("80"), "Budget: of the day's calls or money.";
        "channels" Texts, Some("[]"), "Whom it tells; nobody when empty: then it is only listed.";
        "cooldown" Duration, Some("\"1h\""), "Least time between two messages; what is seen meanwhile is told together.";
        "quiet" Text, None, "Hours in which nothing is sent, such as \"22:00-07:00\"; it is told afterwards.";
        "timezone" Text, Some("\"UTC\""), "IANA time zone of the quiet hours, and of the hours and weekdays that are compared.";
        "recovery" Flag, Some("true"), "Whether the end is told, too.";
        "paused" Flag, Some("false"), "While true the alert is off; that time is never evaluated.";
    }
}

/// Keys of one section.
pub(super) fn of(section: Section) -> impl Iterator<Item = &'static Key> {
    KEYS.iter().filter(move |key| key.section == section)
}
