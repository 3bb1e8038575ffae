//! The page of keyboard shortcuts. The script that handles them (`keys.js`) shows the same list when `?` is pressed.

use std::sync::Arc;

use maud::html;

use crate::web::layout::Page;
use crate::web::page_request::PageRequest;
use crate::web::problem::Problem;
use crate::web::site::Site;

/// The keys to press, and what they do.
const KEYS: [(&[&str], &str); 20] = [
    (&["g", "t"], "Go to the topics"),
    (&["g", "i"], "Go to the items"),
    (&["g", "b"], "Go to the starred items"),
    (&["g", "n"], "Go to the items with a note"),
    (&["g", "a"], "Go to the alerts"),
    (&["g", "r"], "Go to the runs"),
    (&["g", "f"], "Go to reports and exports"),
    (&["g", "h"], "Go to health"),
    (&["j"], "Next item, also on an item's page; also n"),
    (&["k"], "Previous item; also p"),
    (&["o"], "Open the item; also Enter"),
    (&["v"], "Open the original in a new tab"),
    (&["s"], "Star the item, or remove the star; also f"),
    (&["m"], "Mark the item good for its topic, or remove the mark"),
    (&["x"], "Mark the item noise for its topic, or remove the mark"),
    (&["e"], "Write a note on the item"),
    (&["l"], "Next page of a list"),
    (&["h"], "Previous page of a list"),
    (&["/"], "Search for words"),
    (&["?"], "Show this list"),
];

pub(in crate::web) async fn show(_site: Arc<Site>, _ask: PageRequest) -> Result<Page, Problem> {
    let main = html! {
        h1 { "Keys" }
        p.lead { "Keys are ignored while you type in a field, and with Ctrl, Alt or Meta. They need JavaScript; everything also works without them." }
        div.wide { table #keys {
            caption.quiet { "Keys and what they do" }
            thead { tr { th scope="col" { "Key" } th scope="col" { "What it does" } } }
            tbody { @for (keys, what) in KEYS { tr {
                th scope="row" { @for (place, key) in keys.iter().enumerate() { @if place > 0 { " then " } kbd { (key) } } }
                td { (what) }
            } } }
        } }
    };
    Ok(Page { title: "Keys".to_owned(), place: "/keys", live: false, origin: None, main })
}
