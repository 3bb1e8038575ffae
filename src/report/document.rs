//! A report as a whole, before it is written down: its topics, what matters, and sentences about all of it. How it comes about
//! is `make`'s, how it looks `html`'s and `markdown`'s.

use super::facts::{ChangeFacts, TopicFacts};
use super::format;
use super::matter::Matter;
use super::measures::Voice;
use super::voice_parts::VoicePart;
use crate::model::{Micros, ReportWindow, Span, Time};

/// A report: everything it says.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Report {
    pub name: String,
    /// Name shown to people.
    pub title: String,
    /// IANA zone of its days.
    pub timezone: String,
    /// A local day, week or month, or since the last one.
    pub window: ReportWindow,
    /// What it is about.
    pub span: Span,
    /// `2026-03-11`, `2026-W11`, `2026-03`, or two dates.
    pub date: String,
    /// Everything that was known at this instant is in it.
    pub made_at: Time,
    /// Of reports that follow one another: it tells what runs with later numbers saw first …
    pub since: Option<i64>,
    /// … up to this one: the last that readers could see, or, of a day, the last before any run that began after it.
    pub seq: i64,
    /// Its findings were made up.
    pub sandbox: bool,
    /// Whose voices are compared.
    pub group: Option<String>,
    /// What matters, the heaviest first.
    pub matters: Vec<Matter>,
    /// Sentences beyond these.
    pub matters_left_out: usize,
    /// Shares of voice; empty for a single topic.
    pub voice: Vec<Voice>,
    /// The same over the days of a week or the weeks of a month.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub voice_parts: Vec<VoicePart>,
    /// What the period's searches of all topics cost; `None` where that of one was pruned and nobody counted it before.
    pub cost: Option<Micros>,
    /// Topics: those that it names in its order, all others by id.
    pub topics: Vec<TopicFacts>,
}

impl Report {
    /// What the searches of the period cost, in a sentence.
    pub(super) fn cost_words(&self) -> String {
        let told = |cost: Micros| format!("Searches cost {cost}.");
        self.cost.map_or_else(|| "What its searches cost is not kept.".to_owned(), told)
    }

    /// Whether the period had passed when the report was made.
    pub(super) fn over(&self) -> bool {
        self.span.until <= self.made_at
    }

    /// When something of its lists was.
    pub(super) fn dated(&self, at: Time) -> String {
        format::dated(at, self.span.until, &self.timezone)
    }

    /// Topics of the share of voice of which many posts hold no word of the question: their titles, and what is said.
    pub(super) fn astray(&self) -> impl Iterator<Item = (&str, String)> {
        let heard = |topic: &&TopicFacts| self.voice.iter().any(|voice| voice.topic == topic.id);
        self.topics.iter().filter(heard).filter_map(|topic| Some((&*topic.title, topic.relevance_sentence()?)))
    }

    /// What happened, and how far to trust it.
    pub(super) fn news_and_trust(&self) -> (&[Matter], &[Matter]) {
        self.matters.split_at(self.matters.iter().take_while(|matter| matter.is_news()).count())
    }

    /// Whether a topic has nothing of the period to show: no item, nothing that rose, changed or went, no sentence above.
    pub(super) fn is_quiet(&self, topic: &TopicFacts) -> bool {
        let lists = [&topic.top_posts, &topic.top_pages, &topic.negative, &topic.positive];
        let still = |c: &ChangeFacts| c.edits.is_empty() && c.lost.is_empty() && c.queries.is_empty();
        topic.period.raw == 0
            && topic.began.is_some()
            && !topic.unwatched
            && topic.answer.is_none()
            && topic.rising.is_empty()
            && topic.ill.is_empty()
            && lists.iter().all(|list| list.is_empty())
            && topic.changes.as_ref().is_none_or(still)
            && self
                .matters
                .iter()
                .all(|matter| matter.topic != topic.id || ["not asked", "hole"].contains(&matter.kind))
    }

    /// How many sentences were left out, if any.
    pub(super) fn more_matters(&self) -> Option<String> {
        (self.matters_left_out > 0).then(|| {
            format!(
                "{} of less weight not listed; the overview has every topic.",
                format::counted(self.matters_left_out as u64, "sentence")
            )
        })
    }
}
