//! The last answer of a topic on the page, with the state of its citations.

use maud::{Markup, html};

use super::super::answer::MOST_TEXT;
use super::super::answer_text::{Piece, parse_line};
use super::super::facts::{AnswerFacts, TopicFacts};
use super::super::format::{self, count_noun, number};
use super::{links, print};
use crate::normalise::safe_link;

/// Returns the last answer, with the state of its citations.
pub(super) fn answer(topic: &TopicFacts, answer: &AnswerFacts, zone: &str) -> Markup {
    let lines = answer.text.lines().map(|line| format::line(line, MOST_TEXT)).filter(|line| !line.is_empty());
    let lines: Vec<String> = lines.collect();
    let (printed, cut) = print::printed_lines(&lines);
    let missing = answer.cited.missing();
    let (listed, left) = answer.cited.listed();
    html! {
        section.answer aria-labelledby=(links::part_label(&topic.id, "answer")) {
            h3 id=(format::id(&topic.id, "answer")) { "The answer" }
            @for (place, line) in lines.iter().enumerate() { p class=[print::off_paper_class(place, printed)] { (answer_section(answer, line)) } }
            @if cut { p.meta.paper-only { "More of the answer is on the HTML page." } }
            @for note in answer.text_notes(&topic.id) { p.note { (note) } }
            p.meta {
                "Asked " (format::date_time(answer.asked_at, zone))
                @if let Some(model) = &answer.model { ", model " (format::line(model, 60)) }
                ". "
                @if answer.cited.citations.is_empty() { "No citation was checked." } @else {
                    (count_noun(answer.cited.citations.len() as u64, "citation")) " checked against what is stored"
                    @if missing > 0 { ": " strong.bad { (number(missing)) " not found" } "." } @else { ": all found." }
                }
            }
            @if let Some(unlooked) = answer.unchecked_note() { p.note { (unlooked) } }
            @if !answer.cited.citations.is_empty() {
                details.page-only { summary { "Citations" } ul.cited { @for citation in listed { li {
                    @if citation.key.is_some() { span.good { "✓ stored" } } @else { strong.bad { "✗ not found" } } " "
                    @match safe_link(&citation.cited) {
                        Some(link) => a href=(link) rel="noopener noreferrer nofollow" { (format::line(&citation.cited, 200)) },
                        None => code { (format::line(&citation.cited, 200)) },
                    }
                    @if !citation.in_text { " (not in the text)" }
                } } @if left > 0 { li { (count_noun(left, "more citation")) " not shown" } } } }
            }
        }
    }
}

/// Returns a line of the answer. Safe addresses become links, and those that were looked up and not found are marked.
fn answer_section(answer: &AnswerFacts, line: &str) -> Markup {
    let (bullet, line) =
        line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")).map_or(("", line), |line| ("• ", line));
    html! {
        (bullet)
        @for piece in parse_line(line) { @match piece {
            Piece::Words(words) => (words),
            Piece::Link(label, address) => {
                @let label = if label == address { label.to_owned() } else { format!("[{label}]") };
                @match safe_link(address) { Some(link) => a href=(link) rel="noopener noreferrer nofollow" { (label) }, None => (label) }
                @if answer.cited.is_missing(address, line) { " " strong.bad { "✗ not found" } }
            }
        } }
    }
}
