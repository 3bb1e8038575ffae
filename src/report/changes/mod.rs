//! Changes of known items and sources: edited and gone items, changed queries, silent sources. `insight` and
//! `compare` define these; here they are cut to what a page shows.

pub(super) mod change_facts;

use super::comparison::measures::TAIL;
use super::facts::{ChangeFacts, EditFacts, GoneFacts, ItemExcerpt, TopicFacts};
use super::format;
use super::items::excerpt_of;
use crate::compare::{changes_between, health};
use crate::draw::enumeration;
use crate::insight::{Piece, SourceChanges};
use crate::model::{ItemContent, ItemSummary, SeqRange, Span, Time, Topic};
use crate::store::{Store, StoreError};

/// The maximum number of edited and of gone items listed.
const MAX_LISTED: usize = 8;
/// The maximum length of a shown edit, in characters.
const MAX_EDIT_CHARS: usize = 400;

/// Reads the changes between the sequence numbers of the runs, which never change.
pub(super) async fn read(
    store: &Store,
    topic: &Topic,
    facts: &mut TopicFacts,
    span: Span,
    now: Time,
    alone: bool,
) -> Result<(), StoreError> {
    let since = store.seq_since(&topic.id, span.from).await?;
    let until = store.seq_before(&topic.id, Time(span.until.0.min(now.0.saturating_add(1)))).await?;
    if until > since {
        let changes = changes_between(store, topic, SeqRange { since, until }, MAX_LISTED, alone).await?;
        facts.changes = Some(ChangeFacts {
            baseline: changes.counts.baseline as u64,
            edited: changes.counts.edited as u64,
            gone: changes.counts.gone as u64,
            at_least: changes.counts.full || changes.counts.cut || changes.counts.pruned,
            cut: changes.counts.cut,
            pruned: changes.counts.pruned,
            gone_judged: changes.sources.iter().any(|source| source.gone_judged),
            gone_unjudged: changes
                .sources
                .iter()
                // The pages found with an answer and the items of feeds are never judged gone.
                .filter(|s| s.judgeable && !s.gone_judged && s.searches > 0)
                .map(|s| s.source)
                .collect(),
            queries: changed_queries(&changes.sources),
            edits: changes
                .edited
                .iter()
                .map(|edit| {
                    let diff = edit.text.as_ref().or(edit.title.as_ref());
                    EditFacts {
                        item: to_excerpt(&edit.item),
                        at: edit.at,
                        edits: edit.edits,
                        diff: diff.map(|d| truncate_diff(d)).unwrap_or_default(),
                    }
                })
                .collect(),
            lost: changes
                .gone
                .iter()
                .map(|gone| GoneFacts { item: to_excerpt(&gone.item), last_seen: gone.last_seen })
                .collect(),
        });
    }
    // Health describes the present. It does not apply to a period long past.
    if now.0 <= span.until.0.saturating_add(2 * TAIL) {
        let health = health(store, std::slice::from_ref(&topic.id)).await?;
        facts.silences = health.silences;
    }
    Ok(())
}

/// Returns each changed query once, with its sources: `social and web searched for “acme”`.
fn changed_queries(sources: &[SourceChanges]) -> Vec<String> {
    let mut queries: Vec<(&str, Vec<&str>)> = Vec::new();
    for source in sources {
        for query in source.queries.iter().filter(|query| query.changed) {
            match queries.iter_mut().find(|(text, _)| *text == query.query) {
                Some((_, by)) => by.push(source.source.as_str()),
                None => queries.push((&query.query, vec![source.source.as_str()])),
            }
        }
    }
    let describe = |(query, by): (&str, Vec<&str>)| {
        format!("{} searched for “{}”", enumeration::join(&by, " and"), format::line(query, 120))
    };
    queries.into_iter().map(describe).collect()
}

impl EditFacts {
    /// Returns what is shown if the first words and the last are the same.
    pub(super) fn reverted_note(&self) -> Option<String> {
        self.diff.is_empty().then(|| format!("{} edits; the words are again those before the first edit", self.edits))
    }
}

impl ChangeFacts {
    /// Returns what limits these figures, in sentences. The first names the sources whose gone items could not be judged;
    /// if that is every source, `none_gone` says so.
    pub(super) fn limits(&self) -> (Option<String>, Option<&'static str>) {
        let names: Vec<&str> = self.gone_unjudged.iter().map(crate::model::Source::as_str).collect();
        let kept = if self.pruned { " are stored" } else { "" };
        let unjudged = (self.gone_judged && !names.is_empty()).then(|| {
            let names = names.join(", ");
            format!("Gone: not judged for {names} (too few complete searches in a row within the window{kept}).")
        });
        let more = if self.cut {
            Some("There are more changes than can be read at once; only the latest were read.")
        } else {
            self.pruned.then_some("Snapshots or texts of the period were pruned: more items may be gone or edited.")
        };
        (unjudged, more)
    }

    /// Returns the text when no item was found edited.
    pub(super) fn none_edited(&self) -> &'static str {
        match (self.cut, self.pruned) {
            (true, _) => "No edits were seen in what was read.",
            (false, true) => "No edits are stored for the period; some may have been pruned.",
            (false, false) => "No edits were seen in the period.",
        }
    }

    /// Returns the text when no item was found gone.
    pub(super) fn none_gone(&self) -> &'static str {
        if !self.gone_judged && self.pruned {
            "Gone items could not be determined: this needs four complete searches in a row within the window, and snapshots were pruned."
        } else if !self.gone_judged {
            "Gone items could not be determined: this needs four complete searches in a row within the window, of a source that shows everything."
        } else if self.gone_unjudged.is_empty() && !self.cut && !self.pruned {
            "No item is gone: each one that three complete searches in a row showed was in the next too, as long as it was recent enough."
        } else {
            "No gone items were found where this was judged."
        }
    }
}

fn to_excerpt(head: &ItemSummary) -> ItemExcerpt {
    let ItemSummary { key, url, author, title, text, lang, pruned, .. } = head.clone();
    excerpt_of(&ItemContent { key, url, author, title, text, lang, pruned })
}

/// Returns the pieces of an edit, cut to the allowed length.
fn truncate_diff(pieces: &[Piece]) -> Vec<Piece> {
    let mut left = MAX_EDIT_CHARS;
    let mut all = Vec::new();
    for piece in pieces.iter().take(60) {
        let (make, text): (fn(String) -> Piece, &str) = match piece {
            Piece::Same(text) => (Piece::Same, text),
            Piece::Removed(text) => (Piece::Removed, text),
            Piece::Added(text) => (Piece::Added, text),
        };
        let line = format::line(text, left.min(if matches!(piece, Piece::Same(_)) { 80 } else { 160 }));
        if left == 0 {
            break;
        }
        left = left.saturating_sub(line.chars().count());
        all.push(make(line));
    }
    all
}
