//! Explains a window that an alert is about to report, and adds the cause to the evaluation. Only then does it read
//! which source found what. `insight::why` finds the cause.

use super::rules::{self, NAMED};
use super::transitions::{Evaluation, Status};
use crate::compare::{TermRise, TermsAsked, topic_terms};
use crate::insight::daily::{Day, UsualRange, UsualShare};
use crate::insight::why::{self, Cause, Compared, DayItems, Dimension, Figure, OnlySources, Term};
use crate::model::{CountedItem, Span, Time, Tone, Topic, one_line};
use crate::store::{ReadSnapshot, StoreError};

/// Maximum number of items of sources that are read.
const MOST: usize = 200_000;
/// Maximum number of characters of a name.
const LONGEST: usize = 40;

/// A window and the comparable ones, as of one run.
pub(super) struct Window<'a> {
    pub(super) topic: &'a Topic,
    pub(super) day: Day,
    pub(super) marks: &'a [CountedItem],
    pub(super) earlier: &'a [(Day, Vec<CountedItem>)],
    pub(super) run_at: Time,
    /// When the topic's queries last changed, if they did.
    pub(super) asked_since: Option<Time>,
}

/// The unusual property of a window.
pub(super) enum Unusual<'a> {
    Volume(UsualRange),
    /// The usual share, the minimum number of scored posts, and the scorer.
    Negative(UsualShare, u64, &'a str),
}

/// Adds the cause to an evaluation whose status is bad.
pub(super) async fn explained(
    moment: &mut ReadSnapshot,
    window: &Window<'_>,
    unusual: Option<Unusual<'_>>,
    evaluation: Option<Evaluation>,
) -> Result<Option<Evaluation>, StoreError> {
    let Some(mut evaluation) = evaluation else { return Ok(None) };
    let Some(unusual) = unusual.filter(|_| evaluation.status == Status::Bad) else { return Ok(Some(evaluation)) };
    let sources = window.sources(moment).await?;
    let scorer = match &unusual {
        Unusual::Volume(_) => None,
        Unusual::Negative(_, _, scorer) => Some(*scorer),
    };
    let terms = window.terms(moment, scorer).await?;
    let (cause, figure) = match unusual {
        // For a volume, near-copies count once.
        Unusual::Volume(usual) => {
            let of = |day, marks| DayItems::of(day, marks, &sources, None).merge_copies();
            let found = (&*terms, usual.expected);
            (window.find_cause(found, of, |compared| why::volume_cause(compared, &usual)), Figure::Rise)
        }
        Unusual::Negative(usual, least, scorer) => {
            let of = |day, marks| DayItems::of(day, marks, &sources, Some((Tone::Negative, scorer)));
            let found = (&*terms, why::mean(window.earlier.iter().map(|(_, marks)| marks.len())));
            let cause = window.find_cause(found, of, |compared| why::tone_cause(compared, &usual, least));
            (cause, Figure::Tone(Tone::Negative.as_str()))
        }
    };
    if let Some(cause) = cause {
        window.add_cause(moment, &cause, figure, &mut evaluation).await?;
    }
    Ok(Some(evaluation))
}

impl<'a> Window<'a> {
    async fn sources(&self, moment: &mut ReadSnapshot) -> Result<OnlySources, StoreError> {
        let from = self.earlier.first().map_or(self.day.span.from, |(day, _)| day.span.from);
        let Some(span) = Span::new(from, Time(self.run_at.0.saturating_add(1))) else {
            return Ok(OnlySources::default());
        };
        if self.topic.sources().len() < 2 {
            return Ok(OnlySources::default());
        }
        let found_by = moment.shown_by(&self.topic.id, span, i64::try_from(MOST).unwrap_or(i64::MAX)).await?;
        // If only a part was read, it is unknown which source found an item alone.
        let sources = if found_by.len() < MOST { OnlySources::of(found_by) } else { OnlySources::default() };
        let items = || self.marks.iter().chain(self.earlier.iter().flat_map(|(_, marks)| marks));
        let first = items().map(|mark| mark.first_seen).min();
        let thinned_until = moment.thinned_until(&self.topic.id, first.unwrap_or(Time(i64::MAX))).await?;
        Ok(sources.without_thinned(items(), thinned_until))
    }

    fn find_cause(
        &self,
        (terms, usual): (&'a [TermRise], f64),
        of: impl Fn(Day, &'a [CountedItem]) -> DayItems<'a>,
        cause: impl FnOnce(&Compared<'_>) -> Option<Cause>,
    ) -> Option<Cause> {
        let earlier: Vec<DayItems<'_>> = self.earlier.iter().map(|(day, marks)| of(*day, marks)).collect();
        let now = of(self.day, self.marks);
        let terms: Vec<Term<'_>> = terms.iter().map(|rise| rise.as_cause(&now, usual)).collect();
        cause(&Compared { now, earlier: &earlier, terms: &terms })
    }

    /// The terms that are news in the window, compared with the days before as counted.
    async fn terms(&self, moment: &mut ReadSnapshot, scorer: Option<&str>) -> Result<Vec<TermRise>, StoreError> {
        let period: Vec<&CountedItem> = self.marks.iter().collect();
        let options = TermsAsked {
            topic: self.topic,
            passed: &[],
            hidden: &[],
            period: &period,
            span: self.day.span,
            began: moment.first_run(&self.topic.id).await?,
            asked_since: self.asked_since,
            scorer,
            trusting: true,
            explains: true,
            alone: true,
        };
        Ok(topic_terms(moment, options).await?.rises)
    }

    /// Adds a cause to the summary of an event. A text becomes the first line below it, with its key, so that
    /// forgetting the item or its author finds it there.
    async fn add_cause(
        &self,
        moment: &mut ReadSnapshot,
        cause: &Cause,
        figure: Figure<'_>,
        evaluation: &mut Evaluation,
    ) -> Result<(), StoreError> {
        if let Some(first) = cause.first_copy(self.marks) {
            let words = moment.words(std::slice::from_ref(&first.key)).await?;
            let key = Some(&first.key);
            evaluation.lines.retain(|line| line.key.as_ref() != key);
            evaluation.lines.splice(..0, words.iter().map(rules::item_line));
            evaluation.lines.truncate(NAMED);
        }
        let name = match cause.dimension {
            Dimension::Text => String::new(),
            _ => one_line(cause.display_name(self.marks), LONGEST),
        };
        evaluation.summary.push_str(&format!("; {}", cause.describe(figure, &name)));
        Ok(())
    }
}
