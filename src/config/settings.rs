//! A checked configuration as plain settings, section by section.

use std::path::PathBuf;
use std::time::Duration;

use crate::budget::{Price, Prices};
use crate::export::ExportSpec;
use crate::model::{
    AlertSpec, ChannelSpec, DayLimits, Engine, Micros, PingSpec, ProviderKind, ReportSpec, Retention, SchedulePolicy,
    SecretPlace, ServiceLimits, Source, Topic,
};
use crate::search::{Dialect, Rate};

use super::mistake::Mistake;
use super::redact::redact_url;

/// Where searches go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// The embedded stand-in.
    Sandbox,
    Url(url::Url),
    /// Nowhere: the file has providers and no `[service]`.
    Absent,
}

/// `[providers.NAME]`.
#[derive(Debug, Clone)]
pub struct ProviderConfig {
    pub name: Source,
    pub kind: &'static ProviderKind,
    pub target: Target,
    /// Who logs in, where somebody does.
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
    /// What may be asked in a UTC day.
    #[must_use]
    pub fn day_limits(&self) -> DayLimits {
        let service = (self.service.target != Target::Absent).then(|| self.service.limits());
        DayLimits { service, providers: self.providers.iter().map(|one| (one.name, one.limits())).collect() }
    }
}

impl ProviderConfig {
    /// What may be asked in a UTC day.
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
    /// What may be asked in a UTC day.
    #[must_use]
    pub fn limits(&self) -> ServiceLimits {
        ServiceLimits { calls: self.max_calls_per_day, money: self.budget_per_day }
    }
}

/// `[database]`.
#[derive(Clone)]
pub struct DatabaseConfig {
    /// `url`. Of SQLite it is `sqlite:` and an absolute path to the letter: nothing is percent-encoded, there are no
    /// parameters. Of PostgreSQL it is what was written, password included: print it through [`redact_url`].
    pub url: String,
    /// `schema` on PostgreSQL.
    pub schema: String,
}

impl DatabaseConfig {
    /// The SQLite file; `None` on PostgreSQL.
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
    /// How long a claimed run is left alone without a sign of life.
    pub lease: Duration,
    /// How long a stop waits for running runs.
    pub shutdown_grace: Duration,
    /// Who shares runs out between processes.
    pub engine: Engine,
}

/// `[retention]`.
#[derive(Debug, Clone)]
pub struct RetentionConfig {
    /// What is kept, and how long.
    pub kept: Retention,
    /// When the rest goes; `None` when only by hand.
    pub schedule: Option<SchedulePolicy>,
}

/// `[web]`.
#[derive(Debug, Clone)]
pub struct WebConfig {
    /// Where the pages are served; `None` when they are not.
    pub listen: Option<std::net::SocketAddr>,
    /// Where the token is kept; nowhere when there is none.
    pub token: SecretPlace,
    /// Names under which the pages may be asked for.
    pub hosts: Vec<String>,
    /// Whether visitors come over TLS.
    pub https: bool,
    /// Whether pages may change the file, where that is said.
    pub edit: Option<bool>,
}

impl WebConfig {
    /// Whether pages that are served on this address may change the file. Pages that have names of their own are somebody's
    /// deployment, whatever address a proxy reaches them by.
    #[must_use]
    pub fn may_edit(&self, listen: std::net::SocketAddr) -> bool {
        self.edit.unwrap_or_else(|| listen.ip().is_loopback() && self.hosts.is_empty())
    }
}

/// A key's value in force and where it came from, for `check`.
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
    /// Where jobs say that they begin and how they ended, by topic, report and export.
    pub pings: Vec<PingSpec>,
    /// `[web]`.
    pub web: WebConfig,
    /// Things that are allowed but deserve a word, one line each.
    pub warnings: Vec<String>,
    /// The same with their places, for [`draw`](super::draw()).
    pub notices: Vec<Mistake>,
    /// Service, database, scheduler, retention and web keys in force.
    pub effective: Vec<Effective>,
    /// Of the text it was read from, see [`digest`](super::digest).
    pub digest: blake3::Hash,
}
