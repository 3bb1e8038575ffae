//! Prepares items for a list: rates them, leaves out those that their topic's filter hides, and adds their
//! near-copies and whether each lay in the window of the search that found it first.

use std::collections::BTreeSet;

use super::{FilterMode, Ranking, RowFilter};
use crate::model::{CopyRow, ItemRow, Time, WindowFit};
use crate::store::{Filter as ListFilter, Store, StoreError};

/// How to show the items of a topic.
#[derive(Debug, Clone, Copy)]
pub struct ListOptions<'a> {
    pub topic: &'a str,
    /// What to do with items that the topic's filter hides.
    pub filtered: FilterMode,
    /// Whether to leave out likely noise.
    pub without_noise: bool,
    /// If set, only items that are new since this time: not those outside the window when they were found, and not
    /// those stored earlier by a clock that was ahead.
    pub new_since: Option<Time>,
    /// Near-copies to read for each item; `None` if they are rows of their own.
    pub copies: Option<u32>,
    /// The filter that listed the items, if it listed only one item of each cluster.
    pub folded: Option<&'a ListFilter>,
}

/// Copies that are checked for one to show instead of a hidden item.
const STAND_INS: u32 = 50;

/// Near-copies of an item that are checked if the topic has a filter; further ones count as shown.
const CHECKED_COPIES: u32 = 1_000;

/// Returns the item, or if the topic's filter hides it or its words were pruned, the first of its near-copies that can
/// be shown: the list holds only one item of a cluster.
pub async fn shown_or_copy(
    store: &Store,
    row_filter: &mut RowFilter,
    folded: Option<&ListFilter>,
    row: ItemRow,
) -> Result<Option<ItemRow>, StoreError> {
    let counted = row_filter.hidden_count();
    let is_shown = row_filter.shows_item(&row);
    let filter = folded.filter(|_| row.cluster.is_some() && !(is_shown && row.pruned_at.is_none()));
    let Some(filter) = filter else { return Ok(is_shown.then_some(row)) };
    let mut copies = store.matching_copies(filter, &row.key, STAND_INS).await?;
    copies.retain(|copy| copy.key != row.key && !(is_shown && copy.pruned_at.is_some()));
    let copy = copies.into_iter().find(|copy| row_filter.would_show_item(copy));
    // A row counts once, for itself or for the copy in its place, however many copies are hidden with it.
    if let Some(copy) = copy.as_ref().filter(|_| row_filter.hidden_count() == counted) {
        row_filter.shows_item(copy);
    }
    Ok(copy.or(is_shown.then_some(row)))
}

/// A shown item.
#[derive(Debug)]
pub struct ShownItem {
    pub row: ItemRow,
    /// Whether it lay in the window of the search that found it first.
    pub fit: WindowFit,
    /// Its near-copies: their number, and the first of them.
    pub copies: (i64, Vec<CopyRow>),
}

/// The shown items of a page, and how many were left out.
#[derive(Debug)]
pub struct ItemList {
    pub items: Vec<ShownItem>,
    /// Items that the topic's filter hides.
    pub hidden: u64,
    /// Items left out because they lay outside the window, or a clock was ahead.
    pub outside: u64,
    /// Likely noise that was left out.
    pub noise: usize,
}

/// Returns which of these rows to show.
pub async fn list_items(
    store: &Store,
    ranking: Option<&Ranking>,
    mut rows: Vec<ItemRow>,
    options: ListOptions<'_>,
) -> Result<ItemList, StoreError> {
    let noise = ranking.map_or(0, |ranking| ranking.apply(&mut rows, options.without_noise));
    let topics = [options.topic.to_owned()];
    let mut row_filter = RowFilter::of(store, &topics, options.filtered).await?;
    let mut list = ItemList { items: Vec::new(), hidden: 0, outside: 0, noise };
    let mut kept = Vec::with_capacity(rows.len());
    for row in rows {
        let (listed, is_pruned) = (row.key.clone(), row.pruned_at.is_some());
        let Some(row) = shown_or_copy(store, &mut row_filter, options.folded, row).await? else { continue };
        let hidden = Some(listed).filter(|listed| *listed != row.key && !is_pruned);
        kept.push((row, hidden));
    }
    let keys: Vec<String> = kept.iter().map(|(row, _)| row.key.clone()).collect();
    let mut fits = store.window_fits(Some(options.topic), &keys).await?;
    let ahead = match options.new_since {
        Some(since) => store.runs_ahead(since).await?,
        None => BTreeSet::new(),
    };
    for (row, hidden) in kept {
        let fit = fits.remove(&(options.topic.to_owned(), row.key.clone())).unwrap_or(WindowFit::Undated);
        // Stored, but not new: it lay outside the window of the search that found it first.
        if options.new_since.is_some() && (fit == WindowFit::Outside || ahead.contains(&row.first_run)) {
            list.outside += 1;
            continue;
        }
        let most = options.copies.unwrap_or_default();
        let read = if row_filter.leaves_out() { most.max(CHECKED_COPIES) } else { most };
        let (mut many, mut copies) = match (&row.cluster, options.copies, options.folded) {
            (Some(_), Some(_), Some(filter)) => store.copies_in_list(filter, &row.key, hidden.as_deref(), read).await?,
            (Some(head), Some(_), None) if *head == row.key => store.copies_of(&row.key, Some(&topics), read).await?,
            _ => (0, Vec::new()),
        };
        copies.retain(|copy| {
            let is_shown = row_filter.would_show_copy(options.topic, copy);
            many -= i64::from(!is_shown);
            is_shown
        });
        copies.truncate(most as usize);
        list.items.push(ShownItem { row, fit, copies: (many, copies) });
    }
    list.hidden = row_filter.hidden_count();
    Ok(list)
}
