//! How many seconds topics' searches left uncovered. It reads days of the ledger for each topic, so it is worked out
//! in the background every few minutes and reported as of then.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use crate::insight::{Coverage, source_coverage, without_wrong_times};
use crate::model::{RunSearch, Span, Time, WatchedTopic, Window};
use crate::store::{Filter, Store, StoreError};

/// How far to look back beyond a topic's window. The next search looks back over the window, so open time in it is not
/// a hole.
const DAY: Duration = Duration::from_secs(86_400);

/// How long the first request waits for the first result, so that its series are there from the start. With much
/// data it takes longer; then the series follow.
const FIRST: Duration = Duration::from_secs(2);

/// How long a result is reported before it is worked out again.
const CACHE_TTL: Duration = Duration::from_secs(300);

/// Seconds by topic and source.
type Seconds = Vec<(String, String, i64)>;

/// The latest result.
#[derive(Clone, Default)]
pub(super) struct UncoveredTime(Arc<Inner>);

#[derive(Default)]
struct Inner {
    state: Mutex<State>,
    /// Notified when the state has a new result.
    done: Notify,
}

#[derive(Default)]
struct State {
    known: Seconds,
    at: Option<Instant>,
    busy: bool,
}

impl UncoveredTime {
    /// Returns the latest result. Starts working it out again in the background if it is old; waits for it a little if
    /// there is none yet.
    pub(super) async fn of(&self, store: &Store, topics: &[String], now: Time) -> Seconds {
        let done = self.0.done.notified();
        self.start(store, topics, now);
        if self.state().at.is_none() {
            // Without a result in time, the answer has no such series.
            let _ = tokio::time::timeout(FIRST, done).await;
        }
        self.state().known.clone()
    }

    fn start(&self, store: &Store, topics: &[String], now: Time) {
        let mut state = self.state();
        if !state.busy && state.at.is_none_or(|at| at.elapsed() > CACHE_TTL) {
            state.busy = true;
            let (missed, store, topics) = (self.clone(), store.clone(), topics.to_vec());
            tokio::spawn(async move {
                // A task of its own, so that even a panic cannot leave `busy` set forever.
                let worked_out = tokio::spawn(async move { compute(&store, &topics, now).await }).await;
                let mut state = missed.state();
                (state.busy, state.at) = (false, Some(Instant::now()));
                match worked_out {
                    Ok(Ok(known)) => state.known = known,
                    Ok(Err(error)) => tracing::warn!("cannot compute missed coverage: {error}"),
                    Err(ended) => tracing::error!("computing missed coverage crashed: {ended}"),
                }
                drop(state);
                missed.0.done.notify_waiters();
            });
        }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        // The state is consistent between any two statements, even after a panic.
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// As in `topicwatch coverage`: holes, without the time that the next search looks back over.
async fn compute(store: &Store, topics: &[String], now: Time) -> Result<Seconds, StoreError> {
    let mut seconds = Vec::new();
    if topics.is_empty() {
        return Ok(seconds);
    }
    let watched = store.watched_topics(topics).await?;
    for window in Window::ALL {
        let in_window: Vec<&WatchedTopic> =
            watched.iter().filter(|watched| watched.definition.as_ref().is_some_and(|t| t.window == *window)).collect();
        if let Some(period) = Span::new(now.minus(window.length() + DAY), now).filter(|_| !in_window.is_empty()) {
            in_period(store, &in_window, period, &mut seconds).await?;
        }
    }
    seconds.sort();
    Ok(seconds)
}

async fn in_period(
    store: &Store,
    watched_topics: &[&WatchedTopic],
    period: Span,
    seconds: &mut Seconds,
) -> Result<(), StoreError> {
    let topics: Vec<String> = watched_topics.iter().map(|watched| watched.topic.clone()).collect();
    let pruned_until = store.pruned_until().await?.unwrap_or(period.from);
    let mut searches: HashMap<String, Vec<RunSearch>> = HashMap::new();
    let filter = Filter { topics, since: Some(period.from), ..Filter::default() };
    store
        .each_run_search::<StoreError>(&filter, &mut |search| {
            if !search.is_ahead(period.until) {
                searches.entry(search.topic.clone()).or_default().push(search);
            }
            Ok(())
        })
        .await?;
    for watched in watched_topics {
        let mut watched = (*watched).clone();
        watched.forget_before(pruned_until);
        let searches = without_wrong_times(searches.remove(&watched.topic).unwrap_or_default());
        for source in source_coverage(&watched, &searches, period, |_| true) {
            if let Coverage::Spans { holes_ms, .. } = source.coverage {
                seconds.push((watched.topic.clone(), source.source.to_string(), holes_ms / 1_000));
            }
        }
    }
    Ok(())
}
