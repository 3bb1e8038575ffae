//! Finds the cause of an unusual number of items or an unusual tone, for `highlights`. It reads which source found what
//! only if a figure is unusual. `insight::why` defines causes.

use std::collections::BTreeSet;

use crate::compare::TermRise;
use crate::insight::daily::{Day, UsualRange, UsualShare};
use crate::insight::why::{self, Cause, Compared, DayItems, Dimension, Figure, OnlySources, Term};
use crate::model::{CountedItem, Span, Time, Tone, Topic};
use crate::report::comparison::measures::{MIN_CHANGE, MIN_SAMPLE, NamedCause, ToneFacts, WhyFacts};
use crate::report::format::line;
use crate::store::{ReadSnapshot, StoreError};

/// The maximum number of items read by source.
const MOST: usize = 500_000;
/// The maximum length of a name, and of a text, in characters.
const NAME: usize = 40;
const WORDS: usize = 60;

/// The figures that may be unusual.
pub(in crate::report) struct UnusualFigures<'a> {
    pub(in crate::report) usual: Option<UsualRange>,
    pub(in crate::report) tone: &'a ToneFacts,
    /// The terms that are news.
    pub(in crate::report) terms: &'a [TermRise],
}

/// The items of the period, and all items and days with which it is compared.
pub(in crate::report) struct PeriodBaseline<'a> {
    pub(in crate::report) day: Day,
    pub(in crate::report) period: &'a [&'a CountedItem],
    pub(in crate::report) marks: &'a [CountedItem],
    /// Sorted, the earliest first.
    pub(in crate::report) days: &'a [Day],
}

/// Items by the day on which they count.
struct ByDay<'a> {
    day: Day,
    period: &'a [&'a CountedItem],
    earlier: Vec<(Day, Vec<&'a CountedItem>)>,
}

impl<'a> ByDay<'a> {
    /// Items of the period are not counted on earlier days, too.
    fn of(baseline: &PeriodBaseline<'a>) -> Self {
        let period_keys: BTreeSet<&str> = baseline.period.iter().map(|mark| mark.key.as_str()).collect();
        let mut earlier: Vec<(Day, Vec<&CountedItem>)> = baseline.days.iter().map(|day| (*day, Vec::new())).collect();
        for mark in baseline.marks.iter().filter(|mark| !period_keys.contains(&*mark.key)) {
            let at = earlier.partition_point(|(day, _)| day.span.until <= mark.moment());
            if let Some((_, marks)) = earlier.get_mut(at).filter(|(day, _)| day.span.contains(mark.moment())) {
                marks.push(mark);
            }
        }
        Self { day: baseline.day, period: baseline.period, earlier }
    }

    /// Looks for a cause among the items, and among their tones if `tone` is given. `usual` is the usual number of
    /// items on such a day.
    fn find_cause(
        &self,
        (sources, terms): (&OnlySources, &[TermRise]),
        tone: Option<(Tone, &str)>,
        usual: f64,
        cause: impl FnOnce(&Compared<'_>) -> Option<Cause>,
    ) -> Option<Cause> {
        let now = DayItems::of(self.day, self.period.iter().copied(), sources, tone);
        let of =
            |(day, marks): &'_ (Day, Vec<&'a CountedItem>)| DayItems::of(*day, marks.iter().copied(), sources, tone);
        let earlier: Vec<DayItems<'_>> = self.earlier.iter().map(of).collect();
        let terms: Vec<Term<'_>> = terms.iter().map(|rise| rise.as_cause(&now, usual)).collect();
        cause(&Compared { now, earlier: &earlier, terms: &terms })
    }
}

/// Finds the causes of the unusual figures. `seen` is the span in which sources found the compared items.
pub(in crate::report) async fn read(
    snapshot: &mut ReadSnapshot,
    topic: &Topic,
    baseline: PeriodBaseline<'_>,
    seen: Span,
    figures: UnusualFigures<'_>,
) -> Result<WhyFacts, StoreError> {
    let usual = figures.usual.filter(|usual| is_unusual(baseline.period.len(), usual));
    let tones = unusual_tones(figures.tone);
    if usual.is_none() && tones.is_empty() {
        return Ok(WhyFacts::default());
    }
    let by_day = ByDay::of(&baseline);
    let sources = if topic.sources().len() < 2 {
        OnlySources::default()
    } else {
        let sightings = snapshot.shown_by(&topic.id, seen, i64::try_from(MOST).unwrap_or(i64::MAX)).await?;
        // If only a part was read, it is unknown which source alone found an item.
        let sources = if sightings.len() < MOST { OnlySources::of(sightings) } else { OnlySources::default() };
        let first = baseline.marks.iter().map(|mark| mark.first_seen).min();
        let thinned_until = snapshot.thinned_until(&topic.id, first.unwrap_or(Time(i64::MAX))).await?;
        sources.without_thinned(baseline.marks, thinned_until)
    };
    let mut facts = WhyFacts::default();
    let found = (&sources, figures.terms);
    let cause = usual.and_then(|usual| {
        by_day.find_cause(found, None, usual.expected, |compared| why::volume_cause(compared, &usual))
    });
    if let Some(cause) = cause {
        facts.volume = Some(with_display_name(snapshot, by_day.period, cause).await?);
    }
    let scorer = figures.tone.scorer.as_deref().unwrap_or_default();
    let usual_items = why::mean(by_day.earlier.iter().map(|(_, marks)| marks.len()));
    for (tone, usual) in tones {
        let tone_and_scorer = Some((tone, scorer));
        let cause = by_day
            .find_cause(found, tone_and_scorer, usual_items, |compared| why::tone_cause(compared, &usual, MIN_SAMPLE));
        if let Some(cause) = cause {
            facts.tone.push((tone, with_display_name(snapshot, by_day.period, cause).await?));
        }
    }
    Ok(facts)
}

fn is_unusual(many: usize, usual: &UsualRange) -> bool {
    #[expect(clippy::cast_precision_loss, reason = "counts of items")]
    let many = many as f64;
    (many < usual.low || many > usual.high) && (many - usual.expected).abs() >= MIN_CHANGE
}

fn unusual_tones(tone: &ToneFacts) -> Vec<(Tone, UsualShare)> {
    if !tone.is_compared() {
        return Vec::new();
    }
    let unusual = |(tone_of, usual): &&(Tone, UsualShare)| {
        let now = tone.shares.iter().find(|(other, _)| other == tone_of);
        now.is_some_and(|(_, now)| now.share < usual.low || now.share > usual.high)
    };
    tone.usual.iter().filter(unusual).copied().collect()
}

/// Adds the name by which a cause is shown.
async fn with_display_name(
    snapshot: &mut ReadSnapshot,
    period: &[&CountedItem],
    cause: Cause,
) -> Result<NamedCause, StoreError> {
    let display_name = match cause.first_copy(period.iter().copied()) {
        Some(first) => {
            let words = snapshot.words(std::slice::from_ref(&first.key)).await?;
            let words = words.into_iter().next().and_then(|words| words.title.or(words.text)).unwrap_or_default();
            line(&words, WORDS)
        }
        // A text that was pruned has no words here.
        None if cause.dimension == Dimension::Text => String::new(),
        None => line(cause.display_name(period.iter().copied()), NAME),
    };
    Ok(NamedCause { cause, display_name })
}

impl NamedCause {
    /// Returns the sentence that follows the one about the figure, with a leading space.
    pub(in crate::report) fn sentence(&self, figure: Figure<'_>) -> String {
        let clause = self.cause.describe(figure, &self.display_name);
        let mut letters = clause.chars();
        let first = letters.next().map(|first| first.to_ascii_uppercase());
        format!(" {}{}.", first.map_or_else(String::new, String::from), letters.as_str())
    }
}
