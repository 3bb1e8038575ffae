//! Reads how well the period and the days of the charts were covered, and how each source did. `insight` defines
//! coverage and holes; `costs` adds up what the searches cost.

pub(super) mod caveats;
pub(super) mod costs;

use std::collections::BTreeMap;

use super::comparison::measures::{WHOLE, is_past, little_searched};
use super::facts::{DayFacts, HoleFacts, SourceFacts, TopicFacts};
use super::format;
use crate::draw::part_time;
use crate::insight::daily::{GapReason, SearchCoverage, is_more_than_little};
use crate::model::{Micros, SearchState, SearchSummary, Source, Span, Time, Topic};
use crate::store::{ReadSnapshot, StoreError};

/// Reads the coverage of a topic in a span that ends at the present, with the days of a time zone.
pub(super) async fn read_coverage(
    snapshot: &mut ReadSnapshot,
    topic: &Topic,
    seen: Span,
    timezone: &str,
) -> Result<SearchCoverage, StoreError> {
    let watched = snapshot.watched_topics(std::slice::from_ref(&topic.id)).await?.pop();
    let searches = snapshot.runs_with_searches(&topic.id, seen).await?;
    Ok(SearchCoverage::new(watched, searches, seen, Time(seen.until.0.saturating_sub(1))).in_zone(timezone))
}

/// Returns how each source did in a span. Its last search may be a little later, but not for a span long past: a
/// failure after its end says nothing about it. Full replies are those about the span, also from later searches: they
/// may have caused a hole in it.
pub(super) fn sources(
    searches: &[SearchSummary],
    search_coverage: &SearchCoverage,
    (span, now): (Span, Time),
) -> Vec<SourceFacts> {
    let is_past = is_past(span, now);
    let mut by_source: BTreeMap<Source, SourceFacts> = BTreeMap::new();
    for search in searches {
        let facts = by_source.entry(search.source).or_insert_with(|| SourceFacts {
            source: search.source,
            searches: 0,
            failed: 0,
            refused_by_quota: 0,
            left_out: 0,
            refused: 0,
            last: String::new(),
            last_at: search.at,
            fails: false,
            answers_since: None,
            over_quota: false,
            trouble: None,
            saturated: search_coverage.full_replies(search.source, span),
            cost: Micros(0),
            assumed: Micros(0),
        });
        let inside = u64::from(span.contains(search.at));
        let failed = matches!(search.state, SearchState::Error | SearchState::Lost);
        let was_made = failed || matches!(search.state, SearchState::Ok | SearchState::Empty | SearchState::Started);
        facts.searches += inside * u64::from(was_made);
        facts.failed += inside * u64::from(failed);
        facts.refused_by_quota += inside * u64::from(search.state == SearchState::OverQuota);
        facts.left_out += inside * u64::from(search.state == SearchState::NotRun);
        facts.refused += inside * u64::from(search.refused);
        if inside == 1 {
            facts.cost = facts.cost.plus(search.cost);
            facts.assumed = facts.assumed.plus(search.assumed);
        }
        let counts = inside == 1 || !is_past;
        // A search that was not run shows nothing about the source, unless it was refused and no other was made.
        let says = search.state != SearchState::NotRun || search.refused && facts.last == SearchState::NotRun.as_str();
        if counts && says || facts.last.is_empty() {
            facts.last = search.state.to_string();
            facts.last_at = search.at;
            facts.fails = failed && counts;
            let answered = matches!(search.state, SearchState::Ok | SearchState::Empty);
            facts.answers_since = facts.answers_since.or(Some(search.at)).filter(|_| answered);
            facts.over_quota = search.state == SearchState::OverQuota && counts;
            facts.trouble.clone_from(&search.trouble);
        }
    }
    by_source.into_values().collect()
}

/// Whether a covered share is nothing, or not known.
pub(super) fn is_nothing(covered: Option<f64>) -> bool {
    covered.is_none_or(|covered| covered <= 0.0)
}

/// Whether any search answered, of a topic whose searches look at a moment.
fn has_answer(checks: Option<u64>) -> bool {
    checks.is_some_and(|checks| checks > 0)
}

/// Returns the covered share of a span, or how many checks it had if its searches cover no time span.
pub(super) fn covered_or_checks(covered: f64, checks: Option<u64>) -> String {
    checks.map_or_else(|| format::percent(covered), |checks| format::count_noun(checks, "check"))
}

impl SourceFacts {
    /// Whether no search of it was made in the period because of the quota or a refusal that every call would meet, or
    /// because the process stopped. A search that was not needed, for example because nothing new was found, shows
    /// nothing about the source.
    pub(super) fn is_left_out(&self) -> bool {
        self.searches == 0 && self.refused + self.refused_by_quota > 0
    }

    /// Whether every search of it in the period failed, even if a later one was answered.
    pub(super) fn is_unanswered(&self) -> bool {
        self.searches > 0 && self.failed == self.searches
    }
}

impl DayFacts {
    /// Whether nothing was searched on the day and no item of it is known.
    pub(super) fn is_uncovered(&self) -> bool {
        self.counted.raw == 0 && !has_answer(self.checks) && is_nothing(self.covered)
    }

    /// Describes how much of the day was covered.
    pub(super) fn covered_words(&self) -> String {
        self.covered.map_or_else(|| format::NOT_KEPT.to_owned(), |covered| covered_or_checks(covered, self.checks))
    }
}

impl TopicFacts {
    /// Whether there may be more items than are counted.
    #[must_use]
    pub fn may_be_more(&self) -> bool {
        self.has_gaps() || self.sources_changed()
    }

    /// Whether there may be more from the sources that it had in all of the period.
    pub(super) fn has_gaps(&self) -> bool {
        let is_cut = self.saturated || self.unseen || self.period_cut;
        is_cut || self.partly_uncovered || self.unchecked.is_some() || self.covered.is_none()
    }

    /// Returns the note that not all items were read, if so.
    pub(super) fn truncation_note(&self) -> Option<&'static str> {
        match (self.period_cut, self.cut) {
            (true, _) => Some("more items than can be read at once: those of the period are incomplete"),
            (false, true) => Some("more items than can be read at once: the oldest days are incomplete"),
            (false, false) => None,
        }
    }

    /// Returns why its counts cannot be compared with others, if so. A small gap does not matter.
    pub(super) fn incomplete_reason(&self) -> Option<String> {
        if self.saturated || self.unseen || self.period_cut {
            return Some(format!("this {} is incomplete", self.noun()));
        }
        if self.checks == Some(0) && self.covered.is_some() {
            return Some(format!("{} of this {} answered", self.no_search(), self.noun()));
        }
        if let Some(few) = &self.few_answers {
            return Some(few.clone());
        }
        let little = Some(self.searched_share).filter(|part| *part < WHOLE);
        little.map(|part| little_searched(part, Some(&format!("this {}", self.noun()))))
    }

    /// Names what did not answer if no check did: an answer may have been written nevertheless.
    pub(super) fn no_search(&self) -> &'static str {
        let any = self.sources.iter().any(|source| source.searches > source.failed);
        if any { "no search for items" } else { "no search" }
    }

    /// Whether no search was due in the whole period.
    pub(super) fn idle(&self, period: Span) -> bool {
        self.open.is_some_and(|open| open.from <= period.from)
    }

    /// Whether nothing was searched in the period, or that is no longer known, and no item of it is known.
    pub(super) fn is_unsearched(&self) -> bool {
        self.period.raw == 0 && !has_answer(self.checks) && is_nothing(self.covered)
    }

    /// Returns the sentence shown instead of counts if nothing is known about the period.
    pub(super) fn unsearched_sentence(&self) -> Option<&'static str> {
        let was_searched = self.sources.iter().any(|source| source.searches > 0);
        self.is_unsearched().then_some(match self.covered {
            None if !self.unwatched => format::PRUNED,
            _ if was_searched => format::UNCOVERED,
            _ => format::UNSEARCHED,
        })
    }

    /// Formats a day's items, unique items and authors; `–` if nothing was searched on that day.
    pub(super) fn day_counts(&self, day: &DayFacts) -> [String; 3] {
        if day.is_uncovered() {
            return ["–", "–", "–"].map(str::to_owned);
        }
        let counted = &day.counted;
        [
            format::at_least(counted.raw, day.at_least),
            format::at_least(counted.unique, day.at_least),
            format::authors(counted, day.at_least),
        ]
    }

    /// Describes how much of a period was covered.
    pub(super) fn covered_words(&self, period: Span) -> String {
        match self.covered {
            None => format::NOT_KEPT.to_owned(),
            Some(_) if self.idle(period) => "not yet".to_owned(),
            Some(_) => covered_or_checks(self.covered_in_all, self.checks),
        }
    }

    /// Describes what is left of the period's searches if they were pruned.
    pub(super) fn not_kept_words(&self) -> Option<String> {
        let kept = self.not_kept?;
        let left = match (kept.runs, self.cost) {
            (Some(runs), Some(cost)) => {
                format!("counted before: {} for {cost}", format::count_noun(runs.unsigned_abs(), "run"))
            }
            _ => "nor are the number and cost of its runs".to_owned(),
        };
        Some(format!(
            "searches of the period were pruned: its coverage and the state of its sources are no longer known; {left}"
        ))
    }

    /// Returns the note that holes at the start of the charts are unknown, if so.
    pub(super) fn holes_words(&self, timezone: &str) -> Option<String> {
        let from = format::date_time_short(self.kept_from?, timezone);
        Some(format!("Coverage gaps before {from} are no longer known."))
    }

    /// Returns the holes of the period, and those of the days before it in the charts; the latest last.
    pub(super) fn holes_of(&self, period: Span) -> (Vec<&HoleFacts>, Vec<&HoleFacts>) {
        let gaps = self.holes.iter().filter(|hole| !hole.before && !hole.open);
        gaps.partition(|hole| hole.span.intersection(period).is_some())
    }

    /// Returns the note that the topic was not watched in the period or at its start, or that the period has no gaps,
    /// if either is true.
    pub(super) fn gaps_words(&self, (period, made_at): (Span, Time), timezone: &str) -> Option<String> {
        if self.not_kept.is_some() || self.checks.is_some() {
            return None;
        }
        let missed = self.unchecked.is_some_and(|reason| reason != GapReason::NotWatched);
        let has_gaps = missed || !self.holes_of(period).0.is_empty();
        let before = || self.holes.iter().filter(|hole| hole.before && hole.span.intersection(period).is_some());
        // The start of the end that is not covered yet, if that is more than a little.
        let open_from = self.open.filter(|open| is_more_than_little(*open, period, made_at)).map(|open| open.from);
        let end = open_from.map(|from| format::date_time_short(from, timezone));
        if before().next().is_none() {
            let all = match (self.sources_changed(), end) {
                (true, Some(end)) => format!("No gaps before {end} while it had each source."),
                (true, None) => "No gaps while it had each source.".to_owned(),
                (false, Some(end)) => format!("No gaps before {end}."),
                (false, None) => "No gaps in the period.".to_owned(),
            };
            return (!has_gaps && self.unchecked.is_none() && !self.idle(period)).then_some(all);
        }
        // Only the time from the start of the period on: another source may have gaps before a later part.
        let until = before()
            .map(|hole| hole.span)
            .fold(period.from, |until, span| if span.from <= until { until.max(span.until) } else { until });
        if until == period.from {
            return None;
        }
        if until >= period.until {
            return (!has_gaps).then(|| "Not watched in the period.".to_owned());
        }
        let all = !has_gaps
            && !self.sources_changed()
            && before().all(|hole| hole.span.from <= until)
            && open_from.is_none_or(|from| from > until);
        let rest = match end {
            _ if !all => String::new(),
            Some(end) => format!(" No gaps from then until {end}."),
            None => " No gaps after that.".to_owned(),
        };
        Some(format!("Not watched before {}.{rest}", format::date_time_short(until, timezone)))
    }

    /// Returns the note that the last minutes before searches do not count as covered, if so.
    pub(super) fn late_note(&self) -> Option<String> {
        let long = Span::new(Time(0), Time(self.late_ms)).filter(|late| late.length().as_secs() >= 60);
        let long = format::length(long?);
        Some(format!("Not counted as covered: {long} just before searches, because posts may be indexed late."))
    }

    /// Returns the note that some sources were searched for a part of the period only, and why, if so. The period ends at
    /// the present at the latest, and begins when the topic was watched.
    pub(super) fn part_time_note(&self, (period, made_at): (Span, Time), timezone: &str) -> Option<String> {
        let began = self.holes.iter().filter(|hole| hole.before).map(|hole| hole.span.until).max();
        let until = period.until.min(made_at);
        let period = Span { from: began.map_or(period.from, |began| period.from.max(began.min(until))), until };
        let inside = |had: &[Span]| had.iter().filter_map(|span| span.intersection(period)).collect::<Vec<Span>>();
        let had = self.part_time.iter().map(|(source, had)| (*source, inside(had)));
        part_time::note(&had.filter(|(_, had)| !had.is_empty()).collect::<Vec<_>>(), period, timezone)
    }

    /// Returns whose coverage a share is, if the sources changed.
    pub(super) fn covered_by_words(&self) -> &'static str {
        if self.sources_changed() { " by the sources it had then" } else { "" }
    }

    /// Returns the note that the end of the period was not covered yet, if so.
    pub(super) fn open_words(&self, timezone: &str) -> Option<String> {
        let open = self.open?;
        let (from, long) = (format::date_time_short(open.from, timezone), format::length(open));
        Some(format!("Not covered yet: {long} from {from}. The next search looks back over it."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples::{HOUR, topic};

    #[test]
    fn a_source_is_not_said_to_be_searched_before_its_topic_was_watched() {
        let hours = |from: i64, until: i64| Span { from: Time(from * HOUR), until: Time(until * HOUR) };
        let hole = HoleFacts { span: hours(-24, 6), why: String::new(), before: true, open: false };
        let part_time = vec![(Source::Social, vec![hours(0, 18)])];
        let facts = TopicFacts { holes: vec![hole], part_time, ..topic("a") };
        let note = "Searched for a part of the period: social (only 1970-01-01 06:00 – 18:00). Its items of the rest may be \
                    missing (social was removed).";
        assert_eq!(facts.part_time_note((hours(0, 24), Time(25 * HOUR)), "UTC").as_deref(), Some(note));
    }
}
