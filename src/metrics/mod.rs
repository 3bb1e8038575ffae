//! Figures for a monitoring system, in Prometheus' text format: what the ledger added up to, how things stand, what this
//! process knows of itself. It reads and decides nothing; who may ask is `web`'s, what is added up `insight`'s.
//!
//! What can be read from the database is, so that it is right after a restart, beside other processes and where no daemon
//! runs; all of it by statements that an index answers. Topics have series of their own up to a bound.

mod coverage;
mod families;
mod family;
mod reading;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;

pub use family::CONTENT_TYPE;

use coverage::Missed;
use reading::Reading;

use crate::model::{DayLimits, LATE, Time};
use crate::process_status::ProcessStatus;
use crate::store::{Store, StoreError};

/// Topics that have series of their own; the others are counted.
pub const MOST_TOPICS: u32 = 200;

/// How long the database may take to answer. Whoever asks was looked up in it before, and Prometheus waits for ten seconds.
const PATIENCE: Duration = Duration::from_secs(4);

/// Where figures come from.
#[derive(Clone)]
pub struct Metrics {
    store: Store,
    process_status: Arc<ProcessStatus>,
    missed: Missed,
    /// One reading at a time, whoever asks how often.
    place: Arc<Semaphore>,
}

impl Metrics {
    /// Over a store, for a process that knows this of itself.
    #[must_use]
    pub fn new(store: Store, process_status: Arc<ProcessStatus>) -> Self {
        Self { store, process_status, missed: Missed::default(), place: Arc::new(Semaphore::new(1)) }
    }

    /// All figures as text, with what may be asked in a day, and the version where it may be told. Where the database does not
    /// answer in time, those that need it are left out and it is told as down.
    ///
    /// # Errors
    /// When they cannot be written down, which is a defect.
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

    /// In a task of its own, since what the store was asked must not be dropped midway; it holds its place to its end.
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
                tracing::warn!("figures could not be read: {error}");
                None
            }
            Err(ended) => {
                tracing::error!("reading figures ended by a defect, please report it: {ended}");
                None
            }
        }
    }

    /// `budget`: whether the service has a budget. If it has, what the day has cost is read too.
    async fn read(&self, budget: bool, now: Time) -> Result<Reading, StoreError> {
        let store = &self.store;
        let mut standing = store.standing(now, now.minus(LATE)).await?;
        // A budget that is new counts from the next call on; until then the ledger knows.
        if budget && standing.spent.is_none() {
            standing.spent = Some(store.used_on(now.utc_day(), &[]).await?.0.money);
        }
        let topics = store.first_topics(MOST_TOPICS).await?;
        let mut roles: Vec<(String, i64)> = Vec::new();
        for living in store.living_rows().await?.into_iter().filter(|living| living.is_alive(now)) {
            match roles.iter_mut().find(|(role, _)| *role == living.role) {
                Some((_, many)) => *many += 1,
                None => roles.push((living.role, 1)),
            }
        }
        let limited = store.limited_topics(now.utc_day(), &topics).await?;
        Ok(Reading {
            standing,
            sums: store.tally().await?,
            bytes: store.disk().await?.bytes,
            roles,
            latest: store.latest_of(&topics).await?,
            limited,
            providers: store.used_by_provider(now.utc_day()).await?,
            missed: self.missed.of(store, &topics, now),
            topics,
        })
    }
}
