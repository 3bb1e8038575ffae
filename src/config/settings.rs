//! A checked configuration as plain settings, section by section.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::budget::{Price, Prices};
use crate::export::ExportSpec;
use crate::model::{
    AlertSpec, ChannelSpec, DayLimits, Engine, Micros, PingSpec, ProviderKind, ReportSpec, Retention, SchedulePolicy,
    SecretSource, ServiceLimits, Source, Topic,
};
use crate::search::{Dialect, Rate};

use super::mistakes::mistake::Mistake;
use super::mistakes::redact::redact_url;

/// Where searches go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// The embedded sandbox.
    Sandbox,
    Url(url::Url),
    /// Nowhere: the file has providers but no `[service]`.
    Absent,
}

/// `[providers.NAME]`.
#[derive(Debug, Clone)]
pub struct ProviderConfig {
    pub name: Source,
    pub kind: &'static ProviderKind,
    pub target: Target,
    /// User name, for providers with a login.
    pub user: Option<String>,
    /// Name of the environment variable that holds the key.
    pub key_env: Option<String>,
    /// `key_file`, resolved against the config file.
    pub key_file: Option<PathBuf>,
    pub call_timeout: Duration,
    pub max_concurrent: u32,
    /// `None` is unlimited.
    pub rate_limit: Option<Rate>,
    pub max_tries: u32,
    pub max_response_bytes: u64,
    pub max_calls_per_day: u32,
    /// `None` is unlimited.
    pub budget_per_day: Option<Micros>,
    pub price: Price,
    /// Whether its addresses may lead into a private network.
    pub allow_private: bool,
}

impl Config {
    /// Returns the limits per UTC day.
    #[must_use]
    pub fn day_limits(&self) -> DayLimits {
        let service = (self.service.target != Target::Absent).then(|| self.service.limits());
        DayLimits { service, providers: self.providers.iter().map(|one| (one.name, one.limits())).collect() }
    }

    /// Returns the expected price of a call of each source.
    #[must_use]
    pub fn prices(&self) -> Prices {
        prices(&self.service, &self.providers, &self.topics)
    }
}

/// Returns the expected price of a call of each source. For a provider, it is that of the topic with the longest
/// questions and replies.
pub(super) fn prices(service: &ServiceConfig, providers: &[ProviderConfig], topics: &[Topic]) -> Prices {
    let mut longest: BTreeMap<Source, (u32, u64)> = BTreeMap::new();
    for query in topics.iter().flat_map(|topic| &topic.providers) {
        let (entries, tokens) = longest.entry(query.source).or_default();
        (*entries, *tokens) = (query.entries().max(*entries), query.tokens().max(*tokens));
    }
    let expected = |one: &ProviderConfig| {
        let (entries, tokens) = longest.get(&one.name).copied().unwrap_or_default();
        (one.name, one.price.expected(entries, tokens))
    };
    Prices { providers: providers.iter().map(expected).collect(), ..service.prices.clone() }
}

impl ProviderConfig {
    /// Returns the limits per UTC day.
    #[must_use]
    pub fn limits(&self) -> ServiceLimits {
        ServiceLimits { calls: self.max_calls_per_day, money: self.budget_per_day }
    }
}

/// `[service]`.
#[derive(Debug, Clone)]
pub struct ServiceConfig {
    pub target: Target,
    pub dialect: Dialect,
    pub platform: String,
    /// `api_key_env`: name of the environment variable.
    pub api_key_env: String,
    /// `api_key_file`, resolved against the config file.
    pub api_key_file: Option<PathBuf>,
    pub call_timeout: Duration,
    pub max_concurrent: u32,
    /// `rate_limit`; `None` is unlimited.
    pub rate_limit: Option<Rate>,
    pub max_tries: u32,
    pub max_response_bytes: u64,
    /// `max_calls_per_day`, for the whole service.
    pub max_calls_per_day: u32,
    /// `budget_per_day`, for the whole service; `None` is unlimited.
    pub budget_per_day: Option<Micros>,
    pub prices: Prices,
}

impl ServiceConfig {
    /// Returns the limits per UTC day.
    #[must_use]
    pub fn limits(&self) -> ServiceLimits {
        ServiceLimits { calls: self.max_calls_per_day, money: self.budget_per_day }
    }
}

/// `[database]`.
#[derive(Clone)]
pub struct DatabaseConfig {
    /// `url`. For SQLite, `sqlite:` and an absolute path, verbatim: nothing is percent-encoded, and there are no
    /// parameters. For PostgreSQL, the text as written, including the password: print it through [`redact_url`].
    pub url: String,
    /// `schema` on PostgreSQL.
    pub schema: String,
}

impl DatabaseConfig {
    /// Returns the SQLite file; `None` on PostgreSQL.
    #[must_use]
    pub fn sqlite_path(&self) -> Option<&std::path::Path> {
        self.url.strip_prefix("sqlite:").map(std::path::Path::new)
    }
}

impl std::fmt::Debug for DatabaseConfig {
    /// Without the password.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DatabaseConfig").field("url", &redact_url(&self.url)).field("schema", &self.schema).finish()
    }
}

/// `[scheduler]`.
#[derive(Debug, Clone)]
pub struct SchedulerConfig {
    /// Runs at the same time in one process.
    pub max_concurrent_runs: u32,
    /// How long a claimed run may go without a sign of life.
    pub lease: Duration,
    /// How long shutdown waits for runs in progress.
    pub shutdown_grace: Duration,
    /// How runs are distributed between processes.
    pub engine: Engine,
}

/// `[retention]`.
#[derive(Debug, Clone)]
pub struct RetentionConfig {
    /// How long each kind of data is kept.
    pub kept: Retention,
    /// When older data is deleted; `None` means only by hand.
    pub schedule: Option<SchedulePolicy>,
}

/// `[web]`.
#[derive(Debug, Clone)]
pub struct WebConfig {
    /// Address of the pages; `None` if none are served.
    pub listen: Option<std::net::SocketAddr>,
    /// Where the token is; empty if there is none.
    pub token: SecretSource,
    /// Host names of the pages.
    pub hosts: Vec<String>,
    /// Whether visitors use TLS.
    pub https: bool,
    /// Whether pages may change the file; `None` if not written.
    pub edit: Option<bool>,
}

impl WebConfig {
    /// Whether pages of `run` on this address may change the file. By default only on a loopback address without `hosts`:
    /// pages with names of their own are a deployment, even if a proxy reaches them on a loopback address.
    #[must_use]
    pub fn may_edit(&self, listen: std::net::SocketAddr) -> bool {
        self.edit.unwrap_or_else(|| listen.ip().is_loopback() && self.hosts.is_empty())
    }
}

/// The value in force of a key and its origin, for `check`.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Effective {
    pub key: String,
    /// Value as TOML would write it; secrets never appear.
    pub value: String,
    /// `flag --database`, `environment TOPICWATCH_DATABASE_URL`, `jobs.toml:12`, `default`.
    pub origin: String,
}

/// A checked configuration.
#[derive(Debug, Clone)]
pub struct Config {
    /// The file it came from.
    pub file: PathBuf,
    /// `[service]`.
    pub service: ServiceConfig,
    /// Each of `[providers.NAME]`.
    pub providers: Vec<ProviderConfig>,
    /// `[database]`.
    pub database: DatabaseConfig,
    /// `[scheduler]`.
    pub scheduler: SchedulerConfig,
    /// `[retention]`.
    pub retention: RetentionConfig,
    /// `[[topics]]` over `[defaults]`.
    pub topics: Vec<Topic>,
    /// `[[reports]]`.
    pub reports: Vec<ReportSpec>,
    /// `[[channels]]`, without their secrets.
    pub channels: Vec<ChannelSpec>,
    /// `[[exports]]`.
    pub exports: Vec<ExportSpec>,
    /// `[[alerts]]`.
    pub alerts: Vec<AlertSpec>,
    /// Ping URLs by topic, report and export.
    pub pings: Vec<PingSpec>,
    /// `[web]`.
    pub web: WebConfig,
    /// Warnings, one line each.
    pub warnings: Vec<String>,
    /// The warnings with their places, for [`render`](super::render()).
    pub notices: Vec<Mistake>,
    /// Service, database, scheduler, retention and web keys in force.
    pub effective: Vec<Effective>,
    /// Hash of the text it was read from, see [`digest`](super::digest).
    pub digest: blake3::Hash,
}
