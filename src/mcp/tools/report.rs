//! The report of a day, a week or a month, made now.

use serde_json::{Value, json};

use crate::insight::daily::ItemCounts;
use crate::mcp::answer::Answer;
use crate::mcp::call::ToolCall;
use crate::mcp::caveats::{self, at_least};
use crate::mcp::error::ToolError;
use crate::mcp::quoting::text;
use crate::model::{ReportSpec, ReportWindow, Span, Time, Topic, excerpt};
use crate::report::{self, Report, TopicFacts, ad_hoc_spec, report_span, span_of_date, span_of_name};
use crate::schedule::check_zone;

/// Maximum number of topics of a report.
pub(super) const MOST_TOPICS: usize = 20;
/// Maximum number of characters of a report that are sent.
const LONGEST: usize = 100_000;

pub(super) async fn answer(call: ToolCall) -> Result<Answer, ToolError> {
    let period = period(&call)?;
    let (mut spec, topics) = requested_report(&call, period.map(|(window, _)| window)).await?;
    if let Some((window, _)) = period {
        spec.window = window;
    }
    let last = call.store.cursor(&spec.job()).await?;
    let span = match period {
        Some((window, name)) => parse_span(&spec, window, name, call.now)?,
        None => report_span(&spec, call.now, last.map(|cursor| cursor.at)),
    };
    let report =
        report::make(&call.store, &spec, &topics, span, last.map(|cursor| cursor.seq), call.now, false).await?;
    let mut answer = Answer::default();
    fill(&mut answer, &report)?;
    for topic in &report.topics {
        answer.notes(unsearched_note(topic, span, &report.timezone).map(|note| format!("{}: {note}.", topic.id)));
        if topic.may_be_more() {
            let items = at_least(topic.period.raw, true);
            answer.note(format!(
                "{}: {items} items: replies were full, not every source covered all of the time, or not all items were read.",
                topic.id
            ));
        }
        if topic.full_pages {
            answer.note(format!("{}: a web search returned as many pages as it can: there may be others.", topic.id));
        }
        // For a day that is not over, only the time that has passed.
        let Some(passed) = Span::new(span.from, span.until.min(call.now)) else { continue };
        let holes = caveats::holes(&call, &topic.id, passed).await?;
        answer.notes(holes.into_iter().map(|hole| format!("{}: {hole}", topic.id)));
    }
    Ok(answer)
}

/// Why figures of a topic are zero or too low, if it was not searched in the period or a part of it.
fn unsearched_note(topic: &TopicFacts, span: Span, timezone: &str) -> Option<String> {
    topic.nothing_to_report_reason(timezone).or_else(|| {
        let since = topic.searched_since.or(topic.began).filter(|since| *since > span.from)?;
        Some(format!("before {} it was not searched: figures for that time are too low", since.iso_millis()))
    })
}

fn fill(answer: &mut Answer, report: &Report) -> Result<(), ToolError> {
    answer.field("name", &report.name)?;
    answer.field("title", &report.title)?;
    answer.field("date", &report.date)?;
    answer.field("timezone", &report.timezone)?;
    answer.field("from", report.span.from)?;
    answer.field("until", report.span.until)?;
    answer.field("made_at", report.made_at)?;
    answer.field("cost_usd", report.cost)?;
    answer.field("topics", report.topics.iter().map(figures).collect::<Vec<_>>())?;
    let markdown = report.markdown();
    if markdown.chars().count() > LONGEST {
        answer.note("The report is cut off here; choose fewer topics.");
    }
    answer.field("quoted", text(&markdown, LONGEST))?;
    answer.field("assumed_usd", report.assumed)?;
    match report.removed_topics {
        Some(cost) => answer.field("removed_topics_usd", cost),
        None => Ok(()),
    }
}

/// The counts; `authors` is null if none is known.
fn counts(counts: &ItemCounts) -> Value {
    let mut period = json!(counts);
    if let Some(authors) = period.get_mut("authors").filter(|_| counts.authors == 0 && counts.no_author > 0) {
        *authors = Value::Null;
    }
    period
}

/// The main figures of a topic; the sentences about it are in the report.
fn figures(topic: &TopicFacts) -> Value {
    json!({
        "topic": topic.id,
        "title": topic.title,
        "began": topic.began,
        "first_day": topic.first_day,
        "period": counts(&topic.period),
        "at_least": topic.may_be_more(),
        "filtered": topic.filtered,
        "outside": topic.outside,
        "covered_share": topic.covered.map(|_| topic.covered_in_all),
        "cost_usd": topic.cost,
        "assumed_usd": topic.assumed,
    })
}

/// The requested report, and the topics that it may cover.
async fn requested_report(
    call: &ToolCall,
    window: Option<ReportWindow>,
) -> Result<(ReportSpec, Vec<Topic>), ToolError> {
    let ids = call.given.texts("topics");
    let Some(name) = call.given.text("name") else {
        let zone = call.given.text("timezone").unwrap_or("UTC");
        check_zone(zone).map_err(|wrong| ToolError::new(wrong.message, wrong.hint))?;
        if ids.is_empty() {
            let hint = format!("give `topics` (list_topics names them), or `name`: {}", names(call));
            return Err(ToolError::new("no report was chosen", hint));
        }
        let found = call.store.watched_topics(&ids).await?;
        if let Some(id) = ids.iter().find(|id| found.iter().all(|found| found.topic != **id)) {
            return Err(ToolError::no_topic(id));
        }
        let topics = found.into_iter().filter_map(|found| found.definition).collect();
        return Ok((ad_hoc_spec(window.unwrap_or(ReportWindow::Day), ids, zone), topics));
    };
    if !ids.is_empty() || call.given.text("timezone").is_some() {
        return Err(ToolError::new(
            "a configured report has its own topics and time zone",
            "omit `topics` and `timezone`, or omit `name`",
        ));
    }
    let found = call.settings.reports.iter().find(|report| report.name == name);
    let spec = found.cloned().ok_or_else(|| {
        ToolError::new(format!("there is no report `{}`", excerpt(name)), format!("there are: {}", names(call)))
    })?;
    let topics = call.store.definitions().await?;
    let many = topics.iter().filter(|topic| spec.covers(topic)).count();
    if many > MOST_TOPICS {
        let title = format!("report `{}` covers {many} topics, more than one answer can hold", spec.name);
        return Err(ToolError::new(title, format!("name at most {MOST_TOPICS} of them in `topics`")));
    }
    Ok((spec, topics))
}

fn names(call: &ToolCall) -> String {
    let names: Vec<&str> = call.settings.reports.iter().map(|report| report.name.as_str()).take(20).collect();
    if names.is_empty() { "the configuration has none".to_owned() } else { names.join(", ") }
}

/// The requested day, week or month.
fn period(call: &ToolCall) -> Result<Option<(ReportWindow, &str)>, ToolError> {
    let all = [("date", ReportWindow::Day), ("week", ReportWindow::Week), ("month", ReportWindow::Month)];
    let mut chosen = all.into_iter().filter_map(|(name, window)| Some((window, call.given.text(name)?)));
    match (chosen.next(), chosen.next()) {
        (_, Some(_)) => Err(ToolError::new("more than one period is given", "give one of `date`, `week` and `month`")),
        (one, None) => Ok(one),
    }
}

fn parse_span(spec: &ReportSpec, window: ReportWindow, name: &str, now: Time) -> Result<Span, ToolError> {
    let (example, found) = match window {
        ReportWindow::Week => ("2026-W12", span_of_name(spec, name)),
        ReportWindow::Month => ("2026-03", span_of_name(spec, name)),
        ReportWindow::Day | ReportWindow::SinceLast => {
            ("2026-03-11", name.parse().ok().and_then(|date| span_of_date(spec, date)))
        }
    };
    let noun = window.period_name();
    let span = found.ok_or_else(|| {
        ToolError::new(format!("`{}` is not a {noun} in {}", excerpt(name), spec.timezone), format!("write {example}"))
    })?;
    if span.from > now {
        return Err(ToolError::new(
            format!("{} has not started yet", excerpt(name)),
            format!("choose an earlier {noun}"),
        ));
    }
    Ok(span)
}
