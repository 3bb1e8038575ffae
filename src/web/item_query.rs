//! The query of the items page: its address as filters, for the page, its files, its saved searches and their feeds,
//! so that all have the same rows. The names are those of the API's exports; each is given once here.

use std::collections::{BTreeMap, BTreeSet};

use axum::http::StatusCode;

use super::downloads::refused;
use super::page_request::{PageRequest, link, words};
use super::problem::Problem;
use super::site::Site;
use crate::compare::{FilterMode, RowFilter};
use crate::export::{ExportKind, ExportOptions, ExportRequest, Format, Profile};
use crate::model::{Kind, Mark, Source, Tone, excerpt};
use crate::store::{AllItemsCursor, ItemRow};

/// The parameters of the page: the filters, and after which item it begins.
pub(super) const PAGE: &[&str] = &[
    "search",
    "topic",
    "tag",
    "source",
    "author",
    "kind",
    "tone",
    "lang",
    "since",
    "until",
    "new_since",
    "marked",
    "starred",
    "noted",
    "filtered",
    "after",
];
/// The filters: all parameters but `after`.
pub(super) const PARAMETERS: &[&str] = PAGE.split_at(PAGE.len() - 1).0;

/// Maximum number of items that a page reads, including those that topics' filters hide.
const MAX_READ: usize = 1_000;
/// Items that are read at a time.
const STEP: u32 = 100;
/// Longest address of a saved search, so that a few more parameters fit when it is opened.
const LONGEST: usize = 2_000;

/// Which items, and what to do with those that topics' filters hide.
pub(super) struct ItemQuery {
    pub(super) order: ExportOptions,
    pub(super) filtered: FilterMode,
}

impl ItemQuery {
    /// Parses the query of an address.
    pub(super) async fn of(site: &Site, request: &PageRequest, format: Format) -> Result<Self, Problem> {
        let list = |name: &str| request.get(name).map(str::to_owned).into_iter().collect::<Vec<_>>();
        let flag =
            |name: &str| request.word(name, |word| (word == "true").then_some(true)).map(Option::unwrap_or_default);
        let (topics, tags, authors, languages) = (list("topic"), list("tag"), list("author"), list("lang"));
        let sources = request.word("source", Source::parse)?;
        if let Some(topic) = topics.first()
            && site.store.watched_topics(&topics).await?.is_empty()
        {
            let hint = "It may have been renamed or forgotten. Choose from the form on /items.";
            return Err(Problem {
                hint: hint.to_owned(),
                ..Problem::not_found(format!("There is no topic `{}`", excerpt(topic)))
            });
        }
        if let Some(tag) = tags.first()
            && !tags_of(site).await?.contains(tag)
        {
            let hint = "The form on /items lists the tags.";
            return Err(Problem {
                hint: hint.to_owned(),
                ..Problem::not_found(format!("No topic has the tag `{}`", excerpt(tag)))
            });
        }
        if let Some(source) = &sources
            && !site.store.searched_sources().await?.contains(source)
        {
            return Err(request.invalid("source"));
        }
        let filtered = request.word("filtered", FilterMode::parse)?.unwrap_or(FilterMode::Hide);
        let export_request = ExportRequest {
            what: ExportKind::Items,
            format,
            // Such files are opened in spreadsheets.
            profile: Profile::Excel,
            topics: &topics,
            tags: &tags,
            sources: sources.into_iter().collect(),
            since: request.get("since"),
            until: request.get("until"),
            tones: request.word("tone", Tone::parse)?.into_iter().collect(),
            new_since: request.get("new_since"),
            authors: &authors,
            words: request.get("search").map(words).transpose()?,
            seq: None,
            timezone: None,
            filtered,
            kinds: request.word("kind", Kind::parse)?.into_iter().collect(),
            languages: &languages,
            marks: request.word("marked", Mark::parse)?.into_iter().collect(),
            starred: flag("starred")?,
            noted: flag("noted")?,
        };
        let order = export_request.parse(site.now()).map_err(|invalid| Problem {
            // Unlike the API, pages have no document that says which values are valid on their own.
            status: StatusCode::BAD_REQUEST,
            ..refused(&invalid)
        })?;
        Ok(Self { order, filtered })
    }
}

/// The tags of all topics, those of the file and those that are stored.
pub(super) async fn tags_of(site: &Site) -> Result<BTreeSet<String>, Problem> {
    let stored = site.store.definitions().await?.into_iter().flat_map(|topic| topic.tags);
    let settings = site.settings();
    Ok(stored.chain(settings.tags.iter().flat_map(|(_, tags)| tags.clone())).collect())
}

/// The address of the items that these filters find.
pub(super) fn address(path: &str, filters: &BTreeMap<String, String>) -> String {
    link(path, filters.iter().map(|(name, value)| (name.as_str(), value.as_str())))
}

/// The filters of an address, to be saved: checked, and not too long.
pub(super) async fn to_keep(site: &Site, request: &PageRequest) -> Result<BTreeMap<String, String>, Problem> {
    let filters = request.given_of(PARAMETERS);
    ItemQuery::of(site, request, Format::Csv).await?;
    if address("/items", &filters).len() > LONGEST {
        return Err(Problem::bad_request("This search is too long to save", "Search for less at a time."));
    }
    Ok(filters)
}

pub(super) fn place_of(row: &ItemRow) -> AllItemsCursor {
    AllItemsCursor { first_seen: row.first_seen, topic: row.topic.clone(), key: row.key.clone() }
}

/// The items of a query after a position, those first seen last at the top, and where the next page begins.
pub(super) async fn latest(
    site: &Site,
    query: &ItemQuery,
    after: Option<AllItemsCursor>,
    many: usize,
) -> Result<(Vec<ItemRow>, Option<AllItemsCursor>), Problem> {
    let filter = &query.order.filter;
    let mut row_filter = RowFilter::of(&site.store, &filter.topics, query.filtered).await?;
    let (mut rows, mut rows_read, mut at) = (Vec::new(), 0, after);
    loop {
        let found = site.store.list_found(filter, at.as_ref(), STEP).await?;
        let is_last_batch = found.len() < STEP as usize;
        for row in found {
            rows_read += 1;
            at = Some(place_of(&row));
            if !row_filter.shows_item(&row) {
                continue;
            }
            if rows.len() == many {
                let next = rows.last().map(place_of);
                return Ok((rows, next));
            }
            rows.push(row);
        }
        if is_last_batch {
            return Ok((rows, None));
        }
        if rows_read >= MAX_READ {
            return Ok((rows, at));
        }
    }
}
