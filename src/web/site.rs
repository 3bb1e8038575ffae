//! The inputs of every page and answer: the database, the time, and the parts of the configuration that pages show.

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::sync::watch;

use super::access::Access;
use super::access::guess_limit::GuessLimiter;
use super::access::sessions::Sessions;
use super::access::tokens::Tokens;
use super::access::visitor::Visitor;
use super::downloads::export_pool::ExportPool;
use super::edit_state::Editing;
use super::jobs_file::JobsFile;
use super::server::readiness::ReadinessCheck;
use super::server::streams::Streams;
use super::source_health::SourceHealth;
use crate::compare::SourceHistory;
use crate::metrics::Metrics;
use crate::model::{Clock, DataOrigin, DayLimits, ReportSpec, Role, Time, TopicCard};
use crate::process_status::ProcessStatus;
use crate::store::{self, Store, StoreError};

/// How the pages are served.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The token that may do everything. Without it and without named tokens, everyone who reaches the address may
    /// read.
    pub access: Option<Access>,
    /// Names that the pages answer to, besides localhost and IP addresses.
    pub hosts: Vec<String>,
    /// Whether visitors come over TLS.
    pub https: bool,
    /// The limits of a day.
    pub limits: DayLimits,
    /// Makes the ids of requests; `None` if no daemon would carry them out.
    pub acts: Option<fn(Time) -> String>,
    /// Returns the hint for a failed search, from what is recorded about it.
    pub hint: Hint,
    /// The providers that read feeds, by name.
    pub feeds: BTreeSet<String>,
    /// Whether pages may change the configuration file.
    pub edit: bool,
    /// The configured reports: changes can be listed since the last one that was delivered.
    pub reports: Vec<ReportSpec>,
    /// Tags of topics, by id: a topic that has not run yet is not in the database.
    pub tags: Vec<(String, Vec<String>)>,
}

/// The current settings. A reload replaces them while pages are served.
pub type CurrentSettings = watch::Receiver<Arc<Settings>>;

/// Returns what to do, from provider, whether it reads feeds, error class, HTTP status and text.
pub type Hint = fn(&str, bool, &str, Option<i64>, &str) -> Option<String>;

/// The state behind all pages.
pub struct Site {
    /// A store of its own, so that pages never use the connections that runs wait for.
    pub(super) store: Store,
    settings: CurrentSettings,
    pub(super) exporting: ExportPool,
    pub(super) process_status: Arc<ProcessStatus>,
    pub(super) metrics: Metrics,
    pub(super) ready: ReadinessCheck,
    pub(super) source_health: SourceHealth,
    pub(super) guesses: Arc<GuessLimiter>,
    pub(super) sessions: Sessions,
    pub(super) editing: Option<Editing>,
    pub(super) streams: Streams,
    pub(super) tokens: Tokens,
    clock: Clock,
}

impl std::fmt::Debug for Site {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Site").field("store", &self.store).field("settings", &self.settings()).finish_non_exhaustive()
    }
}

impl Site {
    /// A site over a store that nothing else uses, and a second store for long reads (exports), both of `database`.
    /// `secret` must be new each time and impossible to guess.
    #[must_use]
    pub fn new(
        store: Store,
        exports: Store,
        database: store::Settings,
        settings: CurrentSettings,
        process_status: Arc<ProcessStatus>,
        clock: Clock,
        secret: String,
    ) -> Self {
        let metrics = Metrics::new(store.clone(), Arc::clone(&process_status));
        let (exporting, ready) =
            (ExportPool::through(exports), ReadinessCheck::of(database, store.clone(), process_status.beat.is_some()));
        Self {
            store,
            settings,
            exporting,
            process_status,
            metrics,
            ready,
            source_health: SourceHealth::default(),
            guesses: Arc::default(),
            sessions: Sessions::new(secret),
            editing: None,
            streams: Streams::default(),
            tokens: Tokens::default(),
            clock,
        }
    }

    /// Adds the configuration file.
    #[must_use]
    pub fn with_jobs_file(self, file: Arc<dyn JobsFile>) -> Self {
        Self { editing: Some(Editing::of(file)), ..self }
    }

    /// Whether the data is real or invented; before anything is stored, what searches will give.
    pub(super) async fn origin(&self) -> Result<Option<DataOrigin>, StoreError> {
        Ok(self.store.origin().await?.or(self.store.search_origin()))
    }

    /// The current settings.
    pub(super) fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.settings.borrow())
    }

    /// Whether this visitor gets buttons: they may act, and a daemon takes requests.
    pub(super) fn may_act(&self, visitor: &Visitor) -> bool {
        self.settings().acts.is_some() && visitor.role >= Role::Act
    }

    /// Whether this visitor may star, note and save searches, which belong to all topics.
    pub(super) fn may_annotate(&self, visitor: &Visitor) -> bool {
        self.may_act(visitor) && visitor.sees_all()
    }

    /// Whether this visitor may change the configuration file.
    pub(super) fn may_edit(&self, visitor: &Visitor) -> bool {
        self.editing.is_some() && self.settings().edit && visitor.role >= Role::Edit && visitor.sees_all()
    }

    /// The status of the sources of some topics.
    pub(super) async fn sources(&self, cards: &[TopicCard]) -> Result<SourceHistory, StoreError> {
        let silences = self.source_health.of(&self.store, cards, self.now()).await?;
        SourceHistory::of(&self.store, cards, silences).await
    }

    pub(super) fn clock(&self) -> Clock {
        Clock::clone(&self.clock)
    }

    pub(super) fn now(&self) -> Time {
        (self.clock)()
    }
}
