//! `check --probe`: makes one cheap call to each provider to test its address, key, protocol and response time, and opens
//! the database. Stores nothing.

use crate::cli::terminal::failure::Failure;
use crate::cli::terminal::output;
use crate::cli::wiring::context::Context;
use crate::cli::wiring::ids;
use crate::collect::{Provider, Reading, ingest};
use crate::config::{ProviderConfig, Target};
use crate::model::{LookBack, Micros, SERVICE, Source, WebOperation, WebQuery, Window};
use crate::search::decode::ContentType;
use crate::search::{self, CallFailure, Client, ErrorClass, NoGate, SearchQuery, kinds};
use crate::store::{DatabaseState, Settings, Store, StoreError};

/// The most calls to one provider.
const PROBES: usize = 3;

/// The note on an error that came with findings.
const WITH_RESULTS: &str = "the service itself reported this error, with its results and a success status";

/// The result of a probe.
#[derive(Debug, serde::Serialize)]
pub(in crate::cli) struct Probed {
    provider: String,
    pub(in crate::cli) ok: bool,
    pub(in crate::cli) line: String,
    pub(in crate::cli) hint: String,
    latency_ms: u128,
    cost_usd: Micros,
}

/// Whether the database can be used.
#[derive(Debug, serde::Serialize)]
pub(in crate::cli) struct ProbedDatabase {
    pub(in crate::cli) ok: bool,
    pub(in crate::cli) line: String,
    pub(in crate::cli) hint: String,
}

/// Opens the database for reading. Creates and upgrades nothing.
pub(in crate::cli) async fn database(context: &Context) -> ProbedDatabase {
    let settings = context.store_settings(false);
    let (ok, line, hint) = match Store::probe(&settings).await {
        Ok(DatabaseState::Ready) => match refuse_renamed(context, &settings).await {
            Ok(()) => (true, "the database can be read and written".to_owned(), String::new()),
            Err(error) => (false, error.text, error.hint),
        },
        Ok(DatabaseState::Unprepared(why)) => (true, format!("{why}; `once` and `run` prepare it"), String::new()),
        Err(error) => (false, error.text, error.hint),
    };
    ProbedDatabase { ok, line: output::escape_control(&line), hint }
}

/// Refuses a file that has the old id of a renamed topic: `run` and `once` would refuse it.
async fn refuse_renamed(context: &Context, settings: &Settings) -> Result<(), StoreError> {
    let store = Store::open_to_read(settings).await?;
    let topics = &context.config.topics;
    let ids: Vec<String> = topics.iter().map(|topic| topic.id.clone()).collect();
    let refused = store.refuse_renamed(topics, &ids).await;
    store.close().await;
    refused
}

/// Asks the search service and every other provider once.
pub(in crate::cli) async fn run(context: &Context) -> Result<Vec<Probed>, Failure> {
    let service = context.service().await?;
    let mut all = Vec::new();
    if let (Some(client), Some(url)) = (&service.callers.service, &service.base_url) {
        all.push(search_service(context, client, url.as_str()).await?);
    }
    for (config, provider) in context.config.providers.iter().zip(&service.callers.providers) {
        all.push(one_provider(context, config, provider).await);
    }
    if let Some(sandbox) = service.sandbox {
        sandbox.stop().await;
    }
    Ok(all)
}

/// Asks a provider what the first of its topics asks.
async fn one_provider(context: &Context, config: &ProviderConfig, provider: &Provider) -> Probed {
    let now = (context.clock)();
    let (name, free) = (config.name, |line: String, hint: String| Probed {
        provider: config.name.to_string(),
        ok: false,
        line,
        hint,
        latency_ms: 0,
        cost_usd: Micros(0),
    });
    let Some(query) = context.config.topics.iter().find_map(|topic| topic.provider(name)) else {
        return Probed {
            ok: true,
            ..free(format!("{name}: no topic uses it"), format!("add it to the sources of a topic: \"{name}\""))
        };
    };
    let Some(kind) = kinds::named(&query.kind) else { return free(format!("{name}: unknown kind"), String::new()) };
    let span = LookBack::from(Window::Past24Hours).span(now);
    let request = kinds::ProviderRequest { query, span, now, memory: &[], items: &[] };
    let started = std::time::Instant::now();
    let called = kinds::call_all(kind, &request, &provider.client, PROBES, &*ids::fractions(), &*context.clock).await;
    let latency_ms = started.elapsed().as_millis();
    let parts = match called {
        Ok(parts) => parts,
        Err(wrong) => return free(format!("{name}: {}", wrong.message), wrong.hint),
    };
    match kind.read(&request, &parts) {
        Ok(read) => {
            let found = read.reply.items.len();
            let cost_usd = provider.price.of(u32::try_from(parts.len()).unwrap_or(u32::MAX), found, 0);
            let failure = read.reply.failure.map(|(class, text)| format!(", but ({class}) {text}"));
            let hint = read.hint.or_else(|| failure.is_some().then(|| WITH_RESULTS.to_owned())).unwrap_or_default();
            Probed {
                provider: name.to_string(),
                ok: failure.is_none(),
                line: format!(
                    "{name} ({}) answered in {latency_ms} ms, {found} found{}",
                    query.kind,
                    failure.unwrap_or_default()
                ),
                hint,
                latency_ms,
                cost_usd,
            }
        }
        Err(error) => free(format!("{name} ({}) failed ({}): {}", query.kind, error.class, error.text), error.hint),
    }
}

async fn search_service(context: &Context, client: &Client, url: &str) -> Result<Probed, Failure> {
    let settings = &context.config.service;
    let provider = SERVICE.to_owned();
    let now = (context.clock)();
    let built_in = settings.target == Target::Sandbox;
    let key = if built_in { "the sandbox needs no key" } else { "the key is accepted" };
    // A web search is the cheapest call of either dialect.
    let query = SearchQuery::Web(WebQuery { query: "weather".into(), operation: WebOperation::Search, limit: 1 });
    let request = search::request(settings.dialect, &settings.platform, &query, now)
        .map_err(|e| Failure::usage(e.message, e.hint))?;
    let called = client.call(&request, &NoGate, &*ids::fractions(), &*context.clock).await;
    Ok(match called {
        Ok(reply) => {
            let read = Reading {
                source: Source::Web,
                seen_at: now,
                span: LookBack::from(Window::Past24Hours).span(now),
                platform: &settings.platform,
                streaming: false,
                media: ContentType::of(&reply.headers),
                cut: None,
                limit: None,
            };
            let cost = reply.cost.unwrap_or(settings.prices.web);
            let (latency_ms, cost_usd) = (reply.latency.as_millis(), cost);
            match ingest(&reply.body, &read) {
                Ok(ingested) => {
                    let failure = ingested.failure.map(|(class, text)| format!(", but ({class}) {text}"));
                    Probed {
                        provider,
                        ok: failure.is_none(),
                        hint: failure.as_ref().map(|_| WITH_RESULTS.to_owned()).unwrap_or_default(),
                        line: format!(
                            "{} answered with {} in {latency_ms} ms, {} found, {cost}; {key}{}",
                            url,
                            reply.status,
                            ingested.findings.len(),
                            failure.unwrap_or_default()
                        ),
                        latency_ms,
                        cost_usd,
                    }
                }
                Err(error) => Probed {
                    provider,
                    ok: false,
                    line: format!(
                        "{} answered with {} in {latency_ms} ms, but {}: {}",
                        url,
                        reply.status,
                        match error.class {
                            ErrorClass::Service => "with an error".to_owned(),
                            _ => format!("not in dialect `{}`", settings.dialect),
                        },
                        error.text
                    ),
                    hint: error.hint,
                    latency_ms,
                    cost_usd,
                },
            }
        }
        Err(CallFailure::Error(error)) => Probed {
            provider,
            ok: false,
            line: format!("{} failed ({}): {}", url, error.class, error.text),
            hint: error.hint,
            latency_ms: error.latency.as_millis(),
            cost_usd: error.spent.counted(settings.prices.web),
        },
        Err(CallFailure::Refused(refusal)) => {
            Probed { provider, ok: false, line: refusal.text, hint: String::new(), latency_ms: 0, cost_usd: Micros(0) }
        }
    })
}
