//! `runs`: the ledger as people read it, the latest first.

use serde_json::json;

use super::args::{Common, RunsArgs};
use super::context::{Context, instant};
use super::{Exit, Failure, output};
use crate::store::{Filter, Nature, RunRow, SearchRow};

pub(super) async fn run(common: &Common, args: &RunsArgs) -> Result<Exit, Failure> {
    let context = Context::load(common, None)?;
    let since = instant("--since", args.since.as_deref(), (context.clock)())?;
    let store = context.store(false).await?;
    let filter = Filter { topics: args.topic.clone(), since, until: None };
    let runs = store.runs(&filter, i64::from(args.limit)).await?;
    let ids: Vec<String> = runs.iter().map(|r| r.run.clone()).collect();
    let searches = if args.searches || args.json { store.searches(&ids).await? } else { Vec::new() };
    let invented = store.nature().await? == Some(Nature::Sandbox);
    store.close().await;
    if args.json {
        let runs = runs.iter().map(|run| told(run, &searches)).collect::<Result<Vec<_>, _>>()?;
        output::json(&json!({ "sandbox": invented, "runs": runs }))?;
        return Ok(Exit::Ok);
    }
    let mut text = if invented { "SANDBOX: invented findings\n\n".to_owned() } else { String::new() };
    if args.searches {
        for run in &runs {
            let topic = run.topic.as_deref().unwrap_or("-");
            text.push_str(format!("{topic} {} {} {}", run.run, run.state, why(run)).trim_end());
            text.push('\n');
            for search in searches.iter().filter(|s| s.run == run.run) {
                text.push_str(&format!("    {}\n", line(search)));
            }
        }
    } else {
        let rows = runs
            .iter()
            .map(|r| {
                let at = r.started_at.or(r.slot).map_or_else(|| "-".to_owned(), |at| at.to_string());
                vec![
                    r.topic.clone().unwrap_or_default(),
                    at,
                    r.state.to_string(),
                    r.counts.found.to_string(),
                    r.counts.new.to_string(),
                    r.cost.to_string(),
                    r.run.clone(),
                    why(r),
                ]
            })
            .collect();
        text.push_str(&output::table(
            &["topic", "at", "state", "found", "new", "cost", "run", "why"],
            rows,
            &[3, 4, 5],
        ));
    }
    if runs.is_empty() {
        text.push_str("no runs\n");
    }
    output::text(&text)?;
    Ok(Exit::Ok)
}

/// A run with its searches inside.
fn told(run: &RunRow, searches: &[SearchRow]) -> Result<serde_json::Value, serde_json::Error> {
    let mut value = serde_json::to_value(run)?;
    let own: Vec<&SearchRow> = searches.iter().filter(|s| s.run == run.run).collect();
    if let Some(fields) = value.as_object_mut() {
        fields.insert("searches".into(), serde_json::to_value(own)?);
    }
    Ok(value)
}

fn why(run: &RunRow) -> String {
    let error = run.error_class.as_ref().map(|class| format!("{class}: {}", run.error_text.as_deref().unwrap_or("")));
    output::brief(&error.or_else(|| run.reason.clone()).unwrap_or_default(), 80)
}

fn line(search: &SearchRow) -> String {
    let c = search.counts;
    let error = search
        .error_class
        .as_ref()
        .map(|class| format!(" · {class}: {}", output::brief(search.error_text.as_deref().unwrap_or(""), 200)));
    let reason = search.reason.as_ref().map(|r| format!(" · {}", output::brief(r, 100)));
    format!(
        "attempt {} {} {} {} · {} found = {} new + {} duplicate, {} outside, {} undated · {} tries, {} · {} {}{}{}",
        search.attempt,
        search.source,
        search.operation,
        search.state,
        c.found,
        c.new,
        c.duplicate,
        c.outside,
        c.undated,
        search.tries,
        search.latency_ms.map_or_else(|| "-".to_owned(), |ms| format!("{ms} ms")),
        search.cost,
        search.cost_basis.as_deref().unwrap_or("expected"),
        error.unwrap_or_default(),
        reason.unwrap_or_default()
    )
}
