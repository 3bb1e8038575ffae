//! Lists for pages: a topic's items, items of all topics. Each page continues along an index from where the
//! last one ended, and reads a bounded number of rows whatever the filter.

use sqlx::{QueryBuilder, Row as _};

use super::{Conn, Database, filter_conditions, read, tokens};
use crate::model::{TextQuery, Time};
use crate::store::{AllItemsCursor, Filter, ItemCursor, ItemOrder, ItemRow, ListPage, StoreError};

/// The most items searched for a page: `STEP` by time, `WINDOW` in other orders, where no further page continues.
const STEP: i64 = 400;
const WINDOW: i64 = 1_000;

/// Up to this many items with the words, they are taken from the word index. With more, any period has some of them.
const FEW: i64 = 3_000;

/// A window without limit.
const ALL: i64 = i32::MAX as i64;

/// Adds counts of reactions. A faulty source can claim so many that their sum is too large for the database.
macro_rules! sum {
    ($($column:literal)+) => {
        concat!("0", $(" + CASE WHEN i.", $column, " > 1000000000000000 THEN 1000000000000000 ELSE coalesce(i.", $column, ", 0) END"),+)
    };
}

/// Engagement as one number; below every other if it is unknown.
const REACTIONS: &str = concat!(
    "CASE WHEN coalesce(i.likes, i.reposts, i.replies, i.quotes) IS NULL THEN -9223372036854775807 ELSE ",
    sum!("likes" "reposts" "replies" "quotes"),
    " END"
);

/// When an item was published, so that the items of one run are listed newest first, too.
const PUBLISHED: &str = "coalesce(i.published_at, 0)";

/// Returns items of the filter's one topic.
pub(in crate::store) async fn items(
    conn: &mut Conn,
    filter: &Filter,
    folded: bool,
    order: ItemOrder,
    after: Option<&ItemCursor>,
    limit: i64,
) -> Result<ListPage<ItemRow, ItemCursor>, StoreError> {
    let value = match order {
        ItemOrder::New => "t.first_seen",
        ItemOrder::Reactions => REACTIONS,
        ItemOrder::Positive => "i.score",
        ItemOrder::Negative => "-i.score",
    };
    let window = match &filter.words {
        Some(wanted) if is_rare(conn, wanted).await? => ALL,
        _ if order == ItemOrder::New => STEP,
        _ => WINDOW,
    };
    // By time, the window begins where the last page ended; in other orders and without limit, with the latest item.
    let from = after.filter(|_| order == ItemOrder::New && window < ALL);
    let mut query = QueryBuilder::<Database>::new("WITH seen AS (");
    push_window(&mut query, filter, from, window);
    query
        // SQLite would otherwise read the topic's items again for each near-copy.
        .push("), matched AS MATERIALIZED (SELECT t.topic AS of, t.item AS item, i.cluster AS cluster, w.first_seen AS first_seen, CAST(")
        .push(value)
        .push(format!(" AS BIGINT) AS value, {} AS published, i.key AS key ", if order == ItemOrder::New { PUBLISHED } else { "0" }));
    query.push("FROM seen w JOIN topic_item t ON t.topic = w.of AND t.item = w.item JOIN item i ON i.id = t.item WHERE w.seq IS NOT NULL");
    push_matching(&mut query, filter, order, if window < ALL { WordCheck::Seen } else { WordCheck::Found });
    query.push("), page AS (SELECT m.of, m.item, m.value, m.published, m.key FROM matched m WHERE 1 = 1");
    // By time, other pages list the items outside a limited window.
    let is_part = order == ItemOrder::New && window < ALL;
    match (folded, is_part) {
        (true, true) => push_folded(&mut query, filter),
        (true, false) => push_folded_in_window(&mut query),
        (false, _) => {}
    }
    match after {
        Some(after) if order != ItemOrder::New => {
            query.push(" AND (m.value < ").push_bind(after.value).push(" OR (m.value = ").push_bind(after.value);
            query.push(" AND m.key > ").push_bind(after.key.clone()).push("))");
        }
        Some(after) if window == ALL => push_after(&mut query, ["m.value", "m.published", "m.key"], after),
        _ => {}
    }
    query.push(" ORDER BY m.value DESC, m.published DESC, m.key LIMIT ").push_bind(limit + 1).push(") ");
    query.push(read::ITEM.replacen("SELECT ", "SELECT page.value AS value, ", 1));
    query.push(
        " JOIN page ON page.item = t.item AND page.of = t.topic ORDER BY page.value DESC, page.published DESC, i.key",
    );
    let rows = query.build().persistent(false).fetch_all(&mut *conn).await?;
    let mut list = Vec::with_capacity(rows.len());
    for row in &rows {
        let item = read::item(row)?;
        list.push((ItemCursor { value: row.try_get("value")?, key: item.key.clone() }, item));
    }
    let more = i64::try_from(list.len()).is_ok_and(|many| many > limit);
    list.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    let next = if more {
        list.last().map(|(place, _)| place.clone())
    } else if order == ItemOrder::New {
        end_of_window(conn, filter, from, window).await?
    } else {
        None
    };
    Ok(ListPage { rows: list.into_iter().map(|(_, item)| item).collect(), next, whole: window == ALL })
}

/// How items are checked for the filter's words.
#[derive(Clone, Copy)]
pub(super) enum WordCheck {
    /// All of them have the words.
    Found,
    /// They are those of the window.
    Seen,
    /// Each is looked up: for a few.
    Each,
}

/// Adds the filter's conditions on item `i` of topic row `t`, except for time.
pub(super) fn push_matching(query: &mut QueryBuilder<Database>, filter: &Filter, order: ItemOrder, words: WordCheck) {
    filter_conditions::items(query, &Filter { words: None, ..filter.clone() });
    if let Some(wanted) = &filter.words {
        match words {
            WordCheck::Found => {}
            WordCheck::Seen => tokens::push_among_seen(query.push(" AND "), wanted, "t.item"),
            WordCheck::Each => tokens::push_has(query.push(" AND "), wanted, "t.item"),
        }
    }
    filter_conditions::found_by_sources(query, filter, "q.topic = t.topic AND q.seq IS NOT NULL");
    if matches!(order, ItemOrder::Positive | ItemOrder::Negative) {
        query.push(" AND i.score IS NOT NULL");
    }
}

/// Keeps one item `m` of each cluster in a list by time: the first of the cluster if it matches, else the matching copy seen
/// first.
fn push_folded(query: &mut QueryBuilder<Database>, filter: &Filter) {
    query.push(" AND (m.cluster IS NULL OR m.cluster = m.item OR (");
    for (and, which) in [
        ("", "i.id = m.cluster"),
        (
            " AND ",
            "i.cluster = m.cluster AND i.cluster <> i.id AND (t.first_seen < m.first_seen OR (t.first_seen = m.first_seen AND i.key < m.key))",
        ),
    ] {
        query.push(and).push("NOT EXISTS (SELECT 1 FROM item i JOIN topic_item t ON t.item = i.id JOIN run f ON f.id = t.first_run WHERE ");
        query.push(which).push(" AND t.topic = m.of AND f.seq IS NOT NULL");
        push_since(query, filter);
        push_matching(query, filter, ItemOrder::New, WordCheck::Each);
        query.push(")");
    }
    query.push("))");
}

/// The same among the items of the window: items outside it are on no page. Reads them once, not once for each copy.
fn push_folded_in_window(query: &mut QueryBuilder<Database>) {
    query.push(
        " AND (m.cluster IS NULL OR m.cluster = m.item OR (m.cluster NOT IN (SELECT h.item FROM matched h) \
         AND m.item IN (SELECT ranked.item FROM (SELECT h.item AS item, \
           row_number() OVER (PARTITION BY h.cluster ORDER BY h.first_seen, h.key) AS place \
           FROM matched h WHERE h.cluster <> h.item) AS ranked WHERE ranked.place = 1)))",
    );
}

pub(super) fn push_since(query: &mut QueryBuilder<Database>, filter: &Filter) {
    if let Some(since) = filter.since {
        query.push(" AND t.first_seen >= ").push_bind(since.0);
    }
}

/// Returns items of the filter's one topic in the cluster of the given item, in order of first sighting; those whose
/// words were pruned last.
pub(in crate::store) async fn copies(
    conn: &mut Conn,
    filter: &Filter,
    key: &str,
    limit: i64,
) -> Result<Vec<ItemRow>, StoreError> {
    let mut query = QueryBuilder::<Database>::new(read::ITEM);
    query.push(" WHERE t.topic = ").push_bind(filter.topics.first().cloned().unwrap_or_default());
    query.push(" AND i.cluster = (SELECT c.cluster FROM item c WHERE c.key = ").push_bind(key.to_owned());
    query.push(") AND f.seq IS NOT NULL");
    // The index of copies contains all items of a cluster except the first, which is listed for it whenever it matches.
    query.push(" AND i.cluster <> i.id");
    push_since(&mut query, filter);
    push_matching(&mut query, filter, ItemOrder::New, WordCheck::Each);
    query
        .push(" ORDER BY CASE WHEN i.pruned_at IS NULL THEN 0 ELSE 1 END, t.first_seen, i.key LIMIT ")
        .push_bind(limit);
    query.build().persistent(false).fetch_all(conn).await?.iter().map(read::item).collect()
}

/// Returns whether the words are rare enough to begin with them.
async fn is_rare(conn: &mut Conn, wanted: &TextQuery) -> Result<bool, StoreError> {
    let mut query = QueryBuilder::<Database>::new("SELECT count(*) FROM (SELECT 1 AS one FROM ");
    tokens::push_found(&mut query, wanted);
    query.push(" AS every LIMIT ").push_bind(FEW + 1).push(") AS found");
    let found: i64 = query.build_query_scalar().persistent(false).fetch_one(conn).await?;
    Ok(found <= FEW)
}

/// Selects the latest items of the topic from a place on, without the other conditions.
fn push_window(query: &mut QueryBuilder<Database>, filter: &Filter, from: Option<&ItemCursor>, window: i64) {
    query.push(
        "SELECT t.topic AS of, t.item AS item, t.first_seen AS first_seen, coalesce(i.published_at, 0) AS published, \
         i.key AS key, f.seq AS seq \
         FROM topic_item t JOIN item i ON i.id = t.item JOIN run f ON f.id = t.first_run WHERE t.topic = ",
    );
    query.push_bind(filter.topics.first().cloned().unwrap_or_default());
    if let (Some(wanted), true) = (&filter.words, window == ALL) {
        query.push(" AND t.item IN ");
        tokens::push_found(query, wanted);
    }
    push_since(query, filter);
    // Items with rare words are found by their words.
    if window < ALL {
        filter_conditions::any_time(query, "t.first_seen", filter.since, from.map(|from| Time(from.value)));
    }
    if let Some(from) = from {
        push_after(query, ["t.first_seen", PUBLISHED, "i.key"], from);
    }
    query.push(format!(" ORDER BY t.first_seen DESC, {PUBLISHED} DESC, i.key LIMIT ")).push_bind(window);
}

/// Keeps items after a place in a topic's list by time. The columns are when each was first seen and published, and its key.
fn push_after(query: &mut QueryBuilder<Database>, [seen, published, key]: [&str; 3], from: &ItemCursor) {
    // The first half bounds the index scan; the second skips items already shown.
    query.push(format!(" AND {seen} <= ")).push_bind(from.value);
    query.push(format!(" AND ({seen} < ")).push_bind(from.value);
    push_published_before(query, published, &from.key);
    query.push(format!(" AND {key} > ")).push_bind(from.key.clone()).push("))");
}

/// Adds two conditions after an `OR`: an item was published before the item with a key, or at the same time and what the
/// caller adds. An item that was forgotten meanwhile bounds nothing: some items are then listed twice, none is lost.
fn push_published_before(query: &mut QueryBuilder<Database>, published: &str, key: &str) {
    for (and, compared) in [(" OR ", "<"), (" OR (", "=")] {
        query
            .push(and)
            .push(published)
            .push(compared)
            .push(" coalesce((SELECT coalesce(p.published_at, 0) FROM item p WHERE p.key = ");
        query.push_bind(key.to_owned()).push("), 9223372036854775807)");
    }
}

/// Returns where a full window ended, since there may be more items after it.
async fn end_of_window(
    conn: &mut Conn,
    filter: &Filter,
    from: Option<&ItemCursor>,
    window: i64,
) -> Result<Option<ItemCursor>, StoreError> {
    if window == ALL {
        return Ok(None);
    }
    let mut query = QueryBuilder::<Database>::new("SELECT w.first_seen, w.key FROM (");
    push_window(&mut query, filter, from, window);
    query.push(") AS w ORDER BY w.first_seen, w.published, w.key DESC LIMIT 1 OFFSET ").push_bind(0_i64);
    let mut many = QueryBuilder::<Database>::new("SELECT count(*) FROM (");
    push_window(&mut many, filter, from, window);
    many.push(") AS w");
    let found: i64 = many.build_query_scalar().persistent(false).fetch_one(&mut *conn).await?;
    if found < window {
        return Ok(None);
    }
    let row = query.build().persistent(false).fetch_optional(conn).await?;
    row.map(|row| Ok(ItemCursor { value: row.try_get("first_seen")?, key: row.try_get("key")? })).transpose()
}

/// Returns items as topics know them after a place, latest first sighting first, those of one
/// run by time of publication: the rows of an export of items.
pub(in crate::store) async fn items_after(
    conn: &mut Conn,
    filter: &Filter,
    after: Option<&AllItemsCursor>,
    limit: i64,
) -> Result<Vec<ItemRow>, StoreError> {
    let mut list = filter_conditions::latest_list(conn, filter, "t.topic").await?;
    let ahead = filter_conditions::ahead(conn, filter).await?;
    let is_common = match &filter.words {
        Some(wanted) => !is_rare(conn, wanted).await?,
        None => false,
    };
    // A column with a plus is not looked up in an index: all rows with common words would be found and sorted.
    let plus = if is_common && super::SORTS_SEVERAL_TOPICS { "+" } else { "" };
    if filter.topics.len() > 1 || !filter.tags.is_empty() {
        list.topic.insert_str(0, plus);
    }
    // Merged lists must contain the columns that they are ordered by.
    let select = read::ITEM.replacen("SELECT ", &format!("SELECT {PUBLISHED} AS published, "), 1);
    let mut query = QueryBuilder::<Database>::new("");
    for (place, filter) in list.parts.iter().enumerate() {
        query.push(if place > 0 { " UNION ALL " } else { "" }).push(&select);
        let bounds = filter_conditions::from_place(filter, after.map(|after| after.first_seen));
        let bounds = Filter { since: filter.since.max(filter.new_since), ..bounds };
        filter_conditions::topics(&mut query, &bounds, &list.topic, "t.first_seen");
        if filter.words.is_none() || is_common {
            filter_conditions::any_time(&mut query, "t.first_seen", bounds.since, bounds.until);
        }
        filter_conditions::items(&mut query, &Filter { words: None, ..filter.clone() });
        if let Some(wanted) = &filter.words {
            query.push(" AND ").push(plus).push("i.id IN ");
            tokens::push_found(&mut query, wanted);
        }
        filter_conditions::marks_and_notes(&mut query, filter);
        filter_conditions::new(&mut query, filter, &ahead);
        filter_conditions::found_by_sources(&mut query, filter, "q.topic = t.topic AND q.seq IS NOT NULL");
        if let Some(after) = after {
            // Skips rows of the same instant already shown.
            query.push(" AND (t.first_seen < ").push_bind(after.first_seen.0);
            push_published_before(&mut query, PUBLISHED, &after.key);
            query.push(" AND (t.topic > ").push_bind(after.topic.clone()).push(" OR (t.topic = ");
            query.push_bind(after.topic.clone()).push(" AND i.key > ").push_bind(after.key.clone()).push("))))");
        }
        query.push(" AND f.seq IS NOT NULL");
    }
    query.push(format!(" ORDER BY t.first_seen DESC, {PUBLISHED} DESC, t.topic, i.key LIMIT ")).push_bind(limit);
    query.build().persistent(false).fetch_all(conn).await?.iter().map(read::item).collect()
}

/// Returns items of a topic by key.
pub(in crate::store) async fn items_by_key(
    conn: &mut Conn,
    topic: &str,
    keys: &[String],
) -> Result<Vec<ItemRow>, StoreError> {
    let list = serde_json::json!(keys).to_string();
    let sql = format!(
        "{} WHERE t.topic = $2 AND i.key IN (SELECT given.value FROM {}) AND f.seq IS NOT NULL ORDER BY i.key",
        read::ITEM,
        super::texts(1)
    );
    let rows = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(list).bind(topic).fetch_all(conn).await?;
    rows.iter().map(read::item).collect()
}
