//! Items that are known already, brought up to date: the last sighting, reactions, fields that were unknown, and words
//! that changed, of which the old ones are kept.

use sqlx::QueryBuilder;

use super::items::BATCH;
use super::resolve::{Content, Held, Resolved, merge};
use super::{Conn, Database};
use crate::model::Time;
use crate::store::{RunRef, StoreError};

/// Brings known items up to date: the last sighting never falls, unknown fields are filled, changed words are kept as a
/// revision. Items about which nothing changed but the time take part in one statement.
pub(super) async fn update_known(
    conn: &mut Conn,
    run: &RunRef,
    resolved: &[Resolved<'_>],
    seen_at: Time,
) -> Result<(), StoreError> {
    let mut known: Vec<(&Held, &Resolved<'_>)> =
        resolved.iter().filter_map(|item| item.held.as_ref().map(|held| (held, item))).collect();
    known.sort_by_key(|(held, _)| held.id);
    for chunk in known.chunks(BATCH) {
        let mut update = QueryBuilder::<Database>::new(
            "UPDATE item SET last_seen = CASE WHEN v.column2 > item.last_seen THEN v.column2 ELSE item.last_seen END, likes = v.column3, \
             reposts = v.column4, replies = v.column5, quotes = v.column6, bookmarks = v.column7, views = v.column8 FROM (",
        );
        update.push_values(chunk, |mut row, (held, item)| {
            // After a step back of the clock the stored numbers are the later ones.
            let engagement = if seen_at < held.last_seen {
                merge(held.engagement, item.engagement())
            } else {
                merge(item.engagement(), held.engagement)
            };
            row.push_bind(held.id).push_bind(seen_at.0);
            row.push_bind(engagement.likes).push_bind(engagement.reposts).push_bind(engagement.replies);
            row.push_bind(engagement.quotes).push_bind(engagement.bookmarks).push_bind(engagement.views);
        });
        update.push(") AS v WHERE item.id = v.column1").build().persistent(false).execute(&mut *conn).await?;
    }
    for (held, item) in known {
        let mut content = held.content.clone();
        let edited = seen_at >= held.last_seen && item.home_content().is_some_and(|now| revise(&mut content, &now));
        content.fill(&item.content());
        if edited {
            keep_revision(conn, run, held, seen_at).await?;
        }
        if content != held.content || (item.strong && !held.strong) {
            rewrite(conn, held, item, &content, edited).await?;
        }
    }
    Ok(())
}

/// Takes over words that changed; true when some did.
fn revise(content: &mut Content, now: &Content) -> bool {
    let mut changed = false;
    for (mine, new) in [(&mut content.title, &now.title), (&mut content.text, &now.text)] {
        if mine.is_some() && new.is_some() && mine != new {
            mine.clone_from(new);
            changed = true;
        }
    }
    changed
}

async fn keep_revision(conn: &mut Conn, run: &RunRef, held: &Held, seen_at: Time) -> Result<(), StoreError> {
    sqlx::query("INSERT INTO item_revision (item, run, replaced_at, title, text) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (item, run) DO NOTHING")
        .bind(held.id)
        .bind(run.id)
        .bind(seen_at.0)
        .bind(&held.content.title)
        .bind(&held.content.text)
        .execute(conn)
        .await?;
    Ok(())
}

async fn rewrite(
    conn: &mut Conn,
    held: &Held,
    item: &Resolved<'_>,
    content: &Content,
    edited: bool,
) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE item SET strong = $1, post_id = $2, url = $3, author = $4, author_name = $5, title = $6, text = $7, lang = $8, published_at = $9, \
         is_repost = $10, is_quote = $11, conversation_id = $12, revisions = revisions + $13 WHERE id = $14",
    )
    .bind(i64::from(item.strong || held.strong))
    .bind(&content.post_id)
    .bind(&content.url)
    .bind(&content.author)
    .bind(&content.author_name)
    .bind(&content.title)
    .bind(&content.text)
    .bind(&content.lang)
    .bind(content.published_at.map(|t| t.0))
    .bind(content.is_repost.map(i64::from))
    .bind(content.is_quote.map(i64::from))
    .bind(&content.conversation_id)
    .bind(i64::from(edited))
    .bind(held.id)
    .execute(conn)
    .await?;
    Ok(())
}
