//! Exports findings: which rows (`row_kind`), in which columns (`columns`), in which format (`format`). Writes to any
//! writer. `files` puts files in place, and `cli` chooses them.

mod changes;
mod column;
mod columns;
mod daily;
mod formats;
mod manifest;
mod reference_tables;
mod request;
mod request_options;
mod row_kind;
mod rows;
mod scheduled;
mod spec;
mod terms;
mod verify;

/// Maximum number of entries of a feed.
pub const FEED_ENTRIES: usize = formats::atom::MOST_ENTRIES;

pub use self::column::{Cell, Heading, Type};
pub use self::formats::csv::Profile;
pub use self::formats::format::Format;
pub use self::formats::gzip::{MaybeGzip, strip_gz};
pub use self::formats::out::Out;
pub use self::manifest::Manifest;
pub use self::reference_tables::reference_tables;
pub use self::request::{ExportRequest, InvalidRequest};
pub use self::request_options::{ExportError, ExportOptions};
pub use self::row_kind::{ExportFilter, ExportKind, SCHEMA};
use self::rows::OutputRows;
pub use self::rows::Watch;
pub use self::scheduled::{Editions, ScheduledExportError, run_export};
pub use self::spec::{ExportSpec, Mode};
pub use self::verify::{Comparison, verify};
pub use crate::compare::FilterMode;
use crate::compare::{Rankings, RowFilter};
pub use crate::normalise::words::parse_query;
use crate::store::{ItemRow, SightingRow, Store, StoreError};

/// The result of an export.
#[derive(Debug)]
pub struct Written {
    /// Rows, or entries of a feed.
    pub rows: u64,
    /// Cells that the format could not hold whole.
    pub cut: u64,
}

/// [`write_watched`] without a watcher; returns the number of rows.
pub async fn write(
    store: &Store,
    options: &ExportOptions,
    row_filter: &mut RowFilter,
    out: Out<'_>,
) -> Result<u64, ExportError> {
    Ok(write_watched(store, options, row_filter, out, &mut |_| {}).await?.rows)
}

/// Writes rows in constant memory, without the items and sightings to hide. Callers must have checked the filter with
/// [`ExportKind::first_unsupported`], and may ask for a feed only of `new` and of one topic.
pub async fn write_watched(
    store: &Store,
    options: &ExportOptions,
    row_filter: &mut RowFilter,
    out: Out<'_>,
    watch: Watch<'_>,
) -> Result<Written, ExportError> {
    if options.format == Format::Atom {
        let is_sandbox = store.is_sandbox().await?;
        return feed(store, options, row_filter, out, is_sandbox).await;
    }
    let mut rows = OutputRows::begin(options, store.origin().await?, out, watch)?;
    let filter = &options.filter;
    match options.what {
        ExportKind::Items => {
            let rankings = Rankings::of(store, &filter.topics).await?;
            let mut put = |mut row: ItemRow| {
                if !row_filter.shows_item(&row) {
                    return Ok(());
                }
                rankings.rate(&mut row);
                let row = if options.without_shared_fields { row.without_shared_fields() } else { row };
                rows.write(columns::ITEMS, &row)
            };
            store.each_item(filter, &mut put).await?;
        }
        ExportKind::Sightings => {
            // Incremental files form one file in pieces, so later marks must not change written rows.
            let is_incremental = filter.seq.is_some();
            let rankings =
                if is_incremental { Rankings::default() } else { Rankings::of(store, &filter.topics).await? };
            let mut put = |mut row: SightingRow| {
                if !row_filter.shows_sighting(&row) {
                    return Ok(());
                }
                rankings.rate_sighting(&mut row);
                row.mark = row.mark.filter(|_| !is_incremental);
                rows.write(columns::SIGHTINGS, &row)
            };
            store.each_sighting(filter, &mut put).await?;
        }
        ExportKind::New => {
            let mut put = |row| if row_filter.shows_new_item(&row) { rows.write(columns::NEW, &row) } else { Ok(()) };
            store.each_new(filter, &mut put).await?;
        }
        ExportKind::Runs => store.each_run(filter, &mut |row| rows.write(columns::RUNS, &row)).await?,
        ExportKind::Searches => store.each_search(filter, &mut |row| rows.write(columns::SEARCHES, &row)).await?,
        ExportKind::Changes => changes::write(store, options, &mut rows).await?,
        ExportKind::Terms => terms::write(store, options, &mut rows).await?,
        ExportKind::Daily => daily::write(store, options, &mut rows).await?,
        ExportKind::Answers => store.each_answer(filter, &mut |row| rows.write(columns::ANSWERS, &row)).await?,
    }
    let cut = rows.sheet.finish()?;
    Ok(Written { rows: rows.written, cut })
}

/// Writes the pages of items that `next` returns until there are no more, in its order. The rows are rated and complete
/// already; of `options` only the format and the profile count.
pub async fn write_items(
    store: &Store,
    options: &ExportOptions,
    out: Out<'_>,
    mut next: impl AsyncFnMut() -> Result<Option<Vec<ItemRow>>, ExportError>,
) -> Result<(), ExportError> {
    let mut watch = |_| {};
    let mut rows = OutputRows::begin(options, store.origin().await?, out, &mut watch)?;
    while let Some(page) = next().await? {
        page.iter().try_for_each(|row| rows.write(columns::ITEMS, row))?;
    }
    rows.sheet.finish()?;
    Ok(())
}

/// Writes what is new in a topic as a feed.
async fn feed(
    store: &Store,
    options: &ExportOptions,
    row_filter: &mut RowFilter,
    out: Out<'_>,
    is_sandbox: bool,
) -> Result<Written, ExportError> {
    let mut feed = formats::atom::Feed::new();
    let mut take = |row| {
        if formats::atom::Feed::is_news(&row)
            && row_filter.shows_new_item(&row)
            && let Some(oldest) = feed.take(row)
        {
            row_filter.uncount_new_item(&oldest);
        }
        Ok::<_, ExportError>(())
    };
    store.each_new(&options.filter, &mut take).await?;
    let watched = store.watched_topics(&options.filter.topics).await?;
    let topic = options.filter.topics.first().map_or("", String::as_str);
    let title =
        watched.first().and_then(|watched| watched.definition.as_ref()).map_or(topic, |topic| topic.title.as_str());
    let rows = feed.write(out, ("topic", topic), title, is_sandbox)?;
    Ok(Written { rows, cut: 0 })
}

/// Writes items as the feed of a saved search, those first seen last at the top.
///
/// # Errors
/// The output could not be written.
pub fn write_feed(out: Out<'_>, search: &str, rows: Vec<ItemRow>, is_sandbox: bool) -> std::io::Result<u64> {
    formats::atom::Feed::of_items(rows).write(out, ("search", search), search, is_sandbox)
}

/// Why a count ended early.
enum CountStop {
    Full,
    Failed(StoreError),
}

impl From<StoreError> for CountStop {
    fn from(error: StoreError) -> Self {
        Self::Failed(error)
    }
}

/// How many items [`write()`] would write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemCount {
    /// Exactly this many.
    All(u64),
    /// At least this many, among the items that were read; hidden ones are read too.
    AtLeast(u64),
    /// More than the limit.
    More,
}

/// Counts the items that [`write()`] would write. Gives up after more than `most` items.
pub async fn count_items(
    store: &Store,
    options: &ExportOptions,
    row_filter: &mut RowFilter,
    most: u64,
) -> Result<ItemCount, StoreError> {
    let (mut counted, mut examined) = (0, 0);
    let mut count = |row: ItemRow| {
        examined += 1;
        counted += u64::from(row_filter.shows_item(&row));
        if examined > most { Err(CountStop::Full) } else { Ok(()) }
    };
    // One more than the limit shows that there are more.
    match store.each_first_item(&options.filter, most.saturating_add(1), &mut count).await {
        Ok(()) => Ok(ItemCount::All(counted)),
        Err(CountStop::Full) if counted > most => Ok(ItemCount::More),
        Err(CountStop::Full) => Ok(ItemCount::AtLeast(counted)),
        Err(CountStop::Failed(error)) => Err(error),
    }
}
