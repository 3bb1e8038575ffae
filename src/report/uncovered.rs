//! Time of a period that no search covered, so that there may be more items than are counted: gaps, and the end, for
//! which no search was due yet. `insight` defines when one is due.

use crate::insight::daily::{COVERED, SearchCoverage};
use crate::model::{PrunedDays, Span, Time};

/// The part of a span that has passed.
fn passed(span: Span, now: Time) -> Span {
    Span { until: span.until.min(now).max(span.from), ..span }
}

/// Returns the end of a span that is not covered yet, as far as it has passed.
pub(super) fn uncovered_end(search_coverage: &SearchCoverage, span: Span, now: Time) -> Option<Span> {
    let passed = passed(span, now);
    Span::new(search_coverage.due(passed).until, passed.until).filter(|_| search_coverage.has_spans(passed))
}

/// Whether that is more than a little, so that there may be more items than are counted.
pub(super) fn is_end_significant(search_coverage: &SearchCoverage, span: Span, now: Time) -> bool {
    let Some(open) = uncovered_end(search_coverage, span, now) else { return false };
    open.length().as_secs_f64() > (1.0 - COVERED) * passed(span, now).length().as_secs_f64()
}

/// Returns the searched share of the part of a span for which searches were due; 1 if nothing is known to be missing:
/// its searches cover no time span, were pruned, or none was due.
pub(super) fn searched_share_due(
    search_coverage: &SearchCoverage,
    pruned_days: &PrunedDays,
    span: Span,
    now: Time,
) -> f64 {
    let due = search_coverage.due(passed(span, now));
    if due.until <= due.from || !search_coverage.has_spans(due) || !pruned_days.is_complete(span) {
        return 1.0;
    }
    search_coverage.searched_share(due)
}

/// Whether there may be more items in a span than are counted: replies were full, or more than a little was not covered.
pub(super) fn may_be_more(search_coverage: &SearchCoverage, pruned_days: &PrunedDays, span: Span, now: Time) -> bool {
    search_coverage.saturated(span)
        || is_end_significant(search_coverage, span, now)
        || search_coverage.is_partly_uncovered(span, pruned_days)
}
