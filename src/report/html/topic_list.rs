//! A line for each topic at the top of the page, so that the first screen of a phone shows the main points; quiet
//! topics share one line, and so do those of which nothing is known. Of very many topics, those that matter most are
//! listed and the others are folded. `What matters`, below, reports what is unusual.

use std::cmp::Reverse;

use maud::{Markup, html};

use super::super::document::Report;
use super::super::facts::TopicFacts;
use super::super::format::{self, at_least, count_noun, percent};
use super::links::{change, title_link};
use crate::model::Tone;
use crate::report::comparison::measures::MIN_SAMPLE;

/// More topics than this do not fit on the first screen of a phone.
const MANY: usize = 12;

/// Topics listed when there are more than `MANY`. Fewer, since two lines follow: other topics, and quiet ones.
const LISTED: usize = 10;

/// With more topics than this, a phone shows at most two lines of each.
const FEW: usize = 6;

/// The maximum length of a topic's title in its line, in characters.
const TITLE: usize = 60;

/// The maximum number of terms in a topic's line.
const TERMS: usize = 3;

pub(super) fn topics(report: &Report) -> Markup {
    if report.topics.is_empty() {
        return html! {};
    }
    let (quiet, mut active): (Vec<&TopicFacts>, Vec<&TopicFacts>) =
        report.topics.iter().partition(|topic| report.is_quiet(topic));
    let mut rest = Vec::new();
    if active.len() > MANY {
        active.sort_by_key(|topic| (rank_in_highlights(report, topic), Reverse(topic.period.raw)));
        rest = active.split_off(LISTED);
    }
    let (unknown, quiet): (Vec<&TopicFacts>, Vec<&TopicFacts>) =
        quiet.into_iter().partition(|topic| topic.is_unsearched());
    let (uncertain, quiet): (Vec<&TopicFacts>, Vec<&TopicFacts>) =
        quiet.into_iter().partition(|topic| topic.may_be_more());
    let is_many = report.topics.len() > MANY;
    let class = if active.len() > FEW { "glance many" } else { "glance" };
    html! {
        nav aria-label="Topics" {
            ul class=(class) {
                @for topic in active { li { (line(report, topic)) } }
                @for (label, counted, topics) in [("Quiet: ", "quiet topic", &quiet), ("None found, but there may be more: ", "topic", &uncertain), ("Nothing known: ", "topic", &unknown)] {
                    @if !topics.is_empty() && is_many { li.quiet { a href="#quiet-title" { @if counted == "topic" { (label) } (count_noun(topics.len() as u64, counted)) } } }
                    @else if !topics.is_empty() { li.quiet { (label) @for (place, topic) in topics.iter().enumerate() { @if place > 0 { ", " } (link(topic)) } "." } }
                }
            }
            @if !rest.is_empty() {
                details.more { summary { (count_noun(rest.len() as u64, "more topic")) } ul.glance { @for topic in rest { li { (line(report, topic)) } } } }
            }
        }
    }
}

/// Returns the place of a topic's first sentence in `What matters`, which has the most important first.
fn rank_in_highlights(report: &Report, topic: &TopicFacts) -> usize {
    report.matters.iter().position(|matter| matter.topic == topic.id).unwrap_or(usize::MAX)
}

fn link(topic: &TopicFacts) -> Markup {
    title_link(&topic.id, "", &format::line(&topic.title, TITLE))
}

fn line(report: &Report, topic: &TopicFacts) -> Markup {
    let enough = topic.tone.period.sample() >= MIN_SAMPLE;
    let negative = topic.tone.shares.iter().find(|(sound, _)| *sound == Tone::Negative).filter(|_| enough);
    let watched = topic.began.is_some() && !topic.unwatched;
    let news = &topic.terms.terms;
    html! {
        (link(topic)) " "
        @if watched {
            strong { (at_least(topic.period.raw, topic.may_be_more())) } @if topic.period.raw == 1 { " item, " } @else { " items, " }
            (change(report, topic))
            // Terms say more: where there is little room, they come first.
            @if let Some((_, share)) = negative { span class=[(!news.is_empty()).then_some("spare")] { ", " (percent(share.share)) " negative" } }
            @for (place, term) in news.iter().take(TERMS).enumerate() { @if place == 0 { "; news: " } @else { ", " } bdi { (format::line(&term.term, 30)) } }
        } @else { (change(report, topic)) }
    }
}
