//! The section of a topic's page about terms: words that its texts of the last day use more often than before, and the
//! themes.

use maud::{Markup, html};

use super::counted_items;
use crate::compare::{StandOutRows, TermSample, TermsOptions, terms_between};
use crate::draw::format::{self, number};
use crate::insight::daily::Share;
use crate::model::{Span, Time, TopicCard};
use crate::web::access::visitor::Visitor;
use crate::web::layout::moment;
use crate::web::pages::items::item_view::{item_page, summary_line};
use crate::web::problem::Problem;
use crate::web::site::Site;

/// Compares the last 24 hours with the days before, as counted in the background.
pub(in crate::web::pages) async fn section(
    site: &Site,
    card: &TopicCard,
    visitor: &Visitor,
) -> Result<Markup, Problem> {
    let Some(topic) = &card.definition else { return Ok(html! {}) };
    let now = site.now();
    let span = Span { from: Time(now.0 - counted_items::DAY), until: now };
    let terms =
        terms_between(&site.store, topic, span, TermsOptions { trusting: true, alone: !visitor.sees_all() }).await?;
    let share = |share: &Option<Share>| share.as_ref().map_or("–".to_owned(), format::share);
    Ok(html! { section aria-labelledby="terms" {
        h2 #terms { "Terms that are news" }
        @if let Some(none) = terms.none_words() {
            p.meta { (none) }
            @if let Some(rows) = &terms.stand_out {
                h3 { (StandOutRows::TITLE) }
                div.wide role="region" tabindex="0" aria-label=(StandOutRows::TITLE) { table.cards.terms {
                    caption { "The last 24 hours. " (rows.words()) }
                    thead { tr { th scope="col" { "Term" } th.n scope="col" { "Items" } th.n scope="col" { "Authors" } th.n scope="col" { "Texts" } th.n scope="col" { "Negative" } th scope="col" { "For example" } } }
                    tbody { @for term in &rows.terms { tr {
                        th scope="row" { bdi { (format::line(&term.term, 80)) } }
                        td.n data-label="Items" { a href=(counted_items::of_term(&card.topic, &term.term, now)) { (number(term.items)) } } td.n data-label="Authors" { (number(term.authors)) } td.n data-label="Texts" { (number(term.texts)) } td.n data-label="Negative" { (share(&term.negative)) }
                        td data-label="For example" { (example(&term.example)) }
                    } } }
                } }
            }
        } @else {
            div.wide role="region" tabindex="0" aria-label="Table of terms" { table.cards.terms {
                caption { "The last 24 hours, against the " (number(terms.before_days)) " days before; copies and one author's texts of a day count once." @if let Some(sample) = terms.sample_words() { " " (sample) } @if terms.more > 0 { " " @if terms.more_is_least() { "≥\u{a0}" } (format::count_noun(terms.more, "term")) " more." } }
                thead { tr { th scope="col" { "Term" } th.n scope="col" { "Items" } th.n scope="col" { "Authors" } th.n scope="col" { "Texts" } th.n scope="col" { "Expected" } th.n scope="col" { "z" } th.n scope="col" { "Negative" } th scope="col" { "For example" } } }
                tbody { @for term in &terms.terms { tr {
                    th scope="row" { bdi { (format::line(&term.term, 80)) } }
                    td.n data-label="Items" { a href=(counted_items::of_term(&card.topic, &term.term, now)) { (number(term.items)) } } td.n data-label="Authors" { (number(term.authors)) } td.n data-label="Texts" { (number(term.texts)) } td.n data-label="Expected" { (format!("{:.1}", term.expected)) span.sub { (number(term.texts_before)) " before" } } td.n data-label="z" { (format!("{:.1}", term.z)) } td.n data-label="Negative" { (share(&term.negative)) }
                    td data-label="For example" { (example(&term.example)) }
                } } }
            } }
            @if !terms.themes.is_empty() { div.wide role="region" tabindex="0" aria-label="Themes" { table.cards.terms {
                caption { "Themes: items that share such terms." @if terms.more_themes > 0 { " " (format::count_noun(terms.more_themes, "theme")) " more, with " (format::count_noun(terms.more_items, "item")) "." } @if terms.other_items > 0 { " " (format::count_noun(terms.other_items, "item")) " of no theme." } }
                thead { tr { th scope="col" { "Theme" } th.n scope="col" { "Items" } th.n scope="col" { "Unique" } th.n scope="col" { "Authors" } th.n scope="col" { "Day before" } th.n scope="col" { "Negative" } th scope="col" { "First" } th scope="col" { "For example" } } }
                tbody { @for theme in &terms.themes { tr {
                    th scope="row" { bdi { (format::line(&theme.name, 120)) } }
                    td.n data-label="Items" { a href=(counted_items::of_theme(&card.topic, &theme.name, now)) { (number(theme.items)) } } td.n data-label="Unique" { (number(theme.unique)) } td.n data-label="Authors" { (number(theme.authors)) }
                    td.n data-label="Day before" { (theme.items_before.map_or("–".to_owned(), number)) } td.n data-label="Negative" { (share(&theme.negative)) }
                    td data-label="First" { (moment(theme.first_at, card.timezone())) @if let Some(author) = &theme.first_by { " by " bdi { "@" (format::line(author, 60)) } } }
                    td data-label="For example" { @for sample in [&theme.post, &theme.page].into_iter().flatten() { p { (example(sample)) } } }
                } } }
            } } }
        }
    } })
}

fn example(sample: &TermSample) -> Markup {
    html! { a dir="auto" href=(item_page(&sample.key)) { (summary_line(sample.words.as_deref(), None, 120)) } }
}
