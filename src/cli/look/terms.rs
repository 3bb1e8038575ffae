//! `terms`: what a topic's texts say more often than before, and the themes this forms.

use clap::Args;
use serde_json::json;

use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::wiring::check_names::renamed;
use crate::cli::wiring::context::{Context, instant};
use crate::cli::wiring::options::Common;
use crate::compare::{MOST_TERM_DAYS, StandOutRows, TermRow, TermsOptions, ThemeRow, TopicTerms, terms_between};
use crate::model::{Span, Time};
use crate::report::rest_words;

/// One day in milliseconds; also the default period.
const DAY: i64 = 86_400_000;

/// The last column of a table is on the line of its row if there is room for this many columns.
const ENOUGH: usize = 20;

#[derive(Debug, Args)]
pub struct TermsArgs {
    /// Topic id
    #[arg(value_name = "TOPIC")]
    pub topic: String,
    /// Start of the period: 2026-03-11, 2026-03-11T09:00:00Z, or 24h, 7d ago [default: 24h]
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// End of the period (same forms) [default: now]
    #[arg(long, value_name = "TIME")]
    pub until: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Use this time as now, for tests and trials
    #[arg(long, hide = true, value_name = "TIME")]
    pub at: Option<String>,
}

pub(in crate::cli) async fn run(common: &Common, args: &TermsArgs) -> Result<Exit, Failure> {
    let context = Context::load(common, args.at.as_deref())?;
    let now = (context.clock)();
    let Some(topic) = context.topics(std::slice::from_ref(&args.topic))?.pop() else { return Ok(Exit::Ok) };
    let until = instant("--until", args.until.as_deref(), now)?.unwrap_or(now);
    let since = instant("--since", args.since.as_deref(), now)?.unwrap_or(Time(until.0 - DAY));
    if since > now {
        return Err(Failure::usage("--since is in the future", "write a time before now, such as --since 24h"));
    }
    let span = Span::new(since, until.min(Time(now.0.saturating_add(1)))).ok_or_else(|| {
        Failure::usage("--since is not before --until", "the period must start before its end and before now")
    })?;
    if span.until.0 - span.from.0 > MOST_TERM_DAYS * DAY {
        let hint = format!("choose at most {MOST_TERM_DAYS} days; `report --month` covers a month");
        return Err(Failure::usage("--since is too long before the end of the period", hint));
    }
    let store = context.store_to_read().await?;
    renamed(&context, &store, std::slice::from_ref(&args.topic)).await?;
    let terms = terms_between(&store, &topic, span, TermsOptions::default()).await?;
    let invented = store.is_sandbox().await?;
    store.close().await;
    if args.json {
        let mut value = terms.to_json();
        if let Some(fields) = value.as_object_mut() {
            fields.insert("sandbox".to_owned(), json!(invented));
            fields.insert("topic".to_owned(), json!(topic.id));
            fields.insert("since".to_owned(), json!(span.from));
            fields.insert("until".to_owned(), json!(span.until));
        }
        output::json(&value)?;
        return Ok(Exit::Ok);
    }
    let sandbox = if invented { "SANDBOX: invented findings\n\n" } else { "" };
    output::text(&format!("{sandbox}{}", text(&terms, span, usize::from(output::width()))))?;
    Ok(Exit::Ok)
}

/// The terms that stand out, where none is news.
fn render_stand_out(rows: &StandOutRows, width: usize) -> String {
    let row = |row: &TermRow| {
        let [items, authors, texts] = [row.items, row.authors, row.texts].map(|many| many.to_string());
        vec![output::truncate(&row.term, 30), items, authors, texts]
    };
    let examples = rows.terms.iter().map(|row| row.example.words.clone().unwrap_or_default());
    let head = ["term", "items", "authors", "texts"];
    let table = table_with_last(
        (&head, "for example"),
        rows.terms.iter().map(row).collect(),
        &[1, 2, 3],
        &examples.collect::<Vec<_>>(),
        width,
    );
    format!("\n{}\n\n{table}\n{}", StandOutRows::TITLE.to_lowercase(), output::wrap("", &rows.words(), width))
}

/// A table whose last column is cut to the remaining width, or is below each row if that is too narrow.
fn table_with_last(
    head: (&[&str], &str),
    rows: Vec<Vec<String>>,
    numbers: &[usize],
    last: &[String],
    width: usize,
) -> String {
    let taken = output::longest(output::table(head.0, rows.clone(), numbers).lines()) + 2;
    let room = if width >= taken + ENOUGH { width - taken } else { width - 4 };
    let last: Vec<String> = last.iter().map(|text| output::truncate(text, room)).collect();
    output::table_with_text(head, rows, numbers, &last, width)
}

fn text(terms: &TopicTerms, span: Span, width: usize) -> String {
    let mut text = format!("{} to {}\n\n", output::format_time(span.from), output::format_time(span.until));
    if let Some(none) = terms.none_words() {
        text.push_str(&format!("{none}\n"));
        if let Some(rows) = &terms.stand_out {
            text.push_str(&render_stand_out(rows, width));
        }
        return text;
    }
    let percent = |share: &Option<crate::insight::daily::Share>| {
        share.map_or_else(|| "–".to_owned(), |share| format!("{:.0} %", share.share * 100.0))
    };
    let term = |row: &TermRow| {
        let name = output::truncate(&row.term, 30);
        let numbers = [row.items, row.authors, row.texts, row.texts_before].map(|many| many.to_string());
        let [items, authors, texts, before] = numbers;
        vec![
            name,
            items,
            authors,
            texts,
            before,
            format!("{:.1}", row.expected),
            format!("{:.1}", row.z),
            percent(&row.negative),
        ]
    };
    let head = ["term", "items", "authors", "texts", "before", "expected", "z", "negative"];
    let examples = terms.terms.iter().map(|row| row.example.words.clone().unwrap_or_default());
    text.push_str(&table_with_last(
        (&head, "for example"),
        terms.terms.iter().map(term).collect(),
        &[1, 2, 3, 4, 5, 6, 7],
        &examples.collect::<Vec<_>>(),
        width,
    ));
    if terms.more > 0 {
        let least = if terms.more_is_least() { "≥" } else { "" };
        text.push_str(&format!("\n{least}{} more\n", terms.more));
    }
    if let Some(sample) = terms.sample_words() {
        text.push_str(&format!("\n{}", output::wrap("", &sample, width)));
    }
    if !terms.themes.is_empty() {
        let theme = |row: &ThemeRow| {
            let before = row.items_before.map_or_else(|| "–".to_owned(), |many| many.to_string());
            let [items, unique, authors] = [row.items, row.unique, row.authors].map(|many| many.to_string());
            vec![output::truncate(&row.name, 40), items, unique, authors, before, percent(&row.negative)]
        };
        let first = |row: &ThemeRow| {
            let by = row.first_by.as_deref().map_or_else(String::new, |by| format!(" @{}", output::truncate(by, 20)));
            format!("{}{by}", output::format_time(row.first_at))
        };
        let head = ["theme", "items", "unique", "authors", "before", "negative"];
        text.push_str("\nthemes\n\n");
        text.push_str(&table_with_last(
            (&head, "first in the period"),
            terms.themes.iter().map(theme).collect(),
            &[1, 2, 3, 4, 5],
            &terms.themes.iter().map(first).collect::<Vec<_>>(),
            width,
        ));
        if let Some(rest) = rest_words(terms) {
            text.push_str(&format!("\n{}", output::wrap("", &rest, width)));
        }
    }
    let counted = format!(
        "more often than expected from the previous {} days; copies, and one author's texts in a day, count once; for a page \
         without an author, its site counts as the author",
        terms.before_days
    );
    text.push_str(&format!("\n{}", output::wrap("", &counted, width)));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        let rows =
            || vec![vec!["a term of some length".to_owned(), "12".to_owned()], vec!["b".to_owned(), "3".to_owned()]];
        let last = || vec!["one two three four five six seven eight nine ten".to_owned(), "short".to_owned()];
        for (width, inline) in [(60, true), (80, true), (40, false)] {
            let table = table_with_last((&["term", "items"], "for example"), rows(), &[1], &last(), width);
            assert!(table.lines().all(|line| output::display_width(line) <= width), "{width}: {table}");
            assert_eq!(table.lines().count() == 3, inline, "{width}: {table}");
            assert!(table.contains("one two") && table.contains("short"), "{table}");
        }
    }
}
