//! The last answer of a topic, and whether what it cites was ever found: its links are looked up by the keys under which they
//! would be stored, beside the items that came with it. What was cut in the middle is not looked up.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::{AnswerFacts, Citation};
use super::words::counted;
use crate::insight::daily::links;
use crate::model::{Found, Span, Topic};
use crate::normalise::keys_of;
use crate::store::{Moment, StoreError};

/// Citations beyond these are counted, but not listed.
const LISTED: usize = 40;
/// Bytes of an answer that are shown.
const MOST_TEXT: usize = 8_000;

pub(super) async fn read(moment: &mut Moment, topic: &Topic, span: Span) -> Result<Option<AnswerFacts>, StoreError> {
    let Some(answer) = moment.answer(&topic.id, span).await? else { return Ok(None) };
    let text = if answer.partial { uncut(&answer.text) } else { &*answer.text };
    let (looked_at, beyond) = links(text);
    let named: Vec<(&str, Option<String>)> = looked_at.into_iter().map(|link| (link, key_of(link))).collect();
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
    let shown = shown(&answer.text);
    Ok(Some(AnswerFacts {
        run: answer.run,
        asked_at: answer.asked_at,
        model: answer.model,
        partial: answer.partial || shown.len() < answer.text.len(),
        text: shown.to_owned(),
        citations,
        beyond,
    }))
}

/// The text without its last word, which a cut may have shortened.
fn uncut(text: &str) -> &str {
    text.rfind(char::is_whitespace).and_then(|at| text.get(..at)).unwrap_or_default()
}

/// As much of the text as is shown, to a whole word where there is one.
fn shown(text: &str) -> &str {
    let end = text.floor_char_boundary(MOST_TEXT);
    let head = text.get(..end).unwrap_or_default();
    let after = text.get(end..).unwrap_or_default();
    if after.is_empty() || after.starts_with(char::is_whitespace) {
        return head;
    }
    Some(uncut(head)).filter(|whole| !whole.is_empty()).unwrap_or(head)
}

impl AnswerFacts {
    /// Of all citations, those that nothing stored has.
    pub(super) fn missing(&self) -> u64 {
        self.citations.iter().filter(|citation| citation.key.is_none()).count() as u64
    }

    /// The citations that are listed, and how many are not.
    pub(super) fn listed(&self) -> (&[Citation], u64) {
        let (listed, rest) = self.citations.split_at(self.citations.len().min(LISTED));
        (listed, rest.len() as u64)
    }

    /// What is said of links that were too many to be looked up.
    pub(super) fn unlooked(&self) -> Option<String> {
        let more = counted(self.beyond, "more link");
        (self.beyond > 0).then(|| format!("The answer names {more}, which were not looked up."))
    }

    /// Whether an address of a line of the text was looked up in vain; what ends at a cut was not looked up as it is.
    pub(super) fn in_vain(&self, address: &str, line: &str) -> bool {
        let cut = line.strip_suffix('…').is_some_and(|line| line.ends_with(address));
        !cut && self.citations.iter().any(|citation| citation.cited == address && citation.key.is_none())
    }
}

/// The key under which a page or post of this address would be stored. An address tells its platform by itself.
fn key_of(link: &str) -> Option<String> {
    let found = Found { kind: Some(crate::model::Kind::Page), url: Some(link.to_owned()), ..Found::default() };
    keys_of(&found, "x")?.keys.into_iter().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(many: usize, stored: impl Fn(usize) -> bool) -> AnswerFacts {
        let citations = (0..many).map(|n| Citation {
            cited: format!("https://a.example/{n}"),
            key: stored(n).then(|| format!("url:{n}")),
            in_text: true,
        });
        AnswerFacts {
            run: "r".into(),
            asked_at: crate::model::Time(0),
            model: None,
            text: String::new(),
            partial: false,
            citations: citations.collect(),
            beyond: 0,
        }
    }

    #[test]
    fn a_link_is_in_vain_only_when_it_was_looked_up_whole_and_not_found() {
        let facts = answer(60, |n| n != 3 && n != 55);
        assert_eq!((facts.missing(), facts.listed().0.len(), facts.listed().1), (2, 40, 20));
        for (address, line, vain) in [
            ("https://a.example/3", "see https://a.example/3.", true),
            ("https://a.example/55", "see https://a.example/55", true),
            ("https://a.example/50", "see https://a.example/50", false),
            ("https://a.example/never", "beyond what is looked up", false),
            ("https://a.example/3", "cut: https://a.example/3…", false),
        ] {
            assert_eq!(facts.in_vain(address, line), vain, "{line}");
        }
    }

    #[test]
    fn a_text_is_shown_to_a_whole_word() {
        assert_eq!(uncut("see https://a.example/b"), "see");
        let long = format!("{} https://a.example/page and more", "x".repeat(MOST_TEXT - 15));
        assert_eq!(shown(&long).len(), MOST_TEXT - 15);
        assert_eq!(shown(&"x".repeat(MOST_TEXT + 5)).len(), MOST_TEXT);
        assert_eq!(shown("short, whole"), "short, whole");
    }
}
