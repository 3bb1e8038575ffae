//! A line for each topic at the top of the page, so that the first screen of a phone shows the main points; quiet
//! topics share one line. `What matters`, below, reports what is unusual.

use maud::{Markup, html};

use super::super::document::Report;
use super::super::facts::TopicFacts;
use super::super::format::{self, at_least, percent};
use super::super::measures::MIN_SAMPLE;
use super::links::{anchor, change};
use crate::model::Tone;

/// More topics than this are folded, so that what matters comes first.
const MANY: usize = 12;

/// The maximum number of terms in a topic's line.
const TERMS: usize = 3;

pub(super) fn topics(report: &Report) -> Markup {
    let (quiet, loud): (Vec<&TopicFacts>, Vec<&TopicFacts>) =
        report.topics.iter().partition(|topic| report.is_quiet(topic));
    let list = html! {
        ul.glance {
            @for topic in loud { li { (line(report, topic)) } }
            @if !quiet.is_empty() { li.quiet { "Quiet: " @for (place, topic) in quiet.iter().enumerate() { @if place > 0 { ", " } (link(topic)) } "." } }
        }
    };
    html! {
        @if report.topics.len() > MANY {
            nav aria-label="Topics" { details { summary { (format::count_noun(report.topics.len() as u64, "topic")) } (list) } }
        } @else if !report.topics.is_empty() {
            nav aria-label="Topics" { (list) }
        }
    }
}

fn link(topic: &TopicFacts) -> Markup {
    html! { a href=(anchor(&topic.id, "")) { (topic.title) } }
}

fn line(report: &Report, topic: &TopicFacts) -> Markup {
    let enough = topic.tone.period.sample() >= MIN_SAMPLE;
    let negative = topic.tone.shares.iter().find(|(sound, _)| *sound == Tone::Negative).filter(|_| enough);
    let watched = topic.began.is_some() && !topic.unwatched;
    html! {
        (link(topic)) " "
        @if watched {
            strong { (at_least(topic.period.raw, topic.may_be_more())) } @if topic.period.raw == 1 { " item, " } @else { " items, " }
            (change(report, topic))
            @if let Some((_, share)) = negative { ", " (percent(share.share)) " negative" }
            @for (place, term) in topic.terms.terms.iter().take(TERMS).enumerate() { @if place == 0 { "; news: " } @else { ", " } bdi { (format::line(&term.term, 30)) } }
        } @else { (change(report, topic)) }
    }
}
