//! A provider as runs use it: its client, its limits, its last refusal, and its share of the limits
//! common to all processes. The search service is one of them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::refused::{LONGEST_WAIT, ProviderRefusal, SHORT_WAIT};
use super::search_outcome::Fetched;
use super::{REFUSED_FOR, shared_limits};
use crate::budget::Price;
use crate::model::{Answer, Clock, Finding, LookBack, ProviderQuery, Remembered, ServiceLimits, Source, Time};
use crate::search::kinds::PromptItem;
use crate::search::{CallError, Client, FailureScope, SearchQuery};
use crate::store::Store;

/// What is needed to ask a provider.
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
pub(super) struct ProviderState {
    pub(super) client: Client,
    pub(super) limits: ServiceLimits,
    /// Price of the calls of a provider other than the search service.
    pub(super) price: Price,
    open: bool,
    pub(super) refused: Arc<Mutex<Option<ProviderRefusal>>>,
    /// By source, because a service limits its calls separately.
    waits: Mutex<BTreeMap<Source, ProviderRefusal>>,
    /// Its limits over all processes; `None` for the embedded sandbox, which no other process uses.
    shared: Option<Arc<shared_limits::SharedLimits>>,
}

impl ProviderState {
    pub(super) fn new(store: &Store, clock: &Clock, provider: Provider, sandbox: bool, lease: Duration) -> Self {
        let Provider { client, limits, price, open, .. } = provider;
        let shared =
            (!sandbox).then(|| shared_limits::SharedLimits::new(store.clone(), Arc::clone(clock), &client, lease));
        let client = match &shared {
            Some(shared) => client.with_pace(Arc::new(shared_limits::SharedPace(Arc::clone(shared)))),
            None => client,
        };
        Self { client, limits, price, open, refused: Arc::default(), waits: Mutex::default(), shared }
    }

    /// Returns the refusal that every call of a source would meet now.
    pub(super) fn refused_at(&self, source: Source, now: Time) -> Option<ProviderRefusal> {
        ProviderRefusal::at(now, &self.refused).or_else(|| {
            let waits = self.waits.lock().ok()?;
            waits.get(&source).filter(|wait| now < wait.until).cloned()
        })
    }

    /// Stops calls for a while after a refusal that every further call would meet.
    pub(super) fn learn(&self, source: Source, error: &CallError, now: Time) {
        if let Some(at) = error.not_before.filter(|at| at.since(now) > SHORT_WAIT)
            && !self.open
            && let Ok(mut waits) = self.waits.lock()
        {
            let until = at.min(now.plus(LONGEST_WAIT));
            let text = format!("not called, the service asked to wait until {at}: {}", error.text);
            let (class, hint) = (error.class.as_str(), error.hint.clone());
            waits.insert(source, ProviderRefusal { class, text, hint, until });
        }
        if error.reach == FailureScope::Service
            && !self.open
            && let Ok(mut refused) = self.refused.lock()
        {
            *refused = Some(ProviderRefusal {
                class: error.class.as_str(),
                text: error.text.clone(),
                hint: error.hint.clone(),
                until: now.plus(REFUSED_FOR),
            });
        }
    }

    /// Gives back what this process holds of the limits.
    pub(super) async fn release(&self) {
        if let Some(shared) = &self.shared {
            shared.end().await;
        }
    }
}

/// A query to a provider.
pub(super) struct ProviderQueryContext<'a> {
    pub(super) source: Source,
    pub(super) ask: &'a SearchQuery,
    pub(super) query: &'a ProviderQuery,
    pub(super) over: LookBack,
    /// Why the span is not the topic's window, if it is not.
    pub(super) why: Option<&'a str>,
    /// New items of the run, for a provider that writes about them.
    pub(super) items: &'a [PromptItem],
}

/// The result of a query.
pub(super) struct ProviderAnswer {
    pub(super) fetched: Fetched,
    pub(super) findings: Vec<Finding>,
    pub(super) answer: Option<Answer>,
    pub(super) memory: Vec<Remembered>,
}

impl From<Fetched> for ProviderAnswer {
    fn from(fetched: Fetched) -> Self {
        Self { fetched, findings: Vec::new(), answer: None, memory: Vec::new() }
    }
}
