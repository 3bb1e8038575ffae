//! Says what could be judged and what could not. A report is called calm only for aspects that were judged, and names
//! the others. A figure that is not news comes with the reason.

use std::collections::BTreeMap;

use crate::draw::{enumeration, lower_bounds};
use crate::insight::daily::{COVERED, GapReason, MIN_DAYS, MIN_SAMPLES};
use crate::model::ReportWindow;
use crate::report::comparison::measures::{MIN_CHANGE, MIN_SAMPLE, ToneFacts, WHOLE};
use crate::report::document::Report;
use crate::report::facts::TopicFacts;
use crate::report::format::{count_noun, line, percent_below, sentence};

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
    // A count that is a lower bound may really be further above the usual number, but not further below it.
    let is_lower_bound = topic.may_be_more() || !report.is_over();
    let is_near = (raw - usual.expected).abs() < MIN_CHANGE && !(side == "above" && is_lower_bound);
    match doubt_reason(report, topic) {
        // Nothing is known about the period.
        Some(doubt) if side == "below" && topic.covered == Some(0.0) => format!("not judged: {doubt}"),
        Some(doubt) if side == "below" => format!("below usual, but {doubt}"),
        _ if is_near => format!("{side} usual, but by fewer than {MIN_CHANGE} items"),
        _ => format!("{side} usual"),
    }
}

/// Says why the period's items are not compared with those of earlier days.
pub(in crate::report) fn uncompared(report: &Report, topic: &TopicFacts) -> String {
    if topic.began.is_none() || topic.unanswered {
        return "not compared: no run had returned results".to_owned();
    }
    if topic.unwatched {
        return "not compared: not watched yet".to_owned();
    }
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
    if topic.first_day && topic.comparable == 0 {
        return format!("not compared: first {}", topic.noun());
    }
    format!("not compared: {}, {MIN_DAYS} are needed", comparable_days(topic.comparable, since_change(topic)))
}

/// Counts earlier days that can be compared, if they are too few. `since` limits them.
fn comparable_days(many: usize, since: &str) -> String {
    match many {
        0 => format!("no comparable earlier day{since}"),
        many => format!("only {}{since}", count_noun(many as u64, "comparable earlier day")),
    }
}

impl ToneFacts {
    /// Returns whether the tone of the period is compared with that of earlier days.
    pub(in crate::report) fn is_compared(&self) -> bool {
        self.period.sample() >= MIN_SAMPLE && !self.usual.is_empty()
    }

    /// Returns why the tone of the period is not compared with that of earlier days, if so. `since` limits these days.
    pub(in crate::report) fn uncompared(&self, since: &str) -> Option<String> {
        if self.period.sample() < MIN_SAMPLE {
            return Some(format!("fewer than {MIN_SAMPLE} scored items"));
        }
        let have = if self.samples < 2 { "has" } else { "have" };
        let days = comparable_days(self.samples, since);
        self.usual.is_empty().then(|| format!("{days} {have} {MIN_SAMPLE} scored items, {MIN_SAMPLES} are needed"))
    }
}

fn changed_within(topic: &TopicFacts) -> String {
    format!("the sources changed within this {}", topic.noun())
}

/// Says which days can be compared, if the query or the sources changed.
fn since_change(topic: &TopicFacts) -> &'static str {
    if topic.asked_since.is_none() && topic.sources_since.is_none() {
        ""
    } else if topic.asked_since >= topic.sources_since {
        " since the query changed"
    } else {
        " with the same sources"
    }
}

/// Returns why fewer items than usual would be no news.
fn doubt_reason(report: &Report, topic: &TopicFacts) -> Option<String> {
    if !report.is_over() {
        return Some("the period is not over".to_owned());
    }
    if topic.covered.is_none_or(|covered| covered < WHOLE) {
        let reason = if topic.idle(report.span) { "not covered yet".to_owned() } else { why_incomplete(topic, WHOLE) };
        return Some(reason);
    }
    if topic.covered_in_all < WHOLE {
        return Some(UNSEEN.to_owned());
    }
    let cut = || topic.saturated.then(|| "replies were cut short".to_owned());
    topic.few_answers.clone().or_else(cut).or_else(|| unchecked_reason(topic))
}

/// Says why a source may have missed items while the topic was watched, although another source answered, if so.
fn unchecked_reason(topic: &TopicFacts) -> Option<String> {
    let reason = topic.unchecked.filter(|reason| *reason != GapReason::NotWatched)?;
    Some(lower_bounds::describe(reason, topic.noun()))
}

fn why_incomplete(topic: &TopicFacts, limit: f64) -> String {
    if topic.checks == Some(0) {
        return format!("{} answered", topic.no_search());
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
    ("volume", "volume does not stand out from earlier days", |report, topic| {
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
        let why = topic.tone.uncompared(since_change(topic))?;
        Some(if topic.sources_changed() { changed_within(topic) } else { why })
    }),
    ("sources", "every source answered", |_, topic| {
        if topic.sources.is_empty() {
            return Some("no searches were made".to_owned());
        }
        if topic.sources.iter().any(|source| source.refused_by_quota > 0) {
            return Some("some searches were over quota".to_owned());
        }
        if topic.sources.iter().any(|source| source.refused > 0) {
            return Some("some searches were not made".to_owned());
        }
        unchecked_reason(topic)
    }),
    (COVERAGE, "the period is covered", |report, topic| {
        if topic.idle(report.span) {
            return Some("not covered yet".to_owned());
        }
        if topic.covered.is_none_or(|covered| covered < COVERED) {
            return Some(why_incomplete(topic, COVERED));
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
    of_days(report).unwrap_or_else(|| calm_sentence(report, &ASPECTS[..2]))
}

/// The text when nothing matters.
pub(in crate::report) fn calm_text(report: &Report) -> String {
    let Some(of_days) = of_days(report) else { return calm_sentence(report, &ASPECTS) };
    let mut sentences = evaluate(report, &ASPECTS[2..]).sentences();
    sentences.push(of_days);
    sentences.join(" ")
}

/// Explains why no volume or tone of a week or month is called usual or unusual.
fn of_days(report: &Report) -> Option<String> {
    let noun = report.window.period_name();
    matches!(report.window, ReportWindow::Week | ReportWindow::Month).then(|| {
        format!("The volume and tone of a {noun} are never marked as unusual: usual ranges exist only for days.")
    })
}

/// Says what was judged and calm, and what was not judged. It is called unusual or not only if all was judged.
fn calm_sentence(report: &Report, aspects: &[(&str, &str, Unjudged)]) -> String {
    let summary = evaluate(report, aspects);
    if summary.unjudged.is_empty() && summary.incomplete.is_empty() {
        return format!("Nothing unusual: {}.", summary.calm);
    }
    summary.sentences().join(" ")
}

/// The parts of the text of a report in which nothing stands out.
struct CalmSummary {
    /// The aspects that were judged and calm, with the number of topics if not all.
    calm: String,
    /// The aspects that could not be judged, with their topics and the reasons.
    unjudged: Vec<String>,
    /// The same for topics whose coverage is known and incomplete.
    incomplete: Vec<String>,
}

impl CalmSummary {
    fn sentences(&self) -> Vec<String> {
        let calm = (!self.calm.is_empty()).then(|| sentence(&self.calm));
        let list = |head: &str, all: &[String]| (!all.is_empty()).then(|| format!("{head}: {}.", all.join("; ")));
        let (unjudged, incomplete) = (list("Not judged", &self.unjudged), list("Incomplete", &self.incomplete));
        [calm, unjudged, incomplete].into_iter().flatten().collect()
    }
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
    CalmSummary { calm: enumeration::join(&calm, " and"), unjudged, incomplete }
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
