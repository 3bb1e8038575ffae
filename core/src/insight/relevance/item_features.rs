//! Reads the features of an item from either kind of row: its words, its language, its shape, and how many words of the
//! question it contains.

use super::Features;
use crate::model::{ItemRow, Kind, SearchableItem, SightingRow};
use crate::normalise::words::{QueryWords, tokens};

/// The features of an item; `None` if it has no words, for example because they were pruned.
#[must_use]
pub fn features_of_item(row: &ItemRow, query_words: Option<&QueryWords>) -> Option<Features> {
    let fields = ItemFields {
        kind: row.kind,
        title: row.title.as_deref(),
        text: row.text.as_deref(),
        author: row.author.as_deref(),
        url: row.url.as_deref(),
        lang: row.lang.as_deref(),
    };
    fields.features(query_words)
}

/// The same for a sighting, by the words it had then.
#[must_use]
pub fn features_of_sighting(row: &SightingRow, query_words: Option<&QueryWords>) -> Option<Features> {
    let fields = ItemFields {
        kind: row.kind,
        title: row.title.as_deref(),
        text: row.text.as_deref(),
        author: row.author.as_deref(),
        url: row.url.as_deref(),
        lang: row.lang.as_deref(),
    };
    fields.features(query_words)
}

/// The fields of an item, from either kind of row.
struct ItemFields<'a> {
    kind: Kind,
    title: Option<&'a str>,
    text: Option<&'a str>,
    author: Option<&'a str>,
    url: Option<&'a str>,
    lang: Option<&'a str>,
}

impl ItemFields<'_> {
    /// `None` if there are no words.
    fn features(&self, query_words: Option<&QueryWords>) -> Option<Features> {
        self.text.or(self.title)?;
        let readable = SearchableItem {
            kind: self.kind,
            title: self.title,
            author: self.author,
            author_name: None,
            text: self.text,
            url: self.url,
        };
        let mut words: Vec<String> = tokens(&readable).into_iter().flatten().collect();
        // No word contains a blank, so these cannot be mistaken for one.
        words.extend(self.lang.map(|lang| format!("lang {}", lang.to_ascii_lowercase())));
        let text = self.text.unwrap_or("");
        let shapes = [
            ("a link", text.contains("://")),
            ("a repost", text.starts_with("RT ")),
            ("a reply", text.starts_with('@')),
            ("a page", self.kind == Kind::Page),
        ];
        words.extend(shapes.iter().filter(|(_, is)| *is).map(|(shape, _)| (*shape).to_owned()));
        let matching_words =
            query_words.map_or(0, |query_words| query_words.count_in(&[self.text, self.title, self.author, self.url]));
        Some(Features::of(words.iter().map(String::as_str), matching_words))
    }
}
