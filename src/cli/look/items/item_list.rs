//! Items as a table on a terminal, for the verbs that list them.

use crate::cli::look::no_match::empty_list;
use crate::cli::terminal::output;
use crate::model::WindowFit;
use crate::store::ItemRow;

/// Formats one line per item; the text takes the rest of the width.
pub(in crate::cli) fn render(items: &[(ItemRow, WindowFit)], width: usize) -> String {
    let author = |i: &ItemRow| i.author.as_ref().map_or_else(String::new, |a| format!("@{}", output::truncate(a, 20)));
    let authors: Vec<String> = items.iter().map(|(item, _)| author(item)).collect();
    let topics = output::longest(items.iter().map(|(i, _)| i.topic.as_str()).chain(["topic"]));
    let taken = topics + 2 + 20 + 2 + output::longest(authors.iter().map(String::as_str).chain(["author"])) + 2;
    let words = width.saturating_sub(taken).max(20);
    let rows = items
        .iter()
        .zip(authors)
        .map(|((i, fit), author)| {
            let content = i.title.as_deref().or(i.text.as_deref()).unwrap_or("(no text)");
            let mark = match fit {
                WindowFit::In => "",
                WindowFit::Outside if i.published_at > Some(i.first_seen) => "(future date) ",
                WindowFit::Outside => "(older) ",
                WindowFit::Undated => "(undated) ",
            };
            vec![
                i.topic.clone(),
                output::format_time(i.first_seen),
                author,
                output::truncate(&format!("{mark}{content}"), words),
            ]
        })
        .collect();
    output::table(&["topic", "first seen", "author", "title or text"], rows, &[])
}

/// The line under the head of a list of items that is empty. `left_out` is how many a filter or a time left out.
/// `in_use` has the other filters: the option of each, and whether it was given.
pub(in crate::cli) fn empty_note(shown: usize, left_out: u64, in_use: &[(&str, bool)]) -> String {
    match (shown, left_out) {
        (0, 0) => empty_list("no items", in_use),
        (0, _) => "nothing shown\n".to_owned(),
        _ => String::new(),
    }
}
