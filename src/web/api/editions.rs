//! Reports and exports that were made, and their files. Files are found only by what the database recorded of them.

use axum::response::Response;
use serde_json::{Value, json};

use super::call::Call;
use super::envelope::{answer, cut_page};
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
    let mut made = call.site().store.list_outputs(Some(kind), before.as_ref(), limit + 1).await?;
    let more = cut_page(&mut made, limit);
    let next = made.last().filter(|_| more).map(|made| call.token(made.made_at.0, &made.run));
    let data: Vec<Value> = made.iter().map(as_json).collect();
    answer(&call, [("data", json!(data)), ("next_page_token", json!(next))]).await
}

fn as_json(made: &EditionRow) -> Value {
    let file = |(place, file): (usize, &WrittenFile)| {
        let place = place.to_string();
        let href = link("/api/v1/files", [("run", made.run.as_str()), ("n", place.as_str())]);
        json!({ "name": name(&file.path), "href": href, "replaced": file.replaced })
    };
    json!({
        "name": made.name,
        "run": made.run,
        "made_at": made.made_at,
        "subject": (made.rows.is_none()).then_some(&made.subject),
        "rows": made.rows,
        "files": made.files.iter().enumerate().map(file).collect::<Vec<_>>(),
    })
}

pub(super) async fn file(call: Call) -> Result<Response, Problem> {
    open(call.site(), call.required("run"), call.number("n") as usize).await
}
