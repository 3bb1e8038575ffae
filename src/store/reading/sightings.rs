//! Reads all sightings, a few runs at a time: this longest of all reads must not keep others from writing or cleaning
//! up. Here are its position and the size of the next page. `item_cache` caches items; the statements are in
//! `sql/sightings`.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use sqlx::Connection as _;
use sqlx::pool::PoolConnection;
use tokio::sync::mpsc;

use crate::model::{ItemTone, Kind, Mark, Time, Tone};
use crate::store::database::cells::Cells;
use crate::store::database::handle::Db;
use crate::store::database::{postgres, sqlite};
use crate::store::reading::item_cache::{ItemCache, ItemCells, size};
use crate::store::reading::item_history;
use crate::store::reading::sighting_page::{Page, PageRequest, RawSighting, RunCursor, RunSightings};
use crate::store::{Filter, SightingRow, Store, StoreError};

/// A page with its items.
type Read = Vec<(RunCursor, RunSightings, Vec<ItemCells>)>;

/// Target size of a page in bytes: large enough that the overhead per page is small, and small enough to hold in
/// memory.
const PAGE: usize = 192 * 1024;

/// The number of runs in the first page, and the most in any page.
const FIRST: i64 = 8;
const MOST: i64 = 128;

/// Items per statement.
const ITEMS: usize = 500;

/// How long a connection is kept while the page waits to be taken. Each connection has caches of its own, so keeping it
/// is better than returning it and taking another.
const PATIENCE: Duration = Duration::from_secs(1);

/// Bytes of a sighting.
const SIGHT: usize = size_of::<RawSighting>();

/// Reads a page in one snapshot, with those of its items that are not cached.
macro_rules! page {
    ($conn:ident, $database:ident, $filter:ident, $next:ident, $cache:ident) => {{
        let mut tx = $conn.begin_with($database::ONE_MOMENT).await?;
        let page = $database::statements::sighting_pages::runs(&mut tx, $filter, $next).await?;
        let mut items: HashMap<i64, ItemCells> = HashMap::new();
        let mut wanted = BTreeSet::new();
        for item in page.values().flat_map(|seen| &seen.sights).map(|sight| sight.item) {
            if !items.contains_key(&item) && !wanted.contains(&item) {
                match $cache.get(item) {
                    Some(met) => drop(items.insert(item, met)),
                    None => drop(wanted.insert(item)),
                }
            }
        }
        let wanted: Vec<i64> = wanted.into_iter().collect();
        let mut bytes = 0;
        for some in wanted.chunks(ITEMS) {
            items.extend(some.iter().map(|item| (*item, None)));
            for (item, met) in $database::statements::sighting_pages::items(&mut tx, $filter, some).await? {
                let met = Some(met);
                bytes += size(&met);
                items.insert(item, met);
            }
        }
        tx.rollback().await?;
        for item in wanted {
            $cache.insert(item, items.get(&item).cloned().flatten());
        }
        Ok::<_, StoreError>((page, items, bytes))
    }};
}

impl Store {
    /// Calls `each` for all sightings of runs that were readable when it began, by start of the run, run, source, rank
    /// and key. Every page is a snapshot of its own; items are shown as they were at the end of the run.
    pub async fn each_sighting<E: From<StoreError>>(
        &self,
        filter: &Filter,
        each: &mut (dyn FnMut(SightingRow) -> Result<(), E> + Send),
    ) -> Result<(), E> {
        let last = self.last_seq().await?;
        let until = filter.seq.map_or(last, |between| between.until.min(last));
        // The database reads the next page while this one is used.
        let (to, mut pages) = mpsc::channel(1);
        let reading = tokio::spawn(read_all(self.clone(), filter.clone(), until, to));
        let mut used = Ok(());
        while let (true, Some(page)) = (used.is_ok(), pages.recv().await) {
            used = page.into_iter().try_for_each(|run| rows(run)?.into_iter().try_for_each(&mut *each));
        }
        // Wait for the reader, so that no store future is dropped midway.
        drop(pages);
        let read = reading.await.map_err(|_| StoreError::unreadable("a page of sightings"));
        used.and_then(|()| Ok(read??))
    }

    /// Returns the number of the last run that readers can see.
    pub async fn last_seq(&self) -> Result<i64, StoreError> {
        read!(self, followers::last_seq())
    }
}

/// Returns the rows of a run, in order.
fn rows((place, seen, items): (RunCursor, RunSightings, Vec<ItemCells>)) -> Result<Vec<SightingRow>, StoreError> {
    let with_cells = seen.sights.iter().zip(&items).filter_map(|(sight, met)| Some((sight, met.as_deref()?)));
    let mut rows = with_cells.map(|(sight, met)| row(&place, &seen, sight, met)).collect::<Result<Vec<_>, _>>()?;
    rows.sort_unstable_by(|a, b| (a.source, a.rank, &a.key).cmp(&(b.source, b.rank, &b.key)));
    Ok(rows)
}

/// Combines a sighting and its item's cells into a row.
fn row(place: &RunCursor, seen: &RunSightings, sight: &RawSighting, met: &str) -> Result<SightingRow, StoreError> {
    let mut cells = Cells::of(met);
    let mut row = SightingRow {
        run: place.1.clone(),
        topic: seen.topic.clone(),
        seen_at: seen.seen_at,
        source: sight.source,
        rank: sight.rank,
        fit: sight.fit,
        engagement: sight.engagement,
        key: cells.text()?.unwrap_or_default(),
        kind: cells.word(Kind::parse)?,
        published_at: cells.number()?.map(Time),
        url: cells.text()?,
        author: cells.text()?,
        title: cells.text()?,
        text: cells.text()?,
        lang: cells.text()?,
        cluster: cells.text()?,
        tone: ItemTone { tone: cells.optional_word(Tone::parse)?, score: cells.number()?, scorer: cells.text()? },
        new: false,
        mark: None,
        relevance: None,
    };
    // The runs that were the first of their topics to see the item.
    let firsts = cells.text()?.unwrap_or_default();
    row.new = firsts.split_ascii_whitespace().any(|run| run.parse() == Ok(seen.id));
    // Marks by topic. Topic ids contain neither spaces nor `=`.
    let marks = cells.text()?.unwrap_or_default();
    row.mark = marks
        .split_ascii_whitespace()
        .filter_map(|one| one.split_once('='))
        .find(|(topic, _)| *topic == row.topic)
        .and_then(|(_, mark)| Mark::parse(mark));
    if let Some(history) = cells.text()?
        && let Some(version) = item_history::version_at(&history, seen.seq)?
    {
        (row.url, row.author, row.lang, row.published_at) =
            (version.url, version.author, version.lang, version.published_at);
        (row.title, row.text) = (version.title, version.text);
    }
    Ok(row)
}

/// Reads page after page until the receiver is gone.
async fn read_all(store: Store, filter: Filter, until: i64, to: mpsc::Sender<Read>) -> Result<(), StoreError> {
    let mut next = PageRequest { until, after: None, runs: FIRST };
    let mut cache = ItemCache::default();
    let mut reader = None;
    loop {
        let page = match page(&store, &mut reader, &filter, &next, &mut cache).await {
            Ok(page) => page,
            Err(_) => {
                // A connection that was idle for long may be dead.
                reader = None;
                page(&store, &mut reader, &filter, &next, &mut cache).await?
            }
        };
        let (page, items, bytes) = page;
        let (requested, read) = (next.runs, i64::try_from(page.len()).unwrap_or(i64::MAX));
        let bytes = bytes + page.values().map(|seen| seen.sights.len() * SIGHT).sum::<usize>();
        let runs_per_page = i64::try_from(PAGE.saturating_mul(page.len()) / bytes.max(1)).unwrap_or(MOST);
        next.runs = runs_per_page.clamp(1, MOST).min(requested * 4);
        next.after = page.last_key_value().map(|(place, _)| place.clone());
        let with =
            |seen: &RunSightings| seen.sights.iter().map(|sight| items.get(&sight.item).cloned().flatten()).collect();
        let page = page.into_iter().map(|(place, seen)| {
            let items = with(&seen);
            (place, seen, items)
        });
        let place = match tokio::time::timeout(PATIENCE, to.reserve()).await {
            Ok(place) => place,
            Err(_) => {
                give_back(reader.take()).await?;
                to.reserve().await
            }
        };
        let taken = place.map(|place| place.send(page.collect()));
        if taken.is_err() || read < requested {
            return give_back(reader).await;
        }
    }
}

/// A connection that reads page after page.
enum Reader {
    Sqlite(PoolConnection<::sqlx::Sqlite>),
    Postgres(PoolConnection<::sqlx::Postgres>),
}

/// Restores a connection's settings and returns it to the pool.
async fn give_back(reader: Option<Reader>) -> Result<(), StoreError> {
    if let Some(Reader::Sqlite(mut conn)) = reader {
        sqlx::query(sqlite::CACHE).execute(&mut *conn).await?;
    }
    Ok(())
}

async fn page(
    store: &Store,
    reader: &mut Option<Reader>,
    filter: &Filter,
    next: &PageRequest,
    cache: &mut ItemCache,
) -> Result<(Page, HashMap<i64, ItemCells>, usize), StoreError> {
    let reader = match reader {
        Some(reader) => reader,
        None => reader.insert(match &store.db {
            Db::Sqlite(pools) => {
                let mut conn = pools.reader().await?;
                sqlx::query(sqlite::SMALL_CACHE).execute(&mut *conn).await?;
                Reader::Sqlite(conn)
            }
            Db::Postgres(pools) => Reader::Postgres(pools.reader().await?),
        }),
    };
    match reader {
        Reader::Sqlite(conn) => page!(conn, sqlite, filter, next, cache),
        Reader::Postgres(conn) => page!(conn, postgres, filter, next, cache),
    }
}
