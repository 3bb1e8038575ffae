//! Tries out a topic before it is saved: asks one source once what the topic would ask, as `try` does. Stores nothing.

use crate::cli::setup::try_query::{self, Answered};
use crate::cli::wiring::context::Context;
use crate::collect::Provider;
use crate::model::{ProviderQuery, Source, Topic};
use crate::search::SearchQuery;
use crate::web::{Diagnostic, TrialResult, TriedResult};

/// The most results shown.
const MAX_LISTED: usize = 3;

/// The call that a trial makes.
enum Question<'t> {
    Service(Source, SearchQuery),
    Provider(&'t ProviderQuery),
}

/// Returns the topic's first query that finds items; a summary does not count.
fn question(topic: &Topic) -> Option<Question<'_>> {
    if let Some(social) = &topic.social {
        return Some(Question::Service(Source::Social, SearchQuery::Social(social.clone(), topic.window.into())));
    }
    if let Some(web) = &topic.web {
        return Some(Question::Service(Source::Web, SearchQuery::Web(web.clone())));
    }
    let finds = |one: &&ProviderQuery| {
        let brings = topic.result_kind(one.source);
        matches!(brings, Some(crate::model::ResultKind::Posts | crate::model::ResultKind::Pages))
    };
    topic.providers.iter().find(finds).map(Question::Provider)
}

/// Returns which source a trial would ask, and the expected cost in words.
pub(super) fn price(context: &Context, topic: &Topic) -> Option<(Source, String)> {
    let prices = context.prices();
    question(topic).map(|question| match question {
        Question::Service(source, _) => (source, format!("about {}", prices.of(source))),
        Question::Provider(query) => {
            let bound = if query.may_need_fewer_calls() { "at most" } else { "about" };
            (query.source, format!("{bound} {}", prices.of(query.source).times(query.calls())))
        }
    })
}

pub(super) async fn try_out(context: &Context, topic: &Topic) -> Result<TrialResult, Diagnostic> {
    let nobody = || Diagnostic::without_line("there is nothing to try", "the topic asks only for a summary");
    let question = question(topic).ok_or_else(nobody)?;
    let failed = |failure: crate::cli::terminal::failure::Failure| Diagnostic::without_line(failure.text, failure.hint);
    let service = context.service().await.map_err(failed)?;
    let answered = match (&question, &service.callers.service) {
        (Question::Service(source, query), Some(client)) => {
            Some(try_query::ask(context, client, *source, query, topic.window.into()).await.map_err(failed)?)
        }
        (Question::Service(..), None) => None,
        (Question::Provider(query), _) => {
            let provider = service.callers.providers.iter().find(|one: &&Provider| one.name == query.source);
            match provider {
                Some(provider) => try_query::ask_query(context, provider, query).await,
                None => None,
            }
        }
    };
    if let Some(sandbox) = service.sandbox {
        sandbox.stop().await;
    }
    summarize(answered.ok_or_else(nobody)?)
}

fn summarize(Answered { source, cost, result, .. }: Answered) -> Result<TrialResult, Diagnostic> {
    let (_, ingested) =
        result.map_err(|(text, hint)| Diagnostic::without_line(format!("{source}: {text} (cost {cost})"), hint))?;
    let results = ingested.findings.iter().take(MAX_LISTED).map(|finding| TriedResult {
        author: finding.found.author.clone(),
        words: finding.found.title.clone().or_else(|| finding.found.text.clone()).unwrap_or_default(),
        url: finding.found.url.clone(),
    });
    Ok(TrialResult { source, found: ingested.findings.len(), cost, results: results.collect() })
}
