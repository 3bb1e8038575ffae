//! Checks whether the database can be reached and can store results, with connections of its own and at most once a
//! second.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;

use crate::store::{Settings, Store, StoreError, StoreErrorKind};

/// How long an answer of the database is reused, so that nobody can keep it busy with requests.
const CACHE_TTL: Duration = Duration::from_secs(1);

/// When the database was checked, and what was wrong.
type Answered = (Instant, Option<&'static str>);

/// Checks the database with connections of its own, so that it does not look unreachable while pages use all of
/// theirs.
pub(in crate::web) struct ReadinessCheck {
    database: Settings,
    /// The store that this process has open.
    store: Store,
    /// Whether this process stores anything, and is not ready without room for it.
    stores: bool,
    /// Allows one check at a time.
    place: Arc<Semaphore>,
    last: Arc<Mutex<Option<Answered>>>,
}

impl ReadinessCheck {
    pub(in crate::web) fn of(database: Settings, store: Store, stores: bool) -> Self {
        Self { database, store, stores, place: Arc::new(Semaphore::new(1)), last: Arc::default() }
    }

    /// What is wrong, if anything, as of the last second.
    pub(in crate::web) async fn ask(&self) -> Option<&'static str> {
        let Ok(place) = Arc::clone(&self.place).acquire_owned().await else { return Some("is no longer checked") };
        let cached = *self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, why)) = cached.filter(|(at, _)| at.elapsed() < CACHE_TTL) {
            return why;
        }
        let (database, last) = (self.database.clone(), Arc::clone(&self.last));
        let (store, stores) = (self.store.clone(), self.stores);
        // A task of its own: a check must not be dropped midway, even if the caller gives up.
        let check = tokio::spawn(async move {
            let _place = place;
            let why = check_database(&store, &database, stores).await.err().map(|error| {
                tracing::warn!("not ready: {error}");
                match error.kind {
                    StoreErrorKind::Newer => "has tables of a newer version",
                    StoreErrorKind::Foreign => "is not this program's",
                    StoreErrorKind::Locked => "is locked",
                    StoreErrorKind::Unwritable => {
                        "cannot store anything: its disk is full or failing, or it is read-only"
                    }
                    StoreErrorKind::Replaced => "was deleted or replaced while this process has it open",
                    _ => "cannot be reached, or does not have the tables of this version",
                }
            });
            *last.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), why));
            why
        });
        check.await.unwrap_or(Some("could not be checked"))
    }
}

/// Checks that the database is the one that this process has open, can be opened again, and has room for what it
/// `stores`.
async fn check_database(store: &Store, database: &Settings, stores: bool) -> Result<(), StoreError> {
    store.check_file()?;
    Store::open_to_read(database).await?.close().await;
    if stores { store.has_room().await } else { Ok(()) }
}
