//! What changed in a span of a topic's runs: new, baseline, gone, edited and rising items, and how reliable each figure
//! is. docs/explanation/changes.md has the exact definitions. Pure: rows of the store in, findings out.

mod findings;
mod gone;
mod growth_ranges;
mod input;
mod sources;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

pub use findings::{ChangeCounts, ChangePoint, Changes, EditedItem, GoneItem, MissingFields, NewItem, Rising};
pub use gone::{GONE_AFTER, GoneQuery, gone_query};
pub use growth_ranges::growth_ranges;
pub use input::ChangeInput;
use sources::baselines;
pub use sources::{QueryPeriod, SourceChanges, source_queries};

use super::normalize_author;
use super::rising::grown;
use super::text_diff::word_diff;
use crate::filter::Filter;
use crate::model::{Engagement, FirstSighting, Growth, ItemSummary, Snapshot, Snapshots, Source, WindowFit};

/// Returns whether an item passes the topic's filter.
#[must_use]
pub fn passes_filter(filter: &Filter, item: &ItemSummary) -> bool {
    filter.passes(item.title.as_deref(), item.text.as_deref(), item.author.as_deref(), item.lang.as_deref())
}

/// The topic's filter, and the items that pass only because their text was pruned.
struct FilterState<'a> {
    filter: &'a Filter,
    unjudged: BTreeSet<String>,
}

impl FilterState<'_> {
    fn passes(&mut self, item: &ItemSummary) -> bool {
        let passes = passes_filter(self.filter, item);
        if passes && item.pruned && self.filter.needs_text() {
            self.unjudged.insert(item.key.clone());
        }
        passes
    }
}

/// Inside the window if any source says so; undated only if no source knows. An item found by a backfill is outside,
/// with or without a date: the day the backfill asked for was over.
fn fit(first: &FirstSighting, past: &BTreeSet<(i64, Source)>) -> WindowFit {
    let of = |(source, fit): &(Source, WindowFit)| match past.contains(&(first.seq, *source)) {
        true => WindowFit::Outside,
        false => *fit,
    };
    let has = |fit: WindowFit| first.seen.iter().any(|seen| of(seen) == fit);
    if has(WindowFit::In) || (first.seen.is_empty() && first.item.published_at.is_some()) {
        WindowFit::In
    } else if has(WindowFit::Outside) {
        WindowFit::Outside
    } else {
        WindowFit::Undated
    }
}

fn unknown(engagement: Engagement) -> bool {
    engagement == Engagement::default()
}

/// Returns the searches that were backfills.
fn backfills(snapshots: &Snapshots) -> BTreeSet<(i64, Source)> {
    let of = |s: &Snapshot| Some((s.seq, snapshots.questions.get(s.question)?.source));
    snapshots.all.iter().filter(|s| gone::is_backfill(s)).filter_map(of).collect()
}

/// Returns what changed. Each list holds at most `most` entries; the counts include all.
#[must_use]
pub fn changes(reading: &ChangeInput, filter: &Filter, most: usize) -> Changes {
    let baseline = baselines(&reading.snapshots);
    let past = backfills(&reading.snapshots);
    let mut sources = sources::sources(&reading.snapshots, reading.between, &baseline);
    let mut counts = ChangeCounts::default();
    let mut changes = Changes::new(reading);
    let mut filter_state = FilterState { filter, unjudged: BTreeSet::new() };
    let (mut texts, mut authors) = (BTreeSet::new(), BTreeSet::new());
    for first in &reading.first {
        let by: BTreeSet<Source> = first.seen.iter().map(|(source, _)| *source).collect();
        let quiet = first
            .kept_baseline
            .unwrap_or_else(|| !by.is_empty() && by.iter().all(|source| baseline.contains(&(first.seq, *source))));
        let fit = fit(first, &past);
        if !filter_state.passes(&first.item) {
            counts.filtered += 1;
            continue;
        }
        if quiet {
            counts.baseline += 1;
            counts.baseline_outside += usize::from(fit == WindowFit::Outside);
            continue;
        }
        if fit == WindowFit::Outside {
            counts.outside += 1;
            if changes.outside.len() < most {
                changes.outside.push(NewItem::of(first, fit, by));
            }
            continue;
        }
        counts.new += 1;
        counts.undated += usize::from(fit == WindowFit::Undated);
        counts.unknown.date += usize::from(first.item.published_at.is_none());
        counts.unknown.engagement += usize::from(unknown(first.engagement));
        texts.insert(first.item.cluster.as_deref().unwrap_or(&first.item.key));
        match &first.item.author {
            Some(author) => drop(authors.insert(normalize_author(author))),
            None => counts.unknown.author += 1,
        }
        for source in &mut sources {
            source.new += usize::from(by.contains(&source.source));
        }
        if changes.new.len() < most {
            changes.new.push(NewItem::of(first, fit, by));
        }
    }
    counts.new_texts = texts.len();
    counts.new_authors = authors.len();
    gone_items(reading, &mut filter_state, most, &mut changes, &mut counts, &mut sources);
    edited(reading, &mut filter_state, most, &mut changes, &mut counts);
    rising(reading, &mut filter_state, most, &mut changes, &mut counts);
    counts.unjudged = filter_state.unjudged.len();
    counts.full = sources.iter().any(|source| source.saturated > 0);
    counts.failed = sources::failed_last(&reading.snapshots, reading.between);
    counts.emptied = sources::emptied_last(&reading.snapshots, reading.between);
    counts.searches_pruned = changes.more_runs && !reading.snapshots.cut;
    counts.at_least = counts.full || counts.failed || counts.emptied || counts.searches_pruned;
    counts.pruned = is_pruned(reading);
    counts.cut = reading.snapshots.cut
        || [reading.first.len(), reading.last.len(), reading.edits.len(), reading.growths.len()]
            .iter()
            .any(|rows| *rows >= reading.most_rows);
    changes.sources = sources;
    changes.counts = counts;
    changes
}

/// Returns whether snapshots or words of the span were pruned. Replaced words are pruned together with those of the
/// item.
fn is_pruned(reading: &ChangeInput) -> bool {
    let mut items = reading.first.iter().map(|first| &first.item).chain(reading.growths.iter().map(|one| &one.item));
    items.any(|item| item.pruned)
        || gone::is_pruned(&reading.snapshots, reading.between)
        || growth_ranges::is_start_pruned(&reading.snapshots, reading.between)
}

fn gone_items(
    reading: &ChangeInput,
    filter_state: &mut FilterState<'_>,
    most: usize,
    changes: &mut Changes,
    counts: &mut ChangeCounts,
    sources: &mut [SourceChanges],
) {
    let detector = gone::GoneDetector::new(&reading.snapshots, reading.between, reading.window);
    for source in sources.iter_mut() {
        source.gone_judged = detector.can_judge(source.source);
    }
    for last in &reading.last {
        let Some((source, missed)) = detector.missed(last) else { continue };
        if !filter_state.passes(&last.item) {
            counts.filtered_gone += 1;
            continue;
        }
        counts.gone += 1;
        for of in sources.iter_mut().filter(|of| of.source == source) {
            of.gone += 1;
        }
        changes.gone.push(GoneItem { item: last.item.clone(), source, last_seen: last.last_seen, missed });
    }
    changes.gone.sort_by(|a, b| (b.missed, &a.item.key).cmp(&(a.missed, &b.item.key)));
    changes.gone.truncate(most);
}

fn edited(
    reading: &ChangeInput,
    filter_state: &mut FilterState<'_>,
    most: usize,
    changes: &mut Changes,
    counts: &mut ChangeCounts,
) {
    let is_same = |old: Option<&String>, new: Option<&String>| match (old, new) {
        (Some(old), Some(new)) => old.split_whitespace().eq(new.split_whitespace()),
        (old, new) => old == new,
    };
    let diff = |old: Option<&String>, new: Option<&String>| {
        (!is_same(old, new)).then(|| word_diff(old.map_or("", String::as_str), new.map_or("", String::as_str)))
    };
    for edit in &reading.edits {
        let (title, text) = (edit.item.title.as_ref(), edit.item.text.as_ref());
        let is_unchanged = is_same(edit.old_title.as_ref(), title) && is_same(edit.old_text.as_ref(), text);
        // Either only the space between words changed, or two edits changed words and changed them back.
        if is_unchanged && edit.edits < 2 {
            continue;
        }
        if !filter_state.passes(&edit.item) {
            counts.filtered_edited += 1;
            continue;
        }
        counts.edited += 1;
        if changes.edited.len() < most {
            changes.edited.push(EditedItem {
                item: edit.item.clone(),
                at: edit.at,
                edits: edit.edits,
                old_title: edit.old_title.clone(),
                old_text: edit.old_text.clone(),
                title: diff(edit.old_title.as_ref(), title),
                text: diff(edit.old_text.as_ref(), text),
            });
        }
    }
}

fn rising(
    reading: &ChangeInput,
    filter_state: &mut FilterState<'_>,
    most: usize,
    changes: &mut Changes,
    counts: &mut ChangeCounts,
) {
    let mut all: Vec<Rising> = reading.growths.iter().filter_map(risen).collect();
    all.sort_by(|a, b| a.item.key.cmp(&b.item.key).then(b.gain.cmp(&a.gain)));
    // Two sources that show the same item count as one rise.
    all.dedup_by(|b, a| a.item.key == b.item.key);
    for rise in all {
        if filter_state.passes(&rise.item) {
            changes.rising.push(rise);
        } else {
            counts.filtered_rising += 1;
        }
    }
    counts.rising = changes.rising.len();
    changes
        .rising
        .sort_by(|a, b| b.per_hour.total_cmp(&a.per_hour).then(b.gain.cmp(&a.gain)).then(a.item.key.cmp(&b.item.key)));
    changes.rising.truncate(most);
}

/// Converts a growth to a rising item; `None` if it grew too little.
fn risen(growth: &Growth) -> Option<Rising> {
    let grown = grown((growth.from, growth.before), (growth.until, growth.after))?;
    Some(Rising {
        item: growth.item.clone(),
        source: growth.source,
        from: growth.from,
        until: growth.until,
        had: grown.had,
        gain: grown.gain,
        per_hour: grown.per_hour(),
        before: growth.before,
        after: growth.after,
    })
}
