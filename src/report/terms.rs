//! Describes terms that are news, and themes, in words that each format uses.

use super::facts::{ItemExcerpt, TopicFacts};
use super::format::{self, count_noun, number, round};
use super::markdown::escape::escape;
use super::markdown::parts::{item, listed};
use crate::compare::{StandOutRows, TermRow, TermSample, ThemeRow, TopicTerms};
use crate::normalise::safe_link;

/// The maximum length of a shown text, in characters.
const MAX_CHARS: usize = 160;
/// The most terms that a sentence names.
const NAMED: usize = 3;

/// Returns the shown parts of an item.
pub(super) fn to_excerpt(sample: &TermSample) -> ItemExcerpt {
    ItemExcerpt {
        key: sample.key.clone(),
        link: sample.link.as_deref().and_then(safe_link),
        author: sample.author.as_deref().map(|author| format::line(author, 60)),
        words: sample.words.as_deref().map(|words| format::line(words, MAX_CHARS)).unwrap_or_default(),
    }
}

/// Returns a text such as `41 items by 38 authors; 12 with each text and author counted once a day, 2.1 expected`.
pub(super) fn term_words(topic: &TopicFacts, term: &TermRow) -> String {
    let negative =
        term.negative.as_ref().map_or_else(String::new, |share| format!(", negative {}", format::share(share)));
    format!(
        "{} by {}; {}, {} expected from {} before, z {:.1}{negative}",
        count_noun(term.items, "item"),
        voices(topic, term.authors),
        counted_texts(term),
        expected(term.expected),
        number(term.texts_before),
        term.z,
    )
}

/// Formats the compared number: for each day, the smaller of the numbers of different texts and of people.
fn counted_texts(term: &TermRow) -> String {
    format!("{} with each text and author counted once a day", number(term.texts))
}

/// The strongest terms that are news, for "What happened"; `None` if there are none.
pub(super) fn news_sentence(topic: &TopicFacts) -> Option<String> {
    let name = |term: &TermRow| format!("“{}”", format::line(&term.term, 40));
    let (first, others) = topic.terms.terms.split_first()?;
    let others: String = others.iter().take(NAMED - 1).map(|term| format!(", {}", name(term))).collect();
    let sample = if topic.terms.cut {
        format!(" Counted in a sample of {} of {} items.", number(topic.terms.items_read), number(topic.terms.items))
    } else {
        String::new()
    };
    Some(format!(
        "used more often than expected: {} ({} by {}){others}.{sample}",
        name(first),
        count_noun(first.items, "item"),
        voices(topic, first.authors),
    ))
}

/// Returns whether counts of authors include sites: a page without an author counts as its site. If no item has an
/// author, what is counted are not authors either.
fn has_sites(topic: &TopicFacts) -> bool {
    let period = &topic.period;
    period.no_author > 0 && (period.pages > 0 || period.no_author == period.raw)
}

/// Formats the number of authors.
pub(super) fn voices(topic: &TopicFacts, many: u64) -> String {
    count_noun(many, "author") + if has_sites(topic) { " or sites" } else { "" }
}

/// Returns the same as the head of a column.
pub(super) fn voices_head(topic: &TopicFacts) -> &'static str {
    if has_sites(topic) { "Authors or sites" } else { "Authors" }
}

/// Formats an expected number, with one decimal below ten.
pub(super) fn expected(many: f64) -> String {
    if many < 10.0 { format!("{many:.1}") } else { round(many) }
}

/// Describes how a theme grew compared with the period before.
pub(super) fn growth(theme: &ThemeRow) -> String {
    match theme.items_before {
        None => "not compared".to_owned(),
        Some(0) => "none in the period before".to_owned(),
        Some(before) => format!("{} in the period before", number(before)),
    }
}

/// Describes what is left besides the shown themes.
#[must_use]
pub fn rest_words(terms: &TopicTerms) -> Option<String> {
    let more = (terms.more_themes > 0).then(|| {
        format!("{} with {}", count_noun(terms.more_themes, "more theme"), count_noun(terms.more_items, "item"))
    });
    let other = (terms.other_items > 0).then(|| format!("{} in no theme", count_noun(terms.other_items, "item")));
    let all: Vec<String> = more.into_iter().chain(other).collect();
    (!all.is_empty()).then(|| format!("{}.", all.join("; ")))
}

/// Describes the terms that are news besides those shown.
pub(super) fn more_words(terms: &TopicTerms) -> Option<String> {
    let least = if terms.more_is_least() { "≥\u{a0}" } else { "" };
    (terms.more > 0).then(|| format!("{least}{}.", count_noun(terms.more, "more term")))
}

/// The terms that stand out, as Markdown.
fn stand_out_markdown(topic: &TopicFacts, rows: &StandOutRows) -> String {
    let term = |term: &TermRow| {
        format!(
            "**{}**: {} by {}; {} · {}",
            escape(&format::line(&term.term, 80)),
            count_noun(term.items, "item"),
            voices(topic, term.authors),
            counted_texts(term),
            item(&to_excerpt(&term.example))
        )
    };
    format!("{}{}\n\n", listed(StandOutRows::TITLE, rows.terms.iter().map(term)), rows.words())
}

/// Formats terms and themes as Markdown.
pub(super) fn markdown(topic: &TopicFacts, dated: &dyn Fn(crate::model::Time) -> String) -> String {
    let terms = &topic.terms;
    let term = |term: &TermRow| {
        format!(
            "**{}**: {} · {}",
            escape(&format::line(&term.term, 80)),
            term_words(topic, term),
            item(&to_excerpt(&term.example))
        )
    };
    let mut text = listed("Terms that are news", terms.terms.iter().map(term));
    if text.is_empty() {
        return terms.stand_out.as_ref().map_or(text, |rows| stand_out_markdown(topic, rows));
    }
    for note in terms.sample_words().into_iter().chain(more_words(terms)) {
        text.push_str(&format!("{note}\n\n"));
    }
    let theme = |theme: &ThemeRow| {
        let negative = theme.negative.as_ref().map_or_else(String::new, |s| format!(", negative {}", format::share(s)));
        let by =
            theme.first_by.as_deref().map_or_else(String::new, |by| format!(" by @{}", escape(&format::line(by, 60))));
        let samples =
            [&theme.post, &theme.page].into_iter().flatten().map(|sample| format!(" · {}", item(&to_excerpt(sample))));
        format!(
            "**{}**: {}, {} unique, {}, {}{negative}; first in the period {}{by}{}",
            escape(&format::line(&theme.name, 120)),
            count_noun(theme.items, "item"),
            number(theme.unique),
            voices(topic, theme.authors),
            growth(theme),
            dated(theme.first_at),
            samples.collect::<String>(),
        )
    };
    text.push_str(&listed("Themes", terms.themes.iter().map(theme)));
    if let Some(rest) = rest_words(terms) {
        text.push_str(&format!("{rest}\n\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::samples::topic;
    use super::{voices, voices_head};
    use crate::insight::daily::ItemCounts;

    #[test]
    fn sites_are_mentioned_only_if_items_may_count_as_a_site() {
        for (posts, pages, no_author, expected) in [
            (40, 0, 0, "30 authors"),
            (40, 0, 1, "30 authors"),
            (40, 0, 40, "30 authors or sites"),
            (40, 2, 1, "30 authors or sites"),
            (40, 2, 0, "30 authors"),
        ] {
            let mut facts = topic("acme");
            facts.period = ItemCounts { raw: posts + pages, posts, pages, no_author, ..ItemCounts::default() };
            assert_eq!(voices(&facts, 30), expected, "{posts} {pages} {no_author}");
            assert_eq!(voices_head(&facts) == "Authors", expected == "30 authors");
        }
    }
}
