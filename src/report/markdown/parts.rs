//! Parts of a report in Markdown that are used in several places: lists, items, links and differences.

use super::escape::{escape, label};
use crate::model::ReportWindow;
use crate::report::comparison::calendar_words::Row;
use crate::report::comparison::measures::FoundBy;
use crate::report::document::Report;
use crate::report::facts::{ItemExcerpt, TopicFacts};
use crate::report::format::{self, number};

pub(in crate::report) fn listed(title: &str, lines: impl Iterator<Item = String>) -> String {
    let lines: String = lines.map(|line| format!("- {line}\n")).collect();
    if lines.is_empty() { String::new() } else { format!("### {title}\n\n{lines}\n") }
}

/// Formats an edit: removed text is struck through, added text is bold.
pub(in crate::report) fn diff(pieces: &[crate::insight::Piece]) -> String {
    use crate::insight::Piece;
    let parts = pieces.iter().filter_map(|piece| {
        let (mark, words) = match piece {
            Piece::Same(words) => ("", words),
            Piece::Removed(words) => ("~~", words),
            Piece::Added(words) => ("**", words),
        };
        let words = escape(&format::line(words, 200));
        (!words.is_empty()).then(|| format!("{mark}{words}{mark}"))
    });
    parts.collect::<Vec<_>>().join(" ")
}

pub(in crate::report) fn item(item: &ItemExcerpt) -> String {
    let words = if item.words.is_empty() { "(no text)" } else { &item.words };
    let by = item.author.as_ref().map_or_else(String::new, |author| format!("{}: ", escape(&format!("@{author}"))));
    format!("{by}{}", linked(words, item.link.as_deref()))
}

/// Formats a text as a link if its address may be one. The URL parser encodes what would end the address early, except
/// for the brackets.
pub(in crate::report) fn linked(words: &str, link: Option<&str>) -> String {
    let text = format::line(words, 300);
    let address = |link: &str| link.replace('<', "%3C").replace('>', "%3E");
    link.map_or_else(|| escape(&text), |link| format!("[{}](<{}>)", label(&text), address(link)))
}

/// Returns which source found what.
pub(in crate::report) fn found_by(found: &FoundBy) -> String {
    let Some(sentence) = found.sentence() else { return String::new() };
    let mut text = "### Found by\n\n| source | items | unique | only this source |\n|---|---:|---:|---:|\n".to_owned();
    for one in &found.sources {
        text.push_str(&format!("| {} | {} |\n", one.source, found.cells(one).join(" | ")));
    }
    text.push_str(&format!("\n{sentence}\n\n"));
    text
}

/// Returns a topic's figures next to those of the week or month before, or why they are not compared.
pub(in crate::report) fn before(topic: &TopicFacts) -> String {
    let Some(calendar) = &topic.calendar else { return String::new() };
    let mut text = calendar.not_compared_note().map_or_else(String::new, |why| format!("{why}\n\n"));
    let rows = calendar.rows(topic);
    if !rows.is_empty() {
        text.push_str(&format!(
            "| figure | {} | {} | change |\n|---|---:|---:|---:|\n",
            calendar.name, calendar.before.name
        ));
        for Row { figure, now, before, change } in rows {
            text.push_str(&format!("| {} | {now} | {before} | {change} |\n", figure.to_lowercase()));
        }
        text.push('\n');
    }
    text
}

/// Returns the shares of voice for each day of a week, or each week of a month.
pub(in crate::report) fn voice_parts(report: &Report) -> String {
    if report.voice_parts.is_empty() {
        return String::new();
    }
    let what = if report.window == ReportWindow::Week { "day" } else { "week" };
    let titles: String = report.voice.iter().map(|voice| format!(" {} |", escape(&voice.title))).collect();
    let rule = "---:|".repeat(report.voice.len());
    let mut text = format!(
        "\n## Share of voice over time\n\n| {what} |{titles} unique items | covered |\n|---|{rule}---:|---:|\n"
    );
    for part in &report.voice_parts {
        let cells: String = part.topics.iter().map(|cell| format!(" {} |", cell.words())).collect();
        text.push_str(&format!("| {} |{cells} {} | {} |\n", part.name, part.unique_words(), part.covered_words()));
    }
    text
}

/// Formats the days of the charts as a table.
pub(in crate::report) fn days(topic: &TopicFacts) -> String {
    let mut text = "| day | items | unique | authors | scored | negative | positive | covered |\n|---|---:|---:|---:|---:|---:|---:|---:|\n".to_owned();
    let share = |share: &Option<crate::insight::daily::Share>| share.as_ref().map_or("–".to_owned(), format::share);
    for day in &topic.days {
        let [items, unique, authors] = topic.day_counts(day);
        text.push_str(&format!(
            "| {} | {items} | {unique} | {authors} | {} | {} | {} | {} |\n",
            day.date,
            number(day.tones.sample()),
            share(&day.negative),
            share(&day.positive),
            day.covered_words(),
        ));
    }
    text.push('\n');
    text
}
