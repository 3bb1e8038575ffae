//! `once --dry-run`: prints the requests that are known in advance, with their expected price. It makes no calls and
//! opens no database, so it does not know what feeds or engines returned before.

use std::collections::BTreeSet;
use std::io::Write as _;

use serde_json::json;
use url::Url;

use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::json_list::JsonList;
use crate::cli::terminal::output;
use crate::cli::wiring::callers;
use crate::cli::wiring::context::Context;
use crate::config::Target;
use crate::draw::format::count_noun;
use crate::model::{AiWhen, Login, Micros, ProviderQuery, Source, Topic, about_items, without_secrets};
use crate::search::{self, RenderTarget, Request, SearchQuery};

pub(in crate::cli) fn run(context: &Context, topics: &[&Topic], json: bool) -> Result<Exit, Failure> {
    let service = &context.config.service;
    // The embedded sandbox has an address only while it runs.
    let sandbox = Url::parse("http://sandbox.invalid/");
    let sandbox = sandbox.map_err(|e| Failure::new(Exit::Unexpected, e.to_string(), ""))?;
    let prices = context.prices();
    let each = |take: &mut dyn FnMut(&Search<'_>) -> Result<(), Failure>| -> Result<(), Failure> {
        for topic in topics {
            for source in topic.sources() {
                let Some(query) = SearchQuery::of(topic, source) else { continue };
                let (requests, more) = search::requests(service.dialect, &service.platform, &query, (context.clock)())
                    .map_err(|e| Failure::usage(format!("{} {source}: {}", topic.id, e.message), e.hint))?;
                take(&Search { topic, source, requests, more, price: prices.of(source) })?;
            }
        }
        Ok(())
    };
    // Build everything twice: so nothing is printed if one request is invalid, and only one search is held at a time.
    let (mut total, mut calls, mut bound, mut sources) = (Micros(0), 0_i64, "", BTreeSet::new());
    each(&mut |search| {
        total = total.plus(search.price.times(search.calls()));
        calls += search.calls();
        let may_need_fewer = || search.topic.provider(search.source).is_some_and(ProviderQuery::may_need_fewer_calls);
        if search.more > 0 || may_need_fewer() || !search.condition().is_empty() {
            bound = "at most ";
        }
        sources.insert(search.source);
        Ok(())
    })?;
    let mut out = output::stdout();
    if json {
        let document = json!({ "calls": calls, "expected_cost_usd": total, "requests": [] });
        let mut list = JsonList::begin(&mut out, "requests", &document)?;
        each(&mut |search| {
            let target = render_target(context, search.source, &sandbox);
            search.requests.iter().try_for_each(|request| {
                let url = target.url(request);
                let address = request.address.as_deref().map(without_secrets);
                let request = Request { address, ..request.clone() };
                list.push(&json!({ "topic": search.topic.id, "request": request, "url": url,
                    "expected_cost_usd": search.price }))
            })
        })?;
        list.end(&document)?;
    } else {
        if context.is_sandbox() {
            out.write_all(b"SANDBOX: invented findings and prices\n\n")?;
        }
        each(&mut |search| {
            let (target, price) = (render_target(context, search.source, &sandbox), search.price);
            let (head, why) = (format!("# {} {}", search.topic.id, search.source), search.condition());
            for request in &search.requests {
                write!(out, "{head}, expected {price}{why}\n{}\n\n", search::render(request, &target))?;
            }
            if search.more > 0 {
                let (more, price) = (count_noun(u64::from(search.more), "call"), price.times(i64::from(search.more)));
                write!(out, "{head}, expected {price}: at most {more} more, depending on the replies\n\n")?;
            }
            Ok(())
        })?;
        let (calls, limits) = (count_noun(calls.unsigned_abs(), "call"), limits(context, &sources));
        writeln!(
            out,
            "no calls were made; {bound}{calls} would cost about {total} at the configured prices ({limits})"
        )?;
    }
    out.flush()?;
    Ok(Exit::Ok)
}

/// A search that would be made.
struct Search<'a> {
    topic: &'a Topic,
    source: Source,
    requests: Vec<Request>,
    /// Further calls that the search may make.
    more: u32,
    /// Price of one call.
    price: Micros,
}

impl Search<'_> {
    fn calls(&self) -> i64 {
        i64::try_from(self.requests.len()).unwrap_or(i64::MAX).saturating_add(i64::from(self.more))
    }

    /// Says when the source is called, if not in every run.
    fn condition(&self) -> String {
        match &self.topic.ai {
            Some(ai) if self.source == Source::Ai && ai.when != AiWhen::Always => {
                format!(" (called if ai.when = \"{}\" allows it)", ai.when)
            }
            _ if self.topic.provider(self.source).is_some_and(|query| about_items(&query.kind)) => {
                " (called if the run finds something new)".to_owned()
            }
            _ => String::new(),
        }
    }
}

/// Returns where a source is asked, as in a real run.
fn render_target(context: &Context, source: Source, sandbox: &Url) -> RenderTarget {
    let target = match context.config.providers.iter().find(|one| one.name == source) {
        Some(provider) => {
            let base_url = callers::address(provider, Some(sandbox)).unwrap_or_else(|| sandbox.clone());
            return RenderTarget {
                base_url,
                login: callers::login(provider),
                sandbox: provider.target == Target::Sandbox,
            };
        }
        None => &context.config.service.target,
    };
    let base_url = match target {
        Target::Url(url) => url.clone(),
        Target::Sandbox | Target::Absent => sandbox.clone(),
    };
    RenderTarget { base_url, login: Login::Bare, sandbox: *target == Target::Sandbox }
}

/// Describes the daily limits of the sources that would be asked.
fn limits(context: &Context, sources: &BTreeSet<Source>) -> String {
    let config = &context.config;
    let service = sources.iter().any(|source| source.is_service()).then(|| ("service", config.service.limits()));
    let providers = config.providers.iter().filter(|one| sources.contains(&one.name));
    let all: Vec<_> = service.into_iter().chain(providers.map(|one| (one.name.as_str(), one.limits()))).collect();
    match all.as_slice() {
        [] => "no limit applies".to_owned(),
        [("service", limits)] => format!("limit: {limits}"),
        [(name, limits)] => format!("limit of {name}: {limits}"),
        _ => {
            let named: Vec<String> = all.iter().map(|(name, limits)| format!("{name} {limits}")).collect();
            format!("limits: {}", named.join(", "))
        }
    }
}
