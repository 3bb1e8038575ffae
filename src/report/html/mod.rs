//! The report as one page: no script, nothing to load, one style sheet inside. The template escapes foreign text. Links
//! are http or https and send no referrer. `topic` renders the sections of topics.

mod answer;
mod calendar;
mod changes;
mod charts;
mod links;
mod lists;
mod mail;
mod print;
mod terms;
#[cfg(test)]
mod tests;
mod topic;
mod topic_list;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::coverage::caveats;
use super::document::Report;
use super::facts::{SourceFacts, TopicFacts};
use super::format::{self, at_least};
use super::highlights::matter::Highlight;
use super::{chart, sql};
use crate::draw::chart::VoiceBar;
use crate::model::{ReportWindow, Tone};
use links::{anchor, change, title_link};

const STYLE: &str = concat!(include_str!("../../draw/base.css"), include_str!("style.css"));

/// The page loads nothing and runs nothing, even if a title contains markup.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

pub(super) fn page(report: &Report) -> String {
    let title = format!("{} {}", format::line(&report.title, 120), report.date);
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="referrer" content="no-referrer";
                meta name="color-scheme" content="light dark";
                title { @if report.sandbox { "SANDBOX " } (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#matters" { "Skip to what matters" }
                (head(report))
                main {
                    (summary(report))
                    (overview(report))
                    (voice(report))
                    (calendar::voice(report))
                    @for facts in report.topics.iter().filter(|facts| !report.is_quiet(facts)) { (topic::section(report, facts)) }
                    (quiet(report))
                }
                (foot(report))
            }
        }
    }
    .into_string()
}

/// Returns the page for mail programs.
pub(super) fn mail(report: &Report) -> String {
    let left_out = html! {
        "Charts, the days in numbers, the rows and the SQL of the main numbers are "
        // The command would make the next report since the last one.
        @if report.window == ReportWindow::SinceLast { "only in the HTML format." } @else { "on the page: " code { (report.command()) } }
    };
    mail::mail(&page(report), &left_out.into_string())
}

fn head(report: &Report) -> Markup {
    let zone = &report.timezone;
    html! {
        header {
            @if report.sandbox { p.sandbox role="note" { strong { "SANDBOX" } " All data is invented or shifted in time: no real search was made, nothing was billed." } }
            h1 { (format::line(&report.title, 120)) " " span.date { (report.date) } }
            p.meta {
                (format::span(report.span, zone)) " (" (zone) "), "
                @match report.window { ReportWindow::Day => "one local day", ReportWindow::Week => "one local week, Monday to Sunday", ReportWindow::Month => "one local month", ReportWindow::SinceLast if report.since.is_none() => "the last 24 hours", ReportWindow::SinceLast => "since the last report" }
                ". Created " (format::date_time(report.made_at, zone)) ". " (report.cost_words())
                @if let Some(note) = report.items_note() { " " (note) }
            }
            (topic_list::topics(report))
        }
    }
}

fn summary(report: &Report) -> Markup {
    html! {
        section #matters aria-labelledby="matters-title" {
            h2 #matters-title { "What matters" }
            @if report.topics.is_empty() { p { "This report has no topics." } }
            @else if report.matters.is_empty() { p.calm { (caveats::calm_text(report)) } }
            @else {
                @let (news, trust) = report.news_and_trust();
                @if news.is_empty() { p.calm { (caveats::no_news(report)) } } @else { h3 { "What happened" } (highlight_list(report, news)) }
                @if !trust.is_empty() { h3 { "How far to trust it" } (highlight_list(report, trust)) }
                @if let Some(more) = report.more_matters() { p.meta { (more) } }
            }
        }
    }
}

fn highlight_list(report: &Report, matters: &[Highlight]) -> Markup {
    html! {
        ol.matters { @for matter in matters {
            li.(matter.kind.replace(' ', "-")) {
                span.kind { (matter.label()) } " "
                (title_link(&matter.topic, matter.section, title_of(report, matter))) (matter.after_title()) (matter.sentence)
            }
        } }
    }
}

fn title_of<'a>(report: &'a Report, matter: &'a Highlight) -> &'a str {
    report.topics.iter().find(|t| t.id == matter.topic).map_or(&matter.topic, |t| &t.title)
}

/// Returns the table of all topics.
fn overview(report: &Report) -> Markup {
    if report.topics.is_empty() {
        return html! {};
    }
    html! {
        section aria-labelledby="overview-title" {
            h2 #overview-title { "Overview" }
            div.wide role="region" tabindex="0" aria-labelledby="overview-caption" { table.cards {
                caption #overview-caption { "Each topic in the period. Intervals are 95 % (Wilson)." }
                thead { tr {
                    th scope="col" { "Topic" } th.n scope="col" { "Items" } th.n scope="col" { "Unique" } th.n scope="col" { "Authors" }
                    th.n scope="col" { (comparison_header(report)) } th scope="col" { "Change" } th.n scope="col" { "Negative" } th.n scope="col" { "Positive" }
                    th.n scope="col" { "Covered" } th scope="col" { "Sources" } th.n scope="col" { "Cost" }
                } }
                tbody { @for topic in &report.topics { (row(report, topic)) } }
            } }
        }
    }
}

/// Returns the head of the column with which items are compared.
fn comparison_header(report: &Report) -> &'static str {
    match report.window {
        ReportWindow::Week => "Week before",
        ReportWindow::Month => "Month before",
        ReportWindow::Day | ReportWindow::SinceLast => "Usual",
    }
}

fn row(report: &Report, topic: &TopicFacts) -> Markup {
    let share = |sound: Tone| {
        topic.tone.shares.iter().find(|(s, _)| *s == sound).map_or("–".to_owned(), |(_, s)| format::share(s))
    };
    let named = |s: &SourceFacts| match (s.fails, s.over_quota) {
        (true, _) => Some(format!("{} failing", s.source)),
        (false, true) => Some(format!("{} over quota", s.source)),
        (false, false) if s.is_unanswered() => Some(format!("{} gave no answer", s.source)),
        (false, false) => s.is_left_out().then(|| format!("{} not searched", s.source)),
    };
    let failing: Vec<String> = topic.sources.iter().filter_map(named).collect();
    html! {
        tr {
            th scope="row" { (title_link(&topic.id, "", &topic.title)) }
            // Before the first results, a topic's section has no rows.
            @if topic.began.is_some() {
                td.n data-label="Items" { a href=(anchor(&topic.id, "rows")) { (at_least(topic.period.raw, topic.may_be_more())) } }
                td.n data-label="Unique" { (at_least(topic.period.unique, topic.may_be_more())) }
                td.n data-label="Authors" { (format::authors(&topic.period, topic.may_be_more())) }
            } @else { td.n data-label="Items" { "–" } td.n data-label="Unique" { "–" } td.n data-label="Authors" { "–" } }
            td.n data-label=(comparison_header(report)) {
                @if let Some(calendar) = &topic.calendar { (calendar.before_items()) }
                @else { (topic.usual.map_or("–".to_owned(), |u| format!("{}–{}", format::round(u.low.ceil()), format::round(u.high.floor())))) }
            }
            td data-label="Change" { (change(report, topic)) }
            td.n data-label="Negative" { (share(Tone::Negative)) }
            td.n data-label="Positive" { (share(Tone::Positive)) }
            td.n data-label="Covered" { (topic.covered_words(report.span)) }
            td data-label="Sources" { @if topic.not_kept.is_some() { (format::NOT_KEPT) } @else if topic.sources.is_empty() { "not searched" } @else if failing.is_empty() { span.good { "ok" } } @else { strong.bad { (failing.join(", ")) } } }
            td.n data-label="Cost" { (lists::cost(&topic.cost_words(), topic.assumed_words())) }
        }
    }
}

fn voice(report: &Report) -> Markup {
    let note = report.voice_note();
    if report.voice.is_empty() && note.is_none() {
        return html! {};
    }
    let bar = |voice: &super::comparison::measures::Voice| VoiceBar {
        title: voice.title.clone(),
        share: voice.unique,
        label: voice.bar(),
    };
    let by_source = report.voice.iter().any(|voice| !voice.by_source.is_empty());
    let bars: Vec<VoiceBar> = report.voice.iter().map(bar).collect();
    html! {
        section.whole aria-labelledby="voice-heading" {
            h2 #voice-heading { "Share of voice" }
            @if let Some(note) = note { p.note { (note) } }
            @for (title, sentence) in report.irrelevant_topics() { p.note { bdi { (title) } ": " (sentence) } }
            @if !bars.is_empty() { div.pair {
                figure { (chart::voice(&bars)) figcaption { "By unique items: near-copies count once." } }
                div.wide role="region" tabindex="0" aria-labelledby="voice-caption" { table {
                    caption #voice-caption {
                        @if let Some(group) = &report.group { "Among topics tagged " (group) ". " } @else { "Among the topics of this report. " }
                        "An item that two topics found counts for both."
                    }
                    thead { tr { th scope="col" { "Topic" } th.n scope="col" { "Items" } th.n scope="col" { "Unique" } th.n scope="col" { "Authors" } @if by_source { th scope="col" { "By source" } } } }
                    tbody { @for voice in &report.voice { tr {
                        th scope="row" { (title_link(&voice.topic, "", &voice.title)) }
                        @for cell in voice.cells() { td.n { (cell) } }
                        @if by_source { td { (voice.sources().unwrap_or_default()) } }
                    } } }
                } }
            } }
        }
    }
}

/// Returns the topics without anything to show, each as a line that unfolds.
fn quiet(report: &Report) -> Markup {
    let quiet: Vec<&TopicFacts> = report.topics.iter().filter(|topic| report.is_quiet(topic)).collect();
    html! {
        @if !quiet.is_empty() {
            section aria-labelledby="quiet-title" {
                h2 #quiet-title { "Quiet" @if quiet.iter().any(|topic| topic.is_unsearched() || topic.may_be_more()) { " or unknown" } " topics" }
                p.meta { "Nothing to show for the period. " span.page-only { "Expand a line for charts, coverage and SQL." } }
                @for facts in quiet { (topic::folded(report, facts)) }
            }
        }
    }
}

fn foot(report: &Report) -> Markup {
    html! {
        footer {
            h2 { "How to read this" }
            dl {
                dt { "Item" } dd { "A post or page, once per topic. " @if report.window.is_calendar() { "It counts on the day it was published, or first seen if that was earlier or it has no date." } @else { "It counts in the report after it was first seen; in the table of days, on the day it was published, or first seen if that was earlier or it has no date." } }
                dt { "Unique" } dd { "Near-copies of one text count once. An item that has not been compared yet counts as unique." }
                @if report.topics.iter().any(|topic| topic.calendar.is_some()) { dt { (comparison_header(report)) } dd { "Counted in the same way. The two are compared only if at least 90 % of both was searched with the same query, and a source such as web answered often enough. Weeks and months are never marked as unusual: usual ranges exist only for days." } }
                @else { dt { "Usual" } dd { "The range expected from comparable earlier days, adjusted for the weekday; about one calm day in fifty lies outside it. A day is comparable if it was watched from its start, at least 90 % of it was searched (parts cut off by a full reply count), its query and sources were the same, and a source such as web answered often enough." } }
                dt { "≥" } dd { "There may be more: a search returned as many results as it can, not every source covered all of the time, or runs were pruned. A share of a total that may be higher is at most (≤) the value shown. A change has such a mark, and is given only if its direction is certain." }
                dt { "Interval" } dd { "Where the true share lies with 95 % confidence, by Wilson's formula. Shares are of items that one scorer called negative, neutral or positive." }
                dt { "Engagement" } dd { "Likes, reposts, replies and quotes as last seen." }
            }
            p.page-only.off-paper { (report.made_by()) " · " (sql::NAMED) " · this page loads nothing and runs nothing" }
        }
    }
}
