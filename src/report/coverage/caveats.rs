//! Says what could be judged and what could not. A report is called calm only in what was judged, and names the rest. A
//! figure that is no news comes with the reason.

use std::collections::BTreeMap;

use crate::insight::daily::COVERED;
use crate::model::ReportWindow;
use crate::report::comparison::measures::{MIN_CHANGE, WHOLE};
use crate::report::document::Report;
use crate::report::facts::TopicFacts;
use crate::report::format::{line, percent_below};

/// The maximum number of topics named for one reason.
const NAMED: usize = 3;

/// Why items are not compared when most posts are about something else.
const ASTRAY: &str = "most posts contain no word of the query";

/// Why a part of a period cannot be judged yet.
const UNSEEN: &str = "not all of it has been searched yet";

/// Describes how the period's items relate to the usual when that is no news.
pub(in crate::report) fn relation_to_usual(report: &Report, topic: &TopicFacts) -> String {
    if let Some(calendar) = &topic.calendar {
        return calendar.compared(topic);
    }
    let Some(usual) = topic.usual.filter(|_| !topic.is_not_comparable()) else {
        return uncompared(report, topic);
    };
    #[expect(clippy::cast_precision_loss, reason = "counts of items")]
    let raw = topic.period.raw as f64;
    let side = if raw > usual.high {
        "above"
    } else if raw < usual.low {
        "below"
    } else {
        // A day that cannot be judged is not called usual.
        return doubt_reason(report, topic)
            .map_or_else(|| "as usual".to_owned(), |doubt| format!("not judged: {doubt}"));
    };
    match doubt_reason(report, topic) {
        _ if (raw - usual.expected).abs() < MIN_CHANGE => format!("{side} usual, but by fewer than {MIN_CHANGE} items"),
        // Nothing is known about it.
        Some(doubt) if side == "below" && topic.covered == Some(0.0) => format!("not judged: {doubt}"),
        Some(doubt) if side == "below" => format!("below usual, but {doubt}"),
        _ => format!("{side} usual"),
    }
}

fn uncompared(report: &Report, topic: &TopicFacts) -> String {
    if topic.query_changed() {
        return "not compared: the query changed".to_owned();
    }
    if topic.usual.is_some() && topic.relevance.is_off_topic() {
        return format!("not compared: {ASTRAY}");
    }
    if topic.period_cut {
        return "not compared: more items than can be read at once".to_owned();
    }
    if report.window == ReportWindow::SinceLast {
        return "not compared: this is not a whole day".to_owned();
    }
    if topic.sources_changed() {
        return format!("not compared: {}", changed_within(topic));
    }
    format!("too few days to compare with{}: {}", since_change(topic), topic.comparable)
}

fn changed_within(topic: &TopicFacts) -> String {
    format!("the sources changed within this {}", topic.noun())
}

/// Says which days can be compared, if the query or the sources changed.
pub(in crate::report) fn since_change(topic: &TopicFacts) -> &'static str {
    if topic.asked_since.is_none() && topic.sources_since.is_none() {
        ""
    } else if topic.asked_since >= topic.sources_since {
        " since the query changed"
    } else {
        " (only days with the same sources)"
    }
}

/// Returns why fewer items than usual would be no news.
fn doubt_reason(report: &Report, topic: &TopicFacts) -> Option<String> {
    if !report.is_over() {
        return Some("the period is not over".to_owned());
    }
    if topic.covered.is_none_or(|covered| covered < WHOLE) {
        let reason = if topic.idle(report.span) { "not covered yet".to_owned() } else { only(topic, WHOLE) };
        return Some(reason);
    }
    if topic.covered_in_all < WHOLE {
        return Some(UNSEEN.to_owned());
    }
    topic.saturated.then(|| "replies were cut short".to_owned())
}

fn only(topic: &TopicFacts, limit: f64) -> String {
    if topic.checks == Some(0) {
        return "no search answered".to_owned();
    }
    match topic.covered {
        None => "searches were pruned".to_owned(),
        Some(0.0) => "nothing was covered".to_owned(),
        Some(covered) => format!("only {} covered", percent_below(covered, limit)),
    }
}

type Unjudged = fn(&Report, &TopicFacts) -> Option<String>;

/// The aspect whose topics may be known to be incomplete.
const COVERAGE: &str = "coverage";

/// The aspects: name, text if it was judged and calm, and why a topic could not be judged.
const ASPECTS: [(&str, &str, Unjudged); 4] = [
    ("volume", "volume does not stand out", |report, topic| {
        let is_comparable = topic.usual.is_some() && !topic.is_not_comparable();
        if is_comparable { doubt_reason(report, topic) } else { Some(uncompared(report, topic)) }
    }),
    ("tone", "tone has not shifted", |_, topic| {
        if topic.query_changed() {
            return Some("the query changed".to_owned());
        }
        if topic.relevance.is_off_topic() {
            return Some(ASTRAY.to_owned());
        }
        if topic.period_cut {
            return Some("more items than can be read at once".to_owned());
        }
        topic.tone.uncompared().map(|why| {
            if topic.sources_changed() { changed_within(topic) } else { format!("{why}{}", since_change(topic)) }
        })
    }),
    ("sources", "every source answered", |_, topic| {
        if topic.sources.is_empty() {
            return Some("no searches were made".to_owned());
        }
        topic
            .sources
            .iter()
            .any(|source| source.refused_by_quota > 0)
            .then(|| "some searches were over quota".to_owned())
    }),
    (COVERAGE, "the period is covered", |report, topic| {
        if topic.idle(report.span) {
            return Some("not covered yet".to_owned());
        }
        if topic.covered.is_none_or(|covered| covered < COVERED) {
            return Some(only(topic, COVERED));
        }
        if topic.checks.is_some() {
            return Some("its searches see only one moment".to_owned());
        }
        if topic.covered_in_all < COVERED {
            return Some(UNSEEN.to_owned());
        }
        topic.sources_changed().then(|| "a source was searched for a part of it only".to_owned())
    }),
];

/// The text when nothing happened, but something limits trust in the figures.
pub(in crate::report) fn no_news(report: &Report) -> String {
    of_days(report).unwrap_or_else(|| calm_in(report, &ASPECTS[..2]))
}

/// The text when nothing matters.
pub(in crate::report) fn calm_text(report: &Report) -> String {
    let Some(of_days) = of_days(report) else { return calm_in(report, &ASPECTS) };
    let CalmSummary { calm, unjudged, incomplete } = evaluate(report, &ASPECTS[2..]);
    let calm = if calm.is_empty() { calm } else { crate::report::format::sentence(&calm) + " " };
    let unjudged = if unjudged.is_empty() { String::new() } else { format!("Not judged: {}. ", unjudged.join("; ")) };
    let incomplete =
        if incomplete.is_empty() { String::new() } else { format!("Incomplete: {}. ", incomplete.join("; ")) };
    format!("{calm}{unjudged}{incomplete}{of_days}")
}

/// Explains why no volume or tone of a week or month is called usual or unusual.
fn of_days(report: &Report) -> Option<String> {
    let noun = report.window.period_name();
    matches!(report.window, ReportWindow::Week | ReportWindow::Month).then(|| {
        format!("The volume and tone of a {noun} are never called unusual: usual ranges are known only for days.")
    })
}

fn calm_in(report: &Report, aspects: &[(&str, &str, Unjudged)]) -> String {
    let CalmSummary { calm, mut unjudged, incomplete } = evaluate(report, aspects);
    if calm.is_empty() {
        unjudged.extend(incomplete);
        return format!("Nothing could be judged: {}.", unjudged.join("; "));
    }
    if unjudged.is_empty() && incomplete.is_empty() {
        return format!("Nothing unusual: {calm}.");
    }
    let part = |head: &str, list: &[String]| {
        if list.is_empty() { String::new() } else { format!(" {head}: {}.", list.join("; ")) }
    };
    let (unjudged, incomplete) = (part("Not judged", &unjudged), part("Incomplete", &incomplete));
    format!("Nothing unusual in what could be judged: {calm}.{unjudged}{incomplete}")
}

/// What may be said of a report in which nothing stands out.
struct CalmSummary {
    /// The aspects that were judged and calm; with the number of topics if that is not so of all.
    calm: String,
    /// The aspects that could not be judged, of which topics, and why.
    unjudged: Vec<String>,
    /// The same of topics whose coverage is known and incomplete.
    incomplete: Vec<String>,
}

fn evaluate(report: &Report, aspects: &[(&str, &str, Unjudged)]) -> CalmSummary {
    let (mut calm, mut unjudged, mut incomplete) = (Vec::new(), Vec::new(), Vec::new());
    let all = report.topics.len();
    for (what, text, why) in aspects.iter().copied() {
        let mut reasons: BTreeMap<String, Vec<&TopicFacts>> = BTreeMap::new();
        for topic in &report.topics {
            if let Some(reason) = why(report, topic) {
                reasons.entry(reason).or_default().push(topic);
            }
        }
        match all - reasons.values().map(Vec::len).sum::<usize>() {
            0 => {}
            count if count == all => calm.push(text.to_owned()),
            count => calm.push(format!("{text} ({count} of {all} topics)")),
        }
        for (reason, topics) in reasons {
            let known =
                what == COVERAGE && topics.iter().all(|topic| topic.covered.is_some() && !topic.idle(report.span));
            let list = if known { &mut incomplete } else { &mut unjudged };
            list.push(format!("{what}{} ({reason})", of(&topics, all)));
        }
    }
    let calm = match calm.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    };
    CalmSummary { calm, unjudged, incomplete }
}

/// Names the topics, unless it is all of them.
fn of(topics: &[&TopicFacts], all: usize) -> String {
    if topics.len() == all {
        return String::new();
    }
    let names: Vec<String> = topics.iter().take(NAMED).map(|topic| line(&topic.title, 60)).collect();
    let more = topics.len() - names.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!(" of {}{more}", names.join(", "))
}

#[cfg(test)]
mod tests;
