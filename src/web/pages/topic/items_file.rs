//! The items of a topic's page as a file: all pages of the list that the address asks for, in its order.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, State};
use axum::http::{Method, Uri};
use axum::response::Response;

use super::item_query::{FILE_PARAMETERS, TopicItemQuery};
use crate::compare::{Ranking, list_items};
use crate::export::{ExportError, ExportKind, ExportOptions, Format, Profile, write_items};
use crate::model::Time;
use crate::store::{ItemCursor, Store};
use crate::web::access::visitor::Visitor;
use crate::web::downloads::pipe::Writer;
use crate::web::downloads::{self, File};
use crate::web::layout;
use crate::web::page_request::PageRequest;
use crate::web::pages::items::item::seen;
use crate::web::problem::Problem;
use crate::web::server::app::App;
use crate::web::site::Site;

/// Items that are read at a time.
const STEP: u32 = 200;

pub(in crate::web) async fn file(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Path(topic): Path<String>,
    method: Method,
    uri: Uri,
) -> Response {
    let response = async {
        let request = PageRequest::of(&uri, visitor, FILE_PARAMETERS)?;
        answer(&app.site, &topic, &request, method == Method::HEAD).await
    };
    response.await.unwrap_or_else(|problem: Problem| layout::problem(&app.site, &problem))
}

async fn answer(site: &Arc<Site>, topic: &str, request: &PageRequest, head: bool) -> Result<Response, Problem> {
    let card = site.store.topic_card(topic, site.now()).await?;
    let card = card.ok_or_else(|| Problem::not_found("There is no such topic"))?;
    let query = TopicItemQuery::of(request, &card, site.now())?;
    if query.filter.words.is_some() {
        downloads::check_indexed(&site.store, &query.filter.topics).await?;
    }
    let format = request.name.rsplit('.').next().and_then(Format::parse).unwrap_or(Format::Csv);
    // Ids of topics hold only characters that a file's name may have.
    let name = format!("{topic}-{}", request.name);
    let (visitor, now) = (request.visitor.clone(), site.now());
    let file = File { name: &name, format, head };
    downloads::stream(site, &request.visitor, file, async move |store: &Store, out: &Writer| {
        let list = TopicItems { topic: card.topic, query, visitor, now };
        list.write(store, format, out).await
    })
    .await
}

/// A list to be written.
struct TopicItems {
    topic: String,
    query: TopicItemQuery,
    visitor: Visitor,
    now: Time,
}

impl TopicItems {
    async fn write(&self, store: &Store, format: Format, mut out: &Writer) -> Result<(), ExportError> {
        let ranking = Ranking::of(store, &self.topic).await?;
        // Such files are opened in spreadsheets.
        let order = ExportOptions { format, profile: Profile::Excel, ..ExportOptions::all(ExportKind::Items) };
        let mut after: Option<Option<ItemCursor>> = Some(None);
        write_items(store, &order, &mut out, async || {
            let Some(from) = after.take() else { return Ok(None) };
            let position = (from.as_ref(), STEP);
            let page = self.query.rows((store, self.now), &self.topic, ranking.as_ref(), position).await?;
            after = page.next.map(Some);
            let options = self.query.options(&self.topic, None);
            let listing = list_items(store, ranking.as_ref(), page.rows, options).await?;
            Ok(Some(listing.items.into_iter().filter_map(|one| seen(&self.visitor, one.row)).collect()))
        })
        .await
    }
}
