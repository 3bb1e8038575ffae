//! What every page and answer is made from: the database, the present, and what of the configuration pages show.

use std::sync::Arc;

use tokio::sync::watch;

use super::access::Access;
use super::editing::Editing;
use super::exporting::Exporting;
use super::guesses::Guesses;
use super::jobs_file::JobsFile;
use super::ready::Ready;
use super::sessions::Sessions;
use super::source_health::SourceHealth;
use super::streams::Streams;
use super::tokens::Tokens;
use super::visitor::Visitor;
use crate::compare::SourceHistory;
use crate::metrics::Metrics;
use crate::model::{Clock, DayLimits, Nature, ReportSpec, Role, Time, TopicCard};
use crate::process_status::ProcessStatus;
use crate::store::{self, Store, StoreError};

/// How the pages are served.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The token that may do everything. Without it and named tokens, whoever reaches the address reads.
    pub access: Option<Access>,
    /// Names under which they may be asked for, beside localhost and addresses.
    pub hosts: Vec<String>,
    /// Whether visitors come over TLS.
    pub https: bool,
    /// What may be asked in a day.
    pub limits: DayLimits,
    /// Makes the id of what is asked for here; absent where nobody would do it.
    pub acts: Option<fn(Time) -> String>,
    /// What to do about a search that failed, by what is recorded of it.
    pub hint: Hint,
    /// Whether pages may change the file that says what is watched.
    pub edit: bool,
    /// Reports that are configured: changes can be asked for since the last that was delivered.
    pub reports: Vec<ReportSpec>,
    /// Tags of topics, by id: one that did not run yet is in no database.
    pub tags: Vec<(String, Vec<String>)>,
}

/// Those that hold now: a reload puts others in their place while pages are served.
pub type InForce = watch::Receiver<Arc<Settings>>;

/// From provider, error class, HTTP status and text to what to do.
pub type Hint = fn(&str, &str, Option<i64>, &str) -> Option<String>;

/// The state behind all pages.
pub struct Site {
    /// A store of its own: its connections are never those that runs wait for.
    pub(super) store: Store,
    settings: InForce,
    pub(super) exporting: Exporting,
    pub(super) process_status: Arc<ProcessStatus>,
    pub(super) metrics: Metrics,
    pub(super) ready: Ready,
    pub(super) judged: SourceHealth,
    pub(super) guesses: Arc<Guesses>,
    pub(super) sessions: Sessions,
    pub(super) editing: Option<Editing>,
    pub(super) streams: Streams,
    pub(super) tokens: Tokens,
    clock: Clock,
    /// What is asked, where that is known beforehand.
    asked: Option<Nature>,
}

impl std::fmt::Debug for Site {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Site").field("store", &self.store).field("settings", &self.settings()).finish_non_exhaustive()
    }
}

impl Site {
    /// Over a store that is used by nobody else, another for what takes long (exports), of this database, in a process that
    /// knows this of itself. `secret` is a text that nobody can guess, another one each time.
    #[must_use]
    pub fn new(
        store: Store,
        exports: Store,
        database: store::Settings,
        settings: InForce,
        process_status: Arc<ProcessStatus>,
        clock: Clock,
        secret: String,
    ) -> Self {
        let asked = database.nature;
        let metrics = Metrics::new(store.clone(), Arc::clone(&process_status));
        let (exporting, ready) =
            (Exporting::through(exports), Ready::of(database, store.clone(), process_status.beat.is_some()));
        Self {
            store,
            settings,
            exporting,
            process_status,
            metrics,
            ready,
            judged: SourceHealth::default(),
            guesses: Arc::default(),
            sessions: Sessions::new(secret),
            editing: None,
            streams: Streams::default(),
            tokens: Tokens::default(),
            clock,
            asked,
        }
    }

    /// With the file that says what is watched.
    #[must_use]
    pub fn with_jobs_file(self, file: Arc<dyn JobsFile>) -> Self {
        Self { editing: Some(Editing::of(file)), ..self }
    }

    /// What it shows; before anything is stored, what is asked.
    pub(super) async fn nature(&self) -> Result<Option<Nature>, StoreError> {
        Ok(self.store.nature().await?.or(self.asked))
    }

    /// What holds now.
    pub(super) fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.settings.borrow())
    }

    /// Whether buttons are for this visitor: one who may act, where a daemon hears of it.
    pub(super) fn acts(&self, visitor: &Visitor) -> bool {
        self.settings().acts.is_some() && visitor.role >= Role::Act
    }

    /// Whether this visitor may star, note and save searches: these are of all topics.
    pub(super) fn keeps(&self, visitor: &Visitor) -> bool {
        self.acts(visitor) && visitor.sees_all()
    }

    /// Whether this visitor may change the file that says what is watched.
    pub(super) fn may_edit(&self, visitor: &Visitor) -> bool {
        self.editing.is_some() && self.settings().edit && visitor.role >= Role::Edit && visitor.sees_all()
    }

    /// How the sources of some topics stand.
    pub(super) async fn sources(&self, cards: &[TopicCard]) -> Result<SourceHistory, StoreError> {
        let ill = self.judged.of(&self.store, cards, self.now()).await?;
        SourceHistory::of(&self.store, cards, ill).await
    }

    pub(super) fn clock(&self) -> Clock {
        Clock::clone(&self.clock)
    }

    pub(super) fn now(&self) -> Time {
        (self.clock)()
    }
}
