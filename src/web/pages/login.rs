//! Logging in with a form: the token is sent once, and the browser keeps a cookie that is signed with it. Scripts
//! send the token itself with each request.

use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Redirect, Response};
use maud::{Markup, html};

use crate::listener::Peer;
use crate::web::access::authentication::{self, MOST_PASSES};
use crate::web::access::sessions;
use crate::web::access::visitor::Visitor;
use crate::web::layout::{self, Page};
use crate::web::page_request::{LARGEST_FORM, NEXT, PageRequest};
use crate::web::problem::Problem;
use crate::web::server::app::App;
use crate::web::site::Site;

/// The address to return to: a path of these pages and no other site's; `/` if there is none.
fn next_of(request: &PageRequest) -> &str {
    request.get(NEXT).filter(|to| is_own_path(to)).unwrap_or("/")
}

/// Whether an address is a path of this site. Browsers leave out tabs and line ends, and read `\` as `/`.
fn is_own_path(to: &str) -> bool {
    let plain = to.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    plain && to.starts_with('/') && !to.starts_with("//")
}

pub(in crate::web) async fn show(site: Arc<Site>, request: PageRequest) -> Result<Page, Problem> {
    let main = if authentication::requires_token(&site).await? {
        form(None, next_of(&request))
    } else {
        html! { h1 { "Nothing to log in to" } p { "There is no token: anyone who can reach this address can read these pages" @if site.may_edit(&Visitor::anyone(site.settings().edit)) { ", and change what is watched" } @else { ", but not change anything" } "." } p { a href="/" { "Topics" } } }
    };
    Ok(Page { title: "Log in".to_owned(), place: "/login", live: false, origin: None, main })
}

fn form(wrong: Option<&str>, next: &str) -> Markup {
    html! {
        h1 { "Log in" }
        @if let Some(wrong) = wrong { p.note #wrong role="alert" { strong.bad { (wrong) } } }
        form.filters method="post" action="/login" {
            @if next != "/" { input type="hidden" name=(NEXT) value=(next); }
            div {
                label for="token" { "Token" }
                input #token type="password" name="token" autocomplete="current-password" required autofocus aria-invalid=[wrong.map(|_| "true")] aria-describedby=[wrong.map(|_| "wrong")];
            }
            button.main type="submit" { "Log in" }
        }
        p.meta { "Tokens come from the operator of topicwatch. This browser keeps only a signed pass, for 30 days or until topicwatch is restarted." }
    }
}

pub(in crate::web) async fn log_in(
    State(app): State<App>,
    ConnectInfo(peer): ConnectInfo<Peer>,
    body: Body,
) -> Response {
    let site = &app.site;
    match authentication::requires_token(site).await {
        Ok(true) => {}
        Ok(false) => return Redirect::to("/").into_response(),
        Err(problem) => return layout::problem(site, &problem),
    }
    let Ok(body) = to_bytes(body, LARGEST_FORM).await else {
        let problem = Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "This request is too large", "Forms here are short.");
        return layout::problem(site, &problem);
    };
    let request = PageRequest::form(&String::from_utf8_lossy(&body)).unwrap_or_default();
    let problem = match authentication::token_of(site, &peer, request.get("token").unwrap_or_default()).await {
        Ok(token) => {
            let pass = site.sessions.begin(&token.key, token.name.as_deref(), site.now());
            return redirect_with_cookie(&sessions::cookie(site.settings().https, Some(&pass)), next_of(&request));
        }
        Err(problem) if problem.status == StatusCode::UNAUTHORIZED => problem,
        Err(problem) => return authentication::problem_page(&problem, site, "/login"),
    };
    let main = form(Some(&format!("{}.", problem.title)), next_of(&request));
    let page = Page { title: "Log in".to_owned(), place: "/login", live: false, origin: None, main };
    (StatusCode::UNAUTHORIZED, layout::page(site, &page, &Visitor::default())).into_response()
}

/// Ends the session on the server too, so that a copy of the cookie is no longer valid.
pub(in crate::web) async fn log_out(State(app): State<App>, headers: HeaderMap) -> Response {
    let (site, https) = (&app.site, app.site.settings().https);
    for pass in authentication::session_cookies(&headers, https).take(MOST_PASSES) {
        if let Err(problem) = authentication::end_session(site, pass).await {
            return layout::problem(site, &problem);
        }
    }
    redirect_with_cookie(&sessions::cookie(https, None), "/login")
}

/// Redirects the browser, and sets its cookie.
fn redirect_with_cookie(cookie: &str, to: &str) -> Response {
    ([(header::SET_COOKIE, cookie.to_owned())], Redirect::to(to)).into_response()
}
