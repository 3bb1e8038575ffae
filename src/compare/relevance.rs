//! How many posts hold no word of the questions that found them, beside how many usually do: whether a service answers what
//! it was asked. A count; nothing is hidden for it. What a word of a question is, `normalise::words` says.

use crate::insight::daily::{Share, UsualShare, share, usual_share};
use crate::model::{Brings, Kind, Mark, Topic, Words};
use crate::normalise::words::Asked;
use crate::store::{Moment, StoreError};

/// Posts without which nothing is said.
pub const LEAST_POSTS: usize = 10;
/// A smaller part without any word of the question is reported nowhere.
const HALF: f64 = 0.5;
/// By how much the share of more than a day must lie above what is expected of one.
const FAR: f64 = 0.1;
/// Posts of the period, and of each earlier one, whose words are read; the latest.
const MOST: usize = 1_000;
const MOST_EARLIER: usize = 200;
/// Earlier periods that are compared with.
const EARLIER: usize = 14;

/// What posts say of what was asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize)]
pub struct Relevance {
    /// Posts of the period without any word of the question, of those whose words were looked at; `None` where there are
    /// none, or the question has no words.
    pub without: Option<Share>,
    /// What is usual for so many posts; `None` where too few earlier periods are known.
    pub usual: Option<UsualShare>,
}

impl Relevance {
    /// At least half of the posts hold no word of the question, and that is more than usual, or nobody knows what is usual:
    /// volume and tone are those of something else.
    #[must_use]
    pub fn is_astray(&self) -> bool {
        self.many().is_some_and(|without| self.usual.is_none_or(|usual| without.share > usual.high))
    }

    /// The same of a span longer than a day. What is expected rests on days: the many posts of a week or month may lie outside of it
    /// by little, which says nothing.
    #[must_use]
    pub fn is_far_astray(&self) -> bool {
        let far = self.many().zip(self.usual).is_none_or(|(without, usual)| without.share - usual.expected >= FAR);
        self.is_astray() && far
    }

    /// Where at least half of the posts hold no word of the question.
    #[must_use]
    pub fn many(&self) -> Option<Share> {
        self.without.filter(|without| without.whole >= LEAST_POSTS as u64 && without.share >= HALF)
    }
}

/// The words of all questions that may bring what a topic is about, for whoever counts them in items.
pub(super) fn all_asked(topic: &Topic) -> Option<Asked> {
    let mut questions: Vec<&str> = topic.providers.iter().map(|one| one.text("query").unwrap_or("")).collect();
    questions.extend(topic.social.as_ref().map(|social| social.query.as_str()));
    questions.extend(topic.web.as_ref().map(|web| web.query.as_str()));
    Asked::of(&questions.join(" "))
}

/// The words of all questions of a topic that bring posts; `None` where one of them has no words, as nobody knows which
/// question found a post.
fn asked(topic: &Topic) -> Option<Asked> {
    let posts = topic.providers.iter().filter(|one| one.brings() == Brings::Posts);
    let mut questions: Vec<&str> = posts.map(|one| one.text("query").unwrap_or("")).collect();
    questions.extend(topic.social.as_ref().map(|social| social.query.as_str()));
    Asked::of_all(&questions)
}

/// How many posts of a period hold no word of the topic's questions. Each of `earlier` is a period in which the same was
/// asked, in the order of time; they are read only where there may be something to say.
pub async fn relevance<'m, P, E>(
    moment: &mut Moment,
    topic: &Topic,
    period: P,
    earlier: impl DoubleEndedIterator<Item = E>,
) -> Result<Relevance, StoreError>
where
    P: IntoIterator<Item = &'m Mark>,
    E: IntoIterator<Item = &'m Mark>,
{
    let Some(asked) = asked(topic) else { return Ok(Relevance::default()) };
    let mut found = Relevance { without: without(moment, &asked, period, MOST).await?, usual: None };
    if let Some(many) = found.many() {
        let mut shares = Vec::new();
        for marks in earlier.rev().take(EARLIER) {
            let of_period = without(moment, &asked, marks, MOST_EARLIER).await?;
            shares.extend(of_period.filter(|share| share.whole >= LEAST_POSTS as u64));
        }
        found.usual = usual_share(many.whole, &shares).ok();
    }
    Ok(found)
}

/// Of the latest posts of some marks, those without any word of a question; what was pruned is not looked at.
async fn without<'m>(
    moment: &mut Moment,
    asked: &Asked,
    marks: impl IntoIterator<Item = &'m Mark>,
    most: usize,
) -> Result<Option<Share>, StoreError> {
    let mut posts: Vec<&Mark> = marks.into_iter().filter(|mark| mark.kind == Kind::Post).collect();
    posts.sort_by(|a, b| (b.moment(), &a.key).cmp(&(a.moment(), &b.key)));
    posts.truncate(most);
    let keys: Vec<String> = posts.into_iter().map(|mark| mark.key.clone()).collect();
    let words = moment.words(&keys).await?;
    let known: Vec<&Words> =
        words.iter().filter(|words| !words.pruned && (words.text.is_some() || words.title.is_some())).collect();
    let holds =
        |w: &&&Words| asked.is_in(&[w.text.as_deref(), w.title.as_deref(), w.author.as_deref(), w.url.as_deref()]);
    let held = known.iter().filter(holds).count();
    Ok(share((known.len() - held) as u64, known.len() as u64))
}
