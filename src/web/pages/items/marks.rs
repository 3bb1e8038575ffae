//! Marks items good or noise: the buttons under an item, and what they do. `compare` learns from marks.

use axum::body::Body;
use axum::extract::{Path, State};
use axum::response::{IntoResponse as _, Redirect, Response};
use maud::{Markup, html};

use super::item_view;
use crate::model::{ItemRow, Mark, MarkedVia, NewMark};
use crate::web::layout;
use crate::web::pages::topic::actions::{long_form, may_ask};
use crate::web::problem::Problem;
use crate::web::server::app::App;
use crate::web::site::Site;

/// The word that removes a mark.
const NONE: &str = "none";
/// The field of an item that was suggested.
const SUGGESTED: &str = "suggested";
/// Maximum number of characters of an item in the label of a button.
const NAMED: usize = 60;
/// Longest address that a press leads back to: an item's, with each sign of its key encoded.
const LONGEST_BACK: usize = 2_000;

/// The mark of an item of a topic, how likely it is good and, if the visitor may act, the buttons. `back` is the
/// address that a press leads back to; `suggested` is whether the page suggests to mark the item.
pub(in crate::web::pages) fn of_item(row: &ItemRow, acts: bool, back: &str, suggested: bool) -> Markup {
    let summary = item_view::summary_line(row.title.as_deref(), row.text.as_deref(), NAMED);
    let button = |word: &str, name: &str, label: String| {
        html! { button.plain type="submit" name="mark" value=(word) aria-label=(label) { (name) } " " }
    };
    html! { @if acts || row.mark.is_some() || row.relevance.is_some() { div.meta.marks {
        @if let Some(mark) = row.mark { "marked " strong { (mark) } " " }
        @if let Some(relevance) = row.relevance { "relevance " (percent(relevance)) " " }
        @if acts { form method="post" action=(format!("/topics/{}/marks", row.topic)) {
            input type="hidden" name="key" value=(row.key);
            input type="hidden" name="back" value=(back);
            @if suggested { input type="hidden" name=(SUGGESTED) value="true"; }
            @for mark in Mark::ALL { @if row.mark != Some(*mark) {
                (button(mark.as_str(), if *mark == Mark::Good { "Good" } else { "Noise" }, format!("Mark as {mark}: {summary}")))
            } }
            @if row.mark.is_some() { (button(NONE, "Remove mark", format!("Remove mark: {summary}"))) }
        } }
    } } }
}

/// Formats thousandths as a percentage, as other shares on pages: 937 is `94%`. Only certainty is 0 or 100.
fn percent(thousandths: i64) -> String {
    let rounded = (thousandths + 5) / 10;
    let clamped = if (1..1_000).contains(&thousandths) { rounded.clamp(1, 99) } else { rounded };
    format!("{clamped}%")
}

/// Handles a button.
pub(in crate::web) async fn ask(State(app): State<App>, Path(topic): Path<String>, body: Body) -> Response {
    match handle_form(&app.site, &topic, body).await {
        Ok(back) => Redirect::to(&back).into_response(),
        Err(problem) => layout::problem(&app.site, &problem),
    }
}

async fn handle_form(site: &Site, topic: &str, body: Body) -> Result<String, Problem> {
    may_ask(site)?;
    let form = long_form(body, LONGEST_BACK).await?;
    let mark = form.word("mark", |word| if word == NONE { Some(None) } else { Mark::parse(word).map(Some) })?;
    let mark = mark.ok_or_else(|| form.invalid("mark"))?;
    let suggested = form.word(SUGGESTED, |word| (word == "true").then_some(true))?.unwrap_or(false);
    let key = form.get("key").unwrap_or("");
    set_mark(site, topic, key, NewMark { mark, through: MarkedVia::Page, suggested }).await?;
    Ok(form.get("back").filter(|back| is_own_page(back)).map_or_else(|| format!("/topics/{topic}"), str::to_owned))
}

/// Marks an item that the topic knows, or removes its mark.
pub(in crate::web) async fn set_mark(site: &Site, topic: &str, key: &str, new: NewMark) -> Result<(), Problem> {
    let keys = [key.to_owned()];
    let items = site.store.item_by_key(key).await?;
    if items.iter().all(|item| item.topic != topic) {
        let hint = "It may have been forgotten. Items are found on the pages of their topics.";
        return Err(Problem { hint: hint.to_owned(), ..Problem::not_found("The topic has no such item") });
    }
    site.store.mark(topic, &keys, new, site.now()).await?;
    Ok(())
}

/// Whether an address is one of these pages, as the forms write it, so that no press leads anywhere else.
pub(super) fn is_own_page(back: &str) -> bool {
    let plain = back.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    let pages = ["/topics/", "/item?", "/items?", "/items#"];
    plain && (back == "/items" || pages.iter().any(|page| back.starts_with(page)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentage_is_0_or_100_only_if_exact() {
        for (thousandths, expected) in [(0, "0"), (1, "1"), (937, "94"), (996, "99"), (1_000, "100")] {
            assert_eq!(percent(thousandths), format!("{expected}%"));
        }
    }

    #[test]
    fn a_button_redirects_back_only_to_own_pages() {
        for (back, here) in [
            ("/topics/acme?order=new", true),
            ("/item?key=post%3Ax%3A1", true),
            ("/items?starred=true#i3", true),
            ("/items#i3", true),
            ("/items.evil.example", false),
            ("//evil.example/topics/", false),
            ("https://evil.example/topics/acme", false),
            ("/topics/a\r\nSet-Cookie: x", false),
            ("/topics/\\evil.example", false),
            ("/logout", false),
            ("", false),
        ] {
            assert_eq!(is_own_page(back), here, "{back:?}");
        }
    }
}
