//! The contract's three calls, exactly as it shows them. Calls that the contract names without a shape are in
//! `desearch`.

use serde_json::{Value, json};

use crate::model::{AiQuery, LookBack, SocialQuery, Source, WebQuery};
use crate::search::{Request, Unsupported};

/// `POST /<platform>/search`. The service chooses the length of the reply.
pub(in crate::search) fn social(platform: &str, query: &SocialQuery, over: LookBack) -> Result<Request, Unsupported> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if platform.is_empty() || !platform.chars().all(plain) {
        return Err(Unsupported {
            message: format!("{platform:?} cannot be a path segment"),
            hint: "`service.platform` takes letters, digits, `-` and `_`; the contract's platform is \"X\"".to_owned(),
        });
    }
    let LookBack::Window(window) = over else {
        return Err(Unsupported {
            message: "this dialect's social search does not support dates, only the past 24 hours or seven days"
                .to_owned(),
            hint: "for dates, set dialect = \"desearch\" in [service], or social.operation = \"basic\"".to_owned(),
        });
    };
    let body = json!({
        "query": query.query,
        "date_filter": window.as_str(),
        "tools": [format!("{platform} Search")],
    });
    Ok(post(Source::Social, format!("/{platform}/search"), body))
}

/// `POST /web/search`.
pub(in crate::search) fn web(query: &WebQuery) -> Request {
    let body = json!({ "query": query.query, "results_limit": query.limit });
    Request { limit: Some(query.limit), ..post(Source::Web, "/web/search".to_owned(), body) }
}

/// `POST /ai/search`. `streaming` is always sent: deployed services take its absence as true.
pub(in crate::search) fn ai(query: &AiQuery) -> Request {
    let mut body = json!({ "model": query.model, "prompt": query.prompt, "streaming": query.streaming });
    if let Some(order) = &query.response_order {
        body["response_order"] = Value::from(order.as_str());
    }
    Request { streaming: query.streaming, ..post(Source::Ai, "/ai/search".to_owned(), body) }
}

/// A POST without query parameters, unbounded and not streamed.
pub(in crate::search) fn post(source: Source, path: String, body: Value) -> Request {
    Request {
        source,
        method: "POST",
        path,
        query: Vec::new(),
        body: Some(body),
        limit: None,
        streaming: false,
        address: None,
        redirected_from: Vec::new(),
        headers: Vec::new(),
    }
}
