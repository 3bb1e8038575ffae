//! Checks whether what answers cite was ever found. Looks up their links by the keys they would be stored under, and
//! the items that came with the answers. Does not look up links that were cut.

use std::collections::{BTreeMap, BTreeSet};

use crate::insight::daily::{extract_links, without_last_word};
use crate::model::{AnswerRow, page_key_of_entry};
use crate::normalise::link_key;
use crate::store::{ReadSnapshot, Store, StoreError};

/// Citations beyond these are counted, but not listed.
const LISTED: usize = 40;

/// Something an answer names or came with.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Citation {
    /// As in the answer: an address, or an item's key.
    pub cited: String,
    /// The key of the stored item; `None` if nothing ever found has it.
    pub key: Option<String>,
    /// Whether the text names it. Otherwise it only came with the answer.
    pub in_text: bool,
}

/// The citations of one answer.
#[derive(Debug, Clone, Default, serde::Serialize)]
pub struct Citations {
    /// The citations that were looked up.
    pub citations: Vec<Citation>,
    /// Links of the text that were not looked up.
    pub beyond: u64,
}

/// Looks up what answers cite, for all answers at once.
pub async fn cited(snapshot: &mut ReadSnapshot, answers: &[&AnswerRow]) -> Result<Vec<Citations>, StoreError> {
    let named: Vec<_> = answers.iter().map(|answer| links_of(answer)).collect();
    let links = named.iter().flat_map(|(links, _)| links.iter().filter_map(|(_, key)| key.as_ref()));
    let keys: BTreeSet<&String> = answers.iter().flat_map(|answer| &answer.cited).chain(links).collect();
    let resolved = snapshot.resolve_keys(&keys.into_iter().cloned().collect::<Vec<_>>()).await?;
    let resolved: BTreeMap<&str, &str> = resolved.iter().map(|row| (row.asked.as_str(), row.key.as_str())).collect();
    let stored = |key: &str| resolved.get(key).map(|key| (*key).to_owned());
    // Posts of most networks have a key of their own, besides that of their address.
    let entry_keys: BTreeSet<&String> = answers.iter().flat_map(|answer| &answer.cited).collect();
    let words = snapshot.words(&entry_keys.into_iter().cloned().collect::<Vec<_>>()).await?;
    let addresses = words.iter().filter_map(|words| Some((link_key(words.url.as_deref()?)?, words.key.as_str())));
    let addresses: BTreeMap<String, &str> = addresses.collect();
    let of = |(answer, (links, beyond)): (&&AnswerRow, Named<'_>)| {
        let (mut listed_keys, mut citations) = (BTreeSet::new(), Vec::new());
        for (link, key) in links {
            // If several entries have this address, takes one that came with the answer.
            let entry = |page: &str| answer.cited.iter().find(|key| page_key_of_entry(key) == Some(page));
            let post =
                |page: &str| addresses.get(page).copied().filter(|key| answer.cited.iter().any(|cited| cited == key));
            let find_entry = |page: &str| entry(page).map(String::as_str).or_else(|| post(page));
            let key = key.and_then(|key| stored(&key).or_else(|| stored(find_entry(&key)?)));
            listed_keys.extend(key.clone());
            citations.push(Citation { cited: link.to_owned(), key, in_text: true });
        }
        for cited in &answer.cited {
            let key = stored(cited);
            if key.as_ref().is_none_or(|key| listed_keys.insert(key.clone())) {
                citations.push(Citation { cited: cited.clone(), key, in_text: false });
            }
        }
        Citations { citations, beyond }
    };
    Ok(answers.iter().zip(named).map(of).collect())
}

/// The same for a reader who may see only the items of these topics. A citation that only another topic found looks the
/// same as one that no topic found: both show as not looked up.
pub async fn restrict_to_topics(
    store: &Store,
    cited: Vec<Citations>,
    topics: &[String],
) -> Result<Vec<Citations>, StoreError> {
    let citations = cited.iter().flat_map(|cited| &cited.citations);
    let mut keys: BTreeSet<String> = citations.filter_map(|citation| citation.key.clone()).collect();
    let mut visible = BTreeSet::new();
    for topic in topics {
        if keys.is_empty() {
            break;
        }
        let remaining: Vec<String> = keys.iter().cloned().collect();
        for row in store.items_by_key(topic, &remaining).await? {
            keys.remove(&row.key);
            visible.insert(row.key);
        }
    }
    let kept = |citation: &Citation| citation.key.as_ref().is_some_and(|key| visible.contains(key));
    let within = |cited: Citations| {
        let (citations, rest): (Vec<_>, Vec<_>) = cited.citations.into_iter().partition(kept);
        let unchecked = rest.iter().filter(|citation| citation.in_text).count() as u64;
        Citations { citations, beyond: cited.beyond + unchecked }
    };
    Ok(cited.into_iter().map(within).collect())
}

/// The links of an answer with the keys they would have, and the number of further links.
type Named<'a> = (Vec<(&'a str, Option<String>)>, u64);

fn links_of(answer: &AnswerRow) -> Named<'_> {
    let text = if answer.partial { without_last_word(&answer.text) } else { &*answer.text };
    let (links, beyond) = extract_links(text);
    (links.into_iter().map(|link| (link, link_key(link))).collect(), beyond)
}

impl Citations {
    /// The number of citations that are not stored.
    #[must_use]
    pub fn missing(&self) -> u64 {
        self.citations.iter().filter(|citation| citation.key.is_none()).count() as u64
    }

    /// The citations to list, and the number of the others.
    #[must_use]
    pub fn listed(&self) -> (&[Citation], u64) {
        let (listed, rest) = self.citations.split_at(self.citations.len().min(LISTED));
        (listed, rest.len() as u64)
    }

    /// Whether an address in a line of the text was looked up and not found. Addresses at a cut were not looked up
    /// whole.
    #[must_use]
    pub fn is_missing(&self, address: &str, line: &str) -> bool {
        let cut = line.strip_suffix('…').is_some_and(|line| line.ends_with(address));
        !cut && self.citations.iter().any(|citation| citation.cited == address && citation.key.is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cited_link_is_not_found_only_if_it_was_looked_up_uncut() {
        let citation = |n: usize| Citation {
            cited: format!("https://a.example/{n}"),
            key: (n != 3 && n != 55).then(|| format!("url:{n}")),
            in_text: true,
        };
        let cited = Citations { citations: (0..60).map(citation).collect(), beyond: 0 };
        assert_eq!((cited.missing(), cited.listed().0.len(), cited.listed().1), (2, 40, 20));
        for (address, line, vain) in [
            ("https://a.example/3", "see https://a.example/3.", true),
            ("https://a.example/55", "see https://a.example/55", true),
            ("https://a.example/50", "see https://a.example/50", false),
            ("https://a.example/never", "beyond what is looked up", false),
            ("https://a.example/3", "cut: https://a.example/3…", false),
        ] {
            assert_eq!(cited.is_missing(address, line), vain, "{line}");
        }
    }
}
