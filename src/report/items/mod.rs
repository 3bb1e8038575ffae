//! Chooses the items of a topic's lists and their rows: most reactions, fastest growing, most negative and positive,
//! copied texts. Of near-copies only one is shown. Texts are read only for the chosen items.

pub(super) mod item_excerpt;
mod late_items;
mod relevance;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::facts::{Copies, ItemExcerpt, Rising, RowFacts};
use super::format;
use super::period::rule::PeriodRule;
use crate::filter::Filter;
use crate::insight::daily::{Rise, any_comparable, campaigns, rising_items};
use crate::model::{CountedItem, ItemContent, Kind, Source, Span, Time, Tone, Topic};
use crate::normalise::safe_link;
use crate::store::{ReadSnapshot, StoreError};

/// The maximum number of entries in a list.
const LIST: usize = 5;
/// The number of risers whose texts are read at once: a filter may hide some, and some are copies.
const RISERS: usize = 100;
/// The maximum number of sightings with reactions that are read.
const MOST_REACTIONS: i64 = 50_000;
/// The maximum length of a shown text, in characters.
const MAX_CHARS: usize = 240;

/// The chosen items.
pub(super) struct SelectedItems {
    pub(super) top_posts: Vec<usize>,
    pub(super) top_pages: Vec<usize>,
    /// All new pages, near-copies and those that are not listed included.
    pub(super) new_pages: u64,
    pub(super) rising: Vec<Rising>,
    pub(super) negative: Vec<usize>,
    pub(super) positive: Vec<usize>,
    pub(super) campaigns: Vec<Copies>,
    pub(super) rows: Vec<RowFacts>,
    pub(super) left_out: u64,
    /// Whether the reactions of any item are known twice.
    pub(super) risers_compared: bool,
    /// Whether there were more sightings with reactions than were compared.
    pub(super) risers_cut: bool,
    /// Whether sightings could not be compared because they were pruned.
    pub(super) risers_pruned: bool,
}

pub(super) async fn choose(
    snapshot: &mut ReadSnapshot,
    topic: &Topic,
    marks: &[CountedItem],
    period: &[&CountedItem],
    scorer: Option<&str>,
    rule: &PeriodRule,
    room: usize,
) -> Result<SelectedItems, StoreError> {
    let of = |kind: Kind| period.iter().copied().filter(move |mark| mark.kind == kind);
    let by_engagement = |a: &&CountedItem, b: &&CountedItem| {
        (b.engagement.sum(), a.moment(), &a.key).cmp(&(a.engagement.sum(), b.moment(), &b.key))
    };
    let top_posts = top_by(of(Kind::Post).filter(|mark| mark.engagement.sum() > 0), by_engagement);
    let period_keys: BTreeSet<&str> = period.iter().map(|mark| mark.key.as_str()).collect();
    // Web searches return pages of any age: a page is news when it is found, whatever its date. A page dated in this
    // period but found later is news then.
    let new_pages: Vec<&CountedItem> =
        marks.iter().filter(|mark| mark.kind == Kind::Page && rule.is_new(mark)).collect();
    let top_pages = top_by(new_pages.iter().copied(), |a, b| {
        (b.engagement.sum(), b.moment(), &a.key).cmp(&(a.engagement.sum(), a.moment(), &b.key))
    });
    let scored = |sound: Tone| {
        let has_tone = move |mark: &&CountedItem| mark.sound == Some(sound) && mark.scorer.as_deref() == scorer;
        period.iter().copied().filter(has_tone).filter(|mark| mark.score.is_some())
    };
    let negative = top_by(scored(Tone::Negative), |a, b| (a.score, &a.key).cmp(&(b.score, &b.key)));
    let positive = top_by(scored(Tone::Positive), |a, b| (b.score, &a.key).cmp(&(a.score, &b.key)));
    let copied = campaigns(period.iter().copied(), LIST);
    let by_key: HashMap<&str, &CountedItem> = marks.iter().map(|mark| (mark.key.as_str(), mark)).collect();
    let Risers { risers, compared: risers_compared, cut: risers_cut, pruned: risers_pruned } =
        risers(snapshot, topic, &by_key, rule.span).await?;

    let named = [&top_posts, &top_pages, &negative, &positive].into_iter().flatten().copied();
    let named = named.chain(copied.iter().filter_map(|c| by_key.get(c.first.as_str()).copied()));
    let mut listed: Vec<&CountedItem> = distinct(named.chain(latest(period)), room);
    listed.sort_by(|a, b| (b.moment(), &a.key).cmp(&(a.moment(), &b.key)));
    let keys: BTreeSet<String> =
        listed.iter().map(|mark| mark.key.clone()).chain(risers.iter().map(|rise| rise.key.clone())).collect();
    let words = snapshot.words(&keys.into_iter().collect::<Vec<_>>()).await?;
    let words: HashMap<&str, ItemExcerpt> = words.iter().map(|words| (words.key.as_str(), excerpt_of(words))).collect();
    let item = |key: &str| {
        words.get(key).cloned().unwrap_or_else(|| ItemExcerpt { key: key.to_owned(), ..ItemExcerpt::default() })
    };
    let place: BTreeMap<&str, usize> = listed.iter().enumerate().map(|(at, mark)| (mark.key.as_str(), at)).collect();
    let places = |list: &[&CountedItem]| list.iter().filter_map(|mark| place.get(mark.key.as_str()).copied()).collect();
    let listed_of_period = listed.iter().filter(|mark| period_keys.contains(mark.key.as_str())).count();
    Ok(SelectedItems {
        top_posts: places(&top_posts),
        top_pages: places(&top_pages),
        new_pages: new_pages.len() as u64,
        negative: places(&negative),
        positive: places(&positive),
        rising: risers.into_iter().map(|rise| Rising { item: item(&rise.key), rise }).collect(),
        campaigns: copied
            .into_iter()
            .map(|campaign| Copies {
                item: item(&campaign.first),
                row: place.get(campaign.first.as_str()).copied(),
                campaign,
            })
            .collect(),
        rows: listed.iter().map(|mark| row(mark, item(&mark.key))).collect(),
        left_out: (period.len() - listed_of_period) as u64,
        risers_compared,
        risers_cut,
        risers_pruned,
    })
}

struct Risers {
    risers: Vec<Rise>,
    /// Whether there was anything to compare.
    compared: bool,
    /// Whether there was more to compare.
    cut: bool,
    /// Whether runs of the period, or those with which it would have been compared, were pruned or lost sightings.
    pruned: bool,
}

/// Returns the rising items of any age that pass the topic's filter, one of each cluster.
async fn risers(
    snapshot: &mut ReadSnapshot,
    topic: &Topic,
    by_key: &HashMap<&str, &CountedItem>,
    span: Span,
) -> Result<Risers, StoreError> {
    // As in a `diff` of the period: each source is compared with its previous search. If searches after that one were
    // pruned, changes in between are not news of the period.
    let kept_from = snapshot.pruned_days(&topic.id).await?.complete_from();
    let mut before: BTreeMap<Source, Time> =
        snapshot.last_finds_before(&topic.id, span.from).await?.into_iter().collect();
    let stored = before.len();
    before.retain(|_, at| kept_from.is_none_or(|from| *at >= from));
    let from = before.values().copied().min().unwrap_or(span.from);
    // Between its previous search and the period, a source found nothing: what others lost then is not missing.
    let mut spans: Vec<Span> =
        before.values().map(|at| Span { from: *at, until: Time(at.0.saturating_add(1)) }).collect();
    spans.push(span);
    let mut pruned = before.len() < stored;
    for compared in spans {
        pruned = pruned || snapshot.pruned_summary(&topic.id, compared).await?.thinned > 0;
    }
    let mut reactions = snapshot.reactions(&topic.id, Span { from, ..span }, MOST_REACTIONS).await?;
    let cut = i64::try_from(reactions.len()).is_ok_and(|many| many >= MOST_REACTIONS);
    reactions.retain(|one| one.at >= before.get(&one.source).copied().unwrap_or(span.from));
    let filter = (!topic.filter.is_none()).then(|| crate::compare::filter_of(topic));
    let cluster = |rise: &Rise| by_key.get(&*rise.key).map_or(rise.key.as_str(), |mark| &*mark.cluster).to_owned();
    let (mut selected, mut clusters) = (Vec::new(), BTreeSet::new());
    let mut rest = rising_items(&reactions).into_iter();
    // Any number of the fastest may be hidden, or be copies of one text.
    while selected.len() < LIST {
        let chunk: Vec<Rise> = rest.by_ref().filter(|rise| !clusters.contains(&cluster(rise))).take(RISERS).collect();
        if chunk.is_empty() {
            break;
        }
        let hidden = match &filter {
            Some(filter) => hidden(snapshot, filter, &chunk).await?,
            None => BTreeSet::new(),
        };
        for rise in chunk.into_iter().filter(|rise| !hidden.contains(&rise.key)) {
            if selected.len() < LIST && clusters.insert(cluster(&rise)) {
                selected.push(rise);
            }
        }
    }
    Ok(Risers { risers: selected, compared: any_comparable(&reactions), cut, pruned })
}

/// Returns the keys of the items that a filter hides.
async fn hidden(snapshot: &mut ReadSnapshot, filter: &Filter, rises: &[Rise]) -> Result<BTreeSet<String>, StoreError> {
    let keys: Vec<String> = rises.iter().map(|rise| rise.key.clone()).collect();
    let words = snapshot.words(&keys).await?;
    Ok(words.into_iter().filter(|words| !passes(filter, words)).map(|words| words.key).collect())
}

/// Whether a text passes a filter.
pub(super) fn passes(filter: &Filter, words: &ItemContent) -> bool {
    filter.passes(words.title.as_deref(), words.text.as_deref(), words.author.as_deref(), words.lang.as_deref())
}

/// Returns the first items in an order, one of each cluster.
fn top_by<'a>(
    marks: impl Iterator<Item = &'a CountedItem>,
    order: impl Fn(&&CountedItem, &&CountedItem) -> std::cmp::Ordering,
) -> Vec<&'a CountedItem> {
    let mut all: Vec<&CountedItem> = marks.collect();
    all.sort_by(order);
    let mut clusters = BTreeSet::new();
    all.retain(|mark| clusters.len() < LIST && clusters.insert(mark.cluster.as_str()));
    all
}

fn latest<'a>(period: &[&'a CountedItem]) -> impl Iterator<Item = &'a CountedItem> + use<'a> {
    let mut all = period.to_vec();
    all.sort_by(|a, b| (b.moment(), &a.key).cmp(&(a.moment(), &b.key)));
    all.into_iter()
}

fn distinct<'a>(marks: impl Iterator<Item = &'a CountedItem>, room: usize) -> Vec<&'a CountedItem> {
    let mut seen = BTreeSet::new();
    marks.filter(|mark| seen.insert(mark.key.as_str())).take(room).collect()
}

/// Returns an item's text on one line, and its address if it may be a link.
pub(super) fn excerpt_of(words: &ItemContent) -> ItemExcerpt {
    let text = [&words.title, &words.text].into_iter().flatten().map(|text| format::line(text, MAX_CHARS));
    ItemExcerpt {
        key: words.key.clone(),
        link: words.url.as_deref().and_then(safe_link),
        author: words.author.as_deref().map(|author| format::line(author, 60)),
        words: text.into_iter().find(|text| !text.is_empty()).unwrap_or_default(),
    }
}

fn row(mark: &CountedItem, item: ItemExcerpt) -> RowFacts {
    RowFacts {
        item,
        kind: mark.kind,
        at: mark.moment(),
        undated: mark.published_at.is_none(),
        engagement: mark.has_engagement().then(|| mark.engagement.sum()),
        sound: mark.sound,
        score: mark.score,
        scorer: mark.scorer.clone(),
        copy_of: (mark.cluster != mark.key).then(|| mark.cluster.clone()),
    }
}

/// Returns the host of an address, without `www.`.
pub(super) fn host(url: &str) -> Option<String> {
    let parsed = url::Url::parse(url).ok()?;
    let host = parsed.host_str().filter(|host| !host.is_empty())?;
    Some(host.strip_prefix("www.").unwrap_or(host).to_owned())
}
