//! The corpus read from a folder: real posts and pages with their ids. Their times are shifted so that some are recent.
//! It is read once at the start; `files` reads the files.
//!
//! **Times.** The time range of each file, oldest to newest, is mapped linearly onto the `span` before the start of the
//! hour in which the sandbox started. So the order is kept, every file has posts of the last hours, files of different
//! years overlap, and a second start within the hour gives the same times. Rows without a date get a time from their
//! position in the file.

use std::path::Path;
use std::time::Duration;

use super::super::StartError;
use super::super::random::{SeededRng, seed_of};
use super::entry::{Author, CorpusQuery, Counts, HOUR_MS, Hour, Page, PageDate, Post, Quirk};
use super::files::{self, LoadStats};
use super::index::{Builder, Index};
use super::rows::Row;

/// Rows of one kind with their index, newest first.
#[derive(Debug)]
struct IndexedRows {
    rows: Vec<Row>,
    index: Index,
}

/// The posts and pages of a folder.
#[derive(Debug)]
pub(crate) struct Folder {
    posts: IndexedRows,
    pages: IndexedRows,
    loaded: LoadStats,
}

impl Folder {
    /// Reads a folder. Its span ends at `end`.
    pub(super) fn read(path: &Path, span: Duration, end: Hour) -> Result<Self, StartError> {
        let fail = |message| StartError {
            message,
            hint:
                "give a folder with *.jsonl, *.ndjson or *.csv files whose columns have names such as id, text, title, \
                   url, created_at"
                    .to_owned(),
        };
        let (files, loaded) = files::read(path).map_err(fail)?;
        let mut all = Vec::new();
        for mut rows in files {
            shift(&mut rows, span, end);
            all.append(&mut rows);
        }
        // Newest first; equal times keep file order, so that the same folder always gives the same answers.
        all.sort_by_key(|row| std::cmp::Reverse(row.at));
        let (pages, posts): (Vec<Row>, Vec<Row>) = all.into_iter().partition(Row::is_page);
        if posts.is_empty() && pages.is_empty() {
            return Err(fail(format!("no posts or pages in {}", path.display())));
        }
        Ok(Self { posts: IndexedRows::new(posts), pages: IndexedRows::new(pages), loaded })
    }

    /// Returns the counts of read files, posts and pages.
    pub(super) fn loaded(&self) -> LoadStats {
        self.loaded
    }

    /// Returns the posts in the window that contain the query's words, newest first.
    pub(super) fn posts(&self, corpus_query: &CorpusQuery<'_>) -> Vec<Post> {
        let since = corpus_query.hour.start().saturating_sub(corpus_query.hours_back.saturating_mul(HOUR_MS));
        self.posts.pick(corpus_query, since).map(post).collect()
    }

    /// Returns the pages that contain the query's words, newest first.
    pub(super) fn pages(&self, corpus_query: &CorpusQuery<'_>) -> Vec<Page> {
        self.pages.pick(corpus_query, i64::MIN).map(page).collect()
    }
}

impl IndexedRows {
    fn new(rows: Vec<Row>) -> Self {
        let mut builder = Builder::default();
        for (number, row) in (0_u32..).zip(&rows) {
            for text in [&row.title, &row.text].into_iter().flatten() {
                builder.add(number, text);
            }
        }
        Self { rows, index: builder.build() }
    }

    /// Returns the matching rows, or else a slice that depends only on query and hour.
    fn pick(&self, corpus_query: &CorpusQuery<'_>, since: i64) -> impl Iterator<Item = &Row> {
        let published = |row: &Row| row.at.unwrap_or(i64::MIN);
        // Rows go from new to old: those not published yet come first, those too old last.
        let first = self.rows.partition_point(|row| published(row) > corpus_query.hour.start());
        let last = self.rows.partition_point(|row| published(row) > since).max(first);
        // The limit on rows is far below 32 bits.
        let row = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let found = self.index.find(corpus_query.query, &(row(first)..row(last)));
        let mut found: Vec<usize> =
            found.into_iter().take(corpus_query.limit).filter_map(|row| usize::try_from(row).ok()).collect();
        if found.is_empty() {
            let last = if last == first { self.rows.len() } else { last };
            found = fallback_slice(corpus_query, first, last);
        }
        found.into_iter().filter_map(|row| self.rows.get(row))
    }
}

/// Returns a slice of `first..last` with a drawn start, in order, for a query that matches nothing.
fn fallback_slice(corpus_query: &CorpusQuery<'_>, first: usize, last: usize) -> Vec<usize> {
    let length = last.saturating_sub(first);
    let start = SeededRng::of("rotation", seed_of(corpus_query.query), &[corpus_query.hour.0]).below(length as u64);
    let start = usize::try_from(start).unwrap_or(0);
    let mut rows: Vec<usize> = (0..length.min(corpus_query.limit))
        .filter_map(|step| (start + step).checked_rem(length))
        .map(|at| first + at)
        .collect();
    rows.sort_unstable();
    rows
}

/// Shifts the times of a file onto the span that ends at `end`; see the top of this file.
fn shift(rows: &mut [Row], span: Duration, end: Hour) {
    let span = i128::try_from(span.as_millis()).unwrap_or(0).min(i128::from(i64::MAX / 4));
    let times = || rows.iter().filter_map(|row| row.at);
    let (oldest, newest) = (times().min().unwrap_or(0), times().max().unwrap_or(0));
    let range = i128::from(newest) - i128::from(oldest);
    let last = rows.len().saturating_sub(1).max(1) as i128;
    for (place, row) in rows.iter_mut().enumerate() {
        // How long before the end, scaled to the span.
        let before = match row.at {
            Some(_) if range == 0 => 0,
            Some(at) => (i128::from(newest) - i128::from(at)) * span / range,
            None => (last - place as i128) * span / last,
        };
        let at = i128::from(end.start()) - before;
        row.at = Some(i64::try_from(at).unwrap_or(i64::MIN));
    }
}

fn post(row: &Row) -> Post {
    let text = row.text.clone().unwrap_or_default();
    let counts = [row.likes, row.reposts, row.replies];
    Post {
        id: row.id.clone(),
        is_repost: text.starts_with("RT @"),
        text,
        author: row.author.clone().map(|handle| Author { name: handle.clone(), handle, followers: None }),
        published: row.at.unwrap_or_default(),
        lang: row.lang.clone(),
        counts: counts.iter().any(Option::is_some).then(|| Counts {
            likes: row.likes.unwrap_or(0),
            reposts: row.reposts.unwrap_or(0),
            replies: row.replies.unwrap_or(0),
        }),
        quirk: Quirk::IsoDate,
    }
}

fn page(row: &Row) -> Page {
    Page {
        url: row.url.clone().unwrap_or_default(),
        title: row.title.clone().unwrap_or_default(),
        snippet: row.text.clone().unwrap_or_default(),
        date: row.at.map_or(PageDate::Unknown, PageDate::Iso),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    const DAY: i64 = 24 * HOUR_MS;

    fn row(at: Option<i64>) -> Row {
        Row { text: Some("t".into()), at, ..Row::default() }
    }

    #[test]
    fn the_time_range_of_a_file_is_moved_to_end_now() {
        let mut rows = vec![row(Some(1_000)), row(Some(5_000)), row(Some(3_000))];
        let end = Hour(1_000);
        shift(&mut rows, Duration::from_millis(u64::try_from(10 * DAY).unwrap()), end);
        let at: Vec<i64> = rows.iter().map(|row| end.start() - row.at.unwrap()).collect();
        assert_eq!(at, [10 * DAY, 0, 5 * DAY]);
    }

    #[test]
    fn rows_without_dates_and_equal_dates_get_a_place_too() {
        let end = Hour(1_000);
        let mut undated = vec![row(None), row(None), row(None)];
        shift(&mut undated, Duration::from_millis(10), end);
        assert_eq!(undated.iter().map(|row| end.start() - row.at.unwrap()).collect::<Vec<_>>(), [10, 5, 0]);
        let mut equal = vec![row(Some(7)), row(Some(7))];
        shift(&mut equal, Duration::from_secs(1), end);
        assert!(equal.iter().all(|row| row.at == Some(end.start())));
        let mut extreme = vec![row(Some(i64::MIN)), row(Some(i64::MAX))];
        shift(&mut extreme, Duration::MAX, end);
        assert_eq!(extreme[1].at, Some(end.start()));
        shift(&mut [], Duration::MAX, end);
    }
}
