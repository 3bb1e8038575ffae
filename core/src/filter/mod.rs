//! The filter of a topic: words that must or must not occur, languages, authors. Applied when reading, so a changed
//! filter applies to all history and nothing is deleted. Pure; it neither searches nor stores.

mod lang;
mod term;

use lang::{parse_filter_lang, parse_item_lang};

use crate::model::TopicFilter;

pub use term::TermError;
use term::{Folded, Term};

/// A compiled filter.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    must: Vec<Term>,
    exclude: Vec<Term>,
    lang: Vec<String>,
    authors: Vec<Term>,
}

/// The filter entry that hides an item: its key in the file and its index in the list, from 0. For languages, which
/// hide as a whole list, the index is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct HiddenBy {
    /// Key of the list.
    pub key: &'static str,
    /// Index in the list.
    pub place: usize,
}

/// An invalid filter entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterError {
    /// Key of the list: `must`, `exclude`, `lang`, `exclude_authors`.
    pub key: &'static str,
    /// Index in the list, from 0.
    pub place: usize,
    /// What is wrong, and how to fix it.
    pub error: TermError,
}

impl std::fmt::Display for FilterError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, entry {}: {}", self.key, self.place + 1, self.error.text)
    }
}

/// Checks one entry of `must` or `exclude`.
pub fn check_term(text: &str) -> Result<(), TermError> {
    Term::parse(text).map(drop)
}

/// Checks one entry of `exclude_authors`.
pub fn check_author(text: &str) -> Result<(), TermError> {
    Term::author(text).map(drop)
}

/// Checks one entry of `lang`: `en`, or with a region, which is ignored. A code that names no language is refused here,
/// but still accepted in a stored filter.
pub fn check_lang(text: &str) -> Result<(), TermError> {
    lang::check(text)
}

fn parse_each<T>(
    key: &'static str,
    list: &[String],
    read: impl Fn(&str) -> Result<T, TermError>,
) -> Result<Vec<T>, FilterError> {
    let one = |(place, text): (usize, &String)| read(text).map_err(|error| FilterError { key, place, error });
    list.iter().enumerate().map(one).collect()
}

/// Returns the note about items that the filter cannot judge because they were pruned; `None` without any.
#[must_use]
pub fn unjudged_note(many: u64) -> Option<String> {
    let (items, are) = if many == 1 { ("item", "is") } else { ("items", "are") };
    (many > 0).then(|| format!("{many} {items} whose text was pruned {are} counted regardless of the filter"))
}

impl Filter {
    /// Compiles a filter; `check` refuses invalid ones earlier.
    pub fn compile(filter: &TopicFilter) -> Result<Self, FilterError> {
        Ok(Self {
            must: parse_each("must", &filter.must, Term::parse)?,
            exclude: parse_each("exclude", &filter.exclude, Term::parse)?,
            lang: parse_each("lang", &filter.lang, parse_filter_lang)?,
            authors: parse_each("exclude_authors", &filter.exclude_authors, Term::author)?,
        })
    }

    /// Returns whether it lets everything pass.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.must.is_empty() && self.exclude.is_empty() && self.lang.is_empty() && self.authors.is_empty()
    }

    /// Returns whether it needs what pruning removes: text and authors.
    #[must_use]
    pub fn needs_text(&self) -> bool {
        !(self.must.is_empty() && self.exclude.is_empty() && self.authors.is_empty())
    }

    /// Returns whether an item passes. Unknown values hide nothing: an item without a language or an author passes
    /// those conditions, and one without title and text passes the conditions on words.
    #[must_use]
    pub fn passes(&self, title: Option<&str>, text: Option<&str>, author: Option<&str>, lang: Option<&str>) -> bool {
        self.hidden_by(title, text, author, lang).is_none()
    }

    /// Returns the first entry that hides an item.
    #[must_use]
    pub fn hidden_by(
        &self,
        title: Option<&str>,
        text: Option<&str>,
        author: Option<&str>,
        lang: Option<&str>,
    ) -> Option<HiddenBy> {
        if self.is_empty() {
            return None;
        }
        let at = |key, place: Option<usize>| place.map(|place| HiddenBy { key, place });
        if !self.lang.is_empty() && lang.and_then(parse_item_lang).is_some_and(|lang| !self.lang.contains(&lang)) {
            return at("lang", Some(0));
        }
        if let Some(author) = author.filter(|_| !self.authors.is_empty()) {
            let author = Folded::new(author.trim_start_matches('@'));
            let place = self.authors.iter().position(|term| term.matches(&author));
            if place.is_some() {
                return at("exclude_authors", place);
            }
        }
        if (self.must.is_empty() && self.exclude.is_empty()) || (title.is_none() && text.is_none()) {
            return None;
        }
        let parts: Vec<Folded> = [title, text].into_iter().flatten().map(Folded::new).collect();
        let occurs = |term: &Term| parts.iter().any(|part| term.matches(part));
        at("must", self.must.iter().position(|term| !occurs(term)))
            .or_else(|| at("exclude", self.exclude.iter().position(occurs)))
    }
}

#[cfg(test)]
mod tests;
