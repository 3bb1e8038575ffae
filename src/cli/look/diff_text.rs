//! A diff as text in 80 columns without colour: span, counts, sources, then each list.

use crate::cli::terminal::output;
use crate::draw::format::{AUTHORS_UNKNOWN, count_noun};
use crate::filter::unjudged_note;
use crate::insight::{ChangeCounts, Changes, EditedItem, GoneItem, NewItem, Piece, Rising, SourceChanges};
use crate::model::{EMPTY_REPLY, ItemSummary, WindowFit, format_duration, whole_characters, whole_start};

/// Characters of unchanged text shown on either side of a change.
const CONTEXT: usize = 24;

pub(in crate::cli) fn render(topic: &str, changes: &Changes, width: usize) -> String {
    let width = width.max(40);
    let counts = &changes.counts;
    let cut = counts.cut || counts.searches_pruned;
    let mut text = String::new();
    for line in [format!("{topic} · {}", span(changes)), headline(counts)] {
        text.push_str(&wrap_indented(&line, "", width));
    }
    for line in notes(counts)
        .into_iter()
        .chain(changes.sources.iter().flat_map(|source| source_lines(source, cut, changes.more_runs)))
    {
        text.push_str(&wrap_indented(&output::escape_control(&line), "  ", width));
    }
    list(&mut text, "New", counts.new, &changes.new, |item| new(item, width));
    let outside = "First seen, but older than the window or dated in the future";
    list(&mut text, outside, counts.outside, &changes.outside, |item| new(item, width));
    list(&mut text, "Gone", counts.gone, &changes.gone, |item| gone_line(item, width));
    list(&mut text, "Edited", counts.edited, &changes.edited, |item| edited(item, width));
    list(&mut text, "Rising", counts.rising, &changes.rising, |item| rising(item, width));
    text
}

fn span(changes: &Changes) -> String {
    let least = if changes.more_runs { "≥" } else { "" };
    let runs = format!("{least}{}", count_noun(changes.runs as u64, "run"));
    match (&changes.since, &changes.until) {
        (_, None) => "no run since then".to_owned(),
        (None, Some(until)) => format!("{runs} up to {}, from the start", output::format_time(until.at)),
        (Some(since), Some(until)) => {
            format!("{runs} from {} to {}", output::format_time(since.at), output::format_time(until.at))
        }
    }
}

fn headline(counts: &ChangeCounts) -> String {
    let least = |n: usize, more: bool| if more { format!("≥{n}") } else { n.to_string() };
    let changed = |n: usize| least(n, counts.may_be_more_changed());
    let mut line = format!(
        "{} new · {} gone · {} edited · {} rising",
        least(counts.new, counts.may_be_more_new()),
        changed(counts.gone),
        changed(counts.edited),
        changed(counts.rising)
    );
    if counts.baseline > 0 {
        line.push_str(&format!(" · {} baseline", least(counts.baseline, counts.cut)));
    }
    let hidden = counts.filtered + counts.filtered_gone + counts.filtered_edited + counts.filtered_rising;
    if hidden > 0 {
        let more = counts.may_be_more_changed() || counts.filtered > 0 && counts.may_be_more_new();
        line.push_str(&format!(" · {} filtered", least(hidden, more)));
    }
    line
}

fn notes(counts: &ChangeCounts) -> Vec<String> {
    let mut notes = Vec::new();
    if counts.new > 0 {
        let authors = match counts.unknown.author {
            0 => count_noun(counts.new_authors as u64, "author"),
            n if n == counts.new => AUTHORS_UNKNOWN.to_owned(),
            n => format!("{}, {n} without a known author", count_noun(counts.new_authors as u64, "author")),
        };
        notes.push(format!("new: {}, {authors}", count_noun(counts.new_texts as u64, "different text")));
        if counts.unknown.engagement == counts.new {
            notes.push("new: reactions not given".into());
        }
    }
    if counts.undated > 0 {
        notes.push(format!(
            "{} without a date, counted at the first sighting",
            count_noun(counts.undated as u64, "new item")
        ));
    }
    if counts.outside > 0 {
        notes.push(format!("{} more first seen, but older than the window or dated in the future", counts.outside));
    }
    if counts.baseline > 0 {
        notes.push("baseline: the first answers to a query, of any age, stored but not counted as new".into());
    }
    if counts.filtered > 0 {
        notes.push(format!("{} first seen, but hidden by the topic's filter", counts.filtered));
    }
    notes.extend(unjudged_note(counts.unjudged as u64));
    if counts.full {
        notes.push("≥: a source returned its maximum".into());
    }
    if counts.failed {
        notes.push("≥: a source failed in the last run".into());
    }
    if counts.emptied {
        notes.push(format!("≥: in the last run there was {EMPTY_REPLY}"));
    }
    if counts.searches_pruned {
        notes.push("≥: searches were pruned, and may have returned their maximum".into());
    }
    notes.extend(counts.pruned_note().map(str::to_owned));
    if counts.cut {
        notes.push("the span is too long to read at once; only the latest part was read".into());
    }
    notes
}

fn source_lines(source: &SourceChanges, cut: bool, more_runs: bool) -> Vec<String> {
    let least = if source.saturated > 0 || cut { "≥" } else { "" };
    let searches = if more_runs { "≥" } else { "" };
    let mut line = format!(
        "{}: {least}{} new, {searches}{} of {searches}{} searches answered",
        source.source, source.new, source.answered, source.searches
    );
    if source.saturated > 0 {
        line.push_str(&format!(", {} at the maximum", source.saturated));
    }
    line.push_str(if source.gone_judged { "" } else { "; gone: not judged" });
    let mut lines = vec![line];
    for query in &source.queries {
        // Searches that failed are no baseline, also if no earlier one was answered.
        let baseline = query.first_answer.filter(|_| query.baseline);
        let (what, at) = match baseline {
            _ if query.changed => ("query changed", query.from),
            Some(answer) => ("query first answered", answer),
            None => continue,
        };
        let baseline = if baseline.is_some() { ", baseline" } else { "" };
        let at = output::format_time(at);
        lines.push(format!("{}: {what} at {at}{baseline}: {}", source.source, query.query));
    }
    lines
}

fn list<T>(text: &mut String, title: &str, count: usize, items: &[T], line: impl Fn(&T) -> String) {
    if items.is_empty() {
        return;
    }
    text.push_str(&format!("\n{title}\n"));
    for item in items {
        text.push_str(&line(item));
    }
    if count > items.len() {
        text.push_str(&format!("  … and {} more: --limit N, or --json\n", count - items.len()));
    }
}

/// Author and text on one line.
fn item_line(item: &ItemSummary, width: usize) -> String {
    let author = item.author.as_ref().map_or_else(String::new, |a| format!("@{}: ", output::truncate(a, 24)));
    let words = item.title.as_deref().or(item.text.as_deref()).unwrap_or("(no text)");
    output::truncate(&format!("{author}{words}"), width.saturating_sub(2))
}

/// The address line below an item, never cut, so that it can be opened.
fn address(item: &ItemSummary) -> String {
    format!("    {}\n", item.url.as_deref().map_or_else(|| output::escape_control(&item.key), output::escape_control))
}

fn new(item: &NewItem, width: usize) -> String {
    let sources: Vec<&str> = item.sources.iter().map(crate::model::Source::as_str).collect();
    let when = match (item.fit, item.item.published_at) {
        (WindowFit::Undated, _) | (_, None) => format!("first seen {}, undated", output::format_time(item.first_seen)),
        (_, Some(at)) => output::format_time(at),
    };
    let details = wrap_indented(&format!("{when} · {}", sources.join("+")), "    ", width);
    format!("  {}\n{details}{}", item_line(&item.item, width), address(&item.item))
}

fn gone_line(item: &GoneItem, width: usize) -> String {
    let (seen, missed) = (output::format_time(item.last_seen), output::format_time(item.missed));
    let details = wrap_indented(&format!("{}: last seen {seen}, missed {missed}", item.source), "    ", width);
    format!("  {}\n{details}{}", item_line(&item.item, width), address(&item.item))
}

fn edited(item: &EditedItem, width: usize) -> String {
    let mut text = format!("  {}\n", item_line(&item.item, width));
    for (what, pieces) in [("title", &item.title), ("text", &item.text)] {
        if let Some(pieces) = pieces {
            for line in wrap(&format!("{what}: {}", format_word_diff(pieces, width.saturating_mul(4))), width - 4) {
                text.push_str(&format!("    {line}\n"));
            }
        }
    }
    if item.title.is_none() && item.text.is_none() {
        text.push_str("    the words are again those before the first edit\n");
    }
    let times = if item.edits > 1 { format!("{} edits, the last ", item.edits) } else { String::new() };
    text.push_str(&format!("    {times}seen {}\n{}", output::format_time(item.at), address(&item.item)));
    text
}

/// Formats changes as `[-old-]{+new+}` with the words around them.
fn format_word_diff(pieces: &[Piece], most: usize) -> String {
    let mut text = String::new();
    for (place, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Same(same) => {
                text.push_str(&clip_context(&output::escape_keep_blanks(same), place == 0, place + 1 == pieces.len()));
            }
            Piece::Removed(old) => text.push_str(&format!("[-{}-]", output::escape_keep_blanks(old))),
            Piece::Added(new) => text.push_str(&format!("{{+{}+}}", output::escape_keep_blanks(new))),
        }
    }
    let text = text.trim().to_owned();
    if text.chars().count() > most {
        return format!("{}…", whole_start(&text, most, |_| 1));
    }
    text
}

/// Wraps a text and indents every line.
fn wrap_indented(text: &str, indent: &str, width: usize) -> String {
    let lines = wrap(text, width.saturating_sub(indent.len()));
    lines.into_iter().map(|line| format!("{indent}{line}\n")).collect()
}

/// Breaks a text into lines of at most `width` columns, at blanks where possible.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split(' ') {
        let mut rest: Vec<&str> = whole_characters(word).collect();
        if used > 0 && used + 1 + output::display_width(word) > width {
            lines.push(String::new());
            used = 0;
        }
        loop {
            let gap = usize::from(used > 0);
            let mut room = width.saturating_sub(used + gap);
            let fits = |whole: &&&str| {
                let width = output::display_width(whole);
                let fits = width <= room;
                room = room.saturating_sub(width);
                fits
            };
            // Take at least one character, or the loop never ends.
            let many = rest.iter().take_while(fits).count().max(usize::from(used == 0)).min(rest.len());
            let part: String = rest.drain(..many).collect();
            if let Some(line) = lines.last_mut() {
                line.push_str(if gap > 0 { " " } else { "" });
                line.push_str(&part);
            }
            used += gap + output::display_width(&part);
            if rest.is_empty() {
                break;
            }
            lines.push(String::new());
            used = 0;
        }
    }
    lines
}

/// Cuts unchanged text to the characters next to a change.
fn clip_context(text: &str, first: bool, last: bool) -> String {
    let chars: Vec<&str> = whole_characters(text).collect();
    let end = |from: usize| chars.iter().skip(from).copied().collect::<String>();
    let begin = |to: usize| chars.iter().take(to).copied().collect::<String>();
    match (first, last) {
        (true, true) => text.to_owned(),
        (true, false) if chars.len() > CONTEXT + 1 => format!("…{}", end(chars.len() - CONTEXT)),
        (false, true) if chars.len() > CONTEXT + 1 => format!("{}…", begin(CONTEXT)),
        (false, false) if chars.len() > 2 * CONTEXT + 1 => {
            format!("{}…{}", begin(CONTEXT), end(chars.len() - CONTEXT))
        }
        _ => text.to_owned(),
    }
}

fn rising(item: &Rising, width: usize) -> String {
    let length = format_duration(item.until.since(item.from));
    let details = format!("+{} reactions in {length} ({} before), {:.1} per hour", item.gain, item.had, item.per_hour);
    format!("  {}\n{}{}", item_line(&item.item, width), wrap_indented(&details, "    ", width), address(&item.item))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::insight::word_diff;
    use crate::model::Source;

    #[test]
    fn a_changed_word_is_shown_with_its_context() {
        let far = "far away ".repeat(20);
        for (before, after, expected) in [
            ("a b c", "a x c", "a [-b-]{+x+} c"),
            (&*format!("{far}is old"), &*format!("{far}is new"), "…ay far away far away is [-old-]{+new+}"),
            ("old\u{1b}[2J", "new\u{1b}[2J", "[-old-]{+new+}\\u{1b}[2J"),
        ] {
            assert_eq!(format_word_diff(&word_diff(before, after), 200), expected);
        }
        assert_eq!(format_word_diff(&word_diff("", &"x".repeat(900)), 20).chars().count(), 21, "cut");
    }

    #[test]
    fn counts_of_a_cut_diff_are_lower_bounds() {
        let counts = ChangeCounts { edited: 3, ..ChangeCounts::default() };
        assert_eq!(headline(&counts), "0 new · 0 gone · 3 edited · 0 rising");
        assert_eq!(headline(&ChangeCounts { cut: true, ..counts }), "≥0 new · ≥0 gone · ≥3 edited · ≥0 rising");
        let hidden = ChangeCounts { cut: true, baseline: 2, filtered: 1, ..counts };
        assert!(headline(&hidden).ends_with(" · ≥2 baseline · ≥1 filtered"), "{}", headline(&hidden));
        let source = SourceChanges {
            source: Source::Web,
            searches: 2,
            answered: 2,
            saturated: 0,
            new: 4,
            gone: 0,
            gone_judged: true,
            judgeable: true,
            queries: Vec::new(),
        };
        for (cut, more_runs, line) in [
            (false, false, "web: 4 new, 2 of 2 searches answered"),
            (false, true, "web: 4 new, ≥2 of ≥2 searches answered"),
            (true, true, "web: ≥4 new, ≥2 of ≥2 searches answered"),
        ] {
            assert_eq!(source_lines(&source, cut, more_runs), [line]);
        }
    }

    #[test]
    fn lines_fit_the_terminal_and_lose_no_character() {
        let long = format!("some words {} and 漢字 {}", "x".repeat(95), "more words ".repeat(20));
        let lines = wrap(long.trim(), 36);
        assert!(lines.iter().all(|line| output::display_width(line) <= 36 && !line.is_empty()), "{lines:#?}");
        let wide = "漢字かな交じり文".repeat(20);
        let lines = wrap(&format!("a {wide}"), 37);
        assert!(lines.iter().all(|line| output::display_width(line) <= 37 && !line.is_empty()), "{lines:#?}");
        assert_eq!(lines.concat().replace(' ', ""), format!("a{wide}"));
        assert!(output::display_width(&output::truncate(&wide, 37)) <= 37);
        let lines = wrap(long.trim(), 36);
        let bare = |text: &str| text.replace(' ', "");
        assert_eq!(bare(&lines.concat()), bare(&long));
    }
}
