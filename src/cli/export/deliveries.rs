//! Formats tries of delivery and results of jobs, as text and JSON.

use std::collections::BTreeSet;

use serde_json::json;

use crate::cli::terminal::failure::Exit;
use crate::cli::terminal::output;
use crate::daemon::JobDone;
use crate::notify::Delivery;
use crate::store::SendResult;

/// Returns `Exit::Ok` if every message was delivered.
pub(in crate::cli) fn exit_code(deliveries: &[Delivery]) -> Exit {
    let arrived = deliveries.iter().all(|delivery| delivery.settled == SendResult::Sent);
    if arrived { Exit::Ok } else { Exit::Searches }
}

/// Formats one line per delivery attempt.
pub(in crate::cli) fn render<'d>(deliveries: impl IntoIterator<Item = &'d Delivery>) -> String {
    let line = |delivery: &Delivery| {
        let what = match &delivery.settled {
            SendResult::Sent => "delivered".to_owned(),
            SendResult::Again(at, why) => {
                format!("retry at {}: {}", output::format_time(*at), output::truncate(why, 300))
            }
            SendResult::Dead(why) => format!("gave up: {}", output::truncate(why, 300)),
        };
        format!("{}: {what}\n", output::escape_control(&delivery.event))
    };
    deliveries.into_iter().map(line).collect()
}

/// Returns a delivery attempt as JSON.
pub(in crate::cli) fn to_json(delivery: &Delivery) -> serde_json::Value {
    let (state, at, error) = match &delivery.settled {
        SendResult::Sent => ("sent", None, None),
        SendResult::Again(at, why) => ("queued", Some(at), Some(why)),
        SendResult::Dead(why) => ("dead", None, Some(why)),
    };
    json!({ "event": delivery.event, "channel": delivery.channel, "attempt": delivery.attempt, "state": state, "next_at": at, "error": error })
}

/// The results of jobs and deliveries of `once --due`, without the topics.
pub(in crate::cli) struct JobResults {
    /// All lines.
    pub(in crate::cli) text: String,
    /// The lines about failures.
    pub(in crate::cli) failures: String,
    pub(in crate::cli) jobs: Vec<serde_json::Value>,
    pub(in crate::cli) deliveries: Vec<serde_json::Value>,
    /// Whether all succeeded.
    pub(in crate::cli) good: bool,
}

impl JobResults {
    /// Formats the results of jobs, and tries of delivery.
    pub(in crate::cli) fn of(done: &[JobDone], tries: &[Delivery]) -> Self {
        let (mut text, mut failures, mut jobs, mut hints) = (String::new(), String::new(), Vec::new(), BTreeSet::new());
        for end in done {
            let (line, value, failure_hint) = job_result(end);
            text.push_str(&line);
            if let Some(hint) = failure_hint {
                failures.push_str(&line);
                hints.extend((!hint.is_empty()).then_some(hint));
            }
            jobs.push(value);
        }
        // Each hint once, as for runs.
        for hint in hints {
            let line = format!("hint: {}\n", output::escape_control(hint));
            text.push_str(&line);
            failures.push_str(&line);
        }
        text.push_str(&render(tries));
        failures.push_str(&render(tries.iter().filter(|delivery| delivery.settled != SendResult::Sent)));
        let good = failures.is_empty();
        Self { text, failures, jobs, deliveries: tries.iter().map(to_json).collect(), good }
    }
}

/// Returns a job's result as a line and as JSON, and the hint if it failed.
fn job_result(end: &JobDone) -> (String, serde_json::Value, Option<&str>) {
    let run = output::escape_control(&end.run);
    let (why, hint) = match &end.result {
        Ok(Ok(job_result)) => {
            let files = job_result.report.as_ref().map(|report| report.files.clone()).unwrap_or_default();
            let names: Vec<String> = files.iter().map(|file| output::escape_control(file)).collect();
            let events: Vec<&String> = job_result.messages.iter().map(|message| &message.event).collect();
            let line = match &job_result.reason {
                Some(reason) => format!("{run}: {}\n", output::truncate(reason, 300)),
                None if names.is_empty() => format!("{run}: done\n"),
                None => format!("{run}: wrote {}\n", names.join(", ")),
            };
            let value = json!({
                "run": end.run, "job": end.job, "state": "ok",
                "reason": job_result.reason, "files": files, "messages": events,
            });
            return (line, value, None);
        }
        Ok(Err(failed)) => (failed.to_string(), failed.hint.as_str()),
        Err(error) => (error.to_string(), error.hint.as_str()),
    };
    let value = json!({ "run": end.run, "job": end.job, "state": "failed", "error": why, "hint": hint });
    (format!("{run}: failed: {}\n", output::truncate(&why, 300)), value, Some(hint))
}
