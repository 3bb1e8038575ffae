//! Metrics for a monitoring system, in Prometheus' text format: the totals of the ledger, the current counts, and
//! what this process knows about itself. It only reads. `web` decides who may read them; `insight` adds up the
//! totals.
//!
//! Everything that the database knows is read from it, so that it is right after a restart, with several processes,
//! and without a daemon. Every statement uses an index. A limited number of topics have series of their own.

mod families;
mod family;
mod reading;
mod uncovered_time;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;

pub use family::CONTENT_TYPE;

use reading::Reading;
use uncovered_time::UncoveredTime;

use crate::model::{DayLimits, LATE, Source, SourceLatest, Time, WatchedTopic};
use crate::process_status::ProcessStatus;
use crate::store::{Store, StoreError};

/// Topics that have series of their own; the others are only counted.
pub const MOST_TOPICS: u32 = 200;

/// How long the database may take to answer. The access check already used it, and Prometheus waits for ten seconds.
const PATIENCE: Duration = Duration::from_secs(4);

/// The source of the metrics.
#[derive(Clone)]
pub struct Metrics {
    store: Store,
    process_status: Arc<ProcessStatus>,
    missed: UncoveredTime,
    /// Allows one reading at a time, however often metrics are requested.
    place: Arc<Semaphore>,
}

impl Metrics {
    /// The metrics of a store and of this process.
    #[must_use]
    pub fn new(store: Store, process_status: Arc<ProcessStatus>) -> Self {
        Self { store, process_status, missed: UncoveredTime::default(), place: Arc::new(Semaphore::new(1)) }
    }

    /// All metrics as text, with the limits of a day, and with the version if it is given. If the database does not
    /// answer in time, the metrics that need it are left out and it is shown as down.
    ///
    /// # Errors
    /// If they cannot be written, which is a bug.
    pub async fn text(&self, limits: &DayLimits, version: Option<&'static str>, now: Time) -> Result<String, String> {
        let read = tokio::time::timeout(
            PATIENCE,
            self.read_alone(limits.service.is_some_and(|limits| limits.money.is_some()), now),
        )
        .await
        .ok()
        .flatten();
        families::text(&self.process_status, version, limits, now, read.as_ref()).map_err(|error| error.to_string())
    }

    /// Reads in a task of its own, because a call to the store must not be dropped midway. The task holds its permit
    /// to the end.
    async fn read_alone(&self, budget: bool, now: Time) -> Option<Reading> {
        let place = Arc::clone(&self.place).acquire_owned().await.ok()?;
        let metrics = self.clone();
        let task = tokio::spawn(async move {
            let _place = place;
            metrics.read(budget, now).await
        });
        match task.await {
            Ok(Ok(read)) => Some(read),
            Ok(Err(error)) => {
                tracing::warn!("cannot read metrics: {error}");
                None
            }
            Err(ended) => {
                tracing::error!("reading metrics crashed, please report this bug: {ended}");
                None
            }
        }
    }

    /// `budget` is whether the service has a budget. If so, the cost of the day is read too.
    async fn read(&self, budget: bool, now: Time) -> Result<Reading, StoreError> {
        let store = &self.store;
        let mut counts = store.status_counts(now, now.minus(LATE)).await?;
        // A new budget counts from the next call on; until then the cost comes from the ledger.
        if budget && counts.spent.is_none() {
            counts.spent = Some(store.usage_on(now.utc_day(), &[]).await?.0.money);
        }
        let topics = store.first_topics(MOST_TOPICS).await?;
        let latest = of_own_sources(store.latest_answers(&topics).await?, &store.watched_topics(&topics).await?);
        let limited = store.topic_limit_usage(now.utc_day(), &topics).await?;
        Ok(Reading {
            counts,
            sums: store.tally().await?,
            bytes: store.disk().await?.bytes,
            roles: store.running_roles(now).await?,
            latest,
            limited,
            providers: store.used_by_provider(now.utc_day()).await?,
            missed: self.missed.of(store, &topics, now).await,
            topics,
        })
    }
}

/// Leaves out sources that topics no longer have: nothing new is expected of them.
fn of_own_sources(mut latest: Vec<SourceLatest>, watched: &[WatchedTopic]) -> Vec<SourceLatest> {
    let own: HashMap<&str, Vec<Source>> = watched
        .iter()
        .filter_map(|watched| Some((watched.topic.as_str(), watched.definition.as_ref()?.sources())))
        .collect();
    latest.retain(|one| own.get(one.topic.as_str()).is_none_or(|own| own.contains(&one.source)));
    latest
}
