//! Divides a period into what searches covered together and the holes. Only arithmetic on spans; `holes` explains the
//! holes.

pub(super) mod hole_causes;
pub(super) mod holes;
pub(super) mod membership;
pub(super) mod silence;
pub(super) mod wrong_times;

use crate::model::Span;

/// A period divided into covered spans and holes. Both are sorted, disjoint and inside the period; together they fill
/// it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CoverageSplit {
    /// Covered spans; spans that touch are merged.
    pub covered: Vec<Span>,
    pub holes: Vec<Span>,
}

/// Divides a period by the spans covered in it.
#[must_use]
pub fn split_coverage(period: Span, spans: impl IntoIterator<Item = Span>) -> CoverageSplit {
    let mut spans: Vec<Span> = spans.into_iter().filter_map(|span| span.intersection(period)).collect();
    spans.sort_unstable();
    let mut covered: Vec<Span> = Vec::new();
    for span in spans {
        match covered.last_mut() {
            Some(last) if span.from <= last.until => last.until = last.until.max(span.until),
            _ => covered.push(span),
        }
    }
    let mut holes = Vec::new();
    let mut at = period.from;
    for span in &covered {
        holes.extend(Span::new(at, span.from));
        at = span.until;
    }
    holes.extend(Span::new(at, period.until));
    CoverageSplit { covered, holes }
}

/// Returns the total milliseconds of spans that do not overlap.
#[must_use]
pub fn total_ms(spans: &[Span]) -> i64 {
    spans.iter().map(|span| span.until.0 - span.from.0).sum()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, reason = "tests fail by panicking")]
    use proptest::prelude::*;

    use super::*;
    use crate::model::Time;

    fn span(from: i64, until: i64) -> Span {
        Span { from: Time(from), until: Time(until) }
    }

    #[test]
    fn touching_spans_merge_and_gaps_between_them_are_holes() {
        let got =
            split_coverage(span(0, 100), [span(50, 60), span(-20, 10), span(10, 20), span(55, 70), span(90, 300)]);
        assert_eq!(got.covered, [span(0, 20), span(50, 70), span(90, 100)]);
        assert_eq!(got.holes, [span(20, 50), span(70, 90)]);
        assert_eq!(split_coverage(span(0, 100), []).holes, [span(0, 100)]);
        assert_eq!(
            split_coverage(span(0, 100), [span(-5, 200)]),
            CoverageSplit { covered: vec![span(0, 100)], holes: vec![] }
        );
    }

    fn spans() -> impl Strategy<Value = Vec<Span>> {
        prop::collection::vec((-20_i64..140, 0_i64..60).prop_map(|(from, length)| span(from, from + length)), 0..12)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn covered_spans_and_holes_are_sorted_disjoint_and_fill_the_period(spans in spans(), length in 1_i64..120) {
            let period = span(0, length);
            let got = split_coverage(period, spans.clone());
            let mut all: Vec<Span> = got.covered.iter().chain(&got.holes).copied().collect();
            all.sort_unstable();
            prop_assert_eq!(all[0].from, period.from);
            prop_assert_eq!(all[all.len() - 1].until, period.until);
            prop_assert!(all.iter().all(|part| part.from < part.until));
            prop_assert!(all.windows(2).all(|pair| pair[0].until == pair[1].from), "{:?}", all);
            prop_assert!(got.covered.windows(2).all(|pair| pair[0].until < pair[1].from), "{:?}", got.covered);
            prop_assert_eq!(total_ms(&got.covered) + total_ms(&got.holes), length);
            // Checks the union instant by instant.
            for at in 0..length {
                let inside = |list: &[Span]| list.iter().any(|s| s.from.0 <= at && at < s.until.0);
                prop_assert_eq!(inside(&got.covered), inside(&spans), "at {}", at);
            }
        }

        #[test]
        fn order_and_repetition_do_not_matter(spans in spans()) {
            let mut turned = spans.clone();
            turned.reverse();
            turned.extend(spans.clone());
            prop_assert_eq!(split_coverage(span(0, 100), spans), split_coverage(span(0, 100), turned));
        }
    }
}
