//! Highlights about sources: those that failed or were over quota, and for how many topics; and pruned searches.

use std::collections::BTreeSet;

use super::matter::Highlight;
use crate::model::{Source, Span, Time};
use crate::report::comparison::measures::is_past;
use crate::report::facts::{SourceFacts, TopicFacts};
use crate::report::format::{date_time_short, number};

/// Reports a source that fails for several topics only once.
pub(in crate::report) fn add(topics: &[TopicFacts], period: Span, now: Time, timezone: &str, all: &mut Vec<Highlight>) {
    let (is, when) = if is_past(period, now) { ("was", "at the end of the period ") } else { ("is", "") };
    let named: BTreeSet<Source> = topics.iter().flat_map(|topic| &topic.sources).map(|facts| facts.source).collect();
    for source in &named {
        let of = |topic: &'_ TopicFacts| topic.sources.iter().find(|facts| facts.source == *source).cloned();
        let searched: Vec<(&TopicFacts, SourceFacts)> =
            topics.iter().filter(|t| t.not_kept.is_none()).filter_map(|t| Some((t, of(t)?))).collect();
        let failing: Vec<&(&TopicFacts, SourceFacts)> = searched.iter().filter(|(_, facts)| facts.fails).collect();
        let partly_failing: Vec<&(&TopicFacts, SourceFacts)> =
            searched.iter().filter(|(_, facts)| !facts.fails && !facts.over_quota && facts.failed > 0).collect();
        let quota: Vec<&(&TopicFacts, SourceFacts)> = searched.iter().filter(|(_, facts)| facts.over_quota).collect();
        for (weight, hit) in [(85, failing), (80, quota), (35, partly_failing)] {
            let Some((topic, facts)) = hit.first() else { continue };
            let sum = |of: fn(&SourceFacts) -> u64| number(hit.iter().map(|(_, facts)| of(facts)).sum());
            let others = match hit.len() - 1 {
                0 => String::new(),
                1 => " and in one other topic".to_owned(),
                n => format!(" and in {n} other topics"),
            };
            let trouble = facts.trouble.as_ref().map_or_else(String::new, |t| format!(" ({t})"));
            let (failed, searches) = (sum(|s| s.failed), sum(|s| s.searches));
            let sentence = if weight == 85 {
                let at = date_time_short(facts.last_at, timezone);
                let inside = match &*searches {
                    "0" => "no search was made in the period".to_owned(),
                    _ => format!("{failed} of {searches} failed in the period"),
                };
                format!(
                    "{source} {is} failing {when}here{others}: its last search, at {at}, {}{trouble}; {inside}.",
                    if facts.last == "error" { "failed" } else { "was lost" }
                )
            } else if weight == 80 {
                let (at, not_made) = (date_time_short(facts.last_at, timezone), sum(|s| s.refused_by_quota));
                format!(
                    "{source} {is} over quota {when}here{others}: its last search, at {at}, was not made{trouble}; not made in the period: {not_made}."
                )
            } else {
                // A search after the period says nothing about the period itself.
                let since = hit.iter().filter_map(|(_, facts)| facts.answers_since).max();
                let end = since.filter(|at| *at >= period.until).map_or_else(
                    || "; the last one succeeded".to_owned(),
                    |at| format!(" in the period; it has answered since {}", date_time_short(at, timezone)),
                );
                format!("{source}: {failed} of {searches} searches failed here{others}{end}.")
            };
            all.push(Highlight { weight, topic: topic.id.clone(), section: "sources", kind: "source", sentence });
        }
    }
}

/// Reports pruned searches: lost data comes before known facts.
pub(in crate::report) fn pruned(topics: &[TopicFacts], all: &mut Vec<Highlight>) {
    let mut hit = topics.iter().filter_map(|topic| Some((topic, topic.not_kept_words()?)));
    let Some((topic, words)) = hit.next() else { return };
    let others = match hit.count() {
        0 => String::new(),
        1 => "; the same is true of one other topic".to_owned(),
        n => format!("; the same is true of {n} other topics"),
    };
    let (section, kind) = ("sources", "pruned");
    all.push(Highlight { weight: 100, topic: topic.id.clone(), section, kind, sentence: format!("{words}{others}.") });
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, reason = "tests fail by panicking")]
    use super::super::of;
    use super::*;
    use crate::report::samples::{HOUR, topic};

    #[test]
    fn a_source_is_failing_only_in_a_report_that_knows_its_latest_search() {
        let mut facts = topic("a");
        let source = &mut facts.sources[0];
        (source.failed, source.fails, source.last, source.last_at) = (4, true, "error".into(), Time(30 * HOUR));
        let span = Span { from: Time(0), until: Time(24 * HOUR) };
        let sentence = |now: i64| of(&[facts.clone()], span, Time(now * HOUR), "UTC").0[0].sentence.clone();
        let present = sentence(36);
        assert_eq!(
            present,
            "social is failing here: its last search, at 01-02 06:00, failed; 4 of 4 failed in the period."
        );
        let past = sentence(300);
        assert!(
            past.starts_with("social was failing at the end of the period here: its last search, at 01-02 06:00"),
            "{past}"
        );
        let source = &mut facts.sources[0];
        (source.failed, source.searches) = (0, 0);
        let unsearched = of(&[facts], span, Time(36 * HOUR), "UTC").0[0].sentence.clone();
        assert!(unsearched.ends_with("failed; no search was made in the period."), "{unsearched}");
    }
}
