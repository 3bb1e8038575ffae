//! The end of a period that no search has covered yet, since none was due. `insight` defines when one is due.

use super::measures::COVERED;
use crate::insight::daily::SearchCoverage;
use crate::model::{Span, Time};

/// Returns the end of a span that is not covered yet, as far as it has passed.
pub(super) fn uncovered_end(search_coverage: &SearchCoverage, span: Span, now: Time) -> Option<Span> {
    let passed = Span { until: span.until.min(now), ..span };
    Span::new(search_coverage.due(passed).until, passed.until).filter(|_| search_coverage.has_spans(passed))
}

/// Whether that is more than a little, so that there may be more items than are counted.
pub(super) fn is_significant(search_coverage: &SearchCoverage, span: Span, now: Time) -> bool {
    let Some(open) = uncovered_end(search_coverage, span, now) else { return false };
    let passed = Span { until: span.until.min(now), ..span };
    open.length().as_secs_f64() > (1.0 - COVERED) * passed.length().as_secs_f64()
}
