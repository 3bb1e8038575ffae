//! The call of one source: counted before it is made, kept as it came, ended when the run must end. What its reply says
//! is `absorb`'s.

use std::io::Write as _;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use tokio_util::task::TaskTracker;

use super::{Collector, REFUSED_FOR, Refused, Settings, Stop, absorb};
use crate::model::{Answer, Finding, Micros, SearchState, Source, Time, Window};
use crate::search::{self, Ask, CallError, CallFailure, ErrorClass, Gate, RawReply, Reach, Refusal, Request};
use crate::store::{Call, Permission, RawRecord, RunRef, SearchResult, Store, StoreError, StoreErrorKind};

/// Bytes of a reply that are kept; the rest of a longer one is cut.
const RAW_KEPT: usize = 4 * 1024 * 1024;

/// Why a search did not run, or ended, when the process was asked to stop.
pub(super) const INTERRUPTED: &str = "interrupted";

/// A sandbox at an address of its own is known by this header.
const SANDBOX_HEADER: &str = "x-topicwatch-sandbox";

/// A search that ended, one way or another, with the reply that is still to be read.
pub(super) struct Fetched {
    pub(super) result: SearchResult,
    pub(super) hint: Option<String>,
    /// The reply says that a sandbox made it.
    pub(super) invented: bool,
    reply: Option<(Request, RawReply)>,
}

/// Asks the ledger before each try.
struct Ledger {
    store: Store,
    run: RunRef,
    call: Call,
    clock: crate::model::Clock,
    max_per_day: u32,
    /// What the store said when it failed; the gate itself can only refuse.
    broken: Arc<Mutex<Option<StoreError>>>,
    /// What another search may have learned while this one waited for its place.
    refused: Arc<Mutex<Option<Refused>>>,
    /// Tries that were counted, each of which may be billed.
    made: Arc<AtomicU32>,
    /// Counting under way: whoever drops the call waits for it.
    counting: TaskTracker,
}

impl Gate for Ledger {
    async fn before(&self, _attempt: u32) -> Result<(), Refusal> {
        if let Some(refused) = Refused::at((self.clock)(), &self.refused) {
            return Err(Refusal { over_quota: false, text: refused.text });
        }
        // In a task of its own: the caller may drop this future at any moment, and a transaction must not be.
        let (store, run, call, now, max) =
            (self.store.clone(), self.run.clone(), self.call.clone(), (self.clock)(), self.max_per_day);
        let made = Arc::clone(&self.made);
        let counted = self.counting.spawn(async move {
            let permission = store.before_call(&run, &call, now, max).await?;
            if permission == Permission::Granted {
                made.fetch_add(1, Ordering::Relaxed);
            }
            Ok::<_, StoreError>(permission)
        });
        let counted = counted.await;
        let refused = |text: String| Refusal { over_quota: false, text };
        match counted {
            Ok(Ok(Permission::Granted)) => Ok(()),
            Ok(Ok(Permission::OverQuota)) => Err(Refusal {
                over_quota: true,
                text: format!("the {} calls of this UTC day are used up", self.max_per_day),
            }),
            Ok(Err(error)) => {
                let text = error.to_string();
                if let Ok(mut broken) = self.broken.lock() {
                    *broken = Some(error);
                }
                Err(refused(text))
            }
            Err(ended) => Err(refused(format!("counting the call failed: {ended}"))),
        }
    }
}

impl Collector {
    pub(super) async fn fetch(
        &self,
        run: &RunRef,
        source: Source,
        ask: &Ask,
        seen_at: Time,
        stop: &Stop,
    ) -> Result<Fetched, StoreError> {
        if stop.cancel.is_cancelled() {
            return Ok(not_run(source, ask, INTERRUPTED));
        }
        if let Some(refused) = self.refused_now() {
            return Ok(left_out(source, ask, refused));
        }
        let request = match search::request(self.settings.dialect, &self.settings.platform, ask, seen_at) {
            Ok(request) => request,
            Err(unsupported) => {
                let mut fetched = not_run(source, ask, "unsupported");
                fetched.result.state = SearchState::Error;
                fetched.result.error = Some((ErrorClass::BadRequest.as_str().to_owned(), unsupported.message));
                fetched.hint = Some(unsupported.hint);
                return Ok(fetched);
            }
        };
        let price = self.settings.prices.of(source);
        let call = Call { source, operation: operation(ask), query: words(ask).to_owned(), price };
        let gate = Ledger {
            store: self.store.clone(),
            run: run.clone(),
            call,
            clock: self.clock.clone(),
            max_per_day: self.settings.max_calls_per_day,
            broken: Arc::default(),
            refused: Arc::clone(&self.refused),
            made: Arc::default(),
            counting: TaskTracker::new(),
        };
        let called = tokio::select! {
            // In this order, so that a place that an interrupt frees is not taken for another call.
            biased;
            () = stop.cancel.cancelled() => Err((SearchState::Lost, INTERRUPTED)),
            () = tokio::time::sleep_until(stop.deadline) => Err((SearchState::Error, "the run's timeout was reached")),
            called = self.client.call(&request, &gate, &*self.random, &*self.clock) => Ok(called),
        };
        let called = match called {
            Ok(called) => called,
            Err((state, why)) => {
                // A call that waits for its place has cost nothing; one that is being counted may be on record already.
                gate.counting.close();
                gate.counting.wait().await;
                return Ok(match gate.made.load(Ordering::Relaxed) {
                    0 if state == SearchState::Lost => not_run(source, ask, why),
                    made => given_up(source, ask, price.times(i64::from(made)), state, why),
                });
            }
        };
        if let Some(error) = gate.broken.lock().ok().and_then(|mut b| b.take()) {
            return Err(error);
        }
        Ok(match called {
            Ok(reply) => answered(source, ask, price, request, reply, self.settings.dialect.as_str()),
            Err(CallFailure::Refused(refusal, tries)) => {
                let mut fetched = match self.refused_now().filter(|_| !refusal.over_quota) {
                    Some(refused) => left_out(source, ask, refused),
                    None => not_run(source, ask, &refusal.text),
                };
                if refusal.over_quota {
                    fetched.result.state = SearchState::OverQuota;
                    fetched.hint = Some(
                        "it clears at midnight UTC; raise [service] max_calls_per_day if that is what you want".into(),
                    );
                }
                // Tries before the one that was refused may have been billed.
                charge(&mut fetched.result, price.times(i64::from(tries)));
                fetched
            }
            Err(CallFailure::Error(error)) => {
                self.learn(&error);
                failed(source, ask, price, error)
            }
        })
    }

    pub(super) fn refused_now(&self) -> Option<Refused> {
        Refused::at(self.now(), &self.refused)
    }

    fn learn(&self, error: &CallError) {
        if error.reach == Reach::Service
            && let Ok(mut refused) = self.refused.lock()
        {
            *refused = Some(Refused {
                class: error.class.as_str(),
                text: error.text.clone(),
                hint: error.hint.clone(),
                until: self.now().plus(REFUSED_FOR),
            });
        }
    }
}

/// A search that was not made.
pub(super) fn not_run(source: Source, ask: &Ask, reason: &str) -> Fetched {
    let result = SearchResult {
        source,
        operation: operation(ask),
        query: words(ask).to_owned(),
        state: SearchState::NotRun,
        reason: Some(reason.to_owned()),
        http_status: None,
        latency_ms: None,
        unreadable: 0,
        saturated: false,
        cost: Micros(0),
        cost_basis: "none",
        error: None,
        raw: None,
    };
    Fetched { result, hint: None, invented: false, reply: None }
}

/// A search that was not made because every call would be refused.
fn left_out(source: Source, ask: &Ask, refused: Refused) -> Fetched {
    let mut fetched = not_run(source, ask, refused.class);
    fetched.result.error = Some((refused.class.to_owned(), refused.text));
    fetched.hint = Some(refused.hint);
    fetched
}

/// A call that was under way, or waited for its place, when the run had to end; every try of it may be billed.
fn given_up(source: Source, ask: &Ask, cost: Micros, state: SearchState, why: &str) -> Fetched {
    let mut fetched = not_run(source, ask, why);
    fetched.result.state = state;
    fetched.result.reason = None;
    fetched.result.error = Some((ErrorClass::Timeout.as_str().to_owned(), why.to_owned()));
    charge(&mut fetched.result, cost);
    fetched
}

fn failed(source: Source, ask: &Ask, price: Micros, error: CallError) -> Fetched {
    let mut fetched = not_run(source, ask, "");
    let result = &mut fetched.result;
    result.state = SearchState::Error;
    result.reason = None;
    result.http_status = error.status;
    result.latency_ms = millis(error.latency);
    match error.cost {
        Some(cost) => (result.cost, result.cost_basis) = (cost, "billed"),
        // Answered with an error: not billed. Not answered: nobody knows, so it counts, every try of it.
        None if error.status.is_some_and(|status| status >= 300) => {}
        None => charge(result, price.times(i64::from(error.tries))),
    }
    result.error = Some((error.class.as_str().to_owned(), error.text));
    fetched.hint = Some(error.hint).filter(|hint| !hint.is_empty());
    fetched
}

fn answered(
    source: Source,
    ask: &Ask,
    price: Micros,
    request: Request,
    reply: RawReply,
    dialect: &'static str,
) -> Fetched {
    let mut fetched = not_run(source, ask, "");
    let result = &mut fetched.result;
    result.state = SearchState::Ok;
    result.reason = None;
    result.http_status = Some(reply.status);
    result.latency_ms = millis(reply.latency);
    match reply.cost {
        Some(cost) => (result.cost, result.cost_basis) = (cost, "billed"),
        None => charge(result, price),
    }
    result.raw = keep(&request, &reply, dialect);
    fetched.invented = reply.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case(SANDBOX_HEADER));
    fetched.reply = Some((request, reply));
    fetched
}

fn charge(result: &mut SearchResult, cost: Micros) {
    if cost > Micros(0) {
        (result.cost, result.cost_basis) = (cost, "assumed");
    }
}

/// The reply as it came, compressed; `None` when there was nothing.
fn keep(request: &Request, reply: &RawReply, dialect: &'static str) -> Option<RawRecord> {
    let kept = reply.body.get(..RAW_KEPT).unwrap_or(&reply.body);
    let mut gzip = flate2::write::GzEncoder::new(Vec::with_capacity(kept.len() / 4), flate2::Compression::fast());
    gzip.write_all(kept).ok()?;
    Some(RawRecord {
        request: serde_json::to_string(request).ok()?,
        dialect,
        headers: serde_json::to_string(&reply.headers).ok()?,
        body: gzip.finish().ok()?,
        bytes: i64::try_from(reply.body.len()).unwrap_or(i64::MAX),
        truncated: kept.len() < reply.body.len(),
    })
}

impl Fetched {
    /// Reads the reply, if there is one, adds what it holds to the run, and settles the search's state.
    pub(super) fn absorbed(
        mut self,
        seen_at: Time,
        window: Window,
        settings: &Settings,
        findings: &mut Vec<Finding>,
        answer: &mut Option<Answer>,
    ) -> Self {
        let Some((request, reply)) = self.reply.take() else { return self };
        let result = &mut self.result;
        let context = absorb::Reading {
            source: result.source,
            seen_at,
            window,
            platform: &settings.platform,
            streaming: request.streaming,
            limit: request.limit,
        };
        match absorb(&reply.body, &context) {
            Ok(absorbed) => {
                if let (Some(cost), "assumed") = (absorbed.cost, result.cost_basis) {
                    (result.cost, result.cost_basis) = (cost, "billed");
                }
                result.unreadable = absorbed.unreadable;
                result.saturated = absorbed.saturated;
                if absorbed.findings.is_empty() && absorbed.answer.is_none() {
                    result.state = SearchState::Empty;
                }
                if let Some((class, text)) = absorbed.failure {
                    result.state = SearchState::Error;
                    result.error = Some((class.as_str().to_owned(), text));
                    self.hint = Some("what came before is stored; the next run asks again".into());
                }
                findings.extend(absorbed.findings);
                if absorbed.answer.is_some() {
                    *answer = absorbed.answer;
                }
            }
            Err(error) => {
                result.state = SearchState::Error;
                result.error = Some((error.class.as_str().to_owned(), error.text));
                self.hint = Some(error.hint);
            }
        }
        self
    }
}

fn operation(ask: &Ask) -> &'static str {
    match ask {
        Ask::Social(query, _) => query.operation.as_str(),
        Ask::Web(query) => query.operation.as_str(),
        Ask::Ai(..) => "search",
    }
}

fn words(ask: &Ask) -> &str {
    match ask {
        Ask::Social(query, _) => &query.query,
        Ask::Web(query) => &query.query,
        Ask::Ai(query, _) => &query.prompt,
    }
}

fn millis(duration: std::time::Duration) -> Option<i64> {
    i64::try_from(duration.as_millis()).ok()
}

/// Whether a store failure means only that this run is no longer ours.
pub(super) fn is_fenced(error: &StoreError) -> bool {
    error.kind == StoreErrorKind::Fenced
}
