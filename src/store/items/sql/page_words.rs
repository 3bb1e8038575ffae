//! Whose words of a page count. A page found by several sources has several wordings, and a change from one to another
//! is no edit. The web searches of the service come first; a provider's words are edits only of an item that no other
//! source has ever seen. `page_sources` reads which did.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Finding, Kind, Source};

/// Returns the sighting by a provider of pages if it is the only source so far. `None` if the sources were not read.
pub(super) fn only_source<'f>(
    sources: Option<&BTreeSet<Source>>,
    sightings: &BTreeMap<Source, &'f Finding>,
) -> Option<&'f Finding> {
    let sources = sources?;
    let (source, finding) = sightings.iter().find(|(_, one)| words_count(one))?;
    sources.iter().all(|seen| seen == source).then_some(*finding)
}

/// Whether a sighting is one by a provider of pages whose words may be an edit.
pub(super) fn words_count(finding: &Finding) -> bool {
    !finding.source.is_service() && finding.kind == Kind::Page && !finding.found.excerpt
}
