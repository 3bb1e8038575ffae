//! Finds days, weeks and months in which a source whose searches see only a moment answered fewer of them than in another:
//! it then shows fewer items, which is no news.

use crate::insight::daily::{Answered, Answers};
use crate::model::{Source, Span};
use crate::report::format::count_noun;

/// Says that a source answered fewer than nine tenths as often as on another day, if so.
pub(in crate::report) fn few_answers(own: &Answers, other: &Answers) -> Option<String> {
    let is_few = |(source, usual): (&Source, &Answered)| {
        let Answered { many, all } = own.get(source).copied().unwrap_or_default();
        // A schedule such as every five hours has one search fewer on some days.
        let is_by_schedule = all && many > 1 && many + 1 == usual.many;
        (!is_by_schedule && many * 10 < usual.many * 9).then(|| match many {
            0 => format!("no answer from {source}"),
            many => format!("only {} from {source}", count_noun(many, "answer")),
        })
    };
    other.iter().find_map(is_few)
}

/// Says why a day, week or month is incomplete compared with another: searches of a source failed, none was due, or the
/// other has three times its answers, as after a change of the schedule. A few more searches of the other by hand, such
/// as two besides one by schedule, leave this one complete. `has_spans`: the searches of another source cover its time,
/// so that more searches of this one add little.
pub(in crate::report) fn missing_answers(own: &Answers, other: &Answers, has_spans: bool) -> Option<String> {
    let most = |many: u64| many.saturating_mul(3) - u64::from(many > 1);
    let is_often = |answered: &Answered, other: &Answered| has_spans || other.many <= most(answered.many);
    let is_complete =
        |answered: &Answered, other: &Answered| answered.all && answered.many > 0 && is_often(answered, other);
    let mut other = other.clone();
    other.retain(|source, many| own.get(source).is_none_or(|answered| !is_complete(answered, many)));
    few_answers(own, &other)
}

/// Returns how often each source usually answers: the median of the days on which it did.
pub(in crate::report) fn usual_answers(days: &[Answers]) -> Answers {
    let usual = |source: &Source| {
        let mut counts: Vec<u64> =
            days.iter().filter_map(|day| Some(day.get(source)?.many)).filter(|many| *many > 0).collect();
        counts.sort_unstable();
        Some((*source, Answered { many: *counts.get(counts.len() / 2)?, all: true }))
    };
    days.iter().flat_map(Answers::keys).filter_map(usual).collect()
}

/// Returns how many answers a source with these in a span would have in one of another length.
pub(in crate::report) fn scaled(mut answers: Answers, span: Span, other: Span) -> Answers {
    let (length, other) = (span.length().as_secs().max(1), other.length().as_secs());
    for answered in answers.values_mut() {
        answered.many = (answered.many.saturating_mul(other) + length / 2) / length;
    }
    answers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Time;

    fn day(many: u64, all: bool) -> Answers {
        Answers::from([(Source::Web, Answered { many, all })])
    }

    #[test]
    fn a_source_with_fewer_answers_than_usual_is_named() {
        let usual = usual_answers(&[day(4, true), day(0, false), day(4, true), day(3, false), day(24, true)]);
        assert_eq!(usual, day(4, true));
        for (own, expected) in
            [(0, Some("no answer from web")), (1, Some("only 1 answer from web")), (4, None), (9, None)]
        {
            assert_eq!(few_answers(&day(own, true), &usual).as_deref(), expected, "{own}");
        }
        assert_eq!(few_answers(&day(0, false), &usual_answers(&[])), None);
    }

    #[test]
    fn answers_of_months_are_compared_by_their_length() {
        let days = |many: i64| Span { from: Time(0), until: Time(many * 86_400_000) };
        assert_eq!(scaled(day(62, true), days(31), days(28)), day(56, true));
        assert_eq!(scaled(day(53, false), days(28), days(31)), day(59, false));
    }

    #[test]
    fn one_search_fewer_by_schedule_is_not_few() {
        for (own, usual, expected) in [
            (day(4, true), 5, None),
            (day(4, false), 5, Some("only 4 answers from web")),
            (day(3, true), 5, Some("only 3 answers from web")),
            (day(1, true), 2, Some("only 1 answer from web")),
        ] {
            assert_eq!(few_answers(&own, &day(usual, true)).as_deref(), expected, "{own:?} of {usual}");
        }
    }

    #[test]
    fn a_day_that_was_searched_less_often_is_complete_unless_searches_failed_or_were_much_fewer() {
        for (earlier, now, expected) in [
            (day(1, true), 3, None),
            (day(1, false), 3, Some("only 1 answer from web")),
            (day(0, true), 3, Some("no answer from web")),
            (day(3, false), 3, None),
            (day(4, true), 11, None),
            (day(4, true), 12, Some("only 4 answers from web")),
            (day(2, true), 6, Some("only 2 answers from web")),
            (day(1, true), 4, Some("only 1 answer from web")),
        ] {
            assert_eq!(missing_answers(&earlier, &day(now, true), false).as_deref(), expected, "{earlier:?} {now}");
        }
    }

    #[test]
    fn a_day_that_another_source_covers_is_complete_despite_searches_by_hand_on_another_day() {
        for (earlier, now, expected) in [
            (day(1, true), 4, None),
            (day(1, true), 30, None),
            (day(0, true), 3, Some("no answer from web")),
            (day(1, false), 4, Some("only 1 answer from web")),
        ] {
            assert_eq!(missing_answers(&earlier, &day(now, true), true).as_deref(), expected, "{earlier:?} {now}");
        }
    }
}
