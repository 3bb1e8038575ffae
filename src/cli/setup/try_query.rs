//! `try`: asks every source one question and shows the results. It stores nothing, so nothing is new or known.

use clap::Args;
use serde_json::json;

use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::wiring::context::Context;
use crate::cli::wiring::ids;
use crate::cli::wiring::options::{Common, source_name};
use crate::collect::{Ingested, Provider, Reading, ingest, read_provider as kinds_read};
use crate::model::{
    AiQuery, AiWhen, LookBack, Micros, ProviderQuery, QueryValue, SocialOperation, SocialQuery, Source, WebOperation,
    WebQuery, Window, is_blank,
};
use crate::search::decode::ContentType;
use crate::search::{self, CallFailure, NoGate, RawReply, SearchQuery, kinds};

#[derive(Debug, Args)]
pub struct TryArgs {
    /// What to search for
    pub query: String,
    /// Ask only this source (repeat for more)
    #[arg(long, value_name = "SOURCE", value_parser = source_name)]
    pub source: Vec<Source>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// How one source answered.
pub(in crate::cli) struct Answered {
    pub(in crate::cli) source: Source,
    pub(in crate::cli) cost: Micros,
    assumed: bool,
    /// Findings with the latency in milliseconds, or error and hint.
    pub(in crate::cli) result: Result<(u128, Ingested), (String, String)>,
}

pub(in crate::cli) async fn run(common: &Common, args: &TryArgs) -> Result<Exit, Failure> {
    let context = Context::load_without_topics(common)?;
    // A query without a visible character is one that `check` refuses, too.
    if is_blank(&args.query) {
        return Err(Failure::usage(
            "there is nothing to search for",
            "give search words: topicwatch try \"rust async\"",
        ));
    }
    context.check_sources(&args.source, &[])?;
    let service = context.service().await?;
    let (mut all, mut not_asked) = (Vec::new(), Vec::new());
    let wanted = |source: Source| args.source.is_empty() || args.source.contains(&source);
    if let Some(client) = &service.callers.service {
        for source in Source::SERVICE.iter().copied().filter(|source| wanted(*source)) {
            let question = question(source, &args.query);
            all.push(ask(&context, client, source, &question, Window::Past24Hours.into()).await?);
        }
    }
    let named = args.source.iter().filter(|source| source.is_service() && service.callers.service.is_none());
    not_asked.extend(named.map(|source| (*source, "the file has no search service ([service])")));
    for provider in service.callers.providers.iter().filter(|one| wanted(one.name)) {
        match ask_provider(&context, provider, &args.query).await {
            Ok(answered) => all.push(answered),
            Err(why) => not_asked.push((provider.name, why)),
        }
    }
    if let Some(sandbox) = service.sandbox {
        sandbox.stop().await;
    }
    if all.is_empty() {
        let named: Vec<String> = not_asked.iter().map(|(source, why)| format!("{source} ({why})")).collect();
        let hint = if not_asked.iter().all(|(source, _)| source.is_service()) {
            "add [service], or ask another source"
        } else {
            "a topic with this source shows what it finds: topicwatch once --topic TOPIC"
        };
        return Err(Failure::usage(format!("nothing can be tried: {}", named.join(", ")), hint));
    }
    if args.json {
        output::json(&to_json(&context, &args.query, &all, &not_asked))?;
    } else {
        output::text(&render(&context, &all, &not_asked))?;
    }
    Ok(if all.iter().all(|a| a.result.is_ok()) { Exit::Ok } else { Exit::Searches })
}

/// Builds the question in a source's own form, with the defaults of a topic.
fn question(source: Source, query: &str) -> SearchQuery {
    match source {
        Source::Social => SearchQuery::Social(
            SocialQuery { query: query.to_owned(), operation: SocialOperation::Search, limit: None },
            Window::Past24Hours.into(),
        ),
        Source::Web => {
            SearchQuery::Web(WebQuery { query: query.to_owned(), operation: WebOperation::Search, limit: 5 })
        }
        _ => {
            let ai = AiQuery {
                prompt: query.to_owned(),
                model: "NOVA".into(),
                response_order: None,
                streaming: false,
                when: AiWhen::Always,
                count: None,
                tools: Vec::new(),
            };
            SearchQuery::Ai(ai, Window::Past24Hours.into())
        }
    }
}

/// Asks the search service once.
pub(in crate::cli) async fn ask(
    context: &Context,
    client: &search::Client,
    source: Source,
    question: &SearchQuery,
    look_back: LookBack,
) -> Result<Answered, Failure> {
    let service = &context.config.service;
    let now = (context.clock)();
    let request = search::request(service.dialect, &service.platform, question, now)
        .map_err(|e| Failure::usage(e.message, e.hint))?;
    let price = service.prices.of(source);
    let read = |reply: &RawReply| Reading {
        source,
        seen_at: now,
        span: look_back.span(now),
        platform: &service.platform,
        streaming: request.streaming,
        media: ContentType::of(&reply.headers),
        cut: reply.cut.as_ref().map(|(class, _)| *class),
        limit: request.limit,
    };
    Ok(match client.call(&request, &NoGate, &*ids::fractions(), &*context.clock).await {
        Ok(reply) => match ingest(&reply.body, &read(&reply)) {
            Ok(ingested) => {
                let billed = reply.cost.or(ingested.cost);
                Answered {
                    source,
                    cost: billed.unwrap_or(price).plus(reply.earlier.counted(price)),
                    assumed: billed.is_none() || reply.earlier.unknown > 0,
                    result: Ok((reply.latency.as_millis(), ingested)),
                }
            }
            Err(error) => Answered {
                source,
                cost: reply.cost.unwrap_or(price).plus(reply.earlier.counted(price)),
                assumed: reply.cost.is_none() || reply.earlier.unknown > 0,
                result: Err((format!("{}: {}", error.class, error.text), error.hint)),
            },
        },
        Err(CallFailure::Error(error)) => {
            let (cost, assumed) = (error.spent.counted(price), error.spent.unknown > 0);
            Answered { source, cost, assumed, result: Err((format!("{}: {}", error.class, error.text), error.hint)) }
        }
        Err(CallFailure::Refused(refusal)) => {
            Answered { source, cost: Micros(0), assumed: false, result: Err((refusal.text, String::new())) }
        }
    })
}

/// Asks a provider that takes words, or returns why it cannot be asked. Its other keys are those of its first topic.
async fn ask_provider(context: &Context, provider: &Provider, query: &str) -> Result<Answered, &'static str> {
    const UNKNOWN: &str = "its kind is unknown";
    let config = context.config.providers.iter().find(|one| one.name == provider.name).ok_or(UNKNOWN)?;
    match config.kind.needs {
        "query" => {}
        "urls" => return Err("it reads the addresses of a topic and takes no words"),
        "prompt" => return Err("it answers the prompt of a topic and takes no words"),
        _ => return Err("it writes about the new items of a run and takes no words"),
    }
    let source = provider.name;
    let topic_keys = context
        .config
        .topics
        .iter()
        .find_map(|topic| topic.provider(source))
        .map(|topic_query| topic_query.keys.clone());
    let mut keys = topic_keys.unwrap_or_default();
    keys.insert("query".to_owned(), QueryValue::Text(query.to_owned()));
    let query = ProviderQuery { source, kind: config.kind.name.to_owned(), keys };
    ask_query(context, provider, &query).await.ok_or(UNKNOWN)
}

/// Asks a provider once; `None` if its kind is unknown.
pub(in crate::cli) async fn ask_query(
    context: &Context,
    provider: &Provider,
    query: &ProviderQuery,
) -> Option<Answered> {
    let (source, now) = (provider.name, (context.clock)());
    let kind = kinds::named(&query.kind)?;
    let request = kinds::ProviderRequest {
        query,
        span: LookBack::from(Window::Past24Hours).span(now),
        now,
        memory: &[],
        items: &[],
    };
    let started = std::time::Instant::now();
    let random = ids::fractions();
    let called = kinds::call_all(kind, &request, &provider.client, usize::MAX, &*random, &*context.clock).await;
    let latency_ms = started.elapsed().as_millis();
    let calls = called.as_ref().map_or(0, |parts| u32::try_from(parts.len()).unwrap_or(u32::MAX));
    let read = match &called {
        Ok(parts) => {
            kinds_read(kind, source, &request, parts).map_err(|e| (format!("{}: {}", e.class, e.text), e.hint))
        }
        Err(wrong) => Err((wrong.message.clone(), wrong.hint.clone())),
    };
    let cost = provider.price.of(calls, read.as_ref().map_or(0, |read| read.findings.len()), 0);
    Some(Answered { source, cost, assumed: cost > Micros(0), result: read.map(|ingested| (latency_ms, ingested)) })
}

/// Sources that were not asked, and why.
type NotAsked = [(Source, &'static str)];

fn to_json(context: &Context, query: &str, all: &[Answered], not_asked: &NotAsked) -> serde_json::Value {
    let not_asked: Vec<_> = not_asked.iter().map(|(source, why)| json!({ "source": source, "reason": why })).collect();
    let sources: Vec<_> = all
        .iter()
        .map(|answered| match &answered.result {
            Ok((latency_ms, ingested)) => json!({
                "source": answered.source,
                "cost_usd": answered.cost,
                "cost_assumed": answered.assumed,
                "latency_ms": latency_ms,
                "answer": ingested.answer,
                "unreadable": ingested.unreadable,
                "error": ingested.failure.as_ref().map(|(class, text)| format!("{class}: {text}")),
                "items": ingested.findings.iter().map(|f| json!({
                    "key": f.keys.first(), "kind": f.kind, "fit": f.fit, "rank": f.found.rank, "url": f.found.url, "author": f.found.author,
                    "title": f.found.title, "text": f.found.text, "published_at": f.found.published_at, "engagement": f.found.engagement,
                })).collect::<Vec<_>>(),
            }),
            Err((text, hint)) => json!({ "source": answered.source, "cost_usd": answered.cost, "cost_assumed": answered.assumed, "error": text, "hint": hint }),
        })
        .collect();
    json!({ "query": query, "sandbox": context.is_sandbox(), "stored": false, "sources": sources, "not_asked": not_asked })
}

fn render(context: &Context, all: &[Answered], not_asked: &NotAsked) -> String {
    let mut text = String::new();
    if context.is_sandbox() {
        text.push_str("SANDBOX: invented findings\n");
    }
    for answered in all {
        let cost = format!("{}{}", answered.cost, if answered.assumed { " assumed" } else { "" });
        match &answered.result {
            Ok((latency_ms, ingested)) => {
                text.push_str(&format!(
                    "\n{} · {} found · {cost} · {} ms\n",
                    answered.source,
                    ingested.findings.len(),
                    latency_ms
                ));
                if let Some(answer) = &ingested.answer {
                    text.push_str(&format!("  {}\n", output::truncate(&answer.text, 600)));
                }
                for finding in &ingested.findings {
                    let found = &finding.found;
                    let words = found.title.as_deref().or(found.text.as_deref()).unwrap_or("");
                    let author =
                        found.author.as_ref().map_or_else(String::new, |a| format!("@{} ", output::truncate(a, 30)));
                    text.push_str(&format!("  {:>2}. {author}{}\n", found.rank, output::truncate(words, 100)));
                    if let Some(url) = &found.url {
                        text.push_str(&format!("      {}\n", output::truncate(url, 120)));
                    }
                }
                if let Some((class, what)) = &ingested.failure {
                    text.push_str(&format!("  incomplete: {class}: {}\n", output::escape_control(what)));
                }
            }
            Err((what, hint)) => {
                text.push_str(&format!(
                    "\n{} · failed · {cost}\n  {}\n",
                    answered.source,
                    output::escape_control(what)
                ));
                if !hint.is_empty() {
                    text.push_str(&format!("  hint: {}\n", output::escape_control(hint)));
                }
            }
        }
    }
    for (source, why) in not_asked {
        text.push_str(&format!("\n{source} · not asked: {why}\n"));
    }
    let total = all.iter().fold(Micros(0), |sum, a| sum.plus(a.cost));
    text.push_str(&format!("\nnothing was stored; cost {total}\n"));
    text
}
