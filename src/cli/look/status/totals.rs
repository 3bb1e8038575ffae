//! The totals of `status` over all topics, and each topic in `status --json`.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::budgets::{BudgetLine, budgets, provider_days};
use super::pages::Page;
use crate::cli::terminal::failure::Failure;
use crate::cli::wiring::context::Context;
use crate::model::{PaidUsage, Time, Topic, Undelivered, Usage, UsageByProvider};
use crate::schedule::next_slot;
use crate::store::{DataOrigin, Disk, RunRow, Store, TopicStatus};

/// The totals over all topics.
pub(in crate::cli::look) struct Totals<'c> {
    pub(in crate::cli::look) context: &'c Context,
    configured: HashMap<&'c str, &'c Topic>,
    pub(in crate::cli::look) now: Time,
    /// Today's use of the service and of the other providers.
    pub(in crate::cli::look) used: UsageByProvider,
    pub(in crate::cli::look) budgets: Vec<BudgetLine>,
    pub(in crate::cli::look) undelivered: Undelivered,
    /// The last runs of reports, exports and other jobs that failed.
    pub(in crate::cli::look) failed_jobs: Vec<RunRow>,
    pub(in crate::cli::look) is_sandbox: bool,
    pub(in crate::cli::look) disk: Disk,
    pub(in crate::cli::look) place: String,
}

impl<'c> Totals<'c> {
    pub(in crate::cli::look) async fn read(context: &'c Context, store: &Store) -> Result<Self, Failure> {
        let now = (context.clock)();
        let limited: Vec<String> = context.limited().map(|topic| topic.id.clone()).collect();
        let used = store.usage_by_provider(now.utc_day()).await?;
        let topics_used = store.usage_by_topics(now.utc_day(), &limited).await?;
        let assumed = store.assumed_of_topics(now.utc_day(), &limited).await?;
        let with_assumed =
            |(topic, used): (&String, Usage)| used.with_assumed(assumed.get(topic).copied().unwrap_or_default());
        let topics_used: Vec<PaidUsage> = limited.iter().zip(topics_used).map(with_assumed).collect();
        let channels: Vec<String> = context.config.channels.iter().map(|spec| spec.name.clone()).collect();
        Ok(Self {
            context,
            configured: context.config.topics.iter().map(|topic| (topic.id.as_str(), topic)).collect(),
            now,
            budgets: budgets(context, used.service, &topics_used),
            used,
            undelivered: store.undelivered(Some(&channels)).await?,
            failed_jobs: store.failed_jobs().await?,
            // Before the first search the database does not know the origin; the configuration shows what it will be.
            is_sandbox: store
                .origin()
                .await?
                .map_or_else(|| context.is_sandbox(), |origin| origin == DataOrigin::Sandbox),
            disk: store.disk().await?,
            place: store.location().to_owned(),
        })
    }

    pub(in crate::cli::look) fn next_slot(&self, status: &TopicStatus, page: &Page) -> Option<Time> {
        let stored = page.schedules.get(&status.topic);
        // A topic that runs here from another file has a next slot too.
        let wanted = self.configured.get(status.topic.as_str()).map_or(stored, |topic| topic.schedule.as_ref());
        let policy = wanted.filter(|_| status.paused.is_none())?;
        // A changed schedule starts when it is read.
        let same = stored.is_some_and(|one| (&one.period, &one.timezone) == (&policy.period, &policy.timezone));
        next_slot(policy, status.planned_until.filter(|_| same), self.now)
    }

    pub(in crate::cli::look) fn to_json(&self, unjudged: usize) -> Value {
        let PaidUsage { calls, cost } = self.used.service;
        // `unjudged` is the former name of `unscored`, until 1.0.
        json!({ "sandbox": self.is_sandbox, "database": self.place, "calls_today": calls,
            "max_calls_per_day": self.context.config.service.max_calls_per_day, "budget_clears_at": self.now.next_utc_day(),
            "budgets": self.budgets, "providers": provider_days(self.context, &self.used), "unscored": unjudged, "unjudged": unjudged,
            "undelivered": self.undelivered, "failed_jobs": self.failed_jobs, "disk": self.disk, "topics": [],
            "cost_usd": cost.total, "assumed_usd": cost.assumed })
    }

    pub(super) fn topic_to_json(&self, status: &TopicStatus, page: &Page) -> Value {
        let first_seen = status.last_run.as_ref().and_then(|run| page.first_seen.get(&run.run));
        let (state, silences) = (page.state_word(status), page.silences_of(&status.topic).collect::<Vec<_>>());
        let new_at_least = status
            .last_run
            .as_ref()
            .is_some_and(|run| page.full.contains(&run.run) || page.incomplete.contains(&run.run));
        // `standing` is the former name of `state` and `ill` of `silent_sources`, until 1.0.
        json!({ "topic": status.topic, "title": status.title, "state": state, "standing": state, "items": status.items,
            "last_run": status.last_run, "new_at_least": new_at_least, "new_filtered": first_seen.and_then(|first| first.filtered),
            "new_older": first_seen.map(|first| first.older), "new_baseline": first_seen.map(|first| first.baseline), "silent_sources": silences, "ill": silences,
            "last_success": status.last_success, "next_slot": self.next_slot(status, page),
            "overdue_since": status.overdue_since(self.now), "paused": status.paused })
    }
}
