//! Counts a topic's terms on the days before a period: as stored, or counted again where the items have changed.

use std::collections::BTreeSet;

use super::items::{CHUNK, TermsAsked, load_texts, readable, terms_of};
use crate::insight::daily::{Day, days};
use crate::insight::terms::{BEFORE, Basis, DayTerms, TermCounter, speaker_of};
use crate::model::{CountedItem, Span, Time};
use crate::normalise::words;
use crate::store::{ReadSnapshot, StoreError};

/// A day is skipped if more than this share of its items was pruned.
const PRUNED: f64 = 0.1;

/// The topic's local days before the period that can be compared with it: those since its first run with the present
/// query.
pub(in crate::compare) fn days_before(request: &TermsAsked<'_>) -> Vec<Day> {
    let since = request.began.max(request.asked_since).unwrap_or(request.span.from);
    let days = days(request.span.from, i32::try_from(BEFORE).unwrap_or(28) + 1, request.topic.timezone());
    let ended = days.into_iter().filter(|day| day.span.until <= request.span.from && day.span.from >= since);
    let ended: Vec<Day> = ended.collect();
    ended.get(ended.len().saturating_sub(BEFORE)..).unwrap_or_default().to_vec()
}

/// The term counts of each day: the stored ones, or counted again if the day's items have changed since.
pub(super) async fn counts_before(
    snapshot: &mut ReadSnapshot,
    request: &TermsAsked<'_>,
    before: &[Day],
) -> Result<Vec<(Day, DayTerms)>, StoreError> {
    let Some((first, last)) = before.first().zip(before.last()) else { return Ok(Vec::new()) };
    let inside = Span { from: first.span.from, until: last.span.until };
    let kept = snapshot.term_counts(&request.topic.id, inside).await?;
    let rules = Basis::new(words::TERM_RULES, &request.topic.filter);
    if request.trusting {
        let of_day = |day: &Day| kept.iter().find(|kept| kept.span == day.span && rules.is_of(&kept.basis));
        let counts = |day: &Day| Some((*day, DayTerms::decode(&of_day(day)?.counts)?));
        return Ok(before.iter().filter_map(counts).collect());
    }
    let place = |mark: &CountedItem| {
        let at = before.partition_point(|day| day.span.until <= mark.moment());
        before.get(at).filter(|day| day.span.contains(mark.moment())).map(|_| at)
    };
    let mut bases = vec![rules; before.len()];
    let mut pruned = vec![(0_u32, 0_u32); before.len()];
    let mut items_by_day: Vec<Vec<&CountedItem>> = vec![Vec::new(); before.len()];
    for mark in request.passed.iter().chain(request.hidden) {
        let Some(at) = place(mark) else { continue };
        if let Some(basis) = bases.get_mut(at) {
            basis.add(mark);
        }
        if let Some(day) = pruned.get_mut(at) {
            *day = (day.0 + u32::from(mark.pruned), day.1 + 1);
        }
    }
    for mark in request.passed {
        if let Some(day) = place(mark).and_then(|at| items_by_day.get_mut(at)) {
            day.push(mark);
        }
    }
    let mut counted = Vec::with_capacity(before.len());
    for (((day, basis), marks), (gone, all)) in before.iter().zip(bases).zip(items_by_day).zip(pruned) {
        if f64::from(gone) > PRUNED * f64::from(all) {
            continue;
        }
        let same = kept.iter().find(|kept| kept.span == day.span && kept.basis == basis.bytes());
        let counts = match same.and_then(|kept| DayTerms::decode(&kept.counts)) {
            Some(counts) => counts,
            None => count(snapshot, &marks).await?,
        };
        counted.push((*day, counts));
    }
    Ok(counted)
}

/// If the period begins within a local day, the term counts of that day before the period; `None` if it begins at the
/// start of a day, or if those items were not read.
pub(super) async fn counts_of_begun_day(
    snapshot: &mut ReadSnapshot,
    request: &TermsAsked<'_>,
) -> Result<Option<DayTerms>, StoreError> {
    let began = days(request.span.from, 1, request.topic.timezone()).first().map(|day| day.span.from);
    let from = began.max(request.began).max(request.asked_since);
    let Some(part) = from.and_then(|from| Span::new(from, request.span.from)) else { return Ok(None) };
    // A report on items seen since the last one may contain items of this part.
    let in_period: BTreeSet<&str> = request.period.iter().map(|mark| mark.key.as_str()).collect();
    let is_before = |mark: &&CountedItem| part.contains(mark.moment()) && !in_period.contains(mark.key.as_str());
    let marks: Vec<&CountedItem> = request.passed.iter().filter(is_before).collect();
    let pruned = marks.iter().filter(|mark| mark.pruned).count();
    if request.passed.is_empty() || marks.len() > request.most() || pruned as f64 > PRUNED * marks.len() as f64 {
        return Ok(None);
    }
    count(snapshot, &marks).await.map(Some)
}

/// Counts the terms of one day.
async fn count(snapshot: &mut ReadSnapshot, marks: &[&CountedItem]) -> Result<DayTerms, StoreError> {
    let mut counter = TermCounter::default();
    for chunk in marks.chunks(CHUNK) {
        let texts = load_texts(snapshot, chunk).await?;
        for mark in chunk {
            if let Some(read) = texts.get(mark.key.as_str()) {
                counter.item(&mark.cluster, &speaker_of(mark));
                words::terms(&readable(mark, read), &mut |term| counter.term(term));
            }
        }
    }
    Ok(counter.end())
}

/// The terms of each item of the previous period of the same length; `None` if it cannot be compared.
pub(in crate::compare) async fn earlier(
    snapshot: &mut ReadSnapshot,
    request: &TermsAsked<'_>,
    first: Option<Span>,
) -> Result<Option<Vec<Vec<String>>>, StoreError> {
    let length = request.span.until.0.saturating_sub(request.span.from.0);
    let span = Span { from: Time(request.span.from.0.saturating_sub(length)), until: request.span.from };
    if first.is_none_or(|first| first.from > span.from) {
        return Ok(None);
    }
    let marks: Vec<&CountedItem> = request.passed.iter().filter(|mark| span.contains(mark.moment())).collect();
    // The words of pruned items are gone.
    let pruned = marks.iter().filter(|mark| mark.pruned).count();
    if pruned as f64 > PRUNED * marks.len() as f64 {
        return Ok(None);
    }
    if marks.len() > request.most() {
        return Ok(None);
    }
    let mut all = Vec::with_capacity(marks.len());
    for chunk in marks.chunks(CHUNK) {
        let texts = load_texts(snapshot, chunk).await?;
        all.extend(chunk.iter().filter_map(|mark| Some(terms_of(mark, texts.get(mark.key.as_str())?))));
    }
    Ok(Some(all))
}
