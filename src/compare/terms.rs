//! A topic's terms that are news, and its themes, of one moment: the words of the period's items are read, those of the four
//! weeks before only as far as they are not counted already. What is news, `insight::terms` says. Days are those of
//! the topic's own zone, whatever the zone of a report: the counts that are kept are of these.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::insight::daily::days;
use crate::insight::terms::{
    BEFORE, Basis, DayTerms, LEAST_DAYS, NewsTerm, RiseInput, StandOut, TermCounter, TermItem, Theme, news, rises,
    stand_out, themes, voice_of,
};
use crate::model::{Mark, Readable, Span, Time, Topic, Words, shown_term};
use crate::normalise::words;
use crate::store::{Moment, StoreError};

use super::term_rows::{ComparedWith, StandOutRows, TermRise, TermRow, TermSample, ThemeRow, TopicTerms, Untold};

/// Items of the period whose words are read: the latest.
const MOST: usize = 20_000;
/// The same where the answer has to be quick.
const MOST_TRUSTING: usize = 2_000;
/// Terms that are told.
const TOLD: usize = 10;
/// Items whose words are held at a time.
const CHUNK: usize = 2_000;
/// Days of other topics that are read before a topic and behind it, and items of theirs that are enough.
const ELSEWHERE: i64 = 112;
const ENOUGH_ELSEWHERE: i64 = 50_000;
/// A day of which more than this part lost its words is not compared with.
const PRUNED: f64 = 0.1;

/// What terms are worked out from.
#[derive(Debug, Clone, Copy)]
pub struct TermsAsked<'a> {
    pub topic: &'a Topic,
    /// Items that were first seen in the four weeks before, or in the period, as the topic's filter leaves them.
    pub meant: &'a [Mark],
    /// Those that it hides.
    pub hidden: &'a [Mark],
    /// Keys of the period's items.
    pub period: &'a [&'a Mark],
    pub span: Span,
    /// Begin of the topic's first run that brought anything.
    pub began: Option<Time>,
    /// Since when it is asked what it is asked now, where that was something else.
    pub asked_since: Option<Time>,
    /// The scorer that the period is told by.
    pub scorer: Option<&'a str>,
    /// Takes the days before as they were counted; `meant` and `hidden` need not hold them then.
    pub trusting: bool,
}

/// The terms and themes of a period.
pub async fn topic_terms(moment: &mut Moment, asked: TermsAsked<'_>) -> Result<TopicTerms, StoreError> {
    let before = days_before(&asked);
    let mut told = TopicTerms { before_days: before.len() as u64, ..TopicTerms::default() };
    if asked.asked_since.is_some_and(|at| at > asked.span.from) {
        told.untold = Some(Untold::Query);
    } else if before.len() < LEAST_DAYS {
        told.untold = Some(Untold::History);
        let (period, cut) = latest(&asked);
        told.stand_out = standing_out(moment, &asked, &period).await?;
        told.cut = cut;
    }
    if told.untold.is_some() || asked.period.is_empty() {
        return Ok(told);
    }
    let counted = counts_before(moment, &asked, &before).await?;
    told.before_days = counted.len() as u64;
    if counted.len() < LEAST_DAYS {
        told.untold = Some(Untold::History);
        return Ok(told);
    }
    let (period, cut) = latest(&asked);
    told.cut = cut;
    let items = items_of(moment, &asked, &period).await?;
    let questions = questions(asked.topic);
    let own = |term: &str| questions.iter().any(|question| question.is_own(term));
    let (all, tested) = rises(RiseInput { items: &items, before: &counted }, &own);
    let found = news(&all, &items);
    told.tested = tested as u64;
    told.rises = found.iter().map(|term| rise_of(term, &items)).collect();
    told.more = found.len().saturating_sub(TOLD) as u64;
    let earlier = if found.is_empty() { None } else { earlier(moment, &asked, before.first().copied()).await? };
    let grouped = themes(&found, &items, earlier.as_deref());
    (told.more_themes, told.more_items, told.other_items) = (grouped.more, grouped.more_items, grouped.other_items);
    let samples = samples(moment, &found, &grouped.told, &items).await?;
    let sample = |place: usize| items.get(place).and_then(|item| samples.get(&item.key)).cloned();
    told.terms = found.iter().take(TOLD).filter_map(|term| Some(TermRow::of(term, sample(term.example)?))).collect();
    told.themes = grouped
        .told
        .iter()
        .filter_map(|theme| {
            let (post, page) = (theme.post.and_then(sample), theme.page.and_then(sample));
            Some(ThemeRow::of(theme, &sample(theme.first)?, post, page))
        })
        .collect();
    Ok(told)
}

/// The items of the period that are read, and whether there are more.
fn latest<'a>(asked: &TermsAsked<'a>) -> (Vec<&'a Mark>, bool) {
    let mut period = asked.period.to_vec();
    period.sort_by(|a, b| (b.moment(), &a.key).cmp(&(a.moment(), &b.key)));
    let most = if asked.trusting { MOST_TRUSTING } else { MOST };
    let cut = period.len() > most;
    period.truncate(most);
    (period, cut)
}

/// What stands out of a period beside other topics; `None` where nothing is said often enough.
async fn standing_out(
    moment: &mut Moment,
    asked: &TermsAsked<'_>,
    period: &[&Mark],
) -> Result<Option<StandOutRows>, StoreError> {
    if period.is_empty() {
        return Ok(None);
    }
    let mut left = ENOUGH_ELSEWHERE;
    let kept = moment.kept_terms_elsewhere(&asked.topic.id, asked.span.until, ELSEWHERE).await?;
    let enough = kept.iter().take_while(|day| {
        left -= day.items;
        left + day.items > 0
    });
    let others: Vec<DayTerms> = enough.filter_map(|day| DayTerms::decode(&day.counts)).collect();
    let items = items_of(moment, asked, period).await?;
    let questions = questions(asked.topic);
    let own = |term: &str| questions.iter().any(|question| question.is_own(term));
    let StandOut { mut terms, others } = stand_out(&items, &others, &own);
    terms.truncate(TOLD);
    if terms.is_empty() {
        return Ok(None);
    }
    let samples = samples(moment, &terms, &[], &items).await?;
    let sample = |place: usize| items.get(place).and_then(|item| samples.get(&item.key)).cloned();
    Ok(Some(StandOutRows {
        compared_with: if others.is_some() { ComparedWith::OtherTopics } else { ComparedWith::Nothing },
        texts: others.unwrap_or(0),
        terms: terms.iter().filter_map(|term| Some(TermRow::of(term, sample(term.example)?))).collect(),
    }))
}

fn rise_of(term: &NewsTerm, items: &[TermItem]) -> TermRise {
    let keys = term.places.iter().filter_map(|place| Some(items.get(*place)?.key.clone()));
    TermRise { term: shown_term(&term.term), keys: keys.collect(), texts: term.now, expected: term.expected }
}

/// The topic's local days before the period that can be compared with it: those since it was first run, and asked this.
fn days_before(asked: &TermsAsked<'_>) -> Vec<Span> {
    let since = asked.began.max(asked.asked_since).unwrap_or(asked.span.from);
    let days = days(asked.span.from, i32::try_from(BEFORE).unwrap_or(28) + 1, asked.topic.timezone());
    let ended = days.into_iter().map(|day| day.span).filter(|day| day.until <= asked.span.from && day.from >= since);
    let ended: Vec<Span> = ended.collect();
    ended.get(ended.len().saturating_sub(BEFORE)..).unwrap_or_default().to_vec()
}

/// What was said on each of these days: as it is kept, or counted anew where other items are there than were counted.
async fn counts_before(
    moment: &mut Moment,
    asked: &TermsAsked<'_>,
    before: &[Span],
) -> Result<Vec<DayTerms>, StoreError> {
    let Some((first, last)) = before.first().zip(before.last()) else { return Ok(Vec::new()) };
    let inside = Span { from: first.from, until: last.until };
    let kept = moment.kept_terms(&asked.topic.id, inside).await?;
    let rules = Basis::new(words::TERM_RULES, &asked.topic.filter);
    if asked.trusting {
        let ours = kept.iter().filter(|kept| before.contains(&kept.span) && rules.is_of(&kept.basis));
        return Ok(ours.filter_map(|kept| DayTerms::decode(&kept.counts)).collect());
    }
    let place = |mark: &Mark| {
        let at = before.partition_point(|day| day.until <= mark.moment());
        before.get(at).filter(|day| day.holds(mark.moment())).map(|_| at)
    };
    let mut bases = vec![rules; before.len()];
    let mut pruned = vec![(0_u32, 0_u32); before.len()];
    let mut meant: Vec<Vec<&Mark>> = vec![Vec::new(); before.len()];
    for mark in asked.meant.iter().chain(asked.hidden) {
        let Some(at) = place(mark) else { continue };
        if let Some(basis) = bases.get_mut(at) {
            basis.add(mark);
        }
        if let Some(day) = pruned.get_mut(at) {
            *day = (day.0 + u32::from(mark.pruned), day.1 + 1);
        }
    }
    for mark in asked.meant {
        if let Some(day) = place(mark).and_then(|at| meant.get_mut(at)) {
            day.push(mark);
        }
    }
    let mut counted = Vec::with_capacity(before.len());
    for (((day, basis), marks), (gone, all)) in before.iter().zip(bases).zip(meant).zip(pruned) {
        if f64::from(gone) > PRUNED * f64::from(all) {
            continue;
        }
        let same = kept.iter().find(|kept| kept.span == *day && kept.basis == basis.bytes());
        counted.push(match same.and_then(|kept| DayTerms::decode(&kept.counts)) {
            Some(counts) => counts,
            None => count(moment, &marks).await?,
        });
    }
    Ok(counted)
}

/// Counts a day of the past.
async fn count(moment: &mut Moment, marks: &[&Mark]) -> Result<DayTerms, StoreError> {
    let mut counter = TermCounter::default();
    for some in marks.chunks(CHUNK) {
        let said = said(moment, some).await?;
        for mark in some {
            if let Some(read) = said.get(mark.key.as_str()) {
                counter.item(&mark.cluster, &voice_of(mark));
                words::terms(&readable(mark, read), &mut |term| counter.term(term));
            }
        }
    }
    Ok(counter.end())
}

async fn said(moment: &mut Moment, marks: &[&Mark]) -> Result<HashMap<String, Words>, StoreError> {
    let keys: BTreeSet<&str> = marks.iter().map(|mark| mark.key.as_str()).collect();
    let words = moment.words(&keys.into_iter().map(str::to_owned).collect::<Vec<_>>()).await?;
    Ok(words.into_iter().map(|words| (words.key.clone(), words)).collect())
}

fn readable<'a>(mark: &Mark, words: &'a Words) -> Readable<'a> {
    Readable {
        kind: mark.kind,
        title: words.title.as_deref(),
        text: words.text.as_deref(),
        author: None,
        author_name: None,
        url: words.url.as_deref(),
    }
}

/// The terms of an item, each once, in order.
fn terms_of(mark: &Mark, words: &Words) -> Vec<String> {
    let mut terms = BTreeSet::new();
    words::terms(&readable(mark, words), &mut |term| {
        if !terms.contains(term) {
            terms.insert(term.to_owned());
        }
    });
    terms.into_iter().collect()
}

async fn items_of(moment: &mut Moment, asked: &TermsAsked<'_>, period: &[&Mark]) -> Result<Vec<TermItem>, StoreError> {
    let last = Time(asked.span.until.0.saturating_sub(1));
    let many = i32::try_from(asked.span.length().as_secs() / 86_400 + 2).unwrap_or(400);
    let days = days(last, many, asked.topic.timezone());
    let mut items = Vec::with_capacity(period.len());
    for some in period.chunks(CHUNK) {
        let said = said(moment, some).await?;
        for mark in some {
            let Some(words) = said.get(mark.key.as_str()) else { continue };
            let by_this = Some(mark.scorer.as_deref().unwrap_or_default()) == asked.scorer;
            items.push(TermItem {
                key: mark.key.clone(),
                kind: mark.kind,
                cluster: mark.cluster.clone(),
                voice: voice_of(mark),
                day: days.partition_point(|day| day.span.until <= mark.moment()),
                at: mark.moment(),
                sound: mark.sound.filter(|_| by_this),
                weight: mark.engagement.sum(),
                terms: terms_of(mark, words),
                runs: words::runs(&readable(mark, words)),
            });
        }
    }
    Ok(items)
}

/// The questions of a topic that have words.
fn questions(topic: &Topic) -> Vec<words::Asked> {
    let of_service = topic.sources().into_iter().filter_map(|source| topic.query(source));
    let of_providers = topic.providers.iter().filter_map(|one| Some(one.text("query")?.to_owned()));
    of_service.chain(of_providers).filter_map(|question| words::Asked::of(&question)).collect()
}

/// The terms of each item of the period before, as long as this one; `None` where that cannot be compared.
async fn earlier(
    moment: &mut Moment,
    asked: &TermsAsked<'_>,
    first: Option<Span>,
) -> Result<Option<Vec<Vec<String>>>, StoreError> {
    let length = asked.span.until.0 - asked.span.from.0;
    let span = Span { from: Time(asked.span.from.0 - length), until: asked.span.from };
    if first.is_none_or(|first| first.from > span.from) {
        return Ok(None);
    }
    let marks: Vec<&Mark> = asked.meant.iter().filter(|mark| span.holds(mark.moment())).collect();
    // Of what was pruned nobody knows the words.
    let pruned = marks.iter().filter(|mark| mark.pruned).count();
    if pruned as f64 > PRUNED * marks.len() as f64 {
        return Ok(None);
    }
    // More are not looked through.
    if marks.len() > if asked.trusting { MOST_TRUSTING } else { MOST } {
        return Ok(None);
    }
    let mut all = Vec::with_capacity(marks.len());
    for some in marks.chunks(CHUNK) {
        let said = said(moment, some).await?;
        all.extend(some.iter().filter_map(|mark| Some(terms_of(mark, said.get(mark.key.as_str())?))));
    }
    Ok(Some(all))
}

/// The items that are shown, by key.
async fn samples(
    moment: &mut Moment,
    news: &[NewsTerm],
    themes: &[Theme],
    items: &[TermItem],
) -> Result<BTreeMap<String, TermSample>, StoreError> {
    let of_terms = news.iter().take(TOLD).map(|term| term.example);
    let of_themes = themes.iter().flat_map(|theme| [Some(theme.first), theme.post, theme.page]).flatten();
    let shown: BTreeMap<&str, &TermItem> =
        of_terms.chain(of_themes).filter_map(|place| items.get(place)).map(|item| (item.key.as_str(), item)).collect();
    let keys: Vec<String> = shown.keys().map(|key| (*key).to_owned()).collect();
    let words = moment.words(&keys).await?;
    let sample = |words: Words| {
        let item = shown.get(words.key.as_str())?;
        Some((words.key.clone(), TermSample::of(words, item)))
    };
    Ok(words.into_iter().filter_map(sample).collect())
}
