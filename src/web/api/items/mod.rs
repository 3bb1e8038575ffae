//! A topic's items: searched, filtered and ordered, with near-copies under the item they began with. A page is one
//! step along an index, and reads a bounded number of rows whatever is requested.

pub(super) mod item;
pub(super) mod marks;
pub(super) mod searches;
pub(super) mod stars_and_notes;

use axum::response::Response;
use serde_json::{Value, json};

use super::call::Call;
use super::call::envelope::{answer, with};
use super::topics::card;
use crate::compare::{FilterMode, ListOptions, Ranking, ShownItem, items_to_mark_and_ranking, list_items};
use crate::model::{Source, Tone, TopicCard};
use crate::normalise::words;
use crate::store::{Filter, ItemCursor, ItemOrder};
use crate::web::pages::items::item::seen;
use crate::web::pages::topic::item_query::{fastest, most_relevant};
use crate::web::problem::Problem;

/// The orders of items.
pub(super) const ORDERS: [&str; 7] =
    ["new", "engagement", "velocity", "negative", "positive", "relevance", "suggested"];
/// How near-copies are listed.
pub(super) const COPIES: [&str; 2] = ["fold", "all"];
/// How likely noise is listed.
pub(super) const NOISES: [&str; 2] = ["all", "fold"];
/// Maximum number of near-copies shown under an item.
const MAX_COPIES: u32 = 5;

pub(super) async fn list(call: Call) -> Result<Response, Problem> {
    let store = &call.site().store;
    let card = card(&call).await?;
    let order = call.one("order").unwrap_or("new");
    let folded = call.one("copies").unwrap_or("fold") == "fold";
    let (limit, position) = (call.number("limit"), call.position()?);
    let (suggested, ranking) = match order {
        "suggested" => items_to_mark_and_ranking(store, &card.topic).await?,
        _ => (Vec::new(), Ranking::of(store, &card.topic).await?),
    };
    let mut listed_by = None;
    let (rows, next, complete) = if order == "relevance" {
        check_unfiltered(&call, order)?;
        let (rows, complete) = most_relevant(store, &card.topic, ranking.as_ref(), limit as usize).await?;
        (rows, None, complete)
    } else if order == "velocity" {
        check_unfiltered(&call, order)?;
        let (rows, _) = fastest(store, &card.topic, call.now, limit as usize).await?;
        (rows, None, true)
    } else if order == "suggested" {
        check_unfiltered(&call, order)?;
        let mut rows = suggested;
        rows.truncate(limit as usize);
        (rows, None, true)
    } else {
        let filter = filter(&call, &card)?;
        let after = position.map(|at| ItemCursor { value: at.value, key: at.key });
        let listed = store.list_items(&filter, folded, by(order), after.as_ref(), limit).await?;
        listed_by = Some(filter).filter(|_| folded);
        (listed.rows, listed.next, order == "new" || listed.whole)
    };
    let mut listing = list_items(
        store,
        ranking.as_ref(),
        rows,
        ListOptions {
            topic: &card.topic,
            filtered: call.word("filtered", FilterMode::parse).unwrap_or(FilterMode::Hide),
            without_noise: call.one("noise") == Some("fold"),
            new_since: call.instant("new_since"),
            copies: folded.then_some(MAX_COPIES),
            folded: listed_by.as_ref(),
        },
    )
    .await?;
    let if_visible = |one: ShownItem| Some(ShownItem { row: seen(&call.visitor, one.row)?, ..one });
    listing.items = listing.items.into_iter().filter_map(if_visible).collect();
    let data = listing.items.iter().map(item).collect::<Result<Vec<_>, _>>()?;
    let waiting = match call.one("search") {
        Some(_) if call.visitor.sees_all() => store.index_backlog(words::VERSION).await?,
        Some(_) => store.words_waiting_of(&card.topic, words::VERSION).await?,
        None => 0,
    };
    let next = next.map(|place| call.token(place.value, &place.key));
    let fields = [
        ("data", json!(data)),
        ("next_page_token", json!(next)),
        ("filtered", json!(listing.hidden)),
        ("outside", json!(listing.outside)),
        ("noise", json!(listing.noise)),
        ("learned", json!(ranking.map(|ranking| ranking.describe()))),
        ("complete", json!(complete)),
        ("unindexed", json!(waiting)),
    ];
    answer(&call, fields).await
}

fn by(order: &str) -> ItemOrder {
    match order {
        "engagement" => ItemOrder::Reactions,
        "negative" => ItemOrder::Negative,
        "positive" => ItemOrder::Positive,
        _ => ItemOrder::New,
    }
}

fn filter(call: &Call, card: &TopicCard) -> Result<Filter, Problem> {
    let since = call.instant("since").max(call.instant("new_since"));
    Ok(Filter {
        topics: vec![card.topic.clone()],
        sources: call.words("source", Source::parse),
        tones: call.words("tone", Tone::parse),
        authors: call.all("author").iter().map(|author| author.trim_start_matches('@').to_owned()).collect(),
        since,
        words: call.search_query()?,
        ..Filter::default()
    })
}

/// The items that rise fastest, are most relevant or are to be marked are chosen among all items, so a filter has no
/// meaning.
fn check_unfiltered(call: &Call, order: &str) -> Result<(), Problem> {
    let names = ["search", "tone", "source", "author", "since", "new_since", "copies", "page_token"];
    let of_suggested = ["noise", "filtered"].into_iter().filter(|_| order == "suggested");
    match names.into_iter().chain(of_suggested).find(|name| call.one(name).is_some()) {
        None => Ok(()),
        Some(name) => {
            let hint = "Omit it, or choose another order.";
            Err(Problem::conflict(format!("`{name}` does not apply to order={order}"), hint))
        }
    }
}

fn item(shown_item: &ShownItem) -> Result<Value, Problem> {
    let (many, copies) = &shown_item.copies;
    with(&shown_item.row, [("fit", json!(shown_item.fit)), ("copies", json!({ "count": many, "data": copies }))])
}
