//! How topics stand, some at a time: what `status` shows of them, with no more of it held than a page. How it is shown is
//! `status`'.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::cli::terminal::failure::Failure;
use crate::compare::{MOST_JUDGED, filter_of, health};
use crate::insight::{Illness, meant};
use crate::model::{Between, Paused, PausedBy, SchedulePolicy, SearchState, Topic, WindowFit};
use crate::store::{Store, TopicStatus};

/// Topics of a page.
const MOST: u32 = 500;

/// Some topics, by id, and what is known of their last runs.
#[derive(Default)]
pub(super) struct Page {
    pub(super) topics: Vec<TopicStatus>,
    /// Sources that are stale or silent.
    pub(super) ill: Vec<Illness>,
    /// Of the new ones of each topic's last run: how many its filter hides, for topics with one.
    pub(super) filtered: BTreeMap<String, i64>,
    /// How many of the others were older than their window.
    pub(super) older: BTreeMap<String, i64>,
    /// The last runs in which a source returned as much as it could.
    pub(super) full: BTreeSet<String>,
    /// The sources that failed in the last runs, with the classes of their errors, by run.
    pub(super) failed: BTreeMap<String, Vec<String>>,
    /// The schedules in force.
    pub(super) schedules: BTreeMap<String, SchedulePolicy>,
}

/// All of them, page by page: those that are watched, then those that are configured and that nobody watches yet.
pub(super) struct Pages<'s> {
    store: &'s Store,
    after: Option<String>,
    configured: &'s [Topic],
    unseen: HashSet<&'s str>,
    /// Of so many more topics sources are judged, filters are applied, and runs are looked at.
    judge: usize,
    filter: usize,
    look: usize,
    /// Topics whose sources were not judged, so far.
    pub(super) unjudged: usize,
}

impl<'s> Pages<'s> {
    pub(super) fn of(store: &'s Store, configured: &'s [Topic]) -> Self {
        let (most, unseen) = (MOST_JUDGED, configured.iter().map(|topic| topic.id.as_str()).collect());
        Self {
            store,
            after: Some(String::new()),
            configured,
            unseen,
            judge: most,
            filter: most,
            look: most,
            unjudged: 0,
        }
    }

    /// The next page; `None` when there is no more.
    pub(super) async fn next(&mut self) -> Result<Option<Page>, Failure> {
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

    /// Some configured topics that nobody watches yet, in the order of the file. One that was removed once and is back has its
    /// past all the same.
    async fn unwatched(&mut self) -> Result<Vec<TopicStatus>, Failure> {
        let mut new = Vec::new();
        while new.len() < MOST as usize
            && let Some((topic, rest)) = self.configured.split_first()
        {
            self.configured = rest;
            new.extend(self.unseen.remove(topic.id.as_str()).then_some(topic));
        }
        let ids: Vec<String> = new.iter().map(|topic| topic.id.clone()).collect();
        let mut known: BTreeMap<String, TopicStatus> =
            self.store.status_of(&ids).await?.into_iter().map(|t| (t.topic.clone(), t)).collect();
        Ok(new.into_iter().map(|topic| unwatched(topic, known.remove(&topic.id))).collect())
    }

    async fn page(&mut self, topics: Vec<TopicStatus>) -> Result<Page, Failure> {
        // Of what nobody watches and that never ran there is nothing to judge.
        let known = topics.iter().filter(|t| t.planned_until.is_some() || t.last_run.is_some());
        let ids: Vec<String> = known.map(|t| t.topic.clone()).collect();
        let judged = ids.len().min(self.judge);
        self.judge -= judged;
        self.unjudged += ids.len() - judged;
        let ill = if judged > 0 { health(self.store, &ids[..judged]).await?.ill } else { Vec::new() };
        let (mut definitions, mut schedules) = (Vec::new(), BTreeMap::new());
        // An empty list would name all.
        let watched = if ids.is_empty() { Vec::new() } else { self.store.watched(&ids).await? };
        for watched in watched {
            let Some(topic) = watched.definition else { continue };
            if let (None, Some(policy)) = (watched.ended, &topic.schedule) {
                schedules.insert(topic.id.clone(), policy.clone());
            }
            definitions.push(topic);
        }
        let (filtered, older) = self.told_apart(definitions, &topics).await?;
        let (full, failed) = self.last_searches(&topics).await?;
        Ok(Page { topics, ill, filtered, older, full, failed, schedules })
    }

    async fn told_apart(
        &mut self,
        definitions: Vec<Topic>,
        topics: &[TopicStatus],
    ) -> Result<(BTreeMap<String, i64>, BTreeMap<String, i64>), Failure> {
        let runs: Vec<String> = topics.iter().filter_map(|t| Some(t.last_run.as_ref()?.run.clone())).collect();
        let of_runs = self.store.older_of(&runs).await?;
        let of_topic = |t: &TopicStatus| Some((t.topic.clone(), *of_runs.get(&t.last_run.as_ref()?.run)?));
        let (mut filtered, mut older) =
            (BTreeMap::new(), topics.iter().filter_map(of_topic).collect::<BTreeMap<_, _>>());
        for topic in definitions.into_iter().filter(|topic| !topic.filter.is_none()).take(self.filter) {
            self.filter -= 1;
            let last = topics.iter().find(|t| t.topic == topic.id).and_then(|t| t.last_run.as_ref()?.seq);
            let Some(seq) = last else { continue };
            let first = self.store.first_sights(&topic.id, Between { since: seq - 1, until: seq }).await?;
            let filter = filter_of(&topic);
            let hidden = first.iter().filter(|first| !meant(&filter, &first.item));
            let hidden: Vec<String> = hidden.map(|first| first.item.key.clone()).collect();
            if let Some(older) = older.get_mut(&topic.id) {
                let fits = self.store.first_fits(Some(&topic.id), &hidden).await?;
                *older -= count(fits.values().filter(|fit| **fit == WindowFit::Outside).count());
            }
            filtered.insert(topic.id, count(hidden.len()));
        }
        Ok((filtered, older))
    }

    /// The runs in which a source returned as much as it could, and what failed in each.
    async fn last_searches(
        &mut self,
        topics: &[TopicStatus],
    ) -> Result<(BTreeSet<String>, BTreeMap<String, Vec<String>>), Failure> {
        let last = topics.iter().filter_map(|t| Some(t.last_run.as_ref()?.run.clone()));
        let last: Vec<String> = last.take(self.look).collect();
        self.look -= last.len();
        let searches = self.store.searches(&last).await?;
        let (mut full, mut failed) = (BTreeSet::new(), BTreeMap::<String, Vec<String>>::new());
        // Only the last attempt of a run counts.
        let mut attempts = BTreeMap::<&str, i64>::new();
        for search in &searches {
            let attempt = attempts.entry(&search.run).or_default();
            *attempt = search.attempt.max(*attempt);
        }
        for search in &searches {
            if search.saturated {
                full.insert(search.run.clone());
            }
            let lost = (search.state == SearchState::Lost).then_some("lost");
            if let (Some(class), Some(attempt)) = (search.error_class.as_deref().or(lost), attempts.get(&*search.run))
                && search.attempt == *attempt
            {
                failed.entry(search.run.clone()).or_default().push(format!("{} ({class})", search.source));
            }
        }
        Ok((full, failed))
    }
}

/// A topic of the file that is not watched yet, and what the database knows of it from before.
fn unwatched(topic: &Topic, known: Option<TopicStatus>) -> TopicStatus {
    let by_file = topic.schedule.as_ref().is_some_and(|policy| policy.paused);
    let before = known.as_ref().and_then(|known| known.paused.clone());
    let paused = if by_file {
        Some(Paused { by: PausedBy::File, since: None, reason: None })
    } else {
        before.filter(|paused| paused.by == PausedBy::Pause)
    };
    let (topic, title) = (topic.id.clone(), topic.title.clone());
    match known {
        Some(known) => TopicStatus { title, paused, planned_until: None, ..known },
        None => TopicStatus { topic, title, items: 0, last_run: None, last_success: None, planned_until: None, paused },
    }
}

fn count(many: usize) -> i64 {
    i64::try_from(many).unwrap_or(i64::MAX)
}
