//! The ledger: each run with all its searches, what it found and cost, what went wrong and what to do.

use std::collections::BTreeMap;

use axum::response::Response;
use serde_json::{Value, json};

use super::call::Call;
use super::call::envelope::{answer, cut_page, with};
use crate::model::{Micros, RunRow, RunState, SearchRow, Time, excerpt};
use crate::store::{RunCursor, RunFilter};
use crate::web::access::access_rule::out_of_scope;
use crate::web::pages::runs::{hint, may_see};
use crate::web::problem::Problem;

pub(super) async fn list(call: Call) -> Result<Response, Problem> {
    let (store, limit) = (&call.site().store, call.number("limit"));
    check_topics(&call, call.all("topic")).await?;
    let filter = RunFilter {
        topics: call.one("topic").map(|topic| vec![topic.to_owned()]).or_else(|| call.visitor.visible_topics()),
        state: call.word("state", RunState::parse),
        since: call.instant("since"),
        ..RunFilter::default()
    };
    let after = call.position()?.map(|position| RunCursor { at: Time(position.value), run: position.key });
    let mut runs = store.list_runs(&filter, after.as_ref(), limit + 1).await?;
    let more = cut_page(&mut runs, limit);
    let next = runs.last().filter(|_| more).map(|(place, _)| call.token(place.at.0, &place.run));
    let rows: Vec<RunRow> = runs.into_iter().map(|(_, run)| run).collect();
    let data = with_searches(&call, &rows).await?;
    answer(&call, [("data", json!(data)), ("next_page_token", json!(next))]).await
}

pub(super) async fn one(call: Call) -> Result<Response, Problem> {
    let run = call.site().store.run(call.required("run")).await?.filter(|run| may_see(&call.visitor, run));
    let run = run.ok_or_else(|| {
        let hint = "It may have been pruned. /api/v1/runs lists the runs that are kept.";
        let title = format!("There is no run `{}`", excerpt(call.required("run")));
        Problem { hint: hint.to_owned(), ..Problem::not_found(title) }
    })?;
    let data = with_searches(&call, &[run]).await?.pop();
    answer(&call, [("data", json!(data))]).await
}

/// Refuses a filter by topics that the visitor does not see or the database does not know. Topics that are no longer
/// watched are known: there are runs of them.
pub(super) async fn check_topics(call: &Call, topics: &[String]) -> Result<(), Problem> {
    if topics.iter().any(|topic| !call.visitor.sees(topic)) {
        return Err(out_of_scope());
    }
    let watched = if topics.is_empty() { Vec::new() } else { call.site().store.watched_topics(topics).await? };
    match topics.iter().find(|topic| watched.iter().all(|watched| watched.topic != **topic)) {
        None => Ok(()),
        Some(topic) => {
            let title = format!("There is no topic `{}`", excerpt(topic));
            let hint = "/api/v1/topics lists the watched topics.".to_owned();
            Err(Problem { hint, ..Problem::not_found(title) })
        }
    }
}

/// Runs with their searches.
async fn with_searches(call: &Call, runs: &[RunRow]) -> Result<Vec<Value>, Problem> {
    let ids: Vec<String> = runs.iter().map(|run| run.run.clone()).collect();
    let mut searches: BTreeMap<String, Vec<SearchRow>> = BTreeMap::new();
    for search in call.site().store.searches(&ids).await? {
        searches.entry(search.run.clone()).or_default().push(search);
    }
    let assumed = call.site().store.assumed_of_runs(&ids).await?;
    let row = |run: &RunRow| {
        let assumed = assumed.get(&run.run).copied().unwrap_or(Some(Micros(0)));
        let searches = searches.get(&run.run).into_iter().flatten();
        let searches = searches.map(|search| hinted(call, run, search)).collect::<Result<Vec<Value>, Problem>>()?;
        with(run, [("assumed_usd", json!(assumed)), ("searches", json!(searches))])
    };
    runs.iter().map(row).collect()
}

fn hinted(call: &Call, run: &RunRow, search: &SearchRow) -> Result<Value, Problem> {
    with(search, [("hint", json!(hint(call.site(), run, search)))])
}
