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
                (fields(row.note.as_deref(), row.note.as_deref().unwrap_or_default(), number))
            }
        } }
    }
}

fn shown(note: &str) -> Markup {
    html! { blockquote.kept { span.meta { "Note: " } span dir="auto" { (lines(note)) } } }
}

/// The fields of the form of a note: what is stored, and the text in it.
fn fields(stored: Option<&str>, text: &str, number: usize) -> Markup {
    html! {
        input type="hidden" name="seen" value=(fingerprint(stored));
        label for=(format!("note{number}")) { "Note, up to " (format::number(LONGEST_NOTE as u64)) " characters; empty deletes it" }
        textarea id=(format!("note{number}")) name="note" rows="3" maxlength=(LONGEST_NOTE) { "\n" (text) }
        button type="submit" { "Save the note" }
    }
}

/// Tells whether a note is still the one that a form was made for.
fn fingerprint(note: Option<&str>) -> String {
    let hash = blake3::hash(note.unwrap_or_default().as_bytes());
    hash.to_hex().chars().take(16).collect()
}

/// A note in the lines in which it was written.
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
        check_unchanged(&app.site, &form, note.as_deref()).await?;
        let exists = app.site.store.note(form.get("key").unwrap_or(""), note.as_deref(), app.site.now()).await?;
        exists.then(|| return_page(&form)).ok_or_else(unknown)
    };
    answer(&app.site, pressed.await)
}

/// Refuses to replace a note that was changed since its form was shown. The page of the problem has both.
async fn check_unchanged(site: &Site, form: &PageRequest, typed: Option<&str>) -> Result<(), Problem> {
    let (key, text) = (form.get("key").unwrap_or(""), form.get("note").unwrap_or(""));
    let (Some(seen), Some(item)) = (form.get("seen"), site.store.item_by_key(key).await?.into_iter().next()) else {
        return Ok(());
    };
    let stored = item.note.as_deref();
    if stored == typed || fingerprint(stored) == seen {
        return Ok(());
    }
    let again = html! {
        @if let Some(note) = stored { (shown(note)) } @else { p { "It was deleted." } }
        form method="post" action="/items/note" data-unsaved {
            input type="hidden" name="key" value=(key);
            input type="hidden" name="back" value=(return_page(form));
            (fields(stored, text, 0))
        }
    };
    let hint = "Nothing was saved. This is the note as it is now, and below it is what you typed.";
    let problem = Problem::conflict("The note was changed since this page was opened", hint);
    Err(Problem { form: Some(again), ..problem })
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
