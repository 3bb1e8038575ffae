//! What the page as a whole and a topic's section share: where a section is, and a change in words.

use maud::{Markup, html};

use super::super::document::Report;
use super::super::facts::TopicFacts;
use super::super::{caveats, format, highlights};

/// The link to a topic's section.
pub(super) fn anchor(topic: &str, section: &str) -> String {
    format!("#{}", format::id(topic, section))
}

/// What a part of a topic's section is called: by the topic's title and its own, as other topics have the same parts.
pub(super) fn named(topic: &str, part: &str) -> String {
    format!("{} {}", format::id(topic, "title"), format::id(topic, part))
}

/// The change in words; never colour alone.
pub(super) fn change(report: &Report, topic: &TopicFacts) -> Markup {
    html! {
        @if topic.began.is_none() { @if topic.tried { "no run brought anything" } @else { "not run yet" } }
        @else if topic.unanswered { "no run had brought anything" }
        @else if topic.unwatched { "not watched yet" }
        @else if topic.first_day { "baseline" }
        @else if let Some(factor) = highlights::change(topic, report.over()) {
            @if factor >= 1.0 { strong.up { "▲ " (format!("{factor:.1}×")) } } @else { strong.down { "▼ " (format::percent(1.0 - factor)) " below" } }
        }
        @else { (caveats::standing(report, topic)) }
    }
}
