//! The report of a day, a week or a month: what a period brought, topic by topic, as one self-contained HTML page, or
//! as Markdown with the same facts. It reads one moment of the store and computes with `insight`. Who gets it, and
//! when, is decided elsewhere.
//!
//! ```text
//! spec, topics, span -> gather (store::ReadSnapshot, insight::daily), changes (compare) -> facts -> highlights ->
//! html | markdown
//! ```

mod ad_hoc;
mod answer;
mod changes;
mod comparison;
mod coverage;
mod document;
mod facts;
mod gather;
mod highlights;
mod html;
mod items;
mod markdown;
mod period;
#[cfg(test)]
mod regressions;
#[cfg(test)]
mod samples;
mod shares;
mod sql;
mod terms;

use crate::draw::{answer_text, chart, format};
use crate::model::{DataOrigin, ReportSpec, ReportWindow, Span, Time, Topic};
use crate::store::{Store, StoreError};
use coverage::costs;

pub use ad_hoc::ad_hoc_spec;
pub use comparison::calendar::{BeforeFacts, CalendarFacts, PartFacts, PeriodFigures};
pub use comparison::measures::{EarlierDay, FoundBy, NamedCause, SourceShare, ToneFacts, Voice, WhyFacts};
pub use document::Report;
pub use facts::*;
pub use highlights::matter::Highlight;
pub use period::{paths, report_span, span_before_skipped, span_of_date, span_of_name};
pub use shares::voice_parts::{VoiceCell, VoicePart};
pub use terms::rest_words;

/// About how many rows of items all topics have together.
const ROWS: usize = 400;

/// Makes a report about a span from one moment of the store. `topics` are all topics; the spec selects those that
/// belong to it. `since` is the [`Report::seq`] of the previous report, from which a report since the last one
/// continues. `alone` leaves out changed text that only another topic saw and compares terms with no other topic, for
/// readers who may not see all topics.
pub async fn make(
    store: &Store,
    spec: &ReportSpec,
    topics: &[Topic],
    span: Span,
    since: Option<i64>,
    now: Time,
    alone: bool,
) -> Result<Report, StoreError> {
    let mut selected: Vec<&Topic> = topics.iter().filter(|topic| spec.covers(topic)).collect();
    // The stored definitions do not know the order in the file, so it comes from the spec.
    let place = |topic: &Topic| spec.topics.iter().position(|id| *id == topic.id).unwrap_or(usize::MAX);
    selected.sort_by(|a, b| place(a).cmp(&place(b)).then_with(|| a.id.cmp(&b.id)));
    let compared = Span { from: gather::reads_from(spec, span), until: Time(now.0.saturating_add(1)) };
    let mut query_changes = Vec::with_capacity(selected.len());
    for topic in &selected {
        query_changes.push(store.query_changes(&topic.id, compared).await?);
    }
    let mut snapshot = store.snapshot().await?;
    let seq = match spec.window {
        // Items first seen by later runs count on later days, too: readers continue from here and may see some of them
        // again.
        window if window.is_calendar() => snapshot.last_seq_until(span.until, now).await?,
        _ => snapshot.last_seq().await?,
    };
    let since = since.filter(|_| spec.window == ReportWindow::SinceLast);
    let is_in_group = |topic: &Topic| spec.group.as_ref().is_none_or(|group| topic.tags.contains(group));
    let voices: Vec<&Topic> = selected.iter().copied().filter(|topic| is_in_group(topic)).collect();
    let by_source = voices.len() > 1 && voices.iter().any(|topic| shares::source_shares::has_several_sources(topic));
    let voice_sources = shares::voice_sources::read(&mut snapshot, &voices, span, now).await?;
    let voice_pruned = shares::voice_sources::are_pruned(&mut snapshot, &voices, span, voice_sources.as_ref()).await?;
    // A report of many topics is no longer than one of few.
    let rows = (ROWS / selected.len().max(1)).clamp(25, 150);
    let mut gathered = Vec::with_capacity(selected.len());
    for (topic, query_changes) in selected.iter().zip(&query_changes) {
        let is_heard = is_in_group(topic);
        let about = period::ReportScope {
            span,
            since,
            now,
            by_source: by_source && is_heard,
            voice_sources: voice_sources.as_ref().filter(|_| is_heard),
            alone,
        };
        gathered.push(gather::topic(&mut snapshot, spec, topic, about, query_changes, rows).await?);
    }
    let removed = match spec.covers_all() && !alone {
        true => costs::of_removed_topics(&mut snapshot, topics, span).await?,
        false => None,
    };
    let sandbox = snapshot.origin().await?.or(store.search_origin()) == Some(DataOrigin::Sandbox);
    snapshot.end().await?;
    for (topic, facts) in selected.iter().zip(&mut gathered).filter(|(_, facts)| facts.began.is_some()) {
        changes::read(store, topic, facts, span, now, alone).await?;
    }
    crate::failpoint::at_of("report/read", &spec.name);
    let compared: Vec<&TopicFacts> =
        selected.iter().zip(&gathered).filter(|(topic, _)| is_in_group(topic)).map(|(_, facts)| facts).collect();
    let (matters, matters_left_out) = highlights::of(&gathered, span, now, &spec.timezone);
    let each = gathered.iter().map(|topic| costs::PeriodCost { total: topic.cost, assumed: topic.assumed });
    let cost = each.chain(removed).fold(costs::PeriodCost::NOTHING, costs::PeriodCost::plus);
    let voice = shares::share_of_voice::of(&compared, voice_sources.as_ref());
    Ok(Report {
        name: spec.name.clone(),
        ad_hoc: false,
        title: spec.title.clone(),
        timezone: spec.timezone.clone(),
        window: spec.window,
        span,
        date: period::label(spec.window, span, &spec.timezone),
        made_at: now,
        since,
        seq,
        sandbox,
        group: spec.group.clone(),
        matters,
        matters_left_out,
        voice_parts: shares::voice_parts::of(&compared, &voice),
        voice,
        cost: cost.total,
        topics: gathered,
        assumed: cost.assumed,
        removed_topics: removed.and_then(|removed| removed.total),
        voice_sources,
        voice_pruned,
    })
}

impl Report {
    /// Returns one HTML page that loads nothing and runs nothing.
    #[must_use]
    pub fn html(&self) -> String {
        html::page(self)
    }

    /// Returns the page for mail programs, without style sheet, charts and folded parts.
    #[must_use]
    pub fn mail(&self) -> String {
        html::mail(self)
    }

    /// Returns the command that makes it again.
    fn command(&self) -> String {
        let period = match self.window {
            ReportWindow::Day => format!(" --date {}", self.date),
            ReportWindow::Week => format!(" --week {}", self.date),
            ReportWindow::Month => format!(" --month {}", self.date),
            ReportWindow::SinceLast => String::new(),
        };
        format!("topicwatch report {}{period}", self.name)
    }

    /// Returns what made it: a command that names it, if it is in the configuration.
    fn made_by(&self) -> String {
        if self.ad_hoc { "topicwatch".to_owned() } else { format!("topicwatch report {}", self.name) }
    }

    /// Returns the same facts as Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        markdown::page(self)
    }

    /// Returns the subject line of a message, without a line break.
    #[must_use]
    pub fn subject(&self) -> String {
        let describe = |m: &Highlight| {
            let after = m.after_title();
            // A sentence that starts with a verb is the first of several, which is enough.
            let is_reason = after == " ";
            let sentence = if is_reason { m.sentence.split(". ").next().unwrap_or_default() } else { &m.sentence };
            // With several topics, it names the topic.
            let named = self.topics.len() > 1 || is_reason;
            let title = self.topics.iter().find(|topic| named && topic.id == m.topic).map(|topic| &*topic.title);
            let title = title.map_or_else(String::new, |title| format!("{}{after}", format::line(title, 60)));
            format!(": {title}{}", format::line(sentence, 120))
        };
        let first = self.matters.first().map_or_else(String::new, describe);
        let sandbox = if self.sandbox { "[SANDBOX] " } else { "" };
        format!("{sandbox}{} {}{first}", format::line(&self.title, 80), self.date)
    }
}

#[cfg(test)]
mod tests {
    use super::samples::{report, topic};
    use super::*;

    #[test]
    fn the_subject_of_a_report_of_several_topics_names_the_topic() {
        let subject_of = |topics| {
            let mut report = report(topics);
            let sentence = "web is failing here.".to_owned();
            report.matters = vec![Highlight { weight: 1, topic: "a".into(), section: "", kind: "source", sentence }];
            report.subject()
        };
        let title = topic("a").title;
        assert_eq!(subject_of(vec![topic("a")]), "Daily 1970-01-01: web is failing here.");
        assert_eq!(
            subject_of(vec![topic("a"), topic("b")]),
            format!("Daily 1970-01-01: {title}: web is failing here.")
        );
        let mut early = report(vec![topic("a")]);
        let sentence = "was not watched yet in this period. Its first run was at 1970-01-02 00:00.".to_owned();
        early.matters = vec![Highlight { weight: 50, topic: "a".into(), section: "", kind: "not run", sentence }];
        assert_eq!(early.subject(), format!("Daily 1970-01-01: {title} was not watched yet in this period"));
        let sentence = "was not searched in the period".to_owned();
        let matters = vec![Highlight { kind: "not asked", sentence, ..early.matters[0].clone() }];
        let unsearched = Report { matters, ..early.clone() };
        assert_eq!(unsearched.subject(), format!("Daily 1970-01-01: {title} was not searched in the period"));
        // It may have run without results.
        assert!(early.markdown().contains("(no results) was not watched yet"), "{}", early.markdown());
    }
}
