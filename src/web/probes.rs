//! What programs ask of a process: is it alive (`/healthz`), can it work (`/readyz`), how much of everything (`/metrics`). The
//! first two are answered to whoever asks and tell no content; the last is for who may see the pages.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde_json::json;
use tokio::sync::Semaphore;

use super::layout;
use super::problem::Problem;
use super::server::App;
use crate::metrics::CONTENT_TYPE;
use crate::store::{Settings, Store, StoreError, StoreErrorKind};

/// Paths that are answered without a token.
pub(super) const OPEN: [&str; 2] = ["/healthz", "/readyz"];

/// How long the database may take before this process is not ready.
const SOON: Duration = Duration::from_secs(2);
/// How long an answer of the database is told again: nobody can keep it busy by asking.
const KEPT: Duration = Duration::from_secs(1);

/// Whether the loop goes round. It touches no database: one that is away is no reason to start the process anew.
pub(super) async fn healthz(State(app): State<App>) -> Response {
    let Some(beat) = &app.site.process_status.beat else {
        return response(&[
            ("process", None, json!({})),
            ("scheduler", None, json!({ "output": "not in this process" })),
        ]);
    };
    let (ago, _) = beat.last();
    let why = beat
        .is_late()
        .then(|| format!("the loop stands still: at most {} s may pass between two ticks", beat.patience().as_secs()));
    let observed = json!({ "observedValue": ago.as_secs(), "observedUnit": "s" });
    response(&[("process", None, json!({})), ("scheduler", why, observed)])
}

/// Whether the database can be reached and has the tables of this version.
pub(super) async fn readyz(State(app): State<App>) -> Response {
    let ready = tokio::time::timeout(SOON, app.site.ready.ask()).await;
    let why = ready.unwrap_or(Some("does not answer in time"));
    response(&[("database", why.map(str::to_owned), json!({}))])
}

/// A small answer in the way of `application/health+json` (draft-inadarei-api-health-check-06): what was checked, and what is
/// wrong with it.
fn response(checks: &[(&str, Option<String>, serde_json::Value)]) -> Response {
    let mut list = serde_json::Map::new();
    for (name, why, observed) in checks {
        let mut check = json!({ "status": if why.is_some() { "fail" } else { "pass" } });
        for (key, value) in observed.as_object().into_iter().flatten() {
            check[key] = value.clone();
        }
        if let Some(why) = why {
            check["output"] = json!(why);
        }
        list.insert((*name).to_owned(), json!([check]));
    }
    let good = checks.iter().all(|(_, why, _)| why.is_none());
    let status = if good { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let body = Json(json!({ "status": if good { "pass" } else { "fail" }, "checks": list }));
    (status, [(header::CONTENT_TYPE, "application/health+json")], body).into_response()
}

/// Figures in Prometheus' text format.
pub(super) async fn metrics(State(app): State<App>) -> Response {
    let site = &app.site;
    match site.metrics.text(site.settings().limits, site.version(), site.now()).await {
        Ok(text) => ([(header::CONTENT_TYPE, CONTENT_TYPE)], text).into_response(),
        Err(error) => {
            tracing::error!("figures could not be written down, please report it: {error}");
            let status = StatusCode::INTERNAL_SERVER_ERROR;
            layout::problem(site, &Problem::new(status, "These figures could not be made", "The log says why."))
        }
    }
}

/// When the database was asked, and what was wrong.
type Answered = (Instant, Option<&'static str>);

/// Asks the database by connections of its own, so that pages that hold all of theirs make nothing look unreachable.
pub(super) struct Ready {
    database: Settings,
    /// What this process has open.
    store: Store,
    /// Whether this process has to store anything, and is not ready without room for it.
    stores: bool,
    /// One question at a time.
    place: Arc<Semaphore>,
    last: Arc<Mutex<Option<Answered>>>,
}

impl Ready {
    pub(super) fn of(database: Settings, store: Store, stores: bool) -> Self {
        Self { database, store, stores, place: Arc::new(Semaphore::new(1)), last: Arc::default() }
    }

    /// What is wrong, if something is; of the last second.
    async fn ask(&self) -> Option<&'static str> {
        let Ok(place) = Arc::clone(&self.place).acquire_owned().await else { return Some("is not asked any more") };
        let known = *self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, why)) = known.filter(|(at, _)| at.elapsed() < KEPT) {
            return why;
        }
        let (database, last) = (self.database.clone(), Arc::clone(&self.last));
        let (ours, stores) = (self.store.clone(), self.stores);
        // In a task of its own: what was begun must not be dropped midway, however impatient whoever asked is.
        let asked = tokio::spawn(async move {
            let _place = place;
            let why = reached(&ours, &database, stores).await.err().map(|error| {
                tracing::warn!("not ready: {error}");
                match error.kind {
                    StoreErrorKind::Newer => "has tables of a newer version",
                    StoreErrorKind::Foreign => "is not this program's",
                    StoreErrorKind::Locked => "is locked",
                    StoreErrorKind::Unwritable => {
                        "cannot store anything: its disk is full or failing, or it is read-only"
                    }
                    StoreErrorKind::Replaced => "was deleted or replaced while this process has it open",
                    _ => "cannot be reached, or has not the tables of this version",
                }
            });
            *last.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), why));
            why
        });
        asked.await.unwrap_or(Some("could not be asked"))
    }
}

/// Whether the database is the one that this process has open, can be opened anew, and has room for what it `stores`.
async fn reached(ours: &Store, database: &Settings, stores: bool) -> Result<(), StoreError> {
    ours.in_place()?;
    Store::open_to_read(database).await?.close().await;
    if stores { ours.has_room().await } else { Ok(()) }
}
