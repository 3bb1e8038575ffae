//! Stars and notes: how they are shown under an item, the buttons, and what these do.

use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse as _, Redirect, Response};
use maud::{Markup, html};

use super::item_view;
use super::marks::is_own_page;
use crate::draw::format;
use crate::model::{self, ItemRow, LONGEST_NOTE};
use crate::web::layout;
use crate::web::page_request::PageRequest;
use crate::web::pages::topic::actions::{long_form, may_ask};
use crate::web::problem::Problem;
use crate::web::server::app::App;
use crate::web::site::Site;

/// Maximum number of characters of an item in the label of a button.
const NAMED: usize = 60;

/// The star and the note of an item and, if the visitor may act, the buttons. `back` is the address that a press
/// leads back to, `number` is the item's number on its page.
pub(in crate::web::pages) fn of_item(row: &ItemRow, acts: bool, back: &str, number: usize) -> Markup {
    let item_line = item_view::summary_line(row.title.as_deref(), row.text.as_deref(), NAMED);
    let starred = row.starred_at.is_some();
    let hidden = || {
        html! {
            input type="hidden" name="key" value=(row.key);
            input type="hidden" name="back" value=(back);
        }
    };
    html! {
        @if acts || starred { div.meta.marks {
            @if starred { span.star { "★ starred" } " " }
            @if acts { form method="post" action="/items/star" {
                (hidden())
                @let (value, name) = if starred { ("false", "Remove the star") } else { ("true", "Star") };
                button.plain type="submit" name="starred" value=(value) aria-label=(format!("{name}: {item_line}")) { @if !starred { "☆ " } (name) }
            } }
        } }
        @if let Some(note) = &row.note { (shown(note)) }
        @if acts { details.kept {
            summary { @if row.note.is_some() { "Change the note" } @else { "Add a note" } span.quiet { ": " (item_line) } }
            form method="post" action="/items/note" {
                (hidden())
                @let note = row.note.as_deref().unwrap_or_default();
                (fields(note, note, number))
            }
        } }
    }
}

fn shown(note: &str) -> Markup {
    html! { blockquote.kept { span.meta { "Note: " } span dir="auto" { (lines(note)) } } }
}

/// The fields of the form of a note: what is stored, empty if there is none, and the text in it.
fn fields(stored: &str, text: &str, number: usize) -> Markup {
    html! {
        input type="hidden" name="seen" value=(fingerprint(stored));
        label for=(format!("note{number}")) { "Note, up to " (format::number(LONGEST_NOTE as u64)) " characters; empty deletes it" }
        textarea id=(format!("note{number}")) name="note" rows="3" maxlength=(LONGEST_NOTE) { "\n" (text) }
        button type="submit" { "Save the note" }
    }
}

/// A fingerprint that shows whether a note is still the one that a form was made for.
fn fingerprint(note: &str) -> String {
    let hash = blake3::hash(note.as_bytes());
    hash.to_hex().chars().take(16).collect()
}

/// A note with its line breaks.
fn lines(note: &str) -> String {
    note.lines().map(|line| format::line(line, LONGEST_NOTE)).collect::<Vec<_>>().join("\n")
}

/// Whether stars, notes and searches may be changed here.
pub(in crate::web) fn may_annotate(site: &Site) -> Result<(), Problem> {
    may_ask(site).map(drop)
}

/// Checks a typed note; `None` if it is empty.
pub(in crate::web) fn as_note(typed: &str) -> Result<Option<String>, Problem> {
    model::parse_note(typed)
        .map_err(|bad| Problem::bad_request(capital(&bad.to_string()), format!("{}.", capital(&bad.hint()))))
}

/// Capitalizes the first letter, as sentences on pages begin.
fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// The problem that no item has this key.
pub(in crate::web) fn unknown() -> Problem {
    let hint = "It may have been forgotten. Items are found on the pages of their topics.";
    Problem { hint: hint.to_owned(), ..Problem::not_found("There is no such item") }
}

/// Handles the star button.
pub(in crate::web) async fn star(State(app): State<App>, body: Body) -> Response {
    let pressed = async {
        may_annotate(&app.site)?;
        let form = long_form(body, LONGEST_NOTE * 4).await?;
        let starred = form.word("starred", |word| word.parse::<bool>().ok())?;
        let starred = starred.ok_or_else(|| form.invalid("starred"))?;
        let exists = app.site.store.star(form.get("key").unwrap_or(""), starred, app.site.now()).await?;
        exists.then(|| return_page(&form)).ok_or_else(unknown)
    };
    answer(&app.site, pressed.await)
}

/// Saves a note.
pub(in crate::web) async fn note(State(app): State<App>, body: Body) -> Response {
    let pressed = async {
        may_annotate(&app.site)?;
        let form = long_form(body, LONGEST_NOTE * 4).await?;
        let note = as_note(form.get("note").unwrap_or(""))?;
        save(&app.site, &form, note.as_deref()).await.map(|()| return_page(&form))
    };
    answer(&app.site, pressed.await)
}

/// Saves a typed note, but not over one that somebody wrote since the form was shown.
async fn save(site: &Site, form: &PageRequest, typed: Option<&str>) -> Result<(), Problem> {
    let (store, key, now) = (&site.store, form.get("key").unwrap_or(""), site.now());
    let Some(seen) = form.get("seen") else {
        return store.note(key, typed, now).await?.then_some(()).ok_or_else(unknown);
    };
    let item = store.item_by_key(key).await?.into_iter().next().ok_or_else(unknown)?;
    let mut stored = item.note.unwrap_or_default();
    if fingerprint(&stored) == seen {
        // Another form may be saved between this read and the write.
        stored = store.replace_note(key, &stored, typed, now).await?.ok_or_else(unknown)?;
    }
    if stored == typed.unwrap_or_default() { Ok(()) } else { Err(changed(form, &stored)) }
}

/// The problem that a note was changed since its form was shown. Its page has both.
fn changed(form: &PageRequest, stored: &str) -> Problem {
    let again = html! {
        @if stored.is_empty() { p { "It was deleted." } } @else { (shown(stored)) }
        form method="post" action="/items/note" data-unsaved {
            input type="hidden" name="key" value=(form.get("key").unwrap_or(""));
            input type="hidden" name="back" value=(return_page(form));
            (fields(stored, form.get("note").unwrap_or(""), 0))
        }
    };
    let hint = "Nothing was saved. This is the note as it is now, and below it is what you typed.";
    let problem = Problem::conflict("The note was changed since this page was opened", hint);
    Problem { form: Some(again), ..problem }
}

/// The page where the button was pressed.
fn return_page(form: &PageRequest) -> String {
    form.get("back").filter(|back| is_own_page(back)).unwrap_or("/items").to_owned()
}

fn answer(site: &Site, done: Result<String, Problem>) -> Response {
    match done {
        Ok(back) => Redirect::to(&back).into_response(),
        Err(problem) => layout::problem(site, &problem),
    }
}
