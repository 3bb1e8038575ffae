//! Finds days on which a source whose searches see only a moment answered fewer of them than on another day: it then shows
//! fewer items, which is no news.

use crate::insight::daily::Answers;
use crate::model::Source;
use crate::report::format::count_noun;

/// Says that a source answered fewer than nine tenths as often as on another day, if so.
pub(in crate::report) fn few_answers(own: &Answers, other: &Answers) -> Option<String> {
    let is_few = |(source, usual): (&Source, &u64)| {
        let many = own.get(source).copied().unwrap_or(0);
        (many * 10 < usual * 9).then(|| match many {
            0 => format!("no answer from {source}"),
            many => format!("only {} from {source}", count_noun(many, "answer")),
        })
    };
    other.iter().find_map(is_few)
}

/// Returns how often each source usually answers: the median of the days on which it did.
pub(in crate::report) fn usual_answers(days: &[Answers]) -> Answers {
    let usual = |source: &Source| {
        let mut all: Vec<u64> =
            days.iter().filter_map(|day| day.get(source).copied()).filter(|many| *many > 0).collect();
        all.sort_unstable();
        Some((*source, *all.get(all.len() / 2)?))
    };
    days.iter().flat_map(Answers::keys).filter_map(usual).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_with_fewer_answers_than_usual_is_named() {
        let day = |web: u64| Answers::from([(Source::Web, web)]);
        let usual = usual_answers(&[day(4), day(0), day(4), day(3), day(24)]);
        assert_eq!(usual, day(4));
        for (own, expected) in
            [(0, Some("no answer from web")), (1, Some("only 1 answer from web")), (4, None), (9, None)]
        {
            assert_eq!(few_answers(&day(own), &usual).as_deref(), expected, "{own}");
        }
        assert_eq!(few_answers(&day(0), &usual_answers(&[])), None);
    }
}
