//! The search of one source in a run: decides how far back it is asked and whether it is needed, and adds what it found.
//! `fetch` and `provider_calls` make the calls.

use super::look_back::{self, Plan};
use super::outcome::run_outcome;
use super::outcome::search_outcome::{self, RunFindings};
use super::providers::provider;
use super::{Collector, Stop};
use crate::model::{LookBack, QueryHistory, Source, Time, about_items};
use crate::search::SearchQuery;
use crate::store::{RunRef, StoreError};

impl Collector {
    /// Searches one source, and adds what it found. `given_plan` replaces the plan over what is not covered yet.
    pub(super) async fn search(
        &self,
        run: &RunRef,
        source: Source,
        seen_at: Time,
        given_plan: Option<&Plan>,
        stop: &Stop,
        found: &mut RunFindings,
    ) -> Result<(), StoreError> {
        let Some(search_query) = SearchQuery::of(&run.topic, source) else { return Ok(()) };
        let plan = match given_plan {
            Some(plan) => plan.clone(),
            None => self.plan(run, source, seen_at).await?,
        };
        let search_query = plan.apply(&self.settings, search_query);
        // A refusal or an interrupt is a better reason.
        let refused = self.served(source).is_some_and(|served| served.refused_at(source, seen_at).is_some());
        let not_needed = match source {
            Source::Ai if !refused && !stop.cancel.is_cancelled() => {
                self.ai_not_needed(&run.topic, &found.searches, &found.findings, seen_at).await?
            }
            _ => None,
        };
        if let (SearchQuery::Provider(query, over), None) = (&search_query, not_needed) {
            let items = match about_items(&query.kind) {
                true => self.prompt_items(&run.topic, &found.findings).await?,
                false => Vec::new(),
            };
            if about_items(&query.kind) && items.is_empty() {
                let reason = run_outcome::no_prompt_items_reason(&found.searches);
                found.searches.push(search_outcome::not_run(source, &search_query, reason));
                return Ok(());
            }
            let (over, why) = (*over, plan.why.as_deref());
            let asking = provider::ProviderQueryContext { source, ask: &search_query, query, over, why, items: &items };
            let provider_answer = self.ask_provider(run, &asking, seen_at, stop).await?;
            found.findings.extend(provider_answer.findings);
            found.answer = provider_answer.answer.or(found.answer.take());
            found.memory.extend(provider_answer.memory.into_iter().map(|one| (source, one)));
            found.searches.push(provider_answer.fetched);
            return Ok(());
        }
        let fetched = match not_needed {
            Some(reason) => search_outcome::not_run(source, &search_query, reason),
            None => self.fetch(run, source, &search_query, seen_at, stop).await?,
        };
        let requested_span = look_back::requested_span(&self.settings, &search_query, seen_at);
        let recall = match requested_span {
            Some(span) if source == Source::Social && fetched.is_answered() => {
                self.store.query_history(&run.topic.id, &fetched.question(), span, seen_at).await?
            }
            _ => QueryHistory::default(),
        };
        let otherwise = LookBack::from(run.topic.window).span(seen_at);
        let mut over = search_outcome::SearchSpan { requested_span, otherwise, why: plan.why.as_deref(), recall };
        let (first, names_limit) = (found.findings.len(), fetched.names_limit());
        let mut fetched = fetched.ingest(seen_at, &over, &self.settings, &mut found.findings, &mut found.answer);
        if let Some(names_limit) = names_limit {
            let own = found.findings.get(first..).unwrap_or_default();
            over.recall.forgotten = self.forgotten_keys(own, &over.recall).await?;
            fetched.set_coverage(&search_query, &over, own, names_limit, seen_at);
        }
        found.searches.push(fetched);
        Ok(())
    }

    /// Returns how far back a source is asked, given what it covered before.
    async fn plan(&self, run: &RunRef, source: Source, seen_at: Time) -> Result<Plan, StoreError> {
        if look_back::can_look_further(&self.settings, &run.topic, source).is_none() {
            return Ok(Plan::AS_ALWAYS);
        }
        let covered_until = self.store.covered_until(&run.topic.id, source, seen_at).await?;
        let plan = Plan::over_gap(&self.settings, &run.topic, source, covered_until, seen_at);
        if let Some(why) = &plan.why {
            tracing::info!(run = %run.public_id, topic = %run.topic.id, %source, "{why}");
        }
        Ok(plan)
    }
}
