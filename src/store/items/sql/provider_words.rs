//! Decides whether words of a provider count as an edit. An item found by several sources has several wordings, and a
//! change from one to another is not an edit. The searches of the service come first; a provider's words count only for
//! an item that no other source has ever seen. `provider_sources` reads which did.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Finding, Kind, Source};

/// The source of the service that words items of this kind.
pub(super) fn home_source(kind: Kind) -> Source {
    match kind {
        Kind::Post => Source::Social,
        Kind::Page => Source::Web,
    }
}

/// Returns the sighting by a provider of items of this kind if it is the only source so far. `None` if the sources were
/// not read.
pub(super) fn only_source<'f>(
    kind: Kind,
    sources: Option<&BTreeSet<Source>>,
    sightings: &BTreeMap<Source, &'f Finding>,
) -> Option<&'f Finding> {
    let sources = sources?;
    let (source, finding) = sightings.iter().find(|(_, one)| words_count(kind, one))?;
    // Web results and answers have only an excerpt of a post, which is never an edit.
    let has_words = |seen: &&Source| kind == Kind::Page || !matches!(**seen, Source::Web | Source::Ai);
    sources.iter().filter(has_words).all(|seen| seen == source).then_some(*finding)
}

/// Whether a finding is one by a provider whose words may be an edit of an item of this kind.
pub(super) fn words_count(kind: Kind, finding: &Finding) -> bool {
    !finding.source.is_service() && finding.kind == kind && !finding.found.excerpt
}
