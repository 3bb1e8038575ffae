//! Counts the posts that hold no word of the questions that found them, and compares this with the usual number, to
//! show whether a service answers the question. Hides nothing. `normalise::words` defines what a word of a question is.

use crate::insight::daily::{Share, UsualShare, share, usual_share};
use crate::model::{CountedItem, ItemContent, Kind, ResultKind, Topic};
use crate::normalise::words::QueryWords;
use crate::store::{ReadSnapshot, StoreError};

/// Minimum number of posts for a report.
pub const LEAST_POSTS: usize = 10;
/// Minimum share of posts without any word of the question that is reported.
const HALF: f64 = 0.5;
/// For spans longer than a day: how far the share must lie above the expected one.
const FAR: f64 = 0.1;
/// How many of the latest posts have their words read, of the period and of each earlier one.
const MOST: usize = 1_000;
const MOST_EARLIER: usize = 200;
/// Earlier periods to compare with.
const EARLIER: usize = 14;

/// How well posts match the question.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize)]
pub struct Relevance {
    /// The share of posts without any word of the question, of those whose words were read. `None` if there are none,
    /// or if the question has no words.
    pub without: Option<Share>,
    /// Posts whose words could not be read, because they were pruned or never given.
    pub unread: u64,
    /// Earlier posts of the period that were not looked at, because there were too many.
    #[serde(skip)]
    pub beyond: u64,
    /// The usual share for this many posts; `None` if too few earlier periods are known.
    pub usual: Option<UsualShare>,
}

impl Relevance {
    /// Whether at least half of the posts hold no word of the question, and that is more than usual or the usual share
    /// is unknown. Volume and tone then describe something else.
    #[must_use]
    pub fn is_off_topic(&self) -> bool {
        self.high_share().is_some_and(|without| self.usual.is_none_or(|usual| without.share > usual.high))
    }

    /// The same for a span longer than a day. The expected share is based on days, so the many posts of a week or
    /// month may lie slightly outside it, which means nothing.
    #[must_use]
    pub fn is_clearly_off_topic(&self) -> bool {
        let far =
            self.high_share().zip(self.usual).is_none_or(|(without, usual)| without.share - usual.expected >= FAR);
        self.is_off_topic() && far
    }

    /// The share without any word of the question, if it is at least half.
    #[must_use]
    pub fn high_share(&self) -> Option<Share> {
        self.without.filter(|without| without.whole >= LEAST_POSTS as u64 && without.share >= HALF)
    }
}

/// The words of all questions of a topic, for counting them in items.
pub(super) fn all_query_words(topic: &Topic) -> Option<QueryWords> {
    let mut questions: Vec<&str> = topic.providers.iter().map(|one| one.text("query").unwrap_or("")).collect();
    questions.extend(topic.social.as_ref().map(|social| social.query.as_str()));
    questions.extend(topic.web.as_ref().map(|web| web.query.as_str()));
    QueryWords::of(&questions.join(" "))
}

/// The words of all questions of a topic that bring posts. `None` if one of them has no words, because it is unknown
/// which question found a post.
fn post_query_words(topic: &Topic) -> Option<QueryWords> {
    let posts = topic.providers.iter().filter(|one| one.result_kind() == ResultKind::Posts);
    let mut questions: Vec<&str> = posts.map(|one| one.text("query").unwrap_or("")).collect();
    questions.extend(topic.social.as_ref().map(|social| social.query.as_str()));
    QueryWords::of_all(&questions)
}

/// Counts the posts of a period that hold no word of the topic's questions. Each of `earlier` is a period with the
/// same questions, oldest first; they are read only if there may be something to report.
pub async fn relevance<'m, P, E>(
    snapshot: &mut ReadSnapshot,
    topic: &Topic,
    period: P,
    earlier: impl DoubleEndedIterator<Item = E>,
) -> Result<Relevance, StoreError>
where
    P: IntoIterator<Item = &'m CountedItem>,
    E: IntoIterator<Item = &'m CountedItem>,
{
    let Some(query_words) = post_query_words(topic) else { return Ok(Relevance::default()) };
    let mut found = share_without_words(snapshot, &query_words, period, MOST).await?;
    if let Some(many) = found.high_share() {
        let mut shares = Vec::new();
        for marks in earlier.rev().take(EARLIER) {
            let of_period = share_without_words(snapshot, &query_words, marks, MOST_EARLIER).await?;
            shares.extend(of_period.without.filter(|share| share.whole >= LEAST_POSTS as u64));
        }
        found.usual = usual_share(many.whole, &shares).ok();
    }
    Ok(found)
}

/// The share of the latest posts without any word of the question, and how many of these posts have no words stored;
/// they do not count.
async fn share_without_words<'m>(
    snapshot: &mut ReadSnapshot,
    query_words: &QueryWords,
    marks: impl IntoIterator<Item = &'m CountedItem>,
    most: usize,
) -> Result<Relevance, StoreError> {
    let mut posts: Vec<&CountedItem> = marks.into_iter().filter(|mark| mark.kind == Kind::Post).collect();
    posts.sort_by(|a, b| (b.moment(), &a.key).cmp(&(a.moment(), &b.key)));
    let beyond = posts.len().saturating_sub(most) as u64;
    posts.truncate(most);
    let keys: Vec<String> = posts.iter().map(|mark| mark.key.clone()).collect();
    let words = snapshot.words(&keys).await?;
    let readable: Vec<&ItemContent> =
        words.iter().filter(|words| !words.pruned && (words.text.is_some() || words.title.is_some())).collect();
    let matches_query = |w: &&&ItemContent| {
        query_words.matches_any(&[w.text.as_deref(), w.title.as_deref(), w.author.as_deref(), w.url.as_deref()])
    };
    let matching = readable.iter().filter(matches_query).count();
    let unread = posts.len().saturating_sub(readable.len()) as u64;
    let without = share((readable.len() - matching) as u64, readable.len() as u64);
    Ok(Relevance { without, unread, beyond, usual: None })
}
