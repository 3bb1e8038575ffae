//! The end of a period that no search looked at yet, since none was due. What is due, `insight` says.

use super::measures::COVERED;
use crate::insight::daily::SearchCoverage;
use crate::model::{Span, Time};

/// The end of a span that was not looked at yet, as far as it has passed.
pub(super) fn open(looked: &SearchCoverage, span: Span, now: Time) -> Option<Span> {
    let passed = Span { until: span.until.min(now), ..span };
    Span::new(looked.due(passed).until, passed.until).filter(|_| looked.has_spans())
}

/// Whether that is more than a little: what is counted of the span is then the least that there is.
pub(super) fn is_much(looked: &SearchCoverage, span: Span, now: Time) -> bool {
    let Some(open) = open(looked, span, now) else { return false };
    let passed = Span { until: span.until.min(now), ..span };
    open.length().as_secs_f64() > (1.0 - COVERED) * passed.length().as_secs_f64()
}
