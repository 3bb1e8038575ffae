//! A week or a month beside the one before it, and its parts, read; or why the two cannot be compared. Which days belong to it,
//! `insight::daily::CalendarUnit` says; how it is put into words, `calendar_words`.

use super::format::percent;
use super::measures::{LONGEST_RUN, MOST_SEARCHES, WHOLE};
use super::{tone, unseen};
use crate::insight::daily::{self, CalendarPeriod, CalendarUnit, Counted, SearchCoverage, Share, Sounds};
use crate::model::{Mark, Micros, PrunedDays, Span, Time, Tone, Topic};
use crate::store::{Moment, StoreError};

/// What only a report of a week or a month says of a topic.
#[derive(Debug, Clone, serde::Serialize)]
pub struct CalendarFacts {
    pub unit: CalendarUnit,
    /// `2026-W12` or `2026-03`.
    pub name: String,
    pub before: BeforeFacts,
    /// Its days, or the weeks of a month, cut where it begins and ends.
    pub parts: Vec<PartFacts>,
}

/// The week or month before.
#[derive(Debug, Clone, serde::Serialize)]
pub struct BeforeFacts {
    pub name: String,
    pub span: Span,
    /// Hidden by the topic's filter: not in its figures.
    #[serde(skip)]
    pub filtered: u64,
    /// Why the two cannot be compared.
    pub why: Option<String>,
    /// Its figures; `None` where they cannot be compared.
    pub figures: Option<PeriodFigures>,
}

/// The figures that are compared.
#[derive(Debug, Clone, serde::Serialize)]
pub struct PeriodFigures {
    pub counted: Counted,
    /// Full replies left a hole: there may be more.
    pub saturated: bool,
    pub sounds: Sounds,
    /// Negative, neutral and positive among the scored.
    pub shares: Vec<(Tone, Share)>,
    /// Part that searches covered, 0..1.
    pub covered: f64,
    /// What its searches cost; `None` where there were more than are read.
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
    /// Full replies left a hole, or more than a little of its end was not looked at yet: there may be more.
    pub at_least: bool,
    /// Part that searches covered, 0..1, as far as it has passed; `None` where they were pruned.
    pub covered: Option<f64>,
}

/// What is known of a topic and was read already.
pub(super) struct Reading<'a> {
    pub(super) marks: &'a [Mark],
    /// What the topic's filter hides.
    pub(super) hidden: &'a [Mark],
    pub(super) looked: &'a SearchCoverage,
    pub(super) kept: &'a PrunedDays,
    /// When its first run that searched began.
    pub(super) searched_since: Option<Time>,
    /// When another query was asked last.
    pub(super) asked_since: Option<Time>,
    /// Of more items than are read, when the earliest that was read was first seen.
    pub(super) reach: Option<Time>,
    pub(super) scored: Option<&'a str>,
    pub(super) now: Time,
}

/// The week or month before a period, where there is one, and the parts of the period.
pub(super) async fn read(
    moment: &mut Moment,
    topic: &Topic,
    period: &CalendarPeriod,
    timezone: &str,
    about: &Reading<'_>,
) -> Result<Option<CalendarFacts>, StoreError> {
    let Some(before) = period.before(timezone) else { return Ok(None) };
    let why = about.why_not(period, before.span);
    let figures = match why {
        None => Some(figures(moment, topic, before.span, about).await?),
        Some(_) => None,
    };
    let parts = match period.unit {
        CalendarUnit::Week => period.days(timezone).into_iter().map(|day| (day.date.to_string(), day.span)).collect(),
        CalendarUnit::Month => {
            period.weeks(timezone).into_iter().map(|week| (week.name, week.span)).collect::<Vec<_>>()
        }
    };
    let filtered = about.hidden.iter().filter(|mark| before.span.holds(mark.moment())).count() as u64;
    Ok(Some(CalendarFacts {
        unit: period.unit,
        name: period.name.clone(),
        before: BeforeFacts { name: before.name, span: before.span, filtered, why, figures },
        // Of one that goes on, what has begun.
        parts: parts
            .into_iter()
            .filter(|(_, span)| span.from <= about.now)
            .map(|(name, span)| about.part(name, span))
            .collect(),
    }))
}

async fn figures(
    moment: &mut Moment,
    topic: &Topic,
    span: Span,
    about: &Reading<'_>,
) -> Result<PeriodFigures, StoreError> {
    let sounds = daily::sounds(about.inside(span), about.scored);
    // A run may begin before midnight, and ask after it.
    let began_by = Span { from: Time(span.from.0.saturating_sub(LONGEST_RUN)), ..span };
    let searches = moment.asked(&topic.id, began_by, MOST_SEARCHES).await?;
    let cut = i64::try_from(searches.len()).is_ok_and(|many| many >= MOST_SEARCHES);
    let cost = searches.iter().filter(|asked| span.holds(asked.at)).fold(Micros(0), |sum, asked| sum.plus(asked.cost));
    Ok(PeriodFigures {
        counted: daily::count(about.inside(span)),
        saturated: about.looked.saturated(span),
        shares: tone::shares(&sounds),
        sounds,
        covered: about.looked.covered(span),
        cost: (!cut).then_some(cost),
    })
}

impl Reading<'_> {
    fn inside(&self, span: Span) -> impl Iterator<Item = &Mark> {
        self.marks.iter().filter(move |mark| span.holds(mark.moment()))
    }

    fn part(&self, name: String, span: Span) -> PartFacts {
        let counted = daily::count(self.inside(span));
        PartFacts {
            name,
            span,
            raw: counted.raw,
            unique: counted.unique,
            at_least: self.looked.saturated(span) || unseen::is_much(self.looked, span, self.now),
            covered: self.kept.whole(span).then(|| self.looked.covered(span)),
        }
    }

    /// Why a period cannot be compared with the one before, if so.
    fn why_not(&self, period: &CalendarPeriod, before: Span) -> Option<String> {
        let (span, noun) = (period.span, period.unit.noun());
        let little = |span: Span| Some(self.looked.looked_at(span)).filter(|part| *part < WHOLE).map(percent);
        if !self.looked.watched(before) {
            let later = self.searched_since.is_none_or(|at| at >= before.until);
            return Some(if later { "not watched yet" } else { "not watched from its beginning" }.to_owned());
        }
        if self.asked_since.is_some_and(|at| at > before.from) {
            let then = self.asked_since.is_some_and(|at| at <= span.from);
            return Some(if then { "another query was asked then" } else { "the query changed" }.to_owned());
        }
        if self.reach.is_some_and(|reach| reach > before.from) {
            return Some("more items than are read at once".to_owned());
        }
        if !self.kept.whole(before) {
            return Some("its searches were pruned".to_owned());
        }
        if let Some(part) = little(before) {
            return Some(format!("only {part} covered"));
        }
        if span.until > self.now {
            return Some(format!("this {noun} is not over"));
        }
        little(span).map(|part| format!("only {part} of this {noun} covered"))
    }
}
