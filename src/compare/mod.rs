//! Reads from the store what several readers need, and has `insight` work out the result: what changed between two
//! runs of a topic, which items the topics' filters hide, which sources fell silent, whether posts hold a word of the
//! question, how likely each item is good, whether what answers cite is stored, which terms of a period are news,
//! which items belong to one story or count for an alert, and the status and coverage of topics and their sources.
//! Formats nothing and decides nothing.

mod alert_rows;
mod alert_window;
mod citations;
mod comparison_start;
mod coverage;
mod filtering;
mod first_seen;
mod item_key;
mod item_list;
mod ranking;
mod relevance;
mod row_filter;
mod run_range;
mod source_health;
mod source_status;
mod story;
mod terms;
mod topic_json;

pub use alert_rows::{WordFilters, alert_item_keys, changes_of_run, count_without_text, matching_items};
pub use alert_window::{
    AlertWindow, WindowAnswers, alert_window, counts_items_of, pruned_sources_until, window_answers, window_items,
    window_of_run,
};
pub use citations::{Citation, Citations, cited, restrict_to_topics};
pub use comparison_start::{NoStart, begin};
pub use coverage::{CoveragePeriod, LATELY, TopicCoverage, coverage, mark_missed};
pub use filtering::{FilteredItems, any_filter, apply_filter};
pub use first_seen::{FirstSeen, first_seen};
pub use item_key::{find_item_key, find_item_key_within};
pub use item_list::{ItemList, ListOptions, ShownItem, list_items, shown_or_copy};
pub use ranking::{Ranking, Rankings, items_to_mark, items_to_mark_and_ranking};
pub use relevance::{LEAST_POSTS, Relevance, relevance};
pub use row_filter::{FilterMode, RowFilter, hidden_new};
pub use run_range::{Since, run_range};
pub use source_health::{Health, MOST_JUDGED, health};
pub use source_status::{STATES, SourceHistory, SourceStatus};
pub use story::{MOST_ITEMS, story};
pub use terms::between::{MOST_TERM_DAYS, TermsOptions, terms_between};
pub use terms::items::TermsAsked;
pub use terms::rows::{
    ComparedWith, NoTermsReason, StandOutReason, StandOutRows, TermRise, TermRow, TermSample, ThemeRow, TopicTerms,
};
pub use terms::topic_terms;
pub use topic_json::{next_slot_of, topic_card_json};

use std::collections::BTreeMap;

use crate::filter::Filter;
use crate::insight::{ChangeInput, Changes, SourceChanges, changes, gone_query, growth_ranges, source_queries};
use crate::model::{Growth, SeqRange, Source, Topic};
use crate::store::{MOST_SIGHTS, Store, StoreError};

/// Reads how reactions grew: at once if the same runs are compared for all sources, as is usual.
async fn growths(store: &Store, topic: &str, ranges: &BTreeMap<Source, SeqRange>) -> Result<Vec<Growth>, StoreError> {
    let mut all = Vec::new();
    match ranges.values().next() {
        Some(range) if ranges.values().all(|other| other == range) => {
            all = store.engagement_growth(topic, *range, None).await?;
        }
        _ => {
            for (source, range) in ranges {
                all.extend(store.engagement_growth(topic, *range, Some(*source)).await?);
            }
        }
    }
    Ok(all)
}

/// Returns what changed in a span of a topic's runs. Each list holds at most `most` rows. `alone` leaves out edited
/// words that only another topic saw, for readers who may not see all topics. A stored filter that this version
/// cannot read hides nothing.
pub async fn changes_between(
    store: &Store,
    topic: &Topic,
    between: SeqRange,
    most: usize,
    alone: bool,
) -> Result<Changes, StoreError> {
    let id = topic.id.as_str();
    let window = topic.window.length();
    let snapshots = store.snapshots(id, between).await?;
    let last = match gone_query(&snapshots, between, window) {
        Some(needs) => store.lost_items(id, needs.between, needs.published_since).await?,
        None => Vec::new(),
    };
    let input = ChangeInput {
        between,
        window,
        run_before: store.run_before(id, between.since).await?,
        first: store.new_items(id, between).await?,
        last,
        edits: store.edits(id, between, alone).await?,
        growths: growths(store, id, &growth_ranges(&snapshots, between)).await?,
        most_rows: usize::try_from(MOST_SIGHTS).unwrap_or(usize::MAX),
        snapshots,
    };
    Ok(changes(&input, &filter_of(topic), most))
}

/// The queries in force in a span, by source, and when they changed. Counts no items.
pub async fn queries_between(store: &Store, topic: &str, between: SeqRange) -> Result<Vec<SourceChanges>, StoreError> {
    Ok(source_queries(&store.snapshots(topic, between).await?, between))
}

/// The filter of a stored definition.
#[must_use]
pub fn filter_of(topic: &Topic) -> Filter {
    Filter::compile(&topic.filter).unwrap_or_else(|error| {
        tracing::warn!(topic = topic.id, "the stored filter cannot be read and hides nothing: {error}");
        Filter::default()
    })
}
