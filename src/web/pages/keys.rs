//! The page of keyboard shortcuts. The script that handles them (`keys.js`) shows the same list when `?` is pressed.

use std::sync::Arc;

use maud::html;

use crate::web::ask::Ask;
use crate::web::layout::Page;
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
    (&["s"], "Star the item, or take the star away; also f"),
    (&["m"], "Mark the item good for its topic, or take that back"),
    (&["x"], "Mark the item noise for its topic, or take that back"),
    (&["e"], "Write a note to the item"),
    (&["l"], "Next page of a list"),
    (&["h"], "Page before it"),
    (&["/"], "Search for words"),
    (&["?"], "Show this list"),
];

pub(in crate::web) async fn show(_site: Arc<Site>, _ask: Ask) -> Result<Page, Problem> {
    let main = html! {
        h1 { "Keys" }
        p.lead { "As in miniflux. No key is heard while you write in a field, nor with Ctrl, Alt or Meta. They need the script of these pages; everything can be done without." }
        div.wide { table #keys {
            caption.quiet { "Keys and what they do" }
            thead { tr { th scope="col" { "Key" } th scope="col" { "What it does" } } }
            tbody { @for (keys, what) in KEYS { tr {
                th scope="row" { @for (place, key) in keys.iter().enumerate() { @if place > 0 { " then " } kbd { (key) } } }
                td { (what) }
            } } }
        } }
    };
    Ok(Page { title: "Keys".to_owned(), place: "/keys", live: false, nature: None, main })
}
