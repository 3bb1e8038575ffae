//! Adding, changing and copying a topic: the form is filled from the file, checked as `topicwatch check` does, and saved in its
//! place. How the form looks is `topic_form`'s.

use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};

use super::topic_candidate::{Candidate, Target};
use super::topic_fields::{TOML, hidden, typed, values_of};
use super::topic_form::Form;
use crate::edit::{Jobs, Kind, Refused};
use crate::model::Role;
use crate::web::app::App;
use crate::web::ask::Ask;
use crate::web::editing::{Editing, TRIES};
use crate::web::jobs_file::{JobsFile, Opened, Unsaved, Wrong};
use crate::web::layout::{self, Page};
use crate::web::problem::Problem;
use crate::web::site::Site;
use crate::web::visitor::Visitor;

/// Where topics are added; one that is there is changed at its id below.
pub(in crate::web) const NEW: &str = "/jobs/new";
const BELOW: &str = "/jobs/topics/";

/// The page where a topic is changed.
pub(super) fn place(topic: &str) -> String {
    format!("{BELOW}{topic}")
}

pub(in crate::web) async fn add(site: Arc<Site>, ask: Ask) -> Result<Page, Problem> {
    shown(&site, Target::New, &ask).await
}

pub(in crate::web) async fn change(site: Arc<Site>, ask: Ask) -> Result<Page, Problem> {
    shown(&site, Target::Topic(&ask.name), &ask).await
}

pub(in crate::web) async fn add_now(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    body: Body,
) -> Response {
    answered(&app.site, Target::New, visitor, body).await
}

pub(in crate::web) async fn change_now(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Path(id): Path<String>,
    body: Body,
) -> Response {
    answered(&app.site, Target::Topic(&id), visitor, body).await
}

/// The file behind the pages, where they were given one.
pub(super) fn editing(site: &Site) -> Result<&Editing, Problem> {
    site.editing.as_ref().ok_or_else(|| Problem::unknown("There is no file behind these pages"))
}

/// The same for who changes it.
pub(super) fn editor<'s>(site: &'s Site, visitor: &Visitor) -> Result<&'s Editing, Problem> {
    if site.may_edit(visitor) {
        return editing(site);
    }
    let hint = "Set `edit = true` under [web], or change jobs.toml where it is kept.";
    Err(Problem::new(StatusCode::FORBIDDEN, "The file is not changed by these pages", hint))
}

/// Reads the file, which may be far away.
pub(super) async fn opened(editing: &Editing) -> Result<Opened, Problem> {
    let unreadable = |wrong: Wrong| Problem::new(StatusCode::SERVICE_UNAVAILABLE, wrong.message, wrong.hint);
    aside(&editing.file, |file| file.open()).await?.map_err(unreadable)
}

/// Does something that may take its time on a thread of its own.
pub(super) async fn aside<T: Send + 'static>(
    file: &Arc<dyn JobsFile>,
    what: impl FnOnce(&dyn JobsFile) -> T + Send + 'static,
) -> Result<T, Problem> {
    let file = Arc::clone(file);
    tokio::task::spawn_blocking(move || what(&*file)).await.map_err(|error| {
        tracing::error!("the configuration could not be worked on, please report it: {error}");
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "This could not be made", "The log says why.")
    })
}

pub(super) fn cannot(refused: Refused) -> Problem {
    Problem::bad(refused.message, refused.hint)
}

/// Why nothing can be saved, if so.
pub(super) fn locked(site: &Site, opened: &Opened, visitor: &Visitor) -> Option<String> {
    if visitor.is_known() && visitor.role < Role::Edit {
        return Some(format!("Your token has the role `{}`; changing {} needs `edit`.", visitor.role, opened.place));
    }
    if !site.may_edit(visitor) {
        return Some(format!("These pages do not change {} ([web] edit).", opened.place));
    }
    opened.locked.as_ref().map(|why| format!("{} cannot be changed here: {why}.", opened.place))
}

/// The form as it stands before anything was sent, or in an address where nothing can be saved.
async fn shown(site: &Site, target: Target<'_>, ask: &Ask) -> Result<Page, Problem> {
    let editing = editing(site)?;
    let opened = opened(editing).await?;
    let mut form = blank(site, target, ask, &opened)?;
    if form.locked.is_some() && ask.get("do").is_some() {
        fill(&mut form, target, ask);
        look(editing, &mut form, target, &opened).await?;
    }
    page(site, &form).await
}

async fn page(site: &Site, form: &Form) -> Result<Page, Problem> {
    let nature = site.store.nature().await?;
    Ok(Page { title: form.heading.clone(), place: "/jobs", live: false, nature, main: form.markup() })
}

/// The form of a topic as it is in the file, of a copy of one, or empty.
fn blank(site: &Site, target: Target<'_>, ask: &Ask, opened: &Opened) -> Result<Form, Problem> {
    let jobs = Jobs::read(&opened.text).map_err(cannot)?;
    let from = ask.get("from").filter(|_| target.known().is_none());
    let there = match target.known().or(from) {
        Some(id) => {
            jobs.entry(Kind::Topic, id).map_err(|_| Problem::unknown("The file has no such topic"))?;
            // What stands between its lines is something else, and may be a secret.
            Some(jobs.whole(Kind::Topic, id).map_err(cannot)?)
        }
        None => None,
    };
    let mut values = there.map(|entry| values_of(&jobs, entry)).unwrap_or_default();
    if let Some(from) = from {
        values.insert("id", free(&jobs, from));
        values.remove("title");
    }
    let as_toml = ask.get("as") == Some("toml");
    let block = there.map_or("[[topics]]\nid = \"\"\nquery = \"\"\n", |entry| jobs.block(entry));
    Ok(Form {
        path: target.known().map_or_else(|| NEW.to_owned(), place),
        heading: match (target.known(), from) {
            (Some(id), _) => format!("Change {id}"),
            (None, Some(from)) => format!("Copy of {from}"),
            (None, None) => "Add a topic".to_owned(),
        },
        values,
        toml: as_toml.then(|| hidden(block)),
        from: from.map(str::to_owned),
        seen: opened.seen.clone(),
        known: target.known().is_some(),
        locked: locked(site, opened, &ask.visitor),
        ..Form::default()
    })
}

/// A name for a copy that no topic has.
fn free(jobs: &Jobs<'_>, from: &str) -> String {
    let taken = |name: &str| jobs.entries(Kind::Topic).any(|entry| entry.name == name);
    let names = (2..1_000).map(|n| format!("{from}-{n}"));
    names.into_iter().find(|name| !taken(name)).unwrap_or_default()
}

/// What was typed, in the place of what the file says.
fn fill(form: &mut Form, target: Target<'_>, ask: &Ask) {
    match &mut form.toml {
        Some(toml) => *toml = ask.get(TOML).unwrap_or("").replace("\r\n", "\n"),
        None => form.values = typed(ask),
    }
    if let (Some(id), None) = (target.known(), &form.toml) {
        form.values.insert("id", id.to_owned());
    }
}

/// Checks what stands in a form, and says what it would do.
async fn look(
    editing: &Editing,
    form: &mut Form,
    target: Target<'_>,
    opened: &Opened,
) -> Result<Option<Candidate>, Problem> {
    let as_toml = form.toml.is_some();
    let candidate = match Candidate::of(form, target, opened) {
        Ok(candidate) => candidate,
        Err(refused) => {
            let wrong = Wrong::nowhere(refused.message, refused.hint);
            form.wrong = vec![(as_toml.then_some(TOML), wrong)];
            return Ok(None);
        }
    };
    let name = candidate.name().unwrap_or_default();
    match editing.file.preview(&candidate.text, &name).await {
        Ok(mut outlook) => {
            // Those of other parts of the file are not about this.
            outlook.warnings = candidate
                .placed(std::mem::take(&mut outlook.warnings), true)
                .into_iter()
                .filter_map(|(field, wrong)| field.map(|_| wrong))
                .collect();
            form.outlook = Some(outlook);
            form.lines = Some(hidden(&candidate.block));
            Ok(Some(candidate))
        }
        Err(wrong) => {
            form.wrong = candidate.placed(wrong, as_toml);
            Ok(None)
        }
    }
}

async fn answered(site: &Site, target: Target<'_>, visitor: Visitor, body: Body) -> Response {
    match sent(site, target, visitor, body).await {
        Ok(response) => response,
        Err(problem) => layout::problem(site, &problem),
    }
}

async fn sent(site: &Site, target: Target<'_>, visitor: Visitor, body: Body) -> Result<Response, Problem> {
    let editing = editor(site, &visitor)?;
    let mut ask = Ask::long_form(body).await?;
    ask.visitor = visitor;
    let opened = opened(editing).await?;
    if let Some(why) = locked(site, &opened, &ask.visitor) {
        return Err(Problem::new(StatusCode::FORBIDDEN, "The file cannot be changed here", why));
    }
    let mut form = blank(site, target, &ask, &opened)?;
    fill(&mut form, target, &ask);
    if ask.get("seen") != Some(opened.seen.as_str()) {
        return overtaken(site, form, target, &opened, &ask.visitor).await;
    }
    let candidate = look(editing, &mut form, target, &opened).await?;
    let status = match (ask.get("do"), candidate) {
        (_, None) => StatusCode::UNPROCESSABLE_ENTITY,
        (Some("save"), Some(candidate)) => match save(editing, &candidate, &opened.seen).await? {
            Ok(()) => {
                let name = candidate.name().unwrap_or_default();
                return Ok(Redirect::to(&format!("/topics/{name}")).into_response());
            }
            Err(Unsaved::Changed) => {
                let opened = self::opened(editing).await?;
                return overtaken(site, form, target, &opened, &ask.visitor).await;
            }
            Err(Unsaved::Refused(wrong)) => {
                form.wrong = candidate.placed(wrong, form.toml.is_some());
                StatusCode::UNPROCESSABLE_ENTITY
            }
        },
        (Some("try"), Some(candidate)) => {
            form.tried = Some(tried(site, editing, &candidate).await);
            StatusCode::OK
        }
        (_, Some(_)) => StatusCode::OK,
    };
    Ok((status, layout::page(site, &page(site, &form).await?, &ask.visitor)).into_response())
}

async fn save(editing: &Editing, candidate: &Candidate, seen: &str) -> Result<Result<(), Unsaved>, Problem> {
    let (text, seen) = (candidate.text.clone(), seen.to_owned());
    aside(&editing.file, move |file| file.save(&text, &seen)).await
}

async fn tried(site: &Site, editing: &Editing, candidate: &Candidate) -> Result<crate::web::jobs_file::Tried, Wrong> {
    if !editing.may_try(site.now()) {
        return Err(Wrong::nowhere(format!("there were {TRIES} tries today"), "save the topic and run it"));
    }
    editing.file.try_out(&candidate.text, &candidate.name().unwrap_or_default()).await
}

/// The page for who comes second: nothing is lost of what was typed.
async fn overtaken(
    site: &Site,
    mut form: Form,
    target: Target<'_>,
    opened: &Opened,
    visitor: &Visitor,
) -> Result<Response, Problem> {
    let jobs = Jobs::read(&opened.text).map_err(cannot)?;
    let there = target.known().and_then(|id| jobs.entry(Kind::Topic, id).ok());
    form.changed = Some(there.map(|entry| hidden(jobs.block(entry))).unwrap_or_default());
    form.seen.clone_from(&opened.seen);
    Ok((StatusCode::CONFLICT, layout::page(site, &page(site, &form).await?, visitor)).into_response())
}

/// Whether the file has a topic, whatever the database knows.
pub(super) async fn in_the_file(site: &Site, topic: &str, visitor: &Visitor) -> bool {
    let Some(editing) = site.editing.as_ref().filter(|_| site.may_edit(visitor)) else { return false };
    let Ok(opened) = opened(editing).await else { return false };
    Jobs::read(&opened.text).is_ok_and(|jobs| jobs.entry(Kind::Topic, topic).is_ok())
}
