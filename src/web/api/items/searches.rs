//! Saved searches: lists, saves and deletes them. The items page defines what a query means.

use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Value, json};

use crate::model::{SavedSearch, excerpt};
use crate::web::api::call::Call;
use crate::web::api::call::envelope::answer;
use crate::web::item_query::{PARAMETERS, address};
use crate::web::page_request::PageRequest;
use crate::web::pages::items::searches;
use crate::web::pages::items::stars_and_notes::may_annotate;
use crate::web::problem::Problem;

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct ToSearch {
    name: String,
    query: String,
}

pub(in crate::web::api) async fn list(call: Call) -> Result<Response, Problem> {
    let all = call.site().store.saved_searches().await?;
    let data: Vec<Value> = all.iter().map(as_json).collect();
    answer(&call, [("data", json!(data))]).await
}

pub(in crate::web::api) async fn save(call: Call) -> Result<Response, Problem> {
    may_annotate(call.site())?;
    let hint = "Send {\"name\": \"launch-news\", \"query\": \"search=launch&since=7d\"}.";
    let body: ToSearch = call.json(hint)?;
    for (name, _) in url::form_urlencoded::parse(body.query.as_bytes()) {
        if !PARAMETERS.contains(&name.as_ref()) {
            let hint = format!("Known parameters: {}.", PARAMETERS.join(", "));
            return Err(Problem::conflict(format!("`query` has an unknown parameter `{}`", excerpt(&name)), hint));
        }
    }
    let saved = async { searches::save(call.site(), &body.name, &PageRequest::form(&body.query)?).await };
    // The document says that both are texts, but not which texts are valid.
    let search = saved.await.map_err(|problem| match problem.status {
        StatusCode::BAD_REQUEST => Problem { status: StatusCode::CONFLICT, ..problem },
        _ => problem,
    })?;
    answer(&call, [("data", as_json(&search))]).await
}

pub(in crate::web::api) async fn delete(call: Call) -> Result<Response, Problem> {
    may_annotate(call.site())?;
    let name = call.required("search");
    let search = call.site().store.saved_search(name).await?;
    searches::delete(call.site(), name).await?;
    answer(&call, [("data", json!(search.as_ref().map(as_json)))]).await
}

fn as_json(search: &SavedSearch) -> Value {
    json!({
        "name": search.name,
        "query": address("", &search.filters).trim_start_matches('?'),
        "href": address("/items", &search.filters),
        "feed": searches::feed_of(&search.name),
        "made_at": search.made_at,
    })
}
