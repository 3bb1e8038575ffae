//! Tombstones: adding them, and keeping out what they name when runs end. `erase` removes what is already stored.

use std::collections::{BTreeMap, BTreeSet};

use sqlx::Row as _;

use super::resolve::{fetch_json, to_json};
use super::{Conn, erase, read};
use crate::model::{
    AccessChanges, Answer, ResultKind, Source, Time, page_key_of_entry, page_keys_of_post, result_kind,
};
use crate::store::{
    Counts, ERASED, ForgetKey, Outcome, RunRef, SearchResult, SeenItem, StoreError, Tombstone, TombstoneKind,
    Tombstones, unpack,
};

/// The part of a run's outcome that may be stored.
pub(in crate::store) struct FilteredOutcome {
    pub(in crate::store) outcome: Outcome,
    /// The number of sightings that were kept out.
    pub(in crate::store) erased: i64,
    /// How many entries of each reply were kept out. They still count as found, as they do in runs before the erasure.
    pub(in crate::store) refused: BTreeMap<Source, Counts>,
}

/// Returns the key of this database's hashes; it exists as soon as anything was forgotten.
pub(in crate::store) async fn key(conn: &mut Conn) -> Result<Option<ForgetKey>, StoreError> {
    let text: Option<String> =
        sqlx::query_scalar("SELECT value FROM store_info WHERE name = 'forget_key'").fetch_optional(conn).await?;
    let read = |text: String| ForgetKey::parse(&text).ok_or_else(|| StoreError::unreadable("a key of tombstones"));
    text.map(read).transpose()
}

/// Returns all tombstones, each with whether everything it names is erased.
pub(in crate::store) async fn all(conn: &mut Conn) -> Result<Vec<(Tombstone, bool)>, StoreError> {
    let rows = sqlx::query("SELECT hash, kind, at, done FROM forgotten ORDER BY at, hash").fetch_all(conn).await?;
    rows.iter()
        .map(|row| {
            let kind = read::word(row, "kind", TombstoneKind::parse)?;
            let tombstone = Tombstone { kind, hash: row.try_get("hash")?, at: Time(row.try_get("at")?) };
            Ok((tombstone, row.try_get::<i64, _>("done")? != 0))
        })
        .collect()
}

/// Returns the number of tombstones whose erasure is not complete.
pub(in crate::store) async fn open(conn: &mut Conn) -> Result<i64, StoreError> {
    Ok(sqlx::query_scalar("SELECT count(*) FROM forgotten WHERE done = 0").fetch_one(conn).await?)
}

/// Adds tombstones: once this transaction is committed, nothing that they name is stored. Uses `key` if there is none.
/// Returns the changed tokens and links of the named topics.
pub(in crate::store) async fn begin(
    conn: &mut Conn,
    names: &[(TombstoneKind, String)],
    key: ForgetKey,
    now: Time,
) -> Result<AccessChanges, StoreError> {
    // Findings of runs that end now are either stored before this and erased, or come after it and are refused.
    super::lock(conn, super::resolve::ITEMS_LOCK).await?;
    let key = take_key(conn, key).await?;
    let mut changed = AccessChanges::default();
    for (kind, name) in names {
        if *kind == TombstoneKind::Topic {
            changed.add(erase::close_topic(conn, name, now).await?);
        }
        add(conn, &Tombstone { kind: *kind, hash: key.hash(*kind, name), at: now }, false).await?;
    }
    Ok(changed)
}

/// Imports tombstones made with the same key and marks them for erasure. Returns how many are new.
pub(in crate::store) async fn import(conn: &mut Conn, key: ForgetKey, all: &[Tombstone]) -> Result<u64, StoreError> {
    super::lock(conn, super::resolve::ITEMS_LOCK).await?;
    if take_key(conn, key).await? != key {
        return Err(StoreError::refused(
            "these tombstones were made with a different key from those of this database",
            "they belong to another database, so what they identify is unknown here",
        ));
    }
    let hashes: BTreeSet<&str> = all.iter().map(|one| one.hash.as_str()).collect();
    let known = among_tombstones(conn, &hashes).await?;
    let mut new = 0;
    for tombstone in all.iter().filter(|one| !known.contains(&one.hash)) {
        add(conn, tombstone, false).await?;
        new += 1;
    }
    Ok(new)
}

/// Returns those of these hashes that are tombstones.
pub(in crate::store) async fn among_tombstones(
    conn: &mut Conn,
    hashes: &BTreeSet<&str>,
) -> Result<BTreeSet<String>, StoreError> {
    let sql = format!(
        "SELECT {} FROM {} CROSS JOIN forgotten f WHERE f.hash = given.value",
        super::rows_in_one("f.hash"),
        super::texts(1)
    );
    Ok(fetch_json::<(String,)>(conn, sql, [to_json(hashes)?]).await?.into_iter().map(|(hash,)| hash).collect())
}

/// Returns those of these keys that name forgotten items.
pub(in crate::store) async fn keys_among<'k>(
    conn: &mut Conn,
    keys: &BTreeSet<&'k str>,
) -> Result<BTreeSet<&'k str>, StoreError> {
    let Some(key) = key(conn).await? else { return Ok(BTreeSet::new()) };
    let named = keys.iter().flat_map(|name| [Some(*name), page_key_of_entry(name)].map(|of| Some((of?, *name))));
    let hashes: Vec<(String, &str)> =
        named.flatten().map(|(of, name)| (key.hash(TombstoneKind::Item, of), name)).collect();
    let met = among_tombstones(conn, &hashes.iter().map(|(hash, _)| hash.as_str()).collect()).await?;
    Ok(hashes.iter().filter(|(hash, _)| met.contains(hash)).map(|(_, name)| *name).collect())
}

/// Marks the erasure of these tombstones as complete.
pub(in crate::store) async fn close(conn: &mut Conn, hashes: &BTreeSet<&str>) -> Result<(), StoreError> {
    let sql = format!(
        "UPDATE forgotten SET done = 1 WHERE done = 0 AND hash IN (SELECT given.value FROM {})",
        super::texts(1)
    );
    sqlx::query(sqlx::AssertSqlSafe(sql)).bind(to_json(hashes)?).execute(conn).await?;
    Ok(())
}

/// Returns when the first erased item of the open tombstones was first seen.
pub(in crate::store) async fn since(conn: &mut Conn) -> Result<Option<Time>, StoreError> {
    let since: Option<i64> =
        sqlx::query_scalar("SELECT min(since) FROM forgotten WHERE done = 0").fetch_one(conn).await?;
    Ok(since.map(Time))
}

async fn take_key(conn: &mut Conn, wanted: ForgetKey) -> Result<ForgetKey, StoreError> {
    if let Some(stored) = key(conn).await? {
        let any: i64 = sqlx::query_scalar("SELECT count(*) FROM forgotten").fetch_one(&mut *conn).await?;
        if any > 0 || stored == wanted {
            return Ok(stored);
        }
    }
    sqlx::query(
        "INSERT INTO store_info (name, value) VALUES ('forget_key', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    )
    .bind(wanted.to_hex())
    .execute(conn)
    .await?;
    Ok(wanted)
}

/// Adds a tombstone; one that exists already is marked for erasure again.
async fn add(conn: &mut Conn, tombstone: &Tombstone, done: bool) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO forgotten (hash, kind, at, done) VALUES ($1, $2, $3, $4) ON CONFLICT (hash) DO UPDATE SET \
         at = CASE WHEN forgotten.kind = 'topic' THEN excluded.at ELSE forgotten.at END, \
         done = CASE WHEN excluded.done = 0 THEN 0 ELSE forgotten.done END",
    )
    .bind(&tombstone.hash)
    .bind(tombstone.kind.as_str())
    .bind(tombstone.at.0)
    .bind(i64::from(done))
    .execute(conn)
    .await?;
    Ok(())
}

/// Returns the tombstones that may match these items, and items that an answer cites: those of all authors, which are few,
/// and of these keys.
pub(in crate::store) async fn for_items<'i>(
    conn: &mut Conn,
    items: impl Iterator<Item = &'i SeenItem>,
    cited: impl Iterator<Item = &'i String>,
) -> Result<Option<(ForgetKey, Tombstones)>, StoreError> {
    let Some(key) = key(conn).await? else { return Ok(None) };
    let authors: Vec<String> =
        sqlx::query_scalar("SELECT hash FROM forgotten WHERE kind = 'author'").fetch_all(&mut *conn).await?;
    let names: BTreeSet<String> = items.flat_map(names_of).chain(cited.cloned()).collect();
    // Forgetting a page forgets its entries, too.
    let pages = names.iter().filter_map(|name| page_key_of_entry(name));
    let all = names.iter().map(String::as_str).chain(pages);
    let hashes: BTreeSet<String> = all.map(|name| key.hash(TombstoneKind::Item, name)).collect();
    let met = among_tombstones(conn, &hashes.iter().map(String::as_str).collect()).await?;
    let mut tombstones = Tombstones::new(key, []);
    authors.iter().for_each(|hash| tombstones.add(TombstoneKind::Author, hash));
    met.iter().for_each(|hash| tombstones.add(TombstoneKind::Item, hash));
    Ok(Some((key, tombstones)))
}

/// Returns the names under which an item may have been forgotten: its keys, and those of the pages at its own address.
fn names_of(item: &SeenItem) -> BTreeSet<String> {
    let urls = item.sightings.iter().map(|sighting| sighting.found.url.as_deref());
    let pages = item.keys.iter().flat_map(|key| urls.clone().flat_map(move |url| page_keys_of_post(key, url)));
    item.keys.iter().cloned().chain(pages).collect()
}

/// Returns whether an item must not be stored.
pub(in crate::store) fn is_forgotten(tombstones: &Tombstones, item: &SeenItem) -> bool {
    let by_author =
        |author: &Option<String>| author.as_deref().is_some_and(|name| tombstones.has(TombstoneKind::Author, name));
    names_of(item).iter().any(|name| tombstones.has(TombstoneKind::Item, name))
        || item.sightings.iter().any(|sighting| by_author(&sighting.found.author))
}

/// Returns for each of these items whether it must not be stored.
pub(in crate::store) async fn are_forgotten(conn: &mut Conn, items: &[&SeenItem]) -> Result<Vec<bool>, StoreError> {
    let tombstones =
        for_items(conn, items.iter().copied(), std::iter::empty()).await?.map(|(_, tombstones)| tombstones);
    let is = |item: &&SeenItem| tombstones.as_ref().is_some_and(|tombstones| is_forgotten(tombstones, item));
    Ok(items.iter().map(is).collect())
}

/// Returns what may be stored of these runs; `None` means all of it. The caller must hold the items' lock.
pub(in crate::store) async fn filter_outcomes(
    conn: &mut Conn,
    ends: &[(&RunRef, &Outcome)],
) -> Result<Vec<Option<FilteredOutcome>>, StoreError> {
    let items = ends.iter().flat_map(|(_, outcome)| &outcome.items);
    let answers = ends.iter().filter_map(|(_, outcome)| outcome.answer.as_ref());
    let cited: Vec<&String> = answers.flat_map(|(_, cited)| cited).collect();
    let Some((key, tombstones)) = for_items(conn, items, cited.into_iter()).await? else {
        return Ok(ends.iter().map(|_| None).collect());
    };
    let mut all = Vec::with_capacity(ends.len());
    for (_, outcome) in ends {
        let refused: Vec<&SeenItem> = outcome.items.iter().filter(|item| is_forgotten(&tombstones, item)).collect();
        refuse(conn, key, &refused, outcome.seen_at).await?;
        all.push(filter_outcome(&tombstones, outcome, &refused));
    }
    Ok(all)
}

/// Leaves tombstones of all keys of refused items, and erases those stored before their author was known.
pub(in crate::store) async fn refuse(
    conn: &mut Conn,
    key: ForgetKey,
    refused: &[&SeenItem],
    now: Time,
) -> Result<(), StoreError> {
    if refused.is_empty() {
        return Ok(());
    }
    let keys: BTreeSet<String> = refused.iter().flat_map(|item| names_of(item)).collect();
    erase::add_key_tombstones(conn, key, &keys, now).await?;
    let sql = format!(
        "SELECT {} FROM {} CROSS JOIN item_key k WHERE k.key = given.value",
        super::rows_in_one("k.item"),
        super::texts(1)
    );
    let ids: BTreeSet<i64> =
        fetch_json::<(i64,)>(conn, sql, [to_json(&keys)?]).await?.into_iter().map(|(id,)| id).collect();
    let ids: Vec<i64> = ids.into_iter().collect();
    erase::items(conn, Some(key), &ids, now).await?;
    Ok(())
}

fn filter_outcome(tombstones: &Tombstones, outcome: &Outcome, refused: &[&SeenItem]) -> Option<FilteredOutcome> {
    let of = |source| refused.iter().any(|item| item.sightings.iter().any(|sighting| sighting.source == source));
    // Also drop replies that name them elsewhere, for example in a quotation, and replies that cannot be unpacked.
    let names =
        |body: &[u8]| unpack(body).is_none_or(|body| tombstones.mentions_forgotten(&String::from_utf8_lossy(&body)));
    let cites = |cited: &[String]| {
        cited.iter().any(|name| {
            tombstones.has(TombstoneKind::Item, name) || refused.iter().any(|item| item.keys.contains(name))
        })
    };
    let answer = outcome
        .answer
        .as_ref()
        .is_some_and(|(answer, cited)| cites(cited) || tombstones.mentions_forgotten(&answer.text));
    // The reply of a blanked answer contains the same names as the answer.
    let of_answer =
        |search: &SearchResult| answer && result_kind(search.source, search.operation) == ResultKind::Answer;
    let dropped: Vec<bool> = outcome
        .searches
        .iter()
        .map(|search| search.raw.as_ref().is_some_and(|raw| of(search.source) || of_answer(search) || names(&raw.body)))
        .collect();
    let errors = outcome.searches.iter().map(|search| &search.error).chain([&outcome.error]);
    let named = errors.flatten().any(|(_, text)| tombstones.mentions_forgotten(text));
    if refused.is_empty() && !answer && !named && !dropped.contains(&true) {
        return None;
    }
    let mut kept = outcome.clone();
    kept.items.retain(|item| !is_forgotten(tombstones, item));
    for (search, dropped) in kept.searches.iter_mut().zip(dropped) {
        search.raw = search.raw.take().filter(|_| !dropped);
        blank(tombstones, &mut search.error);
    }
    blank(tombstones, &mut kept.error);
    if let Some((answer, cited)) = kept.answer.as_mut().filter(|_| answer) {
        *answer = Answer { text: ERASED.to_owned(), ..answer.clone() };
        cited.clear();
    }
    let erased = refused.iter().map(|item| item.sightings.len()).sum::<usize>();
    let erased = i64::try_from(erased).unwrap_or(i64::MAX);
    Some(FilteredOutcome { outcome: kept, erased, refused: count_refused(refused) })
}

/// Counts the entries of refused items, by source. None is new: its topic had seen it, or must not.
fn count_refused(refused: &[&SeenItem]) -> BTreeMap<Source, Counts> {
    let mut counts: BTreeMap<Source, Counts> = BTreeMap::new();
    for item in refused {
        for finding in &item.sightings {
            let repeats = item.repeats.iter().filter(|(source, _)| *source == finding.source);
            let entries = 1 + repeats.map(|(_, more)| i64::from(*more)).sum::<i64>();
            *counts.entry(finding.source).or_default() += Counts::of_item(entries, 0, finding.fit);
        }
    }
    counts
}

fn blank(tombstones: &Tombstones, error: &mut Option<(String, String)>) {
    if let Some((_, text)) = error.as_mut().filter(|(_, text)| tombstones.mentions_forgotten(text)) {
        *text = ERASED.to_owned();
    }
}
