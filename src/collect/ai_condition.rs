//! Decides whether a run needs to ask the AI source, by its topic's `ai.when` and by what the other sources found.
//! `fetch` makes the call.

use std::collections::HashMap;

use super::outcome::{run_outcome, search_outcome};
use super::{Collector, group};
use crate::filter::Filter;
use crate::insight::daily::{days, start_of_day};
use crate::model::{AiWhen, Finding, Span, TEXT_KEY_PREFIX, Time, Topic};
use crate::store::{SeenItem, StoreError};

impl Collector {
    /// Returns why the AI source need not be asked in this run, if so.
    pub(super) async fn ai_not_needed(
        &self,
        topic: &Topic,
        searches: &[search_outcome::Fetched],
        findings: &[Finding],
        now: Time,
    ) -> Result<Option<&'static str>, StoreError> {
        let Some(ai) = &topic.ai else { return Ok(None) };
        let alone = !topic.finds_items();
        match ai.when {
            AiWhen::Always => Ok(None),
            AiWhen::New if alone => Ok(None),
            AiWhen::New if findings.is_empty() && run_outcome::none_answered(searches) => {
                Ok(Some(run_outcome::NO_OTHER))
            }
            AiWhen::New => {
                let nothing_new = self.unseen_items(topic, &group(findings.to_vec())).await?.is_empty();
                Ok(nothing_new.then_some(run_outcome::NOTHING_NEW))
            }
            AiWhen::Daily => {
                // Not after today: a clock may have been ahead.
                let today = days(now, 1, topic.timezone()).first().map(|day| day.span);
                let today = today.unwrap_or(Span { from: start_of_day(now, topic.timezone()), until: now });
                let answered = self.store.answered_in(&topic.id, today).await?;
                Ok(answered.then_some("already answered today"))
            }
        }
    }

    /// Returns the items that the topic has not seen, by the store's rule: an item with an id of its own is not known
    /// just because another id said the same words. Items that the topic's filter hides and forgotten ones, which are not
    /// stored, do not count.
    pub(super) async fn unseen_items<'a>(
        &self,
        topic: &Topic,
        items: &'a [SeenItem],
    ) -> Result<Vec<&'a SeenItem>, StoreError> {
        let filter = Filter::compile(&topic.filter).unwrap_or_default();
        let mut open: Vec<&SeenItem> = items.iter().filter(|item| is_shown(&filter, item)).collect();
        // Most are known by their strongest key; then the other keys need not be looked up.
        let strongest: fn(&SeenItem) -> &[String] = |item| item.keys.get(..1).unwrap_or_default();
        let others: fn(&SeenItem) -> &[String] = |item| item.keys.get(1..).unwrap_or_default();
        for keys_of in [strongest, others] {
            let keys: Vec<String> = open.iter().flat_map(|item| keys_of(item)).cloned().collect();
            let known: HashMap<String, bool> =
                self.store.known_keys(&topic.id, &keys).await?.into_iter().map(|k| (k.key, k.strong)).collect();
            open.retain(|item| {
                let names = |key: &String| match known.get(key) {
                    Some(&strong) => !(item.strong && strong && key.starts_with(TEXT_KEY_PREFIX)),
                    None => false,
                };
                !keys_of(item).iter().any(names)
            });
            if open.is_empty() {
                break;
            }
        }
        let forgotten = self.store.are_forgotten(&open).await?;
        Ok(open.into_iter().zip(forgotten).filter(|(_, forgotten)| !forgotten).map(|(item, _)| item).collect())
    }
}

fn is_shown(filter: &Filter, item: &SeenItem) -> bool {
    let found = |part: fn(&Finding) -> Option<&String>| item.sightings.iter().find_map(part).map(String::as_str);
    filter.passes(
        found(|one| one.found.title.as_ref()),
        found(|one| one.found.text.as_ref()),
        found(|one| one.found.author.as_ref()),
        found(|one| one.found.lang.as_ref()),
    )
}
