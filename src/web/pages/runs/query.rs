//! The query of the page of runs: its address as a filter, and a sentence that says what is listed.

use maud::{Markup, html};

use crate::draw::format::{at_least_noun, count_noun};
use crate::model::{PaidUsage, RunState, SERVICE, SearchCost, Source, Time, UsageByProvider};
use crate::schedule::parse_instant;
use crate::store::RunFilter;
use crate::web::access::visitor::Visitor;
use crate::web::layout::moment;
use crate::web::page_request::PageRequest;
use crate::web::problem::Problem;
use crate::web::site::Site;

/// The parameters of the page: those of the list, then those of one run.
pub(in crate::web) const PARAMETERS: &[&str] =
    &["topic", "state", "since", "until", "called", "provider", "source", "last", "after", "run", "only", "page"];

/// The most runs that an address may ask for at once: as many as a source alert may look at.
const MOST_LAST: u32 = 1_000;
/// The longest span, in milliseconds, in which runs of all topics are looked through for those that searched a source.
const LONGEST_SPAN: i64 = 31 * 86_400_000;
/// The most runs that are counted.
const COUNTED: u32 = 100_000;

/// Which runs are listed.
pub(super) struct RunQuery {
    pub(super) filter: RunFilter,
    /// Only this many, the latest.
    pub(super) last: Option<u32>,
}

impl RunQuery {
    /// Parses the query of an address. Visitors who do not see all topics get runs of theirs only.
    pub(super) fn of(now: Time, request: &PageRequest) -> Result<Self, Problem> {
        let instant = |name: &str| request.word(name, |text| parse_instant(text, now));
        let topic = request.get("topic").map(|topic| vec![topic.to_owned()]);
        let provider = request.word("provider", |name| Source::parse(name).map(|_| name.to_owned()))?;
        let called = request.word("called", parse_utc_day)?;
        if called.is_none() && provider.is_some() {
            return Err(Problem::bad_request(
                "`provider` needs a day",
                "Add `called`, such as 2026-03-11, to the address.",
            ));
        }
        let filter = RunFilter {
            topics: topic.or_else(|| request.visitor.visible_topics()),
            state: request.word("state", RunState::parse)?,
            since: instant("since")?,
            until: instant("until")?,
            source: request.word("source", Source::parse)?,
            called: called.map(|day| (day, provider)),
        };
        // `source` also chooses among the items of one run.
        let is_bounded = request.get("run").is_some() || request.get("topic").is_some() || filter.called.is_some();
        if filter.source.is_some() && !is_bounded {
            let until = filter.until.unwrap_or(now);
            let is_short = |since: Time| until.0.saturating_sub(since.0) <= LONGEST_SPAN;
            if !filter.since.is_some_and(is_short) {
                return Err(Problem::bad_request(
                    "`source` needs a topic or a span of at most 31 days",
                    "Add `topic`, or `since` and `until`, to the address.",
                ));
            }
        }
        let last = |word: &str| word.parse::<u32>().ok().filter(|last| (1..=MOST_LAST).contains(last));
        Ok(Self { filter, last: request.word("last", last)? })
    }

    /// The number of these runs and what they have in common; `None` unless the address comes from a number.
    pub(super) async fn summary(&self, site: &Site, visitor: &Visitor) -> Result<Option<Markup>, Problem> {
        let RunFilter { since, until, source, called, .. } = &self.filter;
        if since.is_none() && until.is_none() && source.is_none() && called.is_none() && self.last.is_none() {
            return Ok(None);
        }
        let most = self.last.unwrap_or(COUNTED);
        let many = site.store.count_runs(&self.filter, most).await?;
        let is_cut = self.last.is_none() && many == i64::from(most);
        let pruned = match called {
            Some((day, _)) => site.store.pruned_until().await?.filter(|until| *until > Time::of_utc_day(*day)),
            None => None,
        };
        let used = match called {
            // Calls are counted for all topics together. The counts of pruned runs may be gone, too.
            Some((day, provider)) if visitor.sees_all() && pruned.is_none() && self.is_counted() => {
                Some(self.day_usage(site, *day, provider.as_deref()).await?)
            }
            _ => None,
        };
        Ok(Some(html! { p.lead role="status" {
            strong { @if self.last.is_some() { "The last " } (at_least_noun(many.unsigned_abs(), is_cut, "run")) }
            @if let Some(source) = source { " that searched " (source) }
            @if let Some((day, provider)) = called {
                " with calls" @if let Some(provider) = provider { " to " (provider) } " on the UTC day " (Time::of_utc_day(*day).utc_date())
                @if let Some(used) = used { ": " (count_noun(used.calls.unsigned_abs(), "call")) ", " (used.cost.to_string()) }
            }
            @if let Some(since) = since { ", from " (moment(*since, "UTC")) }
            @if let Some(until) = until { ", before " (moment(*until, "UTC")) }
            ". "
            @if let Some(until) = pruned { "Searches of runs before " (moment(until, "UTC")) " were deleted by retention. " }
            a href="/runs" { "All runs" }
        } }))
    }

    /// Whether calls are counted for just what is listed: all of a day, or those of a provider or of a topic.
    fn is_counted(&self) -> bool {
        let RunFilter { topics, state, since, until, source, called } = &self.filter;
        let is_whole = state.is_none() && since.is_none() && until.is_none() && source.is_none() && self.last.is_none();
        let provider = called.as_ref().and_then(|(_, provider)| provider.as_ref());
        is_whole && !(topics.is_some() && provider.is_some())
    }

    /// The use on a UTC day: of a provider or of all, or by the named topic.
    async fn day_usage(&self, site: &Site, day: i64, provider: Option<&str>) -> Result<PaidUsage, Problem> {
        if let Some(topic) = self.filter.topics.as_deref().and_then(|topics| topics.first()) {
            let used = site.store.usage_by_topics(day, std::slice::from_ref(topic)).await?;
            let assumed = site.store.assumed_of_topic(topic, day, day).await?;
            let used = used.first().copied().unwrap_or_default();
            let assumed = assumed.get(&day).copied().unwrap_or_default().min(used.money);
            return Ok(PaidUsage { calls: used.calls, cost: SearchCost { total: used.money, assumed } });
        }
        let UsageByProvider { service, others } = site.store.usage_by_provider(day).await?;
        let asked = |name: &str| provider.is_none_or(|provider| provider == name);
        let own = if asked(SERVICE) { service } else { PaidUsage::default() };
        let others = others.into_iter().filter(|(name, _)| asked(name.as_str()));
        Ok(others.fold(own, |sum, (_, used)| sum.plus(used)))
    }
}

/// Parses a date as a UTC day.
fn parse_utc_day(text: &str) -> Option<i64> {
    let midnight = parse_instant(text, Time(0))?;
    (midnight.utc_date() == text).then(|| midnight.utc_day())
}
