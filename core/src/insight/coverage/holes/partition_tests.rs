//! A property of coverage: all of a topic's time is in covered spans, gaps, late indexing or the open span.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail by panicking")]

use proptest::prelude::*;

use super::tests::{BEGAN, at, search, watched};
use super::*;
use crate::model::Window;

proptest! {
    #[test]
    fn every_moment_from_the_first_covered_one_is_covered_or_a_gap_or_late_or_open(
        searches in prop::collection::vec((0_i64..4_000, 0_i64..400, 1_i64..3_000, 0_u8..4), 1..12),
        first in 0_i64..3_000,
        rest in 1_i64..3_000,
    ) {
        let minute = |minute: i64| Time(BEGAN + minute * 60_000);
        let mut runs: Vec<RunSearch> = Vec::new();
        let mut minutes: Vec<_> = searches;
        minutes.sort_unstable();
        minutes[0].0 = 0;
        for (at, delay, length, kind) in &minutes {
            let requested = Span { from: minute(at - length), until: minute(*at) };
            let covered = Span::new(requested.from, minute(at - delay)).filter(|_| *kind > 0);
            let state = if covered.is_some() { SearchState::Ok } else { SearchState::Error };
            let mut run_search = search(0, state, Window::Past24Hours.into(), covered);
            run_search.at = minute(*at);
            let search = run_search.search.as_mut().unwrap();
            (search.requested_span, search.saturated) = (Some(requested), *kind == 1);
            runs.push(run_search);
        }
        let last = minutes[minutes.len() - 1].0;
        let period = Span { from: minute(-first), until: minute(last + rest) };
        let got = source_coverage(&watched(SocialOperation::Search), &runs, period, |_| true).remove(0).coverage;
        let Coverage::Spans { covered, holes, open, late_indexing, .. } = got else { panic!("no spans") };
        let gaps = holes.iter().chain(&open).map(|hole| &hole.span);
        let mut all: Vec<Span> = covered.iter().chain(gaps).chain(&late_indexing).map(|length| length.span).collect();
        all.sort_unstable();
        prop_assert!(all[0].from <= at(0) && all[all.len() - 1].until == period.until, "{all:?}");
        prop_assert!(all.windows(2).all(|pair| pair[0].until == pair[1].from), "{all:?}");
    }
}
