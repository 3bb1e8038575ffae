//! One run: asks social, web, then (if needed) the AI source, evaluates the replies, and stores everything at once.
//! `fetch` makes the calls, `ingest` turns replies into findings (`replay` uses only that), `worker_pool` runs several
//! runs side by side and keeps their leases, `forget` erases what must not be kept. It reads no clock itself.

mod ai_condition;
mod compress;
mod fetch;
mod followers;
mod forget;
mod forgotten_posts;
mod ingest;
mod items_at_address;
mod limits;
mod look_back;
mod named_in_texts;
mod outcome;
mod prompt_items;
mod providers;
mod replay;
mod settings;
mod source_search;
mod worker_pool;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

pub use followers::clusters::{cluster, cluster_by};
pub use followers::days::{DAYS, count_days};
pub use followers::tally::tally_runs;
pub use followers::terms::{TERM_DAYS, count_terms};
pub use followers::text_index::index_words;
pub use followers::{catch_up, follow};
pub use forget::{Eraser, Forgotten};
pub use ingest::{Ingested, Reading, ingest, read_provider};
pub use items_at_address::keys_at;
pub use look_back::LOOKED_BACK;
use look_back::Plan;
pub use outcome::report::{RunReport, SearchReport};
use outcome::run_outcome;
pub use outcome::run_outcome::MIXED;
use outcome::search_outcome::{Fetched, RunFindings};
pub use providers::provider::Provider;
use providers::provider::ProviderState;
pub use replay::{OutdatedReader, ReplayOptions, Replayed, replay};
pub use settings::Settings;
use worker_pool::commit_order::CommitTurn;
pub use worker_pool::{Done, WorkerPool, renew_leases};

use crate::model::{Clock, Finding, RunState, SERVICE, SearchState, Source, Time};
use crate::search::Client;
use crate::store::{Counts, Outcome, RunRef, SeenItem, Store, StoreError, StoreErrorKind};

/// Everything runs share: the service, the store, and what has been learned about the service in this process.
pub struct Collector {
    store: Store,
    /// The search service, if there is one, and the other providers.
    served: BTreeMap<String, ProviderState>,
    settings: Settings,
    clock: Clock,
    random: Arc<dyn Fn() -> f64 + Send + Sync>,
    packer: compress::Compressor,
}

/// Time between two attempts to store what a run found.
const STORED_AGAIN: Duration = Duration::from_secs(1);

/// Why a run should stop early.
#[derive(Debug, Clone)]
pub struct Stop {
    /// A person or the service manager asked the process to end, or the lease was lost.
    pub cancel: CancellationToken,
    /// The run's own time limit.
    pub deadline: tokio::time::Instant,
}

impl Collector {
    /// Creates a collector. Without a client there is no search service.
    #[must_use]
    pub fn new(
        store: Store,
        client: impl Into<Option<Client>>,
        settings: Settings,
        clock: Clock,
        random: Arc<dyn Fn() -> f64 + Send + Sync>,
    ) -> Self {
        let service = client.into().map(|client| {
            let (name, limits, price) = (Source::Social, settings.limits, crate::budget::Price::default());
            let provider = Provider { name, client, limits, price, open: false };
            (SERVICE.to_owned(), ProviderState::new(&store, &clock, provider, settings.sandbox, settings.lease))
        });
        let served = service.into_iter().collect();
        Self { store, served, settings, clock, random, packer: compress::Compressor::default() }
    }

    /// Adds other providers.
    #[must_use]
    pub fn with_providers(mut self, providers: Vec<Provider>) -> Self {
        for provider in providers {
            let name = provider.name.to_string();
            let served =
                ProviderState::new(&self.store, &self.clock, provider, self.settings.sandbox, self.settings.lease);
            self.served.insert(name, served);
        }
        self
    }

    /// Returns the provider of a source, if this process has it.
    fn served(&self, source: Source) -> Option<&ProviderState> {
        self.served.get(source.provider())
    }

    /// Shares the refusals of providers with the collector from before a reload, whose runs may still be in progress.
    fn share_refusals(&self, before: &Self) {
        for (name, served) in &self.served {
            if let Some(before) = before.served.get(name) {
                served.share_refusals(before);
            }
        }
    }

    /// Returns the store it writes to.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }

    #[must_use]
    pub fn now(&self) -> Time {
        (self.clock)()
    }

    /// Gives back what this process holds of the service's limits; the next call acquires it again.
    pub async fn release_limits(&self) {
        for served in self.served.values() {
            served.release().await;
        }
    }

    /// Executes a run that this process holds and stores its outcome. Must not be dropped midway: use `stop` instead.
    pub async fn run(&self, run: &RunRef, stop: &Stop) -> Result<RunReport, StoreError> {
        self.run_in_turn(run, stop, &CommitTurn::default()).await
    }

    /// Like [`Collector::run`], but stores the outcome when its turn comes.
    async fn run_in_turn(&self, run: &RunRef, stop: &Stop, turn: &CommitTurn) -> Result<RunReport, StoreError> {
        self.run_as(run, stop, self.now(), None, turn).await
    }

    /// Like [`Collector::run`], but over one UTC day, given as days since 1970. Findings are judged against that day.
    pub async fn run_day(&self, run: &RunRef, stop: &Stop, day: i64) -> Result<RunReport, StoreError> {
        self.run_as(run, stop, self.now(), Some(Plan::day(day)), &CommitTurn::default()).await
    }

    async fn run_as(
        &self,
        run: &RunRef,
        stop: &Stop,
        seen_at: Time,
        given_plan: Option<Plan>,
        turn: &CommitTurn,
    ) -> Result<RunReport, StoreError> {
        let mut found = RunFindings::default();
        for source in run.topic.sources() {
            self.search(run, source, seen_at, given_plan.as_ref(), stop, &mut found).await?;
        }
        let RunFindings { searches, findings, mut answer, memory } = found;
        if run_outcome::is_fully_interrupted(&searches) && findings.is_empty() && stop.cancel.is_cancelled() {
            // A try that was answered with an error costs nothing, or the cost that the error states.
            let lost = searches.iter().map(|search| &search.result).filter(|result| result.state == SearchState::Lost);
            let costs: Vec<_> = lost.map(|result| (result.source, result.cost, result.cost_basis)).collect();
            self.store.release(run, self.now(), &costs).await?;
            return Ok(run_outcome::interrupted(run, searches));
        }
        if let Some(answer) = &mut answer {
            for served in self.served.values() {
                answer.text = served.client.redact_key(&answer.text);
            }
        }
        crate::failpoint::at_of("run/ingested", &run.topic.id);
        let items = group(findings);
        let cited = answer.as_ref().map(|text| run_outcome::cited(text, &items));
        let (state, reason, error) = run_outcome::of(&searches);
        let reason = given_plan
            .and_then(|plan| plan.reason)
            .map(|why| reason.as_ref().map_or(why.clone(), |r| format!("{why}: {r}")))
            .or(reason);
        let outcome = Arc::new(Outcome {
            seen_at,
            finished_at: self.now(),
            state,
            reason: reason.clone(),
            error,
            searches: searches.iter().map(|s| s.result.clone()).collect(),
            items,
            answer: answer.zip(cited),
            key_version: crate::normalise::KEY_VERSION,
            judge: Some(crate::sentiment::judge),
            memory,
            origin: run_outcome::origin(&searches, self.settings.sandbox),
        });
        turn.wait().await;
        match self.store_outcome(run, &outcome, stop).await {
            Ok(counts) => Ok(run_outcome::report(run, state, reason, searches, &counts)),
            Err(mixed) if mixed.kind == StoreErrorKind::Foreign => {
                self.store_without_replies(run, Arc::unwrap_or_clone(outcome), searches, mixed).await
            }
            Err(error) => Err(error),
        }
    }

    /// Stores a run whose replies must not be stored in this database: the calls were made and paid for.
    async fn store_without_replies(
        &self,
        run: &RunRef,
        outcome: Outcome,
        searches: Vec<Fetched>,
        mixed: StoreError,
    ) -> Result<RunReport, StoreError> {
        let searches = run_outcome::drop_replies(searches, &mixed);
        let outcome = Outcome {
            state: RunState::Failed,
            error: Some((MIXED.to_owned(), mixed.text)),
            searches: searches.iter().map(|s| s.result.clone()).collect(),
            items: Vec::new(),
            answer: None,
            memory: Vec::new(),
            origin: None,
            ..outcome
        };
        self.store.finish(run, outcome).await?;
        Ok(run_outcome::report(run, RunState::Failed, None, searches, &[]))
    }

    /// Stores what a run found. The calls were paid for, so while the database server is away, or another process locks
    /// the database, this is retried for as long as this process holds the run.
    async fn store_outcome(
        &self,
        run: &RunRef,
        outcome: &Arc<Outcome>,
        stop: &Stop,
    ) -> Result<Vec<(Source, Counts)>, StoreError> {
        let (mut away, mut reported): (Option<StoreError>, bool) = (None, false);
        loop {
            let error = match self.store.finish(run, Arc::clone(outcome)).await {
                Ok(counts) => return Ok(counts),
                Err(error) => error,
            };
            if !error.away && error.kind != StoreErrorKind::Locked {
                // The server may have stored the outcome before the connection broke. The retry is then fenced, and the
                // earlier error is the real one.
                return Err(away.filter(|_| error.kind == StoreErrorKind::Fenced).unwrap_or(error));
            }
            if stop.cancel.is_cancelled() || tokio::time::Instant::now() >= stop.deadline {
                return Err(error);
            }
            if !std::mem::replace(&mut reported, true) {
                tracing::warn!(run = run.public_id, "cannot store the findings now: {error}; trying again");
            }
            if error.away {
                away = Some(error);
            }
            tokio::select! {
                () = stop.cancel.cancelled() => {}
                () = tokio::time::sleep(STORED_AGAIN) => {}
            }
        }
    }
}

/// Groups the findings of a run into items, each once.
fn group(findings: Vec<Finding>) -> Vec<SeenItem> {
    crate::normalise::group(findings)
        .into_iter()
        .map(|g| SeenItem { keys: g.keys, strong: g.strong, kind: g.kind, sightings: g.sightings, repeats: g.repeats })
        .collect()
}
