//! Reads the items, searches and times of one topic. Other files compute its facts from them.

use std::collections::BTreeSet;

use crate::compare::{FilteredItems, apply_filter};
use crate::insight::daily::SearchCoverage;
use crate::model::{CountedItem, PrunedDays, SearchSummary, Span, Time, Topic};
use crate::report::comparison::measures::{LONGEST_RUN, MOST_SEARCHES};
use crate::report::coverage;
use crate::report::period::rule::PeriodRule;
use crate::store::{ReadSnapshot, StoreError};

/// The maximum number of items read from the history; the latest are read.
const MOST_MARKS: i64 = 200_000;

/// Data of a topic from the time that its report looks back on.
pub(super) struct TopicReading {
    /// Items that pass the topic's filter.
    pub(super) marks: Vec<CountedItem>,
    /// Items that the topic's filter hides.
    pub(super) hidden: Vec<CountedItem>,
    /// Keys of the items whose words were pruned although the filter needs them.
    pub(super) unjudged: BTreeSet<String>,
    /// From when on the filter could judge all items, if not all.
    pub(super) judged_from: Option<Time>,
    /// If there were more items than are read: when the earliest item that was read was first seen.
    pub(super) reach: Option<Time>,
    /// Whether as many items were read as are read at most.
    pub(super) cut: bool,
    pub(super) search_coverage: SearchCoverage,
    pub(super) pruned_days: PrunedDays,
    /// When its first run with findings started.
    pub(super) began: Option<Time>,
    /// When its first run that searched started.
    pub(super) searched_since: Option<Time>,
    /// Whether any run of it is stored.
    pub(super) tried: bool,
}

impl TopicReading {
    /// Whether there were so many items that some first seen after this time were not read.
    pub(super) fn is_cut_after(&self, from: Time) -> bool {
        self.reach.is_some_and(|reach| reach > from)
    }
}

/// Reads a topic. `seen` is the time that the report looks back on, up to the present.
pub(super) async fn read(
    snapshot: &mut ReadSnapshot,
    topic: &Topic,
    seen: Span,
    rule: &PeriodRule,
    timezone: &str,
) -> Result<TopicReading, StoreError> {
    // An item first seen by a clock that is ahead belongs to this report, or to none. In a report about days, it
    // belongs if a run before the present saw it.
    let first_seen_span = Span { until: Time(i64::MAX), ..seen };
    let most = crate::failpoint::limit("report/items", MOST_MARKS);
    let mut all = snapshot.counted_items_first_seen(&topic.id, first_seen_span, most).await?;
    let cut = i64::try_from(all.len()).is_ok_and(|many| many >= most);
    if rule.by_moment && all.first().is_some_and(|mark| mark.first_seen >= seen.until) {
        let last = snapshot.seq_before(&topic.id, seen.until).await?;
        all.retain(|mark| mark.first_seen < seen.until || mark.seq <= last);
    }
    // Items first seen before the earliest item read are not known here.
    let reach = if cut { all.last().map(|mark| mark.first_seen) } else { None };
    let filtered = apply_filter(snapshot, topic, all).await?;
    let judged_from = filtered.judged_from();
    let FilteredItems { passed: marks, hidden, unjudged } = filtered;
    Ok(TopicReading {
        marks,
        hidden,
        unjudged,
        judged_from,
        reach,
        cut,
        search_coverage: coverage::read_coverage(snapshot, topic, seen, timezone).await?,
        began: snapshot.first_run(&topic.id).await?,
        searched_since: snapshot.first_search(&topic.id).await?,
        pruned_days: snapshot.pruned_days(&topic.id).await?,
        tried: snapshot.last_run(&topic.id).await?.is_some(),
    })
}

/// Reads the searches that a topic made in a span. Also returns whether there were more than are read.
pub(super) async fn searches(
    snapshot: &mut ReadSnapshot,
    topic: &Topic,
    span: Span,
) -> Result<(Vec<SearchSummary>, bool), StoreError> {
    // A run may start before midnight and search after it.
    let began_by = Span { from: Time(span.from.0.saturating_sub(LONGEST_RUN)), ..span };
    let mut searches = snapshot.searches(&topic.id, began_by, MOST_SEARCHES).await?;
    let cut = i64::try_from(searches.len()).is_ok_and(|many| many >= MOST_SEARCHES);
    searches.retain(|search| search.at >= span.from);
    Ok((searches, cut))
}
