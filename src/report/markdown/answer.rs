//! The answer of a report in Markdown, and what it cites.

use super::escape::{code, escape};
use super::parts::{linked, listed};
use crate::normalise::safe_link;
use crate::report::answer::MOST_TEXT;
use crate::report::answer_text::{Piece, parse_line};
use crate::report::facts::AnswerFacts;
use crate::report::format::{self, count_noun, number};

/// Returns the text as a quotation, and when it was asked.
pub(in crate::report) fn summary(topic: &str, answer: &AnswerFacts, zone: &str) -> String {
    let mut text = String::new();
    for line in answer.text.lines().map(|line| format::line(line, MOST_TEXT)).filter(|line| !line.is_empty()) {
        let format_piece = |piece| match piece {
            Piece::Words(words) => escape(&words),
            Piece::Link(label, address) => linked(label, safe_link(address).as_deref()),
        };
        text.push_str(&format!("> {}\n>\n", parse_line(&line).into_iter().map(format_piece).collect::<String>()));
    }
    text.push_str(&format!(
        "> Asked {}. {} checked, {} not found.\n\n",
        format::date_time(answer.asked_at, zone),
        count_noun(answer.cited.citations.len() as u64, "citation"),
        number(answer.cited.missing()),
    ));
    for note in answer.text_notes(topic).into_iter().chain(answer.unchecked_note()) {
        text.push_str(&format!("\n{note}\n"));
    }
    text.push('\n');
    text
}

/// Returns the citations of the answer.
pub(in crate::report) fn citations(answer: &AnswerFacts) -> String {
    let (all, left) = answer.cited.listed();
    let lines = all.iter().map(|citation| {
        let mark = if citation.key.is_some() { "stored" } else { "**not found**" };
        match safe_link(&citation.cited) {
            Some(link) => format!("{mark}: {}", linked(&citation.cited, Some(&link))),
            None => format!("{mark}: {}", code(&format::line(&citation.cited, 300))),
        }
    });
    let more = (left > 0).then(|| format!("{} not shown", count_noun(left, "more citation")));
    listed("What the answer cites", lines.chain(more))
}
