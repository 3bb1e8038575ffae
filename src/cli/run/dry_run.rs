//! `once --dry-run`: prints every request and its expected price. It makes no calls and opens no database.

use serde_json::json;

use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::wiring::context::Context;
use crate::model::{Micros, Topic};
use crate::search::{self, Ask};

pub(in crate::cli) fn run(context: &Context, topics: &[Topic], json: bool) -> Result<Exit, Failure> {
    let service = &context.config.service;
    let base = match &service.target {
        crate::config::Target::Url(url) => url.clone(),
        crate::config::Target::Sandbox | crate::config::Target::Absent => {
            url::Url::parse("http://sandbox.invalid/").map_err(|e| Failure::new(Exit::Unexpected, e.to_string(), ""))?
        }
    };
    let (mut total, mut calls, mut text, mut list) = (Micros(0), 0_u32, String::new(), Vec::new());
    for topic in topics {
        for source in topic.sources() {
            let Some(ask) = Ask::of(topic, source) else { continue };
            let request = search::request(service.dialect, &service.platform, &ask, (context.clock)())
                .map_err(|e| Failure::usage(format!("{} {source}: {}", topic.id, e.message), e.hint))?;
            let price = service.prices.of(source);
            total = total.plus(price);
            calls += 1;
            let condition = match &topic.ai {
                Some(ai) if source == crate::model::Source::Ai && ai.when != crate::model::AiWhen::Always => {
                    format!(" (asked when = \"{}\")", ai.when)
                }
                _ => String::new(),
            };
            text.push_str(&format!(
                "# {} {source}, expected {price}{condition}\n{}\n\n",
                topic.id,
                search::render(&request, &base)
            ));
            list.push(json!({ "topic": topic.id, "request": request, "expected_cost_usd": price }));
        }
    }
    if json {
        output::json(&json!({ "calls": calls, "expected_cost_usd": total, "requests": list }))?;
    } else {
        text.push_str(&format!(
            "no calls were made; {calls} calls would cost at most {total} (limit: {})\n",
            service.limits()
        ));
        output::text(&text)?;
    }
    Ok(Exit::Ok)
}
