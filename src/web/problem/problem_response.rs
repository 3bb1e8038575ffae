//! A problem as an answer: a page for people, JSON for programs.

use axum::response::Response;

use super::Problem;
use crate::web::api::{answer, is_api_path};
use crate::web::layout;
use crate::web::site::Site;

impl Problem {
    /// Answers with a page or with JSON, depending on the address that was requested.
    pub(in crate::web) fn answer(&self, site: &Site, path: &str) -> Response {
        if is_api_path(path) { answer(self) } else { layout::problem(site, self) }
    }
}
