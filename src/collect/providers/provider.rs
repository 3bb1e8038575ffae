//! A provider as runs use it: its client, its limits, its refusals, and its share of the limits
//! common to all processes. The search service is one of them.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::budget::Price;
use crate::collect::limits::refused::{ProviderRefusal, ProviderRefusals};
use crate::collect::limits::shared_limits;
use crate::collect::outcome::search_outcome::Fetched;
use crate::model::{Answer, Clock, Finding, LookBack, ProviderQuery, Remembered, ServiceLimits, Source, Time};
use crate::search::kinds::PromptItem;
use crate::search::{CallError, Client, SearchQuery};
use crate::store::Store;

/// The data needed to ask a provider.
#[derive(Debug)]
pub struct Provider {
    pub name: Source,
    pub client: Client,
    /// Calls and money per UTC day.
    pub limits: ServiceLimits,
    pub price: Price,
    /// Whether it needs no login, so that a refusal concerns one call and not a key.
    pub open: bool,
}

/// A provider in use.
pub(in crate::collect) struct ProviderState {
    pub(in crate::collect) client: Client,
    pub(in crate::collect) limits: ServiceLimits,
    /// Price of the calls of a provider other than the search service.
    pub(in crate::collect) price: Price,
    open: bool,
    /// Shared with the provider from before a reload, which runs in progress still call.
    refusals: Mutex<Arc<ProviderRefusals>>,
    /// Its limits over all processes; `None` for the embedded sandbox, which no other process uses.
    shared: Option<Arc<shared_limits::SharedLimits>>,
}

impl ProviderState {
    pub(in crate::collect) fn new(
        store: &Store,
        clock: &Clock,
        provider: Provider,
        sandbox: bool,
        lease: Duration,
    ) -> Self {
        let Provider { client, limits, price, open, .. } = provider;
        let shared =
            (!sandbox).then(|| shared_limits::SharedLimits::new(store.clone(), Arc::clone(clock), &client, lease));
        let client = match &shared {
            Some(shared) => client.with_pace(Arc::new(shared_limits::SharedPace(Arc::clone(shared)))),
            None => client,
        };
        Self { client, limits, price, open, refusals: Mutex::default(), shared }
    }

    /// Keeps the refusals from before a reload, unless the reload changed the address or the login.
    pub(in crate::collect) fn share_refusals(&self, before: &Self) {
        if self.client.has_access_of(&before.client) {
            let shared = before.refusals();
            *self.refusals.lock().unwrap_or_else(PoisonError::into_inner) = shared;
        }
    }

    /// Returns the refusals, which other searches may still add to.
    pub(in crate::collect) fn refusals(&self) -> Arc<ProviderRefusals> {
        Arc::clone(&self.refusals.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the refusal that every call of a source would meet now.
    pub(in crate::collect) fn refused_at(&self, source: Source, now: Time) -> Option<ProviderRefusal> {
        self.refusals().at(source, now)
    }

    /// Stops calls for a while after an error that every further call would meet, if they are all `on_one_server`.
    pub(in crate::collect) fn learn(&self, source: Source, error: &CallError, now: Time, on_one_server: bool) {
        if on_one_server {
            self.refusals().learn(source, error, now, !self.open);
        }
    }

    /// Gives back what this process holds of the limits.
    pub(in crate::collect) async fn release(&self) {
        if let Some(shared) = &self.shared {
            shared.end().await;
        }
    }
}

/// A query to a provider.
pub(in crate::collect) struct ProviderQueryContext<'a> {
    pub(in crate::collect) source: Source,
    pub(in crate::collect) ask: &'a SearchQuery,
    pub(in crate::collect) query: &'a ProviderQuery,
    pub(in crate::collect) over: LookBack,
    /// Why the span is not the topic's window, if it is not.
    pub(in crate::collect) why: Option<&'a str>,
    /// New items of the run, for a provider that writes about them.
    pub(in crate::collect) items: &'a [PromptItem],
}

/// The result of a query.
pub(in crate::collect) struct ProviderAnswer {
    pub(in crate::collect) fetched: Fetched,
    pub(in crate::collect) findings: Vec<Finding>,
    pub(in crate::collect) answer: Option<Answer>,
    pub(in crate::collect) memory: Vec<Remembered>,
}

impl From<Fetched> for ProviderAnswer {
    fn from(fetched: Fetched) -> Self {
        Self { fetched, findings: Vec::new(), answer: None, memory: Vec::new() }
    }
}
