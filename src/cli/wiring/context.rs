//! Builds what a verb needs from the configuration and the environment: store, client, collector, embedded sandbox.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use crate::budget::Prices;
use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::wiring::callers::{self, Callers};
use crate::cli::wiring::environment::{self, env, home};
use crate::cli::wiring::options::Common;
use crate::cli::wiring::store_settings::store_settings;
use crate::cli::wiring::{ids, journal, protected_files};
use crate::collect::{self, Collector};
use crate::config::{self, Config, DatabaseOnly, Effective, LoadRequest, Target, redact_url};
use crate::daemon::system_clock;
use crate::files::Protected;
use crate::model::{Clock, Engine, Source, Time, Topic};
use crate::sandbox;
use crate::store::{self, DataOrigin, Store};

/// The configuration, the clock and the options, with which every verb that reads the configuration starts.
pub(in crate::cli) struct Context {
    pub(in crate::cli) config: Config,
    pub(in crate::cli) clock: Clock,
    /// The options of the command line.
    pub(in crate::cli) options: Common,
}

/// The resources of searches: the clients, and the embedded sandbox if there is one.
pub(in crate::cli) struct Service {
    pub(in crate::cli) callers: Callers,
    /// Address of the search service or of the embedded sandbox.
    pub(in crate::cli) base_url: Option<url::Url>,
    pub(in crate::cli) sandbox: Option<sandbox::SandboxHandle>,
}

/// Returns the clock of a verb: the machine's, or the fixed time of `--at`.
pub(in crate::cli) fn clock(at: Option<&str>) -> Result<Clock, Failure> {
    match at {
        None => Ok(system_clock()),
        Some(text) => {
            let at = Time::parse(text).ok_or_else(|| {
                Failure::usage(
                    format!("--at: `{}` is not a time", output::truncate(text, 60)),
                    "write 2026-03-11T09:00:00Z",
                )
            })?;
            Ok(Arc::new(move || at))
        }
    }
}

/// Returns where to look for the configuration, and what overrides it.
pub(in crate::cli) fn request(common: &Common, now: Time) -> Result<LoadRequest<'static>, Failure> {
    Ok(LoadRequest {
        explicit: common.config.clone(),
        database_flag: common.database.clone(),
        database_option: "--database",
        env: &env,
        env_names: environment::names()?,
        cwd: std::env::current_dir().map_err(|e| {
            Failure::usage(format!("the current folder cannot be read: {e}"), "change into a folder that exists")
        })?,
        home: home(),
        now,
        without_topics: false,
    })
}

impl Context {
    /// Loads the configuration. Reports all mistakes at once, and prints warnings on stderr.
    pub(in crate::cli) fn load(common: &Common, at: Option<&str>) -> Result<Self, Failure> {
        Self::warned(Self::load_silently(common, at)?, common)
    }

    /// Like [`Context::load`], but the file may be without topics.
    pub(in crate::cli) fn load_without_topics(common: &Common) -> Result<Self, Failure> {
        Self::warned(Self::read(common, "--database", None, true)?, common)
    }

    fn warned(context: Self, common: &Common) -> Result<Self, Failure> {
        if !common.quiet {
            for warning in &context.config.warnings {
                output::print_stderr(&format!("warning: {warning}"));
            }
        }
        Ok(context)
    }

    /// Like [`Context::load`], for a verb that prints the warnings itself.
    pub(in crate::cli) fn load_silently(common: &Common, at: Option<&str>) -> Result<Self, Failure> {
        Self::read(common, "--database", at, false)
    }

    /// Like [`Context::load_silently`], with the database that `--to` names.
    pub(in crate::cli) fn load_target(common: &Common, to: &str) -> Result<Self, Failure> {
        Self::read(&Common { database: Some(to.to_owned()), ..common.clone() }, "--to", None, false)
    }

    fn read(
        common: &Common,
        database_option: &'static str,
        at: Option<&str>,
        without_topics: bool,
    ) -> Result<Self, Failure> {
        let clock = clock(at)?;
        let request = LoadRequest { database_option, without_topics, ..request(common, clock())? };
        let config = config::load(&request).map_err(|mistakes| {
            output::print_stderr(mistakes.render(output::is_interactive(), usize::from(output::width())).trim_end());
            Failure::silent(Exit::Usage)
        })?;
        Ok(Self { config, clock, options: common.clone() })
    }

    /// Returns a command line for the same configuration file and database, to print as a hint.
    pub(in crate::cli) fn command(&self, verb: &str) -> String {
        self.options.command(verb)
    }

    /// Whether any search goes to the embedded sandbox.
    pub(in crate::cli) fn is_sandbox(&self) -> bool {
        self.targets().any(|target| *target == Target::Sandbox)
    }

    /// Returns where searches go: the service and the other providers.
    fn targets(&self) -> impl Iterator<Item = &Target> {
        std::iter::once(&self.config.service.target).chain(self.config.providers.iter().map(|one| &one.target))
    }

    /// Returns whether findings will be real or invented, if that is known in advance. An address on this machine may
    /// be another sandbox; its replies show it.
    pub(in crate::cli) fn origin(&self) -> Option<DataOrigin> {
        let origins: Vec<Option<DataOrigin>> = self.targets().filter_map(origin_of).collect();
        origins.iter().copied().find(Option::is_some).flatten()
    }

    /// Returns where findings are stored. Invented ones go to a database of their own unless one is named.
    pub(in crate::cli) fn store_settings(&self, create: bool) -> store::Settings {
        let by_default = |key: &str| self.config.effective.iter().any(|e| e.key == key && e.origin == "default");
        let settings = store_settings(DatabaseOnly {
            database: self.config.database.clone(),
            default_url: by_default("database.url"),
            default_schema: by_default("database.schema"),
            sandbox: self.is_sandbox(),
        });
        store::Settings { origin: self.origin(), create, ..settings }
    }

    /// Returns every key in force; with the sandbox, the database is that of [`Context::store_settings`].
    pub(in crate::cli) fn effective(&self) -> Vec<Effective> {
        let (written, used) = (&self.config.database, self.store_settings(false));
        let mut all = self.config.effective.clone();
        for one in &mut all {
            let (was, is) = match one.key.as_str() {
                "database.url" => (redact_url(&written.url), redact_url(&used.url)),
                "database.schema" => (written.schema.clone(), used.schema.clone()),
                _ => continue,
            };
            one.value = one.value.replacen(&was, &is, 1);
        }
        all
    }

    /// Returns the files that no verb may overwrite.
    pub(in crate::cli) fn protected(&self) -> Protected {
        let url = self.store_settings(false).url;
        protected_files::of(&self.config, url.strip_prefix("sqlite:").map(Path::new))
    }

    /// Opens the store, and numbers the finished runs that a killed process left unnumbered.
    pub(in crate::cli) async fn store(&self, create: bool) -> Result<Store, Failure> {
        self.ready(Store::open(&self.store_settings(create)).await?, create).await
    }

    /// Like [`Context::store`], for a verb that only reads: it also works where nothing can be written.
    pub(in crate::cli) async fn store_to_read(&self) -> Result<Store, Failure> {
        let (store, unwritable) = Store::open_or_read(&self.store_settings(false)).await?;
        if let Some(why) = unwritable {
            output::print_stderr(&format!("warning: {}", output::escape_control(&why)));
        }
        self.ready(store, false).await
    }

    async fn ready(&self, store: Store, create: bool) -> Result<Store, Failure> {
        let store = store.watching_overwrites();
        journal::reject_older_database(&store).await?;
        if store.open_tombstones().await? > 0 {
            output::print_stderr("warning: an erasure was interrupted; run `topicwatch db forget --resume`");
        }
        match store.publish().await {
            // A reader may lack the right to write. It then sees only the runs that are numbered already.
            Err(error) if !create => tracing::debug!("finished runs could not be numbered: {error}"),
            other => drop(other?),
        }
        Ok(store)
    }

    /// Opens the store for forgetting: it need not have everything in its journal yet.
    pub(in crate::cli) async fn store_for_forget(&self) -> Result<Store, Failure> {
        let store = Store::open(&self.store_settings(false)).await?.watching_overwrites();
        store.publish().await?;
        Ok(store)
    }

    /// Opens the store for a process that runs what is due, with the configured engine.
    pub(in crate::cli) async fn working_store(&self) -> Result<Store, Failure> {
        let store = self.store(true).await?;
        Ok(match self.config.scheduler.engine {
            Engine::Local => store,
            Engine::Graphile => store.with_graphile().await?,
        })
    }

    /// Connects to the service; starts the embedded sandbox if something uses it.
    pub(in crate::cli) async fn service(&self) -> Result<Service, Failure> {
        self.service_with_sandbox(None).await
    }

    /// Like [`Context::service`], but with a sandbox that already runs.
    pub(in crate::cli) async fn service_with_sandbox(&self, running: Option<&url::Url>) -> Result<Service, Failure> {
        let (base_url, sandbox) = match running {
            _ if !self.is_sandbox() => (None, None),
            Some(url) => (Some(url.clone()), None),
            None => {
                let running = start_sandbox(Arc::clone(&self.clock)).await?;
                let url = url::Url::parse(&running.base_url())
                    .map_err(|e| Failure::new(Exit::Unexpected, format!("the sandbox has no address: {e}"), ""))?;
                (Some(url), Some(running))
            }
        };
        let callers = Callers {
            service: callers::service(&self.config.service, base_url.as_ref())?,
            providers: callers::providers(&self.config.providers, base_url.as_ref())?,
        };
        let base_url = match &self.config.service.target {
            Target::Url(url) => Some(url.clone()),
            _ => base_url,
        };
        Ok(Service { callers, base_url, sandbox })
    }

    /// Builds a collector.
    pub(in crate::cli) fn collector(&self, store: Store, callers: Callers) -> Arc<Collector> {
        let service = &self.config.service;
        let settings = collect::Settings {
            dialect: service.dialect,
            platform: service.platform.clone(),
            limits: service.limits(),
            prices: self.prices(),
            lease: self.config.scheduler.lease,
            sandbox: self.is_sandbox(),
        };
        let Callers { service, providers } = callers;
        let collector = Collector::new(store, service, settings, Arc::clone(&self.clock), ids::fractions());
        Arc::new(collector.with_providers(providers))
    }

    /// Returns the expected price of a call of each source.
    pub(in crate::cli) fn prices(&self) -> Prices {
        self.config.prices()
    }

    /// Returns the named topics, or all. The error for an unknown name suggests the nearest one.
    pub(in crate::cli) fn topics(&self, named: &[String]) -> Result<Vec<Topic>, Failure> {
        self.check_topics(named)?;
        Ok(self.config.topics.iter().filter(|t| named.is_empty() || named.contains(&t.id)).cloned().collect())
    }

    /// Returns the topics that have daily limits of their own.
    pub(in crate::cli) fn limited(&self) -> impl Iterator<Item = &Topic> {
        self.config.topics.iter().filter(|topic| !topic.limits.is_none())
    }

    /// Rejects topics that the configuration does not have.
    pub(in crate::cli) fn check_topics(&self, named: &[String]) -> Result<(), Failure> {
        let ids: Vec<&str> = self.config.topics.iter().map(|t| t.id.as_str()).collect();
        match named.iter().find(|name| !ids.contains(&name.as_str())) {
            None => Ok(()),
            Some(unknown) => Err(self.unknown("topic", unknown, &ids)),
        }
    }

    /// Rejects sources that neither the configuration nor the database has.
    pub(in crate::cli) fn check_sources(&self, named: &[Source], stored: &[Source]) -> Result<(), Failure> {
        let providers = self.config.providers.iter().map(|one| one.name);
        let all: BTreeSet<Source> =
            Source::SERVICE.iter().copied().chain(providers).chain(stored.iter().copied()).collect();
        let names: Vec<&str> = all.iter().map(Source::as_str).collect();
        match named.iter().find(|source| !all.contains(source)) {
            None => Ok(()),
            Some(unknown) => Err(self.unknown("source", unknown.as_str(), &names)),
        }
    }

    /// Returns the error for an unknown name, with a suggestion.
    pub(in crate::cli) fn unknown(&self, what: &str, name: &str, known: &[&str]) -> Failure {
        let nearest = config::nearest(name, known.iter().copied());
        let suggestion = nearest.map_or_else(String::new, |nearest| format!("did you mean `{nearest}`? "));
        let alternatives = match known {
            [] => format!("it has no [[{what}s]]"),
            _ => format!("the {what}s are: {}", known.join(", ")),
        };
        let file = output::escape_control(&self.config.file.display().to_string());
        Failure::usage(
            format!("there is no {what} `{}` in {file}", output::truncate(name, 64)),
            format!("{suggestion}{}", output::truncate(&alternatives, 400)),
        )
    }
}

/// Returns the origin of data from an address, if known; `None` if there is no address.
#[expect(clippy::option_option, reason = "no address, or one that does not say")]
fn origin_of(target: &Target) -> Option<Option<DataOrigin>> {
    match target {
        Target::Sandbox => Some(Some(DataOrigin::Sandbox)),
        Target::Url(url) => {
            let loopback = match url.host() {
                Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
                Some(url::Host::Ipv4(ip)) => ip.is_loopback(),
                Some(url::Host::Ipv6(ip)) => ip.is_loopback(),
                None => false,
            };
            Some((!loopback).then_some(DataOrigin::Real))
        }
        Target::Absent => None,
    }
}

/// Starts the sandbox on a free port.
async fn start_sandbox(clock: Clock) -> Result<sandbox::SandboxHandle, Failure> {
    let settings = sandbox::Settings {
        listen: std::net::SocketAddr::from(([127, 0, 0, 1], 0)),
        key: None,
        corpus: sandbox::CorpusSource::BuiltIn,
        faults: Vec::new(),
        clock,
    };
    sandbox::start(settings).await.map_err(|e| Failure::new(Exit::Unexpected, e.message, e.hint))
}

/// Parses an instant: a time, a date, or a duration ago.
pub(in crate::cli) fn instant(option: &str, text: Option<&str>, now: Time) -> Result<Option<Time>, Failure> {
    let Some(text) = text else { return Ok(None) };
    let read = crate::schedule::read_instant(text, now).map(Some);
    read.map_err(|(why, hint)| Failure::usage(format!("{option}: `{}` {why}", output::truncate(text, 60)), hint))
}
