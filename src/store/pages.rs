//! All sightings, a few runs at a time: the longest reading there is must keep nobody from writing or from tidying up. Where
//! it has got to, and how many runs the next page takes, is here; what is asked is `statements/pages`'.

use std::collections::BTreeMap;

use sqlx::pool::PoolConnection;
use tokio::sync::mpsc;

use super::{Db, Filter, SightingRow, Store, StoreError, postgres, sqlite};

/// Where a run stands among others: by its number, or by when it was and its id.
pub(crate) type Place = (i64, String);

/// What the next page is of.
#[derive(Debug)]
pub(crate) struct Next {
    /// The last run that is part of it, as the reading order stood when it began.
    pub(crate) until: i64,
    /// The last run that was read.
    pub(crate) after: Option<Place>,
    /// How many.
    pub(crate) runs: i64,
}

/// Some runs in their order, each with its sightings in theirs.
pub(crate) type Page = BTreeMap<Place, Vec<SightingRow>>;

/// Bytes that a page should have: enough that what a page costs does not count, and few to hold.
const PAGE: usize = 512 * 1024;

/// Runs of the first page, and of any.
const FIRST: i64 = 8;
const MOST: i64 = 128;

/// What a row takes beside its words.
const ROW: usize = 256;

/// The connection of one reading.
enum Reader {
    Sqlite(PoolConnection<::sqlx::Sqlite>),
    Postgres(PoolConnection<::sqlx::Postgres>),
}

impl Reader {
    async fn of(store: &Store) -> Result<Self, StoreError> {
        Ok(match &store.db {
            Db::Sqlite(pools) => Self::Sqlite(pools.reader().await?),
            Db::Postgres(pools) => Self::Postgres(pools.reader().await?),
        })
    }

    async fn page(&mut self, filter: &Filter, next: &Next) -> Result<Page, StoreError> {
        match self {
            Self::Sqlite(conn) => sqlite::pages::sightings(&mut *conn, filter, next).await,
            Self::Postgres(conn) => postgres::pages::sightings(&mut *conn, filter, next).await,
        }
    }
}

impl Store {
    /// Sightings by run begun, run, source, rank and key: those of all runs that were readable when it began, each once.
    /// Every page is a moment of its own; what is told of items is as known at that moment.
    pub async fn each_sighting<E: From<StoreError>>(
        &self,
        filter: &Filter,
        each: &mut (dyn FnMut(SightingRow) -> Result<(), E> + Send),
    ) -> Result<(), E> {
        let last = self.last_seq().await?;
        let until = filter.seq.map_or(last, |between| between.until.min(last));
        // The database looks for the next page while this one is used.
        let (to, mut pages) = mpsc::channel(1);
        let reading = tokio::spawn(read_all(self.clone(), filter.clone(), until, to));
        let mut used = Ok(());
        while let (true, Some(page)) = (used.is_ok(), pages.recv().await) {
            used = page.into_values().flatten().try_for_each(&mut *each);
        }
        // Nothing of the store is left behind midway.
        drop(pages);
        let read = reading.await.map_err(|_| StoreError::unreadable("a page of sightings"));
        used.and_then(|()| Ok(read??))
    }

    /// The number of the last run that readers can see.
    pub async fn last_seq(&self) -> Result<i64, StoreError> {
        read!(self, jobs::last_seq())
    }
}

/// Reads page after page for as long as somebody takes them.
async fn read_all(store: Store, filter: Filter, until: i64, to: mpsc::Sender<Page>) -> Result<(), StoreError> {
    let mut next = Next { until, after: None, runs: FIRST };
    let mut reader = Reader::of(&store).await?;
    loop {
        let page = match reader.page(&filter, &next).await {
            Ok(page) => page,
            // Whoever takes the pages may have let the server wait (a pipe that nobody reads) until it gave up. Now they
            // wait for this one.
            Err(_) => {
                reader = Reader::of(&store).await?;
                reader.page(&filter, &next).await?
            }
        };
        let (asked, read) = (next.runs, i64::try_from(page.len()).unwrap_or(i64::MAX));
        let bytes: usize = page.values().flatten().map(size).sum();
        let fits = i64::try_from(PAGE.saturating_mul(page.len()) / bytes.max(1)).unwrap_or(MOST);
        next.runs = fits.clamp(1, MOST).min(asked * 4);
        next.after = page.last_key_value().map(|(place, _)| place.clone());
        if to.send(page).await.is_err() || read < asked {
            return Ok(());
        }
    }
}

fn size(row: &SightingRow) -> usize {
    let words = [&row.title, &row.text, &row.url];
    ROW + words.iter().map(|words| words.as_ref().map_or(0, String::len)).sum::<usize>()
}
