//! Edited and gone items, changed queries and silent sources on the page.

use maud::{Markup, html};

use super::super::facts::{EditFacts, TopicFacts};
use super::super::format::{self, at_least};
use super::lists::{Empty, by, item_link};
use super::print::{ITEMS, long, more, off_paper_class};
use crate::insight::Piece;

pub(super) fn section<'a>(topic: &'a TopicFacts, zone: &str, empty: &mut Empty<'a>) -> Markup {
    let Some(changes) = &topic.changes else { return html! {} };
    let (unjudged, cut) = changes.limits();
    if changes.edits.is_empty() {
        empty.note("Edited", changes.none_edited());
    }
    let gone = !changes.lost.is_empty() || !changes.gone_unjudged.is_empty();
    if !gone {
        empty.note("Gone", changes.none_gone());
    }
    html! {
        @if let Some(cut) = cut { p.note { (cut) } }
        @for query in &changes.queries { p.note { strong { "The query changed: " } (query) ". Figures before and after are for different queries." } }
        @if gone || !changes.edits.is_empty() { div.pair {
            @if !changes.edits.is_empty() {
                section {
                    h3 { "Edited" (more(changes.edits.len(), ITEMS)) }
                    p.meta { (at_least(changes.edited, changes.at_least)) " in all; the latest:" }
                    ol.items { @for (at, edit) in changes.edits.iter().enumerate() { li class=[off_paper_class(at, ITEMS)] {
                        span dir="auto" class=[long(characters(edit))] { @for piece in &edit.diff { @match piece {
                            Piece::Same(text) => { (text) " " },
                            Piece::Removed(text) => { del { (text) } " " },
                            Piece::Added(text) => { ins { (text) } " " },
                        } } }
                        @if let Some(note) = edit.reverted_note() { (item_link(&edit.item)) p.note { (note) } }
                        p.meta { (by(&edit.item)) " · seen " (format::date_time_short(edit.at, zone)) @if let Some(link) = &edit.item.link { " · " a href=(link) rel="noopener noreferrer nofollow" { "open" } } }
                    } } }
                }
            }
            @if gone { section {
                h3 { "Gone" (more(changes.lost.len(), ITEMS)) }
                @if let Some(unjudged) = &unjudged { p.meta { (unjudged) } }
                @if changes.lost.is_empty() { p.meta { (changes.none_gone()) } } @else {
                    p.meta { (at_least(changes.gone, changes.at_least || unjudged.is_some())) " in all; the latest:" }
                    ol.items { @for (at, gone) in changes.lost.iter().enumerate() { li class=[off_paper_class(at, ITEMS)] { (item_link(&gone.item)) p.meta { (by(&gone.item)) " · last seen " (format::date_time_short(gone.last_seen, zone)) } } } }
                }
            } }
        } }
    }
}

fn characters(edit: &EditFacts) -> usize {
    let of = |piece: &Piece| match piece {
        Piece::Same(text) | Piece::Removed(text) | Piece::Added(text) => text.chars().count() + 1,
    };
    edit.diff.iter().map(of).sum()
}
