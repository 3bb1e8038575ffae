//! Finds terms of a period that stand out from other topics, by the same weighted log-odds. If there is nothing to
//! compare with, these are the terms that most people use. They are shown if the topic's own past is too short to find
//! news, or if no term is news on an unusually busy day whose words differ from before. They are not called news: words
//! that always belong to the topic are among them.

use super::day_terms::DayTerms;
use super::news::{NewsTerm, news, texts};
use super::rises::{RiseInput, TermItem, rises};
use crate::insight::daily::{Day, usual_range};

/// The most terms checked for equal meaning when there is nothing to compare with.
const MOST: usize = 200;

/// The terms that stand out, the strongest first, and how many texts of other topics they were compared with.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StandOut {
    pub terms: Vec<NewsTerm>,
    /// `None`: other topics have fewer texts than the period, and nothing was compared.
    pub others: Option<u64>,
}

/// A day that has more texts than any earlier day, and more than usual.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BusiestDay {
    /// Its texts, counted as [`DayTerms::texts`] is.
    pub texts: u64,
    /// The most texts of an earlier day.
    pub most_before: u64,
}

/// Returns the day's counts if it is the busiest of all days it is compared with, and busier than usual. `earlier` holds
/// days that can be compared, the earliest first.
#[must_use]
pub fn busiest_day(day: &Day, items: &[TermItem], earlier: &[(Day, u64)]) -> Option<BusiestDay> {
    let texts = texts(items.iter());
    let most_before = earlier.iter().map(|(_, texts)| *texts).max()?;
    #[expect(clippy::cast_precision_loss, reason = "counts of texts")]
    let unusual = usual_range(day, earlier).is_ok_and(|usual| texts as f64 > usual.high);
    (unusual && texts > most_before).then_some(BusiestDay { texts, most_before })
}

/// Returns the terms that stand out of a period. `others` are days of other topics; `own` recognises the words of the
/// query.
#[must_use]
pub fn stand_out(items: &[TermItem], others: &[DayTerms], own: &dyn Fn(&str) -> bool) -> StandOut {
    let texts: u64 = others.iter().map(|day| day.texts).sum();
    // With fewer texts than the period has, the other topics show little about common words.
    let enough = texts >= items.len() as u64 && texts > 0;
    let before = if enough { others } else { &[] };
    let (mut all, _) = rises(RiseInput { items, before }, own);
    if !enough {
        all.sort_by(|a, b| b.now.cmp(&a.now).then_with(|| a.term.cmp(b.term)));
        all.truncate(MOST);
        for (place, rise) in all.iter_mut().enumerate() {
            // A count without a comparison has no z; only its rank is left.
            rise.z = (MOST - place) as f64;
            rise.chance = 0.0;
        }
    }
    let mut terms = news(&all, items);
    if !enough {
        terms.iter_mut().for_each(|term| term.z = 0.0);
    }
    StandOut { terms, others: enough.then_some(texts) }
}
