//! A report as plain data: its topics, what matters, and sentences about all of it. `make` builds it; `html` and
//! `markdown` format it.

use std::collections::BTreeSet;

use super::comparison::measures::Voice;
use super::facts::{ChangeFacts, TopicFacts};
use super::format;
use super::highlights::matter::Highlight;
use super::shares::voice_parts::VoicePart;
use crate::model::{Micros, ReportWindow, SearchCost, Source, Span, Time};

/// A report with everything it contains.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Report {
    pub name: String,
    /// Whether it is not in the configuration, so that no command takes its name.
    #[serde(skip)]
    pub ad_hoc: bool,
    /// The name shown to people.
    pub title: String,
    /// The IANA time zone of its days.
    pub timezone: String,
    /// A local day, week or month, or the time since the last report.
    pub window: ReportWindow,
    /// The span it covers.
    pub span: Span,
    /// `2026-03-11`, `2026-W11`, `2026-03`, or two dates.
    pub date: String,
    /// When it was made. It contains everything known by then.
    pub made_at: Time,
    /// For reports that follow one another: it covers sequence numbers above this one …
    pub since: Option<i64>,
    /// … up to this one: the last one visible to readers, or, for a report of days, the last before any run that
    /// started after it.
    pub seq: i64,
    /// Whether its findings are invented by the sandbox.
    pub sandbox: bool,
    /// The group of topics in the share of voice.
    pub group: Option<String>,
    /// What matters, by weight.
    pub matters: Vec<Highlight>,
    /// The number of sentences left out.
    pub matters_left_out: usize,
    /// Shares of voice; empty for a single topic.
    pub voice: Vec<Voice>,
    /// The shares of voice for each day of a week or week of a month.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub voice_parts: Vec<VoicePart>,
    /// The cost of all searches in the period; `None` if searches of a topic were pruned without being counted before.
    pub cost: Option<Micros>,
    /// The topics: those named in the specification in its order, all others by id.
    pub topics: Vec<TopicFacts>,
    /// How much of the cost was assumed from a price; `None` if some searches were pruned.
    #[serde(rename = "assumed_usd")]
    pub assumed: Option<Micros>,
    /// The part of the cost of topics that are no longer configured, in a report of all topics.
    #[serde(rename = "removed_topics_usd", skip_serializing_if = "Option::is_none")]
    pub removed_topics: Option<Micros>,
    /// The sources that shares of voice count: those that all topics had for the whole period. `None` if all topics had
    /// the same sources; empty if they had none in common, so that there are no shares.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub voice_sources: Option<BTreeSet<Source>>,
    /// Whether some runs were pruned that may have shown which sources found what.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub voice_pruned: bool,
}

impl Report {
    /// Returns sentences about the cost of the period's searches.
    pub(super) fn cost_words(&self) -> String {
        let Some(total) = self.cost else { return "The cost of its searches is no longer known.".to_owned() };
        let cost = SearchCost { total, assumed: self.assumed.unwrap_or_default() };
        let removed = self.removed_topics.map_or_else(String::new, |cost| format!(" Removed topics: {cost} of it."));
        let unknown = match self.assumed {
            None if total > Micros(0) => " Some were pruned: it is not known how much of this was assumed.",
            _ => "",
        };
        let least = if self.topics.iter().any(|topic| topic.searches_cut) { "at least " } else { "" };
        format!("Searches cost {least}{cost}.{removed}{unknown}")
    }

    /// Returns what a report since the last one counts: items by run, as no report may miss one, but searches by time.
    pub(super) fn items_note(&self) -> Option<String> {
        let items = match self.since {
            _ if self.window.is_calendar() => return None,
            Some(since) => format!("of the runs stored since the last report (seq above {since})"),
            None => "first seen since the period began".to_owned(),
        };
        Some(format!("Items are those {items}; searches and costs are those of the period."))
    }

    /// Whether the period was over when the report was made.
    pub(super) fn is_over(&self) -> bool {
        self.span.until <= self.made_at
    }

    /// Formats the time of an item in its lists.
    pub(super) fn format_date(&self, at: Time) -> String {
        format::date_time_near(at, self.span.until, &self.timezone)
    }

    /// Returns the topics in the share of voice in which many posts hold no word of the question: title and sentence.
    pub(super) fn irrelevant_topics(&self) -> impl Iterator<Item = (&str, String)> {
        let heard = |topic: &&TopicFacts| self.voice.iter().any(|voice| voice.topic == topic.id);
        self.topics.iter().filter(heard).filter_map(|topic| Some((&*topic.title, topic.relevance_sentence()?)))
    }

    /// Splits what matters into what happened and caveats.
    pub(super) fn news_and_trust(&self) -> (&[Highlight], &[Highlight]) {
        self.matters.split_at(self.matters.iter().take_while(|matter| matter.is_news()).count())
    }

    /// Whether a topic has nothing to show for the period: no item, nothing that rose, changed or disappeared, no
    /// sentence above.
    pub(super) fn is_quiet(&self, topic: &TopicFacts) -> bool {
        let lists = [&topic.top_posts, &topic.top_pages, &topic.negative, &topic.positive];
        let still = |c: &ChangeFacts| c.edits.is_empty() && c.lost.is_empty() && c.queries.is_empty();
        topic.period.raw == 0
            && topic.began.is_some()
            && !topic.unwatched
            && topic.answer.is_none()
            && topic.rising.is_empty()
            && topic.silences.is_empty()
            && lists.iter().all(|list| list.is_empty())
            && topic.changes.as_ref().is_none_or(still)
            && self
                .matters
                .iter()
                .all(|matter| matter.topic != topic.id || ["not asked", "hole"].contains(&matter.kind))
    }

    /// Returns a note about the number of sentences left out, if any.
    pub(super) fn more_matters(&self) -> Option<String> {
        (self.matters_left_out > 0).then(|| {
            format!(
                "{} not shown; the overview lists every topic.",
                format::count_noun(self.matters_left_out as u64, "less important sentence")
            )
        })
    }
}
