//! The settings page: the topics, reports, alerts, exports and channels of the file. They are switched on and off
//! here, and topics are deleted and put back. `job_runs` runs and tests them; `topic::edit` changes topics.

mod job_runs;
mod job_tables;

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use maud::{Markup, html};

use super::topic::actions::may_ask;
use super::topic::edit::{
    NEW, deletion, edit_path, edit_problem, editing, editor, locked, not_in_file, read_file, run_blocking,
};
use super::topic::lines::mask_ping;
use crate::draw::format;
use crate::edit::{Entry, Jobs, KeyValue, Kind};
use crate::model::{PausedBy, Time, TopicCard};
use crate::web::access::visitor::Visitor;
use crate::web::edit_state::{Deletion, Editing};
use crate::web::jobs_file::{AlertTrial, Diagnostic, FileSnapshot, SaveError};
use crate::web::layout::{self, Page};
use crate::web::page_request::{PageRequest, link};
use crate::web::problem::Problem;
use crate::web::server::app::App;
use crate::web::site::Site;
use job_tables::{section, table_summary};

/// Maximum number of tables listed of a kind.
const LISTED: usize = 100;

/// The result of a button, for the page after it.
#[derive(Default)]
struct ActionResult {
    /// The id of a deletion, and what was deleted.
    undo: Option<(String, Deletion)>,
    /// The result of an alert trial.
    tried: Option<AlertTrial>,
    /// A topic to delete, if the visitor confirms it.
    confirm: Option<String>,
    /// A topic whose deletion was undone.
    restored: Option<String>,
    changed: bool,
    /// Lines that could not be put back, to do it by hand.
    lost: Option<String>,
    wrong: Vec<Diagnostic>,
}

pub(in crate::web) async fn show(site: Arc<Site>, request: PageRequest) -> Result<Page, Problem> {
    let undo = request.get("undo").and_then(|id| Some((id.to_owned(), editing(&site).ok()?.deleted(id)?)));
    let tried = request.get("tested").and_then(|id| editing(&site).ok()?.trial(id));
    let confirm = request.get("delete").map(str::to_owned);
    let restored = request.get("restored").map(str::to_owned);
    page(&site, ActionResult { undo, tried, confirm, restored, ..ActionResult::default() }, &request.visitor).await
}

async fn page(site: &Site, result: ActionResult, visitor: &Visitor) -> Result<Page, Problem> {
    let opened = read_file(editing(site)?).await?;
    let undo = result.undo.filter(|(_, deleted)| deleted.left == opened.seen);
    let mut result = ActionResult { undo, ..result };
    // Tables that cannot be edited here are listed all the same.
    let inline = Jobs::read(&opened.text).err();
    let jobs = Jobs::read_to_list(&opened.text).map_err(edit_problem)?;
    result.restored = result.restored.filter(|topic| jobs.entry(Kind::Topic, topic).is_ok());
    let locked = match &inline {
        Some(refused) => Some(format!("{}: {}; {}.", opened.place, refused.message, refused.hint)),
        None => locked(site, &opened, visitor),
    };
    let edits = locked.is_none();
    if let Some(topic) = result.confirm.as_ref().filter(|_| edits) {
        jobs.entry(Kind::Topic, topic).map_err(|_| not_in_file("The file has no such topic"))?;
    }
    let halted = paused_in_database(site, &jobs).await?;
    let mut sections = Vec::new();
    for kind in Kind::ALL {
        let all: Vec<&Entry> = jobs.entries(kind).collect();
        let mut rows = Vec::new();
        for entry in all.iter().take(LISTED) {
            rows.push(row(site, &jobs, kind, entry, (&opened, edits, &halted), visitor).await?);
        }
        sections.push(section(kind, &rows, all.len(), inline.is_none()));
    }
    let main = html! {
        h1 { "Settings" }
        p.lead { "These entries are in " code { (format::line(&opened.place, 200)) } "." @if edits { " Changes are written there; comments and order stay." } }
        @if let Some(why) = &locked { p.note { (why) } } @else if site.settings().acts.is_none() {
            p.note { "These pages run nothing: " code { "topicwatch run" } " with this file applies changes within seconds, " code { "topicwatch once" } " at its next run." }
        }
        @if let Some(topic) = result.confirm.as_ref().filter(|_| edits) { (confirm(topic, &opened.seen)) }
        (result_notes(&result))
        @for section in &sections { (section) }
    };
    Ok(Page { title: "Settings".to_owned(), place: "/jobs", live: false, origin: site.origin().await?, main })
}

/// The question before a topic is deleted.
fn confirm(topic: &str, seen: &str) -> Markup {
    html! { div.note role="alert" {
        p { "Delete the topic " strong { (topic) } " from the file? Its findings are kept." }
        form.actions method="post" action="/jobs" {
            input type="hidden" name="do" value="delete";
            input type="hidden" name="kind" value=(Kind::Topic.singular());
            input type="hidden" name="name" value=(topic);
            input type="hidden" name="seen" value=(seen);
            button type="submit" { "Delete" }
            a.button href="/jobs" { "Keep it" }
        }
    } }
}

fn result_notes(result: &ActionResult) -> Markup {
    html! {
        @if let Some(tried) = &result.tried { (job_runs::trial(tried)) }
        @if let Some((id, deleted)) = &result.undo { div.note role="status" {
            p { "Deleted: " (deleted.kind.singular()) " " strong { (deleted.name) } ". Its findings are kept." }
            form.actions method="post" action="/jobs" {
                input type="hidden" name="do" value="undo"; input type="hidden" name="undo" value=(id);
                button type="submit" { "Undo" }
            }
        } }
        @if let Some(topic) = &result.restored { div.note role="status" {
            p { "Restored: " (Kind::Topic.singular()) " " strong { (topic) } ". The file has it again." }
        } }
        @if result.changed { div.note role="alert" {
            p { strong { "The file has changed since that page was opened." } " Nothing was saved. Check the entries below, then press the button again." }
            @if let Some(lost) = &result.lost { p { "Restore these lines by hand:" } pre { (lost) } }
        } }
        @if !result.wrong.is_empty() { div.note role="alert" {
            p { strong.bad { "This is not possible. Nothing was saved." } }
            ul { @for wrong in &result.wrong { li { @if let Some(line) = wrong.line { "line " (line) ": " } (format::line(&wrong.message, 400)) @if !wrong.hint.is_empty() { " – hint: " (format::line(&wrong.hint, 400)) } } } }
        } }
    }
}

/// Topics that a button or `topic pause` paused, whatever the file says: that is stored in the database.
async fn paused_in_database(site: &Site, jobs: &Jobs<'_>) -> Result<BTreeSet<String>, Problem> {
    let names: Vec<String> = jobs.entries(Kind::Topic).take(LISTED).map(|entry| entry.name.clone()).collect();
    let most = u32::try_from(LISTED).unwrap_or(u32::MAX);
    let cards = site.store.topic_cards(Some(&names), "", most, Time(i64::MAX)).await?;
    let halted = |card: &TopicCard| card.paused.as_ref().is_some_and(|paused| paused.by == PausedBy::Pause);
    Ok(cards.into_iter().filter(halted).map(|card| card.topic).collect())
}

async fn row(
    site: &Site,
    jobs: &Jobs<'_>,
    kind: Kind,
    entry: &Entry,
    (opened, edits, halted): (&FileSnapshot, bool, &BTreeSet<String>),
    visitor: &Visitor,
) -> Result<Markup, Problem> {
    let (on, name) = (!jobs.is_paused(kind, entry), &entry.name);
    let button = |word: &str, caption: &str, label: String| {
        html! { form method="post" action="/jobs" {
            input type="hidden" name="do" value=(word);
            input type="hidden" name="kind" value=(kind.singular());
            input type="hidden" name="name" value=(name);
            input type="hidden" name="seen" value=(opened.seen);
            button type="submit" aria-label=(label) { (caption) }
        } }
    };
    let run = job_runs::button(site, kind, name, on, visitor)?;
    let last = job_runs::last(site, kind, name, on, visitor).await?;
    let halted = on && kind == Kind::Topic && halted.contains(name);
    let has_form = kind == Kind::Topic && jobs.contiguous_entry(kind, name).is_ok();
    Ok(html! { tr {
        th scope="row" { @if kind == Kind::Topic { a href=(format!("/topics/{name}")) { (format::line(name, 80)) } } @else { (format::line(name, 80)) } }
        td data-label="What" { (table_summary(jobs, kind, entry)) }
        td data-label="State" {
            @if halted {
                span.state.calm { "paused outside the file" }
                @if site.may_act(visitor) { a.sub href=(format!("/topics/{name}")) { "Resume it on its page" } } @else { span.sub { "Resume it: " code { "topicwatch topic resume " (name) } } }
            }
            @else { span.state.(if on { "good" } else { "calm" }) { @if on { "on" } @else { "paused" } } }
        }
        td {
            div.actions {
                @if edits {
                    @if on { (button("off", "Pause", format!("Pause {} {name}", kind.singular()))) } @else { (button("on", "Resume", format!("Resume {} {name}", kind.singular()))) }
                }
                (run)
                @if has_form {
                    a.button href=(edit_path(name)) { @if edits { "Change" } @else { "Show" } span.quiet { " " (name) } }
                    @if edits { a.button href=(link(NEW, [("from", name.as_str())])) { "Duplicate" span.quiet { " " (name) } } a.button href=(deletion(name)) { "Delete" span.quiet { " " (name) } } }
                }
            }
            (last)
        }
    } })
}

/// Handles a button.
pub(in crate::web) async fn ask(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    body: Body,
) -> Response {
    match handle_form(&app.site, &visitor, body).await {
        Ok(response) => response,
        Err(problem) => layout::problem(&app.site, &problem),
    }
}

async fn handle_form(site: &Site, visitor: &Visitor, body: Body) -> Result<Response, Problem> {
    let form = PageRequest::long_form(body).await?;
    let verb = form.get("do").unwrap_or("");
    if verb == "run" {
        may_ask(site)?;
        let editing = editing(site)?;
        let text = read_file(editing).await?.text;
        let to = job_runs::run(site, editing, &Jobs::read_to_list(&text).map_err(edit_problem)?, &form).await?;
        return Ok(Redirect::to(&to).into_response());
    }
    let editing = editor(site, visitor)?;
    let opened = read_file(editing).await?;
    if let Some(why) = locked(site, &opened, visitor) {
        return Err(Problem::new(StatusCode::FORBIDDEN, "The file cannot be changed here", why));
    }
    let conflict = |lost: Option<String>| ActionResult { changed: true, lost, ..ActionResult::default() };
    if verb == "undo" {
        let hint = "It was undone, is no longer among the latest deletions, or topicwatch was restarted. /jobs lists what is in the file.";
        let gone = || Problem::new(StatusCode::NOT_FOUND, "There is nothing left to undo", hint);
        let id = form.get("undo").unwrap_or("");
        let deleted = editing.deleted(id).ok_or_else(gone)?;
        let text = deleted.removed.restore(&opened.text).filter(|_| deleted.left == opened.seen);
        let Some(text) = text else {
            return result_response(
                site,
                visitor,
                StatusCode::CONFLICT,
                conflict(Some(mask_ping(&deleted.removed.text))),
            )
            .await;
        };
        let lost = conflict(Some(mask_ping(&deleted.removed.text)));
        let to = link("/jobs", [("restored", deleted.name.as_str())]);
        let (response, left) = save_file(site, visitor, &opened, text, &to, lost).await?;
        if left.is_some() {
            editing.forget(id);
        }
        return Ok(response);
    }
    let kind = form.word("kind", Kind::parse)?.ok_or_else(|| form.invalid("kind"))?;
    let name = form.get("name").unwrap_or("");
    let jobs = Jobs::read(&opened.text).map_err(edit_problem)?;
    if form.get("seen").is_some_and(|seen| seen != opened.seen) {
        return match pressed_again(editing, &form, &opened, kind, name) {
            Some(to) => Ok(Redirect::to(&to).into_response()),
            None => result_response(site, visitor, StatusCode::CONFLICT, conflict(None)).await,
        };
    }
    job_runs::find_entry(&jobs, kind, name)?;
    match verb {
        "on" | "off" => {
            let text = jobs.set(kind, name, "paused", Some(&KeyValue::Flag(verb == "off"))).map_err(edit_problem)?;
            Ok(save_file(site, visitor, &opened, text, "/jobs", conflict(None)).await?.0)
        }
        "delete" if kind == Kind::Topic => {
            // A deletion was confirmed on a page that knows the file.
            form.get("seen").ok_or_else(|| form.invalid("seen"))?;
            let (text, removed) = jobs.remove(kind, name).map_err(edit_problem)?;
            let id = opened.seen.clone();
            let to = undo_link(&id);
            let (response, left) = save_file(site, visitor, &opened, text, &to, conflict(None)).await?;
            if let Some(left) = left {
                editing.remember(id, Deletion { kind, name: name.to_owned(), removed, left });
            }
            Ok(response)
        }
        _ => Err(form.invalid("do")),
    }
}

/// The page that offers to undo a deletion.
fn undo_link(id: &str) -> String {
    link("/jobs", [("undo", id)])
}

/// The page after a button whose change is already in the file, for example because it was pressed twice.
fn pressed_again(
    editing: &Editing,
    form: &PageRequest,
    opened: &FileSnapshot,
    kind: Kind,
    name: &str,
) -> Option<String> {
    let verb = form.get("do")?;
    if verb == "delete" {
        let id = form.get("seen")?;
        let deleted = editing.deleted(id)?;
        return (deleted.kind == kind && deleted.name == name && deleted.left == opened.seen).then(|| undo_link(id));
    }
    let jobs = Jobs::read(&opened.text).ok()?;
    let paused = jobs.is_paused(kind, jobs.entry(kind, name).ok()?);
    (verb == if paused { "off" } else { "on" }).then(|| "/jobs".to_owned())
}

async fn result_response(
    site: &Site,
    visitor: &Visitor,
    status: StatusCode,
    result: ActionResult,
) -> Result<Response, Problem> {
    Ok((status, layout::page(site, &page(site, result, visitor).await?, visitor)).into_response())
}

/// Writes the file and redirects, or shows why not. Also returns the new fingerprint of the file if it was written.
async fn save_file(
    site: &Site,
    visitor: &Visitor,
    opened: &FileSnapshot,
    text: String,
    to: &str,
    conflict: ActionResult,
) -> Result<(Response, Option<String>), Problem> {
    let seen = opened.seen.clone();
    let (status, why) = match run_blocking(&editing(site)?.file, move |file| file.save(&text, &seen)).await? {
        Ok(left) => return Ok((Redirect::to(to).into_response(), Some(left))),
        Err(SaveError::Changed) => (StatusCode::CONFLICT, conflict),
        Err(SaveError::Refused(wrong)) => {
            (StatusCode::UNPROCESSABLE_ENTITY, ActionResult { wrong, ..ActionResult::default() })
        }
    };
    Ok((result_response(site, visitor, status, why).await?, None))
}
