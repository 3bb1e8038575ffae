//! Reloads a changed configuration in a running daemon, all or nothing: a file with a mistake changes nothing and every
//! mistake is reported.
//!
//! The file is checked once a second instead of being watched: that also notices editors that replace files, network
//! mounts and the links of a ConfigMap, where events do not come or come for a file that is gone.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::alert;
use crate::cli::run::dashboard::SettingsUpdater;
use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::terminal::signals::HangUps;
use crate::cli::wiring::context::{self, Context, Service};
use crate::cli::wiring::environment::env;
use crate::cli::wiring::jobs::{self, Replacer};
use crate::cli::wiring::options::Common;
use crate::cli::wiring::{callers, channels, pings, schedules};
use crate::config::{self, LoadError};
use crate::daemon::{Manager, Membership, Reloaded};
use crate::model::{Clock, Engine};
use crate::sandbox;
use crate::store::{DataOrigin, DefinitionSet, Store, StoreErrorKind};

/// Time between two checks of the file. A change is applied when two checks in a row see the same file.
const LOOK: Duration = Duration::from_secs(1);

/// Time until a reload is retried after a database error.
const AGAIN: Duration = Duration::from_secs(10);

/// The settings that a reload replaces.
pub(in crate::cli) struct InForce {
    pub(in crate::cli) membership: Arc<Membership>,
    pub(in crate::cli) delivering: Replacer,
    pub(in crate::cli) pages: SettingsUpdater,
}

/// Reloads the configuration. Holds the inputs and the settings in force.
pub(in crate::cli) struct Reloader {
    common: Common,
    clock: Clock,
    store: Store,
    in_force_of: InForce,
    manager: Manager,
    /// Database and schema, which cannot change while the daemon runs; neither can the engine.
    database: (String, String),
    engine: Engine,
    in_force: blake3::Hash,
    /// Digest of the text that the process started with, until the file was checked once.
    began_with: Option<blake3::Hash>,
    sandbox_url: Option<url::Url>,
    /// Sandboxes that a reload started.
    sandboxes: Vec<sandbox::SandboxHandle>,
    out: mpsc::Sender<Reloaded>,
}

/// How a reload ended; the reasons are logged already.
#[derive(PartialEq)]
enum ReloadOutcome {
    Settled,
    TryAgain,
}

/// Why nothing was changed: log lines, each with its hint.
struct Rejected(Vec<(String, String)>, ReloadOutcome);

impl From<Failure> for Rejected {
    fn from(failure: Failure) -> Self {
        let again = if failure.exit == Exit::Store { ReloadOutcome::TryAgain } else { ReloadOutcome::Settled };
        Self(vec![(failure.text, failure.hint)], again)
    }
}

fn rejected(text: impl Into<String>, hint: &str) -> Rejected {
    Rejected(vec![(text.into(), hint.to_owned())], ReloadOutcome::Settled)
}

impl Reloader {
    /// Creates a reloader for the configuration that the daemon started with.
    pub(in crate::cli) fn new(
        common: &Common,
        context: &Context,
        store: &Store,
        in_force_of: InForce,
        manager: &Manager,
        sandbox_url: Option<url::Url>,
    ) -> (Self, mpsc::Receiver<Reloaded>) {
        let (out, reloads) = mpsc::channel(1);
        // Keep the file that was found, even if one with higher precedence appears later.
        let common = Common { config: Some(context.config.file.clone()), ..common.clone() };
        let reloader = Self {
            common,
            clock: Arc::clone(&context.clock),
            store: store.clone(),
            in_force_of,
            manager: manager.clone(),
            database: database(context),
            engine: context.config.scheduler.engine,
            in_force: fingerprint(context),
            began_with: Some(context.config.digest),
            sandbox_url,
            sandboxes: Vec::new(),
            out,
        };
        (reloader, reloads)
    }

    /// Applies changes until stopped.
    pub(in crate::cli) async fn watch(mut self, mut hang_ups: HangUps, stop: CancellationToken) {
        let file = self.common.config.clone().unwrap_or_default();
        // Nothing is settled at first: the file may have changed since it was read.
        let (mut settled, mut before, mut pause) = (None, None, LOOK);
        loop {
            let requested = tokio::select! {
                () = stop.cancelled() => return,
                () = hang_ups.next() => true,
                () = tokio::time::sleep(pause) => false,
            };
            let now = FileStamp::of(file.clone()).await;
            pause = LOOK;
            if !requested && (settled.as_ref() == Some(&now) || before.as_ref() != Some(&now)) {
                before = Some(now);
                continue;
            }
            before = Some(now.clone());
            if self.reload(requested).await == ReloadOutcome::TryAgain {
                (settled, pause) = (None, AGAIN);
            } else {
                settled = Some(now);
            }
        }
    }

    async fn reload(&mut self, requested: bool) -> ReloadOutcome {
        match self.apply_changes(requested).await {
            Ok(()) => ReloadOutcome::Settled,
            Err(Rejected(reasons, ended)) => {
                for (text, hint) in reasons {
                    // Each event stays on one line, whatever a path or a system error contains.
                    let text = output::escape_control(&text);
                    // A mistake in the file has its hint in its text.
                    if hint.is_empty() {
                        tracing::error!("{text}");
                    } else {
                        tracing::error!(hint = output::escape_control(&hint), "{text}");
                    }
                }
                tracing::error!("the configuration was rejected; the previous one stays in force");
                ended
            }
        }
    }

    async fn apply_changes(&mut self, requested: bool) -> Result<(), Rejected> {
        let (common, now) = (self.common.clone(), (self.clock)());
        let began_with = self.began_with.take().filter(|_| !requested);
        // Reading may be slow on a remote file system.
        let read = tokio::task::spawn_blocking(move || {
            let request = context::request(&common, now)?;
            let same = began_with.is_some() && config::digest(&request) == began_with;
            Ok::<_, Failure>((!same).then(|| config::load(&request)))
        });
        let read = read.await.map_err(|e| rejected(format!("reading the configuration failed: {e}"), ""))??;
        let Some(read) = read else { return Ok(()) };
        let context =
            Context { config: read.map_err(mistakes)?, clock: Arc::clone(&self.clock), options: self.common.clone() };
        let found = fingerprint(&context);
        if found == self.in_force && database(&context) == self.database {
            if requested {
                tracing::info!("reload requested: the configuration has not changed");
            }
            return Ok(());
        }
        self.check(&context).await?;
        self.manager.reloading();
        let taken = self.put_in_force(&context, found).await;
        self.manager.ready();
        taken
    }

    /// Rejects changes that need a restart.
    async fn check(&self, context: &Context) -> Result<(), Rejected> {
        if database(context) != self.database {
            return Err(rejected(
                format!(
                    "the database cannot change while topicwatch runs: it is {}, but the file now has {}",
                    self.store.location(),
                    config::redact_url(&context.store_settings(false).url)
                ),
                "restart to use another database or schema",
            ));
        }
        if context.config.scheduler.engine != self.engine {
            return Err(rejected("`engine` cannot change while topicwatch runs", "restart to use another engine"));
        }
        let stored = self.store.origin().await.map_err(Failure::from)?;
        if let (Some(stored), Some(wanted)) = (stored, context.origin())
            && stored != wanted
        {
            let (stored, wanted) = match stored {
                DataOrigin::Sandbox => ("SANDBOX findings", "a real service"),
                DataOrigin::Real => ("findings of a real service", "the sandbox"),
            };
            return Err(rejected(
                format!("the database contains {stored}, but the file now uses {wanted}"),
                "restart with another database: invented and real findings are never mixed",
            ));
        }
        if !schedules::has_any_schedule(&context.config) {
            let (text, hint) = schedules::NOTHING_TO_RUN;
            return Err(rejected(text, hint));
        }
        Ok(())
    }

    async fn put_in_force(&mut self, context: &Context, found: blake3::Hash) -> Result<(), Rejected> {
        let (channels, jobs) = (channels::read(&context.config)?, jobs::of(&context.config)?);
        let pings = pings::targets(&context.config)?;
        let pages = self.in_force_of.pages.read(&context.config)?;
        let set = DefinitionSet { topics: &context.config.topics, jobs: &jobs };
        let Service { callers, base_url, sandbox } = context.service_with_sandbox(self.sandbox_url.as_ref()).await?;
        let adopted = self.in_force_of.membership.change(set).await.map_err(|error| {
            let passing = !matches!(error.kind, StoreErrorKind::Refused);
            Rejected(
                vec![(error.text, error.hint)],
                if passing { ReloadOutcome::TryAgain } else { ReloadOutcome::Settled },
            )
        })?;
        if let Err(error) = alert::begin(&self.store, (self.clock)()).await {
            tracing::warn!("new alerts begin at their first evaluation: {error}");
        }
        if let Some(sandbox) = sandbox {
            self.sandbox_url = base_url;
            self.sandboxes.push(sandbox);
        }
        for warning in &context.config.warnings {
            tracing::warn!("{warning}");
        }
        self.in_force_of.delivering.replace(&context.config, channels, pings);
        self.in_force_of.pages.replace(&context.config, pages);
        let scheduler = &context.config.scheduler;
        let reloaded = Reloaded {
            collector: context.collector(self.store.clone(), callers),
            max_concurrent_runs: scheduler.max_concurrent_runs,
            lease: scheduler.lease,
            shutdown_grace: scheduler.shutdown_grace,
        };
        // Sending fails only if the loop has ended because the process is stopping.
        let _ = self.out.send(reloaded).await;
        self.in_force = found;
        let synced = adopted.synced;
        tracing::info!(
            generation = adopted.generation,
            added = synced.added,
            changed = synced.changed,
            removed = synced.removed,
            "configuration reloaded; current runs finish with the previous one"
        );
        Ok(())
    }
}

/// Returns each mistake with its place and hint.
fn mistakes(error: LoadError) -> Rejected {
    let reasons = match error {
        LoadError::Mistakes(mistakes) => mistakes.into_iter().map(|m| (m.to_string(), String::new())).collect(),
        LoadError::Unreadable { path, message, hint } => vec![(format!("{} {message}", path.display()), hint)],
        LoadError::NotFound { searched } => {
            let places: Vec<String> = searched.iter().map(|path| path.display().to_string()).collect();
            let text = format!("the configuration is gone; looked at {}", places.join(", "));
            vec![(text, "restore the file: a restart needs it".to_owned())]
        }
    };
    Rejected(reasons, ReloadOutcome::Settled)
}

fn database(context: &Context) -> (String, String) {
    let settings = context.store_settings(false);
    (settings.url, settings.schema)
}

/// Hashes everything that a reload would change, so that comments and order do not count. The keys and the pages' token
/// are included: after a secret's file was replaced, SIGHUP applies the new secret.
fn fingerprint(context: &Context) -> blake3::Hash {
    use secrecy::ExposeSecret as _;
    let config = &context.config;
    let values: Vec<(&str, &str)> = config.effective.iter().map(|e| (e.key.as_str(), e.value.as_str())).collect();
    let mut hasher = blake3::Hasher::new();
    // Write straight into the hash: as one text, many topics would take a hundred megabytes.
    if let Err(error) =
        serde_json::to_writer(&mut hasher, &(values, &config.topics, &config.reports, &config.exports, &config.alerts))
    {
        tracing::debug!("a configuration could not be compared: {error}");
    }
    if let Ok(key) = config::read_key(&config.service, &env) {
        hasher.update(key.expose_secret().as_bytes());
    }
    for provider in &config.providers {
        if let Some(key) = callers::key(provider) {
            hasher.update(provider.name.as_str().as_bytes()).update(key.expose_secret().as_bytes());
        }
    }
    if let Ok(token) = config::read_secret("token of the pages", &config.web.token, &env) {
        hasher.update(token.expose_secret().as_bytes());
    }
    hasher.update(&channels::fingerprint(config));
    hasher.update(&pings::fingerprint(config));
    hasher.finalize()
}

/// Identifies the file that has the name now, by time, size and inode. Follows links.
#[derive(Debug, Clone, PartialEq)]
struct FileStamp(Option<(SystemTime, u64, (u64, u64))>);

impl FileStamp {
    async fn of(file: PathBuf) -> Self {
        let stamp = tokio::task::spawn_blocking(move || {
            let found = std::fs::metadata(&file).ok()?;
            Some((found.modified().ok()?, found.len(), identity(&file, &found)))
        });
        Self(stamp.await.ok().flatten())
    }
}

#[cfg(unix)]
fn identity(_file: &Path, found: &std::fs::Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt as _;
    (found.dev(), found.ino())
}

#[cfg(not(unix))]
fn identity(_file: &Path, _found: &std::fs::Metadata) -> (u64, u64) {
    (0, 0)
}
