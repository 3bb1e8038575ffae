//! `check --probe`: one cheap call that tests the key, the dialect and the response time. It stores nothing.

use crate::cli::terminal::failure::Failure;
use crate::cli::wiring::context::Context;
use crate::cli::wiring::ids;
use crate::collect::{Reading, ingest};
use crate::model::{LookBack, Micros, Source, WebOperation, WebQuery, Window};
use crate::search::decode::Media;
use crate::search::{self, Ask, CallFailure, Ungated};

/// How the call went.
#[derive(Debug, serde::Serialize)]
pub(in crate::cli) struct Probed {
    pub(in crate::cli) ok: bool,
    pub(in crate::cli) line: String,
    pub(in crate::cli) hint: String,
    latency_ms: u128,
    cost_usd: Micros,
}

pub(in crate::cli) async fn run(context: &Context) -> Result<Probed, Failure> {
    let service = context.service().await?;
    let settings = &context.config.service;
    let now = (context.clock)();
    // A web search is the cheapest call of either dialect.
    let ask = Ask::Web(WebQuery { query: "weather".into(), operation: WebOperation::Search, limit: 1 });
    let request = search::request(settings.dialect, &settings.platform, &ask, now)
        .map_err(|e| Failure::usage(e.message, e.hint))?;
    let called = service.client.call(&request, &Ungated, &*ids::fractions(), &*context.clock).await;
    if let Some(sandbox) = service.sandbox {
        sandbox.stop().await;
    }
    Ok(match called {
        Ok(reply) => {
            let read = Reading {
                source: Source::Web,
                seen_at: now,
                span: LookBack::from(Window::Past24Hours).span(now),
                platform: &settings.platform,
                streaming: false,
                media: Media::of(&reply.headers),
                cut: None,
                limit: None,
            };
            let cost = reply.cost.unwrap_or(settings.prices.web);
            let (latency_ms, cost_usd) = (reply.latency.as_millis(), cost);
            match ingest(&reply.body, &read) {
                Ok(ingested) => Probed {
                    ok: true,
                    line: format!(
                        "{} answered with {} in {latency_ms} ms, {} found, {cost}; the key is accepted",
                        service.base_url,
                        reply.status,
                        ingested.findings.len()
                    ),
                    hint: String::new(),
                    latency_ms,
                    cost_usd,
                },
                Err(error) => Probed {
                    ok: false,
                    line: format!(
                        "{} answered with {} in {latency_ms} ms, but not as dialect `{}` does: {}",
                        service.base_url, reply.status, settings.dialect, error.text
                    ),
                    hint: error.hint,
                    latency_ms,
                    cost_usd,
                },
            }
        }
        Err(CallFailure::Error(error)) => Probed {
            ok: false,
            line: format!("{} failed ({}): {}", service.base_url, error.class, error.text),
            hint: error.hint,
            latency_ms: error.latency.as_millis(),
            cost_usd: error.spent.counted(settings.prices.web),
        },
        Err(CallFailure::Refused(refusal, _)) => {
            Probed { ok: false, line: refusal.text, hint: String::new(), latency_ms: 0, cost_usd: Micros(0) }
        }
    })
}
