//! How much room a text takes on paper: widths in quarters of a small letter, heights in tenths of a line. The numbers
//! are for a wide font; most others need less.

use super::super::facts::{AnswerFacts, EditFacts, Shown};
use super::super::format;
use crate::insight::Piece;

/// The width of a line in a column, in a narrow cell of a table, and across the page.
pub(super) const COLUMN: usize = 196;
pub(super) const CELL: usize = 70;
pub(super) const ACROSS: usize = 430;
/// The maximum width of the printed part of an answer: about eight lines.
const ANSWER: usize = 3_600;
/// The maximum number of printed lines of a text in a list. The style sheet has the same number.
const TEXT_LINES: usize = 3;

/// Returns the width of a text in quarters of a small letter.
pub(super) fn width(text: &str) -> usize {
    let of = |letter: char| match letter {
        ' ' | 'a'..='z' => 4,
        // Capitals, numbers, and the letters of most alphabets.
        letter if letter < '\u{1100}' => 5,
        _ => 7,
    };
    text.chars().map(of).sum()
}

pub(super) fn lines(width: usize, room: usize) -> usize {
    width.div_ceil(room).max(1)
}

/// Returns the height of an entry: its text, and about this many letters below or behind it.
pub(super) fn entry(text: usize, about: usize) -> usize {
    let (about, most) = (4 * about, TEXT_LINES * COLUMN);
    let lines = if text > most { TEXT_LINES + lines(about, COLUMN) } else { lines(text + about, COLUMN) };
    1 + 10 * lines
}

pub(super) fn item(item: &Shown, about: usize) -> usize {
    entry(width(&item.words), about)
}

pub(super) fn edit_width(edit: &EditFacts) -> usize {
    let of = |piece: &Piece| match piece {
        Piece::Same(text) | Piece::Removed(text) | Piece::Added(text) => 4 + width(text),
    };
    edit.diff.iter().map(of).sum()
}

pub(super) fn answer_height(answer: &AnswerFacts) -> usize {
    let parts = answer_parts(answer);
    let (printed, _) = printed_parts(&parts);
    50 + parts.iter().take(printed).map(|part| 22 * lines(width(part).min(ANSWER), ACROSS)).sum::<usize>()
}

/// Returns the lines of an answer that have any text.
pub(super) fn answer_parts(answer: &AnswerFacts) -> Vec<String> {
    answer.text.lines().map(|part| format::line(part, 2_000)).filter(|part| !part.is_empty()).collect()
}

/// Returns how many of these lines are printed, and whether anything of the answer is not.
pub(super) fn printed_parts(parts: &[String]) -> (usize, bool) {
    let mut sum = 0;
    let fit = parts.iter().take_while(|part| {
        sum += width(part);
        sum <= ANSWER
    });
    let fit = fit.count();
    // The style sheet cuts a first line that is too long.
    (fit.max(1), fit < parts.len())
}

/// Returns the class of a text that is cut on paper.
pub(super) fn long(text: &str) -> Option<&'static str> {
    (width(text) > TEXT_LINES * COLUMN).then_some("long")
}

pub(super) fn long_edit(edit: &EditFacts) -> Option<&'static str> {
    (edit_width(edit) > TEXT_LINES * COLUMN).then_some("long")
}
