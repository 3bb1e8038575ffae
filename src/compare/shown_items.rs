//! Items that are listed for somebody: with what was learned of them, without what their topic's filter hides, each with its
//! near-copies and whether it lay in the window of the search that found it first.

use super::{Filtered, Hiding, Ranking};
use crate::model::{CopyRow, ItemRow, WindowFit};
use crate::store::{Filter as ListFilter, Store, StoreError};

/// How items of a topic are shown.
#[derive(Debug, Clone, Copy)]
pub struct Showing<'a> {
    pub topic: &'a str,
    /// Whether to show items that the topic's filter hides.
    pub filtered: Filtered,
    /// Whether likely noise is left out.
    pub without_noise: bool,
    /// Whether only what counts as new is wanted: nothing that lay outside the window when it was found.
    pub only_new: bool,
    /// Near-copies that are read for each; `None` where they stand as rows of their own.
    pub copies: Option<u32>,
    /// What the items were listed by, where one of each cluster stands for the others.
    pub folded: Option<&'a ListFilter>,
}

/// Copies that are looked at for one that may stand for a hidden item.
const STAND_INS: u32 = 50;

/// The item itself, or where the topic's filter hides it the first of its near-copies that it does not hide: only one of a cluster
/// was listed.
pub async fn shown_or_copy(
    store: &Store,
    hiding: &mut Hiding,
    folded: Option<&ListFilter>,
    row: ItemRow,
) -> Result<Option<ItemRow>, StoreError> {
    if hiding.item(&row) {
        return Ok(Some(row));
    }
    let Some(filter) = folded.filter(|_| row.cluster.is_some()) else { return Ok(None) };
    let copies = store.matching_copies(filter, &row.key, STAND_INS).await?;
    Ok(copies.into_iter().find(|copy| copy.key != row.key && hiding.item(copy)))
}

/// An item that is shown.
#[derive(Debug)]
pub struct ShownItem {
    pub row: ItemRow,
    /// Whether it lay in the window of the search that found it first.
    pub fit: WindowFit,
    /// Its near-copies: how many there are, and the first of them.
    pub copies: (i64, Vec<CopyRow>),
}

/// What is shown of a page of items, and how many were left out.
#[derive(Debug)]
pub struct ShownItems {
    pub items: Vec<ShownItem>,
    /// By the topic's filter.
    pub hidden: u64,
    /// Since they lay outside the window.
    pub outside: u64,
    /// Likely noise, shown or not.
    pub noise: usize,
}

/// What of these rows is shown.
pub async fn shown_items(
    store: &Store,
    ranking: Option<&Ranking>,
    mut rows: Vec<ItemRow>,
    how: Showing<'_>,
) -> Result<ShownItems, StoreError> {
    let noise = ranking.map_or(0, |ranking| ranking.apply(&mut rows, how.without_noise));
    let topics = [how.topic.to_owned()];
    let mut hiding = Hiding::of(store, &topics, how.filtered).await?;
    let mut shown = ShownItems { items: Vec::new(), hidden: 0, outside: 0, noise };
    let mut kept = Vec::with_capacity(rows.len());
    for row in rows {
        let Some(row) = shown_or_copy(store, &mut hiding, how.folded, row).await? else { continue };
        kept.push(row);
    }
    let keys: Vec<String> = kept.iter().map(|row| row.key.clone()).collect();
    let mut fits = store.first_fits(Some(how.topic), &keys).await?;
    for row in kept {
        let fit = fits.remove(&(how.topic.to_owned(), row.key.clone())).unwrap_or(WindowFit::Undated);
        // Kept, but not new: it lay outside the window of the search that found it first.
        if how.only_new && fit == WindowFit::Outside {
            shown.outside += 1;
            continue;
        }
        let copies = match (&row.cluster, how.copies) {
            (Some(head), Some(many)) if how.folded.is_some() || *head == row.key => {
                store.copies_of(&row.key, Some(&topics), many).await?
            }
            _ => (0, Vec::new()),
        };
        shown.items.push(ShownItem { row, fit, copies });
    }
    shown.hidden = hiding.hidden();
    Ok(shown)
}
