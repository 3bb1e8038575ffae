//! Formats tries of delivery and results of jobs, as text and JSON.

use std::collections::BTreeSet;

use serde_json::json;

use crate::cli::terminal::failure::Exit;
use crate::cli::terminal::output;
use crate::notify::Delivery;
use crate::store::SendResult;

/// Returns `Exit::Ok` if every message was delivered.
pub(in crate::cli) fn exit_code(deliveries: &[Delivery]) -> Exit {
    let arrived = deliveries.iter().all(|delivery| delivery.settled == SendResult::Sent);
    if arrived { Exit::Ok } else { Exit::Searches }
}

/// Formats one line per delivery attempt.
pub(in crate::cli) fn render(deliveries: &[Delivery]) -> String {
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
    deliveries.iter().map(line).collect()
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

/// Returns what `once --due` prints about jobs: text, JSON, and whether all succeeded.
pub(in crate::cli) fn jobs_summary(done: &[crate::daemon::JobDone]) -> (String, Vec<serde_json::Value>, bool) {
    let (mut text, mut list, mut good) = (String::new(), Vec::new(), true);
    let mut hints = BTreeSet::new();
    for end in done {
        let run = output::escape_control(&end.run);
        let (line, value) = match &end.result {
            Ok(Ok(job_result)) => {
                let files = job_result.report.as_ref().map(|report| report.files.clone()).unwrap_or_default();
                let names: Vec<String> = files.iter().map(|file| output::escape_control(file)).collect();
                let events: Vec<&String> = job_result.messages.iter().map(|message| &message.event).collect();
                let line = match &job_result.reason {
                    Some(reason) => format!("{run}: {}\n", output::truncate(reason, 300)),
                    None if names.is_empty() => format!("{run}: nothing written\n"),
                    None => format!("{run}: wrote {}\n", names.join(", ")),
                };
                let value = json!({
                    "run": end.run, "job": end.job, "state": "ok",
                    "reason": job_result.reason, "files": files, "messages": events,
                });
                (line, value)
            }
            failed => {
                good = false;
                let (why, hint) = match failed {
                    Ok(Err(failed)) => (failed.to_string(), failed.hint.as_str()),
                    Err(error) => (error.to_string(), error.hint.as_str()),
                    Ok(Ok(_)) => (String::new(), ""),
                };
                hints.extend((!hint.is_empty()).then_some(hint));
                let value = json!({ "run": end.run, "job": end.job, "state": "failed", "error": why, "hint": hint });
                (format!("{run}: failed: {}\n", output::truncate(&why, 300)), value)
            }
        };
        text.push_str(&line);
        list.push(value);
    }
    // Each hint once, as for runs.
    for hint in hints {
        text.push_str(&format!("hint: {}\n", output::escape_control(hint)));
    }
    (text, list, good)
}
