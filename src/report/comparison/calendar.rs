//! Compares a week or a month and its parts with the one before, or gives the reason why not.
//! `insight::daily::CalendarUnit` defines the days; `calendar_words` puts it into words.

use std::collections::HashSet;

use super::few_answers::{missing_answers, scaled};
use super::measures::{LONGEST_RUN, MOST_SEARCHES, NOT_READ, UNJUDGED, WHOLE, little_searched, sources_reason};
use super::tone;
use crate::insight::daily::{
    self, CalendarPeriod, CalendarUnit, ItemCounts, SearchCoverage, Share, SourceHistory, ToneCounts,
};
use crate::model::{CountedItem, Micros, PrunedDays, Span, Time, Tone, Topic};
use crate::store::{ReadSnapshot, StoreError};

/// Facts that only reports of a week or a month have.
#[derive(Debug, Clone, serde::Serialize)]
pub struct CalendarFacts {
    pub unit: CalendarUnit,
    /// `2026-W12` or `2026-03`.
    pub name: String,
    pub before: BeforeFacts,
    /// Its days, or the weeks of a month, cut where the month begins and ends.
    pub parts: Vec<PartFacts>,
}

/// The week or month before.
#[derive(Debug, Clone, serde::Serialize)]
pub struct BeforeFacts {
    pub name: String,
    pub span: Span,
    /// Items hidden by the topic's filter. They are not in its figures.
    #[serde(skip)]
    pub filtered: u64,
    /// Why the two cannot be compared, if so.
    pub why: Option<String>,
    /// Its figures; `None` if the two cannot be compared.
    pub figures: Option<PeriodFigures>,
}

/// The figures that are compared.
#[derive(Debug, Clone, serde::Serialize)]
pub struct PeriodFigures {
    pub counted: ItemCounts,
    /// Whether full replies left a hole, so that there may be more.
    pub saturated: bool,
    /// Whether there may be more, for this or another reason.
    pub at_least: bool,
    #[serde(rename = "sounds")]
    pub tones: ToneCounts,
    /// The shares of negative, neutral and positive among the scored items.
    pub shares: Vec<(Tone, Share)>,
    /// The share of the period that searches covered, 0..1.
    pub covered: f64,
    /// How many searches answered, if they cover no time span.
    pub checks: Option<u64>,
    /// The cost of its searches; `None` if there were more searches than are read.
    pub cost: Option<Micros>,
}

/// A day of a week, or a week of a month.
#[derive(Debug, Clone, serde::Serialize)]
pub struct PartFacts {
    /// `2026-03-16` or `2026-W12`.
    pub name: String,
    pub span: Span,
    pub raw: u64,
    pub unique: u64,
    /// Whether there may be more: full replies left a hole, more than a little was not covered, a source was searched
    /// for a part of it only, or not all items were read.
    pub at_least: bool,
    /// Whether there may be more from the sources that it had in all of it.
    #[serde(skip)]
    pub has_gaps: bool,
    /// The share that searches covered, 0..1, of the time that has passed; `None` if the searches were pruned.
    pub covered: Option<f64>,
    /// Unique items that the share of voice counts, if not all.
    #[serde(skip)]
    pub voice: Option<u64>,
}

/// The data of a topic that was already read.
pub(in crate::report) struct Reading<'a> {
    pub(in crate::report) marks: &'a [CountedItem],
    /// Items that the topic's filter hides.
    pub(in crate::report) hidden: &'a [CountedItem],
    pub(in crate::report) looked: &'a SearchCoverage,
    pub(in crate::report) kept: &'a PrunedDays,
    /// When its first run that searched started.
    pub(in crate::report) searched_since: Option<Time>,
    /// When the query last changed.
    pub(in crate::report) asked_since: Option<Time>,
    /// When the topic had which sources.
    pub(in crate::report) sources: &'a SourceHistory,
    /// If there were more items than are read: when the earliest item that was read was first seen.
    pub(in crate::report) reach: Option<Time>,
    /// From when on the filter could judge all items, if not all.
    pub(in crate::report) judged_from: Option<Time>,
    /// Keys of the items of the period that the share of voice counts, if not all.
    pub(in crate::report) in_voice: Option<&'a HashSet<String>>,
    pub(in crate::report) scored: Option<&'a str>,
    pub(in crate::report) now: Time,
}

/// Reads the week or month before a period, if there is one, and the parts of the period.
pub(in crate::report) async fn read(
    snapshot: &mut ReadSnapshot,
    topic: &Topic,
    period: &CalendarPeriod,
    timezone: &str,
    reading: &Reading<'_>,
) -> Result<Option<CalendarFacts>, StoreError> {
    let Some(before) = period.previous(timezone) else { return Ok(None) };
    let why = reading.not_comparable_reason(period, before.span);
    let figures = match why {
        None => Some(figures(snapshot, topic, before.span, reading).await?),
        Some(_) => None,
    };
    let parts = match period.unit {
        CalendarUnit::Week => period.days(timezone).into_iter().map(|day| (day.date.to_string(), day.span)).collect(),
        CalendarUnit::Month => {
            period.weeks(timezone).into_iter().map(|week| (week.name, week.span)).collect::<Vec<_>>()
        }
    };
    let filtered = reading.hidden.iter().filter(|mark| before.span.contains(mark.moment())).count() as u64;
    Ok(Some(CalendarFacts {
        unit: period.unit,
        name: period.name.clone(),
        before: BeforeFacts { name: before.name, span: before.span, filtered, why, figures },
        // For a period that is not over, only the parts that have begun.
        parts: parts
            .into_iter()
            .filter(|(_, span)| span.from <= reading.now)
            .map(|(name, span)| reading.part(name, span))
            .collect(),
    }))
}

async fn figures(
    snapshot: &mut ReadSnapshot,
    topic: &Topic,
    span: Span,
    reading: &Reading<'_>,
) -> Result<PeriodFigures, StoreError> {
    let tones = daily::count_tones(reading.inside(span), reading.scored);
    // A run may start before midnight and search after it.
    let began_by = Span { from: Time(span.from.0.saturating_sub(LONGEST_RUN)), ..span };
    let searches = snapshot.searches(&topic.id, began_by, MOST_SEARCHES).await?;
    let cut = i64::try_from(searches.len()).is_ok_and(|many| many >= MOST_SEARCHES);
    let cost =
        searches.iter().filter(|search| span.contains(search.at)).fold(Micros(0), |sum, search| sum.plus(search.cost));
    Ok(PeriodFigures {
        counted: daily::count_items(reading.inside(span)),
        saturated: reading.looked.saturated(span),
        at_least: reading.looked.may_be_more(reading.kept, span, reading.now),
        shares: tone::shares(&tones),
        tones,
        covered: reading.looked.covered_share(span),
        checks: reading.looked.checks(span),
        cost: (!cut).then_some(cost),
    })
}

impl Reading<'_> {
    fn inside(&self, span: Span) -> impl Iterator<Item = &CountedItem> {
        self.marks.iter().filter(move |mark| span.contains(mark.moment()))
    }

    /// Whether all items of a span were read.
    fn is_read(&self, span: Span) -> bool {
        self.reach.is_none_or(|reach| reach <= span.from)
    }

    fn part(&self, name: String, span: Span) -> PartFacts {
        let counted = daily::count_items(self.inside(span));
        let count_voice = |keys: &HashSet<String>| {
            daily::count_items(self.inside(span).filter(|mark| keys.contains(&mark.key))).unique
        };
        PartFacts {
            name,
            span,
            raw: counted.raw,
            unique: counted.unique,
            at_least: !self.is_read(span) || self.looked.may_be_more(self.kept, span, self.now),
            has_gaps: !self.is_read(span) || self.looked.has_gaps(self.kept, span, self.now),
            covered: self.kept.is_complete(span).then(|| self.looked.covered_share(span)),
            voice: self.in_voice.map(count_voice),
        }
    }

    /// Returns why a period cannot be compared with the one before, if so.
    fn not_comparable_reason(&self, period: &CalendarPeriod, before: Span) -> Option<String> {
        let (span, noun) = (period.span, period.unit.noun());
        let little = |span: Span| Some(self.looked.searched_share(span)).filter(|part| *part < WHOLE);
        if !self.looked.was_watched(before) {
            let later = self.searched_since.is_none_or(|at| at >= before.until);
            return Some(if later { "not watched yet" } else { "not watched from its start" }.to_owned());
        }
        if self.asked_since.is_some_and(|at| at > before.from) {
            let then = self.asked_since.is_some_and(|at| at <= span.from);
            return Some(if then { "another query was used then" } else { "the query changed" }.to_owned());
        }
        if let Some(reason) = sources_reason(self.sources, span, before, noun) {
            return Some(reason);
        }
        if !self.is_read(before) {
            return Some(NOT_READ.to_owned());
        }
        if self.judged_from.is_some_and(|at| at > before.from) {
            return Some(UNJUDGED.to_owned());
        }
        if !self.kept.is_complete(before) {
            return Some("its searches were pruned".to_owned());
        }
        if let Some(part) = little(before) {
            return Some(little_searched(part, None));
        }
        let (own, earlier) = (self.looked.answers(span), self.looked.answers(before));
        let has_spans = self.looked.has_spans(before);
        if let Some(few) = missing_answers(&earlier, &scaled(own.clone(), span, before), has_spans) {
            return Some(few);
        }
        if span.until > self.now {
            return Some(format!("this {noun} is not over"));
        }
        let few = || {
            let few = missing_answers(&own, &scaled(earlier, before, span), self.looked.has_spans(span))?;
            Some(format!("{few} in this {noun}"))
        };
        little(span).map(|part| little_searched(part, Some(&format!("this {noun}")))).or_else(few)
    }
}
