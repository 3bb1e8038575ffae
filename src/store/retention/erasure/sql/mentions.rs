//! Texts stored besides items that may name somebody: answers, messages, queries and error texts. The caller reads them
//! page by page, finds those that name somebody, and has them blanked by row id.

use sqlx::{AssertSqlSafe, Row as _};

use super::Conn;
use super::resolve::to_json;
use crate::store::{ERASED, Mention, MentionPlace, StoreError};

/// How a place is read and blanked: its id column and whether that is a number, its text columns, its table, and the
/// `SET`.
struct PlaceSql {
    id: &'static str,
    number: bool,
    texts: &'static [&'static str],
    table: &'static str,
    /// Empty if the whole row is deleted.
    set: String,
    /// Restricts the rows that may be read and blanked.
    only: &'static str,
}

fn place_sql(place: MentionPlace) -> PlaceSql {
    let blanked = |columns: &[&str]| {
        let each = columns.iter().map(|c| format!("{c} = CASE WHEN {c} IS NULL THEN NULL ELSE '{ERASED}' END"));
        each.collect::<Vec<_>>().join(", ")
    };
    let way = |table, id, number, texts, set| PlaceSql { id, number, texts, table, set, only: "1 = 1" };
    match place {
        MentionPlace::Answers => {
            way("answer", "run", true, &["text", "cited"], format!("text = '{ERASED}', cited = '[]'"))
        }
        // A message not sent yet is not sent any more: it would be empty.
        MentionPlace::Messages => way(
            "outbox",
            "event",
            false,
            &["subject", "text", "html", "data"],
            format!(
                "subject = '{ERASED}', text = '', html = NULL, data = NULL, token = NULL, lease_until = NULL, \
                 error = CASE WHEN state = 'sent' THEN error ELSE 'it contained forgotten content' || \
                 CASE kind WHEN 'report' THEN '; create the report again' ELSE '' END END, \
                 state = CASE WHEN state = 'sent' THEN 'sent' ELSE 'dead' END"
            ),
        ),
        MentionPlace::Alerts => way(
            "alert_event",
            "event",
            false,
            &["subject", "summary", "lines"],
            format!("summary = '{ERASED}', lines = '[]'"),
        ),
        MentionPlace::Reports => way("report", "run", false, &["subject"], format!("subject = '{ERASED}'")),
        MentionPlace::Queries => way("search", "id", true, &["query"], blanked(&["query", "error_text"])),
        MentionPlace::SearchErrors => way("search", "id", true, &["error_text"], blanked(&["error_text"])),
        // Definitions still in use stay; the caller reports them.
        MentionPlace::Jobs => PlaceSql {
            only: "removed_at IS NOT NULL",
            ..way(
                "job",
                "id",
                false,
                &["definition"],
                // Title and tags are part of the definition.
                format!(
                    "definition = '{{}}', {}, tags = CASE WHEN tags IS NULL THEN NULL ELSE '[]' END",
                    blanked(&["title"])
                ),
            )
        },
        MentionPlace::Editions => {
            let id = "(export || ' ' || CAST(number AS TEXT))";
            let set = "definition = '{}'".to_owned();
            PlaceSql { only: "files IS NOT NULL", ..way("export_edition", id, false, &["definition"], set) }
        }
        MentionPlace::Pauses => way("job", "id", false, &["pause_reason"], blanked(&["pause_reason"])),
        MentionPlace::Notes => way("item_note", "item", true, &["note"], format!("note = '{ERASED}'")),
        MentionPlace::SavedSearches => way("saved_search", "name", false, &["name", "filters"], String::new()),
        MentionPlace::RunErrors => way("run", "id", true, &["error_text"], blanked(&["error_text"])),
        MentionPlace::RunReasons => way("run", "id", true, &["reason"], blanked(&["reason"])),
    }
}

/// Returns rows after one, in an order of their ids.
pub(in crate::store) async fn page(
    conn: &mut Conn,
    place: MentionPlace,
    after: &str,
    most: i64,
) -> Result<Vec<Mention>, StoreError> {
    let PlaceSql { id, number, texts, table, only, .. } = place_sql(place);
    let some: Vec<String> = texts.iter().map(|text| format!("{text} IS NOT NULL")).collect();
    let (bound, after) = match number {
        true => ("CAST($1 AS BIGINT)", if after.is_empty() { "0" } else { after }),
        false => ("$1", after),
    };
    // Editions come in the order of their primary key: no index has their ids, so otherwise each page would read and
    // sort all of them.
    let edition = (place == MentionPlace::Editions).then(|| {
        let (export, number) = after.rsplit_once(' ').unwrap_or(("", "0"));
        (export, number.parse::<i64>().unwrap_or(0))
    });
    let (beyond, order) = match edition {
        Some(_) => ("(export, number) > ($1, $3)".to_owned(), "export, number"),
        None => (format!("{id} > {bound}"), id),
    };
    let sql = format!(
        "SELECT CAST({id} AS TEXT) AS row_id, {} FROM {table} WHERE {beyond} AND {only} AND ({}) ORDER BY {order} LIMIT $2",
        texts.join(", "),
        some.join(" OR ")
    );
    let query = sqlx::query(AssertSqlSafe(sql));
    let query = match edition {
        Some((export, number)) => query.bind(export).bind(most).bind(number),
        None => query.bind(after).bind(most),
    };
    let rows = query.fetch_all(conn).await?;
    rows.iter()
        .map(|row| {
            let text = |name: &&str| row.try_get::<Option<String>, _>(*name);
            let texts = texts.iter().map(text).collect::<Result<Vec<_>, _>>()?;
            Ok(Mention { id: row.try_get("row_id")?, texts: texts.into_iter().flatten().collect() })
        })
        .collect()
}

/// Blanks rows and returns how many.
pub(in crate::store) async fn blank(conn: &mut Conn, place: MentionPlace, ids: &[String]) -> Result<u64, StoreError> {
    let PlaceSql { id, number, table, set, only, .. } = place_sql(place);
    let value = if number { "CAST(given.value AS BIGINT)" } else { "given.value" };
    let write = if set.is_empty() { format!("DELETE FROM {table}") } else { format!("UPDATE {table} SET {set}") };
    let sql = format!("{write} WHERE {only} AND {id} IN (SELECT {value} FROM {})", super::texts(1));
    Ok(sqlx::query(AssertSqlSafe(sql)).bind(to_json(ids)?).execute(conn).await?.rows_affected())
}

/// Returns the configured jobs and their stored definitions.
pub(in crate::store) async fn jobs(conn: &mut Conn) -> Result<Vec<(String, String)>, StoreError> {
    let rows =
        sqlx::query("SELECT id, definition FROM job WHERE removed_at IS NULL ORDER BY id").fetch_all(conn).await?;
    rows.iter().map(|row| Ok((row.try_get("id")?, row.try_get("definition")?))).collect()
}

/// Deletes raw replies and returns how many.
pub(in crate::store) async fn delete_raw_replies(conn: &mut Conn, searches: &[i64]) -> Result<u64, StoreError> {
    let sql = format!("DELETE FROM raw_reply WHERE search IN (SELECT given.value FROM {})", super::numbers(1));
    Ok(sqlx::query(AssertSqlSafe(sql)).bind(to_json(searches)?).execute(conn).await?.rows_affected())
}
