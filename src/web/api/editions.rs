//! Reports and exports that were made, and their files. Files are found only by what the database recorded of them.

use axum::response::Response;
use serde_json::{Value, json};

use super::call::Call;
use super::call::envelope::{answer, cut_page};
use crate::model::{EditionRow, Time, WrittenFile};
use crate::store::RunCursor;
use crate::web::page_request::link;
use crate::web::pages::editions::{name, open};
use crate::web::problem::Problem;

pub(super) async fn reports(call: Call) -> Result<Response, Problem> {
    list(call, "report").await
}

pub(super) async fn exports(call: Call) -> Result<Response, Problem> {
    list(call, "export").await
}

async fn list(call: Call, kind: &str) -> Result<Response, Problem> {
    let limit = call.number("limit");
    let before = call.position()?.map(|position| RunCursor { at: Time(position.value), run: position.key });
    let mut editions = call.site().store.list_outputs(Some(kind), before.as_ref(), limit + 1).await?;
    let more = cut_page(&mut editions, limit);
    let next = editions.last().filter(|_| more).map(|edition| call.token(edition.made_at.0, &edition.run));
    let data: Vec<Value> = editions.iter().map(as_json).collect();
    answer(&call, [("data", json!(data)), ("next_page_token", json!(next))]).await
}

fn as_json(edition: &EditionRow) -> Value {
    let file = |(place, file): (usize, &WrittenFile)| {
        let place = place.to_string();
        let href = link("/api/v1/files", [("run", edition.run.as_str()), ("n", place.as_str())]);
        json!({ "name": name(&file.path), "href": href, "replaced": file.replaced })
    };
    json!({
        "name": edition.name,
        "run": edition.run,
        "made_at": edition.made_at,
        "subject": (edition.rows.is_none()).then_some(&edition.subject),
        "rows": edition.rows,
        "files": edition.files.iter().enumerate().map(file).collect::<Vec<_>>(),
    })
}

pub(super) async fn file(call: Call) -> Result<Response, Problem> {
    open(call.site(), call.required("run"), call.number("n") as usize).await
}
