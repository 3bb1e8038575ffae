//! All sightings, a few runs at a time: the longest reading there is must keep nobody from writing or from tidying up. Where
//! it has got to and how many runs the next page takes is here; which items are held is `item_cache`'s, what is asked
//! `statements/pages`'.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use sqlx::Connection as _;
use sqlx::pool::PoolConnection;
use tokio::sync::mpsc;

use crate::model::{Engagement, ItemTone, Kind, Source, Time, Tone, Verdict, WindowFit};
use crate::store::database::cells::Cells;
use crate::store::database::handle::Db;
use crate::store::database::{postgres, sqlite};
use crate::store::reading::item_cache::{ItemCache, Met, size};
use crate::store::reading::item_history;
use crate::store::{Filter, SightingRow, Store, StoreError};

/// Where a run stands among others: by its number, or by when it was and its id.
pub(crate) type Place = (i64, String);

/// What the next page is of.
#[derive(Debug)]
pub(crate) struct Next {
    /// The last run that is part of it, as the reading order stood when it began.
    pub(crate) until: i64,
    /// The last run that was read.
    pub(crate) after: Option<Place>,
    pub(crate) runs: i64,
}

/// Some runs in their order, each with what it saw.
pub(crate) type Page = BTreeMap<Place, Seen>;

/// What a run saw.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) id: i64,
    pub(crate) topic: String,
    /// Its number in the reading order.
    pub(crate) seq: i64,
    pub(crate) seen_at: Time,
    pub(crate) sights: Vec<Sight>,
}

/// A sighting without its item's words.
#[derive(Debug)]
pub(crate) struct Sight {
    pub(crate) item: i64,
    pub(crate) source: Source,
    pub(crate) rank: i64,
    pub(crate) fit: WindowFit,
    pub(crate) engagement: Engagement,
}

/// A page with its items.
type Read = Vec<(Place, Seen, Vec<Met>)>;

/// Bytes that a page should have: enough that what a page costs does not count, and few to hold.
const PAGE: usize = 192 * 1024;

/// Runs of the first page, and of any.
const FIRST: i64 = 8;
const MOST: i64 = 128;

/// Items that are read at once.
const ITEMS: usize = 500;

/// How long a connection is kept from others while nobody takes what it read. Each has caches of its own, so that one is
/// better kept than given back and another one taken.
const PATIENCE: Duration = Duration::from_secs(1);

/// What a sighting takes.
const SIGHT: usize = size_of::<Sight>();

/// Reads a page in one moment of the database, and what is not known of its items.
macro_rules! page {
    ($conn:ident, $database:ident, $filter:ident, $next:ident, $known:ident) => {{
        let mut tx = $conn.begin_with($database::ONE_MOMENT).await?;
        let page = $database::statements::pages::runs(&mut tx, $filter, $next).await?;
        let mut items: HashMap<i64, Met> = HashMap::new();
        let mut wanted = BTreeSet::new();
        for item in page.values().flat_map(|seen| &seen.sights).map(|sight| sight.item) {
            if !items.contains_key(&item) && !wanted.contains(&item) {
                match $known.meet(item) {
                    Some(met) => drop(items.insert(item, met)),
                    None => drop(wanted.insert(item)),
                }
            }
        }
        let wanted: Vec<i64> = wanted.into_iter().collect();
        let mut bytes = 0;
        for some in wanted.chunks(ITEMS) {
            items.extend(some.iter().map(|item| (*item, None)));
            for (item, met) in $database::statements::pages::items(&mut tx, $filter, some).await? {
                let met = Some(met);
                bytes += size(&met);
                items.insert(item, met);
            }
        }
        tx.rollback().await?;
        for item in wanted {
            $known.keep(item, items.get(&item).cloned().flatten());
        }
        Ok::<_, StoreError>((page, items, bytes))
    }};
}

impl Store {
    /// Sightings by run begun, run, source, rank and key: those of all runs that were readable when it began, each once.
    /// Every page is a moment of its own; what is told of an item is as it was known when the run had ended.
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
            used = page.into_iter().try_for_each(|run| rows(run)?.into_iter().try_for_each(&mut *each));
        }
        // Nothing of the store is left behind midway.
        drop(pages);
        let read = reading.await.map_err(|_| StoreError::unreadable("a page of sightings"));
        used.and_then(|()| Ok(read??))
    }

    /// The number of the last run that readers can see.
    pub async fn last_seq(&self) -> Result<i64, StoreError> {
        read!(self, followers::last_seq())
    }
}

/// The rows of a run, in their order.
fn rows((place, seen, items): (Place, Seen, Vec<Met>)) -> Result<Vec<SightingRow>, StoreError> {
    let meant = seen.sights.iter().zip(&items).filter_map(|(sight, met)| Some((sight, met.as_deref()?)));
    let mut rows = meant.map(|(sight, met)| row(&place, &seen, sight, met)).collect::<Result<Vec<_>, _>>()?;
    rows.sort_unstable_by(|a, b| (a.source, a.rank, &a.key).cmp(&(b.source, b.rank, &b.key)));
    Ok(rows)
}

/// A sighting and its item's cells as one.
fn row(place: &Place, seen: &Seen, sight: &Sight, met: &str) -> Result<SightingRow, StoreError> {
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
        tone: ItemTone { tone: cells.maybe(Tone::parse)?, score: cells.number()?, scorer: cells.text()? },
        new: false,
        mark: None,
        relevance: None,
    };
    // The runs that were the first of their topics to see it.
    let firsts = cells.text()?.unwrap_or_default();
    row.new = firsts.split_ascii_whitespace().any(|run| run.parse() == Ok(seen.id));
    // What each topic's people said of it; no id of a topic has one of these signs.
    let marks = cells.text()?.unwrap_or_default();
    row.mark = marks
        .split_ascii_whitespace()
        .filter_map(|one| one.split_once('='))
        .find(|(topic, _)| *topic == row.topic)
        .and_then(|(_, mark)| Verdict::parse(mark));
    if let Some(past) = cells.text()?
        && let Some(told) = item_history::at(&past, seen.seq)?
    {
        (row.url, row.author, row.lang, row.published_at) = (told.url, told.author, told.lang, told.published_at);
        (row.title, row.text) = (told.title, told.text);
    }
    Ok(row)
}

/// Reads page after page for as long as somebody takes them.
async fn read_all(store: Store, filter: Filter, until: i64, to: mpsc::Sender<Read>) -> Result<(), StoreError> {
    let mut next = Next { until, after: None, runs: FIRST };
    let mut known = ItemCache::default();
    let mut reader = None;
    loop {
        let page = match page(&store, &mut reader, &filter, &next, &mut known).await {
            Ok(page) => page,
            Err(_) => {
                // A connection that nobody used for long may be gone.
                reader = None;
                page(&store, &mut reader, &filter, &next, &mut known).await?
            }
        };
        let (page, items, bytes) = page;
        let (asked, read) = (next.runs, i64::try_from(page.len()).unwrap_or(i64::MAX));
        let bytes = bytes + page.values().map(|seen| seen.sights.len() * SIGHT).sum::<usize>();
        let fits = i64::try_from(PAGE.saturating_mul(page.len()) / bytes.max(1)).unwrap_or(MOST);
        next.runs = fits.clamp(1, MOST).min(asked * 4);
        next.after = page.last_key_value().map(|(place, _)| place.clone());
        let with = |seen: &Seen| seen.sights.iter().map(|sight| items.get(&sight.item).cloned().flatten()).collect();
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
        if taken.is_err() || read < asked {
            return give_back(reader).await;
        }
    }
}

/// A connection that reads page after page.
enum Reader {
    Sqlite(PoolConnection<::sqlx::Sqlite>),
    Postgres(PoolConnection<::sqlx::Postgres>),
}

/// Ends the use of a connection as it was begun.
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
    next: &Next,
    known: &mut ItemCache,
) -> Result<(Page, HashMap<i64, Met>, usize), StoreError> {
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
        Reader::Sqlite(conn) => page!(conn, sqlite, filter, next, known),
        Reader::Postgres(conn) => page!(conn, postgres, filter, next, known),
    }
}
