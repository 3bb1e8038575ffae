//! How topics stand, some at a time: what `status` shows of them, with no more of it held than a page. How it is shown is
//! `status`'.

use std::collections::{BTreeMap, BTreeSet};

use crate::cli::terminal::failure::Failure;
use crate::compare::{MOST_JUDGED, filter_of, health};
use crate::insight::{Illness, meant};
use crate::model::{Between, WindowFit};
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
}

/// All of them, page by page.
pub(super) struct Pages<'s> {
    store: &'s Store,
    after: Option<String>,
    /// Of so many more topics sources are judged, filters are applied, and runs are looked at.
    judge: usize,
    filter: usize,
    look: usize,
    /// Topics whose sources were not judged, so far.
    pub(super) unjudged: usize,
}

impl<'s> Pages<'s> {
    pub(super) fn of(store: &'s Store) -> Self {
        let most = MOST_JUDGED;
        Self { store, after: Some(String::new()), judge: most, filter: most, look: most, unjudged: 0 }
    }

    /// The next page; `None` when there is no more.
    pub(super) async fn next(&mut self) -> Result<Option<Page>, Failure> {
        let Some(after) = self.after.take() else { return Ok(None) };
        let topics = self.store.status(&after, MOST).await?;
        let Some(last) = topics.last() else { return Ok(None) };
        self.after = (topics.len() == MOST as usize).then(|| last.topic.clone());
        let ids: Vec<String> = topics.iter().map(|t| t.topic.clone()).collect();
        let judged = ids.len().min(self.judge);
        self.judge -= judged;
        self.unjudged += ids.len() - judged;
        let ill = if judged > 0 { health(self.store, &ids[..judged]).await?.ill } else { Vec::new() };
        let (filtered, older) = self.told_apart(&ids, &topics).await?;
        let full = self.full(&topics).await?;
        Ok(Some(Page { topics, ill, filtered, older, full }))
    }

    async fn told_apart(
        &mut self,
        ids: &[String],
        topics: &[TopicStatus],
    ) -> Result<(BTreeMap<String, i64>, BTreeMap<String, i64>), Failure> {
        let runs: Vec<String> = topics.iter().filter_map(|t| Some(t.last_run.as_ref()?.run.clone())).collect();
        let of_runs = self.store.older_of(&runs).await?;
        let of_topic = |t: &TopicStatus| Some((t.topic.clone(), *of_runs.get(&t.last_run.as_ref()?.run)?));
        let (mut filtered, mut older) =
            (BTreeMap::new(), topics.iter().filter_map(of_topic).collect::<BTreeMap<_, _>>());
        let definitions = self.store.watched(ids).await?.into_iter().filter_map(|watched| watched.definition);
        for topic in definitions.filter(|topic| !topic.filter.is_none()).take(self.filter) {
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

    async fn full(&mut self, topics: &[TopicStatus]) -> Result<BTreeSet<String>, Failure> {
        let last = topics.iter().filter_map(|t| Some(t.last_run.as_ref()?.run.clone()));
        let last: Vec<String> = last.take(self.look).collect();
        self.look -= last.len();
        let searches = self.store.searches(&last).await?;
        Ok(searches.into_iter().filter(|search| search.saturated).map(|search| search.run).collect())
    }
}

fn count(many: usize) -> i64 {
    i64::try_from(many).unwrap_or(i64::MAX)
}
