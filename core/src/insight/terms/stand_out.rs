//! What stands out of a period that has no past of its own: its terms against what other topics say, by the same weighted
//! log-odds, or in the order of how many say them where there is nothing else to read. Such terms are no news: what people always say
//! about a topic is among them.

use super::kept::DayTerms;
use super::news::{NewsTerm, news};
use super::rises::{RiseInput, TermItem, rises};

/// Terms that are looked at for those that mean the same, where nothing can be compared.
const MOST: usize = 200;

/// The terms that stand out, the strongest first, and how many texts of other topics they were compared with.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StandOut {
    pub terms: Vec<NewsTerm>,
    /// `None`: there were not as many as the period has, and nothing was compared.
    pub others: Option<u64>,
}

/// What stands out of a period; `others` are days of other topics, and `own` says what the words of the question are.
#[must_use]
pub fn stand_out(items: &[TermItem], others: &[DayTerms], own: &dyn Fn(&str) -> bool) -> StandOut {
    let texts: u64 = others.iter().map(|day| day.said).sum();
    // Fewer texts than these say little of how people talk elsewhere.
    let enough = texts >= items.len() as u64 && texts > 0;
    let before = if enough { others } else { &[] };
    let (mut all, _) = rises(RiseInput { items, before }, own);
    if !enough {
        all.sort_by(|a, b| b.now.cmp(&a.now).then_with(|| a.term.cmp(b.term)));
        all.truncate(MOST);
        for (place, rise) in all.iter_mut().enumerate() {
            // Nothing says how surprising a count is; only the order is left.
            rise.z = (MOST - place) as f64;
            rise.is_news = true;
        }
    }
    let mut terms = news(&all, items);
    if !enough {
        terms.iter_mut().for_each(|term| term.z = 0.0);
    }
    StandOut { terms, others: enough.then_some(texts) }
}
