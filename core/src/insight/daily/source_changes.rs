//! When the sources of a topic changed, from its searches: counts from before cannot be compared with counts from after.

use std::collections::BTreeSet;

use super::SearchCoverage;
use crate::insight::coverage::membership::memberships;
use crate::model::{ResultKind, Source, Span, Time, result_kind};

impl SearchCoverage {
    /// Returns when the topic got or lost a source that finds items, within a span. The sources that it began with are
    /// no change.
    #[must_use]
    pub fn source_changes(&self, span: Span) -> BTreeSet<Time> {
        let Some(watched) = self.watched() else { return BTreeSet::new() };
        let searches = || self.runs().iter().filter_map(|run| run.search.as_ref());
        let finds_items = |source: Source| {
            searches().any(|one| one.source == source && result_kind(source, &one.operation) != ResultKind::Answer)
        };
        let sources: BTreeSet<Source> = searches().map(|search| search.source).collect();
        let mut changes = BTreeSet::new();
        for source in sources.into_iter().filter(|source| finds_items(*source)) {
            for member in memberships(source, watched, self.runs(), span) {
                changes.extend((member.span.from > span.from).then_some(member.span.from));
                changes.extend((!member.lasts && member.span.until < span.until).then_some(member.span.until));
            }
        }
        changes
    }
}
