//! The last answer of a topic, and whether what it cites was ever found: its links are looked up by the keys under which they
//! would be stored, beside the items that came with it.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::{AnswerFacts, Citation};
use crate::insight::daily::links;
use crate::model::{Found, Span, Topic};
use crate::normalise::keys_of;
use crate::store::{Moment, StoreError};

/// Citations beyond these are not told.
const MOST: usize = 40;
/// Bytes of an answer that are shown.
const MOST_TEXT: usize = 8_000;

pub(super) async fn read(moment: &mut Moment, topic: &Topic, span: Span) -> Result<Option<AnswerFacts>, StoreError> {
    let Some(answer) = moment.answer(&topic.id, span).await? else { return Ok(None) };
    let named: Vec<(&str, Option<String>)> = links(&answer.text).into_iter().map(|link| (link, key_of(link))).collect();
    let keys: BTreeSet<&String> = answer.cited.iter().chain(named.iter().filter_map(|(_, key)| key.as_ref())).collect();
    let met = moment.meet(&keys.into_iter().cloned().collect::<Vec<_>>()).await?;
    let met: BTreeMap<&str, &str> = met.iter().map(|met| (met.asked.as_str(), met.key.as_str())).collect();
    let mut told = BTreeSet::new();
    let mut citations = Vec::new();
    for (link, key) in named {
        let key = key.and_then(|key| met.get(key.as_str()).map(|key| (*key).to_owned()));
        told.extend(key.clone());
        citations.push(Citation { cited: link.to_owned(), key, in_text: true });
    }
    for cited in &answer.cited {
        let key = met.get(cited.as_str()).map(|key| (*key).to_owned());
        if key.as_ref().is_none_or(|key| told.insert(key.clone())) {
            citations.push(Citation { cited: cited.clone(), key, in_text: false });
        }
    }
    citations.truncate(MOST);
    let end = answer.text.floor_char_boundary(MOST_TEXT);
    Ok(Some(AnswerFacts {
        run: answer.run,
        asked_at: answer.asked_at,
        model: answer.model,
        partial: answer.partial || end < answer.text.len(),
        text: answer.text.get(..end).unwrap_or_default().to_owned(),
        citations,
    }))
}

/// The key under which a page or post of this address would be stored. An address tells its platform by itself.
fn key_of(link: &str) -> Option<String> {
    let found = Found { kind: Some(crate::model::Kind::Page), url: Some(link.to_owned()), ..Found::default() };
    keys_of(&found, "x")?.keys.into_iter().next()
}
