//! A provider as runs use it: its client, its limits, what a refusal taught about it, and its part of the limits that all
//! processes share. The search service is one of them.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::refused::Refused;
use super::search_outcome::Fetched;
use super::{REFUSED_FOR, pace};
use crate::budget::Price;
use crate::model::{Answer, Clock, Finding, LookBack, ProviderQuery, Remembered, ServiceLimits, Source, Time};
use crate::search::kinds::GivenItem;
use crate::search::{Ask, CallError, Client, Reach};
use crate::store::Store;

/// What is needed to ask a provider beside the search service.
#[derive(Debug)]
pub struct Provider {
    pub name: Source,
    pub client: Client,
    /// Calls and money in a UTC day.
    pub limits: ServiceLimits,
    pub price: Price,
    /// Whether it lets everybody in, so that a refusal is about one call and not about a key.
    pub open: bool,
}

/// A provider in use.
pub(super) struct Served {
    pub(super) client: Client,
    pub(super) limits: ServiceLimits,
    /// What the calls of a provider beside the search service cost.
    pub(super) price: Price,
    open: bool,
    pub(super) refused: Arc<Mutex<Option<Refused>>>,
    /// Its limits over all processes; the embedded sandbox is nobody else's.
    shared: Option<Arc<pace::Shared>>,
}

impl Served {
    pub(super) fn new(store: &Store, clock: &Clock, provider: Provider, sandbox: bool, lease: Duration) -> Self {
        let Provider { client, limits, price, open, .. } = provider;
        let shared = (!sandbox).then(|| pace::Shared::new(store.clone(), Arc::clone(clock), &client, lease));
        let client = match &shared {
            Some(shared) => client.paced_by(Arc::new(pace::SharedPace(Arc::clone(shared)))),
            None => client,
        };
        Self { client, limits, price, open, refused: Arc::default(), shared }
    }

    /// The refusal that every call of it would meet now.
    pub(super) fn refused_at(&self, now: Time) -> Option<Refused> {
        Refused::at(now, &self.refused)
    }

    /// Makes no calls for a while after a refusal that every further call would meet.
    pub(super) fn learn(&self, error: &CallError, now: Time) {
        if error.reach == Reach::Service
            && !self.open
            && let Ok(mut refused) = self.refused.lock()
        {
            *refused = Some(Refused {
                class: error.class.as_str(),
                text: error.text.clone(),
                hint: error.hint.clone(),
                until: now.plus(REFUSED_FOR),
            });
        }
    }

    /// Gives back what this process holds of its limits.
    pub(super) async fn rest(&self) {
        if let Some(shared) = &self.shared {
            shared.end().await;
        }
    }
}

/// A question to a provider.
pub(super) struct Asking<'a> {
    pub(super) source: Source,
    pub(super) ask: &'a Ask,
    pub(super) query: &'a ProviderQuery,
    pub(super) over: LookBack,
    /// Why it is not the topic's window, if so.
    pub(super) why: Option<&'a str>,
    /// New items of the run, for a provider that writes about them.
    pub(super) items: &'a [GivenItem],
}

/// What came of it.
pub(super) struct Answered {
    pub(super) fetched: Fetched,
    pub(super) findings: Vec<Finding>,
    pub(super) answer: Option<Answer>,
    pub(super) memory: Vec<Remembered>,
}

impl From<Fetched> for Answered {
    fn from(fetched: Fetched) -> Self {
        Self { fetched, findings: Vec::new(), answer: None, memory: Vec::new() }
    }
}
