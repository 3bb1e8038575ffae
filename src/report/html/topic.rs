//! A topic's section of the page: the numbers, tone, standouts, coverage, and the rows.

use maud::{Markup, html};

use super::super::document::Report;
use super::super::facts::{HoleFacts, TopicFacts};
use super::super::format::{self, at_least, count_noun, number, percent};
use super::super::{chart, comparison, sql};
use super::lists::Empty;
use super::print::{ROWS, off_paper_class};
use super::{answer, changes, links, lists, terms};
use crate::insight::daily;
use crate::model::SearchState;
use crate::report::comparison::measures::is_past;
use crate::report::coverage::caveats::uncompared;

/// The maximum number of listed gaps.
const GAPS: usize = 8;

pub(super) fn section(report: &Report, topic: &TopicFacts) -> Markup {
    let zone = &report.timezone;
    html! {
        section.topic #(format::id(&topic.id, "")) aria-labelledby=(format::id(&topic.id, "title")) {
            h2 id=(format::id(&topic.id, "title")) { bdi { (topic.title) } " " small { (topic.id) } }
            @if let Some(state) = topic.nothing_to_report_reason(zone) { p.note { "This topic " (state) "." } }
            @if topic.began.is_none() {
                @if topic.tried { (coverage(report, topic)) }
            } @else {
                @if topic.first_day { p.note { strong { "First " (topic.noun()) ". " } "The first answer to each query is a baseline: it is stored and counted, but it is not news. Nothing can be compared yet." } }
                @if let Some(answer) = &topic.answer { (answer::answer(topic, answer, zone)) }
                (parts(report, topic))
            }
        }
    }
}

/// Returns a quiet topic as one line that unfolds.
pub(super) fn folded(report: &Report, topic: &TopicFacts) -> Markup {
    html! {
        section.quiet #(format::id(&topic.id, "")) aria-labelledby=(format::id(&topic.id, "title")) {
            details.brief {
                summary {
                    strong dir="auto" id=(format::id(&topic.id, "title")) { (topic.title) } ": "
                    @if let Some(unsearched) = topic.unsearched_sentence() { (unsearched) }
                    @else { (at_least(topic.period.raw, topic.may_be_more())) " items, " (links::change(report, topic)) }
                    @if !topic.is_unsearched() && topic.covered.is_some() && !topic.idle(report.span) { ", " (topic.covered_words(report.span)) @if topic.checks.is_none() { " covered" } }
                }
                (parts(report, topic))
            }
        }
    }
}

/// Returns the parts of a topic. Empty lists are named in one line that unfolds.
fn parts(report: &Report, topic: &TopicFacts) -> Markup {
    let no_terms_note = topic.terms.none_words();
    let mut empty = Empty::default();
    html! {
        div.pair { (volume(report, topic)) (tone(report, topic)) }
        (terms::section(report, topic, &no_terms_note, &mut empty))
        div.flow {
            (lists::standouts(report, topic, &mut empty))
            (changes::section(topic, &report.timezone, &mut empty))
            (lists::tallies(topic, &mut empty))
            (lists::found_by(topic))
            (empty.folded())
            (coverage(report, topic))
        }
        (lists::rows(report, topic))
        (queries(report, topic))
    }
}

/// Returns the number of items in the period.
fn figures(report: &Report, topic: &TopicFacts) -> Markup {
    let period = &topic.period;
    let rows = links::anchor(&topic.id, "rows");
    html! {
        p.figures {
            @if let Some(unsearched) = topic.unsearched_sentence() { (unsearched) } @else {
            a href=(rows) { strong { (at_least(period.raw, topic.may_be_more())) } @if period.raw == 1 { " item" } @else { " items" } } ", "
            strong { (at_least(period.unique, topic.may_be_more())) } " unique, "
            @if period.authors == 0 && period.no_author > 0 { (format::AUTHORS_UNKNOWN) } @else { strong { (at_least(period.authors, topic.may_be_more())) } @if period.authors == 1 { " author" } @else { " authors" } }
            " – " (links::change(report, topic)) "."
            }
        }
    }
}

fn volume(report: &Report, topic: &TopicFacts) -> Markup {
    html! {
        section aria-labelledby=(links::part_label(&topic.id, "numbers")) {
            h3 id=(format::id(&topic.id, "numbers")) { "What is new" }
            (figures(report, topic))
            @if let Some(sentence) = topic.relevance_sentence() { p.note { (sentence) } }
            @if let Some(sentence) = comparison::sentence(report, topic) { p { (sentence) } }
            (super::calendar::comparison_table(topic))
            figure {
                (chart::volume(&topic.chart(), &report.timezone))
                figcaption {
                    span.page-only { (chart::legend("day")) " " }
                    @if let Some(usual) = topic.usual {
                        "Band: usual range, " (format::round(usual.low.ceil())) "–" (format::round(usual.high.floor())) @if usual.weekday { " on this weekday" } ", " (format::round(usual.expected.round())) " expected (based on " (count_noun(usual.days as u64, "earlier day")) "). "
                    } @else if !topic.first_day && report.window == crate::model::ReportWindow::Day {
                        (format::sentence(&uncompared(report, topic))) " "
                    }
                    @if topic.holes.iter().any(|hole| !hole.before) { span.page-only { "Hatched: not covered" @if topic.holes.iter().any(|hole| hole.open) { ", or not covered yet" } ". " } }
                    (topic.chart_bounds())
                    (chart::query_changes_note(&topic.chart(), &report.timezone))
                }
            }
            (unknown(report, topic))
            (days(topic))
        }
    }
}

/// Returns what is unknown or missing, by name.
fn unknown(report: &Report, topic: &TopicFacts) -> Markup {
    let period = &topic.period;
    let mut notes = Vec::new();
    if period.raw > 0 {
        let full = if topic.full_pages { " (a web search returned its maximum)" } else { "" };
        notes.push(format!("{}, {}{full}", count_noun(period.posts, "post"), count_noun(period.pages, "page")));
    }
    for (many, what) in [
        (period.undated, "without a date (counted when first seen)"),
        (period.no_author, "without a known author"),
        (period.no_engagement, "without engagement"),
    ] {
        if many > 0 {
            notes.push(format!("{} {what}", number(many)));
        }
    }
    notes.extend(topic.late_items_note(report.window.is_calendar()));
    if topic.filtered > 0 {
        notes.push(format!(
            "{} hidden by the topic's filter and not counted here; the SQL does count them",
            number(topic.filtered)
        ));
    }
    notes.extend(topic.uncompared_words().map(str::to_owned));
    notes.extend(crate::filter::unjudged_note(topic.unjudged));
    notes.extend(topic.truncation_note().map(str::to_owned));
    notes.extend(topic.pruned.clone());
    html! { @if !notes.is_empty() { p.meta { (notes.join(" · ")) "." } } }
}

fn tone(report: &Report, topic: &TopicFacts) -> Markup {
    let tone = &topic.tone;
    let period = &tone.period;
    html! {
        section aria-labelledby=(links::part_label(&topic.id, "tone")) {
            h3 id=(format::id(&topic.id, "tone")) { "Tone of items" }
            @if tone.scorer.is_none() { p.note { "No items of these days are scored." } }
            @else {
                p.figures { @for (place, (sound, share)) in tone.shares.iter().enumerate() {
                    @if place > 0 { ", " } span class=(sound.as_str()) { (sound) } " " strong { (percent(share.share)) } " " (format::interval(share))
                } @if tone.shares.is_empty() { "Nothing in the period is scored" } "." }
                figure {
                    (chart::tone(&topic.chart(), &report.timezone))
                    figcaption { span.page-only { span.negative { "■ negative" } ", " span.positive { "● positive" } " per day, with 95 % intervals. " } (format::COMPARE_TONE) (chart::query_changes_note(&topic.chart(), &report.timezone)) }
                }
            }
            p.meta {
                (count_noun(period.sample(), "item")) " scored"
                @if let Some(scorer) = &tone.scorer { " by " code { (format::line(scorer, 40)) } }
                " · " (number(period.unsupported)) " in unsupported languages · " (number(period.unscored)) " not scored"
                @for (name, many) in &period.by_others { " · " (number(*many)) " scored by " code { (format::line(name, 40)) } ", left out" }
                @if !period.by_others.is_empty() { " (" code { "topicwatch db rescore" } " scores everything with one scorer)" }
                "."
                @if tone.before.sample() > 0 { " The week before, as far as its days can be compared: " @for (place, (sound, share)) in tone.before_shares.iter().enumerate() { @if place > 0 { ", " } (sound) " " (format::share(share)) } " of " (number(tone.before.sample())) "." }
            }
        }
    }
}

/// Returns the numbers of the charts.
fn days(topic: &TopicFacts) -> Markup {
    let share = |share: &Option<daily::Share>| share.as_ref().map_or("–".to_owned(), format::share);
    html! {
        details.page-only { summary { "The days in numbers" } div.wide role="region" tabindex="0" aria-label=(format!("{}: the days in numbers", topic.id)) { table {
            caption { "Each day of the charts." }
            thead { tr {
                th scope="col" { "Day" } th.n scope="col" { "Items" } th.n scope="col" { "Unique" } th.n scope="col" { "Authors" } th.n scope="col" { "Scored" }
                th.n scope="col" { "Negative" } th.n scope="col" { "Positive" } th.n scope="col" { "Unsupported" } th.n scope="col" { "Not scored" } th.n scope="col" { "Covered" }
            } }
            tbody { @for day in &topic.days { tr {
                th scope="row" { (day.date) } @for count in topic.day_counts(day) { td.n { (count) } }
                td.n { (number(day.tones.sample())) } td.n { (share(&day.negative)) } td.n { (share(&day.positive)) }
                td.n { (number(day.tones.unsupported)) } td.n { (number(day.tones.unscored)) } td.n { (day.covered_words()) }
            } } }
        } } }
    }
}

/// Returns holes and sources.
fn coverage(report: &Report, topic: &TopicFacts) -> Markup {
    let zone = &report.timezone;
    let (inside, earlier) = topic.holes_of(report.span);
    let describe = |hole: &HoleFacts| html! { (format::span(hole.span, zone)) ", " (format::length(hole.span)) @if !hole.why.is_empty() { ": " (format::line(&hole.why, 160)) } };
    let listed = inside.len().min(GAPS);
    html! {
        section aria-labelledby=(links::part_label(&topic.id, "sources")) {
            h3 id=(format::id(&topic.id, "sources")) { "How it was searched" }
            @if let Some(gone) = topic.not_kept_words() { p.note { (format::sentence(&gone)) } } @else if topic.sources.is_empty() { p { "No searches were made in the period." } } @else {
                div.wide role="region" tabindex="0" aria-label=(format!("{}: sources", topic.id)) { table.cards {
                    caption { "Searches made in the period. " @if !is_past(report.span, report.made_at) { "Last and " } "Full replies also count later searches that asked about it." }
                    thead { tr { th scope="col" { "Source" } th scope="col" { "Last" } th.n scope="col" { "Failed" } th.n scope="col" { "Not made" } th.n scope="col" { "Full replies" } th.n scope="col" { "Cost" } } }
                    tbody { @for source in &topic.sources { tr {
                        th scope="row" { (source.source) }
                        td data-label="Last" { @if source.fails || source.over_quota || source.is_left_out() && source.last == SearchState::NotRun.as_str() { strong.bad { (source.last.replace('_', " ")) } } @else { span.good { (source.last.replace('_', " ")) } } ", " (format::date_time_short(source.last_at, zone)) @if let Some(trouble) = &source.trouble { " (" (format::line(trouble, 100)) ")" } }
                        td.n data-label="Failed" { (number(source.failed)) " of " (number(source.searches)) }
                        td.n data-label="Not made" { (number(source.left_out + source.refused_by_quota)) }
                        td.n data-label="Full replies" { (number(source.saturated)) }
                        td.n data-label="Cost" { (lists::cost(&source.cost.to_string(), source.paid().assumed_words())) }
                    } } }
                } }
            }
            @if topic.searches_cut { p.note { (format::SEARCHES_CUT) } }
            @for silence in &topic.silences { p.note { (silence.describe(&format::date_time(silence.since, zone))) } }
            p #(format::id(&topic.id, "coverage")) {
                @if let Some(covered) = topic.covered.filter(|_| !topic.idle(report.span)) { @if let Some(checks) = topic.checks { (count_noun(checks, "check")) " in the period; such searches see only one moment and cover no time span. " } @else { (percent(covered)) " of the period " @if !report.is_over() || topic.open.is_some() { "so far " } "covered" (topic.covered_by_words()) ". " } }
                @if let Some(part) = topic.part_time_note((report.span, report.made_at), zone) { (part) " " }
                @if let Some(open) = topic.open_words(zone) { (open) " " }
                @if let Some(late) = topic.late_note() { (late) " " }
                @if let Some(gone) = topic.holes_words(zone) { (gone) " " }
                @if let Some(gaps) = topic.gaps_words((report.span, report.made_at), zone) { (gaps) }
            }
            @if !inside.is_empty() { ul {
                @for (place, hole) in inside.iter().rev().take(GAPS).enumerate() { li class=[off_paper_class(place, ROWS)] { (describe(hole)) } }
                @if listed > ROWS { li.paper-only { (number((listed - ROWS) as u64)) " more on the HTML page" } }
                @if inside.len() > GAPS { li { (count_noun((inside.len() - GAPS) as u64, "earlier gap")) " in the period: " code { "topicwatch coverage " (topic.id) } } }
            } }
            @if !earlier.is_empty() {
                details {
                    summary { (count_noun(earlier.len() as u64, "gap")) " before the period, within the days of the charts" }
                    ul { @for hole in earlier.iter().rev().take(GAPS) { li { (describe(hole)) } } @if earlier.len() > GAPS { li { (count_noun((earlier.len() - GAPS) as u64, "earlier gap")) ": " code { "topicwatch coverage " (topic.id) } } } }
                }
            }
        }
    }
}

fn queries(report: &Report, topic: &TopicFacts) -> Markup {
    html! {
        details.sql.page-only id=(format::id(&topic.id, "sql")) {
            summary { "SQL of the main numbers" }
            @for query in sql::queries(topic, report) { h4 { (query.figure) } pre tabindex="0" { code { (query.sql) } } }
        }
    }
}
