//! How many posts of the period hold no word of the question that found them, beside how many usually do. A count and a
//! sentence: nothing is hidden for it. What a word of a question is, `normalise::words` says.

use super::facts::TopicFacts;
use super::format::{counted, number, percent};
use super::measures::RelevanceFacts;
use crate::insight::daily::{Day, Share, share, usual_share};
use crate::model::{Kind, Mark, Topic};
use crate::normalise::words::Asked;
use crate::store::{Moment, StoreError};

/// Posts without which nothing is said.
const LEAST: u64 = 10;
/// A smaller part without any word of the question is told nowhere.
const HALF: f64 = 0.5;
/// Posts of the period, and of each earlier day, whose words are read; the latest.
const MOST: usize = 1_000;
const MOST_A_DAY: usize = 200;
/// Earlier days that are compared with.
const DAYS: usize = 14;

impl RelevanceFacts {
    /// At least half of the posts hold no word of the question, and that is more than usual, or nobody knows what is usual:
    /// volume and tone are those of something else.
    pub(super) fn is_astray(&self) -> bool {
        self.many().is_some_and(|without| self.usual.is_none_or(|usual| without.share > usual.high))
    }

    /// Where at least half of the posts hold no word of the question.
    fn many(&self) -> Option<Share> {
        self.without.filter(|without| without.whole >= LEAST && without.share >= HALF)
    }

    /// `97 of 100 posts hold no word of the question: judge before you quote.`
    pub(super) fn sentence(&self) -> Option<String> {
        let without = self.many()?;
        let usual = self.usual.map_or_else(String::new, |usual| {
            format!(" ({} expected, by {})", percent(usual.expected), counted(usual.samples as u64, "earlier day"))
        });
        let (part, whole) = (number(without.part), counted(without.whole, "post"));
        Some(format!("{part} of {whole} hold no word of the question{usual}: judge before you quote."))
    }
}

impl TopicFacts {
    /// Whether another question was asked, or the posts are not about the one that was: volume and tone are not compared.
    pub(super) fn asked_or_answered_otherwise(&self) -> bool {
        self.asked_otherwise() || self.relevance.is_astray()
    }
}

/// How many posts of the period hold no word of the topic's question; `earlier` are whole days on which the same was asked.
pub(super) async fn relevance(
    moment: &mut Moment,
    topic: &Topic,
    period: &[&Mark],
    marks: &[Mark],
    earlier: &[Day],
) -> Result<RelevanceFacts, StoreError> {
    let Some(asked) = topic.social.as_ref().and_then(|social| Asked::of(&social.query)) else {
        return Ok(RelevanceFacts::default());
    };
    let Some(without) = without(moment, &asked, period.iter().copied(), MOST).await? else {
        return Ok(RelevanceFacts::default());
    };
    let mut shares = Vec::new();
    // The days before are read only where there may be something to say.
    if without.whole >= LEAST && without.share >= HALF {
        for day in earlier.iter().rev().take(DAYS) {
            let inside = marks.iter().filter(|mark| day.span.holds(mark.moment()));
            let of_day = self::without(moment, &asked, inside, MOST_A_DAY).await?;
            shares.extend(of_day.filter(|share| share.whole >= LEAST));
        }
    }
    Ok(RelevanceFacts { without: Some(without), usual: usual_share(without.whole, &shares).ok() })
}

/// Of the latest posts of some marks, those without any word of a question; what was pruned is not looked at.
async fn without(
    moment: &mut Moment,
    asked: &Asked,
    marks: impl Iterator<Item = &Mark>,
    most: usize,
) -> Result<Option<Share>, StoreError> {
    let mut posts: Vec<&Mark> = marks.filter(|mark| mark.kind == Kind::Post).collect();
    posts.sort_by(|a, b| (b.moment(), &a.key).cmp(&(a.moment(), &b.key)));
    posts.truncate(most);
    let keys: Vec<String> = posts.into_iter().map(|mark| mark.key.clone()).collect();
    let words = moment.words(&keys).await?;
    let known: Vec<_> = words.iter().filter(|w| !w.pruned && (w.text.is_some() || w.title.is_some())).collect();
    let holds = |w: &&&crate::model::Words| {
        asked.is_in(&[w.text.as_deref(), w.title.as_deref(), w.author.as_deref(), w.url.as_deref()])
    };
    let held = known.iter().filter(holds).count();
    Ok(share((known.len() - held) as u64, known.len() as u64))
}
