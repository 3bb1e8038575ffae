//! Finds the cause of an unusual number of items or an unusual tone, for `highlights`. It reads which source found what
//! only if a figure is unusual. `insight::why` defines causes.

use std::collections::BTreeSet;

use super::format::line;
use super::measures::{MIN_CHANGE, MIN_SAMPLE, NamedCause, ToneFacts, WhyFacts};
use crate::compare::TermRise;
use crate::insight::daily::{Day, UsualRange, UsualShare};
use crate::insight::why::{self, Cause, Compared, DayItems, Dimension, Figure, OnlySources, Term};
use crate::model::{CountedItem, Span, Tone, Topic};
use crate::store::{ReadSnapshot, StoreError};

/// The maximum number of items read by source.
const MOST: usize = 500_000;
/// The maximum length of a name, and of a text, in characters.
const NAME: usize = 40;
const WORDS: usize = 60;

/// The figures that may be unusual.
pub(super) struct UnusualFigures<'a> {
    pub(super) usual: Option<UsualRange>,
    pub(super) tone: &'a ToneFacts,
    /// The terms that are news.
    pub(super) terms: &'a [TermRise],
}

/// The items of the period, and all items and days with which it is compared.
pub(super) struct PeriodBaseline<'a> {
    pub(super) day: Day,
    pub(super) period: &'a [&'a CountedItem],
    pub(super) marks: &'a [CountedItem],
    /// Sorted, the earliest first.
    pub(super) days: &'a [Day],
}

/// Items by the day on which they count.
struct ByDay<'a> {
    day: Day,
    period: &'a [&'a CountedItem],
    earlier: Vec<(Day, Vec<&'a CountedItem>)>,
}

impl<'a> ByDay<'a> {
    /// Items of the period are not counted on earlier days, too.
    fn of(beside: &PeriodBaseline<'a>) -> Self {
        let ours: BTreeSet<&str> = beside.period.iter().map(|mark| mark.key.as_str()).collect();
        let mut earlier: Vec<(Day, Vec<&CountedItem>)> = beside.days.iter().map(|day| (*day, Vec::new())).collect();
        for mark in beside.marks.iter().filter(|mark| !ours.contains(&*mark.key)) {
            let at = earlier.partition_point(|(day, _)| day.span.until <= mark.moment());
            if let Some((_, marks)) = earlier.get_mut(at).filter(|(day, _)| day.span.contains(mark.moment())) {
                marks.push(mark);
            }
        }
        Self { day: beside.day, period: beside.period, earlier }
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
pub(super) async fn read(
    moment: &mut ReadSnapshot,
    topic: &Topic,
    beside: PeriodBaseline<'_>,
    seen: Span,
    told: UnusualFigures<'_>,
) -> Result<WhyFacts, StoreError> {
    let usual = told.usual.filter(|usual| is_unusual(beside.period.len(), usual));
    let tones = unusual_tones(told.tone);
    if usual.is_none() && tones.is_empty() {
        return Ok(WhyFacts::default());
    }
    let beside = ByDay::of(&beside);
    let sources = if topic.sources().len() < 2 {
        OnlySources::default()
    } else {
        let shown = moment.shown_by(&topic.id, seen, i64::try_from(MOST).unwrap_or(i64::MAX)).await?;
        // If only a part was read, it is unknown which source alone found an item.
        if shown.len() < MOST { OnlySources::of(shown) } else { OnlySources::default() }
    };
    let mut facts = WhyFacts::default();
    let found = (&sources, told.terms);
    let cause = usual.and_then(|usual| {
        beside.find_cause(found, None, usual.expected, |compared| why::volume_cause(compared, &usual))
    });
    if let Some(cause) = cause {
        facts.volume = Some(named(moment, beside.period, cause).await?);
    }
    let scorer = told.tone.scorer.as_deref().unwrap_or_default();
    let usual_items = why::mean(beside.earlier.iter().map(|(_, marks)| marks.len()));
    for (tone, usual) in tones {
        let asked = Some((tone, scorer));
        let cause =
            beside.find_cause(found, asked, usual_items, |compared| why::tone_cause(compared, &usual, MIN_SAMPLE));
        if let Some(cause) = cause {
            facts.tone.push((tone, named(moment, beside.period, cause).await?));
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
    if tone.uncompared().is_some() {
        return Vec::new();
    }
    let unusual = |(tone_of, usual): &&(Tone, UsualShare)| {
        let now = tone.shares.iter().find(|(other, _)| other == tone_of);
        now.is_some_and(|(_, now)| now.share < usual.low || now.share > usual.high)
    };
    tone.usual.iter().filter(unusual).copied().collect()
}

/// Adds the name by which a cause is shown.
async fn named(moment: &mut ReadSnapshot, period: &[&CountedItem], cause: Cause) -> Result<NamedCause, StoreError> {
    let shown = match cause.first_copy(period.iter().copied()) {
        Some(first) => {
            let words = moment.words(std::slice::from_ref(&first.key)).await?;
            let words = words.into_iter().next().and_then(|words| words.title.or(words.text)).unwrap_or_default();
            line(&words, WORDS)
        }
        // A text that was pruned has no words here.
        None if cause.dimension == Dimension::Text => String::new(),
        None => line(cause.display_name(period.iter().copied()), NAME),
    };
    Ok(NamedCause { cause, display_name: shown })
}

impl NamedCause {
    /// Returns the sentence that follows the one about the figure, with a leading space.
    pub(super) fn sentence(&self, figure: Figure<'_>) -> String {
        let clause = self.cause.describe(figure, &self.display_name);
        let mut letters = clause.chars();
        let first = letters.next().map(|first| first.to_ascii_uppercase());
        format!(" {}{}.", first.map_or_else(String::new, String::from), letters.as_str())
    }
}
