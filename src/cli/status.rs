//! `status`: how each topic stands, and what the day cost so far. Serves as a health check: the store is reachable.

use serde_json::json;

use super::args::{Common, JsonArgs};
use super::context::Context;
use super::{Exit, Failure, output};
use crate::insight::standing;
use crate::model::PausedBy;
use crate::schedule::Schedule;
use crate::store::{Nature, TopicStatus};

pub(super) async fn run(common: &Common, args: &JsonArgs) -> Result<Exit, Failure> {
    let context = Context::load(common, None)?;
    let store = context.store(false).await?;
    let now = (context.clock)();
    let topics = store.status().await?;
    let calls = store.calls_on(now.utc_day()).await?;
    let invented = store.nature().await? == Some(Nature::Sandbox);
    let place = store.place().to_owned();
    store.close().await;
    let next = |status: &TopicStatus| {
        let topic = context.config.topics.iter().find(|t| t.id == status.topic && status.paused.is_none())?;
        let policy = topic.schedule.as_ref().filter(|p| !p.paused)?;
        Schedule::compile(policy).ok()?.next_after(now)
    };
    let limit = context.config.service.max_calls_per_day;
    if args.json {
        let topics: Vec<_> = topics
            .iter()
            .map(|t| json!({ "topic": t.topic, "title": t.title, "standing": standing(t), "items": t.items, "last_run": t.last_run, "last_success": t.last_success, "next_slot": next(t), "paused": t.paused }))
            .collect();
        output::json(
            &json!({ "sandbox": invented, "database": place, "calls_today": calls, "max_calls_per_day": limit, "topics": topics }),
        )?;
        return Ok(Exit::Ok);
    }
    let mut text = String::new();
    if invented {
        text.push_str("SANDBOX: invented findings\n\n");
    }
    let rows = topics
        .iter()
        .map(|t: &TopicStatus| {
            let run = t.last_run.as_ref();
            vec![
                t.topic.clone(),
                standing(t).to_owned(),
                output::when_known(run.and_then(|r| r.started_at)),
                run.map_or_else(|| "-".to_owned(), |r| r.counts.new.to_string()),
                t.items.to_string(),
                if t.paused.is_some() { "paused".to_owned() } else { output::when_known(next(t)) },
            ]
        })
        .collect();
    text.push_str(&output::table(&["topic", "standing", "last run", "new", "items", "next slot"], rows, &[3, 4]));
    for (topic, paused) in topics.iter().filter_map(|t| Some((&t.topic, t.paused.as_ref()?))) {
        text.push_str(&match paused.by {
            PausedBy::File => format!("{topic} is paused in the configuration\n"),
            PausedBy::Pause => {
                let why = paused.reason.as_ref().map_or_else(String::new, |why| format!(": {}", output::visible(why)));
                format!("{topic} is paused since {}{why}\n", output::when_known(paused.since))
            }
        });
    }
    text.push_str(&format!("\n{calls} of {limit} calls today (UTC) · {}\n", output::visible(&place)));
    output::text(&text)?;
    Ok(Exit::Ok)
}
