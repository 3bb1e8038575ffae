//! `runs`: lists runs from the ledger, latest first.

use std::collections::HashMap;

use clap::Args;
use serde_json::json;

use crate::cli::look::no_match::empty_list;
use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::{output, run_table};
use crate::cli::wiring::check_names::check_topics;
use crate::cli::wiring::context::{Context, instant};
use crate::cli::wiring::options::Common;
use crate::compare::{any_filter, health};
use crate::model::{Micros, Source, format_duration};
use crate::store::{Filter, RunRow, SearchRow};

#[derive(Debug, Args)]
pub struct RunsArgs {
    /// Only this topic (repeat for more)
    #[arg(long, value_name = "ID")]
    pub topic: Vec<String>,
    /// Started or due at or after: 2026-03-11, 2026-03-11T09:00:00Z, or 24h, 7d ago
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// At most this many
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: u32,
    /// Show every search of each run
    #[arg(long)]
    pub searches: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

pub(in crate::cli) async fn run(common: &Common, args: &RunsArgs) -> Result<Exit, Failure> {
    let context = Context::load(common, None)?;
    let since = instant("--since", args.since.as_deref(), (context.clock)())?;
    let store = context.store_to_read().await?;
    check_topics(&context, &store, &args.topic).await?;
    let filter = Filter { topics: args.topic.clone(), since, ..Filter::default() };
    // One more than the limit shows whether there are more.
    let mut runs = store.runs(&filter, i64::from(args.limit) + 1).await?;
    let more = runs.len() > args.limit as usize;
    runs.truncate(args.limit as usize);
    let ids: Vec<String> = runs.iter().map(|r| r.run.clone()).collect();
    let searches = store.searches(&ids).await?;
    let mut topics: Vec<String> = runs.iter().filter_map(|run| run.topic.clone()).collect();
    topics.sort();
    topics.dedup();
    let health = health(&store, &topics).await?;
    let has_filter = any_filter(&store, &topics).await?;
    let (older, baselines) = (store.older_counts(&ids).await?, store.baselines_of_runs(&ids).await?);
    let (gone, assumed) = (store.gone_counts(&ids).await?, store.assumed_of_runs(&ids).await?);
    let invented = store.is_sandbox().await?;
    store.close().await;
    let facts = RunFacts { older: &older, baselines: &baselines, gone: &gone, assumed: &assumed };
    if args.json {
        let runs = runs.iter().map(|run| to_json(run, &searches, &facts)).collect::<Result<Vec<_>, _>>()?;
        // `ill` is the former name of `silent_sources`, until 1.0.
        let silent = &health.silences;
        output::json(&json!({ "sandbox": invented, "runs": runs, "silent_sources": silent, "ill": silent }))?;
        return Ok(Exit::Ok);
    }
    let mut text = if invented { "SANDBOX: invented findings\n\n".to_owned() } else { String::new() };
    if args.searches {
        for run in &runs {
            let topic = topic_or_job(run);
            text.push_str(format!("{topic} {} {} {}", run.run, run.state, end_reason(run)).trim_end());
            text.push('\n');
            for search in searches.iter().filter(|s| s.run == run.run) {
                text.push_str(&output::wrap("    ", &line(search), output::wrap_width()));
            }
        }
    } else {
        let mut others = older.clone();
        for (run, many) in &baselines {
            *others.entry(run.clone()).or_default() += many;
        }
        text.push_str(&render(&runs, &searches, (&others, &facts), output::wrap_width()));
        if !others.is_empty() {
            let why = match (older.is_empty(), baselines.is_empty()) {
                (false, true) => "older than the window or dated in the future",
                (true, _) => "part of the baseline",
                (false, false) => "older than the window, dated in the future, or part of the baseline",
            };
            text.push_str(&format!("(+n): also first seen, but {why}\n"));
        }
        if has_filter {
            text.push_str("found and new also count what the filters of topics hide\n");
        }
        if !assumed.is_empty() {
            text.push_str(ASSUMED);
        }
    }
    if runs.is_empty() {
        let in_use = [("--topic", !args.topic.is_empty()), ("--since", args.since.is_some())];
        text.push_str(&empty_list("no runs", &in_use));
    }
    if more {
        text.push_str(&format!("\nthe latest {}; --limit N for more\n", runs.len()));
    }
    for silence in &health.silences {
        text.push_str(&format!("\n{silence}"));
    }
    if !health.silences.is_empty() {
        text.push('\n');
    }
    output::text(&text)?;
    Ok(Exit::Ok)
}

/// Explains the mark of a cost.
const ASSUMED: &str = "~: no bill confirms all of this cost; `--searches` shows which part was assumed\n";

/// Further facts about runs, by id. Runs without any are left out.
struct RunFacts<'a> {
    older: &'a HashMap<String, i64>,
    baselines: &'a HashMap<String, i64>,
    /// Items that were never new and were forgotten or merged since.
    gone: &'a HashMap<String, i64>,
    /// How much of the cost was assumed; `None` if the searches were deleted.
    assumed: &'a HashMap<String, Option<Micros>>,
}

/// Returns the topic of a run, or its job if it has no topic.
fn topic_or_job(run: &RunRow) -> &str {
    run.topic.as_deref().unwrap_or(&run.job)
}

/// Returns a run as JSON with its searches. Its `new` is the ledger's count: everything first seen.
fn to_json(run: &RunRow, searches: &[SearchRow], facts: &RunFacts<'_>) -> Result<serde_json::Value, serde_json::Error> {
    let mut value = serde_json::to_value(run)?;
    let own: Vec<&SearchRow> = searches.iter().filter(|s| s.run == run.run).collect();
    if let Some(fields) = value.as_object_mut() {
        for (name, counts) in [("new_older", facts.older), ("new_baseline", facts.baselines), ("new_gone", facts.gone)]
        {
            fields.insert(name.into(), json!(counts.get(&run.run).unwrap_or(&0)));
        }
        let assumed = facts.assumed.get(&run.run).copied().unwrap_or(Some(Micros(0)));
        fields.insert("assumed_usd".into(), json!(assumed));
        fields.insert("searches".into(), serde_json::to_value(own)?);
    }
    Ok(value)
}

/// Returns the searches of each run.
fn by_run(searches: &[SearchRow]) -> HashMap<&str, Vec<&SearchRow>> {
    let mut of_runs: HashMap<&str, Vec<&SearchRow>> = HashMap::new();
    for search in searches {
        of_runs.entry(&search.run).or_default().push(search);
    }
    of_runs
}

/// Formats one line per run, or two if the id, which must not be broken, does not fit. Causes that do not fit are
/// wrapped below.
fn render(
    runs: &[RunRow],
    searches: &[SearchRow],
    (others, facts): (&HashMap<String, i64>, &RunFacts<'_>),
    width: usize,
) -> String {
    let of_runs = by_run(searches);
    let cells = |r: &RunRow| {
        let own = || of_runs.get(r.run.as_str()).into_iter().flatten().copied();
        let has_counts = r.has_counts(own());
        let count = |count: String| if has_counts { count } else { "-".to_owned() };
        let others = *others.get(&r.run).unwrap_or(&0);
        let new = r.counts.new - facts.gone.get(&r.run).unwrap_or(&0) - others;
        let is_least = r.may_be_more_new(own(), new, *facts.baselines.get(&r.run).unwrap_or(&0));
        vec![
            topic_or_job(r).to_owned(),
            output::format_time_or_dash(r.started_at.or(r.slot)),
            r.state.to_string(),
            count(output::at_least(r.counts.found, r.may_be_more(own()))),
            count(run_table::format_new(new, others, is_least)),
            format!("{}{}", if facts.assumed.contains_key(&r.run) { "~" } else { "" }, r.cost),
        ]
    };
    let numbers = [3, 4, 5];
    let head = ["topic", "at", "state", "found", "new", "cost", "run"];
    let rows: Vec<Vec<String>> = runs.iter().map(|r| [cells(r), vec![r.run.clone()]].concat()).collect();
    if output::longest(output::table(&head, rows.clone(), &numbers).lines()) <= width {
        let causes: Vec<String> = runs.iter().map(end_reason).collect();
        return output::table_with_text((&head, "why"), rows, &numbers, &causes, width);
    }
    let two = output::table(&head[..6], runs.iter().map(cells).collect(), &numbers);
    let mut lines = two.lines();
    let mut text = format!("{}\n  run\n    why\n", lines.next().unwrap_or_default());
    for (line, r) in lines.zip(runs) {
        let why = end_reason(r);
        let why = if why.is_empty() { why } else { output::wrap("    ", &why, width) };
        text.push_str(&format!("{line}\n  {}\n{why}", r.run));
    }
    text
}

/// Why a run ended as it did.
fn end_reason(run: &RunRow) -> String {
    let error =
        run.error_class.as_ref().map(|class| run_table::error_words(class, run.error_text.as_deref().unwrap_or("")));
    output::escape_control(&error.or_else(|| run.reason.clone()).unwrap_or_default())
}

fn line(search: &SearchRow) -> String {
    let c = search.counts;
    let error = search.error_class.as_ref().map(|class| {
        let text = output::truncate(search.error_text.as_deref().unwrap_or(""), 200);
        format!(" · {}", run_table::error_words(class, &text))
    });
    // A search that was not made because of an earlier error has that error's class as its reason, too.
    let reason = search.reason.as_ref().filter(|reason| search.error_class.as_deref() != Some(reason.as_str()));
    let reason = reason.map(|r| format!(" · {}", output::truncate(r, 160)));
    let spans = search.asked_from.zip(search.asked_until).map(|(from, until)| {
        let covered = search.covered_from.zip(search.covered_until);
        let covered = covered.map_or_else(|| "nothing".to_owned(), |(from, until)| format_duration(until.since(from)));
        let covers = if search.source == Source::Social { format!(", covered {covered}") } else { String::new() };
        format!(" · searched {}{covers}", format_duration(until.since(from)))
    });
    let unreadable = if search.unreadable > 0 { format!(", {} unreadable", search.unreadable) } else { String::new() };
    let counts = format!(
        " · {} found = {} new + {} duplicate, {} outside, {} undated{unreadable}",
        output::at_least(c.found, search.may_be_more()),
        output::at_least(c.new, search.may_be_more()),
        c.duplicate,
        c.outside,
        c.undated,
    );
    format!(
        "attempt {} {} {} {}{} · {}, {} · {} {}{}{}{}",
        search.attempt,
        search.source,
        search.operation,
        search.state,
        if search.state.has_counts(search.counts.found) { counts.as_str() } else { "" },
        if search.tries == 1 { "1 try".to_owned() } else { format!("{} tries", search.tries) },
        search.latency_ms.map_or_else(|| "-".to_owned(), |ms| format!("{ms} ms")),
        search.cost,
        search.cost_basis.as_deref().unwrap_or("expected"),
        spans.unwrap_or_default(),
        error.unwrap_or_default(),
        reason.unwrap_or_default()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Counts, Micros, RunState, Time, Trigger};

    #[test]
    fn run_ids_are_never_cut_on_a_narrow_terminal() {
        let run = RunRow {
            run: "topic:globex-pricing@2026-11-21T07:30:00Z".into(),
            job: "topic:globex-pricing".into(),
            topic: Some("globex-pricing".into()),
            trigger: Trigger::Scheduled,
            state: RunState::Failed,
            reason: None,
            slot: Some(Time(1_773_219_600_000)),
            started_at: Some(Time(1_773_219_600_470)),
            finished_at: None,
            attempt: 1,
            counts: Counts::default(),
            unreadable: 0,
            cost: Micros(16_000),
            error_class: Some("transport".into()),
            error_text: Some("connection refused, ".repeat(20)),
            seq: Some(1),
            clears_at: None,
            thinned: false,
        };
        let normalize = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let (none, billed) = (HashMap::new(), HashMap::new());
        let facts = RunFacts { older: &none, baselines: &none, gone: &none, assumed: &billed };
        for (width, line) in [(60, 4), (80, 4), (100, 4), (130, 2), (200, 2), (usize::MAX, 1)] {
            let text = render(std::slice::from_ref(&run), &[], (&none, &facts), width);
            assert!(text.contains(&run.run) && text.contains("2026-03-11T09:00:00Z"), "{text}");
            assert!(normalize(&text).contains(&normalize(&end_reason(&run))), "nothing is cut: {text}");
            let of = text.lines().position(|line| line.contains(&run.run));
            assert_eq!(of, Some(line), "{text}");
            assert!(text.lines().all(|line| line.chars().count() <= width.max(64)), "{text}");
        }
    }
}
