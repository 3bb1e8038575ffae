//! Tests of the shares of time in which the last minutes before searches are left out: posts may have been indexed later.
#![allow(clippy::panic, reason = "tests fail by panicking")]

use super::tests::{at, search, span, watched};
use super::*;
use crate::insight::daily::SearchCoverage;
use crate::model::Window;

/// A search that looked back a day and claims all but its last six hours.
fn claims_18_hours(hour: i64) -> RunSearch {
    search(hour, SearchState::Ok, Window::Past24Hours.into(), Some(span(hour - 24, hour - 6)))
}

/// Four days with a search at the end of each, except for the third: 3 times 18 hours are covered, 6 are late, and the
/// hole has 30. The next search looks back over the last 6.
fn runs() -> Vec<RunSearch> {
    [24, 48, 96].map(claims_18_hours).into()
}

#[test]
fn late_indexing_lowers_the_covered_share() {
    let topic = watched(SocialOperation::Search);
    let got = source_coverage(&topic, &runs(), span(0, 96), |_| true).remove(0).coverage;
    let Coverage::Spans { covered_ms, holes_ms, late_indexing_ms, covered_share, .. } = got else { panic!("no spans") };
    assert_eq!([covered_ms, holes_ms, late_indexing_ms].map(|ms| ms / 3_600_000), [54, 30, 6]);
    assert_eq!(covered_share, Some(0.6), "54 of 90 hours");
}

#[test]
fn late_indexing_time_counts_as_searched_but_not_covered() {
    let coverage = SearchCoverage::new(Some(watched(SocialOperation::Search)), runs(), span(0, 96), at(96));
    for (name, period, covered, searched) in [
        ("a day that ends with late indexing", span(0, 24), 0.75, 1.0),
        ("nothing but late indexing", span(18, 24), 0.0, 1.0),
        ("a hole of six hours, too", span(0, 48), 0.75, 0.875),
        ("a hole only", span(48, 72), 0.0, 0.0),
    ] {
        let (got_covered, got_searched) = (coverage.covered_share(period), coverage.searched_share(period));
        assert!((got_covered - covered).abs() < 1e-9, "{name}: {got_covered} covered");
        assert!((got_searched - searched).abs() < 1e-9, "{name}: {got_searched} searched");
    }
}
