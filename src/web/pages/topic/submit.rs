//! Handles the form of a topic once it is sent: checks it, tries it, saves it, or shows that somebody else was first.
//! Nothing that was typed is lost. `edit` makes the form before that.

use axum::Extension;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};

use super::candidate::{Candidate, Target};
use super::edit::{
    NEW, edit_problem, editing, editor, form_without_values, initial_form, locked, page, read_file, run_blocking,
};
use super::fields::{TOML, are_sent_alike, form_values, normalize_text};
use super::form::Form;
use super::lines::visible_lines;
use super::untouched::refresh;
use crate::edit::{Jobs, Kind};
use crate::web::access::visitor::Visitor;
use crate::web::edit_state::{Editing, TRIES};
use crate::web::jobs_file::{Diagnostic, FileSnapshot, SaveError, TrialResult};
use crate::web::layout;
use crate::web::page_request::PageRequest;
use crate::web::problem::Problem;
use crate::web::server::app::App;
use crate::web::site::Site;

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

/// Checks what was typed and writes nothing. It is a POST, because an address cannot hold long lines.
pub(in crate::web) async fn check_now(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    body: Body,
) -> Response {
    match checked(&app.site, visitor, body).await {
        Ok(response) => response,
        Err(problem) => layout::problem(&app.site, &problem),
    }
}

async fn checked(site: &Site, visitor: Visitor, body: Body) -> Result<Response, Problem> {
    let editing = editing(site)?;
    let mut request = PageRequest::long_form(body).await?;
    request.visitor = visitor;
    let target = request.get("topic").map_or(Target::New, Target::Topic);
    let opened = read_file(editing).await?;
    if let Some(form) = form_of_invalid_file(site, target, &request, &opened) {
        return respond(site, &form, StatusCode::CONFLICT, &request.visitor).await;
    }
    let (target, mut form) = typed_form(site, target, &request, &opened)?;
    if request.get("seen") != Some(opened.seen.as_str()) {
        show_present_values(site, &mut form, target, &request, &opened);
    }
    let status = match preview(editing, &mut form, target, &opened).await? {
        Some(_) => StatusCode::OK,
        None => StatusCode::UNPROCESSABLE_ENTITY,
    };
    respond(site, &form, status, &request.visitor).await
}

async fn respond(site: &Site, form: &Form, status: StatusCode, visitor: &Visitor) -> Result<Response, Problem> {
    Ok((status, layout::page(site, &page(site, form).await?, visitor)).into_response())
}

/// The form with the typed values and what is wrong with the file, if that cannot be read as a list of topics. It can
/// be sent again once the file is fixed.
fn form_of_invalid_file(site: &Site, target: Target<'_>, request: &PageRequest, opened: &FileSnapshot) -> Option<Form> {
    let refused = Jobs::read(&opened.text).err()?;
    let mut form = Form {
        toml: request.get("as").map(|_| String::new()),
        seen: request.get("seen").unwrap_or_default().to_owned(),
        shown: request.get("shown").unwrap_or_default().to_owned(),
        wrong: vec![(None, Diagnostic::without_line(format!("{}: {}", opened.place, refused.message), refused.hint))],
        ..form_without_values(site, target, request, opened)
    };
    fill(&mut form, target, request);
    Some(form)
}

/// The form with the typed values. A topic that was removed meanwhile becomes one to add.
fn typed_form<'t>(
    site: &Site,
    target: Target<'t>,
    request: &PageRequest,
    opened: &FileSnapshot,
) -> Result<(Target<'t>, Form), Problem> {
    let jobs = Jobs::read(&opened.text).map_err(edit_problem)?;
    let gone = |id: &str| jobs.entry(Kind::Topic, id).is_err();
    let is_gone = target.existing_id().or(request.get("from")).is_some_and(gone);
    let (target, blank) = if is_gone {
        let form = initial_form(site, Target::New, &request.without("from"), opened)?;
        (Target::New, Form { gone: true, ..form })
    } else {
        (target, initial_form(site, target, request, opened)?)
    };
    let mut form = blank;
    fill(&mut form, target, request);
    Ok((target, form))
}

/// Puts the typed values in place of those of the file.
fn fill(form: &mut Form, target: Target<'_>, request: &PageRequest) {
    if let Some(toml) = &mut form.toml {
        let typed = request.get(TOML).unwrap_or("").replace("\r\n", "\n");
        form.typed = normalize_text(&typed) != normalize_text(toml);
        *toml = typed;
        return;
    }
    let mut typed = form_values(request);
    if let Some(id) = target.existing_id() {
        typed.insert("id", id.to_owned());
    }
    form.typed = !are_sent_alike(&typed, &form.values);
    form.values = typed;
}

/// Checks the values of a form, and shows what they would do.
async fn preview(
    editing: &Editing,
    form: &mut Form,
    target: Target<'_>,
    opened: &FileSnapshot,
) -> Result<Option<Candidate>, Problem> {
    let as_toml = form.toml.is_some();
    let candidate = match Candidate::of(form, target, opened) {
        Ok(candidate) => candidate,
        Err(refused) => {
            let wrong = Diagnostic::without_line(refused.message, refused.hint);
            form.wrong = vec![(as_toml.then_some(TOML), wrong)];
            return Ok(None);
        }
    };
    let name = candidate.name().unwrap_or_default();
    match editing.file.preview(&candidate.text, &name).await {
        Ok(mut outlook) => {
            // Warnings about other parts of the file are not about this topic.
            outlook.warnings = candidate
                .assign_to_fields(std::mem::take(&mut outlook.warnings), true)
                .into_iter()
                .filter_map(|(field, wrong)| field.map(|_| wrong))
                .collect();
            form.outlook = Some(outlook);
            form.lines = Some(visible_lines(&candidate.block, form.edits));
            Ok(Some(candidate))
        }
        Err(wrong) => {
            form.refuse(candidate.assign_to_fields(wrong, as_toml));
            Ok(None)
        }
    }
}

async fn answered(site: &Site, target: Target<'_>, visitor: Visitor, body: Body) -> Response {
    match handle_form(site, target, visitor, body).await {
        Ok(response) => response,
        Err(problem) => layout::problem(site, &problem),
    }
}

async fn handle_form(site: &Site, target: Target<'_>, visitor: Visitor, body: Body) -> Result<Response, Problem> {
    let editing = editor(site, &visitor)?;
    let mut request = PageRequest::long_form(body).await?;
    request.visitor = visitor;
    let opened = read_file(editing).await?;
    if let Some(why) = locked(site, &opened, &request.visitor) {
        return Err(Problem::new(StatusCode::FORBIDDEN, "The file cannot be changed here", why));
    }
    if let Some(form) = form_of_invalid_file(site, target, &request, &opened) {
        return respond(site, &form, StatusCode::CONFLICT, &request.visitor).await;
    }
    let (target, mut form) = typed_form(site, target, &request, &opened)?;
    if request.get("seen") != Some(opened.seen.as_str()) {
        if let (Some("save"), Some(name)) = (request.get("do"), saved_before(&form, target, &opened)) {
            return Ok(Redirect::to(&topic_page(&name)).into_response());
        }
        return conflict_page(site, form, target, &opened, &request).await;
    }
    let candidate = preview(editing, &mut form, target, &opened).await?;
    let status = match (request.get("do"), candidate) {
        (_, None) => StatusCode::UNPROCESSABLE_ENTITY,
        (Some("save"), Some(candidate)) => match save(editing, &candidate, &opened.seen).await? {
            Ok(_) => {
                let name = candidate.name().unwrap_or_default();
                return Ok(Redirect::to(&topic_page(&name)).into_response());
            }
            Err(SaveError::Changed) => {
                let opened = read_file(editing).await?;
                // They were made from the file as it was.
                (form.outlook, form.lines) = (None, None);
                return conflict_page(site, form, target, &opened, &request).await;
            }
            Err(SaveError::Refused(wrong)) => {
                form.refuse(candidate.assign_to_fields(wrong, form.toml.is_some()));
                StatusCode::UNPROCESSABLE_ENTITY
            }
        },
        (Some("try"), Some(candidate)) => {
            form.tried = Some(try_topic(site, editing, &candidate).await);
            StatusCode::OK
        }
        (_, Some(_)) => StatusCode::OK,
    };
    respond(site, &form, status, &request.visitor).await
}

fn topic_page(name: &str) -> String {
    format!("/topics/{name}")
}

/// The topic, if the file already has the form's values, for example because `Save` was pressed twice.
fn saved_before(form: &Form, target: Target<'_>, opened: &FileSnapshot) -> Option<String> {
    let candidate = Candidate::of(form, target, opened).ok()?;
    let name = candidate.name()?;
    let jobs = Jobs::read(&opened.text).ok()?;
    let block = jobs.block(jobs.entry(Kind::Topic, &name).ok()?);
    (block.trim_end() == candidate.block.trim_end()).then_some(name)
}

async fn save(editing: &Editing, candidate: &Candidate, seen: &str) -> Result<Result<String, SaveError>, Problem> {
    let (text, seen) = (candidate.text.clone(), seen.to_owned());
    run_blocking(&editing.file, move |file| file.save(&text, &seen)).await
}

async fn try_topic(site: &Site, editing: &Editing, candidate: &Candidate) -> Result<TrialResult, Diagnostic> {
    if !editing.may_try(site.now()) {
        return Err(Diagnostic::without_line(
            format!("the limit of {TRIES} tries a day is reached"),
            "save the topic and run it",
        ));
    }
    editing.file.try_out(&candidate.text, &candidate.name().unwrap_or_default()).await
}

/// Shows what the file has now in the fields that nobody changed since the form was shown. A topic that was removed
/// meanwhile keeps all of its form, and so does a form that does not say what it showed.
fn show_present_values(site: &Site, form: &mut Form, target: Target<'_>, request: &PageRequest, opened: &FileSnapshot) {
    let present = request.get("shown").filter(|_| !form.gone).zip(initial_form(site, target, request, opened).ok());
    let Some((shown, present)) = present else {
        form.shown.clear();
        return;
    };
    refresh(form, shown, &present);
    form.typed = match (&form.toml, &present.toml) {
        (Some(typed), Some(now)) => normalize_text(typed) != normalize_text(now),
        _ => !are_sent_alike(&form.values, &present.values),
    };
}

/// The page for a visitor who saves second. Nothing that was typed is lost.
async fn conflict_page(
    site: &Site,
    mut form: Form,
    target: Target<'_>,
    opened: &FileSnapshot,
    request: &PageRequest,
) -> Result<Response, Problem> {
    let jobs = Jobs::read(&opened.text).map_err(edit_problem)?;
    let existing_entry = target.existing_id().and_then(|id| jobs.entry(Kind::Topic, id).ok());
    if target.existing_id().is_some() && existing_entry.is_none() {
        form = Form { gone: true, topic: None, path: NEW.to_owned(), ..form };
    }
    show_present_values(site, &mut form, target, request, opened);
    form.changed = Some(existing_entry.map(|entry| visible_lines(jobs.block(entry), form.edits)).unwrap_or_default());
    form.seen.clone_from(&opened.seen);
    respond(site, &form, StatusCode::CONFLICT, &request.visitor).await
}
