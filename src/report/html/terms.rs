//! Terms that are news, and themes, on the page.

use maud::{Markup, html};

use super::super::document::Report;
use super::super::facts::TopicFacts;
use super::super::format::{self, number};
use super::super::terms::{expected, growth, more_words, rest_words, to_excerpt, voices_head};
use super::links;
use super::lists::{Empty, by, item_link};
use super::print::{TERMS, THEMES, more, off_paper_class};
use crate::compare::StandOutRows;

pub(super) fn section<'a>(
    report: &Report,
    topic: &'a TopicFacts,
    why: &'a Option<String>,
    empty: &mut Empty<'a>,
) -> Markup {
    let terms = &topic.terms;
    if terms.terms.is_empty() {
        empty.note("Terms that are news", why.as_deref().unwrap_or("None."));
        return html! { @if let Some(rows) = &terms.stand_out { (standing_out(topic, rows)) } };
    }
    let share = |share: &Option<crate::insight::daily::Share>| share.as_ref().map_or("–".to_owned(), format::share);
    let (caption, themes) = (format::id(&topic.id, "terms-caption"), format::id(&topic.id, "themes-caption"));
    html! {
        section.terms aria-labelledby=(links::part_label(&topic.id, "terms")) {
            h3 id=(format::id(&topic.id, "terms")) { "Terms that are news" (more(terms.terms.len(), TERMS)) }
            div.wide role="region" tabindex="0" aria-labelledby=(links::part_label(&topic.id, "terms-caption")) { table.cards {
                caption id=(caption) {
                    "More frequent than expected from the previous " (number(terms.before_days)) " days. Copies, and texts by one author on one day, count once. "
                    @if let Some(sample) = terms.sample_words() { (sample) " " } @if let Some(more) = more_words(terms) { (more) }
                }
                thead { tr { th scope="col" { "Term" } th.n scope="col" { "Items" } th.n scope="col" { (voices_head(topic)) } th.n scope="col" { "Texts" } th.n scope="col" { "Expected" } th.n scope="col" { "z" } th.n scope="col" { "Negative" } th scope="col" { "For example" } } }
                tbody { @for (at, term) in terms.terms.iter().enumerate() { tr class=[off_paper_class(at, TERMS)] {
                    th scope="row" { bdi { (format::line(&term.term, 80)) } }
                    td.n data-label="Items" { (number(term.items)) }
                    td.n data-label=(voices_head(topic)) { (number(term.authors)) }
                    td.n data-label="Texts" { (number(term.texts)) }
                    td.n data-label="Expected" { (expected(term.expected)) " " span.meta { "(" (number(term.texts_before)) " before)" } }
                    td.n data-label="z" { (format!("{:.1}", term.z)) }
                    td.n data-label="Negative" { (share(&term.negative)) }
                    td data-label="For example" { (item_link(&to_excerpt(&term.example))) }
                } } }
            } }
            @if !terms.themes.is_empty() {
                h3 { "Themes" (more(terms.themes.len(), THEMES)) }
                div.wide role="region" tabindex="0" aria-labelledby=(links::part_label(&topic.id, "themes-caption")) { table.cards.themes {
                    caption id=(themes) { "Items that share such terms. " @if let Some(rest) = rest_words(terms) { (rest) } }
                    thead { tr { th scope="col" { "Theme" } th.n scope="col" { "Items" } th.n scope="col" { "Unique" } th.n scope="col" { (voices_head(topic)) } th scope="col" { "Period before" } th.n scope="col" { "Negative" } th scope="col" { "First in the period" } th scope="col" { "For example" } } }
                    tbody { @for (at, theme) in terms.themes.iter().enumerate() { tr class=[off_paper_class(at, THEMES)] {
                        th scope="row" { bdi { (format::line(&theme.name, 120)) } }
                        td.n data-label="Items" { (number(theme.items)) }
                        td.n data-label="Unique" { (number(theme.unique)) }
                        td.n data-label=(voices_head(topic)) { (number(theme.authors)) }
                        td data-label="Period before" { (growth(theme)) }
                        td.n data-label="Negative" { (share(&theme.negative)) }
                        td data-label="First in the period" { (report.format_date(theme.first_at)) @if let Some(author) = &theme.first_by { " by " bdi { "@" (format::line(author, 60)) } } }
                        td data-label="For example" { @for sample in [&theme.post, &theme.page].into_iter().flatten() { p { (item_link(&to_excerpt(sample))) " " span.meta { (by(&to_excerpt(sample))) } } } }
                    } } }
                } }
            }
        }
    }
}

/// The terms that stand out, where none is news.
fn standing_out(topic: &TopicFacts, rows: &StandOutRows) -> Markup {
    let share = |share: &Option<crate::insight::daily::Share>| share.as_ref().map_or("–".to_owned(), format::share);
    let caption = format::id(&topic.id, "terms-caption");
    html! {
        section.terms aria-labelledby=(links::part_label(&topic.id, "terms")) {
            h3 id=(format::id(&topic.id, "terms")) { (StandOutRows::TITLE) (more(rows.terms.len(), TERMS)) }
            div.wide role="region" tabindex="0" aria-labelledby=(links::part_label(&topic.id, "terms-caption")) { table.cards {
                caption id=(caption) { (rows.words()) }
                thead { tr { th scope="col" { "Term" } th.n scope="col" { "Items" } th.n scope="col" { (voices_head(topic)) } th.n scope="col" { "Texts" } th.n scope="col" { "Negative" } th scope="col" { "For example" } } }
                tbody { @for (at, term) in rows.terms.iter().enumerate() { tr class=[off_paper_class(at, TERMS)] {
                    th scope="row" { bdi { (format::line(&term.term, 80)) } }
                    td.n data-label="Items" { (number(term.items)) }
                    td.n data-label=(voices_head(topic)) { (number(term.authors)) }
                    td.n data-label="Texts" { (number(term.texts)) }
                    td.n data-label="Negative" { (share(&term.negative)) }
                    td data-label="For example" { (item_link(&to_excerpt(&term.example))) }
                } } }
            } }
        }
    }
}
