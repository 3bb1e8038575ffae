//! The items that a source that writes an answer gets: the new items of the run, newest first, near-copies once, without
//! those that the topic's filter hides and without forgotten ones. The provider's kind decides how many fit into a query.

use super::{Collector, group};
use crate::model::{Assignment, Finding, ItemText, Kind, Topic};
use crate::normalise::near::{self, KnownClusters};
use crate::search::kinds::PromptItem;
use crate::store::{SeenItem, StoreError};

impl Collector {
    /// Returns the items that are new in this run.
    pub(super) async fn prompt_items(
        &self,
        topic: &Topic,
        findings: &[Finding],
    ) -> Result<Vec<PromptItem>, StoreError> {
        let items = group(findings.to_vec());
        let mut new: Vec<PromptItem> =
            self.unseen_items(topic, &items).await?.into_iter().filter_map(to_given_item).collect();
        new.sort_by(|a, b| b.at.cmp(&a.at).then_with(|| a.key.cmp(&b.key)));
        Ok(drop_near_copies(new))
    }
}

fn to_given_item(item: &SeenItem) -> Option<PromptItem> {
    let found = |part: fn(&Finding) -> Option<&String>| item.sightings.iter().find_map(part).cloned();
    Some(PromptItem {
        key: item.keys.first()?.clone(),
        url: found(|one| one.found.url.as_ref()),
        title: found(|one| one.found.title.as_ref()),
        text: found(|one| one.found.text.as_ref()),
        author: found(|one| one.found.author.as_ref()),
        at: item.sightings.iter().find_map(|one| one.found.published_at),
    })
}

/// Keeps the first of each group of near-copies.
fn drop_near_copies(items: Vec<PromptItem>) -> Vec<PromptItem> {
    let wording = |item: &PromptItem| ItemText {
        kind: if item.title.is_some() { Kind::Page } else { Kind::Post },
        title: item.title.clone(),
        text: item.text.clone(),
        score: None,
    };
    let marks = items.iter().map(|item| near::fingerprint(&wording(item))).collect();
    let choices = near::assign_clusters(marks, &KnownClusters::default());
    let first = |choice: &Assignment| !matches!(choice, Assignment::CopyOf(..));
    items.into_iter().zip(choices).filter(|(_, choice)| first(choice)).map(|(item, _)| item).collect()
}
