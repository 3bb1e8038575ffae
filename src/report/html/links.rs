//! Shared by the page and the sections of topics: links to sections, titles, and changes in words.

use maud::{Markup, html};

use super::super::document::Report;
use super::super::facts::TopicFacts;
use super::super::{format, highlights};
use crate::model::whole_characters;
use crate::report::coverage::caveats;

/// A word with more letters than this may be broken.
const UNBROKEN: usize = 24;

/// Returns a title in which long words may be broken, so that they do not push the other columns of a table off the
/// screen or the paper.
fn breakable(title: &str) -> Markup {
    let (mut parts, mut letters) = (vec![String::new()], 0);
    for letter in whole_characters(title) {
        letters = if letter == " " { 0 } else { letters + 1 };
        if letters > UNBROKEN {
            parts.push(String::new());
            letters = 1;
        }
        if let Some(last) = parts.last_mut() {
            last.push_str(letter);
        }
    }
    html! { @for (at, part) in parts.iter().enumerate() { @if at > 0 { wbr; } (part) } }
}

/// Returns a topic's title as a link to a part of its section. It has its own text direction: a title from right to
/// left does not move the numbers after it.
pub(super) fn title_link(topic: &str, section: &str, title: &str) -> Markup {
    html! { bdi { a href=(anchor(topic, section)) { (breakable(title)) } } }
}

/// Returns the link to a topic's section.
pub(super) fn anchor(topic: &str, section: &str) -> String {
    format!("#{}", format::id(topic, section))
}

/// Returns the label of a part of a topic's section. It includes the topic's title, since all topics have the same
/// parts.
pub(super) fn part_label(topic: &str, part: &str) -> String {
    format!("{} {}", format::id(topic, "title"), format::id(topic, part))
}

/// Returns the change in words, never as colour alone.
pub(super) fn change(report: &Report, topic: &TopicFacts) -> Markup {
    html! {
        @if topic.began.is_none() { @if topic.tried { "no run returned results" } @else { "not run yet" } }
        @else if topic.unanswered { "no run had returned results" }
        @else if topic.unwatched { "not watched yet" }
        @else if topic.first_day { "baseline" }
        @else if let Some(factor) = highlights::change(topic, report.is_over()) {
            @let more = topic.may_be_more();
            @if factor >= 1.0 { strong.up { "▲ " (highlights::rise(factor, more)) "×" } } @else { strong.down { "▼ " (highlights::fall(factor, more)) } }
        }
        @else { (caveats::relation_to_usual(report, topic)) }
    }
}
