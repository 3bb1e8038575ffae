//! The state of topics for `status`, read page by page so that memory holds one page at a time. `status` formats it.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::cli::terminal::failure::Failure;
use crate::compare::{FirstSeen, MOST_JUDGED, first_seen, health};
use crate::insight::{SilenceKind, SourceSilence, status_word};
use crate::model::{Paused, PausedBy, SchedulePolicy, SearchState, Topic};
use crate::store::{RunRow, Store, TopicStatus};

/// Topics per page.
const MOST: u32 = 500;

/// A page of topics, and what is known about their last runs.
#[derive(Default)]
pub(in crate::cli::look) struct Page {
    pub(in crate::cli::look) topics: Vec<TopicStatus>,
    /// Sources that are stale or silent.
    pub(in crate::cli::look) silences: Vec<SourceSilence>,
    /// By run: what the last runs saw first.
    pub(in crate::cli::look) first_seen: BTreeMap<String, FirstSeen>,
    /// The last runs in which a source returned its maximum.
    pub(in crate::cli::look) full: BTreeSet<String>,
    /// The last runs in which a source that finds items failed, or returned nothing in error.
    pub(in crate::cli::look) incomplete: BTreeSet<String>,
    /// By run: the sources that failed in the last run, with their error classes.
    pub(in crate::cli::look) failed: BTreeMap<String, Vec<String>>,
    /// By run: the sources that returned nothing in error in the last run.
    pub(in crate::cli::look) emptied: BTreeMap<String, Vec<String>>,
    /// By topic: the schedules in force.
    pub(in crate::cli::look) schedules: BTreeMap<String, SchedulePolicy>,
}

impl Page {
    /// Returns the stale and silent sources of a topic.
    pub(super) fn silences_of(&self, topic: &str) -> impl Iterator<Item = &SourceSilence> {
        self.silences.iter().filter(move |silence| silence.topic == topic)
    }

    /// Returns the state in one word. A topic whose last run succeeded may still have a stale or silent source.
    pub(super) fn state_word(&self, status: &TopicStatus) -> &'static str {
        let usual = status_word(status);
        let worst = self.silences_of(&status.topic).map(|silence| silence.state).min();
        worst.filter(|_| usual == "ok").map_or(usual, SilenceKind::as_str)
    }
}

/// All topics in pages: first the watched ones, then the configured ones that are not watched yet.
pub(in crate::cli::look) struct Pages<'s> {
    store: &'s Store,
    after: Option<String>,
    configured: &'s [Topic],
    unseen: HashSet<&'s str>,
    /// How many more topics may have their sources judged, and their filter applied.
    checks_left: usize,
    filters_left: usize,
    /// Number of topics whose sources were not judged so far.
    pub(in crate::cli::look) unjudged: usize,
}

impl<'s> Pages<'s> {
    pub(in crate::cli::look) fn of(store: &'s Store, configured: &'s [Topic]) -> Self {
        let (most, unseen) = (MOST_JUDGED, configured.iter().map(|topic| topic.id.as_str()).collect());
        Self {
            store,
            after: Some(String::new()),
            configured,
            unseen,
            checks_left: most,
            filters_left: most,
            unjudged: 0,
        }
    }

    /// Returns the next page, or `None` at the end.
    pub(in crate::cli::look) async fn next(&mut self) -> Result<Option<Page>, Failure> {
        if let Some(after) = self.after.take() {
            let topics = self.store.status(&after, MOST).await?;
            if let Some(last) = topics.last() {
                self.after = (topics.len() == MOST as usize).then(|| last.topic.clone());
                for t in &topics {
                    self.unseen.remove(t.topic.as_str());
                }
                return self.page(topics).await.map(Some);
            }
        }
        let topics = self.unwatched().await?;
        if topics.is_empty() { Ok(None) } else { self.page(topics).await.map(Some) }
    }

    /// Returns a page of configured topics that are not watched yet, in file order. A topic that was removed and added
    /// again still has its history.
    async fn unwatched(&mut self) -> Result<Vec<TopicStatus>, Failure> {
        let mut new = Vec::new();
        while new.len() < MOST as usize
            && let Some((topic, rest)) = self.configured.split_first()
        {
            self.configured = rest;
            new.extend(self.unseen.remove(topic.id.as_str()).then_some(topic));
        }
        let ids: Vec<String> = new.iter().map(|topic| topic.id.clone()).collect();
        let mut stored: BTreeMap<String, TopicStatus> =
            self.store.status_of(&ids).await?.into_iter().map(|t| (t.topic.clone(), t)).collect();
        Ok(new.into_iter().map(|topic| unwatched_status(topic, stored.remove(&topic.id))).collect())
    }

    async fn page(&mut self, topics: Vec<TopicStatus>) -> Result<Page, Failure> {
        // There is nothing to judge about a topic that is not watched and never ran.
        let watched_or_ran = topics.iter().filter(|t| t.planned_until.is_some() || t.last_run.is_some());
        let ids: Vec<String> = watched_or_ran.map(|t| t.topic.clone()).collect();
        let checked = ids.len().min(self.checks_left);
        self.checks_left -= checked;
        self.unjudged += ids.len() - checked;
        let silences = if checked > 0 { health(self.store, &ids[..checked]).await?.silences } else { Vec::new() };
        let (mut definitions, mut schedules) = (Vec::new(), BTreeMap::new());
        // An empty list would mean every topic.
        let watched = if ids.is_empty() { Vec::new() } else { self.store.watched_topics(&ids).await? };
        for watched in watched {
            let Some(topic) = watched.definition else { continue };
            if let (None, Some(policy)) = (watched.ended, &topic.schedule) {
                schedules.insert(topic.id.clone(), policy.clone());
            }
            definitions.push(topic);
        }
        let first_seen = self.count_first_seen(definitions, &topics).await?;
        let page = Page { topics, silences, first_seen, schedules, ..Page::default() };
        self.add_last_searches(page).await
    }

    async fn count_first_seen(
        &mut self,
        mut definitions: Vec<Topic>,
        topics: &[TopicStatus],
    ) -> Result<BTreeMap<String, FirstSeen>, Failure> {
        definitions.retain(|topic| !topic.filter.is_none());
        definitions.truncate(self.filters_left);
        self.filters_left -= definitions.len();
        let last: Vec<&RunRow> = topics.iter().filter_map(|t| t.last_run.as_ref()).collect();
        Ok(first_seen(self.store, &last, &definitions).await?)
    }

    /// Adds the last runs in which a source returned its maximum or failed, and the failed sources of each run.
    async fn add_last_searches(&self, mut page: Page) -> Result<Page, Failure> {
        let last = page.topics.iter().filter_map(|t| Some(t.last_run.as_ref()?.run.clone()));
        let last: Vec<String> = last.collect();
        let searches = self.store.searches(&last).await?;
        // Only the last attempt of a run counts.
        let mut attempts = BTreeMap::<&str, i64>::new();
        for search in &searches {
            let attempt = attempts.entry(&search.run).or_default();
            *attempt = search.attempt.max(*attempt);
        }
        for search in &searches {
            if attempts.get(&*search.run) != Some(&search.attempt) {
                continue;
            }
            if search.saturated {
                page.full.insert(search.run.clone());
            }
            let lost = (search.state == SearchState::Lost).then_some("lost");
            let class = search.error_class.as_deref().or(lost);
            if search.empty_in_error {
                page.emptied.entry(search.run.clone()).or_default().push(search.source.to_string());
            }
            if search.is_incomplete() {
                page.incomplete.insert(search.run.clone());
            }
            if let Some(class) = class {
                page.failed.entry(search.run.clone()).or_default().push(format!("{} ({class})", search.source));
            }
        }
        Ok(page)
    }
}

/// Returns the status of a configured topic that is not watched yet, with what the database knows from before.
fn unwatched_status(topic: &Topic, stored: Option<TopicStatus>) -> TopicStatus {
    let by_file = topic.schedule.as_ref().is_some_and(|policy| policy.paused);
    let before = stored.as_ref().and_then(|stored| stored.paused.clone());
    let paused = if by_file {
        Some(Paused { by: PausedBy::File, since: None, reason: None })
    } else {
        before.filter(|paused| paused.by == PausedBy::Pause)
    };
    let (topic, title) = (topic.id.clone(), topic.title.clone());
    match stored {
        Some(stored) => TopicStatus { title, paused, planned_until: None, next_slot: None, ..stored },
        None => TopicStatus {
            topic,
            title,
            items: 0,
            last_run: None,
            last_success: None,
            planned_until: None,
            next_slot: None,
            paused,
        },
    }
}
