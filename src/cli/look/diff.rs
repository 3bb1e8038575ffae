//! `diff`: what changed in a topic between two runs, counts first. docs/explanation/changes.md defines the terms;
//! `insight` decides what is new or gone.

use clap::Args;
use serde_json::json;

use crate::cli::look::diff_text;
use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::wiring::check_names::renamed;
use crate::cli::wiring::context::Context;
use crate::cli::wiring::options::Common;
use crate::compare::{NoStart, Since, begin, changes_between, run_range};
use crate::model::{PrunedSummary, Span, Time, Topic};
use crate::schedule::{TOO_FAR_BACK, parse_instant, read_instant};
use crate::store::Store;

#[derive(Debug, Args)]
pub struct DiffArgs {
    /// Topic id
    pub topic: String,
    /// Since this run, 2026-03-11, 2026-03-11T09:00:00Z, 24h or 7d ago, or the last delivered report
    /// (`last-report`) [default: the last earlier run that found something]
    #[arg(long, value_name = "RUN|TIME")]
    pub since: Option<String>,
    /// At most this many of each list [default: 20, in JSON 1000]
    #[arg(long, value_name = "N")]
    pub limit: Option<u32>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Use this time as now, for tests and trials
    #[arg(long, hide = true, value_name = "TIME")]
    pub at: Option<String>,
}

/// How many items of each list are shown without `--limit`, as text and in JSON.
const LISTED: u32 = 20;
const LISTED_IN_JSON: u32 = 1_000;

pub(in crate::cli) async fn run(common: &Common, args: &DiffArgs) -> Result<Exit, Failure> {
    let context = Context::load(common, args.at.as_deref())?;
    let store = context.store_to_read().await?;
    let topic = stored_topic(&context, &store, &args.topic).await?;
    let since = resolve_since(&context, &store, &topic, args.since.as_deref()).await?;
    let between = run_range(&store, &topic.id, since, None).await?.ok_or_else(|| no_results(&context, &topic.id))?;
    let most = args.limit.unwrap_or(if args.json { LISTED_IN_JSON } else { LISTED });
    let changes = changes_between(&store, &topic, between, most as usize, false).await?;
    let from = changes.since.as_ref().or(changes.first.as_ref()).map(|moment| moment.at);
    let until = changes.until.as_ref().map(|moment| Time(moment.at.0.saturating_add(1)));
    let pruned = match from.zip(until).and_then(|(from, until)| Span::new(from, until)) {
        Some(span) => store.pruned_summary(&topic.id, span).await?,
        None => PrunedSummary::default(),
    };
    let invented = store.is_sandbox().await?;
    store.close().await;
    if args.json {
        let mut value = serde_json::to_value(&changes)?;
        if let Some(fields) = value.as_object_mut() {
            fields.insert("sandbox".into(), json!(invented));
            fields.insert("topic".into(), json!(topic.id));
            fields.insert("pruned".into(), json!(pruned));
        }
        output::json(&value)?;
    } else {
        let mut text = if invented { "SANDBOX: invented findings\n".to_owned() } else { String::new() };
        text.push_str(&diff_text::render(&topic.id, &changes, usize::from(output::width())));
        text.extend(pruned.describe().map(|description| format!("{description}\n")));
        output::text(&text)?;
    }
    Ok(Exit::Ok)
}

/// Returns the stored definition of a topic, which is the one in force.
pub(in crate::cli) async fn stored_topic(context: &Context, store: &Store, id: &str) -> Result<Topic, Failure> {
    renamed(context, store, &[id.to_owned()]).await?;
    let watched = store.watched_topics(&[id.to_owned()]).await?;
    let Some(watched) = watched.into_iter().next() else {
        context.check_topics(&[id.to_owned()])?;
        return Err(no_results(context, id));
    };
    watched.definition.ok_or_else(|| {
        Failure::new(
            Exit::Store,
            format!("the stored definition of topic {id} cannot be read by this version"),
            "use the version that wrote it, or run the topic once with this one",
        )
    })
}

fn no_results(context: &Context, id: &str) -> Failure {
    let text = format!("topic {id} has no run with results yet");
    if context.config.topics.iter().all(|topic| topic.id != id) {
        let file = output::escape_control(&context.config.file.display().to_string());
        return Failure::usage(text, format!("{file} does not have it: name the file that does with --config"));
    }
    Failure::usage(text, format!("run it: {}", context.command(&format!("once --topic {id}"))))
}

/// Returns where a comparison starts: at the run before the last one, a run, the last report, or an instant.
pub(in crate::cli) async fn resolve_since(
    context: &Context,
    store: &Store,
    topic: &Topic,
    named: Option<&str>,
) -> Result<Since, Failure> {
    let Some(named) = named else { return Ok(Since::TheRunBefore) };
    let now = (context.clock)();
    let begun = begin(store, topic, named, parse_instant(named, now), &context.config.reports).await;
    begun.map_err(|error| start_not_found(error, "--since", named))
}

/// Returns the error for a start that does not exist.
pub(in crate::cli) fn start_not_found(error: NoStart, option: &str, named: &str) -> Failure {
    match error {
        NoStart::NoReport(_) => Failure::usage(
            error.to_string(),
            format!("reports come from [[reports]] with a schedule; compare with a run or a time: {option} 24h"),
        ),
        NoStart::NotEnded => Failure::usage(
            format!("run {} has not ended yet", output::truncate(named, 100)),
            "give a finished run: topicwatch runs lists them",
        ),
        NoStart::Unknown(_) if read_instant(named, Time(0)) == Err(TOO_FAR_BACK) => {
            let (why, hint) = TOO_FAR_BACK;
            Failure::usage(format!("{option}: `{}` {why}", output::truncate(named, 60)), hint)
        }
        NoStart::Unknown(topic) => Failure::usage(
            format!("{option}: `{}` is neither a run of {topic} nor a time", output::truncate(named, 100)),
            "give a run (topicwatch runs lists them), or write 2026-03-11, 2026-03-11T09:00:00Z, 24h, 7d",
        ),
        NoStart::Store(error) => error.into(),
    }
}
