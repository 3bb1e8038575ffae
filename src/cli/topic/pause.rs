//! `topic pause` and `topic resume`: stop and continue topics of a running daemon through the ledger.

use clap::Args;

use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::wiring::check_names::renamed;
use crate::cli::wiring::context::Context;
use crate::cli::wiring::options::Common;
use crate::daemon::Skew;
use crate::model::Time;
use crate::store::{Store, StoreError, StoreErrorKind};

#[derive(Debug, Args)]
pub struct PauseArgs {
    /// Topic ids
    #[arg(required = true, value_name = "TOPIC")]
    pub topics: Vec<String>,
    /// Reason, shown by `status` and `runs`
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
}

#[derive(Debug, Args)]
pub struct ResumeArgs {
    /// Topic ids
    #[arg(required = true, value_name = "TOPIC")]
    pub topics: Vec<String>,
}

/// The second half of the hint if the file can have the same setting.
pub(in crate::cli) const OR_THE_FILE: &str = ", or change the file";

/// Opens the store and returns it with the current time, on PostgreSQL the server's.
pub(in crate::cli) async fn open(context: &Context) -> Result<(Store, Time), Failure> {
    let store = context.store(false).await?;
    let skew = Skew::default();
    skew.follow(&store, (context.clock)()).await?;
    let now = skew.correct(std::sync::Arc::clone(&context.clock))();
    Ok((store, now))
}

/// Converts the error. If a topic is unknown, says what it was renamed to, or suggests similar ones. `or` is a further
/// hint if only the file has the topic.
pub(in crate::cli) async fn with_suggestion(
    context: &Context,
    store: &Store,
    named: &[String],
    error: StoreError,
    or: &str,
) -> Failure {
    let known = store.topic_ids().await.unwrap_or_default();
    // The error is about the first in order of id.
    let unknown = named.iter().filter(|name| !known.contains(name)).min();
    let mut failure = Failure::from(error.clone());
    if let (Some(unknown), StoreErrorKind::Refused, true) = (unknown, error.kind, error.hint.is_empty()) {
        if let Err(failure) = renamed(context, store, named).await {
            return failure;
        }
        failure.text = output::escape_control(&failure.text);
        let in_file = context.config.topics.iter().any(|topic| topic.id == *unknown);
        failure.hint = match crate::config::nearest(unknown, known.iter().map(String::as_str)) {
            _ if in_file => format!(
                "{} has it, but the database does not: run it ({}){or}",
                output::escape_control(&context.config.file.display().to_string()),
                context.command(&format!("once --topic {unknown}"))
            ),
            Some(near) => format!("did you mean `{near}`?"),
            None if known.is_empty() => {
                "no topic has been stored: start `topicwatch run` or `topicwatch once`".to_owned()
            }
            None => format!("the topics are: {}", output::truncate(&known.join(", "), 400)),
        };
    }
    failure
}

pub(in crate::cli) async fn pause(common: &Common, args: &PauseArgs) -> Result<Exit, Failure> {
    const LONGEST: usize = 200;
    let reason =
        args.reason.as_ref().map(|reason| output::truncate(reason, LONGEST)).filter(|reason| !reason.is_empty());
    let context = Context::load(common, None)?;
    let (store, now) = open(&context).await?;
    let paused = match store.pause_topics(&args.topics, reason.as_deref(), now).await {
        Ok(paused) => paused,
        Err(error) => return Err(with_suggestion(&context, &store, &args.topics, error, OR_THE_FILE).await),
    };
    store.close().await;
    let mut text = String::new();
    for topic in paused {
        let what = match (topic.already, &reason) {
            (false, _) => "paused",
            (true, None) => "was already paused",
            (true, Some(_)) => "was already paused; reason set",
        };
        text.push_str(&format!("{}: {what}", topic.topic));
        if topic.cancelled > 0 {
            text.push_str(&format!("; queued runs cancelled: {}", topic.cancelled));
        }
        if topic.running > 0 {
            text.push_str("; the current run will finish");
        }
        text.push('\n');
    }
    output::text(&text)?;
    Ok(Exit::Ok)
}

pub(in crate::cli) async fn resume(common: &Common, args: &ResumeArgs) -> Result<Exit, Failure> {
    let context = Context::load(common, None)?;
    let (store, now) = open(&context).await?;
    let resumed = match store.resume_topics(&args.topics, now).await {
        Ok(resumed) => resumed,
        Err(error) => return Err(with_suggestion(&context, &store, &args.topics, error, OR_THE_FILE).await),
    };
    store.close().await;
    // The database knows of the file only what a process has read; the file may say otherwise since.
    let paused_in_file = |id: &str| {
        let watched = context.config.topics.iter().find(|watched| watched.id == id)?;
        Some(watched.schedule.as_ref().is_some_and(|policy| policy.paused))
    };
    let (mut text, mut by_this_file, mut by_another, mut stays) = (String::new(), false, false, false);
    for topic in &resumed {
        let what = match (paused_in_file(&topic.topic), topic.by_file) {
            (Some(false), true) => "stays paused until `run` or `once` reads the file, which no longer pauses it",
            (Some(true), _) => "stays paused: the configuration has `paused = true`, which takes precedence",
            (None, true) => "stays paused: the file it was last read from had `paused = true`",
            (_, false) if topic.already => "was not paused",
            (_, false) => "resumed; slots missed meanwhile are not run",
        };
        by_this_file |= paused_in_file(&topic.topic) == Some(true);
        by_another |= topic.by_file && paused_in_file(&topic.topic).is_none();
        stays |= topic.by_file || by_this_file;
        text.push_str(&format!("{}: {what}\n", topic.topic));
    }
    output::text(&text)?;
    let file = output::escape_control(&context.config.file.display().to_string());
    if by_this_file {
        output::print_stderr(&format!("hint: set `paused = false` in {file}"));
    }
    if by_another {
        output::print_stderr(&format!(
            "hint: {file} does not have the topic: set `paused = false` in the file that has it, if one does"
        ));
    }
    if stays {
        return Ok(Exit::Searches);
    }
    Ok(Exit::Ok)
}
