//! The parts that all pages share: head, menu and footer. Also answers that are not pages. Each page provides its own
//! middle.

use axum::Extension;
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse as _, Response};
use maud::{DOCTYPE, Markup, html};

use super::access::visitor::{Identity, Visitor};
use super::problem::Problem;
use super::site::Site;
use crate::draw::format;
use crate::model::{DataOrigin, Role, Time};

/// A page before it is laid out.
pub(super) struct Page {
    pub(super) title: String,
    /// The menu entry that it belongs to.
    pub(super) place: &'static str,
    /// Whether it updates while it is open.
    pub(super) live: bool,
    pub(super) origin: Option<DataOrigin>,
    pub(super) main: Markup,
}

const MENU: [(&str, &str); 7] = [
    ("/", "Topics"),
    ("/items", "Items"),
    ("/alerts", "Alerts"),
    ("/runs", "Runs"),
    ("/files", "Reports and exports"),
    ("/jobs", "Settings"),
    ("/health", "Health"),
];

pub(super) fn page(site: &Site, page: &Page, visitor: &Visitor) -> Response {
    Html(render(site, page, visitor).into_string()).into_response()
}

/// A problem as a page without a menu. [`with_menu`] adds the visitor's menu once the visitor is known.
pub(super) fn problem(site: &Site, problem: &Problem) -> Response {
    let status = if problem.status.is_success() { StatusCode::INTERNAL_SERVER_ERROR } else { problem.status };
    let page = problem_page(site, problem, &Visitor::default());
    (status, Extension(problem.clone()), Html(page.into_string())).into_response()
}

/// Adds the visitor's menu to an answer if it is the page of a problem.
pub(super) fn with_menu(site: &Site, mut response: Response, visitor: &Visitor) -> Response {
    if let Some(problem) = response.extensions_mut().remove::<Problem>() {
        *response.body_mut() = problem_page(site, &problem, visitor).into_string().into();
    }
    response
}

fn problem_page(site: &Site, problem: &Problem, visitor: &Visitor) -> Markup {
    let main = html! {
        h1 { (problem.title) }
        p { (problem.hint) }
        @if let Some(form) = &problem.form { (form) } @else { p { a href="/" { "Topics" } } }
    };
    let page = Page { title: problem.title.clone(), place: "", live: false, origin: None, main };
    render(site, &page, visitor)
}

/// Whether a visitor may open a page of the menu. A token for some topics opens two of them.
fn may_open(visitor: &Visitor, path: &str) -> bool {
    visitor.sees_all() || visitor.is_known() && matches!(path, "/" | "/runs")
}

/// A page without links to others, for visitors who were sent a link to it.
pub(super) fn standalone_page(title: &str, origin: Option<DataOrigin>, main: &Markup) -> Response {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="robots" content="noindex, nofollow, noarchive";
                title { (format::line(title, 120)) " – topicwatch" }
                link rel="stylesheet" href="/style.css";
                link rel="icon" href="data:,";
            }
            body { main { (sandbox(origin)) (main) } }
        }
    };
    Html(page.into_string()).into_response()
}

fn sandbox(origin: Option<DataOrigin>) -> Markup {
    html! { @if origin == Some(DataOrigin::Sandbox) { p.sandbox role="note" { strong { "SANDBOX" } " All data is invented or shifted in time: no real search was made, nothing was billed." } } }
}

fn render(site: &Site, page: &Page, visitor: &Visitor) -> Markup {
    let known_visitor = Some(visitor).filter(|visitor| visitor.is_known());
    let menu: Vec<_> = MENU.iter().filter(|(path, _)| may_open(visitor, path)).collect();
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (format::line(&page.title, 120)) " – topicwatch" }
                link rel="stylesheet" href="/style.css";
                link rel="icon" href="data:,";
                script src="/live.js" defer {}
            }
            body {
                a.skip href="#main" { "Skip to content" }
                header.top { div {
                    strong { a href="/" { "topicwatch" } }
                    @if !menu.is_empty() { nav aria-label="Pages" { ul { @for (path, name) in menu { li {
                        a href=(path) aria-current=[(page.place == *path).then_some("page")] { (name) }
                    } } } } }
                    @if let Some(visitor) = known_visitor {
                        form method="post" action="/logout" {
                            @if let Some(name) = visitor.name() { span.who { "Logged in as " strong { (name) } ", " (visitor.role) @if visitor.role == Role::Edit && visitor.sees_all() { " · " a href="/access" { "Access" } } } " " }
                            button.plain type="submit" { "Log out" }
                        }
                    }
                } }
                main #main tabindex="-1" data-live[page.live] {
                    (sandbox(page.origin))
                    (page.main)
                    @if page.live { p.meta { "As of " (utc(site.now())) "." } }
                }
                @if visitor.who != Identity::Nobody { footer.end { a href="/keys" { "Keys" } } }
            }
        }
    }
}

/// The error message of a field. The field refers to its id with `aria-describedby`.
pub(super) fn field_error(problem: Option<&Problem>) -> Markup {
    html! { @if let Some(problem) = problem { p.bad #wrong { (problem.title) } } }
}

/// An instant in UTC, to the minute.
pub(super) fn utc(at: Time) -> String {
    format!("{} UTC", format::date_time(at, "UTC"))
}

/// An instant in a zone with its offset, and in a form for machines.
pub(super) fn moment(at: Time, timezone: &str) -> Markup {
    html! { time datetime=(at.to_string()) { (format::with_offset(at, timezone)) } }
}

/// A future slot in the topic's zone; a script adds the visitor's zone.
pub(super) fn slot(at: Time, timezone: &str) -> Markup {
    html! { time data-slot datetime=(at.to_string()) { (format::with_offset(at, timezone)) } }
}
