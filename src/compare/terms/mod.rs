//! A topic's terms that are news, and its themes, in one database snapshot. Reads the words of the period's items, and
//! those of the four weeks before where no counts of a day are stored. `insight::terms` decides what is news. Days are
//! those of the topic's own zone, whatever the zone of a report, because the stored counts are.

mod before;
pub(super) mod between;
pub(super) mod items;
pub(super) mod rows;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::insight::daily::{Day, date_of};
use crate::insight::terms::{
    BusiestDay, DayTerms, LEAST_DAYS, NewsTerm, RiseInput, StandOut, TermItem, Theme, busiest_day, complete_words,
    differs, news, rises, stand_out, themes,
};
use crate::model::{CountedItem, ItemContent, Time, format_term};
use crate::store::{ReadSnapshot, StoreError};
use before::{counts_before, counts_of_begun_day, days_before, earlier};
use items::{CHUNK, TermsAsked, items_of, load_texts, questions, sample, terms_of};
use rows::{
    ComparedWith, NoTermsReason, StandOutReason, StandOutRows, TermRise, TermRow, TermSample, ThemeRow, TopicTerms,
    keys_at,
};

/// The most terms that are shown.
const MAX_LISTED: usize = 10;
/// The most stored days of other topics to compare with.
const ELSEWHERE: i64 = 112;
/// The number of items in these days that is enough.
const ENOUGH_ELSEWHERE: i64 = 50_000;
/// Longest local day: 25 hours.
const LONGEST_DAY: Duration = Duration::from_secs(25 * 3_600);

/// The terms and themes of a period.
pub async fn topic_terms(snapshot: &mut ReadSnapshot, request: TermsAsked<'_>) -> Result<TopicTerms, StoreError> {
    let before = days_before(&request);
    let mut answer = TopicTerms {
        before_days: before.len() as u64,
        items: request.period.len() as u64,
        items_read: request.period.len().min(request.most()) as u64,
        ..TopicTerms::default()
    };
    answer.cut = answer.items_read < answer.items;
    if request.asked_since.is_some_and(|at| at > request.span.from) {
        answer.no_terms = Some(NoTermsReason::Query);
    } else if before.len() < LEAST_DAYS {
        answer.no_terms = Some(NoTermsReason::History);
        let items = items_of(snapshot, &request, &sample(request.period, request.most())).await?;
        answer.stand_out = find_stand_out(snapshot, &request, &items, None).await?;
    }
    if answer.no_terms.is_none() && request.period.is_empty() {
        answer.no_terms = Some(NoTermsReason::NoItems);
    }
    if answer.no_terms.is_some() {
        return Ok(answer);
    }
    let counted = counts_before(snapshot, &request, &before).await?;
    answer.before_days = counted.len() as u64;
    if counted.len() < LEAST_DAYS {
        answer.no_terms = Some(if request.trusting { NoTermsReason::Uncounted } else { NoTermsReason::History });
        return Ok(answer);
    }
    let items = items_of(snapshot, &request, &sample(request.period, request.most())).await?;
    let questions = questions(request.topic);
    let own = |term: &str| questions.iter().any(|question| question.repeats_query(term));
    let (earlier_days, mut counts): (Vec<(Day, u64)>, Vec<DayTerms>) =
        counted.into_iter().map(|(day, counts)| ((day, counts.texts), counts)).unzip();
    counts.extend(counts_of_begun_day(snapshot, &request).await?);
    let (all, tested) = rises(RiseInput { items: &items, before: &counts }, &own);
    let mut found = news(&all, &items);
    complete_words(&mut found, &items, &own);
    answer.tested = tested as u64;
    if found.is_empty()
        && differs(&all)
        && let Some(busiest) = busiest(&request, &items, &earlier_days)
    {
        answer.stand_out = find_stand_out(snapshot, &request, &items, Some(busiest)).await?;
        return Ok(answer);
    }
    answer.rises = found.iter().map(|term| rise_of(term, &items)).collect();
    if answer.cut && request.explains {
        add_unread(snapshot, &request, &found, &items, &mut answer.rises).await?;
    }
    answer.more = found.len().saturating_sub(MAX_LISTED) as u64;
    // All items of the period before would be compared with a sample.
    let earlier = if found.is_empty() || answer.cut {
        None
    } else {
        earlier(snapshot, &request, before.first().map(|day| day.span)).await?
    };
    let grouped = themes(&found, &items, earlier.as_deref());
    (answer.more_themes, answer.more_items, answer.other_items) =
        (grouped.more, grouped.more_items, grouped.other_items);
    let samples = samples(snapshot, &found, &grouped.largest, &items).await?;
    let sample = |place: usize| items.get(place).and_then(|item| samples.get(&item.key)).cloned();
    answer.terms = found
        .iter()
        .take(MAX_LISTED)
        .filter_map(|term| Some(TermRow::of(term, sample(term.example)?, &items)))
        .collect();
    answer.themes = grouped
        .largest
        .iter()
        .filter_map(|theme| {
            let examples = (theme.post.and_then(sample), theme.page.and_then(sample));
            Some(ThemeRow::of(theme, &sample(theme.first)?, examples, &items))
        })
        .collect();
    Ok(answer)
}

/// Whether the period is the busiest day so far. A longer period has no days like it to compare with.
fn busiest(request: &TermsAsked<'_>, items: &[TermItem], earlier: &[(Day, u64)]) -> Option<BusiestDay> {
    let last = Time(request.span.until.0.saturating_sub(1));
    let day = Day { date: date_of(last, request.topic.timezone()), span: request.span };
    if request.span.length() > LONGEST_DAY { None } else { busiest_day(&day, items, earlier) }
}

/// Finds the terms of a period that stand out from other topics; `None` if no term is used often enough.
async fn find_stand_out(
    snapshot: &mut ReadSnapshot,
    request: &TermsAsked<'_>,
    items: &[TermItem],
    busiest: Option<BusiestDay>,
) -> Result<Option<StandOutRows>, StoreError> {
    if items.is_empty() {
        return Ok(None);
    }
    let mut left = ENOUGH_ELSEWHERE;
    let kept = match request.alone {
        true => Vec::new(),
        false => snapshot.terms_of_other_topics(&request.topic.id, request.span.until, ELSEWHERE).await?,
    };
    let enough = kept.iter().take_while(|day| {
        let before = left;
        left = left.saturating_sub(day.items);
        before > 0
    });
    let others: Vec<DayTerms> = enough.filter_map(|day| DayTerms::decode(&day.counts)).collect();
    let questions = questions(request.topic);
    let own = |term: &str| questions.iter().any(|question| question.repeats_query(term));
    let StandOut { mut terms, others } = stand_out(items, &others, &own);
    complete_words(&mut terms, items, &own);
    terms.truncate(MAX_LISTED);
    if terms.is_empty() {
        return Ok(None);
    }
    let samples = samples(snapshot, &terms, &[], items).await?;
    let sample = |place: usize| items.get(place).and_then(|item| samples.get(&item.key)).cloned();
    Ok(Some(StandOutRows {
        reason: if busiest.is_some() { StandOutReason::BusiestDay } else { StandOutReason::FewDays },
        texts_now: busiest.map(|day| day.texts),
        sampled: request.period.len() > request.most(),
        most_texts_before: busiest.map(|day| day.most_before),
        compared_with: if others.is_some() { ComparedWith::OtherTopics } else { ComparedWith::Nothing },
        texts: others.unwrap_or(0),
        terms: terms.iter().filter_map(|term| Some(TermRow::of(term, sample(term.example)?, items))).collect(),
    }))
}

fn rise_of(term: &NewsTerm, items: &[TermItem]) -> TermRise {
    let keys = keys_at(&term.places, items);
    TermRise { term: format_term(&term.term), keys, texts: term.now, expected: term.expected }
}

/// Adds the items outside the sample that contain the terms.
async fn add_unread(
    snapshot: &mut ReadSnapshot,
    request: &TermsAsked<'_>,
    found: &[NewsTerm],
    read: &[TermItem],
    rises: &mut [TermRise],
) -> Result<(), StoreError> {
    let read: BTreeSet<&str> = read.iter().map(|item| item.key.as_str()).collect();
    let unread: Vec<&CountedItem> =
        request.period.iter().filter(|item| !read.contains(item.key.as_str())).copied().collect();
    for chunk in unread.chunks(CHUNK) {
        let texts = load_texts(snapshot, chunk).await?;
        for item in chunk {
            let Some(text) = texts.get(item.key.as_str()) else { continue };
            let terms = terms_of(item, text);
            for (term, rise) in found.iter().zip(&mut *rises) {
                if terms.binary_search(&term.counted).is_ok() {
                    rise.keys.push(item.key.clone());
                }
            }
        }
    }
    Ok(())
}

/// The items that are shown, by key.
async fn samples(
    snapshot: &mut ReadSnapshot,
    news: &[NewsTerm],
    themes: &[Theme],
    items: &[TermItem],
) -> Result<BTreeMap<String, TermSample>, StoreError> {
    let of_terms = news.iter().take(MAX_LISTED).map(|term| term.example);
    let of_themes = themes.iter().flat_map(|theme| [Some(theme.first), theme.post, theme.page]).flatten();
    let sample_items: BTreeMap<&str, &TermItem> =
        of_terms.chain(of_themes).filter_map(|place| items.get(place)).map(|item| (item.key.as_str(), item)).collect();
    let keys: Vec<String> = sample_items.keys().map(|key| (*key).to_owned()).collect();
    let words = snapshot.words(&keys).await?;
    let sample = |words: ItemContent| {
        let item = sample_items.get(words.key.as_str())?;
        Some((words.key.clone(), TermSample::of(words, item)))
    };
    Ok(words.into_iter().filter_map(sample).collect())
}
