//! Adding, changing and copying a topic: reads the file and fills the form from it. `form` draws the form; `submit`
//! handles it once it is sent.

use std::sync::Arc;

use axum::http::StatusCode;

use super::candidate::Target;
use super::fields::{empty, inherited, values_of};
use super::form::Form;
use super::lines::{prepare_copy, visible_lines};
use super::untouched::fingerprints;
use crate::edit::{EditError, Jobs, Kind};
use crate::model::Role;
use crate::web::access::visitor::Visitor;
use crate::web::edit_state::Editing;
use crate::web::jobs_file::{Diagnostic, FileSnapshot, JobsFile};
use crate::web::layout::Page;
use crate::web::page_request::{PageRequest, link};
use crate::web::problem::Problem;
use crate::web::site::Site;

/// Where topics are added. Existing ones are changed below `BELOW`, by id.
pub(in crate::web) const NEW: &str = "/jobs/new";
const BELOW: &str = "/jobs/topics/";

/// The page where a topic is changed.
pub(in crate::web::pages) fn edit_path(topic: &str) -> String {
    format!("{BELOW}{topic}")
}

/// The page that asks before a topic is deleted.
pub(in crate::web::pages) fn deletion(topic: &str) -> String {
    link("/jobs", [("delete", topic)])
}

pub(in crate::web) async fn add(site: Arc<Site>, request: PageRequest) -> Result<Page, Problem> {
    form_page(&site, Target::New, &request).await
}

pub(in crate::web) async fn change(site: Arc<Site>, request: PageRequest) -> Result<Page, Problem> {
    form_page(&site, Target::Topic(&request.name), &request).await
}

/// The file behind the pages, if there is one.
pub(in crate::web::pages) fn editing(site: &Site) -> Result<&Editing, Problem> {
    site.editing.as_ref().ok_or_else(|| Problem::not_found("There is no file behind these pages"))
}

/// The same, for visitors who may change it.
pub(in crate::web::pages) fn editor<'s>(site: &'s Site, visitor: &Visitor) -> Result<&'s Editing, Problem> {
    if site.may_edit(visitor) {
        return editing(site);
    }
    let hint = "Set `edit = true` under [web], or edit jobs.toml itself.";
    Err(Problem::new(StatusCode::FORBIDDEN, "These pages do not change the file", hint))
}

/// Reads the file, which may be slow.
pub(in crate::web::pages) async fn read_file(editing: &Editing) -> Result<FileSnapshot, Problem> {
    let unreadable = |wrong: Diagnostic| Problem::new(StatusCode::SERVICE_UNAVAILABLE, wrong.message, wrong.hint);
    run_blocking(&editing.file, |file| file.open()).await?.map_err(unreadable)
}

/// Runs something that may be slow on a thread of its own.
pub(in crate::web::pages) async fn run_blocking<T: Send + 'static>(
    file: &Arc<dyn JobsFile>,
    what: impl FnOnce(&dyn JobsFile) -> T + Send + 'static,
) -> Result<T, Problem> {
    let file = Arc::clone(file);
    tokio::task::spawn_blocking(move || what(&*file)).await.map_err(|error| {
        tracing::error!("cannot process the configuration, please report it: {error}");
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "This request failed", "The log says why.")
    })
}

/// The problem that the file does not have what the address names.
pub(in crate::web::pages) fn not_in_file(title: impl Into<String>) -> Problem {
    let hint = "It may have been renamed or removed. /jobs lists what is in the file.";
    Problem::new(StatusCode::NOT_FOUND, title, hint)
}

pub(in crate::web::pages) fn edit_problem(refused: EditError) -> Problem {
    Problem::bad_request(refused.message, refused.hint)
}

/// Why nothing can be saved; `None` if saving is possible.
pub(in crate::web::pages) fn locked(site: &Site, opened: &FileSnapshot, visitor: &Visitor) -> Option<String> {
    if visitor.is_known() && visitor.role < Role::Edit {
        return Some(format!("Your token has the role `{}`; changing {} needs `edit`.", visitor.role, opened.place));
    }
    if !site.may_edit(visitor) {
        return Some(format!("These pages do not change {} ([web] edit).", opened.place));
    }
    opened.locked.as_ref().map(|why| format!("{} cannot be changed here: {why}.", opened.place))
}

/// The form before anything was sent.
async fn form_page(site: &Site, target: Target<'_>, request: &PageRequest) -> Result<Page, Problem> {
    let opened = read_file(editing(site)?).await?;
    page(site, &initial_form(site, target, request, &opened)?).await
}

pub(in crate::web::pages) async fn page(site: &Site, form: &Form) -> Result<Page, Problem> {
    let origin = site.origin().await?;
    Ok(Page { title: form.heading.clone(), place: "/jobs", live: false, origin, main: form.markup() })
}

/// The form of a topic in the file, of a copy of one, or of a new one.
pub(super) fn initial_form(
    site: &Site,
    target: Target<'_>,
    request: &PageRequest,
    opened: &FileSnapshot,
) -> Result<Form, Problem> {
    let jobs = Jobs::read(&opened.text).map_err(edit_problem)?;
    let from = request.get("from").filter(|_| target.existing_id().is_none());
    let existing_entry = match target.existing_id().or(from) {
        Some(id) => {
            jobs.entry(Kind::Topic, id).map_err(|_| not_in_file("The file has no such topic"))?;
            // Text between its lines belongs to something else, and may be a secret.
            Some(jobs.contiguous_entry(Kind::Topic, id).map_err(edit_problem)?)
        }
        None => None,
    };
    let paused = jobs.paused_by_default(Kind::Topic);
    let mut values = existing_entry.map_or_else(|| empty(paused), |entry| values_of(&jobs, entry, paused));
    if let Some(from) = from {
        values.insert("id", unused_id(&jobs, from));
        values.remove("title");
    }
    let edits = site.may_edit(&request.visitor);
    let as_toml = request.word("as", |word| (word == "toml").then_some(()))?.is_some();
    let block = existing_entry.map_or("[[topics]]\nid = \"\"\nquery = \"\"\n", |entry| jobs.block(entry));
    let (block, unpinged) =
        if from.is_some() { prepare_copy(block).map_err(edit_problem)? } else { (block.to_owned(), false) };
    let toml = as_toml.then(|| visible_lines(&block, edits));
    Ok(Form {
        shown: fingerprints(&values, toml.as_deref()),
        values,
        inherited: inherited(&jobs, existing_entry),
        toml,
        unpinged,
        seen: opened.seen.clone(),
        ..form_without_values(site, target, request, opened)
    })
}

/// The form without anything that is read from the file's topics, which may be invalid.
pub(super) fn form_without_values(
    site: &Site,
    target: Target<'_>,
    request: &PageRequest,
    opened: &FileSnapshot,
) -> Form {
    let from = request.get("from").filter(|_| target.existing_id().is_none());
    Form {
        path: target.existing_id().map_or_else(|| NEW.to_owned(), edit_path),
        heading: match (target.existing_id(), from) {
            (Some(id), _) => format!("Change {id}"),
            (None, Some(from)) => format!("Copy of {from}"),
            (None, None) => "Add a topic".to_owned(),
        },
        from: from.map(str::to_owned),
        topic: target.existing_id().map(str::to_owned),
        edits: site.may_edit(&request.visitor),
        locked: locked(site, opened, &request.visitor),
        ..Form::default()
    }
}

/// An id for a copy that no topic has.
fn unused_id(jobs: &Jobs<'_>, from: &str) -> String {
    let taken = |name: &str| jobs.entries(Kind::Topic).any(|entry| entry.name == name);
    let names = (2..1_000).map(|n| format!("{from}-{n}"));
    names.into_iter().find(|name| !taken(name)).unwrap_or_default()
}

/// Whether the file has a topic that the visitor may see, whatever the database knows.
pub(super) async fn file_has_topic(site: &Site, topic: &str, visitor: &Visitor) -> bool {
    let Some(editing) = site.editing.as_ref().filter(|_| visitor.sees(topic)) else { return false };
    let Ok(opened) = read_file(editing).await else { return false };
    Jobs::read_to_list(&opened.text).is_ok_and(|jobs| jobs.entry(Kind::Topic, topic).is_ok())
}

/// The topics of the file as it is now or, if it cannot be read, of the configuration in force.
pub(in crate::web::pages) async fn topics_in_file(site: &Site) -> Vec<String> {
    let opened = match site.editing.as_ref() {
        Some(editing) => read_file(editing).await.ok(),
        None => None,
    };
    let listed = opened.and_then(|opened| {
        let jobs = Jobs::read_to_list(&opened.text).ok()?;
        Some(jobs.entries(Kind::Topic).map(|entry| entry.name.clone()).collect::<Vec<_>>())
    });
    listed.unwrap_or_else(|| site.settings().tags.iter().map(|(topic, _)| topic.clone()).collect())
}
