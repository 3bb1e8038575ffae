//! The call of one source: counted before it is made, and ended when the run must end. `search_outcome` describes how a
//! search ended; `ingest` reads the reply.

use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use tokio_util::task::TaskTracker;

use super::limits::refused::{ProviderRefusals, not_retried};
use super::outcome::search_outcome::{
    self, Fetched, abandoned, answered, failed, left_out, not_run, operation, settle, unconfigured, words,
};
use super::providers::provider::ProviderState;
use super::{Collector, Stop};
use crate::model::{
    Budget, LimitExceeded, LookBackKind, Micros, ProviderKind, SearchState, ServiceLimits, Source, Time,
};
use crate::search::{self, CallFailure, ErrorClass, Gate, Refusal, SearchQuery, Spent};
use crate::store::{Call, Permission, RunRef, Store, StoreError, StoreErrorKind};

/// The gate of a search: counts each try in the ledger before it is made.
pub(super) struct CallGate {
    store: Store,
    run: RunRef,
    call: Call,
    clock: crate::model::Clock,
    limits: ServiceLimits,
    /// Which daily limit is used up, if that was the reason for a refusal.
    pub(super) exhausted: Arc<Mutex<Option<LimitExceeded>>>,
    /// Refusals that other searches may have met while this one waited.
    refusals: Arc<ProviderRefusals>,
    /// Tries that were counted; each may be billed.
    pub(super) tries_made: Arc<AtomicU32>,
    /// The cost of the failed tries.
    pub(super) failed: Mutex<FailedTries>,
    /// When the last of them was made.
    pub(super) sent_at: Arc<AtomicI64>,
    /// Tracks counting in progress: a caller that drops the call must wait for it.
    pub(super) counting: TaskTracker,
}

/// The tries of a search that failed.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct FailedTries {
    tries: u32,
    spent: Spent,
    /// The counted money that they did not spend. The next try is counted for less.
    credit: Micros,
}

impl CallGate {
    fn failed_tries(&self) -> FailedTries {
        self.failed.lock().map(|failed| *failed).unwrap_or_default()
    }

    /// Returns the source that is called.
    pub(super) fn source(&self) -> Source {
        self.call.source
    }

    /// Whether every call goes to the provider's own server. Feeds may each be on another one, and remember its wait.
    pub(super) fn is_on_one_server(&self) -> bool {
        ProviderKind::named(self.call.operation).is_none_or(|kind| kind.reach != LookBackKind::Feed)
    }

    /// Returns the cost of all tries except this many answered ones: the known cost of failed tries; the cost of open
    /// tries is unknown.
    pub(super) fn spent_beside(&self, answered: u32) -> Spent {
        let (failed, made) = (self.failed_tries(), self.tries_made.load(Ordering::Relaxed));
        let open = made.saturating_sub(failed.tries).saturating_sub(answered);
        Spent { unknown: failed.spent.unknown.saturating_add(open), ..failed.spent }
    }

    /// Returns the credit for the next try: money counted for failed tries and not spent.
    fn take_credit(&self) -> Micros {
        let Ok(mut failed) = self.failed.lock() else { return Micros(0) };
        let credit = failed.credit.min(self.call.price);
        failed.credit = Micros(failed.credit.0 - credit.0);
        credit
    }

    fn return_credit(&self, credit: Micros) {
        if let Ok(mut failed) = self.failed.lock() {
            failed.credit = failed.credit.plus(credit);
        }
    }
}

impl Gate for CallGate {
    fn failed(&self, cost: Spent) {
        let Ok(mut failed) = self.failed.lock() else { return };
        failed.tries = failed.tries.saturating_add(1);
        failed.spent.billed = failed.spent.billed.plus(cost.billed);
        failed.spent.unknown = failed.spent.unknown.saturating_add(cost.unknown);
        let unspent = self.call.price.0.saturating_sub(cost.counted(self.call.price).0).max(0);
        failed.credit = failed.credit.plus(Micros(unspent));
    }

    fn allows(&self) -> Result<(), Refusal> {
        let refused = self.refusals.at(self.call.source, (self.clock)());
        refused.map_or(Ok(()), |refused| Err(Refusal::new(refused.text)))
    }

    async fn before(&self, _attempt: u32) -> Result<(), Refusal> {
        self.allows()?;
        // Run it in its own task: the caller may drop this future at any moment, but a transaction must not be dropped.
        let (store, run, call, now, limits) =
            (self.store.clone(), self.run.clone(), self.call.clone(), (self.clock)(), self.limits);
        let credit = self.take_credit();
        let call = Call { price: Micros(call.price.0 - credit.0), ..call };
        let (tries_made, sent_at) = (Arc::clone(&self.tries_made), Arc::clone(&self.sent_at));
        let counted = self.counting.spawn(async move {
            let mut permission = store.before_call(&run, &call, now, limits).await?;
            if let Permission::OverQuota(what) = &mut permission {
                let assumed = assumed_part(&store, what.budget, &run.topic.id, call.source, now.utc_day()).await;
                // Without it the refusal says less, but it still applies.
                what.assumed = assumed.unwrap_or_default().min(Micros(what.used));
            }
            if permission == Permission::Granted {
                tries_made.fetch_add(1, Ordering::Relaxed);
                sent_at.store(now.0, Ordering::Relaxed);
            }
            Ok::<_, StoreError>(permission)
        });
        let counted = counted.await;
        match counted {
            Ok(Ok(Permission::Granted)) => {
                crate::failpoint::at_of("call/counted", &self.run.topic.id);
                Ok(())
            }
            Ok(Ok(Permission::OverQuota(what))) => {
                self.return_credit(credit);
                if let Ok(mut exhausted) = self.exhausted.lock() {
                    *exhausted = Some(what);
                }
                Err(Refusal::over_quota(what.to_string()))
            }
            Ok(Err(error)) => Err(Refusal::from_error(error)),
            // Not a search that was left out: this fails the run, which is tried again.
            Err(ended) => Err(Refusal::from_error(StoreError::new(
                StoreErrorKind::Statement,
                format!("counting a call of run {} crashed: {ended}", self.run.public_id),
                "please report this bug; the run is retried when its lease expires",
            ))),
        }
    }
}

impl Collector {
    pub(super) async fn fetch(
        &self,
        run: &RunRef,
        source: Source,
        search_query: &SearchQuery,
        seen_at: Time,
        stop: &Stop,
    ) -> Result<Fetched, StoreError> {
        if stop.cancel.is_cancelled() {
            return Ok(not_run(source, search_query, search_outcome::INTERRUPTED));
        }
        let Some(served) = self.served(source) else { return Ok(unconfigured(source, search_query)) };
        if let Some(refused) = served.refused_at(source, self.now()) {
            return Ok(left_out(source, search_query, refused));
        }
        let request = match search::request(self.settings.dialect, &self.settings.platform, search_query, seen_at) {
            Ok(request) => request,
            Err(unsupported) => {
                let mut fetched = not_run(source, search_query, "unsupported");
                fetched.result.state = SearchState::Error;
                fetched.result.error = Some((ErrorClass::BadRequest.as_str().to_owned(), unsupported.message));
                fetched.hint = Some(unsupported.hint);
                return Ok(fetched);
            }
        };
        let price = self.settings.prices.of(source);
        let call = Call { source, operation: operation(search_query), query: words(search_query), price };
        let gate = self.ledger(run, call, served);
        let called = tokio::select! {
            // In this order, so that a permit freed by an interrupt is not used for another call.
            biased;
            () = stop.cancel.cancelled() => Err((SearchState::Lost, search_outcome::INTERRUPTED)),
            () = tokio::time::sleep_until(stop.deadline) => Err((SearchState::Error, search::RUN_TIMEOUT)),
            called = served.client.call(&request, &gate, &*self.random, &*self.clock) => Ok(called),
        };
        crate::failpoint::at_of("call/replied", &run.topic.id);
        let sent_at = || {
            let was_tried = gate.tries_made.load(Ordering::Relaxed) > 0;
            was_tried.then(|| Time(gate.sent_at.load(Ordering::Relaxed)))
        };
        let called = match called {
            Ok(called) => called,
            Err((state, why)) => {
                // A call that waits for its permit cost nothing. One that is being counted may already be on record.
                gate.counting.close();
                gate.counting.wait().await;
                let mut fetched = match gate.tries_made.load(Ordering::Relaxed) {
                    0 if state == SearchState::Lost => not_run(source, search_query, why),
                    _ => abandoned(source, search_query, (gate.spent_beside(0), price), state, why),
                };
                fetched.sent_at = sent_at();
                return Ok(fetched);
            }
        };
        if let Err(CallFailure::Refused(refusal)) = &called
            && let Some(error) = refusal.cause.as_ref().and_then(|cause| cause.downcast_ref::<StoreError>())
        {
            // The run has no result, and its slot stays open.
            return Err(error.clone());
        }
        let mut fetched = match called {
            Ok(reply) => {
                answered(source, search_query, price, request, reply, self.settings.dialect.as_str(), &self.packer)
            }
            Err(CallFailure::Refused(refusal)) => {
                let refused = served.refused_at(source, self.now()).filter(|_| !refusal.over_quota);
                let mut fetched = match (refused, refusal.tried.filter(|_| !refusal.over_quota)) {
                    (refused, Some(error)) => {
                        failed(source, search_query, price, not_retried(&error, refused, &refusal.text))
                    }
                    (Some(refused), None) => left_out(source, search_query, refused),
                    (None, None) => not_run(source, search_query, &refusal.text),
                };
                if refusal.over_quota {
                    fetched.result.state = SearchState::OverQuota;
                    let exhausted = gate.exhausted.lock().ok().and_then(|exhausted| *exhausted);
                    fetched.result.clears_at = exhausted.and_then(|what| what.clears_at);
                    fetched.hint = exhausted.map(|what| what.hint());
                }
                // Tries before the refused one may have been billed.
                settle(&mut fetched.result, gate.spent_beside(0), price);
                fetched
            }
            Err(CallFailure::Error(error)) => {
                served.learn(source, &error, self.now(), true);
                failed(source, search_query, price, *error)
            }
        };
        fetched.sent_at = sent_at();
        Ok(fetched)
    }

    /// Returns the gate that is asked before each try of a search.
    pub(super) fn ledger(&self, run: &RunRef, call: Call, served: &ProviderState) -> CallGate {
        CallGate {
            store: self.store.clone(),
            run: run.clone(),
            call,
            clock: self.clock.clone(),
            limits: served.limits,
            exhausted: Arc::default(),
            refusals: served.refusals(),
            tries_made: Arc::default(),
            failed: Mutex::default(),
            sent_at: Arc::default(),
            counting: TaskTracker::new(),
        }
    }
}

/// Returns how much of the money of a used-up budget no bill confirms.
async fn assumed_part(
    store: &Store,
    budget: Budget,
    topic: &str,
    source: Source,
    day: i64,
) -> Result<Micros, StoreError> {
    Ok(match budget {
        Budget::ServiceCalls | Budget::TopicCalls => Micros(0),
        Budget::TopicMoney => store.assumed_of_topic(topic, day, day).await?.into_values().next().unwrap_or_default(),
        // Of the provider that refused: its budget is named like the service's.
        Budget::ServiceMoney | Budget::ProviderMoney => {
            let used = store.usage_by_provider(day).await?;
            let own = if source.is_service() { used.service } else { used.of(source) };
            own.cost.assumed
        }
    })
}

/// Whether a store error means only that this process no longer holds the run.
pub(super) fn is_fenced(error: &StoreError) -> bool {
    error.kind == StoreErrorKind::Fenced
}
