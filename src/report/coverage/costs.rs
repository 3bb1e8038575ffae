//! The cost of a period's searches, and the part that no bill confirms. A report of all topics includes topics that are
//! no longer configured, so that its total is the ledger's.

use std::collections::BTreeSet;

use crate::model::{Micros, SearchCost, SearchSummary, Span, Time, Topic};
use crate::report::comparison::measures::LONGEST_RUN;
use crate::report::facts::{SourceFacts, TopicFacts};
use crate::report::format;
use crate::store::{ReadSnapshot, StoreError};

/// The cost of searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::report) struct PeriodCost {
    /// `None` if some were pruned without being counted before.
    pub(in crate::report) total: Option<Micros>,
    /// How much was assumed from a price; `None` if unknown for some searches: for pruned ones only the sum is kept.
    pub(in crate::report) assumed: Option<Micros>,
}

impl PeriodCost {
    pub(in crate::report) const NOTHING: Self = Self { total: Some(Micros(0)), assumed: Some(Micros(0)) };

    /// Adds up searches and what pruned ones cost, if that is known.
    pub(in crate::report) fn of<'a>(searches: impl Iterator<Item = &'a SearchSummary>, pruned: Option<Micros>) -> Self {
        let kept = searches.fold(SearchCost::default(), |sum, search| {
            sum.plus(SearchCost { total: search.cost, assumed: search.assumed })
        });
        Self::with_pruned(kept, pruned)
    }

    fn with_pruned(kept: SearchCost, pruned: Option<Micros>) -> Self {
        Self {
            total: pruned.map(|pruned| pruned.plus(kept.total)),
            assumed: pruned.filter(|pruned| *pruned == Micros(0)).map(|_| kept.assumed),
        }
    }

    pub(in crate::report) fn plus(self, other: Self) -> Self {
        let sum = |one: Option<Micros>, other: Option<Micros>| Some(one?.plus(other?));
        Self { total: sum(self.total, other.total), assumed: sum(self.assumed, other.assumed) }
    }
}

/// Returns what topics that are not among these cost in a span, those that were forgotten, too; `None` if nothing.
pub(in crate::report) async fn of_removed_topics(
    snapshot: &mut ReadSnapshot,
    topics: &[Topic],
    span: Span,
) -> Result<Option<PeriodCost>, StoreError> {
    let known: Vec<&str> = topics.iter().map(|topic| topic.id.as_str()).collect();
    let removed = snapshot.topics_except(&known).await?;
    if removed.is_empty() {
        return Ok(None);
    }
    // A run may start before midnight and search after it.
    let began_from = Time(span.from.0.saturating_sub(LONGEST_RUN));
    let kept = snapshot.cost_of_topics(&removed, began_from, span).await?;
    let pruned = snapshot.pruned_days_of_topics(&removed, span).await?.totals(span).map(|totals| totals.2);
    Ok(Some(PeriodCost::with_pruned(kept, pruned)).filter(|sum| sum.total != Some(Micros(0))))
}

impl TopicFacts {
    /// Describes the cost of the period's searches.
    pub(in crate::report) fn cost_words(&self) -> String {
        let least = if self.searches_cut { "≥\u{a0}" } else { "" };
        self.cost.map_or_else(|| format::NOT_KEPT.to_owned(), |cost| format!("{least}{cost}"))
    }

    /// Describes how much of it was assumed, if anything.
    pub(in crate::report) fn assumed_words(&self) -> Option<String> {
        let (total, assumed) = self.cost.zip(self.assumed)?;
        SearchCost { total, assumed }.assumed_words()
    }
}

impl SourceFacts {
    /// The cost of its searches.
    pub(in crate::report) fn paid(&self) -> SearchCost {
        SearchCost { total: self.cost, assumed: self.assumed }
    }
}

/// Returns the number of runs that made these searches.
pub(in crate::report) fn runs<'a>(searches: impl Iterator<Item = &'a SearchSummary>) -> i64 {
    let runs: BTreeSet<&str> = searches.map(|search| search.run.as_str()).collect();
    i64::try_from(runs.len()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples::{report, topic};

    #[test]
    fn the_assumed_cost_of_pruned_searches_is_unknown() {
        let none = || std::iter::empty::<&SearchSummary>();
        assert_eq!(PeriodCost::of(none(), Some(Micros(0))), PeriodCost::NOTHING);
        let pruned = PeriodCost::of(none(), Some(Micros(5)));
        assert_eq!(pruned, PeriodCost { total: Some(Micros(5)), assumed: None });
        let assumed = PeriodCost { total: Some(Micros(2)), assumed: Some(Micros(2)) };
        assert_eq!(assumed.plus(pruned), PeriodCost { total: Some(Micros(7)), assumed: None });
        assert_eq!(assumed.plus(PeriodCost::of(none(), None)).total, None);
    }

    #[test]
    fn the_cost_of_the_latest_searches_only_is_a_lower_bound() {
        let mut facts = topic("a");
        (facts.cost, facts.searches_cut) = (Some(Micros(2_000_000)), true);
        let mut report = report(vec![facts]);
        report.cost = Some(Micros(2_000_000));
        assert!(report.markdown().contains(" Searches cost at least $2.000."), "{}", report.markdown());
        assert!(report.html().contains("data-label=\"Cost\">≥\u{a0}$2.000<"), "{}", report.html());
    }
}
