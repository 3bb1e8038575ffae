//! `once --dry-run`: prints every request and its expected price. It makes no calls and opens no database.

use std::io::Write as _;

use serde_json::json;

use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::json_list::JsonList;
use crate::cli::terminal::output;
use crate::cli::wiring::context::Context;
use crate::model::{AiWhen, Micros, Source, Topic};
use crate::search::{self, Ask, Request};

pub(in crate::cli) fn run(context: &Context, topics: &[&Topic], json: bool) -> Result<Exit, Failure> {
    let service = &context.config.service;
    let base = match &service.target {
        crate::config::Target::Url(url) => url.clone(),
        crate::config::Target::Sandbox | crate::config::Target::Absent => {
            url::Url::parse("http://sandbox.invalid/").map_err(|e| Failure::new(Exit::Unexpected, e.to_string(), ""))?
        }
    };
    let each = |take: &mut dyn FnMut(&Call<'_>) -> Result<(), Failure>| -> Result<(), Failure> {
        for topic in topics {
            for source in topic.sources() {
                let Some(ask) = Ask::of(topic, source) else { continue };
                let request = search::request(service.dialect, &service.platform, &ask, (context.clock)())
                    .map_err(|e| Failure::usage(format!("{} {source}: {}", topic.id, e.message), e.hint))?;
                take(&Call { topic, source, request, price: service.prices.of(source) })?;
            }
        }
        Ok(())
    };
    // Everything is made twice, so that nothing is printed of a file of which something cannot be asked, and no more than one
    // request is held.
    let (mut total, mut calls) = (Micros(0), 0_u32);
    each(&mut |call| {
        total = total.plus(call.price);
        calls += 1;
        Ok(())
    })?;
    let mut out = output::stdout();
    if json {
        let whole = json!({ "calls": calls, "expected_cost_usd": total, "requests": [] });
        let mut list = JsonList::begin(&mut out, "requests", &whole)?;
        each(&mut |call| {
            list.push(&json!({ "topic": call.topic.id, "request": call.request, "expected_cost_usd": call.price }))
        })?;
        list.end(&whole)?;
    } else {
        each(&mut |call| {
            let Call { topic, source, request, price } = call;
            let request = search::render(request, &base);
            Ok(write!(out, "# {} {source}, expected {price}{}\n{request}\n\n", topic.id, condition(topic, *source))?)
        })?;
        writeln!(out, "no calls were made; {calls} calls would cost at most {total} (limit: {})", service.limits())?;
    }
    out.flush()?;
    Ok(Exit::Ok)
}

/// A call that would be made.
struct Call<'a> {
    topic: &'a Topic,
    source: Source,
    request: Request,
    price: Micros,
}

fn condition(topic: &Topic, source: Source) -> String {
    match &topic.ai {
        Some(ai) if source == Source::Ai && ai.when != AiWhen::Always => format!(" (asked when = \"{}\")", ai.when),
        _ => String::new(),
    }
}
