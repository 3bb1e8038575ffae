//! Chooses the request for a [`SearchQuery`] in each dialect. Pure. `spec` and `desearch` build the requests; `client`
//! sends them.

pub(super) mod desearch;
pub(super) mod render;
pub(super) mod spec;
pub(super) mod unsupported;

use super::{Dialect, Request, SearchQuery, kinds};
use crate::model::{ProviderQuery, SocialOperation, Span, Time, WebOperation};
use unsupported::Unsupported;

/// Builds the request for `search_query`. Where the contract shows no shape (`posts`, `links`, `basic`), both dialects
/// use the observed one. The contract says that social `basic` is a POST, so its parameters are JSON there. Fields that
/// a call does not have are not sent (a number of posts where the call takes none, AI tools in the contract). `now`
/// only decides the days of calls that take dates.
///
/// # Errors
/// [`Unsupported`] for numbers out of range, dates where the call takes none, or a platform name that is no path
/// segment.
pub fn request(
    dialect: Dialect,
    platform: &str,
    search_query: &SearchQuery,
    now: Time,
) -> Result<Request, Unsupported> {
    match (dialect, search_query) {
        (Dialect::Spec, SearchQuery::Social(query, over)) if query.operation == SocialOperation::Search => {
            spec::social(platform, query, *over)
        }
        (Dialect::Spec, SearchQuery::Web(query)) if query.operation == WebOperation::Search => Ok(spec::web(query)),
        (Dialect::Spec, SearchQuery::Ai(query, _)) => Ok(spec::ai(query)),
        (_, SearchQuery::Provider(query, over)) => first(query, over.span(now), now),
        (dialect, SearchQuery::Social(query, over)) => match (dialect, query.operation) {
            (Dialect::Spec, SocialOperation::Basic) => desearch::social_post(query, *over, now),
            (_, SocialOperation::Search | SocialOperation::Basic) => desearch::social(query, *over, now),
            (_, SocialOperation::Posts) => desearch::posts(query, *over),
        },
        (_, SearchQuery::Web(query)) => match query.operation {
            WebOperation::Search | WebOperation::Basic => Ok(desearch::web(query)),
            WebOperation::Links => desearch::links(query),
        },
        (Dialect::Desearch, SearchQuery::Ai(query, over)) => desearch::ai(query, *over, now),
    }
}

/// Returns every request of a search that is known before the first reply, and how many more a usual search makes.
///
/// # Errors
/// As [`request()`].
pub fn requests(
    dialect: Dialect,
    platform: &str,
    search_query: &SearchQuery,
    now: Time,
) -> Result<(Vec<Request>, u32), Unsupported> {
    let SearchQuery::Provider(query, over) = search_query else {
        return Ok((vec![request(dialect, platform, search_query, now)?], 0));
    };
    let (kind, span) = (find_kind(query)?, over.span(now));
    let provider_request = kinds::ProviderRequest { query, span, now, memory: &[], items: &[] };
    let mut parts = Vec::new();
    while parts.len() < kinds::MOST_PARTS {
        let next = kind.next(&provider_request, &parts)?;
        if next.is_empty() {
            break;
        }
        let room = kinds::MOST_PARTS - parts.len();
        parts.extend(next.into_iter().take(room).map(kinds::SearchCall::unanswered));
    }
    let usual = usize::try_from(query.calls()).unwrap_or(kinds::MOST_PARTS).min(kinds::MOST_PARTS);
    let more = u32::try_from(usual.saturating_sub(parts.len())).unwrap_or(u32::MAX);
    Ok((parts.into_iter().map(|part| part.request).collect(), more))
}

/// Returns the implementation of its kind.
fn find_kind(query: &ProviderQuery) -> Result<&'static dyn kinds::Kind, Unsupported> {
    kinds::named(&query.kind).ok_or_else(|| Unsupported {
        message: format!("this version does not support providers of kind `{}`", query.kind),
        hint: "upgrade topicwatch, or remove the source from the topic".to_owned(),
    })
}

/// Returns the first call of a search that may take several.
fn first(query: &ProviderQuery, span: Span, now: Time) -> Result<Request, Unsupported> {
    let kind = find_kind(query)?;
    let provider_request = kinds::ProviderRequest { query, span, now, memory: &[], items: &[] };
    kind.next(&provider_request, &[])?.into_iter().next().ok_or_else(|| Unsupported {
        message: format!("there is nothing to request from {}", query.source),
        hint: String::new(),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

    use serde_json::{Value, json};

    use super::*;
    use crate::model::{AiQuery, AiWhen, LookBack, SocialQuery, Source, WebQuery, Window};

    /// 2026-03-11T09:00:00Z.
    const NOW: Time = Time(1_773_219_600_000);

    fn social(operation: SocialOperation, limit: Option<u32>) -> SearchQuery {
        SearchQuery::Social(SocialQuery { query: "a & b".to_owned(), operation, limit }, Window::Past7Days.into())
    }

    fn web(operation: WebOperation, limit: u32) -> SearchQuery {
        SearchQuery::Web(WebQuery { query: "a & b".to_owned(), operation, limit })
    }

    fn ai() -> AiQuery {
        AiQuery {
            prompt: "what is new?".to_owned(),
            model: "NOVA".to_owned(),
            response_order: None,
            streaming: false,
            when: AiWhen::New,
            count: None,
            tools: Vec::new(),
        }
    }

    /// Method, path, query, body, limit.
    fn shape(dialect: Dialect, search_query: &SearchQuery) -> (String, String, String, Value, Option<u32>) {
        let request = request(dialect, "X", search_query, NOW).unwrap();
        let query = request.query.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("|");
        (request.method.to_owned(), request.path, query, request.body.unwrap_or(Value::Null), request.limit)
    }

    fn post(path: &str, body: Value, limit: Option<u32>) -> (String, String, String, Value, Option<u32>) {
        ("POST".to_owned(), path.to_owned(), String::new(), body, limit)
    }

    fn get(path: &str, query: &str, limit: Option<u32>) -> (String, String, String, Value, Option<u32>) {
        ("GET".to_owned(), path.to_owned(), query.to_owned(), Value::Null, limit)
    }

    #[test]
    fn spec_requests_match_the_contract() {
        let tools = json!(["X Search"]);
        assert_eq!(
            shape(Dialect::Spec, &social(SocialOperation::Search, Some(7))),
            post("/X/search", json!({"query": "a & b", "date_filter": "PAST_7_DAYS", "tools": tools}), None)
        );
        assert_eq!(
            shape(Dialect::Spec, &web(WebOperation::Search, 5)),
            post("/web/search", json!({"query": "a & b", "results_limit": 5}), Some(5))
        );
        assert_eq!(
            shape(Dialect::Spec, &SearchQuery::Ai(ai(), Window::Past24Hours.into())),
            post("/ai/search", json!({"model": "NOVA", "prompt": "what is new?", "streaming": false}), None)
        );
        let ordered = AiQuery { response_order: Some("SUMMARY_FIRST".to_owned()), streaming: true, ..ai() };
        let expected_body = json!({
            "model": "NOVA", "prompt": "what is new?", "response_order": "SUMMARY_FIRST", "streaming": true
        });
        assert_eq!(
            shape(Dialect::Spec, &SearchQuery::Ai(ordered.clone(), Window::Past24Hours.into())),
            post("/ai/search", expected_body, None)
        );
        assert!(
            request(Dialect::Spec, "X", &SearchQuery::Ai(ordered, Window::Past24Hours.into()), NOW).unwrap().streaming
        );
    }

    #[test]
    fn desearch_requests_match_the_deployed_service() {
        let latest = |count: u32| {
            get(
                "/twitter",
                &format!("query=a & b|sort=Latest|count={count}|start_date=2026-03-04|end_date=2026-03-12"),
                Some(count),
            )
        };
        assert_eq!(shape(Dialect::Desearch, &social(SocialOperation::Search, None)), latest(20));
        assert_eq!(shape(Dialect::Desearch, &web(WebOperation::Search, 5)), get("/web", "query=a & b|start=0", None));
        let body = json!({
            "prompt": "what is new?", "tools": ["twitter", "web"], "date_filter": "PAST_24_HOURS",
            "streaming": false, "result_type": "LINKS_WITH_FINAL_SUMMARY"
        });
        assert_eq!(
            shape(Dialect::Desearch, &SearchQuery::Ai(ai(), Window::Past24Hours.into())),
            post("/desearch/ai/search", body, None)
        );
        let more = AiQuery { count: Some(10), tools: vec!["reddit".to_owned()], streaming: true, ..ai() };
        let body = json!({
            "prompt": "what is new?", "tools": ["reddit"], "date_filter": "PAST_WEEK", "count": 10,
            "streaming": true, "result_type": "LINKS_WITH_FINAL_SUMMARY"
        });
        assert_eq!(
            shape(Dialect::Desearch, &SearchQuery::Ai(more, Window::Past7Days.into())),
            post("/desearch/ai/search", body, None)
        );
    }

    #[test]
    fn basic_social_search_is_a_post_in_spec_and_a_get_in_desearch() {
        let basic = social(SocialOperation::Basic, Some(100));
        assert_eq!(
            shape(Dialect::Desearch, &basic),
            get("/twitter", "query=a & b|sort=Latest|count=100|start_date=2026-03-04|end_date=2026-03-12", Some(100))
        );
        let body = json!({
            "query": "a & b", "sort": "Latest", "count": 100, "start_date": "2026-03-04", "end_date": "2026-03-12"
        });
        assert_eq!(shape(Dialect::Spec, &basic), post("/twitter", body, Some(100)));
    }

    #[test]
    fn calls_outside_the_contract_are_the_same_in_both_dialects() {
        for dialect in Dialect::ALL {
            assert_eq!(
                shape(*dialect, &social(SocialOperation::Posts, None)),
                post("/desearch/ai/search/links/twitter", json!({"prompt": "a & b"}), None)
            );
            assert_eq!(
                shape(*dialect, &social(SocialOperation::Posts, Some(30))),
                post("/desearch/ai/search/links/twitter", json!({"prompt": "a & b", "count": 30}), Some(30))
            );
            for (limit, count) in [(5, 10), (40, 40)] {
                assert_eq!(
                    shape(*dialect, &web(WebOperation::Links, limit)),
                    post(
                        "/desearch/ai/search/links/web",
                        json!({"prompt": "a & b", "tools": ["web"], "count": count}),
                        Some(count)
                    )
                );
            }
            assert_eq!(shape(*dialect, &web(WebOperation::Basic, 5)), get("/web", "query=a & b|start=0", None));
        }
    }

    #[test]
    fn limits_that_the_service_would_refuse_are_refused() {
        let with_count = |count| SearchQuery::Ai(AiQuery { count: Some(count), ..ai() }, Window::Past24Hours.into());
        for (dialect, search_query, message) in [
            (Dialect::Desearch, with_count(9), "`ai.count` is 9, but this call takes 10 to 200"),
            (Dialect::Desearch, with_count(201), "`ai.count` is 201, but this call takes 10 to 200"),
            (
                Dialect::Desearch,
                social(SocialOperation::Search, Some(0)),
                "`social.limit` is 0, but this call takes 1 to 100",
            ),
            (
                Dialect::Spec,
                social(SocialOperation::Basic, Some(101)),
                "`social.limit` is 101, but this call takes 1 to 100",
            ),
            (
                Dialect::Spec,
                social(SocialOperation::Posts, Some(5)),
                "`social.limit` is 5, but this call takes 10 to 200",
            ),
            (Dialect::Spec, web(WebOperation::Links, 201), "`web.limit` is 201, but this call takes 10 to 200"),
        ] {
            let refused = request(dialect, "X", &search_query, NOW).unwrap_err();
            assert_eq!(refused.message, message);
            assert!(!refused.hint.is_empty());
        }
    }

    #[test]
    fn other_spans_are_sent_as_dates_or_refused_where_a_call_takes_none() {
        const DAY: i64 = 86_400_000;
        let yesterday = NOW.utc_day() - 1;
        for (over, start, end) in [
            (LookBack::Since(Time(NOW.0 - 3 * DAY)), "2026-03-08", "2026-03-12"),
            (LookBack::Day(yesterday), "2026-03-10", "2026-03-11"),
            (LookBack::Day(yesterday + 1), "2026-03-11", "2026-03-12"),
        ] {
            for operation in [SocialOperation::Search, SocialOperation::Basic] {
                let (_, _, query, ..) = shape(Dialect::Desearch, &social(operation, None).with_look_back(over));
                assert!(query.ends_with(&format!("start_date={start}|end_date={end}")), "{over:?}: {query}");
            }
            let (.., body, _) = shape(Dialect::Spec, &social(SocialOperation::Basic, None).with_look_back(over));
            assert_eq!((&body["start_date"], &body["end_date"]), (&json!(start), &json!(end)), "{over:?}");
            let (.., body, _) = shape(Dialect::Desearch, &SearchQuery::Ai(ai(), over));
            assert_eq!((&body["start_date"], &body["end_date"]), (&json!(start), &json!(end)), "{over:?}");
            assert_eq!(body.get("date_filter"), None, "one or the other");
            for (dialect, operation) in
                [(Dialect::Spec, SocialOperation::Search), (Dialect::Desearch, SocialOperation::Posts)]
            {
                let refused = request(dialect, "X", &social(operation, None).with_look_back(over), NOW).unwrap_err();
                assert!(refused.message.contains("does not support dates") && !refused.hint.is_empty(), "{refused:?}");
            }
        }
    }

    #[test]
    fn the_platform_is_a_path_segment_and_a_tool_name() {
        let search_query = social(SocialOperation::Search, None);
        let built = request(Dialect::Spec, "Mastodon", &search_query, NOW).unwrap();
        assert_eq!(
            (built.path.as_str(), &built.body.unwrap()["tools"]),
            ("/Mastodon/search", &json!(["Mastodon Search"]))
        );
        for platform in ["", "..", "a/b", "X?y", "X Y"] {
            assert!(request(Dialect::Spec, platform, &search_query, NOW).is_err(), "{platform:?}");
        }
    }

    #[test]
    fn a_request_names_the_source_it_serves() {
        for dialect in Dialect::ALL {
            for (search_query, source) in [
                (social(SocialOperation::Search, None), Source::Social),
                (web(WebOperation::Links, 10), Source::Web),
                (SearchQuery::Ai(ai(), Window::Past24Hours.into()), Source::Ai),
            ] {
                assert_eq!(request(*dialect, "X", &search_query, NOW).unwrap().source, source);
            }
        }
    }

    #[test]
    fn a_time_beyond_all_dates_is_an_error_not_a_panic() {
        assert!(request(Dialect::Desearch, "X", &social(SocialOperation::Basic, None), Time(i64::MAX)).is_err());
    }
}
